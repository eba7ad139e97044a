#pragma once

#include <string>
#include <vector>

#include "base/memo.hpp"
#include "lacon/mechanism.hpp"
#include "mechanics/system.hpp"

namespace lacon {

/// A model with its derived system and the names and values that evaluations use. Built once.
struct SystemDetails {
    Model model;
    System system;
    std::string name;
    std::vector<double> parameters;
    std::vector<std::string> coordinate_names, constraint_names;
    mutable Memo memo = {};  // of what others make from it
};

}  // namespace lacon
