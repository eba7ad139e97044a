// Vector algebra on expressions.
#include "shape/space.hpp"

namespace lacon::shape {

Vector Space::constant(double x, double y, double z) {
    return {g_.constant(x), g_.constant(y), g_.constant(z)};
}

Matrix Space::identity() const {
    const Expr o = g_.zero(), l = g_.one();
    return {Vector{l, o, o}, Vector{o, l, o}, Vector{o, o, l}};
}

Vector Space::add(const Vector& a, const Vector& b) {
    return {g_.add(a[0], b[0]), g_.add(a[1], b[1]), g_.add(a[2], b[2])};
}

Vector Space::sub(const Vector& a, const Vector& b) {
    return {g_.sub(a[0], b[0]), g_.sub(a[1], b[1]), g_.sub(a[2], b[2])};
}

Vector Space::scale(Expr k, const Vector& a) {
    return {g_.mul(k, a[0]), g_.mul(k, a[1]), g_.mul(k, a[2])};
}

Vector Space::neg(const Vector& a) {
    return {g_.neg(a[0]), g_.neg(a[1]), g_.neg(a[2])};
}

Expr Space::dot(const Vector& a, const Vector& b) {
    const Arg terms[] = {
        {g_.mul(a[0], b[0]), 1.0}, {g_.mul(a[1], b[1]), 1.0}, {g_.mul(a[2], b[2]), 1.0}};
    return g_.sum(terms);
}

Vector Space::cross(const Vector& a, const Vector& b) {
    const auto minor = [&](std::size_t i, std::size_t j) {
        return g_.sub(g_.mul(a[i], b[j]), g_.mul(a[j], b[i]));
    };
    return {minor(1, 2), minor(2, 0), minor(0, 1)};
}

Vector Space::times(const Matrix& A, const Vector& x) {
    return {dot(A[0], x), dot(A[1], x), dot(A[2], x)};
}

Vector Space::transposed_times(const Matrix& A, const Vector& x) {
    return times(transposed(A), x);
}

Matrix Space::times(const Matrix& A, const Matrix& B) {
    const Matrix columns = transposed(B);
    Matrix result;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) result[i][j] = dot(A[i], columns[j]);
    return result;
}

Matrix Space::transposed(const Matrix& A) const {
    Matrix result;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) result[i][j] = A[j][i];
    return result;
}

Matrix Space::add(const Matrix& A, const Matrix& B) {
    return {add(A[0], B[0]), add(A[1], B[1]), add(A[2], B[2])};
}

Matrix Space::scale(Expr k, const Matrix& A) {
    return {scale(k, A[0]), scale(k, A[1]), scale(k, A[2])};
}

Matrix Space::outer(const Vector& a, const Vector& b) {
    return {scale(a[0], b), scale(a[1], b), scale(a[2], b)};
}

Vector Space::outward(const Frame& frame, const Vector& x) {
    return add(frame.place, times(frame.R, x));
}

Vector Space::inward(const Frame& frame, const Vector& x) {
    return transposed_times(frame.R, sub(x, frame.place));
}

Frame Space::within(const Frame& outer, const Frame& inner) {
    return {outward(outer, inner.place), times(outer.R, inner.R)};
}

}  // namespace lacon::shape
