// Messages name constraints and numbers. If a value is not finite, they say whether a derivative or
// missing data is the cause.
#include "state/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "expr/traverse.hpp"
#include "mechanics/explain/machine.hpp"
#include "mechanics/numbers/assemble.hpp"
#include "solve/dense/constrained/dependence.hpp"
#include "state/row_names.hpp"

namespace lacon::inline state {

namespace {

std::vector<std::string> coordinate_list(const DerivedModel& details,
                                         const std::vector<std::size_t>& numbers) {
    std::vector<std::string> names;
    for (const std::size_t i : numbers) names.push_back(details.coordinate_names[i]);
    return names;
}

Status conflict_status(const DerivedModel& details, const ConstrainedSolution& solution) {
    Status status{Outcome::conflict, {}, {}};
    for (const DependentSet& set : solution.dependent)
        if (set.conflict)
            status.message +=
                (status.message.empty() ? "" : "; ") + describe_conflict(details, set);
    status.names = names_of(details, rows_of(solution.dependent, Concerned::conflicting));
    if (status.message.empty())
        status.message = fmt::format(
            "the constraints conflict: no acceleration meets them all (relative residual {})",
            rounded(solution.residual, 3));
    return status;
}

Status indefinite_status(const DerivedModel& details, const ConstrainedSolution& solution) {
    const std::string& row = details.coordinate_names[solution.indefinite_row];
    const std::string& column = details.coordinate_names[solution.indefinite_col];
    Status status{Outcome::indefinite, {}, {row}};
    if (row == column) {
        status.message = fmt::format(
            "the mass matrix is not positive: coordinate '{}' has a negative mass, in M[{},{}] or "
            "after eliminating the others",
            row, row, row);
    } else {
        status.names.push_back(column);
        status.message = fmt::format(
            "the mass matrix is not positive: M[{0},{1}] is too large for M[{0},{0}] and "
            "M[{1},{1}]",
            row, column);
    }
    return status;
}

/// Whether the equations contain derivatives of it: of an energy, a dissipation or a constraint,
/// not of a force.
bool enters_by_derivatives(const DerivedModel& details, std::uint32_t origin) {
    const Span place = place_of(details.model, details.system.origins[origin]);
    const auto is_here = [&](const EnergyTerm& term) { return term.span.begin == place.begin; };
    if (std::any_of(details.model.dissipation.begin(), details.model.dissipation.end(), is_here))
        return true;
    return std::any_of(details.system.elements.begin(), details.system.elements.end(),
                       [&](const Element& element) {
                           const Shape& shape = details.system.shapes[element.shape];
                           return element.origin == origin && !(shape.energies.entries.empty() &&
                                                                shape.residuals.entries.empty());
                       });
}

/// Whether all energies and constraints are finite, so that what is not must be a derivative.
bool values_are_finite(const DerivedModel& details, const State& state) {
    Assembler assembler(details.system, details.parameters);
    Residuals residuals;
    assembler.energies(state);
    if (assembler.not_finite()) return false;
    assembler.residuals(state, residuals);
    return std::all_of(residuals.value.begin(), residuals.value.end(),
                       [](double r) { return std::isfinite(r); });
}

/// "data 'ground' has no value at 41.2: it goes from 0 to 40", where that is what an element lacks;
/// else nothing.
std::string missing_data(const DerivedModel& details, std::uint32_t origin, const State& state) {
    const System& system = details.system;
    std::vector<Element> elements = system.elements;
    for (const NonidealElement& nonideal : system.nonideal) elements.push_back(nonideal.element);
    for (const NonidealElement& bound : system.dry_bounds) elements.push_back(bound.element);
    for (const Element& element : elements) {
        const Shape& shape = system.shapes[element.shape];
        std::vector<Expr> roots;
        for (const Derived* part : {&shape.dynamics, &shape.residuals, &shape.energies})
            roots.insert(roots.end(), part->values.begin(), part->values.end());
        std::vector<Expr> signals = postorder(system.graph, roots), arguments;
        std::erase_if(signals, [&](Expr e) { return system.graph.op(e) != Op::data; });
        if (element.origin != origin || signals.empty()) continue;
        for (const Expr e : signals) arguments.push_back(system.graph.args(e)[0].expr);
        std::vector<Expr> symbols{system.t};
        std::vector<double> numbers{state.t};
        const std::uint32_t* leaf = system.leaves.data() + element.leaves;
        for (std::size_t i = 0; i < shape.coordinates; ++i) {
            symbols.insert(symbols.end(), {system.q[i], system.v[i]});
            numbers.insert(numbers.end(), {state.q[leaf[i]], state.v[leaf[i]]});
        }
        for (std::size_t i = 0; i < shape.parameters; ++i) {
            symbols.push_back(system.p[i]);
            numbers.push_back(details.parameters[leaf[shape.coordinates + i]]);
        }
        const Program program(system.graph, symbols, arguments);
        std::vector<double> slots(program.slot_count()), values(arguments.size());
        program.run<double>(numbers, slots, values);
        for (std::size_t i = 0; i < signals.size(); ++i) {
            const Curve& curve = *system.graph.curve(signals[i]);
            if (curve.covers(values[i])) continue;
            const double end = values[i] > curve.last() ? curve.last() : curve.first();
            // 1e-5 of the range: the value is then beyond the end, rather than elsewhere. Wording
            // only.
            const bool is_near = std::abs(values[i] - end) <= 1e-5 * (curve.last() - curve.first());
            return fmt::format("data '{}' has no value {}: it goes from {} to {}", curve.name(),
                               is_near ? "beyond " + rounded(end) : "at " + rounded(values[i]),
                               shortest(curve.first()), shortest(curve.last()));
        }
    }
    return {};
}

}  // namespace

std::string state_text(const DerivedModel& details, const State& state) {
    constexpr std::size_t shown = 6;
    std::string text = fmt::format("t = {}", rounded(state.t));
    for (std::size_t i = 0; i < std::min(shown, state.q.size()); ++i)
        text += fmt::format(", {} = {}", details.coordinate_names[i], rounded(state.q[i]));
    for (std::size_t i = 0; i < std::min(shown, state.v.size()); ++i)
        text += fmt::format(", {}' = {}", details.coordinate_names[i], rounded(state.v[i]));
    return state.q.size() > shown ? text + ", ..." : text;
}

std::vector<std::string> names_of(const DerivedModel& details,
                                  const std::vector<std::size_t>& rows) {
    std::vector<std::string> names;
    for (const std::size_t r : rows) names.push_back(details.constraint_names[r]);
    return names;
}

std::vector<std::string> names_of(const DerivedModel& details, const DependentSet& set) {
    return names_of(details, set.rows);
}

std::string say_dependent(const std::vector<std::string>& row_names,
                          const std::vector<std::size_t>& rows) {
    const ShortNames list = short_names(row_names, rows);
    if (rows.size() == 1)
        return fmt::format("'{}' has no effect here: no coordinate can change it", list.names[0]);
    if (list.names.size() == 1 && list.whole_vectors)
        return fmt::format("the {} rows of '{}' depend on each other", rows.size(), list.names[0]);
    if (rows.size() == 2) return fmt::format("{} are equivalent", quoted_list(list.names));
    return fmt::format("{} depend on each other: {} follows from the others",
                       quoted_list(list.names),
                       list.whole_vectors ? "each of their rows" : "any one");
}

std::string describe(const DerivedModel& details, const DependentSet& set) {
    return say_dependent(details.constraint_names, set.rows);
}

std::pair<std::string, std::string> told_apart(double a, double b) {
    int digits = 6;
    while (digits < 17 && rounded(a, digits) == rounded(b, digits)) ++digits;
    return {rounded(a, digits), rounded(b, digits)};
}

std::string describe_conflict(const DerivedModel& details, const DependentSet& set) {
    const std::vector<std::string>& all = details.constraint_names;
    const std::string& last = all[set.rows.back()];
    if (set.rows.size() == 1)
        return fmt::format(
            "'{}' cannot be met: it requires {} where no coordinate can change it (as "
            "accelerations)",
            last, rounded(set.asked));
    const ShortNames others = short_names(all, {set.rows.begin(), set.rows.end() - 1});
    const auto [asked, fixed] = told_apart(set.asked, set.fixed);
    if (set.undecided && asked == fixed)
        return fmt::format(
            "{} depend on each other within the rank tolerance, but not exactly: treated as "
            "dependent, they cannot all be met",
            quoted_list(short_names(all, set.rows).names));
    return fmt::format("'{}' requires {} where {} already {} {} (as accelerations)", last, asked,
                       quoted_list(others.names), others.names.size() > 1 ? "fix" : "fixes", fixed);
}

bool has_rank(const ConstrainedSolution& solution) {
    return solution.outcome == Outcome::ok || solution.outcome == Outcome::conflict ||
           solution.outcome == Outcome::undetermined;
}

Status status_of(const DerivedModel& details, const ConstrainedSolution& solution) {
    switch (solution.outcome) {
        case Outcome::ok: return {};
        case Outcome::conflict: return conflict_status(details, solution);
        case Outcome::indefinite: return indefinite_status(details, solution);
        case Outcome::undetermined: {
            Status status{
                Outcome::undetermined, {}, coordinate_list(details, solution.undetermined)};
            status.message = fmt::format(
                "the accelerations of {} are not determined: they have no mass of their own and no "
                "constraint fixes them",
                quoted_list(status.names));
            if (const std::string why = lack_of_inertia(details.model, solution.undetermined);
                !why.empty())
                status.message += ": " + why;
            return status;
        }
        default: return {solution.outcome, "a value is not a finite number", {}};
    }
}

Status size_status(const DerivedModel& details) {
    // Of M or A: 320 MB each, and minutes in the decomposition.
    constexpr std::size_t most_numbers = 40'000'000;
    const std::size_t n = details.system.coordinate_count, m = details.system.row_count();
    if (n * std::max(n, m) <= most_numbers) return {};
    return {Outcome::too_large,
            fmt::format("{} and {} are too many for the dense solve", counted(n, "coordinate"),
                        counted(m, "constraint row")),
            {}};
}

Status undefined_status(const DerivedModel& details, std::uint32_t origin, const State& state) {
    if (details.system.graph.has_data())
        if (std::string why = missing_data(details, origin, state); !why.empty())
            return {Outcome::undefined, std::move(why), {}};
    const bool derivative =
        enters_by_derivatives(details, origin) && values_are_finite(details, state);
    return {Outcome::undefined,
            fmt::format("{} has {} at {}", text_of(details.model, details.system.origins[origin]),
                        derivative ? "a derivative that is not finite" : "no finite value",
                        state_text(details, state)),
            {}};
}

}  // namespace lacon::state
