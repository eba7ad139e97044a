// Trees of bodies in a model's code: which are eliminated body by body, and what that needs.
#pragma once

#include <span>
#include <vector>

#include "kernel/articulated.hpp"
#include "mechanics/derive/smooth.hpp"

namespace lacon::inline code {

/// By element: whether it is a tree that is eliminated body by body. It must be long enough for
/// that to pay, and nothing else may join its coordinates in M.
std::vector<bool> articulated_elements(const System& system, const SmoothSystem& smooth);

/// A tree from the results of SmoothShape::articulation; `leaf` are its coordinates in the model.
kernel::BodyTree body_tree(const Articulation& articulation, const std::uint32_t* leaf,
                           const std::vector<kernel::Value>& q,
                           std::span<const kernel::Value> values);

}  // namespace lacon::code
