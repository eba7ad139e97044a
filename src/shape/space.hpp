// Frames, and what shapes need of vectors and matrices beside their plain operations.
#pragma once

#include "expr/spatial.hpp"

/// Shapes of bodies: what they weigh, and where they touch.
namespace lacon::shape {

using Vector = Vector3;
using Matrix = Matrix3;

/// The place of a point and the directions of three axes (the columns of R), in other axes.
struct Frame {
    Vector place;
    Matrix R;
};

class Space : public Spatial {
public:
    explicit Space(Graph& graph) : Spatial(graph) {}
    using Spatial::scale;

    Vector constant(double x, double y, double z) {
        return {graph().constant(x), graph().constant(y), graph().constant(z)};
    }
    Expr norm(const Vector& a) { return graph().apply(Op::sqrt, dot(a, a)); }
    Matrix scale(Expr k, const Matrix& A) {
        return {scale(k, A[0]), scale(k, A[1]), scale(k, A[2])};
    }
    Matrix outer(const Vector& a, const Vector& b) {  // a bᵀ
        return {scale(a[0], b), scale(a[1], b), scale(a[2], b)};
    }

    /// What stands at x in the frame, in the outer axes; and back.
    Vector outward(const Frame& frame, const Vector& x) {
        return add(frame.place, mul(frame.R, x));
    }
    Vector inward(const Frame& frame, const Vector& x) {
        return transposed_mul(frame.R, sub(x, frame.place));
    }
    /// A frame that is given in `outer`, in the axes that `outer` is given in.
    Frame within(const Frame& outer, const Frame& inner) {
        return {outward(outer, inner.place), mul(outer.R, inner.R)};
    }
};

}  // namespace lacon::shape
