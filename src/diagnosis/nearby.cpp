// Gauss–Newton with step halving. Each step takes strong directions first and weaker ones only if
// that does not help, because off the constraints dependent rows are no longer dependent. A state
// that the residuals cannot tell from the given one is not accepted as a sample.
#include "diagnosis/nearby.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "diagnosis/in_force.hpp"
#include "diagnosis/subspace.hpp"
#include "solve/dense/constrained/least_change.hpp"

namespace lacon::diagnosis {

namespace {

// Accepted residual, beside Σ_j |A_ij| times the largest coordinate.
constexpr double met_tol = 1e-14;
constexpr int most_steps = 100, most_halvings = 6;
constexpr double farthest_sample = 30.0,
                 nearest_sample = 1e-3;  // a sample's distance, in units of its reach

}  // namespace

NearbyStates::NearbyStates(const DerivedModel& rows_in_force, const State& at,
                           const SolveOptions& options)
    : details_(rows_in_force),
      at_(at),
      options_(options),
      assembler_(details_.system, details_.parameters) {
    assembler_.residuals(at, kept_);
    if (const double size = largest(at.q); size > 0.0) extent_ = size;
    speed_ = largest(at.v) > 0.0 ? largest(at.v) : extent_;
    for (std::vector<double>* values : {&kept_.value, &kept_.velocity})
        for (double& r : *values)
            if (std::abs(r) <= 1e-10 * std::max(1.0, extent_ + speed_))
                r = 0.0;  // met, but for the tolerance of a start
    for (const Level level : details_.system.levels) with_velocities_ |= level != Level::position;
    Equations now, later;
    Residuals then;
    State moment = at;
    assembler_.equations(at, now);
    assembler_.residuals(at, residuals_);
    moment.t += 1e-3;
    assembler_.equations(moment, later);
    assembler_.residuals(moment, then);
    timed_ = !(now.A == later.A) || residuals_.value != then.value ||
             residuals_.velocity != then.velocity;
}

double NearbyStates::distance(const State& state) const {
    double far = 0.0;
    for (std::size_t i = 0; i < at_.q.size(); ++i)
        far = std::max(far, std::abs(state.q[i] - at_.q[i]));
    return far / extent_;
}

/// Takes what is left of the residuals, with its derivatives. Returns the largest of it, scaled;
/// infinite where not finite.
double NearbyStates::fill(const State& state, bool velocity, const Residuals& wanted) {
    assembler_.residuals(state, residuals_);
    assembler_.equations(state, equations_);
    A_ = rows_of_matrix(equations_.A, rows_);
    left_.clear();
    double size = 0.0;
    const double extent = std::max(1e-6, largest(velocity ? state.v : state.q));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const std::size_t r = rows_[i];
        left_.push_back(velocity ? wanted.velocity[r] - residuals_.velocity[r]
                                 : wanted.value[r] - residuals_.value[r]);
        double scale = 0.0;
        for (const double a : A_.row(i)) scale += std::abs(a) * extent;
        size = std::max(size, std::abs(left_.back()) / (scale > 0.0 ? scale : 1.0));
        if (!std::isfinite(left_.back()) || !std::isfinite(scale))
            return std::numeric_limits<double>::infinity();
    }
    return size;
}

/// A Gauss–Newton step that lowers the size, halved where need be. Directions that are weak come
/// last: off the constraints rows that depend on each other do so no more, and a full step along
/// what separates them would run away.
bool NearbyStates::step(State& state, double& size, bool velocity, const Residuals& wanted) {
    SolveOptions options = options_;
    const Matrix A = A_, M = equations_.M;
    const std::vector<double> left = left_;
    for (const double rank_tol : {1e-2, 1e-4, 1e-6, 1e-8, options_.rank_tol}) {
        if (rank_tol < options_.rank_tol) continue;
        options.rank_tol = rank_tol;
        const std::vector<double> change = least_change(M, A, left, options);
        if (change.empty()) return false;
        double part = 1.0;
        for (int halving = 0; halving < most_halvings; ++halving, part *= 0.5) {
            State next = state;
            std::vector<double>& moved = velocity ? next.v : next.q;
            for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += part * change[i];
            const double next_size = fill(next, velocity, wanted);
            if (!(next_size < 0.9 * size)) continue;
            state = std::move(next);
            size = next_size;
            return true;
        }
    }
    return false;
}

bool NearbyStates::meet_level(State& state, bool velocity, const Residuals& wanted) {
    rows_.clear();
    for (std::size_t r = 0; r < details_.system.row_count(); ++r) {
        const Level level = details_.system.levels[r];
        if (level == Level::position || (velocity && level == Level::velocity)) rows_.push_back(r);
    }
    if (rows_.empty()) return true;
    double size = fill(state, velocity, wanted);
    // As far as it goes, not only until it is met: where x^3 = 0 is asked for, 1e-5 meets it and is
    // no other state.
    for (int steps = 0; steps < most_steps && std::isfinite(size) && size > 0.0; ++steps)
        if (!step(state, size, velocity, wanted)) break;
    return size <= met_tol && (velocity || is_apart(state));
}

/// Whether the residuals tell this state from the one it came from. Near a state that is alone,
/// where x^3 = 0 is asked for, a small x meets it: there what is left of a residual is no less than
/// what the whole way has brought.
bool NearbyStates::is_apart(const State& state) const {
    if (timed_) return true;  // what time brings is another question
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        double way = 0.0, size = 0.0;
        for (std::size_t j = 0; j < state.q.size(); ++j) {
            way += std::abs(A_(i, j) * (state.q[j] - at_.q[j]));
            size += std::abs(A_(i, j) * state.q[j]);
        }
        constexpr double rounding = 64.0 * std::numeric_limits<double>::epsilon();
        if (std::abs(left_[i]) > std::max(1e-3 * way, rounding * size)) return false;
    }
    return true;
}

bool NearbyStates::meet(State& state, const Residuals& wanted, bool with_velocities) {
    return meet_level(state, false, wanted) &&
           (!with_velocities || meet_level(state, true, wanted));
}

std::optional<State> NearbyStates::sample(double reach, std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(-reach, reach);
    State state = at_;
    state.t += uniform(random);
    for (double& q : state.q) q += uniform(random) * extent_;
    for (double& v : state.v) v += uniform(random) * speed_;
    if (!meet(state, kept_, with_velocities_)) return std::nullopt;
    const double moved = distance(state);
    if (moved > farthest_sample * reach || (free && !timed_ && moved < nearest_sample * reach))
        return std::nullopt;
    return state;
}

}  // namespace lacon::diagnosis
