// Fills in the plan of a run from the options and the model.
#include "driver/plan/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/text.hpp"
#include "contact/loads.hpp"
#include "driver/plan/choose.hpp"
#include "kernel/target.hpp"
#include "state/observables.hpp"

namespace lacon::inline driver {

FieldOptions field_options(const RunPlan& plan) {
    return {plan.options.solve,
            plan.options.stabilize == Stabilize::baumgarte ? plan.options.baumgarte : 0.0};
}

namespace {

/// Whether efforts follow different laws from place to place.
bool has_control_sets(const Model& model) {
    return std::any_of(model.actuators.begin(), model.actuators.end(),
                       [](const Actuator& a) { return a.low || a.high; }) ||
           std::any_of(
               model.requirements.begin(), model.requirements.end(),
               [](const ConstraintRow& row) { return row.sense != ConstraintRow::Sense::equal; });
}

/// The instructions that machine code is made of: those asked for, or the best there are.
std::string plan_target(const std::string& asked) {
    const std::vector<kernel::Isa> here = kernel::host_isas();
    if (asked.empty()) return std::string(name_of(here.back()));
    const auto isa = kernel::isa_named(asked);
    if (isa && std::find(here.begin(), here.end(), *isa) != here.end()) return asked;
    std::vector<std::string_view> names;
    for (const kernel::Isa i : here) names.push_back(name_of(i));
    throw std::invalid_argument(
        fmt::format("{} '{}'; this machine has: {}",
                    isa ? "this machine does not support the target" : "there is no target", asked,
                    fmt::join(names, ", ")));
}

}  // namespace

bool runs_here(const RunPlan& plan) {
    const auto isa = kernel::isa_named(plan.options.target);
    const auto here = kernel::host_isas();
    return isa && std::find(here.begin(), here.end(), *isa) != here.end();
}

bool changes_on_the_way(const DerivedModel& details) {
    const DerivedModel& whole = details.whole ? *details.whole : details;
    return whole.has_contacts() || !Loads(whole.system).is_empty() || has_control_sets(whole.model);
}

namespace {

double value_of(const DerivedModel& details, Expr e) {
    double value = 0.0;
    DenseObservables(details, {e}).values(State{}, {}, {&value, 1});
    return value;
}

/// The time span and the rows in it.
void plan_times(const DerivedModel& details, const RunOptions& options, RunPlan& plan) {
    const auto& stated = details.model.simulation;
    if (!options.end && !stated)
        throw std::invalid_argument(
            "the model has no 'simulate' statement, so the time span must be given (--t A..B)");
    plan.begin = options.begin ? *options.begin : stated ? value_of(details, stated->begin) : 0.0;
    plan.end = options.end ? *options.end : value_of(details, stated->end);
    if (!(plan.end > plan.begin))
        throw std::invalid_argument(fmt::format("the time span {}..{} must end after it starts",
                                                shortest(plan.begin), shortest(plan.end)));
    // A thousand rows, if nothing is said: what a plot can show.
    plan.every = options.every                         ? *options.every
                 : stated && stated->every.has_value() ? value_of(details, *stated->every)
                                                       : (plan.end - plan.begin) / 1000.0;
    if (!(plan.every > 0.0))
        throw std::invalid_argument("the spacing of the rows must be positive");
    constexpr double most_rows = 1e9;  // a mistake in the spacing: they would take days and disks
    if (!((plan.end - plan.begin) / plan.every <= most_rows))
        throw std::invalid_argument(
            fmt::format("a row every {} would give {} rows; the limit is {}", shortest(plan.every),
                        rounded((plan.end - plan.begin) / plan.every, 3), rounded(most_rows, 3)));
}

/// The method, its tolerance and its steps.
void plan_steps(const DerivedModel& details, const RunOptions& options, RunPlan& plan) {
    const auto& stated = details.model.simulation;
    if (!options.method.empty()) plan.method = options.method;
    else if (stated && !stated->method.empty()) plan.method = Named<MethodKind>(stated->method);
    plan.tolerance = options.tolerance ? *options.tolerance
                     : stated && stated->tolerance.has_value()
                         ? value_of(details, *stated->tolerance)
                         : default_tolerance(plan.method);
    plan.tolerance_given = options.tolerance || (stated && stated->tolerance.has_value());
    // Below 1e-16 no step meets it in double precision; above 0.1 a step says nothing.
    if (!(plan.tolerance >= 1e-16 && plan.tolerance <= 0.1))
        throw std::invalid_argument(
            fmt::format("the tolerance {} is not between 1e-16 and 0.1", shortest(plan.tolerance)));
    plan.step = options.step.value_or(plan.every);
    if (!(plan.step > 0.0)) throw std::invalid_argument("the step must be positive");
    plan.max_step = options.max_step.value_or(std::numeric_limits<double>::infinity());
    if (!(plan.max_step > 0.0)) throw std::invalid_argument("the maximum step must be positive");
    if (!std::isfinite(plan.begin) || !std::isfinite(plan.end))
        throw std::invalid_argument("the time span must be finite");
}

/// What a method cannot do.
void check_method(const DerivedModel& details, const RunOptions& options, const RunPlan& plan) {
    if (options.max_step && has_fixed_step(plan.method))
        throw std::invalid_argument(
            fmt::format("--max-step cannot be used with the method '{}', which takes fixed steps: "
                        "set their length with --step",
                        name_of(plan.method)));
    if (changes_on_the_way(details) && plan.method != MethodKind::automatic &&
        traits_of(plan.method).is_multistep)
        throw std::invalid_argument(
            fmt::format("the method '{}' cannot restart at each change of contacts, friction, "
                        "load-dependent forces, limits or one-sided requirements; use taylor, "
                        "dop853, dopri5, radau, rk4 or gauss",
                        name_of(plan.method)));
    if (plan.method == MethodKind::radau && plan.tolerance < finest_radau)
        throw std::invalid_argument(
            fmt::format("the method 'radau' needs a tolerance of at least {}, not {}",
                        shortest(finest_radau), shortest(plan.tolerance)));
}

}  // namespace

RunPlan plan_run(const DerivedModel& details, const RunOptions& options) {
    RunPlan plan;
    plan.options = options;
    plan_times(details, options, plan);
    plan_steps(details, options, plan);
    check_method(details, options, plan);
    const auto& stated = details.model.simulation;
    if (!options.impacts.empty()) plan.impacts = options.impacts;
    else if (stated && !stated->impacts.empty()) plan.impacts = Named<ImpactLaw>(stated->impacts);
    plan.options.target = plan_target(std::string(options.target.name()));
    return plan;
}

}  // namespace lacon::driver
