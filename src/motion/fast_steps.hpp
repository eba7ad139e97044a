#pragma once

#include "motion/clock.hpp"
#include "motion/compiled.hpp"
#include "motion/step_code.hpp"
#include "motion/step_control.hpp"

namespace lacon {

/// Whole steps of a Runge–Kutta method as machine code, from a state that meets the constraints to one that meets them. For
/// regular motion only: whatever fails a check is left to the careful steps of the driver.
class FastSteps {
public:
    struct Options {
        double rank_tol = 1e-10;
        double tolerance = 1e-10;
        kernel::CompileOptions compile;
    };
    /// Throws std::runtime_error with the reason where a model cannot be compiled here.
    FastSteps(const SystemDetails& details, const SmoothSystem& smooth, const KernelChoice& choice, const Tableau& tableau,
              const Options& options);

    /// Finds a step of at most `limit`; false where the motion is not regular, or the step gets shorter than `shortest`: then
    /// nothing has changed.
    bool advance(const Clock& time, const State& from, double limit, double shortest);

    struct Landing {
        State state;  // without its time
        double length = 0.0, position = 0.0, velocity = 0.0, position_absolute = 0.0, velocity_absolute = 0.0;
        double kinetic = 0.0, potential = 0.0;
    };
    const Landing& landing() const { return landing_; }

    StepControl control;
    std::size_t rejected = 0, evaluations = 0;
    const kernel::Tiered& code() const { return kernel_; }

private:
    const Tableau& tableau_;
    std::size_t n_;
    KernelInputs at_;
    StepOutputs outputs_;
    std::vector<double> in_, out_;
    kernel::Tiered kernel_;
    Landing landing_;
};

}  // namespace lacon
