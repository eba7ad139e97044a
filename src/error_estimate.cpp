// The error of a method with a fixed step h. With y(h) = y + C h^p + …, three runs with steps h,
// 2h, 4h tell p and C:
//     y(2h) − y(h) = C h^p (2^p − 1),   y(4h) − y(2h) = 2^p (y(2h) − y(h)).
// The ratio r of the second difference to the first is measured, not taken from the method:
// decisions, data and contacts may leave a lower order. The error of y(h) is then |y(2h) − y(h)| /
// (r − 1), with r between 2 and 2^(order of the method).
#include "error_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "pipeline.hpp"
#include "runs.hpp"

namespace lacon {

namespace {

double order_of(MethodKind method) {
    return method == MethodKind::gauss ? 6.0 : 4.0;
}

struct Ended {
    Status status;
    State state;
};

Ended run_with_step(const DerivedModel& details, RunPlan plan,
                    const std::vector<StartOverride>& start, double step,
                    const std::function<bool()>& stop_asked) {
    plan.step = step;
    plan.options.diagnose = false;
    const std::unique_ptr<Run> run = make_run(details, plan, start, {});
    drive(*run, stop_asked);
    return {run->status(), run->state()};
}

/// Largest difference of two states, relative above 1, absolute below.
double difference(const State& a, const State& b) {
    double most = 0.0;
    const auto compare = [&](const std::vector<double>& x, const std::vector<double>& y) {
        for (std::size_t i = 0; i < x.size(); ++i)
            most = std::max(most, std::abs(x[i] - y[i]) /
                                      std::max(1.0, std::max(std::abs(x[i]), std::abs(y[i]))));
    };
    compare(a.q, b.q);
    compare(a.v, b.v);
    return most;
}

}  // namespace

ErrorEstimate estimate_error(const DerivedModel& details, const RunPlan& plan,
                             const std::vector<StartOverride>& start, const MotionSummary& run,
                             const std::function<bool()>& stop_asked) {
    constexpr std::size_t few_steps = 64;
    const bool refines = run.steps < few_steps;
    ErrorEstimate estimate;
    estimate.others[0] = plan.step * (refines ? 0.5 : 2.0);
    estimate.others[1] = plan.step * (refines ? 0.25 : 4.0);
    State states[3] = {run.final, {}, {}};
    for (int i = 0; i < 2; ++i) {
        Ended other = run_with_step(details, plan, start, estimate.others[i], stop_asked);
        if (!other.status) {
            estimate.why_not =
                fmt::format("the run with step {} ended with the status {}",
                            rounded(estimate.others[i]), name_of(other.status.outcome));
            return estimate;
        }
        states[i + 1] = std::move(other.state);
    }
    if (refines) std::swap(states[0], states[2]);  // from the finest to the coarsest
    const double fine = difference(states[0], states[1]), coarse = difference(states[1], states[2]);
    const double most = std::exp2(order_of(plan.method));
    const double ratio = fine > 0.0 ? std::clamp(coarse / fine, 2.0, most) : most;
    // The error of the run asked for is the sum of a geometric series of such differences from it
    // on.
    const double factor = refines ? ratio / (ratio - 1.0) : 1.0 / (ratio - 1.0);
    const State &a = refines ? states[2] : states[0], &b = states[1];
    const auto errors = [&](const std::vector<double>& x, const std::vector<double>& y) {
        std::vector<double> list(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            list[i] = factor * std::abs(x[i] - y[i]);
            estimate.largest = std::max(estimate.largest, list[i]);
        }
        return list;
    };
    estimate.q = errors(a.q, b.q);
    estimate.v = errors(a.v, b.v);
    estimate.order = std::log2(ratio);
    return estimate;
}

}  // namespace lacon
