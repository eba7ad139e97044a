// Runs the motion again with a smaller tolerance and a start moved in the last place, and compares
// about 128 rows of the two. Their difference estimates the error of the first run. A method with a
// fixed step is checked against `auto`.
#include "verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "pipeline.hpp"
#include "runs.hpp"

namespace lacon {

namespace {

/// About so many rows are compared: enough to see when motions part, and few beside the steps.
constexpr double rows_wanted = 128.0;

/// By how much smaller the second tolerance is. A hundredth costs a Taylor series, kept at its
/// order, a quarter more, as its steps shrink by 100^(1/order), and formulas of Adams, whose order
/// grows, hardly more. Methods of a lower order pay more: for half as much again a pair of order 8
/// gets a twentieth, and formulas of order up to 5 get an eighth. What the error of the second
/// motion is less than that of the first, the estimate is off by.
double factor_of(MethodKind method) {
    if (method == MethodKind::taylor || method == MethodKind::adams) return 100.0;
    return method == MethodKind::bdf || method == MethodKind::dopri5 ? 8.0 : 20.0;
}

/// The difference at the end, as long as it is the error of steps: the second motion has much less
/// of that. Where it is rounding, both motions have as much of it, and at a single moment they may
/// agree by chance: then the largest difference in the last tenth of the motion has a say too.
double estimate(const std::vector<double>& differences, double size) {
    const std::size_t count = differences.size(),
                      tail = std::min(count, std::max<std::size_t>(8, count / 10));
    const double most =
        *std::max_element(differences.end() - static_cast<std::ptrdiff_t>(tail), differences.end());
    constexpr double rounding = 1e-11;
    return most < rounding * size ? std::sqrt(most * differences.back()) : differences.back();
}

Verification::Value value_of(const std::string& name, double error, double size) {
    constexpr double rounding = std::numeric_limits<double>::epsilon() / 2.0, most_digits = 16.0;
    const double least = std::max(error, rounding * size);
    const double digits = least > 0.0 ? -std::log10(least / size) : most_digits;
    return {name, least, size, std::isfinite(digits) ? std::clamp(digits, 0.0, most_digits) : 0.0};
}

bool is_same(const MotionEvent& a, const MotionEvent& b) {
    return a.kind == b.kind && a.name == b.name && a.actuator == b.actuator && a.limit == b.limit;
}

/// Compares what happened; gives a sentence where it differs.
std::string compare_events(const std::vector<MotionEvent>& one, const std::vector<MotionEvent>& two,
                           Verification& result) {
    const std::size_t common = std::min(one.size(), two.size());
    std::size_t i = 0;
    for (; i < common && is_same(one[i], two[i]); ++i)
        result.event_time_error = std::max(result.event_time_error, std::abs(one[i].t - two[i].t));
    result.events = i;
    if (i == one.size() && i == two.size()) return {};
    const bool first = i < one.size() && (i == two.size() || one[i].t <= two[i].t);
    const MotionEvent& event = first ? one[i] : two[i];
    return fmt::format("event {} ({} '{}' at t = {}) occurs in the {} motion only", i + 1,
                       event.kind.name(), event.name, rounded(event.t, 6),
                       first ? "first" : "second");
}

}  // namespace

Verifier::Verifier(const DerivedModel& details, RunPlan plan,
                   const std::vector<StartOverride>& start, bool wants_rows)
    : details_(details), plan_(std::move(plan)), start_(start) {
    const double rows = (plan_.end - plan_.begin) / plan_.every;
    constexpr double most_numbers = 2e7;  // in memory
    const double columns = 1.0 + 2.0 * static_cast<double>(details.system.coordinate_count);
    const double wanted = std::max(2.0, std::min(rows_wanted, most_numbers / columns));
    every_ = plan_.every;  // times a power of 2, so that the times of rows are the same numbers
    while (rows * (plan_.every / every_) > wanted) every_ *= 2.0;
    while (!wants_rows && rows * (plan_.every / every_) < 0.4 * wanted) every_ *= 0.5;
    if (!wants_rows) plan_.every = every_;
}

void Verifier::Rows::take(std::span<const double> row) {
    times.push_back(row[0]);
    values.emplace_back(row.begin() + 1, row.end());
}

bool Verifier::is_compared(double t) const {
    const double place = (t - plan_.begin) / every_;
    return std::abs(place - std::round(place)) < 1e-9 || t >= plan_.end;
}

void Verifier::row(std::span<const double> row) {
    if (is_compared(row[0])) first_.take(row);
    last_.assign(row.begin(), row.end());
}

RunPlan Verifier::second_plan(const MotionSummary& first) const {
    RunPlan plan = plan_;
    plan.tolerance = first.tolerance;
    plan.tolerance_given = true;
    plan.every = every_;
    plan.is_second = true;
    plan.options.diagnose = false;
    // Unspecified where modes had several methods.
    const MethodKind method = named<MethodKind>(first.method).value_or(MethodKind::unspecified);
    if (has_fixed_step(method)) {
        constexpr double fine = 1e-12;
        plan.method = MethodKind::automatic;
        plan.tolerance = std::min(plan.tolerance, fine);
        return plan;
    }
    if (first.contact.methods.size() <= 1) plan.method = method;
    constexpr double least = 1e-16;
    // Few long steps would begin at the same times as the first motion's, where what is all
    // cancellation has the same rounding.
    constexpr double longest = 0.11;
    plan.max_step = std::min(plan.max_step, longest * (plan.end - plan.begin));
    plan.series_tolerance = plan.tolerance;
    plan.tolerance = std::max(least, plan.tolerance / factor_of(method));
    return plan;
}

Verification Verifier::finish(const Run& run, const std::function<bool()>& asked) {
    if (!last_.empty() && (first_.times.empty() || first_.times.back() < last_[0]))
        first_.take(last_);  // ended by an event
    const MotionSummary first = run.summary();
    const RunPlan plan = second_plan(first);
    const std::unique_ptr<Run> second = make_run(
        details_, plan, start_, [this](std::span<const double> row) { second_.take(row); });
    drive(*second, asked);
    Verification result;
    result.method = second->summary().method;
    result.tolerance = plan.tolerance;
    const double seconds = second->summary().wall_seconds;
    result.cost = first.wall_seconds > 0.0 ? 1.0 + seconds / first.wall_seconds : 2.0;
    if (!first_.times.empty() && !second_.times.empty()) compare(run, *second, result);
    if (!second->status())
        result.trouble = fmt::format("the second motion ended: {}", second->status().message);
    return result;
}

namespace {

/// Of rows that two motions have in common, for each column.
struct Differences {
    std::vector<double> times;
    std::vector<std::vector<double>> sizes;  // of the differences: columns × times
};

/// Largest |value| of each column. What is nothing but rounding beside others of its kind is
/// measured by these; so are velocities that bring no place anywhere within the run (s).
std::vector<double> sizes_of(const std::vector<std::vector<double>>& rows, std::size_t n,
                             std::size_t columns, double duration) {
    std::vector<double> sizes(columns, 0.0);
    for (const auto& row : rows)
        for (std::size_t i = 0; i < columns; ++i) sizes[i] = std::max(sizes[i], std::abs(row[i]));
    constexpr double nothing = 1e-12;
    const auto measure = [&](std::size_t kind, double most) {
        for (std::size_t i = kind; i < kind + n; ++i) most = std::max(most, sizes[i]);
        for (std::size_t i = kind; i < kind + n; ++i)
            if (sizes[i] <= nothing * most) sizes[i] = most;
        return most;
    };
    const double places = measure(0, 0.0);
    measure(n, duration > 0.0 ? places / duration : 0.0);
    for (double& size : sizes)
        if (size == 0.0) size = 1.0;
    return sizes;
}

/// The time up to which all of the first `columns` keep Verification::kept_digits. A row alone may
/// fall between the times at which the two motions have an impact; two in a row do not.
double agreed_until(const Differences& d, const std::vector<double>& sizes, std::size_t columns) {
    const double kept = std::pow(10.0, -Verification::kept_digits);
    const auto part = [&](std::size_t time) {
        double worst = 0.0;
        for (std::size_t i = 0; i < columns; ++i)
            worst = std::max(worst, d.sizes[i][time] / sizes[i]);
        return worst;
    };
    for (std::size_t j = 1; j < d.times.size(); ++j) {
        const double now = part(j);
        if (now <= kept || (j + 1 < d.times.size() && part(j + 1) <= kept)) continue;
        const double before = std::max(part(j - 1), 1e-16);
        if (!(before < kept)) return d.times[j - 1];
        const double share = std::log(kept / before) /
                             std::log(now / before);  // motions part at a constant rate, about
        return d.times[j - 1] + share * (d.times[j] - d.times[j - 1]);
    }
    return d.times.back();
}

}  // namespace

void Verifier::compare(const Run& run, const Run& second, Verification& result) const {
    result.trouble = compare_events(run.summary().events, second.summary().events, result);
    const std::size_t n = details_.system.coordinate_count,
                      columns = 2 * n + details_.model.outputs.size();
    Differences d;
    d.sizes.resize(columns);
    for (std::size_t j = 0, k = 0; j < first_.times.size() && k < second_.times.size();) {
        const double apart = second_.times[k] - first_.times[j];
        const bool are_last = j + 1 == first_.times.size() &&
                              k + 1 == second_.times.size();  // an event may have ended both
        if (std::abs(apart) > 1e-6 * every_ && !are_last) {
            ++(apart > 0.0 ? j : k);
            continue;
        }
        d.times.push_back(first_.times[j]);
        for (std::size_t i = 0; i < columns; ++i)
            d.sizes[i].push_back(std::abs(second_.values[k][i] - first_.values[j][i]));
        ++j;
        ++k;
    }
    if (d.times.empty()) return;
    const std::vector<double> sizes = sizes_of(first_.values, n, columns, plan_.end - plan_.begin);
    result.until = agreed_until(d, sizes, 2 * n);
    result.lasts = result.until >= first_.times.back();
    if (d.times.back() < first_.times.back())
        return;  // the second motion ended before: nothing is known of the end
    result.digits = INFINITY;
    for (std::size_t i = 0; i < columns; ++i) {
        const Verification::Value value =
            value_of(run.names()[1 + i], estimate(d.sizes[i], sizes[i]), sizes[i]);
        (i < 2 * n ? result.final : result.outputs).push_back(value);
        result.digits = std::min(result.digits, value.digits);
    }
}

}  // namespace lacon
