// Efforts within limits and for one-sided rows against every set tried one by one, and what must
// not matter to them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/numbers.hpp"
#include "controls.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;

MatrixX pinv(const MatrixX& A) {
    if (A.size() == 0 || A.norm() < 1e-9) return MatrixX::Zero(A.cols(), A.rows());
    Eigen::CompleteOrthogonalDecomposition<MatrixX> cod;
    cod.setThreshold(1e-9);
    return cod.compute(A).pseudoInverse();
}

/// C q'' − d = T u − r and the cost uᵀ N u = |root u|² by the formulas themselves; all one-sided
/// rows as ≥.
struct Effects {
    MatrixX T, N, root;
    VectorX r;
    explicit Effects(const Controls& body) {
        const MatrixX inverse = body.M.inverse();
        const MatrixX held =
            inverse * body.A.transpose() * pinv(body.A * inverse * body.A.transpose());
        const MatrixX moved = inverse - held * body.A * inverse;
        T = body.C * moved * body.F;
        r = body.d - body.C * (moved * body.Q + held * body.b);
        for (Index i = 0; i < r.size(); ++i) {
            if (body.sense[static_cast<std::size_t>(i)] >= 0) continue;
            T.row(i) *= -1.0;
            r(i) *= -1.0;
        }
        weigh(body);
    }
    double miss(const VectorX& u, const std::vector<int>& sense) const {
        VectorX lack = r - T * u;
        for (Index i = 0; i < r.size(); ++i)
            if (sense[static_cast<std::size_t>(i)] != 0) lack(i) = std::max(0.0, lack(i));
        return lack.squaredNorm();
    }

private:
    // Not the root of N: of efforts whose forces cancel that has 1e-8 where rounding leaves 1e-16
    // in N, and they would seem to cost.
    void weigh(const Controls& body) {
        const Index n = body.F.rows(), p = body.F.cols();
        const MatrixX forces = body.M.llt().matrixL().solve(body.F);
        MatrixX weights = body.N ? *body.N : MatrixX(MatrixX::Identity(p, p));
        root = MatrixX::Zero(n + p, p);
        for (Index j = 0; j < p; ++j) {
            const bool gauss =
                body.gauss.empty() ? !body.N : body.gauss[static_cast<std::size_t>(j)] != 0;
            if (!gauss) continue;
            root.col(j).head(n) = forces.col(j);
            weights.row(j).setZero();
            weights.col(j).setZero();
            weights(j, j) = 1.0;
        }
        const MatrixX factor = weights.llt().matrixU();
        for (Index j = 0; j < p; ++j)
            if (root.col(j).isZero(0.0)) root.col(j).tail(p) = factor.col(j);
        N = root.transpose() * root;
    }
};

/// Up to `most` actuators and rows, of which some depend on each other, some are limited, some
/// one-sided; `nearest`, so that every one has an answer.
Controls random_control(Random& random, Index most) {
    const auto chance = [&](double part) { return uniform(random, 0.0, 1.0) < part; };
    const Index n = integer(random, 1, most + 2), p = integer(random, 1, most),
                k = integer(random, 0, most);
    Controls body = random_body(n, random);
    const VectorX x = normal(random, n, 1);
    for (Index i = integer(random, 0, std::min<Index>(n - 1, 2)); i > 0; --i) {
        VectorX row = normal(random, n, 1);
        if (body.A.rows() > 0 && chance(0.3)) row = -2.0 * body.A.row(0);
        body.constrain(row, row.dot(x));
    }
    body.F = normal(random, n, p);
    if (p > 1 && chance(0.3)) body.F.col(p - 1) = body.F.leftCols(p - 1) * normal(random, p - 1, 1);
    for (Index i = 0; i < k; ++i) {
        VectorX row = normal(random, n, 1);
        if (i > 0 && chance(0.2)) row = body.C.transpose() * normal(random, i, 1);
        if (body.A.rows() > 0 && chance(0.05)) row = body.A.row(0);
        body.require(row, 3.0 * normal(random, 1, 1)(0), chance(0.4) ? (chance(0.5) ? 1 : -1) : 0);
    }
    const int cost = static_cast<int>(integer(random, 0, 2));
    if (cost > 0) body.N = random_definite(p, random);
    if (cost > 1)
        for (Index j = 0; j < p; ++j) body.gauss.push_back(chance(0.5));
    body.low = VectorX::Constant(p, -infinity);
    body.high = VectorX::Constant(p, infinity);
    for (Index j = 0; j < p; ++j) {
        const double middle = 0.3 * normal(random, 1, 1)(0);
        if (chance(0.5)) body.low(j) = middle - uniform(random, 0.0, 2.0);
        if (chance(0.5)) body.high(j) = middle + uniform(random, 0.0, 2.0);
        if (chance(0.05)) body.low(j) = body.high(j) = middle;
    }
    body.nearest = true;
    return body;
}

/// Least squares one level after the other, each over what those before leave open.
struct Levels {
    VectorX x;
    MatrixX Z;
    explicit Levels(Index p) : x(VectorX::Zero(p)), Z(MatrixX::Identity(p, p)) {}
    void least(const MatrixX& rows, const VectorX& right) {
        const MatrixX along = rows * Z, inverse = pinv(along);
        x += Z * (inverse * (right - rows * x));
        Z = Z * (MatrixX::Identity(Z.cols(), Z.cols()) - inverse * along);
    }
};

/// The best efforts by trying every set: each limit reached or not, each one-sided row idle, at its
/// border or missed. The best are the answer of the levels for the set that they have themselves.
class EverySet {
public:
    explicit EverySet(const Controls& body) : body_(body), effects_(body) {}
    VectorX best() {
        std::vector<int> choices(static_cast<std::size_t>(body_.F.cols()), 3);
        for (const int sense : body_.sense) choices.push_back(sense == 0 ? 1 : 3);
        std::vector<int> choice(choices.size(), 0);
        for (bool more = true; more;) {
            attempt(choice);
            std::size_t i = 0;
            while (i < choice.size() && ++choice[i] == choices[i]) choice[i++] = 0;
            more = i < choice.size();
        }
        return best_;
    }

private:
    const Controls& body_;
    Effects effects_;
    VectorX best_;

    void attempt(const std::vector<int>& choice) {
        const Index p = body_.F.cols();
        Levels levels(p);
        for (Index j = 0; j < p; ++j) {
            const int at = choice[static_cast<std::size_t>(j)];
            if (at == 0) continue;
            const double limit = at == 1 ? body_.low(j) : body_.high(j);
            if (!std::isfinite(limit)) return;
            levels.least(VectorX::Unit(p, j).transpose(), VectorX::Constant(1, limit));
        }
        std::vector<Index> border, aimed;
        for (Index i = 0; i < effects_.r.size(); ++i) {
            const int at = choice[static_cast<std::size_t>(p + i)];
            if (at == 1) border.push_back(i);
            if (body_.sense[static_cast<std::size_t>(i)] == 0 || at == 2) aimed.push_back(i);
        }
        levels.least(effects_.T(border, Eigen::all), effects_.r(border));
        levels.least(effects_.T(aimed, Eigen::all), effects_.r(aimed));
        levels.least(effects_.root, VectorX::Zero(effects_.root.rows()));
        levels.least(MatrixX::Identity(p, p), VectorX::Zero(p));
        take(levels.x);
    }

    void take(const VectorX& u) {
        for (Index j = 0; j < u.size(); ++j)
            if (u(j) < body_.low(j) - 1e-9 || u(j) > body_.high(j) + 1e-9) return;
        if (best_.size() == 0 || precedes(u, best_)) best_ = u;
    }
    bool precedes(const VectorX& u, const VectorX& v) const {
        const double miss = effects_.miss(u, body_.sense) - effects_.miss(v, body_.sense);
        if (std::abs(miss) > 1e-10 * (1.0 + effects_.r.squaredNorm())) return miss < 0.0;
        const double cost = u.dot(effects_.N * u), other = v.dot(effects_.N * v);
        if (std::abs(cost - other) > 1e-8 * (1.0 + cost)) return cost < other;
        return u.norm() < v.norm();
    }
};

TEST(ControlSets, EffortsAreTheBestOfEverySetTried) {
    Random random(21);
    for (int round = 0; round < 2000; ++round) {
        const Controls body = random_control(random, 3);
        const ControlSolution solution = body.solved();
        ASSERT_EQ(solution.outcome, Outcome::ok) << round;
        const VectorX best = EverySet(body).best();
        EXPECT_LE((to_eigen(solution.effort) - best).norm(), 1e-6 * (1.0 + best.norm())) << round;
        EXPECT_NEAR(solution.cost, best.dot(Effects(body).N * best), 1e-6 * (1.0 + solution.cost))
            << round;
        const ControlSolution again = body.solved(&solution.set);
        ASSERT_EQ(again.outcome, Outcome::ok) << round;
        EXPECT_LE(largest_difference(solution.effort, again.effort), 1e-9 * (1.0 + best.norm()))
            << round;
    }
}

TEST(ControlSets, TheSystemKeepsItsConstraintsByForcesOfLeastNorm) {
    Random random(24);
    for (int round = 0; round < 1000; ++round) {
        const Controls body = random_control(random, 6);
        const ControlSolution solution = body.solved();
        ASSERT_EQ(solution.outcome, Outcome::ok) << round;
        EXPECT_LE(body.imbalance(solution), 1e-12) << round;
        const VectorX q = to_eigen(solution.acceleration),
                      left = body.M * q - body.Q - body.F * to_eigen(solution.effort);
        const VectorX least = pinv(body.A.transpose()) * left;
        EXPECT_LE((to_eigen(solution.multipliers) - least).norm(),
                  1e-9 * (1.0 + left.norm()) * (1.0 + least.norm()))
            << round;
    }
}

TEST(ControlSets, EffortsAreContinuousWhereTheSetChanges) {
    Random random(25);
    int changes = 0;
    for (int round = 0; round < 200; ++round) {
        Controls body = random_control(random, 4);
        const VectorX d = body.d, Q = body.Q, rate = normal(random, d.size(), 1),
                      force = normal(random, Q.size(), 1);
        const auto at = [&](double t) {
            body.d = d + t * rate;
            body.Q = Q + t * force;
            return body.solved();
        };
        double low = 0.0, high = 10.0;
        ControlSolution before = at(low), after = at(high);
        if (before.set == after.set) continue;
        while (high - low > 1e-12 * high) {
            const double middle = 0.5 * (low + high);
            const ControlSolution solution = at(middle);
            ASSERT_EQ(solution.outcome, Outcome::ok) << round;
            const bool same = solution.set == before.set;
            (same ? low : high) = middle;
            (same ? before : after) = solution;
        }
        ++changes;
        EXPECT_LE(largest_difference(before.effort, after.effort),
                  1e-6 * (1.0 + to_eigen(before.effort).norm()))
            << round;
    }
    EXPECT_GT(changes, 50);
}

TEST(ControlSets, UnitsOfRowsAndEffortsDoNotMatter) {
    Random random(26);
    const auto unit = [&] { return std::pow(10.0, uniform(random, -3.0, 3.0)); };
    for (int round = 0; round < 1000; ++round) {
        Controls body = random_control(random, 5);
        if (!body.N)
            body.N = random_definite(
                body.F.cols(),
                random);  // of efforts that cost nothing the shortest depends on units
        body.gauss.clear();
        const ControlSolution solution = body.solved();
        ASSERT_EQ(solution.outcome, Outcome::ok) << round;
        Controls other = body;
        const VectorX units = VectorX::NullaryExpr(body.F.cols(), unit);
        other.F = body.F * units.asDiagonal();
        other.N = MatrixX(units.asDiagonal() * *body.N * units.asDiagonal());
        other.low = body.low.cwiseQuotient(units);
        other.high = body.high.cwiseQuotient(units);
        const bool all_met = to_eigen(solution.missed).isZero(0.0);
        for (Index i = 0; i < body.d.size() && all_met;
             ++i) {  // how much of a missed row is missed is a matter of its units
            const double scale = unit();
            other.C.row(i) *= scale;
            other.d(i) *= scale;
        }
        const ControlSolution same = other.solved();
        ASSERT_EQ(same.outcome, Outcome::ok) << round;
        EXPECT_EQ(same.set, solution.set) << round;
        const VectorX u = to_eigen(solution.effort), v = units.cwiseProduct(to_eigen(same.effort));
        EXPECT_LE((u - v).norm(), 1e-7 * (1.0 + u.norm())) << round;
    }
}

}  // namespace
}  // namespace lacon
