// Bodies that hang together through coordinates: one element, derived by recursion over the steps
// of their joints.
#pragma once

#include <vector>

#include "mechanics/derive/shape.hpp"
#include "model/bodies.hpp"

namespace lacon::inline mechanics {

/// What two trees must have in common to share a shape, besides their constants.
struct TreeStructure {
    struct Step {
        JointStep::Kind kind;
        bool inverse;
        bool operator==(const Step&) const = default;
    };
    struct Branch {                            // a body
        std::ptrdiff_t parent = Body::ground;  // in this list
        std::vector<Step> steps;
        bool rests = false;  // it has no coordinates up to the ground: its inertia does not count
        bool operator==(const Branch&) const = default;
    };
    std::vector<Branch> branches;  // parents first
    std::size_t gravity = 0;       // how many components it has
    bool operator==(const TreeStructure&) const = default;
};

/// A tree of a model: its structure, which bodies those are, and the coordinates in the order of
/// the steps.
struct Tree {
    TreeStructure structure;
    std::vector<std::size_t> bodies;  // in Model::bodies
    std::vector<std::size_t> coordinates;
};

/// The trees of a model. What hangs on the ground by different joints is different trees; bodies
/// that rest are in each tree that hangs on them.
std::vector<Tree> trees_of(const Model& model);

/// The mechanics of a tree over its local coordinates; the roots are the constants of its bodies in
/// order (Body::constants), then gravity.
void derive_tree(System& system, const LocalShape& local, const TreeStructure& tree, Shape& shape);

}  // namespace lacon::mechanics
