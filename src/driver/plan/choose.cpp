// Picks a method by tolerance, stiffness and what changes on the way. Stiffness is judged by the
// fastest decay rate of the linearized motion at the first state.
#include "driver/plan/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/text.hpp"
#include "contact/loads.hpp"
#include "locate/breaks.hpp"
#include "methods/jacobian.hpp"
#include "methods/methods.hpp"

namespace lacon::inline driver {

namespace {

/// Why an explicit method would spend its steps on what is long gone; empty where it would not.
std::string why_stiff(DenseField& field, const State& state, double span, double decays) {
    constexpr std::size_t most_looked_at = 300;  // coordinates: the eigenvalues cost their cube
    Rates rates;
    if (field.n() > most_looked_at || !fastest_rates(field, state, rates)) return {};
    // Of the other rates: an explicit step is then shorter than the motion needs by this factor.
    // Not critical: it trades many cheap steps against few that solve implicit equations.
    constexpr double much_faster = 50.0;
    if (!(rates.decay * span > decays && rates.decay > much_faster * rates.other)) return {};
    return fmt::format("stiff: a component decays within {} s; the time span is {} times as long",
                       rounded(1.0 / rates.decay, 3), rounded(rates.decay * span, 3));
}

}  // namespace

/// Taylor series for accuracy, a Runge–Kutta pair for loose tolerances, backward differentiation
/// where something decays so fast beside the motion that an explicit method would spend its steps
/// on what is long gone. That one would have to begin anew at each change of what is in force, at
/// the order 1 and with steps of the size of the tolerance; there it is Radau, whose steps cost
/// about a hundred of an explicit one.
MethodChoice choose_method(DenseField& field, const State& state, const RunPlan& plan) {
    const bool by_series =
        plan.method == MethodKind::automatic || plan.method == MethodKind::taylor;
    constexpr double stiff_for_bdf = 2e3, stiff_for_radau = 1e5;  // decays within the time span
    if (!field.loads.is_empty() && by_series) {
        // Sliding may begin thousands of times: in large systems the look would cost more.
        constexpr std::size_t most_looked_at = 60;  // coordinates
        const bool looks = plan.method == MethodKind::automatic && field.n() <= most_looked_at &&
                           (!plan.tolerance_given || plan.tolerance >= finest_radau);
        if (const std::string stiff =
                looks ? why_stiff(field, state, plan.end - plan.begin, stiff_for_radau) : "";
            !stiff.empty())
            return {MethodKind::radau, stiff};
        return {MethodKind::dop853, "forces depend on constraint loads"};
    }
    if (field.controller && plan.method == MethodKind::taylor)
        return {MethodKind::dop853, "control efforts have no Taylor series"};
    if (const Curve* curve = Breaks(field.details).unforeseen(); curve && by_series)
        return {
            MethodKind::dop853,
            fmt::format("data '{}' has a moving argument, so the series cannot see its breakpoints",
                        curve->name())};
    if (plan.method != MethodKind::automatic) return {plan.method, ""};
    const bool begins_anew = changes_on_the_way(field.details);
    const std::string stiff = why_stiff(field, state, plan.end - plan.begin,
                                        begins_anew ? stiff_for_radau : stiff_for_bdf);
    if (!stiff.empty() && !begins_anew) return {MethodKind::bdf, stiff};
    if (!stiff.empty() && (!plan.tolerance_given || plan.tolerance >= finest_radau))
        return {MethodKind::radau, stiff};
    const std::string yet =
        stiff.empty() ? "" : stiff + ", but the tolerance is too small for radau; ";
    // The order of the series grows as the tolerance falls, that of dop853 does not. Not critical:
    // it trades the series' work for each order against more steps of dop853.
    constexpr double accurate = 1e-8;
    if (field.controller)
        return {MethodKind::dop853, yet + "control efforts have no Taylor series"};
    if (plan.tolerance <= accurate) return {MethodKind::taylor, yet + "tolerance ≤ 1e-8"};
    return {MethodKind::dop853, yet + "tolerance > 1e-8"};
}

double default_tolerance(MethodKind method) {
    if (method == MethodKind::automatic || method == MethodKind::taylor)
        return 1e-12;  // its cost hardly grows: steps are as long, of two orders more
    if (method == MethodKind::dop853) return 1e-11;  // a third more steps than at 1e-10
    return 1e-10;
}

namespace {

/// The methods that there are; a new one is a file of src/methods and a line here and in
/// `make_method`.
const std::array<MethodTraits, 8> all_traits{{
    {.method = MethodKind::taylor, .by_series = true, .has_compiled_steps = true},
    {.method = MethodKind::dop853, .has_compiled_steps = true, .tableau = dop853},
    {.method = MethodKind::dopri5, .has_compiled_steps = true, .tableau = dopri5},
    {.method = MethodKind::rk4, .tableau = rk4},
    {.method = MethodKind::radau, .is_implicit = true},
    {.method = MethodKind::gauss, .is_implicit = true},
    {.method = MethodKind::bdf, .is_multistep = true, .is_implicit = true, .finest = cvode_floor},
    {.method = MethodKind::adams,
     .is_multistep = true,
     .is_hindered_by_knots = true,
     .finest = cvode_floor},
}};

}  // namespace

const MethodTraits& traits_of(MethodKind method) {
    const auto found = std::find_if(all_traits.begin(), all_traits.end(),
                                    [&](const MethodTraits& one) { return one.method == method; });
    if (found == all_traits.end())
        throw std::invalid_argument(fmt::format("there is no method '{}'", name_of(method)));
    return *found;
}

bool has_fixed_step(MethodKind method) {
    return method == MethodKind::rk4 || method == MethodKind::gauss;
}

bool has_fixed_step(std::string_view method) {
    return has_fixed_step(named<MethodKind>(method).value_or(MethodKind::unspecified));
}

std::unique_ptr<Method> make_method(MethodKind kind, DenseField& field, const RunPlan& plan) {
    const MethodOptions options{plan.tolerance, plan.step, plan.series_tolerance};
    const MethodTraits& method = traits_of(kind);
    if (method.by_series) return make_taylor(field, options);
    if (method.tableau) return make_runge_kutta(method.tableau(), field, options);
    if (method.is_multistep) return make_cvode(method.is_implicit, field, options, plan.projects());
    if (kind == MethodKind::radau) return make_radau(field, options);
    return make_gauss(field, options, plan.projects());
}

}  // namespace lacon::driver
