// Control by constraints: closed forms.
#include "lacon/control.hpp"
#include "base/numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "controls.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;
using ControlRow = ControlSet::Row;

TEST(Control, SecondExampleOfP2HasItsPrintedControlForce) {
    // Theory 6.2: mass m under (X, Y), x' − t y' = α(t), so x'' − t y'' = y' + α'.
    const double m = 2.5, t = 0.7, X = 3.0, Y = -1.25, asked = 0.4 + 0.9;
    Controls particle(2);
    particle.M *= m;
    particle.Q << X, Y;
    particle.require(VectorX{{1.0, -t}}, asked);
    const ControlSolution solution = particle.solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    const double s = 1.0 + t * t;
    EXPECT_NEAR(solution.effort[0], (-X + t * Y + m * asked) / s, 1e-14);
    EXPECT_NEAR(solution.effort[1], (t * X - t * t * Y - t * m * asked) / s, 1e-14);
    EXPECT_NEAR(solution.acceleration[0] - t * solution.acceleration[1], asked, 1e-14);
    EXPECT_NEAR(solution.cost, std::pow(-X + t * Y + m * asked, 2) / s / m, 1e-14);
}

TEST(Control, AsManyActuatorsAsRowsGiveInverseDynamics) {
    // A two-link arm, its end point accelerated by two torques: u = M q'' − Q with J q'' = d.
    Controls arm(2);
    arm.M << 3.0, 1.1, 1.1, 0.8;
    arm.Q << -2.0, 0.3;
    MatrixX J(2, 2);
    J << -0.9, -0.5, 1.4, 0.6;
    const VectorX d{{0.7, -1.3}};
    arm.require(J.row(0), d(0));
    arm.require(J.row(1), d(1));
    const VectorX q = J.inverse() * d;
    const VectorX torque = arm.M * q - arm.Q;
    for (const bool weighted : {false, true}) {
        if (weighted) arm.N = MatrixX{{4.0, 1.0}, {1.0, 9.0}};
        const ControlSolution solution = arm.solved();
        ASSERT_EQ(solution.outcome, Outcome::ok);
        EXPECT_LE((to_eigen(solution.effort) - torque).norm(), 1e-13);
        EXPECT_LE((to_eigen(solution.acceleration) - q).norm(), 1e-13);
        EXPECT_EQ(solution.rank, 2u);
    }
}

TEST(Control, RedundantActuatorsFollowTheWeightedPseudoInverse) {
    Random random(3);
    for (int round = 0; round < 200; ++round) {
        const Index n = integer(random, 2, 9), p = integer(random, 2, 9),
                    k = integer(random, 1, std::min(n, p));
        Controls body = random_body(n, random);
        body.F = normal(random, n, p);
        body.N = random_definite(p, random);
        for (Index i = 0; i < k; ++i) body.require(normal(random, n, 1), normal(random, 1, 1)(0));
        const MatrixX T = body.C * body.M.llt().solve(body.F), Ninv = body.N->inverse();
        const VectorX r = body.d - body.C * body.M.llt().solve(body.Q);
        const VectorX u = Ninv * T.transpose() * (T * Ninv * T.transpose()).ldlt().solve(r);
        const ControlSolution solution = body.solved();
        ASSERT_EQ(solution.outcome, Outcome::ok);
        const double conditions = condition_of((T * Ninv * T.transpose()).cast<long double>(), k) *
                                  condition_of(body.M.cast<long double>(), n) *
                                  condition_of(body.N->cast<long double>(), p);
        EXPECT_LE((to_eigen(solution.effort) - u).norm(), 1e-14 * conditions * u.norm());
        EXPECT_LE(body.imbalance(solution), 1e-13 * conditions);
        EXPECT_NEAR(solution.cost, u.dot(*body.N * u), 1e-14 * conditions * solution.cost);
        EXPECT_LE(
            (to_eigen(solution.shares).colwise().sum().transpose() - to_eigen(solution.effort))
                .norm(),
            1e-10 * u.norm());
    }
}

TEST(Control, WithoutActuatorsOfItsOwnItIsTheControlForceOfP2) {
    // Theory 3.5, also where rows depend on each other.
    Random random(5);
    for (int round = 0; round < 300; ++round) {
        const Sample sample = make_sample(random_plan(random, 1e3, 1e3, 12), random);
        const Index n = sample.plan.n;
        const Matrix F = to_matrix(MatrixX::Identity(n, n)), none(0, static_cast<std::size_t>(n));
        const ControlSolution solution =
            solve(ControlProblem{sample.M, sample.Q, none, {}, sample.A, sample.b, F});
        ASSERT_EQ(solution.outcome, Outcome::ok);
        EXPECT_EQ(solution.rank, static_cast<std::size_t>(sample.plan.rank));
        const VectorX printed = to_eigen(reference::control_force_p2(sample.printed()));
        EXPECT_LE((to_eigen(solution.effort) - printed).norm(), 1e-9 * (1.0 + printed.norm()));
        const Oracle oracle = consult(sample, false);
        EXPECT_LE(oracle.error(solution.acceleration, oracle.q),
                  1e-14 * oracle.cond_B * oracle.cond_L);
    }
}

TEST(Control, PhysicalConstraintsHoldWhateverTheEfforts) {
    // A bead on the line y = x: pushed along x it moves by half the force, the wire takes the rest.
    Controls bead(2);
    bead.constrain(VectorX{{1.0, -1.0}}, 0.0);
    bead.F = VectorX{{1.0, 0.0}};
    bead.require(VectorX{{0.0, 1.0}}, 3.0);
    const ControlSolution solution = bead.solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    EXPECT_NEAR(solution.effort[0], 6.0, 1e-14);
    EXPECT_NEAR(solution.acceleration[0], 3.0, 1e-14);
    EXPECT_NEAR(solution.acceleration[1], 3.0, 1e-14);
    EXPECT_NEAR(solution.multipliers[0], -3.0, 1e-14);
}

TEST(Control, WhatTheConstraintsForbidIsUnreachable) {
    Controls bead(2);
    bead.constrain(VectorX{{1.0, -1.0}}, 0.0);
    bead.require(VectorX{{1.0, -1.0}}, 2.0);
    bead.require(VectorX{{1.0, 0.0}}, 5.0);
    const ControlSolution solution = bead.solved();
    EXPECT_EQ(solution.outcome, Outcome::unreachable);
    EXPECT_TRUE(solution.effort.empty());
    EXPECT_EQ(solution.rank, 1u);
    EXPECT_NEAR(solution.missed[0], -2.0, 1e-14);
    EXPECT_EQ(solution.missed[1], 0.0);
    ASSERT_EQ(solution.dependent.size(), 1u);
    EXPECT_EQ(solution.dependent[0].rows, std::vector<std::size_t>{0});
    EXPECT_TRUE(solution.dependent[0].conflict);
}

TEST(Control, RowsThatContradictEachOtherAreFollowedInTheMeanOnRequest) {
    Controls particle(1);
    particle.require(VectorX{{1.0}}, 2.0);
    particle.require(VectorX{{1.0}}, 4.0);
    const ControlSolution stopped = particle.solved();
    EXPECT_EQ(stopped.outcome, Outcome::unreachable);
    ASSERT_EQ(stopped.dependent.size(), 1u);
    EXPECT_TRUE(stopped.dependent[0].conflict);
    EXPECT_EQ(stopped.dependent[0].rows, (std::vector<std::size_t>{0, 1}));
    particle.nearest = true;
    const ControlSolution followed = particle.solved();
    ASSERT_EQ(followed.outcome, Outcome::ok);
    EXPECT_NEAR(followed.effort[0], 3.0, 1e-14);
    EXPECT_NEAR(followed.missed[0], 1.0, 1e-14);
    EXPECT_NEAR(followed.missed[1], -1.0, 1e-14);
    EXPECT_EQ(followed.set.rows, (std::vector<ControlRow>{ControlRow::missed, ControlRow::missed}));
    particle.C(1, 0) = 3.0;  // counts nine times: minimizes (u − 2)² + (3u − 4)²
    EXPECT_NEAR(particle.solved().effort[0], 14.0 / 10.0, 1e-14);
}

TEST(Control, AnEffortBeyondItsLimitStaysAtItAndTheOthersTakeOver) {
    // Two engines push one mass; equal weights share the load until the first is at its limit.
    Controls cart(1);
    cart.F = MatrixX::Ones(1, 2);
    cart.N = MatrixX::Identity(2, 2);
    cart.low = VectorX{{-1.0, -infinity}};
    cart.high = VectorX{{1.0, infinity}};
    cart.require(VectorX{{1.0}}, 1.5);
    const ControlSolution within = cart.solved();
    EXPECT_NEAR(within.effort[0], 0.75, 1e-15);
    EXPECT_EQ(within.set.limits, (std::vector<signed char>{0, 0}));
    cart.d(0) = -6.0;
    const ControlSolution beyond = cart.solved();
    ASSERT_EQ(beyond.outcome, Outcome::ok);
    EXPECT_EQ(beyond.effort[0], -1.0);
    EXPECT_NEAR(beyond.effort[1], -5.0, 1e-14);
    EXPECT_EQ(beyond.missed[0], 0.0);
    EXPECT_EQ(beyond.set.limits, (std::vector<signed char>{-1, 0}));
    EXPECT_EQ(beyond.set.rows, std::vector<ControlRow>{ControlRow::bound});
    cart.low(1) = -2.0;
    const ControlSolution short_of_it = cart.solved();
    ASSERT_EQ(short_of_it.outcome, Outcome::ok);
    EXPECT_EQ(short_of_it.effort, (std::vector<double>{-1.0, -2.0}));
    EXPECT_NEAR(short_of_it.missed[0], 3.0, 1e-14);
    EXPECT_EQ(short_of_it.set.rows, std::vector<ControlRow>{ControlRow::missed});
}

TEST(Control, LimitsDoNotExcuseWhatNoEffortCouldDo) {
    // The second coordinate has no actuator; the first one's limit is reached but does not matter
    // for it.
    Controls body(2);
    body.F = VectorX{{1.0, 0.0}};
    body.low = VectorX{{-1.0}};
    body.high = VectorX{{1.0}};
    body.require(VectorX{{1.0, 0.0}}, 0.5);
    body.require(VectorX{{0.0, 1.0}}, 1.0);
    EXPECT_EQ(body.solved().outcome, Outcome::unreachable);
    body.nearest = true;
    const ControlSolution solution = body.solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    EXPECT_NEAR(solution.effort[0], 0.5, 1e-15);
    EXPECT_EQ(solution.missed, (std::vector<double>{0.0, -1.0}));
    body.nearest = false;
    body.d(0) = 3.0;  // the limit is reached now, and is still not what keeps the second coordinate
    const ControlSolution beyond = body.solved();
    EXPECT_EQ(beyond.outcome, Outcome::unreachable);
    EXPECT_EQ(beyond.missed, (std::vector<double>{-2.0, -1.0}));
    body.d(1) = 0.0;
    EXPECT_EQ(body.solved().outcome, Outcome::ok);
}

TEST(Control, TwoActuatorsThatPullInOneDirectionDoNotReachTwo) {
    Controls body(2);
    body.F = MatrixX{{1.0, 2.0}, {1.0, 2.0}};
    body.N = MatrixX::Identity(2, 2);
    body.require(VectorX{{1.0, 0.0}}, 5.0);
    body.require(VectorX{{0.0, 1.0}}, 3.0);
    const ControlSolution stopped = body.solved();
    EXPECT_EQ(stopped.outcome, Outcome::unreachable);
    EXPECT_EQ(stopped.rank, 1u);
    EXPECT_NEAR(stopped.missed[0], -1.0, 1e-14);
    EXPECT_NEAR(stopped.missed[1], 1.0, 1e-14);
    ASSERT_EQ(stopped.dependent.size(), 1u);
    EXPECT_TRUE(stopped.dependent[0].conflict);
    EXPECT_EQ(stopped.dependent[0].rows, (std::vector<std::size_t>{0, 1}));
    EXPECT_NEAR(stopped.dependent[0].coefficients[1], -1.0, 1e-14);
    body.nearest = true;  // 4 of both: u₁ + 2 u₂ = 4, shortest
    EXPECT_LE((to_eigen(body.solved().effort) - VectorX{{0.8, 1.6}}).norm(), 1e-14);
    body.nearest = false;
    body.d(1) = 5.0;
    const ControlSolution consistent = body.solved();
    EXPECT_EQ(consistent.outcome, Outcome::ok);
    ASSERT_EQ(consistent.dependent.size(), 1u);
    EXPECT_FALSE(consistent.dependent[0].conflict);
}

TEST(Control, OutOfReachOneComesAsNearAsLeastSquaresDo) {
    Random random(7);
    for (int round = 0; round < 200; ++round) {
        const Index n = integer(random, 2, 8), k = integer(random, 2, n),
                    p = integer(random, 1, k - 1);
        Controls body = random_body(n, random);
        body.F = normal(random, n, p);
        body.nearest = true;
        for (Index i = 0; i < k; ++i) body.require(normal(random, n, 1), normal(random, 1, 1)(0));
        const MatrixX T = body.C * body.M.llt().solve(body.F);
        const VectorX r = body.d - body.C * body.M.llt().solve(body.Q);
        const VectorX u = (T.transpose() * T).ldlt().solve(T.transpose() * r);
        const ControlSolution solution = body.solved();
        ASSERT_EQ(solution.outcome, Outcome::ok);
        const double conditions = condition_of((T.transpose() * T).cast<long double>(), p) *
                                  condition_of(body.M.cast<long double>(), n);
        EXPECT_LE((to_eigen(solution.effort) - u).norm(),
                  1e-14 * conditions * (u.norm() + r.norm()));
        EXPECT_LE((to_eigen(solution.missed) - (T * u - r)).norm(), 1e-14 * conditions * r.norm());
    }
}

TEST(Control, AOneSidedRowCallsForEffortOnlyWhereItIsNeeded) {
    for (const int sense : {1, -1}) {
        Controls ball(1);
        ball.M *= 2.0;
        ball.require(VectorX{{1.0}}, 3.0 * sense, sense);
        ball.Q << 8.0 * sense;
        const ControlSolution beyond = ball.solved();
        ASSERT_EQ(beyond.outcome, Outcome::ok);
        EXPECT_EQ(beyond.effort[0], 0.0);
        EXPECT_EQ(beyond.set.rows, std::vector<ControlRow>{ControlRow::idle});
        EXPECT_EQ(beyond.missed[0], 0.0);
        ball.Q << 4.0 * sense;
        const ControlSolution held = ball.solved();
        ASSERT_EQ(held.outcome, Outcome::ok);
        EXPECT_NEAR(held.effort[0], 2.0 * sense, 1e-14);
        EXPECT_EQ(held.set.rows, std::vector<ControlRow>{ControlRow::bound});
    }
}

TEST(Control, ActuatorsWithAndWithoutWeightsShareOneCost) {
    // One mass m, a gauss actuator and a weighted one: least u₁²/m + w u₂² with u₁ + u₂ = m d.
    const double m = 2.0, w = 3.0, d = 5.0;
    Controls cart(1);
    cart.M *= m;
    cart.F = MatrixX::Ones(1, 2);
    cart.N = MatrixX{{std::nan(""), std::nan("")}, {std::nan(""), w}};
    cart.gauss = {true, false};
    cart.require(VectorX{{1.0}}, d);
    const ControlSolution solution = cart.solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    const double mu = m * d / (m + 1.0 / w);
    EXPECT_NEAR(solution.effort[0], m * mu, 1e-14);
    EXPECT_NEAR(solution.effort[1], mu / w, 1e-14);
}

TEST(Control, ForcesThatCancelAreNotExertedUnlessALimitAsksForThem) {
    // Two equal gauss actuators: only their sum costs; the shortest of them is the equal one, as
    // far as limits let it.
    Controls cart(1);
    cart.F = MatrixX::Ones(1, 2);
    cart.require(VectorX{{1.0}}, 4.0);
    EXPECT_LE((to_eigen(cart.solved().effort) - VectorX{{2.0, 2.0}}).norm(), 1e-14);
    cart.low = VectorX{{-infinity, -infinity}};
    cart.high = VectorX{{0.5, infinity}};
    const ControlSolution solution = cart.solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    EXPECT_LE((to_eigen(solution.effort) - VectorX{{0.5, 3.5}}).norm(), 1e-14);
    EXPECT_EQ(solution.set.limits, (std::vector<signed char>{1, 0}));
}

TEST(Control, SharesSayWhichRowCallsForWhat) {
    // Independent actuators: every row calls for its own.
    Controls body(2);
    body.require(VectorX{{1.0, 0.0}}, 2.0);
    body.require(VectorX{{0.0, 1.0}}, -3.0);
    const ControlSolution solution = body.solved();
    EXPECT_LE((to_eigen(solution.shares) - MatrixX{{2.0, 0.0}, {0.0, -3.0}}).norm(), 1e-14);
    // The same thing asked for twice, in other units: half each.
    body.require(VectorX{{0.0, 1000.0}}, -3000.0);
    EXPECT_LE(
        (to_eigen(body.solved().shares) - MatrixX{{2.0, 0.0}, {0.0, -1.5}, {0.0, -1.5}}).norm(),
        1e-13);
}

TEST(Control, WhatIsWrongWithTheSystemIsSaidAsBySolve) {
    Controls body(2);
    body.require(VectorX{{1.0, 0.0}}, 1.0);
    Controls changed = body;
    changed.M(1, 1) = -1.0;
    EXPECT_EQ(changed.solved().outcome, Outcome::indefinite);
    changed = body;
    changed.M(1, 1) = 0.0;
    EXPECT_EQ(changed.solved().outcome, Outcome::undetermined);
    changed = body;
    changed.constrain(VectorX{{1.0, 1.0}}, 0.0);
    changed.constrain(VectorX{{2.0, 2.0}}, 1.0);
    EXPECT_EQ(changed.solved().outcome, Outcome::conflict);
    changed = body;
    changed.Q(0) = std::nan("");
    EXPECT_EQ(changed.solved().outcome, Outcome::undefined);
    changed = body;
    changed.N = MatrixX{{1.0, 2.0}, {2.0, 1.0}};
    EXPECT_EQ(changed.solved().outcome, Outcome::indefinite);
    changed = body;
    changed.low = VectorX{{1.0, 0.0}};
    changed.high = VectorX{{0.0, 1.0}};
    EXPECT_EQ(changed.solved().outcome, Outcome::undefined);
}

TEST(Control, AMasslessCoordinateHeldByAConstraintIsControlledByWeightedActuators) {
    // y = x without a mass of its own: a force along y moves x.
    Controls body(2);
    body.M(0, 0) = 2.0;
    body.M(1, 1) = 0.0;
    body.constrain(VectorX{{1.0, -1.0}}, 0.0);
    body.F = VectorX{{0.0, 1.0}};
    body.require(VectorX{{1.0, 0.0}}, 3.0);
    EXPECT_EQ(body.solved().outcome, Outcome::undetermined);  // Gauss's measure needs M⁻¹
    body.N = MatrixX::Ones(1, 1);
    const ControlSolution solution = body.solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    EXPECT_NEAR(solution.effort[0], 6.0, 1e-13);
    EXPECT_LE((to_eigen(solution.acceleration) - VectorX{{3.0, 3.0}}).norm(), 1e-13);
}

TEST(Control, NothingRequiredOrNoActuatorsIsLegal) {
    Controls body(2);
    body.Q << 1.0, 2.0;
    const ControlSolution idle = body.solved();
    ASSERT_EQ(idle.outcome, Outcome::ok);
    EXPECT_EQ(idle.effort, (std::vector<double>{0.0, 0.0}));
    EXPECT_EQ(idle.acceleration, (std::vector<double>{1.0, 2.0}));
    body.low = VectorX{{0.5, -1.0}};  // an effort that cannot be zero
    body.high = VectorX{{1.0, 1.0}};
    EXPECT_LE((to_eigen(body.solved().effort) - VectorX{{0.5, 0.0}}).norm(), 1e-15);
    body.low.resize(0);
    body.high.resize(0);
    body.F = MatrixX(2, 0);
    body.require(VectorX{{1.0, 0.0}}, 1.0);
    EXPECT_EQ(body.solved().outcome, Outcome::ok);
    body.d(0) = 2.0;
    EXPECT_EQ(body.solved().outcome, Outcome::unreachable);
}

TEST(Control, RowsInOtherUnitsAndCoordinatesInOthersLeaveTheEffortsAsTheyAre) {
    Random random(11);
    for (int round = 0; round < 100; ++round) {
        const Index n = integer(random, 2, 8), p = integer(random, 2, 8),
                    k = integer(random, 1, std::min(n, p));
        Controls body = random_body(n, random);
        body.F = normal(random, n, p);
        body.N = random_definite(p, random);
        for (Index i = 0; i < k; ++i) body.require(normal(random, n, 1), normal(random, 1, 1)(0));
        const VectorX u = to_eigen(body.solved().effort);
        Controls other = body;
        for (Index i = 0; i < k; ++i) {
            const double scale = std::pow(10.0, uniform(random, -6.0, 6.0));
            other.C.row(i) *= scale;
            other.d(i) *= scale;
        }
        const VectorX units =
            VectorX::NullaryExpr(n, [&] { return std::pow(10.0, uniform(random, -6.0, 6.0)); });
        other.M = units.asDiagonal() * other.M * units.asDiagonal();
        other.Q = units.asDiagonal() * other.Q;
        other.C = other.C * units.asDiagonal();
        other.F = units.asDiagonal() * other.F;
        const ControlSolution solution = other.solved();
        ASSERT_EQ(solution.outcome, Outcome::ok);
        EXPECT_EQ(solution.rank, static_cast<std::size_t>(k));
        EXPECT_LE((to_eigen(solution.effort) - u).norm(), 1e-9 * u.norm());
    }
}

}  // namespace
}  // namespace lacon
