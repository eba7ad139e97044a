// Places and turns in space, and inertia tensors: what robot files are written in.
#pragma once

#include <array>

/// Robot files (URDF, MJCF) → descriptions of robots → models as text.
namespace lacon::inline robot {

using Vector = std::array<double, 3>;
using Rows3 = std::array<Vector, 3>;  // rows

Vector operator+(const Vector& a, const Vector& b);
Vector operator-(const Vector& a, const Vector& b);
Vector operator*(double factor, const Vector& a);
double dot(const Vector& a, const Vector& b);
Vector cross(const Vector& a, const Vector& b);
double length(const Vector& a);

/// A turn as a unit quaternion.
struct Turn {
    double w = 1, x = 0, y = 0, z = 0;
};
Turn operator*(const Turn& a, const Turn& b);  // first b, then a
Turn inverse(const Turn& a);
Vector operator*(const Turn& a, const Vector& v);
Rows3 matrix(const Turn& a);
bool is_identity(const Turn& a);

Turn turn_about(const Vector& axis, double angle);       // the axis has any length but zero
Turn unit(double w, double x, double y, double z);       // of a quaternion that is not zero
Turn fixed_axes(double roll, double pitch, double yaw);  // Rz(yaw) Ry(pitch) Rx(roll)
Turn turn_of(const Rows3& rotation);
/// The shortest turn that takes the z-axis there.
Turn turn_of_z(const Vector& direction);

/// A frame in another one.
struct Pose {
    Vector place{};
    Turn turn;
};
Pose operator*(const Pose& a, const Pose& b);
Vector operator*(const Pose& a, const Vector& point);
Pose inverse(const Pose& a);
bool is_identity(const Pose& a);

/// A symmetric tensor; its entries: of an inertia, xy = -∫ x y dm.
struct Tensor {
    double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
};
Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator*(double factor, const Tensor& a);
Rows3 matrix(const Tensor& a);
/// R I Rᵀ: the tensor in the axes that `turn` goes from.
Tensor turned(const Turn& turn, const Tensor& a);
/// Of a unit mass at this place, about the origin: |p|² 1 - p pᵀ.
Tensor of_point(const Vector& place);

/// Principal moments with their axes: I = R diag(moments) Rᵀ, to rounding.
struct Principal {
    Vector moments{};
    Rows3 axes{};  // columns
};
Principal principal(const Tensor& a);
Tensor tensor_of(const Principal& a);

}  // namespace lacon::robot
