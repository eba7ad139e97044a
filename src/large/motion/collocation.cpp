// Chebyshev points and Picard iteration. A step that does not converge, or whose highest power
// exceeds the tolerance, is tried again with a quarter of its length.
#include "large/motion/collocation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "methods/method.hpp"

namespace lacon::inline large {

namespace {

/// The inverse of Vandermonde's matrix: row k has the coefficients of σ^k of Lagrange's
/// polynomials.
std::vector<std::vector<double>> inverse_vandermonde(const std::vector<double>& nodes) {
    const std::size_t count = nodes.size();
    std::vector<std::vector<double>> result(count, std::vector<double>(count, 0.0));
    for (std::size_t j = 0; j < count; ++j) {
        std::vector<double> polynomial{1.0};
        for (std::size_t i = 0; i < count; ++i) {
            if (i == j) continue;
            const double scale = 1.0 / (nodes[j] - nodes[i]);
            std::vector<double> next(polynomial.size() + 1, 0.0);
            for (std::size_t k = 0; k < polynomial.size(); ++k) {
                next[k + 1] += scale * polynomial[k];
                next[k] -= scale * nodes[i] * polynomial[k];
            }
            polynomial = next;
        }
        for (std::size_t k = 0; k < count; ++k) result[k][j] = polynomial[k];
    }
    return result;
}

}  // namespace

SparseCollocation::SparseCollocation(SparseField& field, std::size_t degree, double tolerance)
    : field_(field), degree_(degree), tolerance_(tolerance) {
    for (std::size_t j = 0; j <= degree; ++j)
        nodes_.push_back(0.5 - 0.5 * std::cos(std::numbers::pi * static_cast<double>(j) /
                                              static_cast<double>(degree)));
    inverse_ = inverse_vandermonde(nodes_);
    values_.resize(degree + 1);
}

bool SparseCollocation::begin(const Base& base, bool) {
    if (field_.factor_for(base.state) != Outcome::ok || field_.solve(solution_) != Outcome::ok)
        return false;
    next_.state = base.state;
    next_.acceleration = solution_.acceleration;
    taken_up_ = false;
    return true;
}

/// The state that the accelerations so far lead to after a part of the step.
void SparseCollocation::state_at(double part, State& out) const {
    const double tau = part * h_;
    out.t = begin_.t + tau;
    out.q.assign(begin_.q.begin(), begin_.q.end());
    out.v.assign(begin_.v.begin(), begin_.v.end());
    for (std::size_t i = 0; i < out.q.size(); ++i) {
        double v = 0.0, q = 0.0, power = 1.0;
        for (std::size_t k = 0; k <= degree_; ++k, power *= part) {
            const auto k1 = static_cast<double>(k + 1);
            v += coefficients_[k][i] * power / k1;
            q += coefficients_[k][i] * power / (k1 * (k1 + 1.0));
        }
        out.q[i] += tau * begin_.v[i] + tau * tau * q;
        out.v[i] += tau * v;
    }
}

void SparseCollocation::at(double tau, State& out) const {
    state_at(tau / h_, out);
}

bool SparseCollocation::evaluate() {
    for (std::size_t j = 1; j <= degree_; ++j) {
        state_at(nodes_[j], state_);
        if (field_.factor_at(state_) != Outcome::ok || field_.solve(solution_) != Outcome::ok)
            return false;
        values_[j] = solution_.acceleration;
    }
    return true;
}

/// The polynomial through the values; how much it has changed, as positions and velocities at the
/// end go by their scales.
double SparseCollocation::fit() {
    double changed = 0.0;
    for (std::size_t i = 0; i < values_[0].size(); ++i)
        for (std::size_t k = 0; k <= degree_; ++k) {
            double sum = 0.0;
            for (std::size_t j = 0; j <= degree_; ++j) sum += inverse_[k][j] * values_[j][i];
            changed = std::max(
                changed, std::abs(sum - coefficients_[k][i]) * h_ / static_cast<double>(k + 1));
            coefficients_[k][i] = sum;
        }
    return changed;
}

/// What the highest power does, in tolerances.
double SparseCollocation::error() const {
    const auto k1 = static_cast<double>(degree_ + 1);
    double worst = 0.0;
    for (std::size_t i = 0; i < begin_.q.size(); ++i) {
        const double v = std::abs(coefficients_[degree_][i]) * h_ / k1, q = v * h_ / (k1 + 1.0);
        worst = std::max({worst, v / error_scale(begin_.v[i]), q / error_scale(begin_.q[i])});
    }
    return worst / tolerance_;
}

bool SparseCollocation::converges() {
    constexpr int most_rounds = 25;
    coefficients_.assign(degree_ + 1, std::vector<double>(values_[0].size(), 0.0));
    coefficients_[0] = values_[0];
    double before = INFINITY;
    for (int round = 0; round < most_rounds; ++round) {
        if (!evaluate()) return false;
        const double changed = fit();
        if (!std::isfinite(changed)) return false;
        // A hundredth of the tolerance: the error of the iteration does not count beside that of
        // the step.
        if (changed <= 0.01 * tolerance_) return true;
        if (round > 3 && changed > 0.5 * before) return changed <= tolerance_;
        before = changed;
    }
    return false;
}

/// Whether what is narrow in the equations can be told from the places of this step, as
/// FeatureCheck::resolved.
bool SparseCollocation::tells_features() {
    if (!features_.set) features_.set.emplace(FeatureSet::of_equations(field_.details));
    if (features_.set->is_empty()) return true;
    constexpr std::size_t pieces = 4;
    const StepPath path{[this](double tau, State& out) { at(tau, out); }, h_};
    const Clock begin{begin_.t, 0.0};
    features_.middle.resize(features_.set->count());
    features_.exponents.resize(features_.set->count());
    features_.samples.resize(pieces + 1);
    features_.set->sample(path, begin, 0.0, features_.samples[0]);
    for (std::size_t s = 1; s <= pieces; ++s) {
        const double piece = h_ / pieces, end = piece * static_cast<double>(s);
        features_.set->sample(path, begin, end, features_.samples[s]);
        state_at((end - 0.5 * piece) / h_, state_);
        features_.set->sample(state_, features_.middle, features_.exponents);
        if (!features_.set->connects(features_.samples[s - 1], features_.samples[s], degree_,
                                     features_.middle))
            return false;
    }
    return true;
}

bool SparseCollocation::advance(double limit) {
    constexpr int most_tries = 25;
    // More is cut back by a quarter in the next lines. Not critical.
    constexpr double most_growth = 8.0;
    if (!taken_up_) {
        begin_ = next_.state;
        values_[0] = next_.acceleration;
    }
    taken_up_ = true;
    h_ = last_ > 0.0 ? std::min(limit, most_growth * last_) : limit;
    for (int tries = 0; tries < most_tries; ++tries, h_ *= 0.25) {
        if (!converges() || error() > 1.0 || !tells_features()) continue;
        last_ = length_ = h_;
        return true;
    }
    return false;
}

}  // namespace lacon::large
