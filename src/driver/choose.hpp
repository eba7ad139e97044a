// The choice of the integration method, its default tolerance, and its construction.
#pragma once

#include "driver/integrate.hpp"

namespace lacon {

struct MethodChoice {
    std::string name, why;
};

/// The method that was asked for; for `auto`, the one that suits the model at its start.
MethodChoice choose_method(Field& field, const State& state, const RunPlan& plan);

/// For each step, where nobody asks for another: what is needed for motions of some dozens of
/// oscillations to end within 1e-9 of the truth, as far as a smaller one costs little.
double default_tolerance(const std::string& method);

std::unique_ptr<Method> make_method(const std::string& name, Field& field, const RunPlan& plan);

}  // namespace lacon
