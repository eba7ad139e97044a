// Units for the labels of tables and plots. Nothing in the computation depends on them.
#pragma once

#include <string>
#include <vector>

#include "model/model.hpp"

namespace lacon::inline model {

/// Units of what a run has columns of, as far as they follow from the texts of the parameters
/// ("length of the rod, m"): sums have terms of one dimension, angles stand in sines, gravity tells
/// the positions. Empty where that does not tell. For labels only.
struct Units {
    std::string time;
    std::vector<std::string> coordinates, velocities, outputs;
};
Units units_of(const Model& model);

}  // namespace lacon::model
