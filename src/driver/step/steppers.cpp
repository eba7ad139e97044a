// Chooses between the run's method, its backup, and Taylor steps near singular positions.
#include "driver/step/steppers.hpp"

#include <algorithm>

#include "locate/singular_search.hpp"
#include "methods/methods.hpp"

namespace lacon::inline driver {

void Steppers::choose_method(const MethodChoice& choice) {
    run_.account.summary.method = name_of(choice.method);
    run_.account.summary.why = choice.why;
    traits_ = &traits_of(choice.method);
    if (!run_.plan.tolerance_given) run_.plan.tolerance = default_tolerance(choice.method);
}

void Steppers::make_method() {
    method_ = run_.backend.make_method(traits_->method, run_.plan);
    now_ = method_.get();
    begins_stiff_ = false;
}

void Steppers::begin_stiff(std::vector<std::vector<double>> still, std::vector<double> rate) {
    begins_stiff_ = run_.backend.can(Capability::all_methods) && method_->adaptive_order() > 0;
    if (!begins_stiff_ || traits_->is_implicit) return;
    // What begins to slide is far slower than a coarse tolerance; its direction still decides
    // what comes.
    const double tolerance = std::clamp(run_.plan.tolerance, 1e-12, 1e-10);
    starter_ = run_.backend.make_starter(
        {tolerance, run_.plan.step, run_.plan.series_tolerance, std::move(still), std::move(rate)});
    now_ = starter_.get();
}

bool Steppers::is_resumable() const {
    const bool is_own =
        now_ != backup_.get() && !lacks_series_ && !is_resolving() && !begins_stiff_;
    return is_own && (!is_usual() || method_->is_resumable());
}

/// Near a singular position every method gives way to Taylor steps, which can go over it; behind
/// it, it begins anew.
void Steppers::choose(SingularGuard& guard) {
    const Base& base = *run_.step.base;
    if (lacks_series_) take_backup(base);
    lacks_series_ = false;
    if (begins_stiff_) {
        constexpr double explicit_is_fine =
            2.0;  // within the stability limit of dopri5 along the real axis, 3.3
        const double stiffness = now_->stiffness();
        begins_stiff_ = !(stiffness > 0.0 && stiffness < explicit_is_fine);
    }
    if (starter_ && now_ == starter_.get()) {
        if (!begins_stiff_ && method_->begin(base, true)) {
            now_ = method_.get();
            run_.account.noise.renew(run_.field, run_.account.summary.steps, method_->rejected);
        }
        return;
    }
    guard.note_reciprocal_condition();
    const bool is_near = guard.is_near();
    if (is_resolving() && is_near) return;
    if (traits_->by_series) {
        if (!is_usual() && method_->begin(base, true)) now_ = method_.get();  // from the backup
        return;
    }
    if (is_near == !is_usual() && !is_resolving()) return;
    if (is_near) take_passer();
    else if (method_->begin(base, true)) now_ = method_.get();
}

/// A method that cannot stand near a singular position, where the run began, leaves the step to the
/// Taylor method; that one leaves a step from where its series end (a power that is not whole, at
/// zero) to a Runge–Kutta method.
bool Steppers::advance(double limit) {
    const auto steps = [&] {
        return now_->advance(limit) &&
               (now_->length() >= run_.shortest_step() || now_->length() >= limit);
    };
    // Where the argument of a signal passes a knot, the history of Adams steps is of the piece
    // before it, and steps that come near it shrink to nothing: a Runge–Kutta step leads over.
    constexpr std::size_t hindered = 2;  // steps not taken before one was
    const bool may_be_hindered = traits_->is_hindered_by_knots && is_usual() && limits_.has_knots();
    const std::size_t rejected = method_->rejected;
    const Base& base = *run_.step.base;
    const bool found = steps();
    if (may_be_hindered && (!found || method_->rejected >= rejected + hindered)) {
        if (take_backup(base) && steps()) return true;
        now_ = method_.get();
    }
    if (found) return true;
    const Projector& here = *run_.step.here;
    if (now_ != backup_.get() && traits_->by_series && run_.backend.can(Capability::all_methods) &&
        here.weakest() > SingularSearch::singular_tol)
        return take_backup(base) && steps();
    // A reciprocal condition: then the methods fail by the weakness rather than by themselves.
    constexpr double weak = 0.1;
    if (!run_.plan.projects() || !is_usual() || traits_->by_series) return false;
    if (here.rank() >= 2 && here.weakest() <= weak) return take_passer() && now_->advance(limit);
    return leads_out(limit);
}

/// Takes a Taylor step out of a singular position, where the run began: there the rank is less than
/// at the step's end. Implicit stages, which have to agree with each other, have no answer in such
/// a place.
bool Steppers::leads_out(double limit) {
    const Step& step = run_.step;
    if (step.here->rank() == run_.field.m()) return false;
    if (take_passer() && now_->advance(limit)) {
        const std::unique_ptr<Projector> probe = run_.backend.make_projector(true);
        State end;
        now_->at(now_->length(), end);
        end.t = step.base->time.after(now_->length()).now();
        if (probe->project(end) == Outcome::ok && probe->rank() > step.here->rank()) return true;
    }
    now_ = method_.get();
    return false;
}

bool Steppers::prepare(const Clock& time, bool fresh) {
    run_.step.set_next_base(time);
    const Base& next = *run_.step.next_base;
    return now_->begin(next, fresh) || (fresh && traits_->by_series && take_backup(next));
}

bool Steppers::lacks_series(double tau) {
    lacks_series_ = now_->lacks_series() &&
                    (!limits_.features || limits_.features->agrees_at(path(), run_.step.base->time,
                                                                      tau, run_.plan.tolerance));
    return lacks_series_;
}

bool Steppers::take_passer() {
    if (!run_.backend.can(Capability::singular_crossings) || !run_.field.is_plain() ||
        limits_.has_unforeseen())
        return false;
    // A crossing multiplies errors of the step; behind it the energy must be right to 1e-9
    // (crossing_notes.cpp).
    constexpr double coarsest = 1e-10;
    if (!passer_)
        passer_ =
            run_.backend.make_crosser({std::min(run_.plan.tolerance, coarsest), run_.plan.step});
    if (!passer_->begin(*run_.step.base, true)) return false;
    now_ = passer_.get();
    return true;
}

bool Steppers::take_resolver(double limit) {
    // Errors have to stay below what the branches are apart, 16 roundings at least (Critical).
    constexpr double finest = 1e-15;
    if (!run_.backend.can(Capability::singular_crossings)) return false;
    if (!resolver_)
        resolver_ =
            run_.backend.make_crosser({std::min(run_.plan.tolerance, finest), run_.plan.step});
    if (limits_.has_unforeseen() || !resolver_->begin(*run_.step.base, true) ||
        !resolver_->advance(limit))
        return false;
    now_ = resolver_.get();
    return true;
}

bool Steppers::take_backup(const Base& base) {
    if (!backup_) backup_ = run_.backend.make_backup(run_.plan);
    if (!backup_ || !backup_->begin(base, true)) return false;
    now_ = backup_.get();
    return true;
}

}  // namespace lacon::driver
