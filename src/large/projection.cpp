#include "large/projection.hpp"

#include <algorithm>
#include <cmath>

namespace lacon {

namespace {

constexpr double rounding = 4e-16;  // of scaled residuals: below it nothing can be gained
constexpr int most_rounds = 12;

double largest(std::span<const double> x) {
    double result = 0.0;
    for (const double xi : x) result = std::max(result, std::abs(xi));
    return result;
}

}  // namespace

LargeProjector::LargeProjector(LargeField& field, bool moves)
    : field_(field), system_(field.system), moves_(moves), zero_(system_.n, 0.0), change_(system_.n) {
    velocities_.is_velocity = true;
    for (Level* level : {&positions_, &velocities_}) collect(*level);
}

/// Which rows a level has; where they are not all, the pattern of these alone.
void LargeProjector::collect(Level& level) {
    const System& system = system_.details.system;
    for (std::size_t r = 0; r < system_.m; ++r) {
        const bool takes_part =
            system.levels[r] == lacon::Level::position || (level.is_velocity && system.levels[r] == lacon::Level::velocity);
        if (takes_part) (system.stabilized[r] ? level.stabilized : level.rows).push_back(static_cast<std::uint32_t>(r));
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

Outcome LargeProjector::factor_level(Level& level) {
    if (!level.own) return Outcome::ok;
    level.A.resize(level.entries.size());
    const auto A = field_.equations.A();
    for (std::size_t e = 0; e < level.entries.size(); ++e) level.A[e] = A[level.entries[e]];
    ++field_.factorizations;
    const Outcome outcome = level.own->factor(field_.equations.M(), level.A, field_.options);
    return outcome == Outcome::undetermined ? Outcome::ok : outcome;  // a massless coordinate held by an upper level only
}

Outcome LargeProjector::factor_at(const State& state) {
    const Outcome outcome = field_.factor_at(state);
    if (outcome != Outcome::ok || !moves_) return outcome;
    const Outcome positions = factor_level(positions_);
    return positions == Outcome::ok ? factor_level(velocities_) : positions;
}

double LargeProjector::scaled_residual(const State& state, Level& level) {
    field_.assembler.residuals(state, residuals_);
    const std::vector<double>& r = level.is_velocity ? residuals_.velocity : residuals_.value;
    right_.resize(level.rows.size());
    for (std::size_t i = 0; i < level.rows.size(); ++i) right_[i] = -r[level.rows[i]];
    const double extent = std::max(1e-6, largest(level.is_velocity ? state.v : state.q));
    find_largest(level.stabilized, extent, level.is_velocity, stabilized);
    find_largest(level.rows, extent, level.is_velocity, left);
    return level.is_velocity ? left.velocity : left.position;
}

void LargeProjector::find_largest(const std::vector<std::uint32_t>& rows, double extent, bool velocity,
                                  Projector::Left& out) const {
    const std::vector<double>& r = velocity ? residuals_.velocity : residuals_.value;
    const auto A = field_.equations.A();
    double worst = 0.0, absolute = 0.0;
    for (const std::uint32_t row : rows) {
        double size = 0.0;
        for (std::size_t e = system_.rows->begin[row]; e < system_.rows->begin[row + 1]; ++e) size += std::abs(A[e]) * extent;
        absolute = std::max(absolute, std::abs(r[row]));
        const double scaled = std::abs(r[row]) / (size > 0.0 ? size : 1.0);
        worst = std::isfinite(scaled) ? std::max(worst, scaled) : scaled;
        if (!std::isfinite(scaled)) break;
    }
    (velocity ? out.velocity : out.position) = worst;
    (velocity ? out.velocity_absolute : out.position_absolute) = absolute;
}

void LargeProjector::measure(const State& state) {
    scaled_residual(state, positions_);
    scaled_residual(state, velocities_);
}

bool LargeProjector::correct(State& state, Level& level) {
    if (level.rows.empty()) {
        if (!level.stabilized.empty()) scaled_residual(state, level);
        return true;
    }
    const SparseFactor& factor = level.own ? *level.own : field_.factor;
    std::vector<double>& x = level.is_velocity ? state.v : state.q;
    lambda_.resize(level.rows.size());
    double before = scaled_residual(state, level);
    std::vector<double> best = x;
    for (int round = 0; round < most_rounds && before > rounding; ++round) {
        factor.solve(zero_, right_, change_, lambda_);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += change_[i];
        const double now = scaled_residual(state, level);
        if (!(now < 0.5 * before)) {  // rounding has been reached, or the factorization is too far away
            if (!(now < before)) {
                x = best;
                scaled_residual(state, level);
            }
            break;
        }
        before = now;
        best = x;
    }
    return (level.is_velocity ? left.velocity : left.position) <= Projector::met_tol;
}

Outcome LargeProjector::project(State& state) {
    Outcome outcome = factor_at(state);
    if (outcome != Outcome::ok) return outcome;
    if (!moves_) {
        measure(state);
        return Outcome::ok;
    }
    constexpr int most_factorizations = 6;
    for (int round = 0; round < most_factorizations; ++round) {
        const std::vector<double> q = state.q;
        const bool positions = correct(state, positions_);
        const bool velocities = positions && correct(state, velocities_);
        double moved = 0.0;
        for (std::size_t i = 0; i < q.size(); ++i) moved = std::max(moved, std::abs(state.q[i] - q[i]));
        const bool near = moved <= 1e-7 * std::max(1.0, largest(q));  // then the factorization serves the step too
        if (positions && velocities && near) return Outcome::ok;
        outcome = factor_at(state);
        if (outcome != Outcome::ok) return outcome;
    }
    measure(state);
    return left.position <= Projector::met_tol && left.velocity <= Projector::met_tol ? Outcome::ok : Outcome::no_convergence;
}

}  // namespace lacon
