// Bodies and joints in words: what became of each.
#pragma once

#include <string>
#include <vector>

#include "model/model.hpp"

namespace lacon::inline mechanics {

/// A sentence for each joint and each free body, in the order of the text; empty without bodies.
std::vector<std::string> joint_sentences(const Model& model);

}  // namespace lacon::mechanics
