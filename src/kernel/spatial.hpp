// Vectors and matrices of three as code; sums of products are fma, and zeros vanish.
#pragma once

#include <algorithm>

#include "kernel/articulated.hpp"

namespace lacon::kernel::spatial {

using Vector3 = BodyTree::Vector3;
using Matrix3 = BodyTree::Matrix3;
constexpr std::size_t next[] = {1, 2, 0}, last[] = {2, 0, 1};

inline Value dot(const Vector3& a, const Vector3& b) {
    return fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]));
}
/// sum + A x and sum + Aᵀ x.
inline Vector3 plus(const Vector3& sum, const Matrix3& A, const Vector3& x) {
    Vector3 y = sum;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) y[i] = fma(A[i][j], x[j], y[i]);
    return y;
}
inline Vector3 plus_transposed(const Vector3& sum, const Matrix3& A, const Vector3& x) {
    Vector3 y = sum;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) y[i] = fma(A[j][i], x[j], y[i]);
    return y;
}
/// sum + a × b.
inline Vector3 plus_cross(const Vector3& sum, const Vector3& a, const Vector3& b) {
    Vector3 y;
    for (std::size_t i = 0; i < 3; ++i)
        y[i] = fma(a[next[i]], b[last[i]], fma(-a[last[i]], b[next[i]], sum[i]));
    return y;
}
inline Vector3 column(const Matrix3& A, std::size_t j) {
    return {A[0][j], A[1][j], A[2][j]};
}
/// The axis of the frame that R turns about: R = [c −s; s c] in the two axes after it. 3 where it
/// is none.
inline std::size_t turning_axis(const Matrix3& R) {
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t a = next[k], b = last[k];
        const bool only = R[k][k].is(1.0) && R[k][a].is(0.0) && R[k][b].is(0.0) &&
                          R[a][k].is(0.0) && R[b][k].is(0.0);
        Code* code = R[a][a].code();
        if (only && code && R[a][a].id_in(*code) == R[b][b].id_in(*code) &&
            R[a][b].id_in(*code) == (-R[b][a]).id_in(*code))
            return k;
    }
    return 3;
}
/// R A Rᵀ.
inline Matrix3 turned(const Matrix3& R, const Matrix3& A) {
    Matrix3 T, B;
    for (std::size_t j = 0; j < 3; ++j) {
        const Vector3 c = plus({}, R, column(A, j));
        for (std::size_t i = 0; i < 3; ++i) T[i][j] = c[i];
    }
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) B[i][j] = dot(T[i], R[j]);
    return B;
}
/// The same of a symmetric A: the upper half is the lower one's. About an axis of the frame,
///   B_aa = A_aa − t,  B_bb = A_bb + t,  t = s² (A_aa − A_bb) + 2 c s A_ab
///   B_ab = c s (A_aa − A_bb) + (1 − 2 s²) A_ab.
inline Matrix3 symmetric_turned(const Matrix3& R, const Matrix3& A) {
    Matrix3 B;
    if (const std::size_t k = turning_axis(R); k < 3) {
        const std::size_t a = next[k], b = last[k];
        const Value &c = R[a][a], &s = R[b][a], square = s * s, both = c * s;
        const Value apart = A[a][a] - A[b][b], &mixed = A[a][b];
        const Value t = fma(square, apart, (both * 2.0) * mixed);
        B[k][k] = A[k][k];
        B[a][a] = A[a][a] - t;
        B[b][b] = A[b][b] + t;
        B[a][b] = B[b][a] = fma(both, apart, fma(Value(-2.0), square, 1.0) * mixed);
        B[a][k] = B[k][a] = fma(c, A[a][k], -(s * A[b][k]));
        B[b][k] = B[k][b] = fma(s, A[a][k], c * A[b][k]);
        return B;
    }
    B = turned(R, A);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = i + 1; j < 3; ++j) B[i][j] = B[j][i];
    return B;
}
/// The axis of the frame that a vector of numbers is, up to its sign; 3 where it is none.
inline std::size_t frame_axis(const Vector3& u) {
    std::size_t axis = 3;
    for (std::size_t i = 0; i < 3; ++i) {
        if (u[i].is(0.0)) continue;
        if (axis < 3 || !(u[i].is(1.0) || u[i].is(-1.0))) return 3;
        axis = i;
    }
    return axis;
}
inline bool is_zero(const Vector3& u) {
    return std::all_of(u.begin(), u.end(), [](const Value& x) { return x.is(0.0); });
}

}  // namespace lacon::kernel::spatial
