// A phase of a run whose constraints change on the way: how it begins, what ends it.
#include <algorithm>
#include <cmath>
#include <optional>

#include "driver/choose.hpp"
#include "driver/integrate.hpp"
#include "methods/methods.hpp"
#include "state/evaluate.hpp"

namespace lacon {

bool Integration::enter(Snapshot snapshot, const Entry& entry) {
    std::vector<MotionEvent> events = std::move(snapshot.summary.events);
    take_over(snapshot);
    summary_.events = std::move(events);
    noise_.renew(field_, summary_.steps, summary_.rejected);
    first_step_ = entry.first_step;
    if (snapshot.dense) usual_strength_ = snapshot.usual_strength;
    State settled = landed_;
    settled.t += entry.nudge;
    for (std::size_t i = 0; i < settled.q.size(); ++i) settled.q[i] += entry.nudge * settled.v[i];
    watch_.settle(settled);
    for (std::size_t i = 0; i < details_.model.events.size() && i < snapshot.sides.size(); ++i)
        watch_.sides_[field_.smooth.branch_count + i] = snapshot.sides[i];
    if (const Outcome outcome = there_->project(landed_); outcome != Outcome::ok)
        return fail_with_reason(
            landed_, {outcome, "the state cannot be brought to the constraints in force", {}});
    take_method(choose_method(field_, landed_, plan_));
    summary_.code = {};
    if (!plan_.options.interpret)
        kernel_ = choose_kernel(evaluate_without_outputs(details_, landed_, plan_.options.solve));
    compile();
    method_ = make_method(summary_.method, field_, plan_);
    method_->rejected = summary_.rejected;
    stepper_ = method_.get();
    begins_stiff_ = entry.is_stiff && method_->adaptive_order() > 0;
    if (begins_stiff_ && summary_.method != "radau") {
        // What begins to slide is far slower than a coarse tolerance; its direction still decides
        // what comes.
        const double tolerance = std::clamp(plan_.tolerance, 1e-12, 1e-10);
        starter_ = make_radau(field_, {tolerance, plan_.step, plan_.series_tolerance, entry.still});
        stepper_ = starter_.get();
    }
    note_residuals(*there_);
    if (fast_ && is_taylor()) set_next_base(base_->time);
    else if (!prepare(base_->time, true)) return cannot_continue();
    commit();
    field_.counters = {summary_.evaluations, summary_.factorizations};
    const std::size_t rank = here_->factor().rank();
    const Energies energies = field_.assembler.energies(base_->state);
    if (strength_) strength_->begin(base_->state);
    if (next_row_ == 0) note_first(energies);
    summary_.rank_min = std::min(summary_.rank_min, rank);
    summary_.rank_max = std::max(summary_.rank_max, rank);
    note_energy(energies, base_->state);
    if (monitors_) begin_monitors();
    return true;
}

/// The end of a phase, for the next one to begin with; `landed` is the state as it lies on the
/// constraints of this one.
Snapshot Integration::handover() {
    std::vector<MotionEvent> events = std::move(summary_.events);
    summary_.events.clear();
    Snapshot snapshot = this->snapshot();
    snapshot.summary.events = std::move(events);
    snapshot.landed = base_->state;
    snapshot.modes.clear();
    snapshot.memory.clear();
    snapshot.trail.clear();
    const auto first =
        watch_.sides_.begin() + static_cast<std::ptrdiff_t>(field_.smooth.branch_count);
    snapshot.sides.assign(first, first + static_cast<std::ptrdiff_t>(details_.model.events.size()));
    return snapshot;
}

namespace {

/// Looks within a step for another verdict of the laws of contact (Monitors::lasts), where there is
/// no value whose sign would tell.
///
/// The forces that contacts can exert together are a convex cone. So between two places at which
/// the verdict is good it is good all along, if the resultant of the forces goes straight from one
/// to the other. If it goes in a parabola it stays within the triangle of its ends and the point
/// twice as far off the chord as its middle: then one more verdict, for that point, is enough. The
/// step is cut into pieces that are parabolas but for little. Pieces whose triangle leaves the cone
/// are halved, so there are many only where the forces come close to its border.
class VerdictSearch {
public:
    struct Place {
        double tau;
        Monitors::Ground ground;
    };
    struct Bracket {
        double good, bad;
    };

    VerdictSearch(Monitors& monitors, const StepPath& path, const Clock& begin)
        : monitors_(monitors), path_(path), begin_(begin) {}

    bool lasts(double tau, std::span<const double> added = {}) {
        return monitors_.lasts(state_at(tau), added);
    }
    /// Within a part of the step whose features (locate/features.hpp) are resolved.
    std::optional<Bracket> search(double from, double to, int depth = 0);

private:
    static constexpr int most_halvings = 12;
    // In parts of the largest force, or of 1 in the cone:
    static constexpr double resolved = 1e-4;   // what a fit may be off, as a check of its degree
    static constexpr double same = 1e-9;       // a change of rounding: one verdict will do
    static constexpr double straight = 1e-8;   // a bend that forces are hardly known to
    static constexpr double steady = 0.02;     // the most that a cone may bend within a piece
    static constexpr double turned = 0.3;      // the most that it may turn
    static constexpr double cubic = 0.25;      // what is no parabola, in parts of its bend
    static constexpr double safety = 2.0;      // for the rest: the triangle is made so much higher
    static constexpr int most_verdicts = 400;  // in a part; beyond, a graze of no depth goes on

    const State& state_at(double tau) {
        path_.at(tau, state_);
        state_.t = begin_.after(tau).now();
        return state_;
    }
    bool ground_at(double tau, Place& out) {
        out.tau = tau;
        return monitors_.ground(state_at(tau), out.ground);
    }
    enum class Kind { constant, resolved, rough, unknown };
    Kind kind_of(double from, double to);
    std::optional<Bracket> pieces(const Place& from, const Place& to, int depth);
    bool is_parabola(const Place& a, const Place& m, const Place& b);

    Monitors& monitors_;
    const StepPath& path_;
    const Clock& begin_;
    State state_;
    double size_ = 0.0;  // the largest of the resultant
    int verdicts_ = 0;
};

/// How far the value in the middle is off the mean of those at the ends, the largest.
double bend(const std::vector<double>& a, const std::vector<double>& m,
            const std::vector<double>& b) {
    double most = 0.0;
    for (std::size_t i = 0; i < m.size(); ++i)
        most = std::max(most, std::abs(m[i] - 0.5 * (a[i] + b[i])));
    return most;
}

double change(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

VerdictSearch::Kind VerdictSearch::kind_of(double from, double to) {
    const std::vector<double> nodes = ChebyshevFit::nodes(to - from);
    std::vector<Place> places(nodes.size());
    double changes = 0.0, turns = 0.0;
    // A look at a few places first: most often nothing changes at all.
    const std::size_t few[] = {0, nodes.size() - 1, 5, 9, 12};
    const auto look = [&](std::size_t j) {
        if (!ground_at(from + nodes[j], places[j])) return false;
        for (const double x : places[j].ground.resultant) size_ = std::max(size_, std::abs(x));
        changes = std::max(changes, change(places[0].ground.resultant, places[j].ground.resultant));
        turns = std::max(turns, change(places[0].ground.cone, places[j].ground.cone));
        return true;
    };
    for (const std::size_t j : few)
        if (!look(j)) return Kind::unknown;
    if (changes <= same * size_ && turns <= same) return Kind::constant;
    for (std::size_t j = 0; j < nodes.size(); ++j)
        if (places[j].ground.resultant.empty() && !look(j)) return Kind::unknown;
    std::vector<double> values(nodes.size());
    const auto fits = [&](std::vector<double> Monitors::Ground::*part, double size) {
        for (std::size_t i = 0; i < (places[0].ground.*part).size(); ++i) {
            for (std::size_t j = 0; j < nodes.size(); ++j) values[j] = (places[j].ground.*part)[i];
            if (!ChebyshevFit(values, to - from, resolved * size).is_resolved()) return false;
        }
        return true;
    };
    return fits(&Monitors::Ground::resultant, size_) && fits(&Monitors::Ground::cone, 1.0)
               ? Kind::resolved
               : Kind::rough;
}

std::optional<VerdictSearch::Bracket> VerdictSearch::search(double from, double to, int depth) {
    if (depth == 0) size_ = 0.0;
    const Kind kind = kind_of(from, to);
    if (kind == Kind::rough && depth < most_halvings) {
        const double middle = 0.5 * (from + to);
        if (const auto found = search(from, middle, depth + 1)) return found;
        return search(middle, to, depth + 1);
    }
    Place a, b;
    if (kind == Kind::resolved && ground_at(from, a) && ground_at(to, b)) {
        verdicts_ = 0;
        return pieces(a, b, 0);
    }
    return lasts(to) ? std::nullopt : std::optional(Bracket{from, to});
}

/// By the values at quarters, which those at the ends and in the middle foretell.
bool VerdictSearch::is_parabola(const Place& a, const Place& m, const Place& b) {
    if (bend(a.ground.cone, m.ground.cone, b.ground.cone) > steady) return false;
    if (change(a.ground.cone, b.ground.cone) > turned) return false;
    const double allowed = std::max(
        straight * size_, cubic * bend(a.ground.resultant, m.ground.resultant, b.ground.resultant));
    Place quarter;
    for (const Place* end : {&a, &b}) {
        const Place& other = end == &a ? b : a;
        if (!ground_at(0.5 * (end->tau + m.tau), quarter)) return false;
        for (std::size_t i = 0; i < quarter.ground.resultant.size(); ++i) {
            const double foretold = 0.375 * end->ground.resultant[i] +
                                    0.75 * m.ground.resultant[i] -
                                    0.125 * other.ground.resultant[i];
            if (!(std::abs(quarter.ground.resultant[i] - foretold) <= allowed)) return false;
        }
    }
    return true;
}

/// The first piece that ends with another verdict; at `from` it is good.
std::optional<VerdictSearch::Bracket> VerdictSearch::pieces(const Place& from, const Place& to,
                                                            int depth) {
    constexpr int deepest = 30;
    Place middle;
    const bool known = ground_at(0.5 * (from.tau + to.tau), middle);
    const bool may_halve = known && depth < deepest && verdicts_ < most_verdicts;
    const auto halve = [&]() -> std::optional<Bracket> {
        if (auto found = pieces(from, middle, depth + 1)) return found;
        return pieces(middle, to, depth + 1);
    };
    if (may_halve && !is_parabola(from, middle, to)) return halve();
    ++verdicts_;
    if (!lasts(to.tau)) return Bracket{from.tau, to.tau};
    if (!may_halve) return {};
    const auto &a = from.ground.resultant, &m = middle.ground.resultant, &b = to.ground.resultant;
    if (bend(a, m, b) <= straight * size_) return {};
    std::vector<double> added(m.size());  // what acts less is exerted more
    for (std::size_t i = 0; i < m.size(); ++i) added[i] = -safety * (m[i] - 0.5 * (a[i] + b[i]));
    ++verdicts_;
    if (lasts(middle.tau, added)) return {};
    return halve();
}

}  // namespace

/// Where the laws of contact give another verdict within the step, up to its first crossing, that
/// is found by halving.
void Integration::note_verdict(std::vector<Crossing>& crossings) {
    if (!monitors_ || !monitors_->has_verdict()) return;
    const auto first = std::find_if(crossings.begin(), crossings.end(),
                                    [this](const Crossing& c) { return watch_.ends_step(c); });
    const StepPath path{[this](double tau, State& out) { stepper_->at(tau, out); },
                        stepper_->length()};
    VerdictSearch verdicts(*monitors_, path, base_->time);
    const double end = first == crossings.end() ? path.length : (1.0 - 1e-9) * first->tau;
    if (!(end > 0.0)) return;
    std::optional<VerdictSearch::Bracket> found;
    // Behind a decision that has turned the verdict before it says nothing.
    if (const double behind = 1e-9 * end; verdict_is_old_ && !verdicts.lasts(behind))
        found = VerdictSearch::Bracket{0.0, behind};
    verdict_is_old_ = false;
    for (double from = 0.0; !found && from < end;) {
        const double to = resolved_from(from, end);
        found = verdicts.search(from, to);
        from = to;
    }
    if (!found) return;
    double good = found->good, bad = found->bad;
    while (bad - good > 1e-13 * (path.length + std::abs(base_->time.now()))) {
        const double middle = 0.5 * (good + bad);
        (verdicts.lasts(middle) ? good : bad) = middle;
    }
    crossings.insert(std::find_if(crossings.begin(), crossings.end(),
                                  [&](const Crossing& c) { return c.tau > bad; }),
                     {Crossing::Kind::monitor, monitors_->count(), bad, -1});
}

/// How far from a place of the step the features of the equations are told by what is there: forces
/// of constraint may change where accelerations do not.
double Integration::resolved_from(double from, double end) {
    if (features_.is_empty()) return end;
    const StepPath::At at = [&](double tau, State& out) { stepper_->at(from + tau, out); };
    const std::size_t order = std::max<std::size_t>(stepper_->adaptive_order(), 8);
    constexpr double least = 1e-6;  // of the step: below it a feature is a jump
    for (double length = end - from; length > least * end; length *= 0.25)
        if (const double clear = features_.resolved({at, length}, base_->time.after(from), order);
            clear > 0.0)
            return length == end - from && clear == length ? end : from + clear;
    return std::min(end, from + least * end);
}

/// All monitors that fall below zero at this time, but for rounding.
void Integration::take_hits(const std::vector<Crossing>& crossings, double tau) {
    const double rounding = 1e-12 * (stepper_->length() + std::abs(base_->time.now()));
    for (const Crossing& c : crossings)
        if (c.kind == Crossing::Kind::monitor && std::abs(c.tau - tau) <= rounding)
            hit_.push_back(c.number);
    ended_ = true;
}

}  // namespace lacon
