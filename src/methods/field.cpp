// Compiled code goes first, then the interpreter with LDLᵀ. Efforts of controls are added to Q.
// Forces that depend on loads need a Newton iteration; if it finds no answer or several, there is
// no q''.
#include "methods/field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/load_count.hpp"
#include "methods/noise.hpp"
#include "state/evaluate.hpp"

namespace lacon::inline methods {

Field::Field(const DerivedModel& d, const FieldOptions& o)
    : details(d),
      options(o),
      shared_smooth(d.memo.get<SmoothSystem>(
          fmt::format("smooth {:a}", o.baumgarte),
          [&] { return std::make_shared<SmoothSystem>(lacon::smooth(d.system, o.baumgarte)); })),
      smooth(*shared_smooth) {}

DenseField::DenseField(const DerivedModel& d, const FieldOptions& o)
    : Field(d, o),
      assembler(d.system, d.parameters, smooth),
      loads(d.system),
      by_values_(d.system, d.parameters),
      lambda_(d.system.row_count()) {
    if (d.has_controls()) controller = std::make_unique<Controller>(d, o.solve);
}

bool DenseField::equations(const State& state, Equations& out) {
    if (stops()) return false;
    assembler.equations(state, out);
    ++counters.evaluations;
    return !assembler.not_finite();
}

Outcome DenseField::factor(ConstrainedFactor& factor, MatrixView M, MatrixView A,
                           const SolveOptions& how, RowSet rows) {
    const Outcome outcome = factor.factor(M, A, how, lasting_rank.most(rows));
    if (outcome != Outcome::ok || !lasting_rank.limits(*this, rows, factor.rank())) return outcome;
    return factor.factor(M, A, how, lasting_rank.most(rows));
}

bool DenseField::acceleration(const State& state, std::span<double> a) {
    if (compiled && compiled->run(state, assembler.branches, a)) {
        ++counters.evaluations;
        ++counters.factorizations;
        return true;
    }
    return solve(state, a, lambda_);
}

bool DenseField::solve(const State& state, std::span<double> a, std::span<double> multipliers) {
    if (!equations(state, stage_)) {
        if (smooth.branch_count == 0 || stopped) return false;
        by_values_.equations(state, stage_);
        if (by_values_.not_finite()) return false;
    }
    if (controller) {
        if (controller->run(state, stage_, Controller::Deciding::as_in_force, &assembler) !=
            Outcome::ok)
            return false;
        for (std::size_t i = 0; i < n(); ++i) stage_.Q[i] += controller->force()[i];
    }
    SolveOptions quick = options.solve;
    if (quick.path == SolveOptions::Path::automatic) quick.path = SolveOptions::Path::ldlt;
    ++counters.factorizations;
    if (factor(stage_factor_, stage_.M, stage_.A, quick) != Outcome::ok) return false;
    if (!loads.is_empty()) {
        Loads::Answer answer = loads.solve(assembler, state, stage_, stage_factor_);
        const std::vector<int> fixed = fixed_signs(details);
        const bool is_found = answer.outcome == Outcome::ok && answer.orientation > 0.0;
        if (!is_found || may_have_others(loads, assembler, state, stage_factor_, fixed, answer)) {
            // One-sided ones have others beyond: the same contact open.
            const auto& rows = loads.rows();
            if (!is_found && std::any_of(rows.begin(), rows.end(),
                                         [&](std::size_t row) { return fixed[row] != 0; }))
                return false;
            std::vector<Loads::Answer> answers =
                loads.all(assembler, state, stage_, stage_factor_, fixed);
            if (answers.size() != 1) return false;
            answer = std::move(answers[0]);
        }
        std::copy(answer.x.begin(), answer.x.end(), a.begin());
        std::copy(answer.multipliers.begin(), answer.multipliers.end(), multipliers.begin());
        return true;
    }
    stage_factor_.solve({stage_.M, stage_.A, m() > 0 ? 1 : 0}, stage_.Q, stage_.b, a, multipliers);
    return std::all_of(a.begin(), a.end(), [](double x) { return std::isfinite(x); });
}

Rounded DenseField::surface(const State& state, std::size_t branch) {
    std::vector<Rounded> all;
    assembler.surfaces(state, all);
    return all[branch];
}

std::vector<double> DenseField::rounding(const State& state, double ahead) {
    return measure_noise(*this, state, ahead);
}

Status DenseField::trouble(const State& state, Status otherwise) {
    Evaluation at = evaluate(details, state, options.solve);
    return at.status ? otherwise : at.status;
}

}  // namespace lacon::methods
