// The error of a run with a fixed step, estimated by Richardson extrapolation.
#pragma once

#include <functional>
#include <string>

#include "driver/run.hpp"

namespace lacon {

/// What a fixed step is wrong by at the end of a run, estimated by runs with other steps
/// (Richardson).
struct ErrorEstimate {
    std::vector<double> q, v;  // of each coordinate and velocity; empty where there is no estimate
    double largest = 0.0;      // of them all
    double order = 0.0;        // at which the error was seen to fall, at most that of the method
    double others[2] = {};     // the steps of the two other runs
    std::string why_not = {};  // why there is no estimate; empty where there is one
};

/// Of a run by `plan` that took `steps` steps and ended in `final`. The motion is run twice more,
/// with 2 and 4 times the step (¾ of the work of the run), or with ½ and ¼ of it where there are
/// few steps. `stop_asked` is looked at after every step.
ErrorEstimate estimate_error(const DerivedModel& details, const RunPlan& plan,
                             const std::vector<StartOverride>& start, const MotionSummary& run,
                             const std::function<bool()>& stop_asked = {});

}  // namespace lacon
