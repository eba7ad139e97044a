// Projection onto the constraints: δq = K₁ (−φ), then δq' = K₁ (−φ'), K₁ the weighted generalized
// inverse of P1 5c, repeated with one factorization until the residuals are rounding.
#include "methods/projection.hpp"

#include <algorithm>
#include <cmath>

#include "methods/project.hpp"
#include "state/nearest.hpp"

namespace lacon::inline methods {

DenseProjector::DenseProjector(DenseField& field, bool moves)
    : field_(field), moves_(moves), zero_(field.n(), 0.0), change_(field.n()) {
    const System& system = field.details.system;
    for (std::size_t r = 0; r < system.row_count(); ++r) {
        if (system.levels[r] == Level::acceleration) continue;
        const auto rows = system.stabilized[r] ? &LevelRows::stabilized : &LevelRows::rows;
        (velocity_rows_.*rows).push_back(r);
        if (system.levels[r] == Level::position) (position_rows_.*rows).push_back(r);
    }
    for (LevelRows* level : {&position_rows_, &velocity_rows_})
        if (level->rows.size() < system.row_count() && !level->rows.empty()) level->own.emplace();
}

SolveOptions DenseProjector::solve_options() const {
    SolveOptions options = field_.options.solve;
    options.rank_tol = std::max(options.rank_tol, weak);
    return options;
}

Outcome DenseProjector::factor_level(LevelRows& level) {
    if (!level.own) return Outcome::ok;
    level.A = Matrix(level.rows.size(), field_.n());
    for (std::size_t i = 0; i < level.rows.size(); ++i)
        std::copy_n(equations_.A.row(level.rows[i]).begin(), field_.n(), level.A.row(i).begin());
    ++field_.counters.factorizations;
    const Outcome outcome = level.own->factor(equations_.M, level.A, solve_options());
    return outcome == Outcome::undetermined
               ? Outcome::ok
               : outcome;  // a massless coordinate held by an upper level only
}

Outcome DenseProjector::factor_at(const State& state) {
    if (!field_.equations(state, equations_)) return Outcome::undefined;
    for (std::size_t i = 0; i < added_mass.size(); ++i) equations_.M(i, i) += added_mass[i];
    ++field_.counters.factorizations;
    const Outcome outcome = all_.factor(equations_.M, equations_.A, solve_options());
    if (outcome != Outcome::ok || !moves_) return outcome;
    const Outcome positions = factor_level(position_rows_);
    return positions == Outcome::ok ? factor_level(velocity_rows_) : positions;
}

double DenseProjector::scaled_residual(const State& state, bool velocity_level) {
    const LevelRows& level = velocity_level ? velocity_rows_ : position_rows_;
    field_.assembler.residuals(state, residuals_);
    const std::vector<double>& r = velocity_level ? residuals_.velocity : residuals_.value;
    right_.resize(level.rows.size());
    for (std::size_t i = 0; i < level.rows.size(); ++i) right_[i] = -r[level.rows[i]];
    const double extent = projecting::extent_of(state, velocity_level);
    const auto length = [&](std::size_t row) {
        double size = 0.0;
        for (std::size_t j = 0; j < field_.n(); ++j)
            size += std::abs(equations_.A(row, j)) * extent;
        return size;
    };
    projecting::note_largest(level.stabilized, r, length, velocity_level, stabilized);
    projecting::note_largest(level.rows, r, length, velocity_level, left);
    return velocity_level ? left.velocity : left.position;
}

void DenseProjector::measure(const State& state) {
    scaled_residual(state, false);
    scaled_residual(state, true);
}

void DenseProjector::remove_across(std::span<double> change, bool velocity_level) {
    LevelRows& level = velocity_level ? velocity_rows_ : position_rows_;
    if (level.rows.empty()) return;
    right_.assign(level.rows.size(), 0.0);
    lambda_.resize(level.rows.size());
    for (std::size_t i = 0; i < level.rows.size(); ++i)
        for (std::size_t j = 0; j < change.size(); ++j)
            right_[i] += equations_.A(level.rows[i], j) * change[j];
    (level.own ? *level.own : all_).solve(zero_, right_, change_, lambda_);
    for (std::size_t j = 0; j < change.size(); ++j) change[j] -= change_[j];
}

void DenseProjector::rounding_across(const State& state, bool velocity_level,
                                     std::vector<double>& moves) {
    LevelRows& level = velocity_level ? velocity_rows_ : position_rows_;
    moves.assign(field_.n(), 0.0);
    residual_rounding(field_.details, state, rounding_);
    const std::vector<double>& errors = velocity_level ? rounding_.velocity : rounding_.value;
    lambda_.resize(level.rows.size());
    for (std::size_t i = 0; i < level.rows.size(); ++i) {
        right_.assign(level.rows.size(), 0.0);
        right_[i] = errors[level.rows[i]];
        if (!(right_[i] > 0.0) || !std::isfinite(right_[i])) continue;
        (level.own ? *level.own : all_).solve(zero_, right_, change_, lambda_);
        for (std::size_t j = 0; j < moves.size(); ++j) moves[j] += std::abs(change_[j]);
    }
}

bool DenseProjector::correct(State& state, bool velocity_level) {
    LevelRows& level = velocity_level ? velocity_rows_ : position_rows_;
    if (level.rows.empty()) {
        if (!level.stabilized.empty()) scaled_residual(state, velocity_level);
        return true;
    }
    const ConstrainedFactor& factor = level.own ? *level.own : all_;
    lambda_.resize(level.rows.size());
    // Of scaled residuals: below it hardly anything can be gained.
    const double rounding = std::max(4e-16, slack);
    projecting::correct(
        velocity_level ? state.v : state.q, rounding,
        [&] { return scaled_residual(state, velocity_level); },
        [&]() -> const std::vector<double>& {
            factor.solve(zero_, right_, change_, lambda_);
            return change_;
        });
    return weak > 0.0 || is_met(state, velocity_level);
}

/// What is left is little beside the extent of the state, or no more than the rounding of its own
/// terms: where a wall stops, or in `x' = -k*(x - s)`, the terms of a velocity cancel, and nothing
/// moves that they could be compared with.
bool DenseProjector::is_met(const State& state, bool velocity_level) {
    constexpr double bounds = 8.0;  // first-order bounds on rounding, with some room
    const double scaled = velocity_level ? left.velocity : left.position;
    if (scaled <= met_tol) return true;
    if (!std::isfinite(scaled)) return false;
    residual_rounding(field_.details, state, rounding_);
    const std::vector<double>& r = velocity_level ? residuals_.velocity : residuals_.value;
    const std::vector<double>& error = velocity_level ? rounding_.velocity : rounding_.value;
    const std::vector<std::size_t>& rows = (velocity_level ? velocity_rows_ : position_rows_).rows;
    const double extent = projecting::extent_of(state, velocity_level);
    return std::all_of(rows.begin(), rows.end(), [&](std::size_t row) {
        double size = 0.0;
        for (std::size_t j = 0; j < field_.n(); ++j)
            size += std::abs(equations_.A(row, j)) * extent;
        return std::abs(r[row]) <= std::max(met_tol * size, bounds * error[row]);
    });
}

Outcome DenseProjector::project(State& state) {
    Outcome outcome = factor_at(state);
    if (outcome != Outcome::ok) return outcome;
    if (!moves_) {
        measure(state);
        return Outcome::ok;
    }
    outcome = projecting::project(
        state, [&](bool velocity_level) { return correct(state, velocity_level); },
        [&] { return factor_at(state); });
    if (outcome != Outcome::no_convergence) return outcome;
    measure(state);
    return weak > 0.0 || (is_met(state, false) && is_met(state, true)) ? Outcome::ok
                                                                       : Outcome::no_convergence;
}

}  // namespace lacon::methods
