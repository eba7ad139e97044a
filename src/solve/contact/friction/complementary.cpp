// Lemke's method (1965; for contacts Stewart & Trinkle 1996). With edges D of each cone, τ = D β,
// and γ the speed of slip:
//     N x − d ≥ 0 ⟂ f ≥ 0,    Dᵀ (W x − w) + γ ≥ 0 ⟂ β ≥ 0,    at_rest · load − Σ β ≥ 0 ⟂ γ ≥ 0.
#include "solve/contact/friction/complementary.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace lacon::solving::inline contact {

namespace {

constexpr Index most_unknowns = 1500;

// Unit vectors along the edges (k × edges).
MatrixX edges_of(Index dimension) {
    if (dimension == 2) {
        constexpr int count = 8;
        MatrixX edges(2, count);
        for (int i = 0; i < count; ++i) {
            const double angle = 2.0 * std::numbers::pi * i / count;
            edges.col(i) << std::cos(angle), std::sin(angle);
        }
        return edges;
    }
    MatrixX edges(dimension, 2 * dimension);
    edges << MatrixX::Identity(dimension, dimension), -MatrixX::Identity(dimension, dimension);
    return edges;
}

/// w = K z + q ≥ 0, z ≥ 0, wᵀ z = 0.
class Lemke {
public:
    Lemke(const MatrixX& K, VectorX q) : n_(K.rows()) {
        // Ties are what it could run in circles by: a little noise in q and the covering vector
        // leaves none.
        std::mt19937_64 random(1);
        std::uniform_real_distribution<> uniform(1.0, 2.0);
        const double little = 1e-9 * q.cwiseAbs().maxCoeff();
        tableau_.resize(n_, 2 * n_ + 2);
        tableau_.leftCols(n_).setIdentity();
        tableau_.middleCols(n_, n_) = -K;
        for (Index i = 0; i < n_; ++i) {
            tableau_(i, 2 * n_) = -uniform(random);
            tableau_(i, 2 * n_ + 1) = q(i) + little * uniform(random);
            basis_.push_back(i);
        }
    }

    struct Solution {
        VectorX z;
        std::vector<bool> basic;  // z_i is an unknown of the last equations, not zero by choice
    };

    std::optional<Solution> run() {
        Index leaving = 0;
        if ((tableau_.col(2 * n_ + 1).cwiseQuotient(-tableau_.col(2 * n_))).minCoeff(&leaving) >=
            0.0)
            return solution();
        Index entering = 2 * n_;
        const Index limit = 50 * n_ + 100;
        for (Index step = 0; step < limit; ++step) {
            const Index left = basis_[leaving];
            pivot(leaving, entering);
            if (left == 2 * n_) return solution();
            entering = left < n_ ? left + n_ : left - n_;
            leaving = blocking(entering);
            if (leaving < 0) return std::nullopt;
        }
        return std::nullopt;
    }

private:
    void pivot(Index row, Index column) {
        tableau_.row(row) /= tableau_(row, column);
        VectorX factors = tableau_.col(column);
        factors(row) = 0.0;
        const Eigen::RowVectorXd with = tableau_.row(row);
        tableau_.noalias() -= factors * with;
        basis_[row] = column;
    }

    // The row that reaches zero first as the column grows; the covering variable leaves where it
    // can.
    Index blocking(Index column) const {
        constexpr double least_pivot = 1e-10;
        double least = std::numeric_limits<double>::infinity();
        Index row = -1;
        for (Index i = 0; i < n_; ++i) {
            if (tableau_(i, column) <= least_pivot) continue;
            const double ratio = tableau_(i, 2 * n_ + 1) / tableau_(i, column);
            if (ratio > least || (ratio == least && basis_[i] != 2 * n_)) continue;
            least = ratio;
            row = i;
        }
        return row;
    }

    Solution solution() const {
        Solution found{VectorX::Zero(n_), std::vector<bool>(static_cast<std::size_t>(n_), false)};
        for (Index i = 0; i < n_; ++i) {
            if (basis_[i] < n_ || basis_[i] == 2 * n_) continue;
            found.z(basis_[i] - n_) = tableau_(i, 2 * n_ + 1);
            found.basic[static_cast<std::size_t>(basis_[i] - n_)] = true;
        }
        return found;
    }

    Index n_;
    MatrixX tableau_;
    std::vector<Index> basis_;
};

/// The unknowns: normals, then β and γ of every friction at rest.
class Polyhedral {
public:
    Polyhedral(const FrictionProblem& problem, const Trial& like) : problem_(problem), like_(like) {
        Index count = problem.space.normals;
        for (std::size_t k = 0; k < problem.count(); ++k) {
            first_.push_back(count);
            if (!problem.slides(k)) count += edges_of(problem.space.dimension(k)).cols() + 1;
        }
        first_.push_back(count);
        // Forces and rates are counted by the length of their rows: all answers are of the size 1.
        E_ = MatrixX::Zero(problem.space.count(), count);
        for (Index i = 0; i < problem.space.normals; ++i)
            E_(i, i) = inverse(problem.space.length(i));
        rates_ = E_;
        given_ = VectorX::Zero(problem.space.count());
        for (std::size_t k = 0; k < problem.count(); ++k) add_friction(k);
    }

    Index count() const { return E_.cols(); }

    std::optional<Trial> run() const {
        const ContactSpace& space = problem_.space;
        MatrixX K = rates_.transpose() * space.P.transpose() * (space.P * E_);
        VectorX q = rates_.transpose() * (space.P.transpose() * (space.P * given_) - space.g);
        for (std::size_t k = 0; k < problem_.count(); ++k) bound(k, K, q);
        const std::optional<Lemke::Solution> found = Lemke(K, q).run();
        if (!found || !found->z.allFinite()) return std::nullopt;
        return by_basis(*found);
    }

private:
    static double inverse(double length) { return length > 0.0 ? 1.0 / length : 0.0; }
    double scale(std::size_t k) const { return inverse(problem_.slip_columns(k).norm()); }
    bool is_asked(std::size_t k) const { return first_[k + 1] > first_[k]; }

    void add_friction(std::size_t k) {
        const ContactSpace& space = problem_.space;
        const Index first = space.first[k], dimension = space.dimension(k);
        const ContactFriction& friction = problem_.friction(k);
        if (problem_.slides(k) && problem_.is_fixed(k)) {
            given_.segment(first, dimension) -= friction.kinetic * to_eigen(friction.direction);
            return;
        }
        if (problem_.slides(k)) {
            E_.block(first, problem_.row(k), dimension, 1) -= friction.kinetic * friction.scale *
                                                              E_(problem_.row(k), problem_.row(k)) *
                                                              to_eigen(friction.direction);
            return;
        }
        const MatrixX edges = scale(k) * edges_of(dimension);
        E_.block(first, first_[k], dimension, edges.cols()) = edges;
        rates_.block(first, first_[k], dimension, edges.cols()) = edges;
    }

    // γ in the rates along the edges, and what bounds Σ β.
    void bound(std::size_t k, MatrixX& K, VectorX& q) const {
        if (!is_asked(k)) return;
        const Index gamma = first_[k + 1] - 1, edges = gamma - first_[k];
        K.block(first_[k], gamma, edges, 1).setOnes();
        const VectorX along =
            problem_.is_one_sided(k) ? VectorX(VectorX::Ones(1)) : like_.pressing[k];
        const double limit = problem_.friction(k).at_rest * inverse(scale(k));
        K.row(gamma) = limit * along.transpose() * problem_.slope[k] * E_;
        K.block(gamma, first_[k], 1, edges).array() -= 1.0;
        q(gamma) = limit * along.dot(problem_.constant[k]);
    }

    // The equations it ended with: exact where the cones have no more edges than these.
    Trial by_basis(const Lemke::Solution& found) const {
        Trial trial = like_;
        trial.friction_order.clear();
        const VectorX f = E_ * found.z + given_;
        for (std::size_t i = 0; i < trial.closed.size(); ++i) trial.closed[i] = found.basic[i];
        for (std::size_t k = 0; k < problem_.count(); ++k) {
            if (!is_asked(k)) continue;
            const VectorX tau = f.segment(problem_.space.first[k], problem_.space.dimension(k));
            const bool slips =
                found.basic[static_cast<std::size_t>(first_[k + 1] - 1)] && tau.norm() > 0.0;
            trial.friction_states[k] = slips ? FrictionState::slips : FrictionState::sticks;
            trial.resistance[k] = 0.0;
            if (slips) trial.direction[k] = -tau.normalized();
            for (Index i = 0; i < tau.size(); ++i) {
                if (tau(i) != 0.0) trial.friction_order.push_back(problem_.space.first[k] + i);
            }
        }
        return trial;
    }

    const FrictionProblem& problem_;
    const Trial& like_;
    std::vector<Index> first_;
    MatrixX E_, rates_;  // (h × unknowns): forces of unknowns; rows of their rates
    VectorX given_;      // (h): forces of friction with fixed bounds that slides
};

}  // namespace

std::optional<Trial> complementary_trial(const FrictionProblem& problem, const Trial& like) {
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (problem.slides(k) && !problem.is_one_sided(k) && !problem.is_fixed(k))
            return std::nullopt;
    }
    const Polyhedral cones(problem, like);
    if (cones.count() == 0 || cones.count() > most_unknowns) return std::nullopt;
    return cones.run();
}

}  // namespace lacon::solving::contact
