// The main sequence of a sparse step, `LargeRun::step`, and how the run starts, resumes and ends.
// Where there is no power series, a collocation polynomial takes the step.
#include "large/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "kernel/target.hpp"
#include "large/names.hpp"
#include "large/start.hpp"
#include "methods/project.hpp"
#include "state/observables.hpp"
#include "state/start.hpp"
#include "state/verdict.hpp"

namespace lacon {

namespace {

double baumgarte_of(const RunPlan& plan) {
    return field_options(plan).baumgarte;
}

}  // namespace

LargeRun::LargeRun(const DerivedModel& details, RunPlan plan,
                   const std::vector<StartOverride>& start, RowSink sink)
    : details_(details),
      plan_(std::move(plan)),
      overrides_(start),
      sink_(std::move(sink)),
      system_(large_system(details, baumgarte_of(plan_))),
      field_(*system_, plan_.options.solve),
      projector_(field_, plan_.options.stabilize == Stabilize::project),
      taylor_(field_.assembler, plan_.tolerance),
      collocation_(field_, taylor_.collocation_degree(), plan_.tolerance),
      passages_(field_, taylor_),
      decisions_(field_.assembler),
      outputs_(*system_, values_of(details.model.outputs)),
      event_values_(*system_, values_of(details.model.events)),
      watch_(event_values_.count(),
             [this](const State& state, std::span<double> out) {
                 observe(event_values_, state, out);
             }),
      breaks_(
          details.memo.get<Breaks>("breaks", [&] { return std::make_shared<Breaks>(details); })),
      calendar_(details, plan_.begin, plan_.end, taylor_.order()) {
    names_.reserve(1 + 2 * system_->n + details.model.outputs.size());
    names_.push_back("t");
    for (const std::string& name : details.coordinate_names) names_.push_back(name);
    for (const std::string& name : details.coordinate_names) names_.push_back(name + "'");
    for (const Output& output : details.model.outputs) names_.push_back(output.name);
    row_.resize(names_.size());
    summary_.method = "taylor";
    summary_.why = plan_.method == "auto" ? "it is the method of the sparse solve" : "";
    compile();
}

/// Machine code for the elements, side by side.
void LargeRun::compile() {
    if (plan_.options.interpret) {
        summary_.code.why = "asked for";
        return;
    }
    kernel::CompileOptions options;
    options.isa = *kernel::isa_named(plan_.options.target);
    options.cache = plan_.options.cache;
    try {
        const auto kernels = details_.memo.get<LargeKernels>(
            fmt::format("large kernels {:a} {} {}", baumgarte_of(plan_),
                        plan_.options.target.name(), options.cache),
            [&] { return std::make_shared<LargeKernels>(*system_, options); });
        field_.assembler.compile(*kernels);
        taylor_.compile(*kernels);
        summary_.code.why = kernels->why;
        summary_.code.tier = "full";
        summary_.code.form = "loops";
        summary_.code.target = plan_.options.target;
        summary_.code.lanes = Lanes::count;
        summary_.code.compile_seconds =
            field_.assembler.compile_seconds() + taylor_.compile_seconds();
    } catch (const std::runtime_error& reason) {
        summary_.code.why = reason.what();
    }
}

LargeRun::~LargeRun() = default;

// ---- beginning

/// Takes its stand at a state: on the constraints, with the series there.
bool LargeRun::stand(const State& raw, const Clock& time) {
    landed_raw_ = landed_ = raw;
    const Outcome outcome = projector_.project(landed_);
    if (outcome == Outcome::no_convergence)
        return fail({outcome, "the start state cannot be brought to the constraints", {}});
    if (outcome != Outcome::ok) return fail(field_.trouble(outcome, raw));
    landed_.t = time.now();
    if (!expand(Clock{plan_.end, 0.0}.since(time))) {
        if (!taylor_.has_acceleration()) return fail(field_.trouble(Outcome::undefined, landed_));
        return cannot_continue(landed_);
    }
    if (!is_consistent()) return fail(field_.conflict(landed_));
    taylor_.take();
    summary_.solve =
        text_of(field_.factor.plan());  // only now: of a singular mass another road is taken
    if (!field_.factor.tells_turns())
        summary_.solve += "; singular positions within a step are not noticed";
    passages_.land();
    passages_.take();
    rank_ = field_.factor.rank();
    base_ = landed_;
    base_raw_ = landed_raw_;
    time_ = time;
    strong_ = {base_, 0, summary_.events.size()};
    return true;
}

bool LargeRun::begin() {
    start_ = large_start(field_.assembler, overrides_, plan_.options.solve, plan_.begin);
    if (start_.status && plan_.is_second) move_last_places(start_.state);
    base_ = start_.state;
    time_ = {plan_.begin, 0.0};
    if (!start_.status) return fail(start_.status);
    decisions_.settle(base_);
    if (!stand(start_.state, time_)) return false;
    note_residuals();
    summary_.rank_first = summary_.rank_min = summary_.rank_max = rank_;
    const Energies energies = field_.assembler.energies(base_);
    potential_low_ = potential_high_ = energies.potential;
    summary_.energy_first = energies.kinetic + energies.potential;
    note_energy(base_);
    watch_.settle(base_);
    give_row(base_);
    next_row_ = 1;
    return true;
}

bool LargeRun::resume(const Snapshot& snapshot) {
    const CodeSummary code = summary_.code;
    summary_ = snapshot.summary;
    summary_.code = code;
    seconds_before_ = summary_.wall_seconds;
    next_row_ = snapshot.next_row;
    rows_ = snapshot.rows;
    last_row_ = snapshot.last_row;
    potential_low_ = snapshot.potential_low;
    potential_high_ = snapshot.potential_high;
    kinetic_high_ = snapshot.kinetic_high;
    const auto decided =
        snapshot.sides.begin() + static_cast<std::ptrdiff_t>(decisions_.sides().size());
    decisions_.recall({snapshot.sides.begin(), decided});
    watch_.sides_.assign(decided, snapshot.sides.end());
    decisions_.border.recall(snapshot.time, snapshot.border);
    std::vector<double> memory = snapshot.memory;
    const auto since = static_cast<std::size_t>(memory.back());  // behind that of the assembler
    memory.pop_back();
    passages_.recall(memory.back());
    memory.pop_back();
    field_.assembler.recall(memory);
    if (!stand(snapshot.landed, snapshot.time)) return false;
    if (!snapshot.trail.empty()) strong_ = {snapshot.trail.front(), since, summary_.events.size()};
    field_.evaluations = summary_.evaluations;
    field_.factorizations = summary_.factorizations;
    return true;
}

Snapshot LargeRun::snapshot() const {
    Snapshot s;
    s.time = time_;
    s.landed = base_raw_;
    s.sides = decisions_.sides();
    s.sides.insert(s.sides.end(), watch_.sides_.begin(), watch_.sides_.end());
    s.memory = field_.assembler.memory();
    s.memory.push_back(passages_.usual());
    s.memory.push_back(static_cast<double>(strong_.steps));
    if (hands_over_) s.trail = {strong_.state};
    s.next_row = next_row_;
    s.rows = rows_;
    s.last_row = last_row_;
    s.potential_low = potential_low_;
    s.potential_high = potential_high_;
    s.kinetic_high = kinetic_high_;
    s.border = decisions_.border.kept(time_);
    s.summary = summary();
    return s;
}

/// As Integration::handover.
Snapshot LargeRun::handover() const {
    Snapshot s = snapshot();
    s.landed = strong_.state;
    s.time = {strong_.state.t, 0.0};
    s.trail.clear();
    s.sides = watch_.sides_;
    s.memory.clear();
    return s;
}

/// Near a singular position steps get short, and begin too near to it for any step over it. What a
/// run notes is not taken back: so never from before the last event, nor by more than some steps.
void LargeRun::follow_strength() {
    if (!hands_over_) return;
    constexpr std::size_t most_back = 64;
    const bool is_new = strong_.events != summary_.events.size() || strong_.steps >= most_back;
    if (is_new || passages_.is_strong()) strong_ = {base_, 0, summary_.events.size()};
    else ++strong_.steps;
}

bool LargeRun::hand_over() {
    if (hands_over_) ended_ = handed_over_ = true;
    return handed_over_;
}

// ---- one step

bool LargeRun::step() {
    if (ended_) return false;
    const Clock end{plan_.end, 0.0};
    const double left = end.since(time_);
    if (std::string why = breaks_->ended(time_.now(), plan_.end); !why.empty())
        return fail({Outcome::undefined, std::move(why), {}});
    const Breaks::Stop stop = breaks_->after(time_.now(), false);
    const double longest = calendar_.clear(time_.now(), plan_.max_step);
    double h = taylor_.length(std::min({left, stop.time - time_.now(), longest}));
    if (!(h >= std::min(shortest_step(), left))) return cannot_continue(base_);

    const auto at = [this](double tau, State& out) { taylor_.at(tau, out); };
    const std::optional<LargeDecisions::Turn> crossed = decisions_.first({at, h}, time_);
    if (crossed && crossed->tau == 0.0) return turn(*crossed);
    if (crossed) h = crossed->tau;
    std::vector<Crossing> crossings = watch_.crossings({at, h}, time_);
    const auto cut = std::find_if(crossings.begin(), crossings.end(), [&](const Crossing& c) {
        const Event& event = details_.model.events[c.number];
        return event.stop && !c.touches && event.counts(c.side, c.touches);
    });
    const double wanted = cut != crossings.end() ? cut->tau : h;
    h = wanted;
    if (!land(h)) return false;
    const bool is_cut = cut != crossings.end() && h == wanted;
    const std::size_t rank = field_.factor.rank();
    passages_.land();
    if (!note_rank() || (rank == rank_ && !note_passages(h, crossings))) return false;
    passages_.take();
    note_energy(landed_);
    note_residuals();
    const Clock time = h == left ? end : time_.after(h);
    if (!give_rows(h, crossings)) return false;
    ++summary_.steps;
    last_length_ = h;
    taylor_.take();
    time_ = time;
    base_ = landed_;
    base_raw_ = landed_raw_;
    rank_ = rank;
    follow_strength();
    turns_in_place_ = 0;
    if (crossed && h == crossed->tau && !is_cut && h < left) return turn(*crossed);
    if (is_cut || h == left) {
        if (!is_cut) note_events_at_end();
        ended_ = true;
        return false;
    }
    return true;
}

/// Turns a decision over where the motion is now.
bool LargeRun::turn(const LargeDecisions::Turn& crossed) {
    const std::string text = decisions_.text(crossed.branch);
    turns_in_place_ = crossed.tau == 0.0 && turned_ == crossed.branch ? turns_in_place_ + 1 : 0;
    turned_ = crossed.branch;
    if (turns_in_place_ >= 2)
        return fail(
            {Outcome::no_convergence,
             fmt::format(
                 "the motion slides along '{}' from t = {} on: both sides push it back to the "
                 "surface, and "
                 "neither is the motion; smooth the decision, as with tanh(x/eps) for sign(x)",
                 text, rounded(time_.now(), 12)),
             {}});
    decisions_.turn(crossed.branch, base_);
    if (!summary_.events.empty() && crossed.tau == 0.0 && summary_.events.back().t == time_.now() &&
        summary_.events.back().name == text)
        summary_.events.pop_back();  // turned back at once: it did not turn
    else if (time_.now() > plan_.begin && decisions_.decision(crossed.branch).is_told)
        summary_.events.push_back({time_.now(), "switch", text});
    return stand(base_raw_, time_);
}

/// Ends the step after h, or earlier where it was too long; the next series begins there.
bool LargeRun::land(double& h) {
    constexpr int most_tries = 40;
    for (int tries = 0; tries < most_tries; ++tries) {
        if (try_landing(h)) return true;
        if (landing_ == Outcome::conflict) return fail(field_.conflict(landed_));
        if (Status conflict = conflict_ahead(); !conflict) return fail(std::move(conflict));
        ++summary_.rejected;
        h *= 0.5;
    }
    return cannot_continue(base_);
}

double LargeRun::shortest_step() const {
    return 1e-15 * (plan_.end - plan_.begin) +
           1e-25 * std::abs(time_.now());  // as for small systems
}

/// The series where the step landed, or, where there is none, a polynomial for a short step of at
/// most `limit`.
bool LargeRun::expand(double limit) {
    if (taylor_.expand(landed_, field_.factor, field_.equations)) return true;
    if (!taylor_.has_acceleration()) return false;
    if (limit > 0.0) {
        if (!collocation_.find(landed_, taylor_.acceleration(), limit)) return false;
        taylor_.replace(collocation_);
    }
    return field_.factor_at(landed_) == Outcome::ok;  // as it was
}

bool LargeRun::try_landing(double h) {
    taylor_.at(h, landed_);
    const Clock end{plan_.end, 0.0};
    landed_.t = h == end.since(time_) ? plan_.end : time_.after(h).now();
    landed_raw_ = landed_;
    landing_ = projector_.project(landed_);
    if (landing_ != Outcome::ok) return false;
    landing_ = Outcome::undefined;
    if (!expand(Clock{plan_.end, 0.0}.since(time_.after(h)))) return false;
    if (!taylor_.continues(landed_, h)) return false;
    landing_ = Outcome::ok;
    if (!field_.factor.is_decided()) ++summary_.undecided;
    if (is_consistent()) return true;
    landing_ = Outcome::conflict;
    return false;
}

/// Where a step's end could not be brought to the constraints: whether some of them contradict each
/// other there.
Status LargeRun::conflict_ahead() {
    constexpr double clear = 1e-9;  // residual that is no matter of rounding, scaled
    if (landing_ != Outcome::no_convergence || field_.factor.rank() == system_->m) return {};
    const bool positions = projector_.left.position > Projector::met_tol;
    if (!((positions ? projector_.left.position : projector_.left.velocity) > clear)) return {};
    field_.assembler.residuals(landed_, residuals_);
    std::vector<double> right(system_->m);
    for (std::size_t r = 0; r < right.size(); ++r) {
        const bool position_row = details_.system.levels[r] == Level::position;
        right[r] =
            positions ? (position_row ? -residuals_.value[r] : 0.0) : -residuals_.velocity[r];
    }
    std::vector<bool> concerned(system_->m, false);
    for (const DependentSet& set :
         field_.factor.dependent(right, plan_.options.solve.consistency_tol)) {
        if (!set.conflict || std::abs(set.asked - set.fixed) < clear * largest(right)) continue;
        for (const std::size_t row : set.rows) concerned[row] = true;
    }
    Status status{Outcome::conflict, {}, {}};
    for (std::size_t row = 0; row < concerned.size(); ++row)
        if (concerned[row]) status.names.push_back(details_.constraint_names[row]);
    if (status.names.empty()) return {};
    status.message =
        fmt::format("constraints {} conflict after t = {}: at t = {} no {} meets them all",
                    ranges_text(status.names), rounded(time_.now(), 10), rounded(landed_.t, 10),
                    positions ? "position" : "velocity");
    return status;
}

/// Where rows depend on each other, whether A q'' = b can be met.
bool LargeRun::is_consistent() {
    if (field_.factor.rank() == system_->m) return true;
    field_.residual = field_.inconsistency(taylor_.acceleration());
    return field_.residual <= plan_.options.solve.consistency_tol;
}

// ---- ending

bool LargeRun::cannot_continue(const State& state) {
    const Outcome outcome = field_.factor_at(state);
    if (outcome != Outcome::ok) return fail(field_.trouble(outcome, state));
    std::string message = fmt::format(
        "no step from t = {} is short enough for the tolerance {}: the accelerations grow without "
        "bound there, or are not smooth",
        rounded(state.t, 12), rounded(plan_.tolerance, 3));
    constexpr double weak = 0.1;
    const double weakest = field_.factor.weakest();
    if (system_->m > 0 && weakest < weak && hand_over()) return false;
    if (system_->m > 0 && weakest < weak)
        message +=
            fmt::format("; the weakest direction of the constraints is down to {} of the strongest",
                        rounded(weakest, 3));
    return fail({Outcome::no_convergence, std::move(message), {}});
}

bool LargeRun::fail(Status status) {
    status_ = std::move(status);
    ended_ = true;
    return false;
}

void LargeRun::interrupt() {
    if (!ended_)
        fail(
            {Outcome::interrupted, fmt::format("stopped at t = {}", rounded(time_.now(), 12)), {}});
}

MotionSummary LargeRun::summary() const {
    MotionSummary summary = summary_;
    summary.tolerance = plan_.tolerance;
    summary.begin = plan_.begin;
    summary.end = plan_.end;
    summary.every = plan_.every;
    summary.final = base_;
    summary.evaluations = field_.evaluations;
    summary.factorizations = field_.factorizations;
    summary.energy_scale = kinetic_high_ + potential_high_ - potential_low_;
    summary.wall_seconds =
        seconds_before_ +
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    return summary;
}

}  // namespace lacon
