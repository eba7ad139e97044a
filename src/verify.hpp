// Estimates how many digits of a motion are right, by a second run.
#pragma once

#include "driver/run.hpp"

namespace lacon {

/// Follows a run and computes the motion once more to tell how far it can be trusted.
class Verifier {
public:
    /// `details` must outlive it. `wants_rows`: whether somebody takes the rows of the run; if not,
    /// there are just those compared.
    Verifier(const DerivedModel& details, RunPlan plan, const std::vector<StartOverride>& start,
             bool wants_rows);

    /// The plan that the run is to be made with.
    const RunPlan& plan() const { return plan_; }
    /// Every row of the run.
    void row(std::span<const double> row);
    /// After its end. `asked` as Run::stop_when.
    Verification finish(const Run& run, const std::function<bool()>& asked = {});

private:
    struct Rows {
        std::vector<double> times;
        std::vector<std::vector<double>> values;  // without the time
        void take(std::span<const double> row);
    };
    bool is_compared(double t) const;
    RunPlan second_plan(const MotionSummary& first) const;
    void compare(const Run& run, const Run& second, Verification& result) const;

    const DerivedModel& details_;
    RunPlan plan_;
    std::vector<StartOverride> start_;
    double every_ = 0.0;  // of the rows that are compared
    Rows first_, second_;
    std::vector<double> last_;  // row of the run
};

}  // namespace lacon
