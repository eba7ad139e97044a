// How long a step may be: features, knots, growth. What depends on time alone is known beforehand
// (Calendar, Breaks); what moves is looked at on the step that a method has found.
#include "driver/step/limits.hpp"

#include <algorithm>

#include "driver/step/steppers.hpp"

namespace lacon::inline driver {

StepLimits::StepLimits(RunContext& run)
    : run_(run), breaks_(run.details.memo.get<Breaks>("breaks", [&] {
          return std::make_shared<Breaks>(run.details);
      })) {
    if (!run.backend.can(Capability::narrow_features)) return;
    features = run.backend.make_features();
    knots_ = std::make_unique<KnotSearch>(run.details);
}

std::string StepLimits::ended() const {
    return breaks_->ended(run_.step.base->time.now(), run_.plan.end);
}

double StepLimits::by_breaks(bool both_sides) {
    const Clock& time = run_.step.base->time;
    const Breaks::Stop stop = breaks_->after(time.now(), both_sides);
    const double limit = Clock{stop.time, 0.0}.since(time);
    jump_at_ = stop.jumps ? limit : INFINITY;
    return std::min(limit, run_.step.left());
}

double StepLimits::longest(const Steppers& steppers) {
    const std::size_t order = steppers.method().adaptive_order();
    if (steppers.is_usual() && order == 0) return INFINITY;
    const double most = steppers.traits().by_series
                            ? std::min(run_.plan.max_step, growth)
                            : run_.plan.max_step;  // others bound their growth themselves
    constexpr std::size_t least_order = 8;
    if (!calendar_)
        calendar_.emplace(run_.details, run_.plan.begin, run_.plan.end,
                          std::max(order, least_order));
    return calendar_->clear(run_.step.base->time.now(), most);
}

void StepLimits::note_length(double length) {
    // A step of a series may grow by orders of magnitude where nothing happens; ten a step lets it,
    // and still meets what lies right behind. Not critical.
    constexpr double most_growth = 10.0;
    growth = most_growth * length;
}

bool StepLimits::bound_by_features(Steppers& steppers) {
    const std::size_t order = steppers.now().adaptive_order();
    // Where something begins to slide, directions are rounding, and accelerations agree with
    // nothing.
    if (!features || features->is_empty() || order == 0 || steppers.begins_stiff()) return true;
    const Clock& time = run_.step.base->time;
    constexpr int most_cuts = 30;
    for (int cut = 0; cut < most_cuts; ++cut) {
        const StepPath path = steppers.path();
        const double known = steppers.now().clear();
        const double clear = known > 0.0 ? known : features->resolved(path, time, order);
        if (clear >= path.length || features->agrees(path, time, run_.plan.tolerance)) return true;
        // Not below a quarter at once: the next look is at places of its own. Not critical.
        constexpr double least = 0.25;
        const double length = std::max(clear, least * path.length);
        if (steppers.now().can_retake() && !steppers.now().advance(length)) return false;
        steppers.now().set_length(std::min(steppers.now().length(), length));
    }
    return true;
}

bool StepLimits::end_at_knot(Steppers& steppers) {
    Method& method = steppers.now();
    if (!has_knots() || method.adaptive_order() == 0) return true;
    // A multistep method would come to the knot by many short steps. It stays with the step that
    // it has, whose states lie beside the constraints: where the knot is passed is told by those
    // on them.
    const Clock& time = run_.step.base->time;
    const bool is_multistep = steppers.is_usual() && steppers.traits().is_multistep;
    const bool projects = is_multistep && run_.field.m() > 0 && run_.plan.projects();
    const StepPath path = steppers.path();
    double knot = knots_->first(path, time);
    if (knot >= path.length) return true;
    const std::unique_ptr<Projector> probe = run_.backend.make_projector(true);
    const auto projected = [&](double tau, State& out) {
        method.at(tau, out);
        out.t = time.after(tau).now();
        const State raw = out;
        if (probe->project(out) != Outcome::ok) out = raw;
    };
    if (projects) knot = knots_->first({projected, path.length}, time);
    if (knot >= path.length) return true;
    if (!is_multistep && method.can_retake() && !method.advance(knot)) return false;
    if (method.length() < knot) return true;  // the method had taken more than it should
    method.set_length(knot);
    jump_at_ = knot;
    return true;
}

}  // namespace lacon::driver
