#pragma once

#include <vector>

#include "motion/field.hpp"

namespace lacon {

/// What rounding alone does to the slopes of a motion, (q', q'') (2n): the size by which they change where nothing that matters
/// changes. It is measured, not bounded: the slopes at eight places a hair apart lie on a smooth curve but for rounding, and
/// their sixth and seventh differences are all rounding (Moré, Wild: Estimating computational noise, SIAM J. Sci. Comput. 33).
/// The places are some units in the last place apart. Beyond that only what is as large at places much nearer to each other
/// counts, and on both sides of the state: a steep ramp beside it is no noise. `last`, `longest`: the length of the last step,
/// along which the motion is smooth, and of the longest of late. All zero where a slope does not exist.
std::vector<double> measure_noise(Field& field, const State& state, double last, double longest);

/// When noise is measured along a motion.
struct NoiseWatch {
    std::size_t due = 1, pause = 0;        // steps: when it is measured next, and how long after the last time
    std::size_t measured = 0;              // times
    std::size_t taken = 0, not_taken = 0;  // steps until then
    double last = 0.0, longest = 0.0;      // length of the last step, and of the longest since then

    /// A step more was taken, of this length.
    void note(double step);
    /// `rejected`: steps so far that were not taken. Many of them may be for noise.
    bool is_due(std::size_t steps, std::size_t rejected) const;
    /// Measures Field::noise anew at a state; none where it is far below the tolerance.
    void measure(Field& field, const State& state, double tolerance, std::size_t steps, std::size_t rejected);

    /// For checkpoints, with Field::noise.
    std::vector<double> kept(const Field& field) const;
    void recall(const std::vector<double>& kept, Field& field);
};

/// Noise of a step over its tolerance, by the largest of all values; `sizes` may be empty.
double noise_over_tolerance(const std::vector<double>& sizes, const State& state, double length, double tolerance);

}  // namespace lacon
