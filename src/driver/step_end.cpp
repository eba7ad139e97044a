// One step: which method takes it, how far it goes, and where it lands, with singular positions
// kept well before or behind.
#include <algorithm>
#include <cmath>

#include "driver/integrate.hpp"
#include "methods/methods.hpp"

namespace lacon {

/// How far a step may go: to the end of the run, or to where a measured signal goes over into its
/// next piece.
double Integration::limit_by_breaks(double left) {
    const Breaks::Stop stop =
        breaks_->after(base_->time.now(), stepper_ != method_.get() || !is_taylor());
    const double limit = Clock{stop.time, 0.0}.since(base_->time);
    jump_at_ = stop.jumps ? limit : INFINITY;
    return std::min(limit, left);
}

/// The most that a step may be, but for the end of the run: what the user allows, and some times
/// the last one. Where nothing happens a step could span the rest of the run, and what its ends do
/// not show would not be seen.
double Integration::longest_step() {
    if (is_usual() && method_->adaptive_order() == 0) return INFINITY;
    const double most = is_taylor() ? std::min(plan_.max_step, growth_)
                                    : plan_.max_step;  // others bound their growth themselves
    if (!calendar_)
        calendar_.emplace(details_, plan_.begin, plan_.end,
                          std::max<std::size_t>(method_->adaptive_order(), 8));
    return calendar_->clear(base_->time.now(), most);
}

/// A step could have been so long, whatever cuts it short.
void Integration::note_length(double length) {
    constexpr double most_growth = 10.0;
    growth_ = most_growth * length;
}

/// A method that cannot stand near a singular position, where the run began, leaves the step to the
/// Taylor method; that one leaves a step from where its series end (a power that is not whole, at
/// zero) to a Runge–Kutta method.
bool Integration::advance(double left) {
    const auto steps = [&] {
        return stepper_->advance(left) &&
               (stepper_->length() >= shortest_step() || stepper_->length() >= left);
    };
    // Where the argument of a signal passes a knot, the history of Adams steps is of the piece
    // before it, and steps that come near it shrink to nothing: a Runge–Kutta step leads over.
    constexpr std::size_t hindered = 2;  // steps not taken before one was
    const bool may_be_hindered =
        summary_.method == "adams" && stepper_ == method_.get() && !knots_.is_empty();
    const std::size_t rejected = method_->rejected;
    const bool found = steps();
    if (may_be_hindered && (!found || method_->rejected >= rejected + hindered)) {
        if (take_backup(*base_) && steps()) return true;
        stepper_ = method_.get();
    }
    if (found) return true;
    if (stepper_ != backup_.get() && is_taylor() &&
        here_->factor().weakest() > SingularSearch::singular_tol)
        return take_backup(*base_) && steps();
    constexpr double weak = 0.1;
    const bool moves = plan_.options.stabilize == Stabilize::project;
    if (!moves || !is_usual() || is_taylor()) return false;
    if (here_->factor().rank() >= 2 && here_->factor().weakest() <= weak)
        return take_passer() && stepper_->advance(left);
    return leads_out(left);
}

/// Ends a step before what it may not have seen: where features of the equations leave the reach of
/// what the step knows of them, and the equations do not agree with it there.
bool Integration::bound_by_features() {
    const std::size_t order = stepper_->adaptive_order();
    // Where something begins to slide, directions are rounding, and accelerations agree with
    // nothing.
    if (features_.is_empty() || order == 0 || begins_stiff_) return true;
    const StepPath::At at = [this](double tau, State& out) { stepper_->at(tau, out); };
    constexpr int most_cuts = 30;
    for (int cut = 0; cut < most_cuts; ++cut) {
        const StepPath path{at, stepper_->length()};
        const double known = stepper_->clear();
        const double clear = known > 0.0 ? known : features_.resolved(path, base_->time, order);
        if (clear >= path.length || features_.agrees(path, base_->time, plan_.tolerance))
            return true;
        const double length = std::max(clear, 0.25 * path.length);
        if (stepper_->can_retake() && !stepper_->advance(length)) return false;
        stepper_->set_length(std::min(stepper_->length(), length));
    }
    return true;
}

/// Ends a step where the argument of a measured signal passes a knot. The method begins anew behind
/// it.
bool Integration::end_at_knot() {
    if (knots_.is_empty() || stepper_->adaptive_order() == 0) return true;
    // A multistep method would come to the knot by many short steps. It stays with the step that
    // it has, whose states lie beside the constraints: where the knot is passed is told by those
    // on them.
    const bool is_multistep =
        stepper_ == method_.get() && (summary_.method == "adams" || summary_.method == "bdf");
    const bool projects =
        is_multistep && field_.m() > 0 && plan_.options.stabilize == Stabilize::project;
    const StepPath path{[this](double tau, State& out) { stepper_->at(tau, out); },
                        stepper_->length()};
    double knot = knots_.first(path, base_->time);
    if (knot >= path.length) return true;
    Projector probe(field_, true);
    const auto projected = [&](double tau, State& out) {
        stepper_->at(tau, out);
        out.t = base_->time.after(tau).now();
        const State raw = out;
        if (probe.project(out) != Outcome::ok) out = raw;
    };
    if (projects) knot = knots_.first({projected, path.length}, base_->time);
    if (knot >= path.length) return true;
    if (!is_multistep && stepper_->can_retake() && !stepper_->advance(knot)) return false;
    if (stepper_->length() < knot) return true;  // the method had taken more than it should
    stepper_->set_length(knot);
    jump_at_ = knot;
    return true;
}

/// Takes a Taylor step out of a singular position, where the run began: there the rank is less than
/// at the step's end. Implicit stages, which have to agree with each other, have no answer in such
/// a place.
bool Integration::leads_out(double left) {
    if (here_->factor().rank() == field_.m()) return false;
    if (take_passer() && stepper_->advance(left)) {
        Projector probe(field_, true);
        State end;
        stepper_->at(stepper_->length(), end);
        end.t = base_->time.after(stepper_->length()).now();
        if (probe.project(end) == Outcome::ok && probe.factor().rank() > here_->factor().rank())
            return true;
    }
    stepper_ = method_.get();
    return false;
}

/// Finds where the step ends: at `tau`, or before it where the method or the constraints cannot
/// stand there, or where a singular position is too near.
bool Integration::land(double& tau, bool is_cut) {
    const double whole = tau;
    constexpr int most_halvings = 50;
    for (int round = 0; round < most_halvings; ++round, tau *= 0.5) {
        if (!try_landing(tau)) continue;
        const bool at_cut = is_cut && tau == whole;
        if (!is_consistent(landed_) || jumps_branch(tau)) continue;
        if (at_cut || prepare(base_->time.after(tau), tau == jump_at_)) return true;
        // Where numbers overflow in the series alone, another method goes on, if the step was right
        // to its end.
        const StepPath path{[this](double at, State& out) { stepper_->at(at, out); },
                            stepper_->length()};
        lacks_series_ = stepper_->lacks_series() &&
                        features_.agrees_at(path, base_->time, tau, plan_.tolerance);
        if (lacks_series_) return true;
    }
    return cannot_continue();
}

/// Looks for the singular positions within the step. Where a drive's reach ends, the polynomial of
/// a step may swing over to another branch of the constraints, to states that meet them and do not
/// continue the motion: such a step is too long. So is one over a near miss.
bool Integration::jumps_branch(double tau) {
    SingularSearch::Found found = passages_.search(*stepper_, *base_, tau, *there_);
    passed_ = std::move(found.passed);
    if (plan_.options.stabilize != Stabilize::project) return false;
    return found.leaps ||
           std::any_of(passed_.begin(), passed_.end(), [&](const SingularCrossing& passage) {
               return passages_.is_end_of_reach(*stepper_, *base_, passage.tau, passage.row());
           });
}

/// The end of a run is its end to the last bit, whatever the sum of begin and length rounds to.
Clock Integration::time_after(double tau) const {
    const Clock end{plan_.end, 0.0};
    return tau == end.since(base_->time) ? end : base_->time.after(tau);
}

bool Integration::try_landing(double tau) {
    stepper_->at(tau, landed_raw_);
    landed_raw_.t = time_after(tau).now();
    landed_ = landed_raw_;
    there_->slack = 0.0;
    if (is_resolving()) project_gently();
    if (there_->project(landed_) != Outcome::ok) return false;
    const bool is_end = landed_raw_.t >= plan_.end;
    if (is_end && there_->factor().weakest() < weak_direction()) {  // no step follows: as for a row
        State gentle = landed_raw_;
        beside_->added_mass = stepper_->added_mass();
        beside_->weak = weak_direction();
        if (beside_->project(gentle) == Outcome::ok) landed_ = gentle;
    }
    return true;
}

/// Around a near miss the weak directions are left alone: their residuals are rounding, and what
/// takes rounding back along them moves the state by more than the branches are apart.
void Integration::project_gently() {
    constexpr double weak = 0.1;
    beside_->added_mass = stepper_->added_mass();
    beside_->weak = weak * usual_strength_;
    State gentle = landed_;
    if (beside_->project(gentle) == Outcome::ok) landed_ = gentle;
    there_->slack = 2e-15;
}

/// Below this a direction of the constraints is so near a singular position that rows are not
/// corrected along it.
double Integration::weak_direction() const {
    return field_.m() < 2 || plan_.options.stabilize != Stabilize::project ? 0.0
                                                                           : 1e-3 * usual_strength_;
}

/// The true motion is smooth through a singular position, but near one its derivatives are lost in
/// rounding. So a step goes over it from well before to well behind, or ends far enough before it
/// for the next one to do so.
bool Integration::plan_passage(double left) {
    const bool moves =
        plan_.options.stabilize == Stabilize::project && field_.is_plain() && !is_resolving();
    if (!moves || (is_usual() && !is_taylor() && here_->factor().weakest() > 0.7 * usual_strength_))
        return true;
    std::optional<double> singular =
        passages_.ahead(*stepper_, base_->time, *here_, usual_strength_);
    if (singular && is_usual() && !is_taylor()) {
        if (!take_passer() || !stepper_->advance(left)) return false;
        singular = passages_.ahead(*stepper_, base_->time, *here_, usual_strength_);
    }
    if (!singular) return true;
    const double reach = stepper_->reach();
    const Critical critical = passages_.critical(*stepper_, *base_, *singular);
    if (critical.kind == Critical::Kind::missed) return resolve_miss(left, *singular);
    if (critical.kind == Critical::Kind::undecided && !plan_.options.through_singular &&
        reach >= std::min(left, *singular))
        return fail_undecided(critical);
    // How far behind it is enough, and aimed at: in distances before it. Where rounding limits the
    // step already, nearer is worse.
    const double clear = stepper_->length() < 0.9 * reach ? 1.05 : 1.3;
    constexpr double best = 1.7;
    if (reach >= std::min(left, clear * *singular)) {
        if (passages_.is_end_of_reach(*stepper_, *base_, *singular)) return true;
        stepper_->set_length(std::max(stepper_->length(), std::min(reach, best * *singular)));
    } else {
        stepper_->set_length(std::min(
            stepper_->length(), std::max(0.05 * stepper_->length(), *singular - 0.5 * reach)));
    }
    return true;
}

/// Towards a near miss at `tau` steps are Taylor steps at the smallest tolerance. Their series end
/// where the miss is passed, so they shrink as they come near, and follow the turn of the motion
/// from one course to the other.
bool Integration::resolve_miss(double left, double tau) {
    constexpr double part = 0.4, finest = 1e-15;
    if (!resolver_)
        resolver_ = make_taylor(field_, {std::min(plan_.tolerance, finest), plan_.step});
    if (breaks_->unforeseen() || !resolver_->begin(*base_, true) || !resolver_->advance(left))
        return true;
    stepper_ = resolver_.get();
    stepper_->set_length(std::min(stepper_->length(), part * tau));
    return true;
}

void Integration::note_strength(const ConstrainedFactor& factor, const State& state) {
    const double strength = factor.weakest();
    usual_strength_ = std::max(0.999 * usual_strength_, strength);
    if (strength > 0.5 * usual_strength_)
        far_ = {strength, asked_along_weakest(field_, factor, state)};
}

/// Near a singular position every method gives way to Taylor steps, which can go over it; behind
/// it, it begins anew.
void Integration::choose_stepper() {
    if (lacks_series_) take_backup(*base_);
    lacks_series_ = false;
    if (begins_stiff_) {
        constexpr double explicit_is_fine =
            2.0;  // within the stability limit of dopri5 along the real axis, 3.3
        const double stiffness = stepper_->stiffness();
        begins_stiff_ = !(stiffness > 0.0 && stiffness < explicit_is_fine);
    }
    if (is_starting()) {
        if (!begins_stiff_ && method_->begin(*base_, true)) {
            stepper_ = method_.get();
            noise_.renew(field_, summary_.steps, method_->rejected);
        }
        return;
    }
    note_strength(here_->factor(), base_->state);
    const double strength = here_->factor().weakest();
    const bool moves = plan_.options.stabilize == Stabilize::project;
    const bool near = moves && here_->factor().rank() >= 2 && strength < 0.25 * usual_strength_;
    if (is_resolving() && near) return;
    if (is_taylor()) {
        if (!is_usual() && method_->begin(*base_, true))
            stepper_ = method_.get();  // from the backup
        return;
    }
    if (near == !is_usual() && !is_resolving()) return;
    if (near) take_passer();
    else if (method_->begin(*base_, true)) stepper_ = method_.get();
}

/// Every so many steps, for methods that would take noise for their own error. (The Taylor method
/// and gauss measure it themselves, where something is left that they cannot explain.)
void Integration::follow_noise() {
    const std::string& method = summary_.method;
    const std::size_t rejected = method_->rejected + (fast_ ? fast_->rejected : 0);
    if (!noise_.is_due(summary_.steps, rejected) || !is_usual() || is_taylor() || method == "rk4" ||
        method == "gauss")
        return;
    noise_.measure(field_, base_->state, plan_.tolerance, summary_.steps, rejected);
    if (fast_) fast_->set_noise(field_.noise);
}

/// After a step: whether rounding was above the tolerance in it.
void Integration::note_noise(const State& state) {
    noise_.note(last_length_);
    const bool is_floored =
        plan_.tolerance < cvode_floor && (summary_.method == "adams" || summary_.method == "bdf");
    if (field_.noise.empty() && !is_floored) return;
    double over = noise_over_tolerance(field_.noise, state, last_length_, plan_.tolerance);
    if (is_floored) over = std::max(over, cvode_floor / plan_.tolerance);
    auto& rounding = summary_.rounding;
    if (!(over > 1.0)) return;
    if (rounding.steps++ == 0) rounding.t = base_->time.now();
    rounding.tolerance = std::max(rounding.tolerance, over * plan_.tolerance);
}

double Integration::shortest_step() const {
    return 1e-15 * (plan_.end - plan_.begin) +
           1e-25 * std::abs(base_->time.now());  // the clock is that fine
}

bool Integration::take_backup(const Base& base) {
    if (!backup_)
        backup_ =
            make_runge_kutta(dop853(), field_, {std::max(plan_.tolerance, 1e-13), plan_.step});
    if (!backup_->begin(base, true)) return false;
    stepper_ = backup_.get();
    return true;
}

bool Integration::take_passer() {
    if (!field_.is_plain() || breaks_->unforeseen()) return false;
    if (!passer_) passer_ = make_taylor(field_, {std::min(plan_.tolerance, 1e-10), plan_.step});
    if (!passer_->begin(*base_, true)) return false;
    stepper_ = passer_.get();
    return true;
}

}  // namespace lacon
