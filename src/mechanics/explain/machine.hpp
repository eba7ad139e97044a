// Bodies and joints in words: what became of each.
#pragma once

#include <string>
#include <vector>

#include "model/model.hpp"

namespace lacon::inline mechanics {

/// A sentence for each joint and each free body, in the order of the text; empty without bodies.
std::vector<std::string> joint_sentences(const Model& model);

/// What the rows of a joint that is made of constraints say, in one line.
std::string rows_in_words(const Joint& joint);

/// Why nothing gives these coordinates an acceleration: which bodies have no mass or inertia along
/// which joints, and what to give them. Empty where they are of no joints.
std::string lack_of_inertia(const Model& model, const std::vector<std::size_t>& coordinates);

}  // namespace lacon::mechanics
