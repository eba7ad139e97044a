// The choice of the integration method, its default tolerance, and its construction.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "driver/plan/plan.hpp"
#include "methods/method.hpp"
#include "methods/tableau.hpp"

namespace lacon::inline driver {

struct MethodChoice {
    MethodKind method;
    std::string why;
};

/// The method that was asked for; for `auto`, the one that suits the model at its start.
MethodChoice choose_method(DenseField& field, const State& state, const RunPlan& plan);

/// What the driver has to know of a method beside its steps.
struct MethodTraits {
    MethodKind method;
    bool by_series = false;                 // Taylor series, which can go over singular positions
    bool is_multistep = false;              // lives on the steps before
    bool is_implicit = false;               // takes stiff systems
    bool is_hindered_by_knots = false;      // its history is of the piece of a signal before one
    bool has_compiled_steps = false;        // code/fast_steps.hpp
    double finest = 0.0;                    // tolerance; below, its error estimates are rounding
    const Tableau& (*tableau)() = nullptr;  // of Runge–Kutta methods
};
const MethodTraits& traits_of(MethodKind method);
/// Whether the method takes steps of a fixed length (RunOptions::step), so that no tolerance
/// bounds its error.
bool has_fixed_step(MethodKind method);
/// The same of MotionSummary::method.
bool has_fixed_step(std::string_view method);

/// For each step, where nobody asks for another: what is needed for motions of some dozens of
/// oscillations to end within 1e-9 of the truth, as far as a smaller one costs little.
double default_tolerance(MethodKind method);

constexpr double finest_radau = 1e-12;  // tolerance: its derivatives are differences

std::unique_ptr<Method> make_method(MethodKind kind, DenseField& field, const RunPlan& plan);

}  // namespace lacon::driver
