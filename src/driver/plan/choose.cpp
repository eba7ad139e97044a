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
    return fmt::format("stiff: a component decays within {} s, {} times in the time span",
                       rounded(1.0 / rates.decay, 3), rounded(rates.decay * span, 3));
}

}  // namespace

/// Taylor series for accuracy, a Runge–Kutta pair for loose tolerances, backward differentiation
/// where something decays so fast beside the motion that an explicit method would spend its steps
/// on what is long gone. That one would have to begin anew at each change of what is in force, at
/// the order 1 and with steps of the size of the tolerance; there it is Radau, whose steps cost
/// about a hundred of an explicit one.
MethodChoice choose_method(DenseField& field, const State& state, const RunPlan& plan) {
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
        return {"dop853", "forces depend on constraint loads"};
    }
    if (field.controller && plan.method == "taylor")
        return {"dop853", "control efforts have no Taylor series"};
    if (const Curve* curve = Breaks(field.details).unforeseen(); curve && by_series)
        return {
            "dop853",
            fmt::format("data '{}' has a moving argument, so the series cannot see its breakpoints",
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
    // The order of the series grows as the tolerance falls, that of dop853 does not. Not critical:
    // it trades the series' work for each order against more steps of dop853.
    constexpr double accurate = 1e-8;
    if (field.controller) return {"dop853", yet + "control efforts have no Taylor series"};
    if (plan.tolerance <= accurate) return {"taylor", yet + "tolerance ≤ 1e-8"};
    return {"dop853", yet + "tolerance > 1e-8"};
}

double default_tolerance(const std::string& method) {
    if (method == "auto" || method == "taylor")
        return 1e-12;  // its cost hardly grows: steps are as long, of two orders more
    if (method == "dop853") return 1e-11;  // a third more steps than at 1e-10
    return 1e-10;  // of lower order, or by CVODE: less costs many more steps
}

namespace {

/// The methods that there are; a new one is a file of src/methods and a line here and in
/// `make_method`.
const std::array<MethodTraits, 8> all_traits{{
    {.name = "taylor", .by_series = true, .has_compiled_steps = true},
    {.name = "dop853", .has_compiled_steps = true, .tableau = dop853},
    {.name = "dopri5", .has_compiled_steps = true, .tableau = dopri5},
    {.name = "rk4", .tableau = rk4},
    {.name = "radau", .is_implicit = true},
    {.name = "gauss", .is_implicit = true},
    {.name = "bdf", .is_multistep = true, .is_implicit = true, .finest = cvode_floor},
    {.name = "adams", .is_multistep = true, .is_hindered_by_knots = true, .finest = cvode_floor},
}};

}  // namespace

const MethodTraits& traits_of(std::string_view name) {
    const auto found = std::find_if(all_traits.begin(), all_traits.end(),
                                    [&](const MethodTraits& one) { return one.name == name; });
    if (found == all_traits.end())
        throw std::invalid_argument(fmt::format("there is no method '{}'", name));
    return *found;
}

std::unique_ptr<Method> make_method(const std::string& name, DenseField& field,
                                    const RunPlan& plan) {
    const MethodOptions options{plan.tolerance, plan.step, plan.series_tolerance};
    const MethodTraits& method = traits_of(name);
    if (method.by_series) return make_taylor(field, options);
    if (method.tableau) return make_runge_kutta(method.tableau(), field, options);
    if (method.is_multistep) return make_cvode(method.is_implicit, field, options, plan.projects());
    if (name == "radau") return make_radau(field, options);
    return make_gauss(field, options, plan.projects());
}

}  // namespace lacon::driver
