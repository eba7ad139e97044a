// Interface of the compiled steps, with one factory function for each kind of method.
#pragma once

#include <functional>
#include <memory>

#include "code/compiled.hpp"
#include "code/step_end_code.hpp"
#include "methods/clock.hpp"
#include "methods/projection.hpp"
#include "methods/tableau.hpp"

namespace lacon::inline code {

/// Whole steps as machine code, from a state that meets the constraints to one that meets them. For
/// regular motion only: whatever fails a check is left to the careful steps of the driver.
class FastSteps {
public:
    struct Options {
        double rank_tol = 1e-10;
        double tolerance = 1e-10, series_tolerance = 0.0;  // as MethodOptions
        kernel::CompileOptions compile;
    };
    virtual ~FastSteps() = default;

    /// Finds a step of at most `limit`; false where the motion is not regular, or the step gets
    /// shorter than `shortest`: then nothing has changed.
    virtual bool advance(const Clock& time, const State& from, double limit, double shortest) = 0;
    /// The branches of decisions from now on.
    virtual void set_branches(std::span<const double> branches) = 0;
    /// As DenseField::noise, from now on.
    virtual void set_noise(const std::vector<double>& noise) = 0;
    /// As Field::noise_asked; whoever says so sets the noise anew.
    std::function<bool(const State& from, const State& to)> noise_asked;

    struct StepEnd {
        State state;  // without its time
        double length = 0.0, kinetic = 0.0, potential = 0.0;
        Projector::Left left;
        std::vector<double> a_begin,
            a_end;  // accelerations at both ends, of those that cannot tell the states between
    };
    const StepEnd& step_end() const { return step_end_; }
    /// The state within the last step, without its time, for those that can tell.
    virtual bool tells_states() const { return false; }
    virtual void at(double, State&) const {}

    /// As Method's; the two understand each other's.
    virtual std::vector<double> memory() const { return {}; }
    virtual void recall(const std::vector<double>&) {}
    virtual CodeSummary summary() const = 0;

    std::size_t rejected = 0, evaluations = 0;

protected:
    explicit FastSteps(std::size_t n);
    void land(std::span<const double> out, double length);

    StepEnd step_end_;
};

/// What StepOutputs tell of the constraints.
inline Projector::Left left_of(std::span<const double> out, const StepOutputs& at) {
    return {out[at.position], out[at.velocity], out[at.position_absolute],
            out[at.velocity_absolute]};
}

/// Both throw std::runtime_error with the reason where a model cannot be compiled here.
std::unique_ptr<FastSteps> make_fast_runge_kutta(const DerivedModel& details,
                                                 const SmoothSystem& smooth,
                                                 const KernelChoice& choice, const Tableau& tableau,
                                                 const FastSteps::Options& options);
std::unique_ptr<FastSteps> make_fast_taylor(const DerivedModel& details, const SmoothSystem& smooth,
                                            const KernelChoice& choice,
                                            const FastSteps::Options& options);

}  // namespace lacon::code
