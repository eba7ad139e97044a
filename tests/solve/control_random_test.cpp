// Random control problems with limits, one-sided rows, and rows and actuators that depend on each
// other: every answer carries its own proof, the conditions of the two quadratic programmes,
// checked by another road than that which found it.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/numbers.hpp"
#include "controls.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;
using ControlRow = ControlSet::Row;

/// |a − K c| at its least over c ≥ 0, by Lawson and Hanson's method.
double distance_to_cone(const MatrixX& K, const VectorX& a) {
    VectorX c = VectorX::Zero(K.cols());
    std::vector<Index> chosen;
    for (Index pass = 0; pass < 10 * K.cols() + 10; ++pass) {
        VectorX gain = K.transpose() * (a - K * c);
        for (const Index i : chosen) gain(i) = 0.0;
        Index next = 0;
        if (K.cols() == 0 || gain.maxCoeff(&next) <= 1e-13 * (1.0 + a.norm())) break;
        chosen.push_back(next);
        while (!chosen.empty()) {
            const VectorX best =
                MatrixX(K(Eigen::all, chosen)).completeOrthogonalDecomposition().solve(a);
            double way = 1.0;
            for (Index i = 0; i < best.size(); ++i)
                if (best(i) <= 0.0) way = std::min(way, c(chosen[i]) / (c(chosen[i]) - best(i)));
            for (Index i = 0; i < best.size(); ++i) c(chosen[i]) += way * (best(i) - c(chosen[i]));
            if (way >= 1.0) break;
            std::erase_if(chosen, [&](Index i) {
                if (c(i) > 1e-14) return false;
                c(i) = 0.0;
                return true;
            });
        }
    }
    return (a - K * c).norm();
}

/// The problem in terms of efforts, by the formulas: T, r and the cost, with inverses.
struct Programme {
    MatrixX T, N;
    VectorX r;

    explicit Programme(const Controls& body) {
        const MatrixX inverse = body.M.inverse();
        const MatrixX AMA = body.A * inverse * body.A.transpose();
        const MatrixX pinv =
            AMA.size() == 0 ? AMA : MatrixX(AMA.completeOrthogonalDecomposition().pseudoInverse());
        const MatrixX K = inverse * body.A.transpose() * pinv;
        T = body.C * (inverse - K * body.A * inverse) * body.F;
        r = body.d - body.C * (inverse * body.Q + K * (body.b - body.A * inverse * body.Q));
        N = body.N ? *body.N : MatrixX(body.F.transpose() * inverse * body.F);
        for (Index i = 0; i < r.size(); ++i) {
            if (body.sense[i] >= 0) continue;
            T.row(i) *= -1.0;
            r(i) *= -1.0;
        }
    }
};

class Proof {
public:
    Proof(const Controls& body, const VectorX& u)
        : body_(body), programme_(body), u_(u), rho_(programme_.T * u - programme_.r) {
        for (Index i = 0; i < rho_.size(); ++i) {
            const double size =
                1.0 + std::abs(programme_.r(i)) + programme_.T.row(i).cwiseAbs().dot(u.cwiseAbs());
            at_border_.push_back(std::abs(rho_(i)) <= tol * size);
            if (at_border_.back() || (body.sense[i] != 0 && rho_(i) > 0.0)) miss_.push_back(0.0);
            else miss_.push_back(rho_(i));
        }
        pull_ = programme_.T.transpose() * Eigen::Map<const VectorX>(miss_.data(), rho_.size());
    }

    static constexpr double tol = 1e-9;

    bool keeps_limits() const {
        if (body_.low.size() == 0) return true;
        const double slack = tol * (1.0 + u_.norm());
        return ((u_ - body_.low).array() >= -slack).all() &&
               ((body_.high - u_).array() >= -slack).all();
    }
    /// How far the gradient of the miss is from what limits can hold.
    double first() const {
        double worst = 0.0;
        for (Index j = 0; j < u_.size(); ++j) {
            const double pull = pull_(j);
            if (pull > 0.0 && at(j, -1)) continue;
            if (pull < 0.0 && at(j, 1)) continue;
            worst = std::max(worst, std::abs(pull));
        }
        return worst / (1.0 + programme_.T.norm() * (rho_.norm() + programme_.r.norm()));
    }
    /// How far the gradient of the cost is from what fixed rows, rows at their borders and limits
    /// can hold.
    double second() const {
        const Index p = u_.size();
        MatrixX cone(p, 0);
        const auto add = [&](const VectorX& column) {
            cone.conservativeResize(Eigen::NoChange, cone.cols() + 1);
            cone.col(cone.cols() - 1) = column;
        };
        for (Index i = 0; i < rho_.size(); ++i) {
            const bool fixed = body_.sense[i] == 0 || miss_[i] != 0.0;
            if (fixed || at_border_[i]) add(programme_.T.row(i));
            if (fixed) add(-programme_.T.row(i));
        }
        for (Index j = 0; j < p; ++j) {
            const bool stuck =
                std::abs(pull_(j)) > 1e-7 * (1.0 + programme_.T.norm() * rho_.norm());
            if (at(j, -1) || (stuck && at(j, 1))) add(VectorX::Unit(p, j));
            if (at(j, 1) || (stuck && at(j, -1))) add(-VectorX::Unit(p, j));
        }
        const VectorX gradient = programme_.N * u_;
        return distance_to_cone(cone, gradient) / (1.0 + programme_.N.norm() * u_.norm());
    }

private:
    const Controls& body_;
    Programme programme_;
    VectorX u_, rho_, pull_;
    std::vector<double> miss_;
    std::vector<bool> at_border_;

    bool at(Index j, int side) const {
        if (body_.low.size() == 0) return false;
        return std::abs(u_(j) - (side < 0 ? body_.low(j) : body_.high(j))) <=
               tol * (1.0 + u_.norm());
    }
};

Controls random_control(Random& random) {
    const Index n = integer(random, 1, 7), p = integer(random, 1, 7), k = integer(random, 0, 7);
    const auto often = [&](double share) { return uniform(random, 0.0, 1.0) < share; };
    Controls body = random_body(n, random);
    for (Index i = integer(random, 0, n - 1) / 2; i > 0; --i)
        body.constrain(normal(random, n, 1), 0.0);
    if (body.A.rows() > 0 && often(0.3)) body.constrain(2.0 * body.A.row(0), 0.0);
    body.F = normal(random, n, p);
    for (Index j = 1; j < p; ++j)
        if (often(0.15)) body.F.col(j) = -2.0 * body.F.col(integer(random, 0, j - 1));
    if (often(0.7)) body.N = random_definite(p, random);
    for (Index i = 0; i < k; ++i) {
        VectorX row = normal(random, n, 1);
        if (i > 0 && often(0.2)) row = 3.0 * body.C.row(integer(random, 0, i - 1));
        if (i > 1 && often(0.1)) row = body.C.row(0) - body.C.row(1);
        body.require(row, normal(random, 1, 1)(0),
                     often(0.5) ? 0 : static_cast<int>(2 * integer(random, 0, 1) - 1));
    }
    if (often(0.8)) {
        const double width = std::pow(10.0, uniform(random, -1.0, 1.5));
        body.low = VectorX::NullaryExpr(
            p, [&] { return often(0.2) ? -infinity : uniform(random, -width, 0.2 * width); });
        body.high = VectorX::NullaryExpr(
            p, [&] { return often(0.2) ? infinity : uniform(random, 0.2 * width, width); });
        if (often(0.1)) body.high(0) = body.low(0) = 0.3;
        if (often(0.2))
            body.low = body.low.cwiseMax(0.0);  // actuators that only push, idle at their limits
    }
    body.nearest = true;
    return body;
}

TEST(ControlRandom, EveryAnswerIsBestInBothProgrammes) {
    Random random(17);
    for (int round = 0; round < 3000; ++round) {
        const Controls body = random_control(random);
        const ControlSolution solution = body.solved();
        ASSERT_EQ(solution.outcome, Outcome::ok) << round;
        const Proof proof(body, to_eigen(solution.effort));
        EXPECT_TRUE(proof.keeps_limits()) << round;
        EXPECT_LE(proof.first(), 1e-9) << round;
        EXPECT_LE(proof.second(), 1e-8) << round;
        EXPECT_LE(body.imbalance(solution), 1e-10) << round;
    }
}

TEST(ControlRandom, TheProofRefusesEffortsThatAreOnlyCutToTheirLimits) {
    // So that the proofs above are worth something: among these problems limits and one-sided rows
    // matter often.
    Random random(17);
    int limited = 0, refused = 0, bound = 0, missed = 0;
    for (int round = 0; round < 3000; ++round) {
        const Controls body = random_control(random);
        const ControlSet set = body.solved().set;
        for (std::size_t i = 0; i < set.rows.size(); ++i) {
            bound += body.sense[i] != 0 && set.rows[i] == ControlRow::bound;
            missed += set.rows[i] == ControlRow::missed;
        }
        if (std::all_of(set.limits.begin(), set.limits.end(),
                        [](auto limit) { return limit == 0; }))
            continue;
        Controls without = body;
        without.low.resize(0);
        without.high.resize(0);
        const VectorX cut =
            to_eigen(without.solved().effort).cwiseMax(body.low).cwiseMin(body.high);
        const Proof proof(body, cut);
        ++limited;
        refused += proof.first() > 1e-6 || proof.second() > 1e-6;
    }
    EXPECT_GE(limited, 300);
    EXPECT_GE(refused, limited / 2);
    EXPECT_GE(bound, 300);
    EXPECT_GE(missed, 300);
}

TEST(ControlRandom, TheSetFoundGivesTheSameEfforts) {
    Random random(23);
    for (int round = 0; round < 3000; ++round) {
        const Controls body = random_control(random);
        const ControlSolution free = body.solved();
        ASSERT_EQ(free.outcome, Outcome::ok) << round;
        const ControlSolution held = body.solved(&free.set);
        ASSERT_EQ(held.outcome, Outcome::ok) << round;
        EXPECT_LE(largest_difference(free.effort, held.effort),
                  1e-12 * (1.0 + to_eigen(free.effort).norm()))
            << round;
        EXPECT_EQ(held.set, free.set) << round;
    }
}

TEST(ControlRandom, NearTheStateTheSetGivesWhatIsDecidedThere) {
    // Where the set stays the same under a small change of all numbers, so do the efforts of both,
    // which change by little.
    Random random(29);
    int same = 0;
    for (int round = 0; round < 2000; ++round) {
        Controls body = random_control(random);
        const ControlSolution before = body.solved();
        body.Q += 1e-7 * normal(random, body.Q.size(), 1);
        const ControlSolution free = body.solved(), held = body.solved(&before.set);
        ASSERT_EQ(free.outcome, Outcome::ok) << round;
        if (free.set != before.set) continue;
        ++same;
        EXPECT_LE(largest_difference(free.effort, held.effort),
                  1e-10 * (1.0 + to_eigen(free.effort).norm()))
            << round;
    }
    EXPECT_GE(same, 1900);
}

}  // namespace
}  // namespace lacon
