// Tells rounding from the error of a method, so that step control does not shorten steps in vain.
#pragma once

#include <span>
#include <vector>

#include "methods/field.hpp"

namespace lacon::inline methods {

/// What rounding alone does to the slopes of a motion, (q', q'') (2n): by bounds that go through
/// the equations with their values, to first order; with controls and forces that depend on loads,
/// as measured at places some units in the last place apart. All zero where a slope does not exist.
std::vector<double> measure_noise(DenseField& field, const State& state);
/// The most of it at a state and on the way that its acceleration leads within `ahead` (s). Noise
/// turns with the motion: that of one coordinate of a pendulum vanishes where it hangs down.
std::vector<double> measure_noise(DenseField& field, const State& state, double ahead);

/// When noise is measured along a motion.
struct NoiseWatch {
    std::size_t due = 1,
                pause = 0;  // steps: when it is measured next, and how long after the last time
    std::size_t taken = 0, not_taken = 0;  // steps until then
    double longest = 0.0;                  // step since then
    std::size_t unasked = 0, in_vain = 0;  // see `learn`

    /// A step more was taken, of this length.
    void note(double step);
    /// `rejected`: steps so far that were not taken. Many of them may be for noise.
    bool is_due(std::size_t steps, std::size_t rejected) const;
    /// Measures Field::noise anew at a state; none where it is far below the tolerance.
    void measure(Field& field, const State& state, double tolerance, std::size_t steps,
                 std::size_t rejected);

    /// Where a step from here to there had too large an error: whether more of it is rounding than
    /// was known; then Field::noise says so. What was asked in vain is asked less often.
    bool learn(Field& field, const State& from, const State& to, double tolerance);

    /// The equations or the method are others from here on: what was measured does not hold any
    /// more.
    void renew(Field& field, std::size_t steps, std::size_t rejected);

    /// For checkpoints, with Field::noise.
    std::vector<double> kept(const Field& field) const;
    void recall(const std::vector<double>& kept, Field& field);
};

/// Noise of a step over its tolerance, by the largest of all values; `sizes` may be empty.
double noise_over_tolerance(std::span<const double> sizes, const State& state, double length,
                            double tolerance);

}  // namespace lacon::methods
