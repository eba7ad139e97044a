// Asks the engine for a run of a model text.
#pragma once

#include "hunt/case.hpp"
#include "hunt/tape.hpp"
#include "lacon/motion.hpp"

namespace hunt {

/// One run of the engine, with its rows as points in the units of the model.
struct Run {
    lacon::Status status;
    std::size_t steps = 0;
    std::vector<Point> rows = {};
    /// The largest of each coordinate, at least the engine's 1, in the units of the model.
    std::vector<double> scale_q = {}, scale_v = {};
    std::vector<lacon::MotionEvent> events = {};
    bool slow = false;
};
Run run_engine(const Model& model, const lacon::Mechanism& mechanism, const Plan& plan,
               const Units& units);

}  // namespace hunt
