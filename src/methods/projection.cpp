// Projection onto the constraints: δq = K₁ (−φ), then δq' = K₁ (−φ'), K₁ the weighted generalized
// inverse of P1 5c, repeated with one factorization until the residuals are rounding.
#include "methods/projection.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "state/residual_size.hpp"

namespace lacon::inline methods {

namespace {

/// What residuals of a level are scaled by, times Σ_j |A_ij|: the extent of the state.
double extent_of(const State& state, bool velocity_level) {
    return std::max(1e-6, largest(velocity_level ? state.v : state.q));
}

/// The largest residual of some rows, scaled by `length(row)` and as it is; one that is not finite
/// stays so.
struct Largest {
    double scaled = 0.0, absolute = 0.0;

    template <class Length>
    Largest(const std::vector<std::size_t>& rows, std::span<const double> r, Length length) {
        for (const std::size_t row : rows) {
            const double size = length(row);
            absolute = std::max(absolute, std::abs(r[row]));
            const double now = std::abs(r[row]) / (size > 0.0 ? size : 1.0);
            scaled = std::isfinite(now) ? std::max(scaled, now) : now;
            if (!std::isfinite(now)) break;
        }
    }
    void note_in(Projector::Left& out, bool velocity_level) const {
        (velocity_level ? out.velocity : out.position) = scaled;
        (velocity_level ? out.velocity_absolute : out.position_absolute) = absolute;
    }
};

/// Corrects x with one factorization until its residual is `rounding`, or halves no more:
/// `residual()` measures it, `solve()` gives the next change.
template <class Residual, class Solve>
void correct_values(std::vector<double>& x, double rounding, Residual residual, Solve solve) {
    constexpr int most_rounds = 12;
    double before = residual();
    std::vector<double> best = x;
    for (int round = 0; round < most_rounds && before > rounding; ++round) {
        const std::vector<double>& change = solve();
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += change[i];
        const double now = residual();
        if (!(now <
              0.5 * before)) {  // rounding has been reached, or the factorization is too far away
            if (!(now < before)) {
                x = best;
                residual();
            }
            break;
        }
        before = now;
        best = x;
    }
}

}  // namespace

Projector::Projector(Field& field, bool moves, double rounding)
    : field_(field), moves_(moves), rounding_tol_(rounding), change_(field.n()) {
    const System& system = field.details.system;
    velocities_.is_velocity = true;
    for (std::size_t r = 0; r < system.row_count(); ++r) {
        if (system.levels[r] == lacon::Level::acceleration) continue;
        const auto rows = system.stabilized[r] ? &Level::stabilized : &Level::rows;
        (velocities_.*rows).push_back(r);
        if (system.levels[r] == lacon::Level::position) (positions_.*rows).push_back(r);
    }
}

double Projector::scaled_residual(const State& state, const Level& level) {
    field_.residuals(state, residuals_);
    const std::vector<double>& r = level.is_velocity ? residuals_.velocity : residuals_.value;
    right_.resize(level.rows.size());
    for (std::size_t i = 0; i < level.rows.size(); ++i) right_[i] = -r[level.rows[i]];
    const double extent = extent_of(state, level.is_velocity);
    const auto size = [&](std::size_t row) { return length(row, extent); };
    Largest(level.stabilized, r, size).note_in(stabilized, level.is_velocity);
    const Largest found(level.rows, r, size);
    found.note_in(left, level.is_velocity);
    return found.scaled;
}

void Projector::measure(const State& state) {
    scaled_residual(state, positions_);
    scaled_residual(state, velocities_);
}

bool Projector::correct(State& state, const Level& level) {
    if (level.rows.empty()) {
        if (!level.stabilized.empty()) scaled_residual(state, level);
        return true;
    }
    lambda_.resize(level.rows.size());
    correct_values(
        level.is_velocity ? state.v : state.q, std::max(rounding_tol_, slack),
        [&] { return scaled_residual(state, level); },
        [&]() -> const std::vector<double>& {
            solve(level, right_, change_, lambda_);
            return change_;
        });
    return weak > 0.0 || is_met(state, level);
}

/// What is left is little beside the extent of the state, or no more than the rounding of its own
/// terms: where a wall stops, or in `x' = -k*(x - s)`, the terms of a velocity cancel, and nothing
/// moves that they could be compared with.
bool Projector::is_met(const State& state, const Level& level) {
    constexpr double bounds = 8.0;  // first-order bounds on rounding, with some room
    const double scaled = level.is_velocity ? left.velocity : left.position;
    if (scaled <= met_tol) return true;
    if (!std::isfinite(scaled)) return false;
    residual_rounding(field_.details, state, rounding_);
    const std::vector<double>& r = level.is_velocity ? residuals_.velocity : residuals_.value;
    const std::vector<double>& error = level.is_velocity ? rounding_.velocity : rounding_.value;
    const double extent = extent_of(state, level.is_velocity);
    return std::all_of(level.rows.begin(), level.rows.end(), [&](std::size_t row) {
        return std::abs(r[row]) <= std::max(met_tol * length(row, extent), bounds * error[row]);
    });
}

Outcome Projector::project(State& state) {
    // Beside positions of this size, a state that has moved by less is where it was factored: then
    // the factorization serves the step too.
    constexpr double near = 1e-7;
    constexpr int most_factorizations = 6;
    Outcome outcome = factor_at(state);
    if (outcome != Outcome::ok) return outcome;
    if (!moves_) {
        measure(state);
        return Outcome::ok;
    }
    for (int round = 0; round < most_factorizations; ++round) {
        const std::vector<double> q = state.q;
        const bool met = correct(state, positions_) && correct(state, velocities_);
        double moved = 0.0;
        for (std::size_t i = 0; i < q.size(); ++i)
            moved = std::max(moved, std::abs(state.q[i] - q[i]));
        if (met && moved <= near * std::max(1.0, largest(q))) {
            note_projected(state);
            return Outcome::ok;
        }
        outcome = factor_at(state);
        if (outcome != Outcome::ok) return outcome;
    }
    measure(state);
    if (!(weak > 0.0 || (is_met(state, positions_) && is_met(state, velocities_))))
        return Outcome::no_convergence;
    note_projected(state);
    return Outcome::ok;
}

// ---- dense

DenseProjector::DenseProjector(DenseField& field, bool moves)
    // Two units in the last place: a residual is a sum of a few terms of the size it is scaled by.
    : Projector(field, moves, 4e-16), field_(field), zero_(field.n(), 0.0) {
    if (is_part(positions())) position_factor_.own.emplace();
    if (is_part(velocities())) velocity_factor_.own.emplace();
}

SolveOptions DenseProjector::solve_options() const {
    SolveOptions options = field_.options.solve;
    options.rank_tol = std::max(options.rank_tol, weak);
    return options;
}

Outcome DenseProjector::factor_level(const Level& level, LevelFactor& factor, RowSet rows) {
    if (!factor.own) return Outcome::ok;
    factor.A = Matrix(level.rows.size(), field_.n());
    for (std::size_t i = 0; i < level.rows.size(); ++i)
        std::copy_n(equations_.A.row(level.rows[i]).begin(), field_.n(), factor.A.row(i).begin());
    ++field_.counters.factorizations;
    const Outcome outcome =
        field_.factor(*factor.own, equations_.M, factor.A, solve_options(), rows);
    return outcome == Outcome::undetermined
               ? Outcome::ok
               : outcome;  // a massless coordinate held by an upper level only
}

Outcome DenseProjector::factor_at(const State& state) {
    if (!field_.equations(state, equations_)) return Outcome::undefined;
    for (std::size_t i = 0; i < added_mass.size(); ++i) equations_.M(i, i) += added_mass[i];
    ++field_.counters.factorizations;
    const Outcome outcome = field_.factor(all_, equations_.M, equations_.A, solve_options());
    if (outcome != Outcome::ok || !moves()) return outcome;
    const Outcome of_positions = factor_level(positions(), position_factor_, RowSet::positions);
    return of_positions == Outcome::ok
               ? factor_level(velocities(), velocity_factor_, RowSet::velocities)
               : of_positions;
}

/// Null for a level without rows.
const ConstrainedFactor* DenseProjector::factor_of(const Level& level,
                                                   const LevelFactor& factor) const {
    if (level.rows.empty()) return nullptr;
    return factor.own ? &*factor.own : &all_;
}

bool DenseProjector::is_cut() const {
    for (const auto* factor : {&all_, factor_of(positions(), position_factor_),
                               factor_of(velocities(), velocity_factor_)})
        if (factor && factor->uncut_rank() > factor->rank()) return true;
    return false;
}

/// A rank that was cut where the state came in is decided by the tolerance alone where it meets the
/// constraints. If it is higher there too it does not last, and is taken as it is.
void DenseProjector::note_projected(const State& state) {
    if (weak > 0.0) return;
    if (is_cut() && factor_at(state) != Outcome::ok) return;
    LastingRank::Ranks ranks{all_.uncut_rank(), 0, 0};
    if (const auto* factor = factor_of(positions(), position_factor_))
        ranks[1] = factor->uncut_rank();
    if (const auto* factor = factor_of(velocities(), velocity_factor_))
        ranks[2] = factor->uncut_rank();
    field_.lasting_rank.note(state, ranks);
    if (is_cut()) static_cast<void>(factor_at(state));
}

double DenseProjector::length(std::size_t row, double extent) const {
    double size = 0.0;
    for (std::size_t j = 0; j < field_.n(); ++j) size += std::abs(equations_.A(row, j)) * extent;
    return size;
}

void DenseProjector::solve(const Level& level, std::span<const double> right,
                           std::span<double> change, std::span<double> multipliers) {
    const LevelFactor& factor = level.is_velocity ? velocity_factor_ : position_factor_;
    (factor.own ? *factor.own : all_).solve(zero_, right, change, multipliers);
}

void DenseProjector::remove_across(std::span<double> change, bool velocity_level) {
    const Level& level = velocity_level ? velocities() : positions();
    if (level.rows.empty()) return;
    std::vector<double> right(level.rows.size(), 0.0), across(change.size()),
        multipliers(level.rows.size());
    for (std::size_t i = 0; i < level.rows.size(); ++i)
        for (std::size_t j = 0; j < change.size(); ++j)
            right[i] += equations_.A(level.rows[i], j) * change[j];
    solve(level, right, across, multipliers);
    for (std::size_t j = 0; j < change.size(); ++j) change[j] -= across[j];
}

void DenseProjector::rounding_across(const State& state, bool velocity_level,
                                     std::vector<double>& moves) {
    const Level& level = velocity_level ? velocities() : positions();
    moves.assign(field_.n(), 0.0);
    Residuals rounding;
    residual_rounding(field_.details, state, rounding);
    const std::vector<double>& errors = velocity_level ? rounding.velocity : rounding.value;
    std::vector<double> right(level.rows.size(), 0.0), change(field_.n()),
        multipliers(level.rows.size());
    for (std::size_t i = 0; i < level.rows.size(); ++i) {
        right[i] = errors[level.rows[i]];
        if (right[i] > 0.0 && std::isfinite(right[i])) {
            solve(level, right, change, multipliers);
            for (std::size_t j = 0; j < moves.size(); ++j) moves[j] += std::abs(change[j]);
        }
        right[i] = 0.0;
    }
}

}  // namespace lacon::methods
