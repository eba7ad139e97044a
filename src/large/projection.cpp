// Positions first, then velocities, each by simplified Newton steps with one factorization. Levels
// that have only some of the rows get a factorization of their own.
#include "large/projection.hpp"

#include "methods/project.hpp"

namespace lacon::inline large {

SparseProjector::SparseProjector(SparseField& field, bool moves)
    : field_(field),
      system_(field.system),
      moves_(moves),
      zero_(system_.n, 0.0),
      change_(system_.n) {
    velocities_.is_velocity = true;
    for (Level* level : {&positions_, &velocities_}) collect(*level);
}

/// Which rows a level has; where they are not all, the pattern of these alone.
void SparseProjector::collect(Level& level) {
    const System& system = system_.details.system;
    for (std::size_t r = 0; r < system_.m; ++r) {
        const bool takes_part = system.levels[r] == lacon::Level::position ||
                                (level.is_velocity && system.levels[r] == lacon::Level::velocity);
        if (takes_part)
            (system.stabilized[r] ? level.stabilized : level.rows)
                .push_back(static_cast<std::uint32_t>(r));
    }
    if (!moves_ || level.rows.empty() || level.rows.size() == system_.m) return;
    auto pattern = std::make_shared<SparsePattern>();
    pattern->rows = level.rows.size();
    pattern->cols = system_.n;
    for (const std::uint32_t r : level.rows) {
        for (std::size_t e = system_.rows->begin[r]; e < system_.rows->begin[r + 1]; ++e) {
            pattern->column.push_back(system_.rows->column[e]);
            level.entries.push_back(e);
        }
        pattern->begin.push_back(pattern->column.size());
    }
    level.own.emplace(system_.mass, pattern);
}

Outcome SparseProjector::factor_level(Level& level) {
    if (!level.own) return Outcome::ok;
    level.A.resize(level.entries.size());
    const auto A = field_.equations.A();
    for (std::size_t e = 0; e < level.entries.size(); ++e) level.A[e] = A[level.entries[e]];
    ++field_.counters.factorizations;
    const Outcome outcome = level.own->factor(field_.equations.M(), level.A, field_.options.solve);
    return outcome == Outcome::undetermined
               ? Outcome::ok
               : outcome;  // a massless coordinate held by an upper level only
}

Outcome SparseProjector::factor_at(const State& state) {
    if (field_.stops()) return Outcome::undefined;
    const Outcome outcome = field_.factor_at(state);
    if (outcome != Outcome::ok) return outcome;
    rank_ = field_.factor.rank();
    weakest_ = field_.factor.weakest();
    if (!moves_) return outcome;
    const Outcome positions = factor_level(positions_);
    return positions == Outcome::ok ? factor_level(velocities_) : positions;
}

double SparseProjector::scaled_residual(const State& state, Level& level) {
    field_.assembler.residuals(state, residuals_);
    const std::vector<double>& r = level.is_velocity ? residuals_.velocity : residuals_.value;
    right_.resize(level.rows.size());
    for (std::size_t i = 0; i < level.rows.size(); ++i) right_[i] = -r[level.rows[i]];
    const double extent = projecting::extent_of(state, level.is_velocity);
    const auto length = [&](std::uint32_t row) {
        double size = 0.0;
        for (std::size_t e = system_.rows->begin[row]; e < system_.rows->begin[row + 1]; ++e)
            size += std::abs(field_.equations.A()[e]) * extent;
        return size;
    };
    projecting::note_largest(level.stabilized, r, length, level.is_velocity, stabilized);
    projecting::note_largest(level.rows, r, length, level.is_velocity, left);
    return level.is_velocity ? left.velocity : left.position;
}

void SparseProjector::measure(const State& state) {
    scaled_residual(state, positions_);
    scaled_residual(state, velocities_);
}

bool SparseProjector::correct(State& state, Level& level) {
    if (level.rows.empty()) {
        if (!level.stabilized.empty()) scaled_residual(state, level);
        return true;
    }
    const SparseFactor& factor = level.own ? *level.own : field_.factor;
    lambda_.resize(level.rows.size());
    constexpr double rounding =
        1e-16;  // of scaled residuals: parts are small beside the whole, whose extent scales them
    projecting::correct(
        level.is_velocity ? state.v : state.q, rounding,
        [&] { return scaled_residual(state, level); },
        [&]() -> const std::vector<double>& {
            factor.solve(zero_, right_, change_, lambda_);
            return change_;
        });
    return (level.is_velocity ? left.velocity : left.position) <= Projector::met_tol;
}

Outcome SparseProjector::project(State& state) {
    Outcome outcome = factor_at(state);
    if (outcome != Outcome::ok) return outcome;
    if (!moves_) {
        measure(state);
        return Outcome::ok;
    }
    outcome = projecting::project(
        state,
        [&](bool velocity_level) {
            return correct(state, velocity_level ? velocities_ : positions_);
        },
        [&] { return factor_at(state); });
    if (outcome == Outcome::no_convergence) {
        measure(state);
        if (left.position <= met_tol && left.velocity <= met_tol) outcome = Outcome::ok;
    }
    if (outcome == Outcome::ok) field_.note_serves(state);
    return outcome;
}

}  // namespace lacon::large
