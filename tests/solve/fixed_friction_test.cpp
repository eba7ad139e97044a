// Dry friction with fixed bounds. Where nothing takes more to start than to keep going, x is the
// minimum of ½ (x − x0)ᵀ M (x − x0) + Σ F |W x − w|: a convex problem, whose conditions prove that
// an answer is the only one.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "contacts.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;

ContactFriction fixed(const VectorX& row, double w, double bound) {
    ContactFriction friction;
    friction.fixed = true;
    friction.W = Matrix(1, static_cast<std::size_t>(row.size()));
    for (Index j = 0; j < row.size(); ++j) friction.W(0, static_cast<std::size_t>(j)) = row(j);
    friction.w = {w};
    friction.kinetic = friction.at_rest = bound;
    return friction;
}

class RandomProblem {
public:
    explicit RandomProblem(unsigned seed) : random_(seed) {
        const Index n = whole(2, 6);
        problem = free_body(n);
        const MatrixX L = MatrixX::NullaryExpr(n, n, [&] { return real(1.0); });
        problem.M = L * L.transpose() + 0.3 * MatrixX::Identity(n, n);
        problem.Q = VectorX::NullaryExpr(n, [&] { return real(4.0); });
        if (whole(0, 2) == 0) {
            problem.A = MatrixX(row(n).transpose());
            problem.b = VectorX::Constant(1, problem.A.norm() > 0.0 ? real(1.0) : 0.0);
        }
        const Index count = whole(1, 8);
        for (Index k = 0; k < count; ++k) {
            // Small whole numbers often depend on each other; then no slip is asked for beside it.
            problem.friction.push_back(
                fixed(row(n), 0.0, whole(0, 5) == 0 ? 0.0 : std::abs(real(3.0))));
            if (whole(0, 3) == 0) problem.friction.back().direction = {whole(0, 1) ? 1.0 : -1.0};
        }
    }

    Contacts problem;

private:
    Index whole(int low, int high) { return std::uniform_int_distribution<>(low, high)(random_); }
    double real(double most) { return std::uniform_real_distribution<>(-most, most)(random_); }
    VectorX row(Index n) {
        return VectorX::NullaryExpr(n, [&] { return static_cast<double>(whole(-1, 1)); });
    }

    std::mt19937 random_;
};

TEST(FixedFriction, RandomProblemsMeetTheConditionsOfTheirMinimum) {
    std::size_t held = 0, slipping = 0, shared = 0;
    for (unsigned seed = 1; seed <= 600; ++seed) {
        const Contacts problem = RandomProblem(seed).problem;
        const ContactSolution found = problem.solved();
        ASSERT_EQ(found.outcome, Outcome::ok) << seed;
        const VectorX x = to_eigen(found.x);
        VectorX rest = problem.M * x - problem.Q;
        if (problem.A.rows() > 0) {
            rest -= problem.A.transpose() * to_eigen(found.multipliers);
            EXPECT_LE((problem.A * x - problem.b).norm(), 1e-11) << seed;
        }
        for (std::size_t k = 0; k < problem.friction.size(); ++k) {
            const ContactFriction& friction = problem.friction[k];
            const VectorX W = to_eigen(friction.W).row(0).transpose();
            const double tau = found.friction[k][0], rate = W.dot(x), F = friction.kinetic;
            rest -= tau * W;
            if (!friction.direction.empty()) {
                EXPECT_EQ(tau, -F * friction.direction[0]) << seed;
                continue;
            }
            EXPECT_LE(std::abs(tau), F + 1e-9) << seed;
            EXPECT_LE(std::abs(tau * rate + F * std::abs(rate)), 1e-8) << seed;
            ++(found.friction_states[k] == FrictionState::sticks ? held : slipping);
        }
        EXPECT_LE(rest.norm(), 1e-9) << seed;
        EXPECT_LE(worst(found), 1e-9) << seed;
        shared += found.forces_unique ? 0u : 1u;
    }
    EXPECT_GE(held, 300u);
    EXPECT_GE(slipping, 300u);
    EXPECT_GE(shared, 50u);
}

TEST(FixedFriction, AtRestTheGreaterBoundCounts) {
    Contacts block = free_body(1);
    block.Q << 2.5;
    block.friction = {fixed(VectorX::Ones(1), 0.0, 2.0)};
    EXPECT_EQ(block.solved().x[0], 0.5);
    block.friction[0].at_rest = 3.0;
    EXPECT_EQ(block.solved().x[0], 0.0);
    EXPECT_EQ(block.solved().friction[0][0], -2.5);
    block.Q << 3.5;
    EXPECT_EQ(block.solved().x[0], 1.5);
}

TEST(FixedFriction, ForcesThatAreNotUniqueAreSharedByLeastNormWithinTheirBounds) {
    Contacts block = free_body(1);
    block.Q << 3.0;
    block.friction = {fixed(VectorX::Ones(1), 0.0, 1.0), fixed(VectorX::Ones(1), 0.0, 5.0)};
    const ContactSolution found = block.solved();
    EXPECT_FALSE(found.forces_unique);
    EXPECT_NEAR(found.friction[0][0], -1.0, 1e-12);
    EXPECT_NEAR(found.friction[1][0], -2.0, 1e-12);
}

}  // namespace
}  // namespace lacon
