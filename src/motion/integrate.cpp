#include "motion/integrate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/text.hpp"
#include "expr/traverse.hpp"
#include "motion/choose.hpp"
#include "motion/evaluate.hpp"
#include "motion/methods.hpp"
#include "motion/verdict.hpp"
#include "solve/dependence.hpp"

namespace lacon {

namespace {

std::vector<Expr> output_expressions(const Model& model) {
    std::vector<Expr> expressions;
    for (const Output& output : model.outputs) expressions.push_back(output.value);
    return expressions;
}

FieldOptions field_options(const RunPlan& plan) {
    return {plan.options.solve, plan.options.stabilize == Stabilize::baumgarte ? plan.options.baumgarte : 0.0};
}

/// Whether energy is conserved as far as the form of the model shows: no forces but potentials, no explicit time, and constraints
/// on positions only.
bool is_conservative(const SystemDetails& details) {
    const Model& model = details.model;
    if (!model.forces.empty() || !model.particle_forces.empty() || !model.dissipation.empty() || !model.equations.empty())
        return false;
    for (const Level level : details.system.levels)
        if (level != Level::position) return false;
    for (const bool stabilized : details.system.stabilized)
        if (stabilized) return false;
    for (const Shape& shape : details.system.shapes)
        for (const auto* values : {&shape.dynamics.values, &shape.residuals.values, &shape.energies.values})
            for (const Expr e : *values)
                if (depends_on(details.system.graph, e, {&details.system.t, 1})) return false;
    return true;
}

}  // namespace

Integration::Integration(const SystemDetails& details, RunPlan plan, const std::vector<StartOverride>& start, RowSink sink)
    : details_(details),
      plan_(std::move(plan)),
      overrides_(start),
      sink_(std::move(sink)),
      field_(details, field_options(plan_)),
      watch_(field_, plan_.options.solve),
      passages_(field_),
      outputs_(details, output_expressions(details.model)),
      conservative_(is_conservative(details)) {
    const bool moves = plan_.options.stabilize == Stabilize::project;
    for (auto* projector : {&here_, &there_, &beside_}) *projector = std::make_unique<Projector>(field_, moves);
    names_.push_back("t");
    for (const std::string& name : details.coordinate_names) names_.push_back(name);
    for (const std::string& name : details.coordinate_names) names_.push_back(name + "'");
    for (const Output& output : details.model.outputs) names_.push_back(output.name);
    row_.resize(names_.size());
    summary_.tolerance = plan_.tolerance;
    summary_.begin = plan_.begin;
    summary_.end = plan_.end;
    summary_.every = plan_.every;
}

Integration::~Integration() = default;

// ---- beginning

bool Integration::begin() {
    start_ = consistent_start(details_, overrides_, plan_.options.solve, plan_.begin);
    base_ = std::make_unique<Base>(Base{{plan_.begin, 0.0}, start_.state, *here_});
    if (!start_.status) return fail(start_.state, start_.status);
    watch_.settle(start_.state);
    landed_raw_ = landed_ = start_.state;
    const Outcome outcome = there_->project(landed_);
    if (outcome != Outcome::ok)
        return fail_with_reason(start_.state, {outcome, "the start state cannot be brought to the constraints", {}});
    if (!is_consistent(landed_))
        return fail_with_reason(landed_, {Outcome::conflict, "the constraints conflict at the start", {}});
    const MethodChoice choice = choose_method(field_, landed_, plan_);
    summary_.method = choice.name;
    summary_.why = choice.why;
    method_ = make_method(choice.name, field_, plan_);
    stepper_ = method_.get();
    if (!prepare(base_->time, true)) return cannot_continue();
    commit();
    summary_.rank_first = summary_.rank_min = summary_.rank_max = here_->factor().rank();
    const Energies energies = field_.assembler.energies(base_->state);
    potential_low_ = potential_high_ = energies.potential;
    summary_.energy_first = energies.kinetic + energies.potential;
    note_energy(base_->state);
    give_row(base_->state);
    next_row_ = 1;
    return true;
}

bool Integration::resume(const Snapshot& snapshot) {
    base_ = std::make_unique<Base>(Base{snapshot.time, snapshot.landed, *here_});
    summary_ = snapshot.summary;
    seconds_before_ = summary_.wall_seconds;
    field_.counters = {summary_.evaluations, summary_.factorizations};
    field_.assembler.modes = snapshot.modes;
    watch_.sides_ = snapshot.sides;
    next_row_ = snapshot.next_row;
    rows_ = snapshot.rows;
    last_row_ = snapshot.last_row;
    potential_low_ = snapshot.potential_low;
    potential_high_ = snapshot.potential_high;
    kinetic_high_ = snapshot.kinetic_high;
    method_ = make_method(summary_.method, field_, plan_);
    stepper_ = method_.get();
    usual_strength_ = snapshot.usual_strength;
    method_->rejected = summary_.rejected;
    landed_raw_ = landed_ = snapshot.landed;
    if (there_->project(landed_) != Outcome::ok || !prepare(snapshot.time, true)) return cannot_continue();
    commit();
    method_->recall(snapshot.memory);
    field_.counters = {summary_.evaluations, summary_.factorizations};
    return true;
}

Snapshot Integration::snapshot() const {
    return {base_->time, base_raw_,      field_.assembler.modes, watch_.sides_, method_->memory(), next_row_, rows_,
            last_row_,   potential_low_, potential_high_,        kinetic_high_, usual_strength_,   summary()};
}

// ---- one step

bool Integration::step() {
    if (ended_) return false;
    const Clock end{plan_.end, 0.0};
    const double left = end.since(base_->time);
    choose_stepper();
    if (!advance(left)) return cannot_continue();
    if (!plan_passage(left)) return cannot_continue();
    const std::vector<Crossing> crossings = watch_.crossings(*stepper_, base_->time);
    const auto cut = std::find_if(crossings.begin(), crossings.end(), [&](const Crossing& c) {
        return c.kind == Crossing::Kind::surface || (details_.model.events[c.number].stop && !c.touches);
    });
    if (cut != crossings.end() && cut->kind == Crossing::Kind::surface && cut->tau == 0.0) {
        landed_raw_ = base_raw_;
        return turn(*cut, base_->time);
    }
    const double wanted = cut != crossings.end() ? cut->tau : stepper_->length();
    double tau = wanted;
    if (!land(tau, cut != crossings.end())) return false;
    const bool is_cut = cut != crossings.end() && tau == wanted;
    const Clock time = tau == left ? end : base_->time.after(tau);

    const Energies raw = field_.assembler.energies(landed_raw_);
    if (!note_rank(tau) || !note_passages(tau, raw) || !(tau == left || leaves_singular())) return false;
    note_energy(landed_);
    note_residuals(*there_);
    give_rows(tau, crossings);
    ++summary_.steps;
    last_length_ = tau;
    if (is_cut && cut->kind == Crossing::Kind::event) {
        finish(landed_);
        return false;
    }
    if (is_cut) {
        turns_in_place_ = 0;
        return turn(*cut, time);
    }
    turns_in_place_ = 0;
    commit();
    if (tau < left) return true;
    finish(base_->state);
    return false;
}

/// A method that cannot stand near a singular position, where the run began, leaves the step to the Taylor method; that one
/// leaves a step from where its series end (a power that is not whole, at zero) to a Runge–Kutta method.
bool Integration::advance(double left) {
    if (stepper_->advance(left) && (stepper_->length() >= shortest_step() || stepper_->length() >= left)) return true;
    if (stepper_ != backup_.get() && is_taylor() && here_->factor().weakest() > PassageSearch::singular_tol)
        return take_backup(*base_) && stepper_->advance(left) &&
               (stepper_->length() >= shortest_step() || stepper_->length() >= left);
    constexpr double weak = 0.1;
    const bool moves = plan_.options.stabilize == Stabilize::project;
    if (!moves || !is_usual() || is_taylor() || here_->factor().rank() < 2 || here_->factor().weakest() > weak) return false;
    return take_passer() && stepper_->advance(left);
}

/// Finds where the step ends: at `tau`, or before it where the method or the constraints cannot stand there, or where a singular
/// position is too near.
bool Integration::land(double& tau, bool is_cut) {
    const double whole = tau;
    constexpr int most_halvings = 50;
    for (int round = 0; round < most_halvings; ++round, tau *= 0.5) {
        if (!try_landing(tau)) continue;
        const bool at_cut = is_cut && tau == whole;
        if (!is_consistent(landed_)) continue;
        if (at_cut || prepare(base_->time.after(tau), false)) return true;
    }
    return cannot_continue();
}

bool Integration::try_landing(double tau) {
    stepper_->at(tau, landed_raw_);
    landed_raw_.t = base_->time.after(tau).now();
    landed_ = landed_raw_;
    if (there_->project(landed_) != Outcome::ok) return false;
    const bool is_end = base_->time.after(tau).now() >= plan_.end;
    if (is_end && there_->factor().weakest() < weak_direction()) {  // no step follows: as for a row
        State gentle = landed_raw_;
        beside_->added_mass = stepper_->added_mass();
        beside_->weak = weak_direction();
        if (beside_->project(gentle) == Outcome::ok) landed_ = gentle;
    }
    return true;
}

/// Below this a direction of the constraints is so near a singular position that rows are not corrected along it.
double Integration::weak_direction() const {
    return field_.m() < 2 || plan_.options.stabilize != Stabilize::project ? 0.0 : 1e-3 * usual_strength_;
}

/// The true motion is smooth through a singular position, but near one its derivatives are lost in rounding. So a step goes over
/// it from well before to well behind, or ends far enough before it for the next one to do so.
bool Integration::plan_passage(double left) {
    const bool moves = plan_.options.stabilize == Stabilize::project;
    if (!moves || (is_usual() && !is_taylor() && here_->factor().weakest() > 0.7 * usual_strength_)) return true;
    std::optional<double> singular = passages_.ahead(*stepper_, base_->time, *here_, usual_strength_);
    if (singular && is_usual() && !is_taylor()) {
        if (!take_passer() || !stepper_->advance(left)) return false;
        singular = passages_.ahead(*stepper_, base_->time, *here_, usual_strength_);
    }
    if (!singular) return true;
    const double reach = stepper_->reach();
    // How far behind it is enough, and aimed at: in distances before it. Where rounding limits the step already, nearer is worse.
    const double clear = stepper_->length() < 0.9 * reach ? 1.05 : 1.3;
    constexpr double best = 1.7;
    if (reach >= std::min(left, clear * *singular))
        stepper_->set_length(std::max(stepper_->length(), std::min(reach, best * *singular)));
    else stepper_->set_length(std::min(stepper_->length(), std::max(0.05 * stepper_->length(), *singular - 0.5 * reach)));
    return true;
}

/// Near a singular position every method gives way to Taylor steps, which can go over it; behind it, it begins anew.
void Integration::choose_stepper() {
    const double strength = here_->factor().weakest();
    usual_strength_ = std::max(0.999 * usual_strength_, strength);
    const bool moves = plan_.options.stabilize == Stabilize::project;
    const bool near = moves && here_->factor().rank() >= 2 && strength < 0.25 * usual_strength_;
    if (is_taylor()) {
        if (!is_usual() && method_->begin(*base_, true)) stepper_ = method_.get();  // from the backup
        return;
    }
    if (near == !is_usual()) return;
    if (near) take_passer();
    else if (method_->begin(*base_, true)) stepper_ = method_.get();
}

double Integration::shortest_step() const {
    return 1e-15 * (plan_.end - plan_.begin) + 1e-25 * std::abs(base_->time.now());  // the clock is that fine
}

bool Integration::take_backup(const Base& base) {
    if (!backup_) backup_ = make_runge_kutta(dop853(), field_, {std::max(plan_.tolerance, 1e-13), plan_.step});
    if (!backup_->begin(base, true)) return false;
    stepper_ = backup_.get();
    return true;
}

bool Integration::take_passer() {
    if (!passer_) passer_ = make_taylor(field_, {std::min(plan_.tolerance, 1e-10), plan_.step});
    if (!passer_->begin(*base_, true)) return false;
    stepper_ = passer_.get();
    return true;
}

/// The method takes its stand where the step has landed; it still knows the step.
bool Integration::prepare(const Clock& time, bool fresh) {
    next_base_ = std::make_unique<Base>(Base{time, landed_, *there_});
    next_base_->state.t = time.now();
    return stepper_->begin(*next_base_, fresh) || (fresh && is_taylor() && take_backup(*next_base_));
}

void Integration::commit() {
    base_ = std::move(next_base_);
    base_raw_ = landed_raw_;
    std::swap(here_, there_);
}

/// Turns a decision over at the end of a step, or where it began.
bool Integration::turn(const Crossing& crossing, const Clock& time) {
    const auto& first = field_.smooth.first_mode;
    const auto e = static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), crossing.number) - first.begin()) - 1;
    const Element& element = details_.system.elements[e];
    const std::string text =
        text_of(details_, element, field_.smooth.shapes[element.shape].decisions[crossing.number - first[e]]);
    turns_in_place_ = crossing.tau == 0.0 && turned_ == crossing.number ? turns_in_place_ + 1 : 0;
    turned_ = crossing.number;
    if (turns_in_place_ >= 2)
        return fail(base_->state, {Outcome::no_convergence,
                                   fmt::format("the motion slides along '{}' from t = {} on: both sides push it back to the "
                                               "surface, and neither is the motion; smooth the decision, as with tanh(x/eps) for "
                                               "sign(x)",
                                               text, rounded(time.now(), 12)),
                                   {}});
    State before = crossing.tau == 0.0 ? base_->state : landed_;  // on the constraints as they were
    before.t = time.now();
    watch_.pass(crossing);
    if (!summary_.events.empty() && crossing.tau == 0.0 && summary_.events.back().t == time.now() &&
        summary_.events.back().name == text)
        summary_.events.pop_back();  // turned back at once: it did not turn
    else if (time.now() > plan_.begin) summary_.events.push_back({time.now(), "switch", text});
    landed_ = landed_raw_;
    if (there_->project(landed_) != Outcome::ok) return cannot_continue();
    if (!note_jump(before, text)) return false;
    if (!prepare(time, true)) return cannot_continue();
    commit();
    if (Clock{plan_.end, 0.0}.since(base_->time) > 0.0) return true;
    finish(base_->state);
    return false;
}

bool Integration::cannot_continue() {
    const double t = base_->time.now();
    std::string why = fmt::format(
        "no step from t = {} is short enough for the tolerance {}: the accelerations grow without bound "
        "there, or are not smooth",
        rounded(t, 12), rounded(plan_.tolerance, 3));
    if (details_.system.row_count() > 1)
        why += fmt::format("; the weakest direction of the constraints is down to {} of the strongest",
                           rounded(here_->factor().weakest(), 3));
    return fail_with_reason(base_->state, {Outcome::no_convergence, why, {}});
}

// ---- what is noted along the way

std::vector<std::string> Integration::names_of_rows(const std::vector<std::size_t>& rows) const {
    std::vector<std::string> names;
    for (const std::size_t r : rows) names.push_back(details_.constraint_names[r]);
    return names;
}

/// A decision in a constraint may ask for more than it should. A position that has to jump is no motion; a velocity that has to
/// jump is an impact, with the least change in the metric of M.
bool Integration::note_jump(const State& before, const std::string& decision) {
    if (plan_.options.stabilize != Stabilize::project) return true;
    constexpr double jump_tol = 1e-7;  // of the largest coordinate or velocity
    const auto largest = [](const std::vector<double>& a, const std::vector<double>& b) {
        double jump = 0.0, size = 1e-6;
        for (std::size_t i = 0; i < a.size(); ++i) {
            jump = std::max(jump, std::abs(a[i] - b[i]));
            size = std::max(size, std::abs(b[i]));
        }
        return std::pair(jump, jump > jump_tol * size);
    };
    const auto [position, leaps] = largest(before.q, landed_.q);
    const auto [velocity, kicks] = largest(before.v, landed_.v);
    if (!leaps && !kicks) return true;
    Residuals residuals;
    field_.assembler.residuals(before, residuals);
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < field_.m(); ++r) {
        const double off = leaps && details_.system.levels[r] == Level::position ? residuals.value[r] : residuals.velocity[r];
        if (std::abs(off) > jump_tol * (leaps ? position : velocity)) rows.push_back(r);
    }
    const std::vector<std::string> names = names_of_rows(rows);
    if (leaps)
        return fail(
            landed_raw_,
            {Outcome::conflict,
             fmt::format("at the switch '{}' at t = {} constraint {} asks for a jump of the position by {}: no motion does "
                         "that",
                         decision, rounded(before.t, 12), quoted_list(names), rounded(position, 3)),
             names});
    MotionEvent event{before.t, "impact", fmt::format("{}", fmt::join(names, ", "))};
    event.constraints = names;
    summary_.events.push_back(std::move(event));
    return true;
}

/// Where rows depend on each other, whether A q'' = b can still be met.
bool Integration::is_consistent(const State& state) {
    const Projector& at = *there_;
    if (at.factor().rank() == field_.m()) return true;
    std::vector<double> x(field_.n()), lambda(field_.m());
    const Equations& eq = at.equations();
    const double residual = at.factor().solve({eq.M, eq.A, 1}, eq.Q, eq.b, x, lambda);
    if (residual <= 1e-10) return true;
    return evaluate(details_, state, plan_.options.solve).status.outcome != Outcome::conflict;
}

/// A rank that is not what it was: within a step this is a position the step could not keep away from.
bool Integration::note_rank(double tau) {
    const std::size_t before = here_->factor().rank(), behind = there_->factor().rank();
    summary_.rank_min = std::min(summary_.rank_min, behind);
    summary_.rank_max = std::max(summary_.rank_max, behind);
    if (before == behind) return true;
    // Located by halving: the rank is the one decision of the factorization.
    double a = 0.0, b = tau;
    Projector probe(field_, false);
    State state;
    while (b - a > 1e-10 * std::max(1.0, std::abs(base_->time.now()))) {
        const double middle = 0.5 * (a + b);
        stepper_->at(middle, state);
        state.t = base_->time.after(middle).now();
        const bool same = probe.project(state) == Outcome::ok && probe.factor().rank() == before;
        (same ? a : b) = middle;
    }
    MotionEvent event{base_->time.after(b).now(), "rank", "", before, behind, false, {}};
    const Equations& weaker = behind < before ? there_->equations() : here_->equations();
    std::vector<bool> concerned(field_.m(), false);
    for (const DependentSet& set : dependent_sets({weaker.A, weaker.b, &weaker.M}, plan_.options.solve))
        for (const std::size_t r : set.rows) concerned[r] = true;
    for (std::size_t r = 0; r < concerned.size(); ++r)
        if (concerned[r]) event.constraints.push_back(details_.constraint_names[r]);
    event.name = fmt::format("{}", fmt::join(event.constraints, ", "));
    summary_.events.push_back(event);
    const std::string change = fmt::format("the rank of the constraints changes from {} to {} at t = {} ({})", before, behind,
                                           rounded(event.t, 12), quoted_list(event.constraints));
    if (plan_.options.strict) return fail(landed_, {Outcome::lost_rank, change, event.constraints});
    if (behind > before && !plan_.options.through_singular)
        return fail(
            base_->state,
            {Outcome::lost_rank,
             change + ": the motion came from a singular position, and the equations do not say on which branch it leaves; "
                      "begin beside that position, or go on with --on-singular continue",
             event.constraints});
    return true;
}

bool Integration::note_passages(double tau, const Energies& raw) {
    const double before = summary_.energy_last;
    for (const Passage& passage : passages_.search(*stepper_, base_->time, tau, *here_, *there_)) {
        const std::vector<std::string> names = names_of_rows(passage.rows);
        const double t = base_->time.after(passage.tau).now();
        const std::size_t rank = here_->factor().rank();
        summary_.rank_min = std::min(summary_.rank_min, passage.rank);
        summary_.events.push_back({t, "rank", fmt::format("{}", fmt::join(names, ", ")), rank, passage.rank, true, names});
        if (plan_.options.strict) {
            State there;
            stepper_->at(passage.tau, there);
            there.t = t;
            return fail(there, {Outcome::lost_rank,
                                fmt::format("the rank of the constraints falls from {} to {} at t = {} ({})", rank, passage.rank,
                                            rounded(t, 12), quoted_list(names)),
                                names});
        }
        const Energies now = field_.assembler.energies(landed_);
        const double energy = now.kinetic + now.potential;
        const double scale = std::max(kinetic_high_, now.kinetic) + potential_high_ - potential_low_;
        const double rounding = 1e-14 * (now.kinetic + std::abs(now.potential));
        const double allowed = std::max(1e-9, 1e3 * plan_.tolerance) * scale + rounding;
        const double jump =
            std::max(std::abs(energy - raw.kinetic - raw.potential), conservative_ ? std::abs(energy - before) : 0.0);
        if (!(jump <= allowed) && plan_.options.stabilize == Stabilize::project)
            return fail(landed_,
                        {Outcome::lost_rank,
                         fmt::format("the energy jumps by {} across the singular position at t = {} ({}): the motion beyond it "
                                     "would not be the true one",
                                     rounded(jump, 3), rounded(t, 12), quoted_list(names)),
                         names});
    }
    return true;
}

/// No step begins so near a singular position that rounding decides on the branch by which it is left.
bool Integration::leaves_singular() {
    const double before = here_->factor().weakest(), behind = there_->factor().weakest();
    const bool moves = plan_.options.stabilize == Stabilize::project;
    if (!moves || plan_.options.through_singular || field_.m() < 2 || before <= behind) return true;
    if (here_->factor().rank() < 2 || behind > std::min(PassageSearch::singular_tol, 0.01 * usual_strength_)) return true;
    const Equations& eq = there_->equations();
    SolveOptions coarse;
    coarse.rank_tol = 10.0 * PassageSearch::singular_tol;
    std::vector<std::string> names;
    for (const DependentSet& set : dependent_sets({eq.A, eq.b, &eq.M}, coarse))
        for (const std::string& name : names_of(details_, set)) names.push_back(name);
    return fail(landed_,
                {Outcome::lost_rank,
                 fmt::format("the motion comes so slowly or so near to a singular position at t = {} ({}) that rounding would "
                             "decide on the branch by which it leaves; go on with --on-singular continue",
                             rounded(landed_.t, 12), quoted_list(names)),
                 names});
}

Energies Integration::note_energy(const State& state) {
    const Energies energies = field_.assembler.energies(state);
    kinetic_high_ = std::max(kinetic_high_, energies.kinetic);
    potential_low_ = std::min(potential_low_, energies.potential);
    potential_high_ = std::max(potential_high_, energies.potential);
    summary_.energy_last = energies.kinetic + energies.potential;
    summary_.worst.energy = std::max(summary_.worst.energy, std::abs(summary_.energy_last - summary_.energy_first));
    return energies;
}

void Integration::note_residuals(const Projector& projector) {
    auto& worst = summary_.worst;
    worst.position = std::max(worst.position, projector.position);
    worst.velocity = std::max(worst.velocity, projector.velocity);
    worst.position_absolute = std::max(worst.position_absolute, projector.position_absolute);
    worst.velocity_absolute = std::max(worst.velocity_absolute, projector.velocity_absolute);
}

// ---- rows

/// The rows of the step up to `tau`: those of the grid, and one at each event of the model. Nothing of it touches the motion.
void Integration::give_rows(double tau, const std::vector<Crossing>& crossings) {
    const Field::Counters counters = field_.counters;
    const double end = plan_.end;
    const auto grid_time = [&](std::uint64_t i) {  // begin + i·every in double-double; the last row is at the end
        const double product = static_cast<double>(i) * plan_.every;
        const Clock time = Clock{plan_.begin, std::fma(static_cast<double>(i), plan_.every, -product)}.after(product);
        return time.now() > end - 1e-9 * plan_.every ? Clock{end, 0.0} : time;
    };
    const auto row_at = [&](double at, double t) {
        State state = landed_;
        if (at < tau) {
            stepper_->at(at, state);
            state.t = t;
            there_->measure(state);
            constexpr double good_enough = 1e-14;
            if (plan_.options.stabilize == Stabilize::project &&
                !(there_->position <= good_enough && there_->velocity <= good_enough)) {
                State moved = state;
                beside_->added_mass = stepper_->added_mass();
                beside_->weak = weak_direction();
                if (beside_->project(moved) == Outcome::ok) {
                    state = moved;
                    note_residuals(*beside_);
                } else {
                    note_residuals(*there_);
                }
            } else {
                note_residuals(*there_);
            }
        }
        state.t = t;
        give_row(state);
    };
    auto event = crossings.begin();
    for (;;) {
        while (event != crossings.end() && event->kind != Crossing::Kind::event) ++event;
        const bool has_event = event != crossings.end() && event->tau <= tau;
        const Clock row = grid_time(next_row_);
        const double until_row = row.since(base_->time);
        const bool has_row = last_row_ < end && until_row <= tau * (1.0 + 1e-15);
        if (has_event && (!has_row || event->tau < until_row)) {
            const double t = base_->time.after(event->tau).now();
            summary_.events.push_back({t, "event", details_.model.events[event->number].name});
            if (t > last_row_) row_at(event->tau, t);
            if (!event->touches) watch_.pass(*event);
            ++event;
        } else if (has_row) {
            if (row.now() > last_row_) row_at(std::min(until_row, tau), row.now());
            ++next_row_;
        } else {
            break;
        }
    }
    field_.counters = counters;
}

void Integration::give_row(State state) {
    const std::size_t n = field_.n();
    row_[0] = state.t;
    std::copy(state.q.begin(), state.q.end(), row_.begin() + 1);
    std::copy(state.v.begin(), state.v.end(), row_.begin() + 1 + static_cast<std::ptrdiff_t>(n));
    outputs_.values(state, plan_.options.solve, std::span(row_).subspan(1 + 2 * n));
    last_row_ = state.t;
    ++rows_;
    if (sink_) sink_(row_);
}

// ---- ending

bool Integration::fail(const State& state, Status status) {
    status_ = std::move(status);
    finish(state);
    return false;
}

bool Integration::fail_with_reason(const State& state, Status otherwise) {
    return fail(state, field_.trouble(state, std::move(otherwise)));
}

void Integration::interrupt() {
    if (!ended_) fail(base_->state, {Outcome::interrupted, fmt::format("stopped at t = {}", rounded(base_->time.now(), 12)), {}});
}

void Integration::finish(const State& state) {
    ended_ = true;
    summary_.final = state;
}

MotionSummary Integration::summary() const {
    MotionSummary summary = summary_;
    if (!ended_) summary.final = base_->state;
    summary.evaluations = field_.counters.evaluations;
    summary.factorizations = field_.counters.factorizations;
    summary.rejected = method_ ? method_->rejected : 0;
    summary.energy_scale = kinetic_high_ + potential_high_ - potential_low_;
    summary.wall_seconds = seconds_before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    return summary;
}

}  // namespace lacon
