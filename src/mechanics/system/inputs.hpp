// The inputs of programs over a shape.
#pragma once

#include "mechanics/system/system.hpp"

namespace lacon::inline mechanics {

/// The local symbols of a shape in the order in which programs over whole motions take them: q, q',
/// t, p.
std::vector<Expr> inputs_of(const System& system, const Shape& shape);

/// Where programs over an element take the time: behind q and q' where they are over smooth shapes
/// and whole motions, behind all else where they are over single states (Shape).
enum class TimeInput { before_parameters, last };

/// The inputs of an element, as numbers of any kind: q(i), v(i) and p(i) of the system's
/// coordinates and parameters, and t.
template <class Q, class V, class T, class P>
struct InputValues {
    Q q;
    V v;
    T t;
    P p;
};

/// Appends to `inputs` what a program over an element takes; `leaf` are its leaves.
template <class Inputs, class Values>
void append_inputs(Inputs& inputs, const Shape& shape, const std::uint32_t* leaf, TimeInput time,
                   const Values& values) {
    const std::size_t k = shape.coordinates;
    for (std::size_t i = 0; i < k; ++i) inputs.push_back(values.q(leaf[i]));
    for (std::size_t i = 0; i < k; ++i) inputs.push_back(values.v(leaf[i]));
    if (time == TimeInput::before_parameters) inputs.push_back(values.t);
    for (std::size_t i = 0; i < shape.parameters; ++i) inputs.push_back(values.p(leaf[k + i]));
    if (time == TimeInput::last) inputs.push_back(values.t);
}

}  // namespace lacon::mechanics
