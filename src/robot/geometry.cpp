// Quaternions, poses and symmetric tensors. Principal axes are found by Jacobi's rotations, which
// keep small moments exact relative to themselves as well as 3 × 3 allows.
#include "robot/geometry.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline robot {

Vector operator+(const Vector& a, const Vector& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Vector operator-(const Vector& a, const Vector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Vector operator*(double factor, const Vector& a) {
    return {factor * a[0], factor * a[1], factor * a[2]};
}
double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Vector& a) {
    return std::hypot(a[0], a[1], a[2]);
}

Turn operator*(const Turn& a, const Turn& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

Turn inverse(const Turn& a) {
    return {a.w, -a.x, -a.y, -a.z};
}

Vector operator*(const Turn& a, const Vector& v) {
    const Vector axis{a.x, a.y, a.z};
    const Vector u = 2.0 * cross(axis, v);
    return v + a.w * u + cross(axis, u);
}

Rows3 matrix(const Turn& a) {
    const Vector x = a * Vector{1, 0, 0}, y = a * Vector{0, 1, 0}, z = a * Vector{0, 0, 1};
    return {{{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]}}};
}

bool is_identity(const Turn& a) {
    return a.x == 0 && a.y == 0 && a.z == 0;
}

Turn unit(double w, double x, double y, double z) {
    const double size = std::hypot(std::hypot(w, x), std::hypot(y, z));
    return {w / size, x / size, y / size, z / size};
}

Turn turn_about(const Vector& axis, double angle) {
    const Vector v = (std::sin(angle / 2) / length(axis)) * axis;
    return {std::cos(angle / 2), v[0], v[1], v[2]};
}

Turn fixed_axes(double roll, double pitch, double yaw) {
    return turn_about({0, 0, 1}, yaw) * turn_about({0, 1, 0}, pitch) * turn_about({1, 0, 0}, roll);
}

/// By the largest of the four components, so that nothing cancels (Shepperd 1978).
Turn turn_of(const Rows3& r) {
    const double trace = r[0][0] + r[1][1] + r[2][2];
    const double squares[] = {trace, r[0][0], r[1][1], r[2][2]};
    switch (std::max_element(squares, squares + 4) - squares) {
        case 0: return unit(1 + trace, r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]);
        case 1:
            return unit(r[2][1] - r[1][2], 1 + 2 * r[0][0] - trace, r[0][1] + r[1][0],
                        r[0][2] + r[2][0]);
        case 2:
            return unit(r[0][2] - r[2][0], r[0][1] + r[1][0], 1 + 2 * r[1][1] - trace,
                        r[1][2] + r[2][1]);
        default:
            return unit(r[1][0] - r[0][1], r[0][2] + r[2][0], r[1][2] + r[2][1],
                        1 + 2 * r[2][2] - trace);
    }
}

Turn turn_of_z(const Vector& direction) {
    const Vector axis{-direction[1], direction[0], 0};  // z × direction
    const double size = length(axis);
    if (size == 0) return direction[2] >= 0 ? Turn{} : Turn{0, 1, 0, 0};
    return turn_about(axis, std::atan2(size, direction[2]));
}

Pose operator*(const Pose& a, const Pose& b) {
    return {a.place + a.turn * b.place, a.turn * b.turn};
}

Vector operator*(const Pose& a, const Vector& point) {
    return a.place + a.turn * point;
}

Pose inverse(const Pose& a) {
    const Turn back = inverse(a.turn);
    return {-1.0 * (back * a.place), back};
}

bool is_identity(const Pose& a) {
    return a.place == Vector{} && is_identity(a.turn);
}

Tensor operator+(const Tensor& a, const Tensor& b) {
    return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

Tensor operator*(double factor, const Tensor& a) {
    return {factor * a.xx, factor * a.yy, factor * a.zz,
            factor * a.xy, factor * a.xz, factor * a.yz};
}

Rows3 matrix(const Tensor& a) {
    return {{{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}}};
}

Tensor turned(const Turn& turn, const Tensor& a) {
    if (is_identity(turn)) return a;
    const Rows3 r = matrix(turn), m = matrix(a);
    const auto entry = [&](std::size_t i, std::size_t j) {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t l = 0; l < 3; ++l) sum += r[i][k] * m[k][l] * r[j][l];
        return sum;
    };
    return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}

Tensor of_point(const Vector& p) {
    const double xx = p[0] * p[0], yy = p[1] * p[1], zz = p[2] * p[2];
    return {yy + zz, xx + zz, xx + yy, -p[0] * p[1], -p[0] * p[2], -p[1] * p[2]};
}

Principal principal(const Tensor& a) {
    Rows3 m = matrix(a), axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    // Convergence is quadratic: some six sweeps bring what is off the diagonal below rounding.
    for (int sweep = 0; sweep < 30; ++sweep) {
        bool changed = false;
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = i + 1; j < 3; ++j) {
                if (std::abs(m[i][j]) <= 1e-17 * std::sqrt(std::abs(m[i][i] * m[j][j]))) continue;
                changed = true;
                const double ratio = (m[j][j] - m[i][i]) / (2 * m[i][j]);
                const double t = (ratio >= 0 ? 1 : -1) / (std::abs(ratio) + std::hypot(1.0, ratio));
                const double c = 1 / std::hypot(1.0, t), s = c * t;
                for (std::size_t k = 0; k < 3; ++k) {
                    const double mi = m[k][i], mj = m[k][j];
                    m[k][i] = c * mi - s * mj;
                    m[k][j] = s * mi + c * mj;
                    const double vi = axes[k][i], vj = axes[k][j];
                    axes[k][i] = c * vi - s * vj;
                    axes[k][j] = s * vi + c * vj;
                }
                for (std::size_t k = 0; k < 3; ++k) {
                    const double mi = m[i][k], mj = m[j][k];
                    m[i][k] = c * mi - s * mj;
                    m[j][k] = s * mi + c * mj;
                }
            }
        if (!changed) break;
    }
    return {{m[0][0], m[1][1], m[2][2]}, axes};
}

Tensor tensor_of(const Principal& a) {
    const auto entry = [&](std::size_t i, std::size_t j) {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) sum += a.axes[i][k] * a.moments[k] * a.axes[j][k];
        return sum;
    };
    return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}

}  // namespace lacon::robot
