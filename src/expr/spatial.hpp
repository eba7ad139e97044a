// Vectors and matrices of space whose entries are expressions: what frames and bodies are made of.
#pragma once

#include <array>
#include <span>

#include "expr/graph.hpp"

namespace lacon::inline expr {

using Vector3 = std::array<Expr, 3>;
using Matrix3 = std::array<Vector3, 3>;  // by rows

/// Operations on them in one graph. Zeros and ones fold as the entries are made, so what is planar
/// or aligned with an axis costs no more than it must.
class Spatial {
public:
    explicit Spatial(Graph& graph) : g_(graph) {}

    Graph& graph() { return g_; }
    Vector3 zero() const { return {g_.zero(), g_.zero(), g_.zero()}; }
    Matrix3 identity() const;
    static Vector3 vector(std::span<const Expr> parts) { return {parts[0], parts[1], parts[2]}; }

    Expr mul(Expr a, Expr b) { return g_.mul(a, b); }
    Vector3 add(const Vector3& a, const Vector3& b);
    Vector3 sub(const Vector3& a, const Vector3& b);
    Vector3 scale(Expr k, const Vector3& a);
    Vector3 neg(const Vector3& a);
    Expr dot(const Vector3& a, const Vector3& b);
    Vector3 cross(const Vector3& a, const Vector3& b);
    bool is_zero(const Vector3& a) const;

    Vector3 mul(const Matrix3& A, const Vector3& x);
    /// Aᵀ x.
    Vector3 transposed_mul(const Matrix3& A, const Vector3& x);
    Matrix3 mul(const Matrix3& A, const Matrix3& B);
    Matrix3 add(const Matrix3& A, const Matrix3& B);
    static Matrix3 transpose(const Matrix3& A);
    static Vector3 column(const Matrix3& A, std::size_t j) { return {A[0][j], A[1][j], A[2][j]}; }

    /// The rotation about a unit axis; its columns are the axes that turned.
    Matrix3 rotation(const Vector3& axis, Expr angle);
    /// Of a unit quaternion (w, x, y, z).
    Matrix3 rotation(std::span<const Expr> quaternion);
    /// 2 E(p): the angular velocity in the axes that turn is 2 E(p) p' for a unit quaternion p.
    std::array<Vector3, 4> quaternion_rates(std::span<const Expr> quaternion);
    /// The product of two quaternions.
    std::array<Expr, 4> quaternion_product(std::span<const Expr> a, std::span<const Expr> b);

private:
    Graph& g_;
};

}  // namespace lacon::expr
