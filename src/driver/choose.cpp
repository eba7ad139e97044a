// Fills in the plan of a run from the options and the model, and picks a method by tolerance,
// stiffness and what changes on the way. Stiffness is judged by the fastest decay rate of the
// linearized motion at the first state.
#include "driver/choose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/text.hpp"
#include "kernel/target.hpp"
#include "methods/jacobian.hpp"
#include "methods/methods.hpp"

namespace lacon {

namespace {

constexpr double finest_radau = 1e-12;  // tolerance: its derivatives are differences

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
                    isa ? "this machine does not have the target" : "there is no target", asked,
                    fmt::join(names, ", ")));
}

/// Whether efforts follow different laws from place to place.
bool has_control_sets(const Model& model) {
    return std::any_of(model.actuators.begin(), model.actuators.end(),
                       [](const Actuator& a) { return a.low || a.high; }) ||
           std::any_of(
               model.requirements.begin(), model.requirements.end(),
               [](const ConstraintRow& row) { return row.sense != ConstraintRow::Sense::equal; });
}

/// Whether the equations change on the way: backward differentiation and Adams, which live on what
/// was before, are not for that.
bool changes_on_the_way(const DerivedModel& details) {
    const DerivedModel& whole = details.whole ? *details.whole : details;
    return whole.has_contacts() || !Loads(whole.system).is_empty() || has_control_sets(whole.model);
}

/// Why an explicit method would spend its steps on what is long gone; empty where it would not.
std::string why_stiff(Field& field, const State& state, double span, double decays) {
    constexpr std::size_t most_looked_at = 300;  // coordinates: the eigenvalues cost their cube
    Rates rates;
    if (field.n() > most_looked_at || !fastest_rates(field, state, rates)) return {};
    if (!(rates.decay * span > decays && rates.decay > 50.0 * rates.other)) return {};
    return fmt::format(
        "a part of the motion decays within {} s, {} times within the time span: the system is "
        "stiff",
        rounded(1.0 / rates.decay, 3), rounded(rates.decay * span, 3));
}

}  // namespace

RunPlan plan_run(const DerivedModel& details, const RunOptions& options) {
    RunPlan plan;
    plan.options = options;
    const auto& stated = details.model.simulation;
    const auto number = [&](Expr e) {
        double value = 0.0;
        Observables(details, {e}).values(State{}, {}, {&value, 1});
        return value;
    };
    if (!options.end && !stated)
        throw std::invalid_argument(
            "the model has no 'simulate' statement, so the time span must be given (--t A..B)");
    plan.begin = options.begin ? *options.begin : stated ? number(stated->begin) : 0.0;
    plan.end = options.end ? *options.end : number(stated->end);
    if (!(plan.end > plan.begin))
        throw std::invalid_argument(fmt::format("the time span {}..{} must end after its begin",
                                                shortest(plan.begin), shortest(plan.end)));
    plan.every = options.every                         ? *options.every
                 : stated && stated->every.has_value() ? number(*stated->every)
                                                       : (plan.end - plan.begin) / 1000.0;
    if (!(plan.every > 0.0))
        throw std::invalid_argument("the spacing of the rows must be positive");
    constexpr double most_rows = 1e9;
    if (!((plan.end - plan.begin) / plan.every <= most_rows))
        throw std::invalid_argument(fmt::format(
            "rows at every {} would be {} of them; the most is {}", shortest(plan.every),
            rounded((plan.end - plan.begin) / plan.every, 3), rounded(most_rows, 3)));
    plan.method = !options.method.empty()             ? std::string(options.method)
                  : stated && !stated->method.empty() ? stated->method
                                                      : "auto";
    plan.tolerance = options.tolerance                         ? *options.tolerance
                     : stated && stated->tolerance.has_value() ? number(*stated->tolerance)
                                                               : default_tolerance(plan.method);
    plan.tolerance_given = options.tolerance || (stated && stated->tolerance.has_value());
    if (!(plan.tolerance >= 1e-16 && plan.tolerance <= 0.1))
        throw std::invalid_argument(
            fmt::format("the tolerance {} is not between 1e-16 and 0.1", shortest(plan.tolerance)));
    plan.step = options.step.value_or(plan.every);
    if (!(plan.step > 0.0)) throw std::invalid_argument("the step must be positive");
    plan.max_step = options.max_step.value_or(std::numeric_limits<double>::infinity());
    if (!(plan.max_step > 0.0)) throw std::invalid_argument("the longest step must be positive");
    if (!std::isfinite(plan.begin) || !std::isfinite(plan.end))
        throw std::invalid_argument("the time span must be finite");
    const auto known = method_names();
    if (std::find(known.begin(), known.end(), plan.method) == known.end()) {
        const std::vector<std::string> names(known.begin(), known.end());
        const auto near = nearest_name(plan.method, names);
        throw std::invalid_argument(
            fmt::format("there is no method '{}'; {}: {}", plan.method,
                        near ? fmt::format("did you mean '{}'? Methods", *near) : "methods",
                        fmt::join(names, ", ")));
    }
    if (options.max_step && (plan.method == "rk4" || plan.method == "gauss"))
        throw std::invalid_argument(fmt::format(
            "--max-step does not go with the method '{}', which takes fixed steps: give "
            "their length by --step",
            plan.method));
    if (changes_on_the_way(details) && (plan.method == "bdf" || plan.method == "adams"))
        throw std::invalid_argument(
            fmt::format("the method '{}' is not for contacts, friction, forces that depend on "
                        "loads and controls with limits or one-sided "
                        "requirements: it cannot begin anew at each change; use taylor, dop853, "
                        "dopri5, radau, rk4 or gauss",
                        plan.method));
    if (plan.method == "radau" && plan.tolerance < finest_radau)
        throw std::invalid_argument(
            fmt::format("the method 'radau' takes tolerances from {} on, not {}",
                        shortest(finest_radau), shortest(plan.tolerance)));
    plan.impacts = !options.impacts.empty()             ? std::string(options.impacts)
                   : stated && !stated->impacts.empty() ? stated->impacts
                                                        : "simultaneous";
    const auto laws = impact_law_names();
    if (std::find(laws.begin(), laws.end(), plan.impacts) == laws.end())
        throw std::invalid_argument(fmt::format("there is no law of impacts '{}'; laws: {}",
                                                plan.impacts, fmt::join(laws, ", ")));
    plan.options.target = plan_target(std::string(options.target.name()));
    return plan;
}

/// Taylor series for accuracy, a Runge–Kutta pair for loose tolerances, backward differentiation
/// where something decays so fast beside the motion that an explicit method would spend its steps
/// on what is long gone. That one would have to begin anew at each change of what is in force, at
/// the order 1 and with steps of the size of the tolerance; there it is Radau, whose steps cost
/// about a hundred of an explicit one.
MethodChoice choose_method(Field& field, const State& state, const RunPlan& plan) {
    const bool by_series = plan.method == "auto" || plan.method == "taylor";
    constexpr double stiff_for_bdf = 2e3, stiff_for_radau = 1e5;  // decays within the time span
    if (!field.loads.is_empty() && by_series) {
        // Sliding may begin thousands of times: in large systems the look would cost more.
        constexpr std::size_t most_looked_at = 60;  // coordinates
        const bool looks = plan.method == "auto" && field.n() <= most_looked_at &&
                           (!plan.tolerance_given || plan.tolerance >= finest_radau);
        if (const std::string stiff =
                looks ? why_stiff(field, state, plan.end - plan.begin, stiff_for_radau) : "";
            !stiff.empty())
            return {"radau", stiff};
        return {"dop853", "forces depend on the loads of constraints"};
    }
    if (field.controller && plan.method == "taylor")
        return {"dop853", "the efforts of controls have no series"};
    if (const Curve* curve = Breaks(field.details).unforeseen(); curve && by_series)
        return {"dop853",
                fmt::format(
                    "data '{}' is taken at what moves, and its pieces end where no series knows",
                    curve->name())};
    if (plan.method != "auto") return {plan.method, ""};
    const bool begins_anew = changes_on_the_way(field.details);
    const std::string stiff = why_stiff(field, state, plan.end - plan.begin,
                                        begins_anew ? stiff_for_radau : stiff_for_bdf);
    if (!stiff.empty() && !begins_anew) return {"bdf", stiff};
    if (!stiff.empty() && (!plan.tolerance_given || plan.tolerance >= finest_radau))
        return {"radau", stiff};
    const std::string yet =
        stiff.empty() ? "" : stiff + ", but the tolerance is too small for radau; ";
    constexpr double accurate = 1e-8;
    if (field.controller) return {"dop853", yet + "the efforts of controls have no series"};
    if (plan.tolerance <= accurate) return {"taylor", yet + "tolerance ≤ 1e-8"};
    return {"dop853", yet + "tolerance > 1e-8"};
}

double default_tolerance(const std::string& method) {
    if (method == "auto" || method == "taylor")
        return 1e-12;  // its cost hardly grows: steps are as long, of two orders more
    if (method == "dop853") return 1e-11;  // a third more steps than at 1e-10
    return 1e-10;
}

std::unique_ptr<Method> make_method(const std::string& name, Field& field, const RunPlan& plan) {
    const MethodOptions options{plan.tolerance, plan.step, plan.series_tolerance};
    const bool projects = plan.options.stabilize == Stabilize::project;
    if (name == "dop853") return make_runge_kutta(dop853(), field, options);
    if (name == "dopri5") return make_runge_kutta(dopri5(), field, options);
    if (name == "rk4") return make_runge_kutta(rk4(), field, options);
    if (name == "radau") return make_radau(field, options);
    if (name == "gauss") return make_gauss(field, options, projects);
    if (name == "bdf" || name == "adams")
        return make_cvode(name == "bdf", field, options, projects);
    return make_taylor(field, options);
}

}  // namespace lacon
