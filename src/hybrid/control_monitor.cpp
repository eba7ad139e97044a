// Watches the margins of efforts and one-sided requirements, and det(C R), which changes sign where
// the actuators lose hold. Cost and power are integrated by Gauss's quadrature over every step.
#include "hybrid/control_monitor.hpp"

#include <algorithm>
#include <cmath>

#include "hybrid/quadrature.hpp"
#include "solve/dense/constrained/constrained_factor.hpp"

namespace lacon::inline hybrid {

namespace {

/// By elimination with row exchanges.
double determinant(Matrix T) {
    const std::size_t k = T.rows();
    double result = 1.0;
    for (std::size_t c = 0; c < k; ++c) {
        std::size_t pivot = c;
        for (std::size_t r = c + 1; r < k; ++r)
            if (std::abs(T(r, c)) > std::abs(T(pivot, c))) pivot = r;
        if (T(pivot, c) == 0.0) return 0.0;
        if (pivot != c) {
            std::swap_ranges(T.row(c).begin(), T.row(c).end(), T.row(pivot).begin());
            result = -result;
        }
        result *= T(c, c);
        for (std::size_t r = c + 1; r < k; ++r) {
            const double factor = T(r, c) / T(c, c);
            for (std::size_t j = c; j < k; ++j) T(r, j) -= factor * T(c, j);
        }
    }
    return result;
}

constexpr double moment =
    1e-3;                   // of what is compared: as far a mode looks ahead where it is chosen
constexpr int unclear = 2;  // beside the signs

}  // namespace

using Deciding = Controller::Deciding;

ControlMonitor::ControlMonitor(const DerivedModel& mode_model, Monitors& contacts,
                               const SolveOptions& options, Account& account)
    : mode_model_(mode_model),
      contacts_(contacts),
      options_(options),
      account_(account),
      assembler_(mode_model.system, mode_model.parameters),
      controller_(mode_model, options),
      loads_(mode_model.system) {
    for (const auto& one : account) {
        at_step_begin_.push_back(one.effort);
        at_step_begin_.push_back(one.work);
    }
    watch_hold();
    spare_.assign(watched_.size(), 0.0);
    if (!mode_model.control_set) return;
    const ControlSet& set = *mode_model.control_set;
    using What = Watched::What;
    for (std::size_t i = 0; i < set.limits.size(); ++i) {
        if (set.limits[i] != 0) continue;
        if (mode_model.model.actuators[i].low) watched_.push_back({What::low, i});
        if (mode_model.model.actuators[i].high) watched_.push_back({What::high, i});
    }
    for (std::size_t row = 0; row < set.rows.size(); ++row)
        if (set.rows[row] == ControlSet::Row::idle) watched_.push_back({What::row, row});
    spare_.assign(watched_.size(), 0.0);
}

/// Where as many efforts are free as requirements are met, det(C R) changes its sign at a singular
/// position. With more efforts a motion does not meet one by chance, and with fewer not all is in
/// reach anyway.
void ControlMonitor::watch_hold() {
    const Model& model = mode_model_.model;
    if (!controller_.solution()) return;  // replayed
    // What a closed contact forbids is met while it asks for nothing; then the contact may have to
    // open or to slip.
    if (controller_.contacts_give()) watched_.push_back({Watched::What::met});
    if (std::any_of(model.controls.begin(), model.controls.end(),
                    [](const Control& c) { return c.nearest; }))
        return;
    for (std::size_t row = 0; row < model.requirements.size(); ++row)
        if (!mode_model_.control_set ||
            mode_model_.control_set->rows[row] == ControlSet::Row::bound)
            held_rows_.push_back(row);
    for (std::size_t i = 0; i < model.actuators.size(); ++i)
        if (!mode_model_.control_set || mode_model_.control_set->limits[i] == 0)
            free_efforts_.push_back(i);
    if (!held_rows_.empty() && held_rows_.size() == free_efforts_.size())
        watched_.push_back({Watched::What::hold});
}

bool ControlMonitor::is_hold(std::size_t i) const {
    return i >= contacts_.count() && i < count() &&
           watched_[i - contacts_.count()].what == Watched::What::hold;
}

/// det of C R at the state of the last solve; NaN where there is none.
double ControlMonitor::orientation(const State& state) {
    const Matrix all = controller_.responses(state, equations_);
    if (all.rows() == 0) return NAN;
    const std::size_t k = held_rows_.size();
    Matrix T(k, k);
    for (std::size_t r = 0; r < k; ++r)
        for (std::size_t j = 0; j < k; ++j) T(r, j) = all(held_rows_[r], free_efforts_[j]);
    return determinant(std::move(T));
}

bool ControlMonitor::solve(const State& state, Deciding deciding) {
    assembler_.equations(state, equations_);
    return !assembler_.not_finite() && controller_.run(state, equations_, deciding) == Outcome::ok;
}

double ControlMonitor::value_of(const Watched& one, const State& state) {
    if (one.what == Watched::What::hold) return side_ == 0.0 ? 1.0 : side_ * orientation(state);
    if (one.what == Watched::What::met) {
        const std::vector<int> now = missed_sides();
        for (std::size_t i = 0; i < missed_at_begin_.size(); ++i)  // none before `begin`
            if (missed_at_begin_[i] != unclear && missed_at_begin_[i] != now[i]) return -1.0;
        return 1.0;
    }
    const Actuators& actuators = controller_.actuators();
    const double effort = one.what == Watched::What::row ? 0.0 : controller_.efforts()[one.number];
    if (one.what == Watched::What::low) return effort - actuators.low[one.number];
    if (one.what == Watched::What::high) return actuators.high[one.number] - effort;
    const auto& acceleration = controller_.solution()->acceleration;
    double value = -controller_.required_values()[one.number];
    for (std::size_t j = 0; j < acceleration.size(); ++j)
        value += controller_.required_rows()(one.number, j) * acceleration[j];
    return mode_model_.model.requirements[one.number].sense == ConstraintRow::Sense::at_most
               ? -value
               : value;
}

std::vector<int> ControlMonitor::missed_sides() const {
    std::vector<int> sides;
    for (const double missed : controller_.solution()->missed)
        sides.push_back(missed > 0.0 ? 1 : missed < 0.0 ? -1 : 0);
    return sides;
}

bool ControlMonitor::misses_little(std::size_t row) const {
    const auto& acceleration = controller_.solution()->acceleration;
    double scale = std::abs(controller_.required_values()[row]);
    for (std::size_t j = 0; j < acceleration.size(); ++j)
        scale += std::abs(controller_.required_rows()(row, j) * acceleration[j]);
    return std::abs(controller_.solution()->missed[row]) <= moment * scale;
}

/// What its rounding is relative to.
double ControlMonitor::scale_of(const Watched& one) const {
    if (one.what == Watched::What::hold || one.what == Watched::What::met) return 1.0;
    double scale = 0.0;
    if (one.what == Watched::What::row) {
        const auto& acceleration = controller_.solution()->acceleration;
        scale = std::abs(controller_.required_values()[one.number]);
        for (std::size_t j = 0; j < acceleration.size(); ++j)
            scale += std::abs(controller_.required_rows()(one.number, j) * acceleration[j]);
        return scale;
    }
    for (const double effort : controller_.efforts()) scale = std::max(scale, std::abs(effort));
    return scale;
}

void ControlMonitor::begin(const State& state) {
    contacts_.begin(state);
    note_extremes(state);
    if (watched_.empty() || !solve(state, Deciding::as_in_force)) return;
    missed_at_begin_ = missed_sides();
    // An effort that has just come to its limit misses next to nothing, of either sign, or nothing
    // yet.
    expected_.resize(missed_at_begin_.size(), 0.0);
    for (std::size_t i = 0; i < missed_at_begin_.size(); ++i)
        if ((missed_at_begin_[i] != 0 || expected_[i] != 0.0) && misses_little(i))
            missed_at_begin_[i] = unclear;
    // Where a contact holds a requirement there is no hold to lose.
    const bool has_hold = !held_rows_.empty() && held_rows_.size() == free_efforts_.size();
    if (has_hold)
        side_ = controller_.solution()->rank < held_rows_.size() ? 0.0 : 1.0 / orientation(state);
    // The mode was chosen for what comes a moment later: here a value may still be a little below
    // zero.
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        const double lacks = std::max(0.0, -value_of(watched_[i], state));
        if (lacks <= moment * scale_of(watched_[i])) spare_[i] = lacks;
    }
}

void ControlMonitor::values(const State& state, std::span<Rounded> out) {
    contacts_.values(state, out.first(contacts_.count()));
    if (watched_.empty()) return;
    const bool solved = solve(state, Deciding::as_in_force);
    // 1e-14: a solve, a hundred roundings (as forces in ContactMonitor::values).
    for (std::size_t i = 0; i < watched_.size(); ++i)
        out[contacts_.count() + i] = solved ? Rounded(value_of(watched_[i], state) + spare_[i],
                                                      1e-14 * scale_of(watched_[i]))
                                            : Rounded(NAN, 0.0);
}

double ControlMonitor::value(const State& state, std::size_t i) {
    if (i < contacts_.count()) return contacts_.value(state, i);
    i -= contacts_.count();
    return solve(state, Deciding::as_in_force) ? value_of(watched_[i], state) + spare_[i] : NAN;
}

bool ControlMonitor::lasts(const State& state, std::span<const double> added) {
    if (!contacts_.lasts(state, added)) return false;
    if (!mode_model_.control_set || !added.empty()) return true;
    if (!solve(state, Deciding::as_in_force)) return false;
    const std::vector<double> in_force = controller_.efforts();
    if (!solve(state, Deciding::anew)) return false;
    // What just fails to reach counts as met, with efforts beyond their limits by as little: what
    // acts are the limits, as in force.
    controller_.cut_at_limits();
    double largest = 0.0, change = 0.0;
    for (std::size_t i = 0; i < in_force.size(); ++i) {
        largest = std::max(largest, std::abs(in_force[i]));
        change = std::max(change, std::abs(in_force[i] - controller_.efforts()[i]));
    }
    // Of the largest effort: both are least squares over some tens of rows, right to 1e-10 or
    // better.
    constexpr double same = 1e-8;
    return change <= same * largest || change == 0.0;
}

/// What the plant does with the efforts at a state; empty reports where there are none.
Evaluation ControlMonitor::evaluation(const State& state) {
    Evaluation at;
    if (!solve(state, Deciding::as_in_force)) return at;
    controller_.cut_at_limits();
    at.M = equations_.M;
    for (std::size_t i = 0; i < equations_.Q.size(); ++i) equations_.Q[i] += controller_.force()[i];
    const std::vector<double> moves = acceleration(state);
    if (!moves.empty()) report_controls(controller_, state, moves, at);
    return at;
}

/// Of the plant under the forces of the last solve; empty where there is none.
std::vector<double> ControlMonitor::acceleration(const State& state) {
    if (loads_.is_empty())
        return lacon::solve({equations_.M, equations_.Q, equations_.A, equations_.b}, options_)
            .acceleration;
    ConstrainedFactor factor;
    if (factor.factor(equations_.M, equations_.A, options_) != Outcome::ok) return {};
    Loads::Answer answer = loads_.solve(assembler_, state, equations_, factor);
    return answer.outcome == Outcome::ok ? std::move(answer.x) : std::vector<double>{};
}

ControlMonitor::Rates ControlMonitor::rates(const State& state) {
    Rates rates(2 * account_.size(), NAN);  // not known where there are no efforts
    const Evaluation at = evaluation(state);
    for (std::size_t k = 0; k < at.controls.size(); ++k) {
        rates[2 * k] = at.controls[k].cost;
        rates[2 * k + 1] = at.controls[k].power;
    }
    return rates;
}

ControlMonitor::Rates ControlMonitor::integral(const Path& path, const Clock& begin,
                                               double length) {
    Rates sum(2 * account_.size(), 0.0);
    quadrature(path, begin, length, [&](const State& state, double weight) {
        const Rates at = rates(state);
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += weight * at[k];
    });
    return sum;
}

void ControlMonitor::note(const Path& path, const Clock& begin, const State& end) {
    contacts_.note(path, begin, end);
    path_ = path;
    step_begin_ = begin;
    for (std::size_t k = 0; k < account_.size(); ++k) {
        at_step_begin_[2 * k] = account_[k].effort;
        at_step_begin_[2 * k + 1] = account_[k].work;
    }
    const Rates more = integral(path, begin, path.length);
    for (std::size_t k = 0; k < account_.size(); ++k) {
        account_[k].effort += more[2 * k];
        account_[k].work += more[2 * k + 1];
    }
    note_extremes(end);
    forget_spare(end);
}

/// What was beyond its limit by rounding where the mode began, and has come within, has nothing to
/// spare any more: else the next time at the limit would be found by as much too late.
void ControlMonitor::forget_spare(const State& state) {
    const auto is_unclear = [](int side) { return side == unclear; };
    if (std::any_of(missed_at_begin_.begin(), missed_at_begin_.end(), is_unclear) &&
        solve(state, Deciding::as_in_force)) {
        const std::vector<int> now = missed_sides();
        for (std::size_t i = 0; i < now.size(); ++i)
            if (is_unclear(missed_at_begin_[i]) && !misses_little(i)) missed_at_begin_[i] = now[i];
    }
    if (std::all_of(spare_.begin(), spare_.end(), [](double x) { return x == 0.0; })) return;
    if (!solve(state, Deciding::as_in_force)) return;
    for (std::size_t i = 0; i < watched_.size(); ++i)
        if (spare_[i] > 0.0 && value_of(watched_[i], state) > spare_[i]) spare_[i] = 0.0;
}

void ControlMonitor::note_extremes(const State& state) {
    const Evaluation at = evaluation(state);
    const auto note = [&](double value, double& most, double& when) {
        if (!(value > most)) return;
        most = value;
        when = state.t;
    };
    for (std::size_t k = 0; k < at.controls.size(); ++k) {
        double force = 0.0, error = 0.0, missed = 0.0;
        for (const double f : at.controls[k].force) force += f * f;
        for (const ControlReport::Row& row : at.controls[k].rows) {
            error += row.error * row.error;
            missed += row.missed * row.missed;
        }
        MotionSummary::Control& one = account_[k];
        if (one.name.empty()) {
            one.name = at.controls[k].name;
            one.error_first = std::sqrt(error);
        }
        one.error_last = std::sqrt(error);
        note(std::sqrt(force), one.force_most, one.force_most_t);
        note(std::sqrt(error), one.error_most, one.error_most_t);
        note(std::sqrt(missed), one.missed_most, one.missed_most_t);
    }
}

void ControlMonitor::row(const State& state, std::span<double> out) {
    const double length = path_.at ? Clock{state.t, 0.0}.since(step_begin_) : 0.0;
    const Rates more = length > 0.0 ? integral(path_, step_begin_, std::min(length, path_.length))
                                    : Rates(2 * out.size(), 0.0);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = at_step_begin_[2 * k] + more[2 * k];
}

}  // namespace lacon::hybrid
