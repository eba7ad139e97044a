// Solves M q'' = Q + Aᵀ λ, A q'' = b (theory 2) with at most two refinements. Where rows depend on
// each other it tests their consistency and takes the multipliers of least weighted norm (P2 35).
#include "large/motion/field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "expr/traverse.hpp"
#include "locate/breaks.hpp"
#include "state/family_names.hpp"
#include "state/verdict.hpp"

namespace lacon::inline large {

SparseField::SparseField(const SparseSystem& s, const SolveOptions& o, double baumgarte,
                         const SparseOptions& sparse)
    : Field(s.details, {o, baumgarte}),
      system(s),
      assembler(s),
      equations(s.empty_equations()),
      factor(s.mass, s.rows, sparse),
      decisions_(assembler) {}

Outcome SparseField::factor_at(const State& state) {
    served_.q.clear();
    ++counters.evaluations;
    assembler.equations(state, equations);
    if (assembler.not_finite()) return Outcome::undefined;
    assembler.zero_rounding(state, equations);
    ++counters.factorizations;
    const Outcome outcome = factor.factor(equations.M(), equations.A(), options.solve);
    if (outcome == Outcome::ok) served_ = state;
    return outcome;
}

Outcome SparseField::factor_for(const State& state) {
    const bool serves = served_.t == state.t && served_.q == state.q && served_.v == state.v;
    return serves ? Outcome::ok : factor_at(state);
}

void SparseField::surfaces(const State& state, std::vector<Rounded>& out) {
    decisions_.surfaces(state, out);
}

Rounded SparseField::surface(const State& state, std::size_t branch) {
    return decisions_.surface(state, branch);
}

Status SparseField::trouble(const State& state, Status otherwise) {
    const Outcome outcome = factor_at(state);
    return outcome == Outcome::ok ? otherwise : trouble(outcome, state);
}

Outcome SparseField::solve(SparseSolution& out) {
    out.acceleration.resize(system.n);
    out.multipliers.resize(system.m);
    constexpr double exact = 1e-15;  // residual of a row beside its terms
    residual = factor.solve({equations.M(), equations.A(), 2, exact}, equations.Q(), equations.b(),
                            out.acceleration, out.multipliers);
    if (factor.rank() == system.m) {
        if (residual > options.solve.consistency_tol) residual = unmet(out.acceleration);
        return residual <= options.solve.consistency_tol ? Outcome::ok : Outcome::no_convergence;
    }
    residual = inconsistency(out.acceleration);
    if (residual > options.solve.consistency_tol) return Outcome::conflict;
    const std::vector<DependentSet> sets =
        factor.dependent(equations.b(), options.solve.consistency_tol);
    factor.share(sets, system.details.weights, out.multipliers);
    return Outcome::ok;
}

double SparseField::unmet(std::span<const double> x) const {
    const auto A = equations.A(), Q = equations.Q(), b = equations.b(), M = equations.M();
    double heaviest = 0.0;
    for (std::size_t j = 0; j < system.n; ++j)
        heaviest = std::max(heaviest, M[system.mass->begin[j + 1] - 1]);
    const double usual = heaviest > 0.0 ? largest(Q) / heaviest : 0.0;
    double worst = 0.0;
    for (std::size_t i = 0; i < system.m; ++i) {
        double left = b[i], size = std::abs(b[i]);
        for (std::size_t e = system.rows->begin[i]; e < system.rows->begin[i + 1]; ++e) {
            const double term = A[e] * x[system.rows->column[e]];
            left -= term;
            size += std::abs(term) + std::abs(A[e]) * usual;
        }
        if (left != 0.0) worst = std::max(worst, std::abs(left) / size);
    }
    return worst;
}

double SparseField::inconsistency(std::span<const double> x) const {
    const double rounding =
        100.0 * 2.2e-16 / options.solve.consistency_tol;  // as the dense solve allows for
    const auto A = equations.A(), Q = equations.Q(), b = equations.b(), M = equations.M();
    std::vector<double> sizes(system.n);
    double square = 0.0;
    for (std::size_t j = 0; j < system.n; ++j) {
        const double mass =
            M[system.mass->begin[j + 1] - 1];  // the diagonal ends a row of the lower triangle
        sizes[j] = std::abs(x[j]) + (mass > 0.0 ? std::abs(Q[j] / mass) : 0.0);
        square += x[j] * x[j];
    }
    const double length = std::sqrt(square);
    double worst = 0.0;
    for (std::size_t i = 0; i < system.m; ++i) {
        double left = b[i], size = std::abs(b[i]), row = 0.0;
        for (std::size_t e = system.rows->begin[i]; e < system.rows->begin[i + 1]; ++e) {
            const std::uint32_t j = system.rows->column[e];
            left -= A[e] * x[j];
            size += std::abs(A[e]) * sizes[j];
            row += A[e] * A[e];
        }
        size = std::max(size, rounding * std::sqrt(row) * length);
        if (size > 0.0) worst = std::max(worst, std::abs(left) / size);
    }
    return worst;
}

Status SparseField::conflict(const State& state) {
    const std::vector<DependentSet> sets =
        factor.dependent(equations.b(), options.solve.consistency_tol);
    // Those that surely conflict; where there are none, those that may; else those that depend on
    // each other up to the tolerance of the rank only: dropped, they cannot be met.
    const auto doubt = [](const DependentSet& set) {
        return set.conflict ? (set.undecided ? 1 : 0) : (set.undecided ? 2 : 3);
    };
    int least = 3;
    for (const DependentSet& set : sets) least = std::min(least, doubt(set));
    Status status{Outcome::conflict, {}, {}};
    std::size_t count = 0;
    std::vector<bool> concerned(system.m, false);
    for (const DependentSet& set : sets) {
        if (least == 3 || doubt(set) != least) continue;
        for (const std::size_t row : set.rows) concerned[row] = true;
        constexpr std::size_t told = 3;
        if (count++ < told)
            status.message += (count > 1 ? "; " : "") + describe_conflict(details, set);
    }
    for (std::size_t row = 0; row < concerned.size(); ++row)
        if (concerned[row]) status.names.push_back(details.constraint_names[row]);
    if (count == 0)
        return {
            Outcome::no_convergence,
            fmt::format("the constraints have a relative residual of {} at {}: some are nearly "
                        "dependent, too close to the rank tolerance to tell whether they conflict",
                        rounded(residual, 3), state_text(details, state)),
            {}};
    status.message =
        fmt::format("constraints {} conflict: {}{}", ranges_text(status.names), status.message,
                    count > 3 ? fmt::format("; and {} more sets", count - 3) : "");
    return status;
}

Status SparseField::trouble(Outcome outcome, const State& state) {
    switch (outcome) {
        case Outcome::ok: return {};
        case Outcome::conflict: return conflict(state);
        case Outcome::undefined:
            if (assembler.not_finite())
                return undefined_status(details, *assembler.not_finite(), state);
            return {outcome,
                    fmt::format("a value is not finite at {}", state_text(details, state)),
                    {}};
        case Outcome::undetermined:
            return {outcome,
                    fmt::format("nothing determines the acceleration of '{}': it has no mass of "
                                "its own, and no constraint ties it to a mass",
                                details.coordinate_names[factor.concerned()]),
                    {details.coordinate_names[factor.concerned()]}};
        case Outcome::indefinite:
            return {outcome,
                    fmt::format("the mass matrix has a negative direction at '{}'",
                                details.coordinate_names[factor.concerned()]),
                    {details.coordinate_names[factor.concerned()]}};
        case Outcome::no_convergence:
            return {
                outcome,
                fmt::format("the sparse solver leaves a relative residual of {} in a constraint at "
                            "{}: the masses or rows are too unequal; try --solver dense",
                            rounded(residual, 3), state_text(details, state)),
                {}};
        default: return {outcome, "the system could not be solved", {}};
    }
}

namespace {

std::shared_ptr<const SmoothSystem> smooth_system(const DerivedModel& details, double baumgarte) {
    return details.memo.get<SmoothSystem>(
        fmt::format("smooth {:a}", baumgarte),  // the one that motion has, too
        [&] { return std::make_shared<SmoothSystem>(smooth(details.system, baumgarte)); });
}

}  // namespace

std::shared_ptr<const SparseSystem> large_system(const DerivedModel& details, double baumgarte) {
    const auto smooth =
        smooth_system(details, baumgarte);  // first: a memo is closed while something is made
    return details.memo.get<SparseSystem>(fmt::format("large {:a}", baumgarte), [&] {
        return std::make_shared<SparseSystem>(details, smooth);
    });
}

std::string text_of(const SparsePlan& plan) {
    std::string text = fmt::format(
        "sparse: {} ({}), {}, {}; {} entries in the factor, {} operations per entry",
        plan.road == "schur" ? "Schur complement A M⁻¹ Aᵀ" : "whole matrix [M Aᵀ; A 0]",
        counted(plan.unknowns, "row"), plan.form == "supernodal" ? "supernodal" : "simplicial",
        plan.order == "natural"  ? "natural order"
        : plan.order == "degree" ? "minimum-degree order"
                                 : "nested-dissection order",
        plan.entries,
        rounded(plan.operations / static_cast<double>(std::max<std::size_t>(1, plan.entries)), 2));
    if (plan.islands > 1)
        text += fmt::format("; {} islands, the largest of {}, in {}", plan.islands,
                            counted(plan.largest, "row"), counted(plan.threads, "thread"));
    return text;
}

namespace {

/// Whether what is watched for its sign may jump over zero, which is none; the dense way tells the
/// two apart.
bool may_jump(const Graph& graph, Expr e) {
    const std::vector<Expr> nodes = postorder(graph, {&e, 1});
    return std::any_of(nodes.begin(), nodes.end(), [&](Expr node) {
        return graph.op(node) == Op::atan2 || graph.op(node) == Op::floor ||
               graph.op(node) == Op::sign;
    });
}

}  // namespace

std::string why_not_large(const DerivedModel& details) {
    if (details.has_contacts()) return "one-sided constraints and friction";
    if (!details.system.nonideal.empty()) return "nonideal constraint forces";
    if (details.has_controls()) return "controls";
    if (const Curve* curve = Breaks(details).unforeseen())
        return fmt::format("data '{}' with a moving argument", curve->name());
    for (const auto& event : details.model.events)
        if (may_jump(details.model.graph, event.value))
            return "events that may jump (atan2, sign, floor)";
    const auto smooth = smooth_system(details, 0.0);
    for (const Element& element : details.system.elements) {
        for (const Decision& decision : smooth->shapes[element.shape].decisions) {
            if (decision.counts()) return "floor or mod of moving quantities";
            for (const Arg& side : details.system.graph.args(decision.node))
                if (may_jump(details.system.graph, side.expr))
                    return "decisions with discontinuous arguments (atan2, sign)";
        }
        if (element.row >= 0 && !smooth->shapes[element.shape].decisions.empty())
            return "decisions (if, abs, min, max) within constraints";
    }
    for (std::size_t s = 0; s < smooth->shapes.size(); ++s) {
        const Shape& shape = details.system.shapes[s];
        for (const std::size_t input : exponent_inputs(smooth->shapes[s]))
            if (input <= 2 * shape.coordinates || input > 2 * shape.coordinates + shape.parameters)
                return "exponents that depend on decisions (if, abs, min, max)";
    }
    return {};
}

}  // namespace lacon::large
