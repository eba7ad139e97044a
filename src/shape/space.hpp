// Vectors and matrices in space whose entries are expressions, and the place and attitude of
// something in other axes.
#pragma once

#include <array>

#include "expr/graph.hpp"

/// Shapes of bodies: what they weigh, and where they touch.
namespace lacon::shape {

using Vector = std::array<Expr, 3>;
using Matrix = std::array<Vector, 3>;  // its rows

/// The place of a point and the directions of three axes (the columns of R), in other axes.
struct Frame {
    Vector place;
    Matrix R;
};

/// The operations on them; entries that are known fold.
class Space {
public:
    explicit Space(Graph& graph) : g_(graph) {}

    Vector zero() const { return {g_.zero(), g_.zero(), g_.zero()}; }
    Vector constant(double x, double y, double z);
    Matrix identity() const;
    Vector axis(std::size_t i) const { return identity()[i]; }

    Vector add(const Vector& a, const Vector& b);
    Vector sub(const Vector& a, const Vector& b);
    Vector scale(Expr k, const Vector& a);
    Vector neg(const Vector& a);
    Expr dot(const Vector& a, const Vector& b);
    Vector cross(const Vector& a, const Vector& b);
    Expr norm(const Vector& a) { return g_.apply(Op::sqrt, dot(a, a)); }
    Vector unit(const Vector& a) { return scale(g_.div(g_.one(), norm(a)), a); }

    Vector times(const Matrix& A, const Vector& x);
    Vector transposed_times(const Matrix& A, const Vector& x);  // Aᵀ x
    Matrix times(const Matrix& A, const Matrix& B);
    Matrix transposed(const Matrix& A) const;
    Matrix add(const Matrix& A, const Matrix& B);
    Matrix scale(Expr k, const Matrix& A);
    Matrix outer(const Vector& a, const Vector& b);  // a bᵀ

    /// What stands at x in the frame, in the outer axes; and back.
    Vector outward(const Frame& frame, const Vector& x);
    Vector inward(const Frame& frame, const Vector& x);
    /// A frame that is given in `outer`, in the axes that `outer` is given in.
    Frame within(const Frame& outer, const Frame& inner);

private:
    Graph& g_;
};

}  // namespace lacon::shape
