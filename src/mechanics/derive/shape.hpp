// From elements to shapes: elements with the same expressions share one derivation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/structure.hpp"
#include "mechanics/system/symbols.hpp"
#include "mechanics/system/system.hpp"

namespace lacon::inline mechanics {

/// What kind of element an expression is; with the expressions of its roots it decides the shape.
enum class ElementKind : std::uint64_t {
    particle,
    varying_particle,
    kinetic,
    potential,
    dissipation,
    force,
    particle_force,  // also on a point of a body
    torque,
    tree,  // of bodies
    equation,
    constraint,
    nonideal,  // components of c on its first coordinates; may depend on multipliers
};

struct TreeStructure;  // mechanics/derive/tree.hpp

/// An element before derivation: its roots in the model's graph. What the roots are depends on the
/// kind (derive_shape.cpp).
struct RawElement {
    ElementKind kind;
    std::vector<Expr> roots;
    /// Coordinates that come first among its own, used by the roots or not.
    std::vector<std::size_t> first_coordinates;
    /// Distinguishes shapes beyond their roots (number of components, of gains).
    std::size_t variant = 0;
    Origin origin;
    std::int32_t row = -1;       // of a constraint, or of slip, numbered behind those
    std::int32_t friction = -1;  // kinds nonideal and force: the friction that it is the force of
    enum class Dry { no, force, nonideal, bound };  // of friction with a fixed bound
    Dry dry = Dry::no;
    const TreeStructure* tree = nullptr;  // kind tree; `variant` is then its number
};

/// A shape over local symbols, as `derive_shape` needs it.
struct LocalShape {
    ElementKind kind;
    std::vector<Expr> roots;  // in the system's graph
    std::vector<Expr> q, v, a;
    std::size_t parameters = 0;
    std::size_t variant = 0;
    std::size_t multipliers = 0;
    const TreeStructure* tree = nullptr;
};

/// The error that a shape's derivation may find; its place is that of the element.
struct ShapeError {
    std::string message, hint;
};

/// Fills `shape`'s expressions (not its programs), or tells what is wrong.
std::optional<ShapeError> derive_shape(System& system, const LocalShape& local, Shape& shape);

/// The structure of an element: what makes its shape, and the leaves that go into it.
struct Signature {
    Structure structure;  // of its roots, and what roles the symbols have
    std::vector<std::uint32_t> coordinates, parameters,
        rows;  // global numbers in order of first use
};

/// Recognizes equal shapes and adds elements to a system. What elements of one shape differ in
/// besides their coordinates, parameters and rows are constants, which become leaves where they are
/// many.
class ElementStore {
public:
    ElementStore(const Model& model, const SymbolRoles& roles, System& system,
                 Diagnostics& diagnostics);

    void add(const RawElement& element);

private:
    using Shapes = Variants<std::optional<std::uint32_t>>;  // nothing for a shape with errors

    void read(const RawElement& element);
    const Shapes::Variant& variant_for(const RawElement& element);
    std::optional<std::uint32_t> derived(const RawElement& element,
                                         const std::vector<bool>& is_leaf);
    void make_symbols(std::size_t parameters);
    std::vector<Expr> local_symbols() const;
    LocalShape localize(const RawElement& element, const std::vector<bool>& is_leaf);

    const Model& model_;
    const SymbolRoles& roles_;
    System& system_;
    Diagnostics& diagnostics_;
    Signature signature_;  // of the element at hand
    VariantsByKey<std::optional<std::uint32_t>> shapes_;
};

}  // namespace lacon::mechanics
