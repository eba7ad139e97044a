#pragma once

#include "motion/integrate.hpp"

namespace lacon {

struct MethodChoice {
    std::string name, why;
};

/// The method that was asked for; for `auto`, the one that suits the model at its start.
MethodChoice choose_method(Field& field, const State& state, const RunPlan& plan);

std::unique_ptr<Method> make_method(const std::string& name, Field& field, const RunPlan& plan);

}  // namespace lacon
