// Vector algebra over expressions; sums of products are made in one piece each.
#include "expr/spatial.hpp"

#include <algorithm>

namespace lacon::inline expr {

Matrix3 Spatial::identity() const {
    const Expr o = g_.zero(), i = g_.one();
    return {{{i, o, o}, {o, i, o}, {o, o, i}}};
}

Vector3 Spatial::add(const Vector3& a, const Vector3& b) {
    return {g_.add(a[0], b[0]), g_.add(a[1], b[1]), g_.add(a[2], b[2])};
}

Vector3 Spatial::sub(const Vector3& a, const Vector3& b) {
    return {g_.sub(a[0], b[0]), g_.sub(a[1], b[1]), g_.sub(a[2], b[2])};
}

Vector3 Spatial::scale(Expr k, const Vector3& a) {
    return {g_.mul(k, a[0]), g_.mul(k, a[1]), g_.mul(k, a[2])};
}

Vector3 Spatial::neg(const Vector3& a) {
    return {g_.neg(a[0]), g_.neg(a[1]), g_.neg(a[2])};
}

Expr Spatial::dot(const Vector3& a, const Vector3& b) {
    const Arg terms[] = {
        {g_.mul(a[0], b[0]), 1.0}, {g_.mul(a[1], b[1]), 1.0}, {g_.mul(a[2], b[2]), 1.0}};
    return g_.sum(terms);
}

Vector3 Spatial::cross(const Vector3& a, const Vector3& b) {
    const auto minor = [&](std::size_t i, std::size_t j) {
        return g_.sub(g_.mul(a[i], b[j]), g_.mul(a[j], b[i]));
    };
    return {minor(1, 2), minor(2, 0), minor(0, 1)};
}

bool Spatial::is_zero(const Vector3& a) const {
    return std::all_of(a.begin(), a.end(), [&](Expr e) { return g_.is_zero(e); });
}

Vector3 Spatial::mul(const Matrix3& A, const Vector3& x) {
    return {dot(A[0], x), dot(A[1], x), dot(A[2], x)};
}

Vector3 Spatial::transposed_mul(const Matrix3& A, const Vector3& x) {
    return mul(transpose(A), x);
}

Matrix3 Spatial::mul(const Matrix3& A, const Matrix3& B) {
    const Matrix3 Bt = transpose(B);
    Matrix3 C;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) C[i][j] = dot(A[i], Bt[j]);
    return C;
}

Matrix3 Spatial::add(const Matrix3& A, const Matrix3& B) {
    return {add(A[0], B[0]), add(A[1], B[1]), add(A[2], B[2])};
}

Matrix3 Spatial::transpose(const Matrix3& A) {
    return {column(A, 0), column(A, 1), column(A, 2)};
}

/// R = cos + (1 − cos) u uᵀ + sin [u×].
Matrix3 Spatial::rotation(const Vector3& u, Expr angle) {
    const Expr c = g_.apply(Op::cos, angle), s = g_.apply(Op::sin, angle);
    const Expr rest = g_.sub(g_.one(), c);
    Matrix3 R;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            if (i == j) {  // u_i² + (1 − u_i²) cos, exact for an axis of the frame
                const Expr square = g_.pow(u[i], 2);
                R[i][i] = g_.add(square, g_.mul(g_.sub(g_.one(), square), c));
                continue;
            }
            const std::size_t k = 3 - i - j;
            const double sign = (j + 1) % 3 == i ? 1.0 : -1.0;  // of [u×]_ij = ± u_k
            R[i][j] = g_.add(g_.mul(rest, g_.mul(u[i], u[j])), g_.scale(sign, g_.mul(s, u[k])));
        }
    return R;
}

Matrix3 Spatial::rotation(std::span<const Expr> p) {
    const Expr w = p[0], x = p[1], y = p[2], z = p[3];
    const auto twice = [&](Expr a, Expr b, double sign, Expr c, Expr d) {
        const Arg terms[] = {{g_.mul(a, b), 2.0}, {g_.mul(c, d), 2.0 * sign}};
        return g_.sum(terms);
    };
    const auto diagonal = [&](Expr a, Expr b) {
        const Arg terms[] = {{g_.pow(a, 2), -2.0}, {g_.pow(b, 2), -2.0}};
        return g_.sum(terms, 1.0);
    };
    return {{{diagonal(y, z), twice(x, y, -1, w, z), twice(x, z, 1, w, y)},
             {twice(x, y, 1, w, z), diagonal(x, z), twice(y, z, -1, w, x)},
             {twice(x, z, -1, w, y), twice(y, z, 1, w, x), diagonal(x, y)}}};
}

std::array<Vector3, 4> Spatial::quaternion_rates(std::span<const Expr> p) {
    const Expr w = g_.scale(2.0, p[0]), x = g_.scale(2.0, p[1]), y = g_.scale(2.0, p[2]),
               z = g_.scale(2.0, p[3]);
    return {{{g_.neg(x), g_.neg(y), g_.neg(z)},
             {w, g_.neg(z), y},
             {z, w, g_.neg(x)},
             {g_.neg(y), x, w}}};
}

std::array<Expr, 4> Spatial::quaternion_product(std::span<const Expr> a, std::span<const Expr> b) {
    const Vector3 u = {a[1], a[2], a[3]}, v = {b[1], b[2], b[3]};
    const Vector3 sum = add(add(scale(a[0], v), scale(b[0], u)), cross(u, v));
    return {g_.sub(g_.mul(a[0], b[0]), dot(u, v)), sum[0], sum[1], sum[2]};
}

}  // namespace lacon::expr
