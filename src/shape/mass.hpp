// Volume, centre and second moments of shapes, as expressions of their sizes, and of bodies made of
// several.
#pragma once

#include <span>

#include "shape/shape.hpp"

namespace lacon::shape {

/// Of density 1; in the plane per area. The mass of a body of density ρ is ρ·volume.
struct MassProperties {
    Expr volume;
    Vector center;  // in the axes the shape's frame is given in
    Matrix second;  // ∫ (x − center)(x − center)ᵀ, in those axes
};

/// Of a solid shape.
MassProperties mass_properties(Graph& graph, const Shape& shape);
/// Of several together, each with its density; `volume` is then the mass. Where they overlap both
/// count.
MassProperties combined(Graph& graph, std::span<const MassProperties> parts,
                        std::span<const Expr> densities);
/// The inertia tensor about the centre: the trace of `second` times 1, less `second`.
Matrix inertia_of(Graph& graph, const MassProperties& properties);

}  // namespace lacon::shape
