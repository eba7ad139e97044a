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

ControlMonitor::ControlMonitor(const DerivedModel& mode_model, ContactMonitor& contacts,
                               const SolveOptions& options, ControlBooks::Account& account)
    : mode_model_(mode_model),
      contacts_(contacts),
      plant_(mode_model, options),
      books_(plant_, account) {
    watch_hold();
    if (mode_model.control_set) watch_set(*mode_model.control_set);
    // Behind all others: checkpoints of earlier versions do not have them.
    for (std::size_t i = 0; turns_ && i < turns_->count(); ++i)
        watched_.push_back({Watched::What::turn, i});
    spare_.assign(watched_.size(), 0.0);
}

void ControlMonitor::watch_set(const ControlSet& set) {
    using What = Watched::What;
    const Model& model = mode_model_.model;
    for (std::size_t i = 0; i < set.limits.size(); ++i) {
        if (set.limits[i] != 0) continue;
        if (model.actuators[i].low) watched_.push_back({What::low, i});
        if (model.actuators[i].high) watched_.push_back({What::high, i});
    }
    for (std::size_t row = 0; row < set.rows.size(); ++row)
        if (set.rows[row] == ControlSet::Row::idle) watched_.push_back({What::row, row});
}

/// Where as many efforts are free as requirements are met, det(C R) changes its sign at a singular
/// position. With more efforts a motion does not meet one by chance, and with fewer not all is in
/// reach anyway.
void ControlMonitor::watch_hold() {
    const Model& model = mode_model_.model;
    if (!controller().solution()) return;  // replayed
    // What a closed contact forbids is met while it asks for nothing; then the contact may have to
    // open or to slip. With a decision the requirement may begin to ask for something, and at first
    // with a power of time that is nothing: the laws look ahead of it (hybrid/lifts.cpp).
    if (controller().contacts_give()) watched_.push_back({Watched::What::met});
    if (controller().contacts_give() || (mode_model_.whole && mode_model_.whole->has_contacts()))
        turns_.emplace(controller());
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

bool ControlMonitor::is_turn(std::size_t i) const {
    return i >= contacts_.count() && i < count() &&
           watched_[i - contacts_.count()].what == Watched::What::turn;
}

/// det of C R at the state of the last solve; NaN where there is none.
double ControlMonitor::orientation(const State& state) {
    const Matrix all = plant_.responses(state);
    if (all.rows() == 0) return NAN;
    const std::size_t k = held_rows_.size();
    Matrix T(k, k);
    for (std::size_t r = 0; r < k; ++r)
        for (std::size_t j = 0; j < k; ++j) T(r, j) = all(held_rows_[r], free_efforts_[j]);
    return determinant(std::move(T));
}

double ControlMonitor::value_of(const Watched& one, const State& state) {
    if (one.what == Watched::What::hold) return side_ == 0.0 ? 1.0 : side_ * orientation(state);
    if (one.what == Watched::What::turn) {
        turns_->look(state);
        return turns_->value(one.number).value;
    }
    if (one.what == Watched::What::met) {
        const std::vector<int> now = missed_sides();
        for (std::size_t i = 0; i < missed_at_begin_.size(); ++i)  // none before `begin`
            if (missed_at_begin_[i] != unclear && missed_at_begin_[i] != now[i]) return -1.0;
        return 1.0;
    }
    const Actuators& actuators = controller().actuators();
    const double effort = one.what == Watched::What::row ? 0.0 : controller().efforts()[one.number];
    if (one.what == Watched::What::low) return effort - actuators.low[one.number];
    if (one.what == Watched::What::high) return actuators.high[one.number] - effort;
    const auto& acceleration = controller().solution()->acceleration;
    double value = -controller().required_values()[one.number];
    for (std::size_t j = 0; j < acceleration.size(); ++j)
        value += controller().required_rows()(one.number, j) * acceleration[j];
    return mode_model_.model.requirements[one.number].sense == ConstraintRow::Sense::at_most
               ? -value
               : value;
}

std::vector<int> ControlMonitor::missed_sides() const {
    std::vector<int> sides;
    for (const double missed : controller().solution()->missed)
        sides.push_back(missed > 0.0 ? 1 : missed < 0.0 ? -1 : 0);
    return sides;
}

bool ControlMonitor::misses_little(std::size_t row) const {
    const auto& acceleration = controller().solution()->acceleration;
    double scale = std::abs(controller().required_values()[row]);
    for (std::size_t j = 0; j < acceleration.size(); ++j)
        scale += std::abs(controller().required_rows()(row, j) * acceleration[j]);
    return std::abs(controller().solution()->missed[row]) <= moment * scale;
}

/// What its rounding is relative to.
double ControlMonitor::scale_of(const Watched& one) const {
    if (one.what == Watched::What::hold || one.what == Watched::What::met) return 1.0;
    if (one.what == Watched::What::turn) return 1e14 * turns_->value(one.number).error;
    double scale = 0.0;
    if (one.what == Watched::What::row) {
        const auto& acceleration = controller().solution()->acceleration;
        scale = std::abs(controller().required_values()[one.number]);
        for (std::size_t j = 0; j < acceleration.size(); ++j)
            scale += std::abs(controller().required_rows()(one.number, j) * acceleration[j]);
        return scale;
    }
    for (const double effort : controller().efforts()) scale = std::max(scale, std::abs(effort));
    return scale;
}

void ControlMonitor::begin(const State& state) {
    contacts_.begin(state);
    if (turns_) turns_->note(state);
    books_.note_extremes(state);
    if (watched_.empty() || !plant_.solve(state, Deciding::as_in_force)) return;
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
        side_ = controller().solution()->rank < held_rows_.size() ? 0.0 : 1.0 / orientation(state);
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
    const bool solved = plant_.solve(state, Deciding::as_in_force);
    for (std::size_t i = 0; i < watched_.size(); ++i)
        out[contacts_.count() + i] = solved ? Rounded(value_of(watched_[i], state) + spare_[i],
                                                      1e-14 * scale_of(watched_[i]))
                                            : Rounded(NAN, 0.0);
}

double ControlMonitor::value(const State& state, std::size_t i) {
    if (i < contacts_.count()) return contacts_.value(state, i);
    i -= contacts_.count();
    return plant_.solve(state, Deciding::as_in_force) ? value_of(watched_[i], state) + spare_[i]
                                                      : NAN;
}

bool ControlMonitor::lasts(const State& state, std::span<const double> added) {
    if (!contacts_.lasts(state, added)) return false;
    if (!added.empty()) return true;
    return (!mode_model_.control_set || sets_last(state)) &&
           (!controller().contacts_give() || !is_undercut(state));
}

/// What misses nothing and costs nothing cannot be better.
bool ControlMonitor::is_undercut(const State& state) {
    if (!plant_.solve(state, Deciding::as_in_force) || !controller().solution()) return false;
    Contacts::Price price{0.0, controller().solution()->cost};
    for (const double missed : controller().solution()->missed) price.missed += missed * missed;
    return (price.missed > 0.0 || price.cost > 0.0) && contacts_.is_undercut(state, price);
}

bool ControlMonitor::sets_last(const State& state) {
    if (!plant_.solve(state, Deciding::as_in_force)) return false;
    const std::vector<double> in_force = controller().efforts();
    if (!plant_.solve(state, Deciding::anew)) return false;
    // What just fails to reach counts as met, with efforts beyond their limits by as little: what
    // acts are the limits, as in force.
    controller().cut_at_limits();
    double largest = 0.0, change = 0.0;
    for (std::size_t i = 0; i < in_force.size(); ++i) {
        largest = std::max(largest, std::abs(in_force[i]));
        change = std::max(change, std::abs(in_force[i] - controller().efforts()[i]));
    }
    // Of the largest effort: both are least squares over some tens of rows, right to 1e-10 or
    // better.
    constexpr double same = 1e-8;
    return change <= same * largest || change == 0.0;
}

void ControlMonitor::note(const Path& path, const Clock& begin, const State& end) {
    contacts_.note(path, begin, end);
    books_.note_step(path, begin);
    books_.note_extremes(end);
    forget_spare(end);
    if (turns_) turns_->note(end);
}

/// What was beyond its limit by rounding where the mode began, and has come within, has nothing to
/// spare any more: else the next time at the limit would be found by as much too late.
void ControlMonitor::forget_spare(const State& state) {
    const auto is_unclear = [](int side) { return side == unclear; };
    if (std::any_of(missed_at_begin_.begin(), missed_at_begin_.end(), is_unclear) &&
        plant_.solve(state, Deciding::as_in_force)) {
        const std::vector<int> now = missed_sides();
        for (std::size_t i = 0; i < now.size(); ++i)
            if (is_unclear(missed_at_begin_[i]) && !misses_little(i)) missed_at_begin_[i] = now[i];
    }
    if (std::all_of(spare_.begin(), spare_.end(), [](double x) { return x == 0.0; })) return;
    if (!plant_.solve(state, Deciding::as_in_force)) return;
    for (std::size_t i = 0; i < watched_.size(); ++i)
        if (spare_[i] > 0.0 && value_of(watched_[i], state) > spare_[i]) spare_[i] = 0.0;
}

}  // namespace lacon::hybrid
