// Why a run cannot go on.
#pragma once

#include "driver/step/steppers.hpp"

namespace lacon::inline driver {

/// Where no step can be taken: looks for the reason, and ends the run with it.
class DeadEnd {
public:
    DeadEnd(RunContext& run, Steppers& steppers, StepLimits& limits, SingularGuard& guard)
        : run_(run), steppers_(steppers), limits_(limits), guard_(guard) {}

    /// Ends the run; false, for those who return it.
    bool fail();
    /// Not ok where the last try to land failed because no state near it meets the constraints:
    /// those that contradict each other there.
    Status conflict_ahead();

private:
    Status paradox_ahead();
    Status reach_ahead();
    std::string no_step_text() const;

    RunContext& run_;
    Steppers& steppers_;
    StepLimits& limits_;
    SingularGuard& guard_;
};

}  // namespace lacon::driver
