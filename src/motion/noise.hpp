#pragma once

#include <vector>

#include "motion/field.hpp"

namespace lacon {

/// What rounding alone does to the slopes of a motion, (q', q'') (2n): the size by which they change where nothing that matters
/// changes. It is measured, not bounded: the slopes at eight places a hair apart lie on a smooth curve but for rounding, and
/// their sixth and seventh differences are all rounding (Moré, Wild: Estimating computational noise, SIAM J. Sci. Comput. 33).
/// `length`: over which the motion is smooth, about that of a step; the places are within a fourteenth of it. All zero where a
/// slope does not exist.
std::vector<double> measure_noise(Field& field, const State& state, double length);

/// When noise is measured along a motion.
struct NoiseWatch {
    std::size_t due = 1, pause = 0;  // steps: when it is measured next, and how long after the last time
    std::size_t measured = 0;        // times
    double length = 0.0;             // of the longest steps of late

    /// A step more was taken, of this length.
    void note(double step);
    bool is_due(std::size_t steps) const { return steps >= due; }
    /// Measures Field::noise anew at a state; none where it is far below the tolerance.
    void measure(Field& field, const State& state, double tolerance, std::size_t steps);

    /// For checkpoints, with Field::noise.
    std::vector<double> kept(const Field& field) const;
    void recall(const std::vector<double>& kept, Field& field);
};

/// Noise of a step over its tolerance, by the largest of all values; `sizes` may be empty.
double noise_over_tolerance(const std::vector<double>& sizes, const State& state, double length, double tolerance);

}  // namespace lacon
