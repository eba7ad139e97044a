// The driver: the main sequence of a step, `Integration::step`, and how a run starts, resumes and
// ends. The parts of the step are in the other files of this room.
#include "driver/integrate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "contact/modes.hpp"
#include "driver/choose.hpp"
#include "expr/traverse.hpp"
#include "state/evaluate.hpp"

namespace lacon {

FieldOptions field_options(const RunPlan& plan) {
    return {plan.options.solve,
            plan.options.stabilize == Stabilize::baumgarte ? plan.options.baumgarte : 0.0};
}

namespace {

/// Whether energy is conserved as far as the form of the model shows: no forces but potentials, no
/// explicit time, and constraints on positions only.
bool is_conservative(const DerivedModel& details) {
    const Model& model = details.model;
    if (details.has_controls() || !details.system.nonideal.empty() || !model.forces.empty() ||
        !model.particle_forces.empty() || !model.dissipation.empty() || !model.equations.empty())
        return false;
    for (const Level level : details.system.levels)
        if (level != Level::position) return false;
    for (const bool stabilized : details.system.stabilized)
        if (stabilized) return false;
    for (const Shape& shape : details.system.shapes)
        for (const auto* values :
             {&shape.dynamics.values, &shape.residuals.values, &shape.energies.values})
            for (const Expr e : *values)
                if (depends_on(details.system.graph, e, {&details.system.t, 1})) return false;
    return true;
}

}  // namespace

Integration::Integration(const DerivedModel& details, RunPlan plan,
                         const std::vector<StartOverride>& start, RowSink sink, Monitors* monitors)
    : details_(details),
      plan_(std::move(plan)),
      overrides_(start),
      sink_(std::move(sink)),
      field_(details, field_options(plan_)),
      breaks_(
          details.memo.get<Breaks>("breaks", [&] { return std::make_shared<Breaks>(details); })),
      monitors_(monitors),
      watch_(field_, plan_.options.solve, monitors),
      passages_(field_),
      features_(field_),
      knots_(details),
      outputs_(details, values_of(details.model.outputs)),
      conservative_(*details.memo.get<bool>(
          "conservative", [&] { return std::make_shared<bool>(is_conservative(details)); })) {
    const bool moves = plan_.options.stabilize == Stabilize::project;
    for (auto* projector : {&here_, &there_, &beside_})
        *projector = std::make_unique<Projector>(field_, moves);
    names_.push_back("t");
    for (const std::string& name : details.coordinate_names) names_.push_back(name);
    for (const std::string& name : details.coordinate_names) names_.push_back(name + "'");
    for (const Output& output : details.model.outputs) names_.push_back(output.name);
    for (const std::string& name : details.control_names) names_.push_back(name + ".effort");
    if (plan_.options.diagnose) {
        strength_ = std::make_unique<ConditionWatch>(field_);
        for (const char* name : ConditionWatch::columns) names_.push_back(name);
    }
    row_.resize(names_.size());
}

Integration::~Integration() = default;

// ---- beginning

bool Integration::begin() {
    start_ = consistent_start(details_, overrides_, plan_.options.solve, plan_.begin);
    base_ = std::make_unique<Base>(Base{{plan_.begin, 0.0}, start_.state, *here_});
    if (!start_.status) return fail(start_.state, start_.status);
    if (plan_.is_second) move_last_places(start_.state);
    watch_.settle(start_.state);
    landed_raw_ = landed_ = start_.state;
    growth_ = 0.125 * (plan_.end - plan_.begin);
    const Outcome outcome = there_->project(landed_);
    if (outcome != Outcome::ok)
        return fail_with_reason(
            start_.state, {outcome, "the start state cannot be brought to the constraints", {}});
    if (!is_consistent(landed_))
        return fail_with_reason(landed_,
                                {Outcome::conflict, "the constraints conflict at the start", {}});
    take_method(choose_method(field_, landed_, plan_));
    if (!plan_.options.interpret)
        kernel_ = choose_kernel(evaluate_without_outputs(details_, landed_, plan_.options.solve));
    compile();
    method_ = make_method(summary_.method, field_, plan_);
    stepper_ = method_.get();
    note_residuals(*there_);
    // Compiled Taylor steps come first; the method itself takes its stand where they refuse
    // (end_stretch).
    if (fast_ && is_taylor()) set_next_base(base_->time);
    else if (!prepare(base_->time, true)) return cannot_continue();
    commit();
    if (strength_) strength_->begin(base_->state);
    const Energies energies = field_.assembler.energies(base_->state);
    note_first(energies);
    note_energy(energies, base_->state);
    return !field_.stopped || fail(base_->state, {});
}

void Integration::take_method(const MethodChoice& choice) {
    summary_.method = choice.name;
    summary_.why = choice.why;
    if (!plan_.tolerance_given) plan_.tolerance = default_tolerance(choice.name);
}

/// What any continuation takes over.
void Integration::take_over(const Snapshot& snapshot) {
    base_ = std::make_unique<Base>(Base{snapshot.time, snapshot.landed, *here_});
    summary_ = snapshot.summary;
    seconds_before_ = summary_.wall_seconds;
    field_.counters = {summary_.evaluations, summary_.factorizations};
    next_row_ = snapshot.next_row;
    rows_ = snapshot.rows;
    last_row_ = snapshot.last_row;
    if (rows_ == 0 && next_row_ > 0) {  // nobody took rows until now
        next_row_ =
            static_cast<std::uint64_t>((snapshot.time.now() - plan_.begin) / plan_.every) + 1;
        last_row_ = snapshot.time.now();
    }
    potential_low_ = snapshot.potential_low;
    potential_high_ = snapshot.potential_high;
    kinetic_high_ = snapshot.kinetic_high;
    landed_raw_ = landed_ = snapshot.landed;
    growth_ = snapshot.growth;
    if (strength_) strength_->account = snapshot.strength;
    noise_.recall(snapshot.noise, field_);
}

void Integration::note_first(const Energies& energies) {
    summary_.rank_first = summary_.rank_min = summary_.rank_max = here_->factor().rank();
    potential_low_ = potential_high_ = energies.potential;
    summary_.energy_first = energies.kinetic + energies.potential;
    give_row(base_->state);
    next_row_ = 1;
}

bool Integration::resume(const Snapshot& snapshot) {
    take_over(snapshot);
    field_.assembler.branches = snapshot.modes;
    watch_.sides_ = snapshot.sides;
    watch_.border.recall(snapshot.time, snapshot.border);
    first_step_ = snapshot.contact.first_step;
    kernel_ = snapshot.kernel;
    take_method({summary_.method, summary_.why});
    compile();
    method_ = make_method(summary_.method, field_, plan_);
    stepper_ = method_.get();
    usual_strength_ = snapshot.usual_strength;
    far_ = snapshot.far;
    method_->rejected = summary_.rejected;
    pause_ = snapshot.pause;
    trail_ = snapshot.trail;
    if (snapshot.stretches && fast_) {
        take_stretch(snapshot.memory);
        fast_->rejected = summary_.rejected;
        method_->rejected = 0;
        return true;
    }
    if (there_->project(landed_) != Outcome::ok || !prepare(snapshot.time, true))
        return cannot_continue();
    commit();
    method_->recall(snapshot.memory);
    if (snapshot.passes && !take_passer()) return cannot_continue();
    if (monitors_) begin_monitors();
    verdict_is_old_ = true;  // a decision may have turned just there
    field_.counters = {summary_.evaluations, summary_.factorizations};
    return true;
}

Snapshot Integration::snapshot() const {
    const std::vector<double> memory = stretches_ ? fast_->memory() : method_->memory();
    const State& landed = stretches_ ? base_->state : base_raw_;
    return {base_->time,
            landed,
            field_.assembler.branches,
            watch_.sides_,
            memory,
            next_row_,
            rows_,
            last_row_,
            potential_low_,
            potential_high_,
            kinetic_high_,
            usual_strength_,
            far_,
            kernel_,
            stretches_,
            pause_,
            trail_,
            stepper_ == passer_.get(),
            summary(),
            strength_ ? strength_->account : ConditionAccount{},
            {},
            {},
            watch_.border.kept(base_->time),
            false,
            growth_,
            noise_.kept(field_)};
}

/// Machine code for the methods that ask for accelerations, and for whole steps; without it they
/// are interpreted.
void Integration::compile() {
    const auto interpreted = [this](const std::string& why) { summary_.code.why = why; };
    if (plan_.options.interpret) return interpreted("as requested");
    if (!kernel_.definite)
        return interpreted(
            "the mass matrix is singular, or masses that rows join are very unequal");
    if (!field_.loads.is_empty()) return interpreted("forces depend on the loads of constraints");
    if (field_.controller) return interpreted("the efforts of controls are not compiled");
    kernel::CompileOptions options;
    options.isa = *kernel::isa_named(plan_.options.target);
    options.cache = plan_.options.cache;
    try {
        if (!is_taylor())
            field_.compiled = std::make_unique<CompiledAcceleration>(
                details_, field_.smooth, kernel_,
                CompiledAcceleration::Options{plan_.options.solve.rank_tol, options,
                                              field_.options.baumgarte});
    } catch (const std::runtime_error& reason) {
        interpreted(reason.what());
    }
    compile_steps(options);
}

// ---- one step

bool Integration::step() {
    if (ended_) return false;
    follow_noise();
    begin_stretch();
    if (stretches_) {
        if (const auto going = stretch()) return *going;
        if (!end_stretch()) return cannot_continue();
    }
    const Clock end{plan_.end, 0.0};
    const double left = end.since(base_->time);
    if (std::string why = breaks_->ended(base_->time.now(), plan_.end); !why.empty())
        return fail(base_->state, {Outcome::undefined, std::move(why), {}});
    choose_stepper();
    const double limit = limit_by_breaks(left);
    if (!advance(std::min({limit, first_step_, longest_step()}))) return cannot_continue();
    first_step_ = INFINITY;
    const double natural = stepper_->length();
    note_length(natural);
    if (!plan_passage(limit)) return cannot_continue();
    const bool leaps = stepper_->length() > natural;  // over a singular position
    if (!leaps && !(bound_by_features() && end_at_knot())) return cannot_continue();
    const auto at = [this](double tau, State& out) { stepper_->at(tau, out); };
    std::vector<Crossing> crossings = watch_.crossings({at, stepper_->length()}, base_->time);
    note_verdict(crossings);
    const auto cut = std::find_if(crossings.begin(), crossings.end(),
                                  [&](const Crossing& c) { return watch_.ends_step(c); });
    if (cut != crossings.end() && cut->kind == Crossing::Kind::monitor && cut->jumps)
        return fail_at_jump(*cut);
    if (cut != crossings.end() && cut->kind == Crossing::Kind::monitor && cut->tau == 0.0) {
        take_hits(crossings, 0.0);
        return false;
    }
    if (cut != crossings.end() && cut->kind == Crossing::Kind::surface && cut->tau == 0.0) {
        landed_raw_ = base_raw_;
        return turn(*cut, base_->time);
    }
    const double wanted = cut != crossings.end() ? cut->tau : stepper_->length();
    double tau = wanted;
    if (!land(tau, cut != crossings.end())) return false;
    if (field_.stopped) return fail(base_->state, {});
    const bool is_cut = cut != crossings.end() && tau == wanted;
    const Clock time = time_after(tau);

    if (strength_) follow_strength(tau);
    const auto known = static_cast<std::ptrdiff_t>(summary_.events.size());
    if (!note_rank(tau) || !note_passages(tau) || !(tau == left || leaves_singular())) return false;
    note_energy(field_.assembler.energies(landed_), landed_);
    note_residuals(*there_);
    if (monitors_) monitors_->note({at, tau}, base_->time, landed_);
    give_rows(tau, crossings);
    std::stable_sort(summary_.events.begin() + known, summary_.events.end(),
                     [](const MotionEvent& a, const MotionEvent& b) { return a.t < b.t; });
    ++summary_.steps;
    last_length_ = tau;
    note_noise(landed_);
    if (is_cut && cut->kind == Crossing::Kind::event) {
        finish(landed_);
        return false;
    }
    if (is_cut && cut->kind == Crossing::Kind::monitor) {
        take_hits(crossings, tau);
        set_next_base(time);
        commit();
        return false;
    }
    turns_in_place_ = 0;
    if (is_cut) return turn(*cut, time);
    commit();
    if (tau < left) return true;
    note_events_at_end();
    finish(base_->state);
    return false;
}

void Integration::begin_monitors() {
    monitors_->follow(field_.assembler.branches);
    monitors_->begin(base_->state);
}

/// What only may not be negative jumps below zero: there is no impact, and no motion that could
/// keep it.
bool Integration::fail_at_jump(const Crossing& crossing) {
    State before;
    const double tau = std::max(0.0, crossing.tau - 1e-9 * stepper_->length());
    stepper_->at(tau, before);
    before.t = base_->time.after(tau).now();
    const double here = monitors_->value(before, crossing.number);
    State behind;
    stepper_->at(std::min(stepper_->length(), crossing.tau + 1e-9 * stepper_->length()), behind);
    behind.t = base_->time.after(crossing.tau + 1e-9 * stepper_->length()).now();
    const std::string name = monitors_->continuous(crossing.number);
    return fail(
        before,
        {Outcome::undefined,
         fmt::format(
             "the gap of constraint '{}' jumps from {} to {} at t = {}: it is not continuous there "
             "(the cut of atan2, a decision), and no impact can maintain it",
             name, rounded(here, 6), rounded(monitors_->value(behind, crossing.number), 6),
             rounded(base_->time.after(crossing.tau).now(), 12)),
         {name}});
}

/// The method takes its stand where the step has landed; it still knows the step.
bool Integration::prepare(const Clock& time, bool fresh) {
    set_next_base(time);
    return stepper_->begin(*next_base_, fresh) ||
           (fresh && is_taylor() && take_backup(*next_base_));
}

void Integration::set_next_base(const Clock& time) {
    next_base_ = std::make_unique<Base>(Base{time, landed_, *there_});
    next_base_->state.t = time.now();
}

void Integration::commit() {
    base_ = std::move(next_base_);
    base_raw_ = landed_raw_;
    std::swap(here_, there_);
}

/// Takes the decisions beside one that has jumped anew, by the motion a little later.
void Integration::settle_others(std::size_t mode, const Clock& time) {
    const double ahead =
        std::max(1e-10 * stepper_->length(), 1e-13 * std::max(1.0, std::abs(time.now())));
    State state = landed_raw_;
    state.t = time.now() + ahead;
    for (std::size_t i = 0; i < state.q.size(); ++i) state.q[i] += ahead * state.v[i];
    watch_.settle_beside(state, mode);
}

/// Turns a decision over at the end of a step, or where it began.
bool Integration::turn(const Crossing& crossing, const Clock& time) {
    const auto [element, decision] = field_.smooth.owner_of(crossing.number, details_.system);
    const std::string text = text_of(details_, element, decision);
    // floor(x) has two that count: back and forth is on the spot too.
    const std::size_t number = crossing.number - (decision.counts_down() ? 1 : 0);
    turns_in_place_ = crossing.tau == 0.0 && turned_ == number ? turns_in_place_ + 1 : 0;
    turned_ = number;
    if (turns_in_place_ >= 2)
        return fail(
            base_->state,
            {Outcome::no_convergence,
             fmt::format(
                 "the motion slides along '{}' from t = {} on: both sides push it back to the "
                 "surface, and neither is the motion; smooth the decision, as with tanh(x/eps) for "
                 "sign(x)",
                 text, rounded(time.now(), 12)),
             {}});
    State before = crossing.tau == 0.0 ? base_->state : landed_;  // on the constraints as they were
    before.t = time.now();
    pass(crossing, decision, before);
    verdict_is_old_ = true;
    if (!summary_.events.empty() && crossing.tau == 0.0 && summary_.events.back().t == time.now() &&
        summary_.events.back().name == text)
        summary_.events.pop_back();  // turned back at once: it did not turn
    else if (time.now() > plan_.begin && decision.is_told)
        summary_.events.push_back({time.now(), "switch", text});
    if (is_law_row(element)) {  // the laws of contact say what comes of it
        if (crossing.tau > 0.0) {
            set_next_base(time);
            commit();
        }
        hit_.push_back(turned);
        ended_ = true;
        return false;
    }
    landed_ = landed_raw_;
    Outcome landing = there_->project(landed_);
    if (landing != Outcome::ok) {
        // What jumps may carry others of its element along: the cut of atan2 within mod.
        settle_others(crossing.number, time);
        landed_ = landed_raw_;
        landing = there_->project(landed_);
    }
    if (landing != Outcome::ok) {
        Status conflict = conflict_ahead();
        if (!conflict) return fail(before, std::move(conflict));
        return jumps_too_far(before, text) ? false : cannot_continue();
    }
    note_residuals(*there_);  // of what the turned decision asks for
    if (!note_jump(before, text)) return false;
    if (!prepare(time, true)) return cannot_continue();
    commit();
    if (Clock{plan_.end, 0.0}.since(base_->time) > 0.0) return true;
    finish(base_->state);
    return false;
}

/// Whether an element is a row that holds by the laws of contact: of a closed contact, or of
/// friction that sticks; or the slip of one that slides.
bool Integration::is_law_row(const Element& element) const {
    if (element.row == Element::watched_only) return true;
    if (element.row < 0 || !details_.whole) return false;
    const std::size_t row = details_.rows[static_cast<std::size_t>(element.row)];
    const auto& constraints = details_.whole->model.constraints;
    return row >= constraints.size() || side_of(constraints[row]) != 0;
}

std::size_t Integration::turned_row() const {
    const Element& element = field_.smooth.owner_of(turned_, details_.system).element;
    if (element.row < 0) return ~std::size_t{0};  // the slip of something that slides
    return details_.rows[static_cast<std::size_t>(element.row)];
}

/// Gives the decision its mode behind the crossing.
void Integration::pass(const Crossing& crossing, const Decision& decision, const State& state) {
    std::vector<double>& modes = field_.assembler.branches;
    const double mode = modes[crossing.number];
    std::vector<Rounded> surfaces;
    if (decision.counts()) field_.assembler.surfaces(state, surfaces);
    watch_.pass(crossing);
    if (decision.is_guard) return watch_.settle(state, crossing.number + 1);
    if (!decision.counts()) return;
    modes[crossing.number] = decision.counted(mode, surfaces[crossing.number].value);
    watch_.sides_[crossing.number] = 1;
}

bool Integration::cannot_continue() {
    if (ended_) return false;
    if (field_.stopped) return fail(base_->state, {});
    const double t = base_->time.now();
    if (Status end = end_of_reach(*here_, base_->state); !end)
        return fail(base_->state, std::move(end));
    if (Status conflict = conflict_ahead(); !conflict)
        return fail(base_->state, std::move(conflict));
    if (Status paradox = paradox_ahead(); !paradox) return fail(base_->state, std::move(paradox));
    if (Status reach = reach_ahead(); !reach) return fail(base_->state, std::move(reach));
    if (is_usual() && (summary_.method == "rk4" || summary_.method == "gauss"))
        return fail_with_reason(
            base_->state, {Outcome::no_convergence,
                           fmt::format("the method '{}' cannot take its fixed step of {} from t = "
                                       "{}; try a shorter one (--step)",
                                       summary_.method, rounded(plan_.step, 6), rounded(t, 12)),
                           {}});
    std::string why = fmt::format(
        "no step from t = {} is short enough for the tolerance {}: the accelerations grow without "
        "bound "
        "there, or are not smooth",
        rounded(t, 12), rounded(plan_.tolerance, 3));
    if (details_.system.row_count() > 1)
        why += fmt::format("; the reciprocal condition of the constraints is down to {}",
                           rounded(here_->factor().weakest(), 3));
    return fail_with_reason(base_->state, {Outcome::no_convergence, why, {}});
}

// ---- ending

bool Integration::fail(const State& state, Status status) {
    if (field_.stopped) {  // whatever came of it
        interrupt();
        return false;
    }
    status_ = std::move(status);
    finish(state);
    return false;
}

bool Integration::fail_with_reason(const State& state, Status otherwise) {
    if (field_.stopped) return fail(state, {});
    return fail(state, field_.trouble(state, std::move(otherwise)));
}

void Integration::interrupt() {
    if (ended_) return;
    status_ = {
        Outcome::interrupted, fmt::format("stopped at t = {}", rounded(base_->time.now(), 12)), {}};
    finish(base_->state);
}

void Integration::finish(const State& state) {
    ended_ = true;
    summary_.final = state;
}

MotionSummary Integration::summary() const {
    MotionSummary summary = summary_;
    summary.tolerance = plan_.tolerance;
    summary.begin = plan_.begin;
    summary.end = plan_.end;
    summary.every = plan_.every;
    if (base_ && (!ended_ || !hit_.empty())) summary.final = base_->state;
    summary.evaluations = field_.counters.evaluations + (fast_ ? fast_->evaluations : 0);
    summary.factorizations = field_.counters.factorizations + (fast_ ? fast_->evaluations : 0);
    summary.rejected = (method_ ? method_->rejected : 0) + (fast_ ? fast_->rejected : 0);
    if (field_.compiled) {
        summary.code = field_.compiled->summary();
        summary.code.why = summary_.code.why;
    }
    if (fast_) {
        if (field_.compiled) add(fast_->summary(), summary.code);
        else summary.code = fast_->summary();
        summary.code.why = summary_.code.why;
        if (fast_rows_) add(fast_rows_->summary(), summary.code);
        summary.code.whole_steps = true;
    }
    if (watch_.compiled && (fast_ || field_.compiled))
        add(watch_.compiled->summary(), summary.code);
    if (strength_) summary.diagnosis = strength_->account.found;
    summary.energy_scale = kinetic_high_ + potential_high_ - potential_low_;
    summary.wall_seconds =
        seconds_before_ +
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    return summary;
}

}  // namespace lacon
