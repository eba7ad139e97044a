// One factorization, that of the field, projects and then serves the step. Levels that have only
// some of the rows get one of their own.
#include "large/motion/projection.hpp"

#include <cmath>

namespace lacon::inline large {

SparseProjector::SparseProjector(SparseField& field, bool moves)
    // Below rounding: a part's residual is scaled by the extent of the whole, and may be small
    // beside it.
    : Projector(field, moves, 1e-16), field_(field), system_(field.system), zero_(system_.n, 0.0) {
    collect(positions(), position_factor_);
    collect(velocities(), velocity_factor_);
}

/// The pattern of the rows of a level that is a part.
void SparseProjector::collect(const Level& level, LevelFactor& factor) const {
    if (!moves() || !is_part(level)) return;
    auto pattern = std::make_shared<SparsePattern>();
    pattern->rows = level.rows.size();
    pattern->cols = system_.n;
    for (const std::size_t r : level.rows) {
        for (std::size_t e = system_.rows->begin[r]; e < system_.rows->begin[r + 1]; ++e) {
            pattern->column.push_back(system_.rows->column[e]);
            factor.entries.push_back(e);
        }
        pattern->begin.push_back(pattern->column.size());
    }
    factor.own.emplace(system_.mass, pattern);
}

Outcome SparseProjector::factor_level(LevelFactor& factor) {
    if (!factor.own) return Outcome::ok;
    factor.A.resize(factor.entries.size());
    const auto A = field_.equations.A();
    for (std::size_t e = 0; e < factor.entries.size(); ++e) factor.A[e] = A[factor.entries[e]];
    ++field_.counters.factorizations;
    const Outcome outcome =
        factor.own->factor(field_.equations.M(), factor.A, field_.options.solve);
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
    if (!moves()) return outcome;
    const Outcome of_positions = factor_level(position_factor_);
    return of_positions == Outcome::ok ? factor_level(velocity_factor_) : of_positions;
}

double SparseProjector::length(std::size_t row, double extent) const {
    double size = 0.0;
    for (std::size_t e = system_.rows->begin[row]; e < system_.rows->begin[row + 1]; ++e)
        size += std::abs(field_.equations.A()[e]) * extent;
    return size;
}

void SparseProjector::solve(const Level& level, std::span<const double> right,
                            std::span<double> change, std::span<double> multipliers) {
    const LevelFactor& factor = level.is_velocity ? velocity_factor_ : position_factor_;
    (factor.own ? *factor.own : field_.factor).solve(zero_, right, change, multipliers);
}

}  // namespace lacon::large
