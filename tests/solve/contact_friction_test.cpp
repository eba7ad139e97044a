// Coulomb friction: closed forms, Painlevé's rod, and random contacts by their certificate.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "contacts.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;

constexpr double gravity = 9.81;

/// A block of mass 2 as a particle on a plane inclined by `slope`: x along the plane, z off it.
Contacts block_on_incline(double slope, double friction, std::vector<double> direction = {}) {
    Contacts block = free_body(2);
    block.M *= 2.0;
    block.Q << 2.0 * gravity * std::sin(slope), -2.0 * gravity * std::cos(slope);
    block.N = MatrixX(VectorX::Unit(2, 1).transpose());
    block.d = VectorX::Zero(1);
    block.friction = {
        friction_on(0, VectorX::Unit(2, 0).transpose(), friction, std::move(direction))};
    return block;
}

TEST(ContactFriction, ABlockOnAnInclineSticksUpToItsAngle) {
    const ContactSolution held = block_on_incline(0.4, std::tan(0.41)).solved();
    ASSERT_EQ(held.outcome, Outcome::ok);
    EXPECT_EQ(held.friction_states[0], FrictionState::sticks);
    EXPECT_EQ(held.friction_rows[0], (std::vector<std::size_t>{0}));
    EXPECT_LE(to_eigen(held.x).norm(), 1e-15);
    EXPECT_NEAR(held.friction[0][0], -2.0 * gravity * std::sin(0.4), 1e-13);
    const ContactSolution loose = block_on_incline(0.4, std::tan(0.39)).solved();
    ASSERT_EQ(loose.outcome, Outcome::ok);
    EXPECT_EQ(loose.friction_states[0], FrictionState::slips);
    EXPECT_EQ(loose.direction[0], (std::vector<double>{1.0}));
    EXPECT_NEAR(loose.x[0], gravity * (std::sin(0.4) - std::tan(0.39) * std::cos(0.4)), 1e-14);
    EXPECT_LE(worst(loose), 1e-14);
}

TEST(ContactFriction, WhatSlidesIsBrakedWhateverItsAcceleration) {
    const ContactSolution down = block_on_incline(0.4, 0.3, {1.0}).solved();
    EXPECT_NEAR(down.x[0], gravity * (std::sin(0.4) - 0.3 * std::cos(0.4)), 1e-14);
    const ContactSolution up = block_on_incline(0.4, 0.3, {-1.0}).solved();
    EXPECT_NEAR(up.x[0], gravity * (std::sin(0.4) + 0.3 * std::cos(0.4)), 1e-14);
    EXPECT_EQ(up.friction_states[0], FrictionState::slips);
    EXPECT_LE(worst(up), 1e-14);
}

TEST(ContactFriction, AtRestTheGreaterCoefficientCounts) {
    Contacts block = block_on_incline(0.4, std::tan(0.35));
    block.friction[0].at_rest = std::tan(0.45);
    EXPECT_EQ(block.solved().friction_states[0], FrictionState::sticks);
    block.friction[0].at_rest = std::tan(0.39);
    EXPECT_NEAR(block.solved().x[0], gravity * (std::sin(0.4) - std::tan(0.35) * std::cos(0.4)),
                1e-14);
}

TEST(ContactFriction, AnOpenContactHasNone) {
    Contacts block = block_on_incline(0.4, 1.0);
    block.Q(1) = 1.0;
    const ContactSolution solution = block.solved();
    EXPECT_EQ(solution.friction_states[0], FrictionState::none);
    EXPECT_EQ(solution.friction[0][0], 0.0);
    EXPECT_EQ(solution.contact_states[0], ContactState::open);
}

/// A bead of mass 1 on a ring of radius 1 at the angle from below, in the plane: A is the radial
/// row.
Contacts bead_on_ring(double angle, double speed, double coefficient) {
    Contacts bead = free_body(2);
    const VectorX radial = Eigen::Vector2d(std::sin(angle), -std::cos(angle));
    const VectorX tangent = Eigen::Vector2d(std::cos(angle), std::sin(angle));
    bead.A = radial.transpose();
    bead.b = VectorX::Constant(1, -speed * speed);
    bead.Q << 0.0, -gravity;
    ContactFriction friction = friction_on(0, tangent.transpose(), coefficient);
    friction.one_sided.reset();
    friction.two_sided = {0};
    friction.G = Matrix(1, 1, 1.0);
    friction.w = {0.0};
    if (speed != 0.0) friction.direction = {speed > 0.0 ? 1.0 : -1.0};
    bead.friction = {friction};
    return bead;
}

TEST(ContactFriction, ABeadOnARingIsBrakedByTheSizeOfItsLoad) {
    for (const double angle : {0.0, 0.5, 2.0, std::numbers::pi}) {
        for (const double speed : {1.0, -3.0, 5.0}) {
            const double load = -speed * speed - gravity * std::cos(angle);  // along the radius
            const double expected =
                -gravity * std::sin(angle) - 0.3 * std::abs(load) * (speed > 0.0 ? 1.0 : -1.0);
            const ContactSolution solution = bead_on_ring(angle, speed, 0.3).solved();
            ASSERT_EQ(solution.outcome, Outcome::ok);
            const double along = solution.x[0] * std::cos(angle) + solution.x[1] * std::sin(angle);
            EXPECT_NEAR(along, expected, 1e-13);
            EXPECT_NEAR(solution.multipliers[0], load, 1e-13);
            EXPECT_LE(worst(solution), 1e-14);
        }
    }
    EXPECT_EQ(bead_on_ring(0.29, 0.0, 0.3).solved().friction_states[0], FrictionState::sticks);
    const ContactSolution loose = bead_on_ring(0.5, 0.0, 0.3).solved();
    EXPECT_EQ(loose.friction_states[0], FrictionState::slips);
    EXPECT_EQ(loose.direction[0], (std::vector<double>{-1.0}));
}

TEST(ContactFriction, ALoadOfSeveralComponentsIsItsLength) {
    // A bead on a wire along x in space, two rows of constraint: load = |(λ_y, λ_z)| = √(3² + 4²).
    Contacts bead = free_body(3);
    bead.A = MatrixX::Zero(2, 3);
    bead.A(0, 1) = bead.A(1, 2) = 1.0;
    bead.b = VectorX::Zero(2);
    bead.Q << 10.0, 3.0, -4.0;
    ContactFriction friction = friction_on(0, VectorX::Unit(3, 0).transpose(), 0.5, {1.0});
    friction.one_sided.reset();
    friction.two_sided = {0, 1};
    friction.G = to_matrix(MatrixX::Identity(2, 2));
    bead.friction = {friction};
    EXPECT_NEAR(bead.solved().x[0], 7.5, 1e-14);
    bead.friction[0].direction.clear();
    EXPECT_NEAR(bead.solved().x[0], 7.5, 1e-14);
    bead.friction[0].at_rest = bead.friction[0].kinetic = 2.1;
    EXPECT_EQ(bead.solved().friction_states[0], FrictionState::sticks);
}

TEST(ContactFriction, TwoSidedRowsSaidTwiceLeaveTheLoadUndetermined) {
    Contacts bead = bead_on_ring(0.5, 2.0, 0.3);
    bead.A = MatrixX(bead.A.replicate(2, 1));
    bead.b = VectorX(bead.b.replicate(2, 1));
    const ContactSolution solution = bead.solved();
    EXPECT_EQ(solution.outcome, Outcome::undetermined);
    EXPECT_EQ(solution.concerned, (std::vector<std::size_t>{0}));
    bead.friction[0].two_sided = {0, 1};  // their sum is unique
    bead.friction[0].G = Matrix(2, 1, 1.0);
    EXPECT_EQ(bead.solved().outcome, Outcome::ok);
}

/// A body between a guide and a wall, both rough, which press against each other: friction holds it
/// where the guide presses to its other side. With N the force of the wall: −N that of the guide,
/// τ0 = −p N, τ1 = 1 + p N, where p = (h0 − h1)/w; so 1 + p N ≤ μ1 N decides.
TEST(ContactFriction, AGuideHoldsWithALoadToEitherSide) {
    const double h0 = 0.79, h1 = 0.56, w = 0.8, p = (h0 - h1) / w;
    for (const double sign : {1.0, -1.0})
        for (const double mu1 : {0.4, 0.28}) {
            Contacts body = free_body(3);
            body.A = sign * Eigen::RowVector3d(1.0, 0.0, h0);
            body.b = VectorX::Zero(1);
            body.N = Eigen::RowVector3d(1.0, 0.0, h1);
            body.d = VectorX::Zero(1);
            body.Q << 0.0, -1.0, 0.0;
            ContactFriction guide = friction_on(0, Eigen::RowVector3d(0.0, 1.0, -w), 0.6);
            guide.one_sided.reset();
            guide.two_sided = {0};
            guide.G = Matrix(1, 1, 1.0);
            body.friction = {guide, friction_on(0, Eigen::RowVector3d(0.0, 1.0, 0.0), mu1)};
            const ContactSolution solution = body.solved();
            if (mu1 < p) continue;
            ASSERT_EQ(solution.outcome, Outcome::ok) << sign << ' ' << mu1;
            EXPECT_EQ(solution.friction_states,
                      (std::vector{FrictionState::sticks, FrictionState::sticks}));
            EXPECT_NEAR(solution.forces[0], 1.0 / (mu1 - p), 1e-12);
            EXPECT_LE(std::abs(solution.x[1]), 1e-14);
            EXPECT_LE(worst(solution), 1e-12);
        }
}

/// Painlevé's rod: mass 1, half length 1, at `angle` to the floor, its lower tip sliding to the
/// left; the tip would accelerate by `free` off the floor by itself.
Contacts painleve_rod(double angle, double coefficient, double free, bool two_sided = false) {
    Contacts rod = free_body(3);
    rod.M(2, 2) = 1.0 / 3.0;
    rod.Q << 0.0, -gravity, 0.0;
    const VectorX row = Eigen::Vector3d(0.0, 1.0, -std::cos(angle)),
                  slip = Eigen::Vector3d(1.0, 0.0, std::sin(angle));
    rod.friction = {friction_on(0, slip.transpose(), coefficient, {-1.0})};
    (two_sided ? rod.A : rod.N) = row.transpose();
    (two_sided ? rod.b : rod.d) = VectorX::Constant(1, -gravity - free);
    if (two_sided) {
        rod.friction[0].one_sided.reset();
        rod.friction[0].two_sided = {0};
        rod.friction[0].G = Matrix(1, 1, 1.0);
    }
    return rod;
}

TEST(ContactFriction, PainlevesRodHasNoForceOrTwoMotionsAboveItsThreshold) {
    for (const double angle : {0.5, 1.0, 1.3}) {
        const double s = std::sin(angle), c = std::cos(angle),
                     threshold = (1.0 + 3.0 * c * c) / (3.0 * s * c);
        for (const bool two_sided : {false, true}) {
            for (const double free : {-2.0, 2.0}) {
                const ContactSolution below =
                    painleve_rod(angle, 0.99 * threshold, free, two_sided).solved();
                ASSERT_EQ(below.outcome, Outcome::ok) << angle;
                EXPECT_LE(worst(below), 1e-12);
                const ContactSolution above =
                    painleve_rod(angle, 1.01 * threshold, free, two_sided).solved();
                ASSERT_EQ(above.outcome, free < 0.0 ? Outcome::no_force : Outcome::several)
                    << angle << ' ' << two_sided;
                EXPECT_EQ(above.solutions, free < 0.0 ? 0u : 2u);
                EXPECT_EQ(above.concerned, (std::vector<std::size_t>{0}));
                EXPECT_TRUE(above.x.empty());
            }
        }
    }
    const double load = painleve_rod(1.0, 0.5, -2.0).solved().forces[0];
    const double s = std::sin(1.0), c = std::cos(1.0);
    EXPECT_NEAR(load, 2.0 / (1.0 + 3.0 * c * c - 3.0 * 0.5 * s * c), 1e-13);
}

TEST(ContactFriction, ManyContactsAtRestDoNotHideThatThereIsNoForce) {
    const double s = std::sin(1.0), c = std::cos(1.0),
                 threshold = (1.0 + 3.0 * c * c) / (3.0 * s * c);
    for (const double part : {0.8, 1.2}) {
        const Contacts rod = painleve_rod(1.0, part * threshold, -2.0);
        // Blocks on the floor that the rod hardly moves, but enough not to be a part apart.
        constexpr Index blocks = 6;
        Contacts all = free_body(3 + 2 * blocks);
        all.M.topLeftCorner(3, 3) = rod.M;
        all.Q.head(3) = rod.Q;
        all.N = MatrixX::Zero(1 + blocks, 3 + 2 * blocks);
        all.N.topLeftCorner(1, 3) = rod.N;
        all.d = VectorX::Zero(1 + blocks);
        all.d(0) = rod.d(0);
        MatrixX slip = MatrixX::Zero(1, 3 + 2 * blocks);
        slip(0, 0) = 1.0, slip(0, 2) = s;
        all.friction = {friction_on(0, slip, part * threshold, {-1.0})};
        for (Index i = 0; i < blocks; ++i) {
            const Index x = 3 + 2 * i;
            all.M(0, x) = all.M(x, 0) = 1e-3;
            all.Q(x + 1) = -gravity;
            all.N(1 + i, x + 1) = 1.0;
            all.friction.push_back(
                friction_on(static_cast<std::size_t>(1 + i),
                            MatrixX(VectorX::Unit(3 + 2 * blocks, x).transpose()), 0.5));
        }
        const ContactSolution solution = all.solved();
        EXPECT_EQ(solution.outcome, part < 1.0 ? Outcome::ok : Outcome::no_force);
    }
}

/// A particle on a floor in space, of mass 1 along x and z, 4 along y.
Contacts particle(double push_x, double push_y, double coefficient) {
    Contacts body = free_body(3);
    body.M(1, 1) = 4.0;
    body.Q << push_x, push_y, -10.0;
    body.N = MatrixX(VectorX::Unit(3, 2).transpose());
    body.d = VectorX::Zero(1);
    body.friction = {friction_on(0, MatrixX::Identity(2, 3), coefficient)};
    return body;
}

TEST(ContactFriction, TheConeIsRound) {
    EXPECT_EQ(particle(3.0, 3.9, 0.5).solved().friction_states[0], FrictionState::sticks);
    const ContactSolution loose = particle(3.0, 4.1, 0.5).solved();
    ASSERT_EQ(loose.outcome, Outcome::ok);
    EXPECT_EQ(loose.friction_states[0], FrictionState::slips);
    EXPECT_NEAR(to_eigen(loose.friction[0]).norm(), 5.0, 1e-13);
    EXPECT_LE(worst(loose), 1e-12);
    // Of equal mass both ways it slips along the push.
    Contacts equal = particle(6.0, 8.0, 0.5);
    equal.M(1, 1) = 1.0;
    EXPECT_LE(largest_difference(equal.solved().x, std::vector<double>{3.0, 4.0, 0.0}), 1e-13);
}

TEST(ContactFriction, SlipFromRestOpposesItsRateAtTheVeryLimitToo) {
    for (const double excess : {1e-6, 1e-3, 0.1, 1.0, 100.0}) {
        for (const double angle : {0.1, 0.7, 1.5, 3.0}) {
            const double push = 5.0 * (1.0 + excess);
            const ContactSolution solution =
                particle(push * std::cos(angle), push * std::sin(angle), 0.5).solved();
            ASSERT_EQ(solution.outcome, Outcome::ok) << excess << ' ' << angle;
            EXPECT_EQ(solution.friction_states[0], FrictionState::slips);
            EXPECT_LE(worst(solution), 1e-12) << excess << ' ' << angle;
        }
    }
}

TEST(ContactFriction, SlidingInSpaceHasItsGivenDirection) {
    Contacts body = particle(1.0, 0.0, 0.5);
    body.friction[0].direction = {0.6, 0.8};
    const ContactSolution solution = body.solved();
    EXPECT_LE(largest_difference(solution.friction[0], std::vector<double>{-3.0, -4.0}), 1e-14);
    EXPECT_LE(largest_difference(solution.x, std::vector<double>{-2.0, -1.0, 0.0}), 1e-14);
}

/// A block 2 wide and 2 high on its two lower corners, pushed at its centre: x, y, angle.
Contacts block_on_corners(double push, double coefficient) {
    Contacts block = free_body(3);
    block.M(2, 2) = 2.0 / 3.0;
    block.Q << push, -10.0, 0.0;
    block.N.resize(2, 3);
    block.N << 0, 1, -1, 0, 1, 1;
    block.d = VectorX::Zero(2);
    const VectorX slip = Eigen::Vector3d(1.0, 0.0, 1.0);
    block.friction = {friction_on(0, slip.transpose(), coefficient),
                      friction_on(1, slip.transpose(), coefficient)};
    return block;
}

TEST(ContactFriction, TwoStuckCornersShareTheirFriction) {
    const ContactSolution solution = block_on_corners(2.0, 0.5).solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    EXPECT_LE(to_eigen(solution.x).norm(), 1e-14);
    EXPECT_LE(largest_difference(solution.forces, std::vector<double>{4.0, 6.0}), 1e-13);
    EXPECT_NEAR(solution.friction[0][0], -1.0, 1e-13);
    EXPECT_NEAR(solution.friction[1][0], -1.0, 1e-13);
    EXPECT_EQ(solution.friction_rows[0].size() + solution.friction_rows[1].size(), 1u);
    EXPECT_FALSE(solution.forces_unique);
    EXPECT_LE(worst(solution), 1e-14);
}

TEST(ContactFriction, AShareWithinTheConesIsFoundBeforeAnythingSlips) {
    // Loads 3 and 7: equal shares of 2 would break the first cone at 1.5, but 1.5 and 2.5 do not;
    // beyond 5 nothing holds.
    const ContactSolution held = block_on_corners(4.0, 0.5).solved();
    ASSERT_EQ(held.outcome, Outcome::ok);
    EXPECT_EQ(held.friction_states,
              (std::vector<FrictionState>{FrictionState::sticks, FrictionState::sticks}));
    EXPECT_LE(to_eigen(held.x).norm(), 1e-13);
    EXPECT_LE(largest_difference(held.forces, std::vector<double>{3.0, 7.0}), 1e-12);
    EXPECT_LE(std::abs(held.friction[0][0]), 1.5 + 1e-11);
    EXPECT_LE(worst(held), 1e-11);
    const ContactSolution loose = block_on_corners(6.0, 0.5).solved();
    ASSERT_EQ(loose.outcome, Outcome::ok);
    EXPECT_NEAR(loose.x[0], 1.0, 1e-13);
    EXPECT_EQ(loose.friction_states,
              (std::vector<FrictionState>{FrictionState::slips, FrictionState::slips}));
}

/// A table that slides along x on four legs at (±1, ±1), its centre of mass 0.5 above the floor: x,
/// y, z and small rotations.
Contacts sliding_table(const std::vector<double>& coefficients) {
    Contacts table = free_body(6);
    table.Q(2) = -10.0;
    table.N.resize(4, 6);
    table.d = VectorX::Zero(4);
    const double legs[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    for (Index i = 0; i < 4; ++i) {
        const double x = legs[i][0], y = legs[i][1], z = -0.5;  // velocity of a leg: v + ω × r
        table.N.row(i) << 0, 0, 1, y, -x, 0;
        MatrixX slip(2, 6);
        slip << 1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x;
        table.friction.push_back(
            friction_on(static_cast<std::size_t>(i), slip, coefficients[i], {1.0, 0.0}));
    }
    return table;
}

TEST(ContactFriction, LoadsThatAreNotUniqueMatterOnlyWhereTheyMoveSomething) {
    const ContactSolution even = sliding_table({0.4, 0.4, 0.4, 0.4}).solved();
    ASSERT_EQ(even.outcome, Outcome::ok);
    EXPECT_FALSE(even.forces_unique);
    EXPECT_NEAR(even.x[0], -4.0, 1e-13);
    EXPECT_LE(worst(even), 1e-12);
    const ContactSolution uneven = sliding_table({0.4, 0.1, 0.4, 0.1}).solved();
    EXPECT_EQ(uneven.outcome, Outcome::undetermined);
    EXPECT_EQ(uneven.concerned, (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(ContactFriction, LoadsThatOnlyOneShareMakesLawfulAreDetermined) {
    // All of the weight is over the first leg: any other share has a leg that pulls.
    Contacts table = sliding_table({0.4, 0.1, 0.3, 0.2});
    table.Q(3) = -10.0;
    table.Q(4) = 8.0;
    const ContactSolution solution = table.solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    const double expected[] = {-4.0, 0.0, 0.0, 0.0, 0.0, 4.0};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(solution.x[i], expected[i], 1e-12) << i;
    EXPECT_NEAR(solution.forces[0], 10.0, 1e-12);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(solution.forces[i], 0.0, 1e-12) << i;
    table.Q(3) = -9.0;  // the weight is inside of the legs again
    EXPECT_EQ(table.solved().outcome, Outcome::undetermined);
}

/// Equal disks of mass and radius 1 in rows on a floor, each row one shorter than the one below; or
/// between walls, every second.
Contacts pile_of_disks(Index across, Index high, double coefficient, bool walls) {
    std::vector<Eigen::Vector2d> centres;
    for (Index row = 0; row < high; ++row) {
        const Index shift = walls ? row % 2 : row;
        for (Index i = 0; i < across - shift; ++i)
            centres.emplace_back(static_cast<double>(2 * i + shift),
                                 1.0 + std::sqrt(3.0) * static_cast<double>(row));
    }
    const Index n = 3 * static_cast<Index>(centres.size());
    Contacts pile = free_body(n);
    const auto add = [&](Index i, const Eigen::Vector2d& normal, Index j) {
        VectorX row = VectorX::Zero(n), slip = VectorX::Zero(n);
        const Eigen::Vector2d tangent(-normal.y(), normal.x());
        row.segment<2>(3 * i) = normal;
        slip.segment<3>(3 * i) << tangent, -1.0;
        if (j >= 0) {
            row.segment<2>(3 * j) = -normal;
            slip.segment<3>(3 * j) << -tangent, -1.0;
        }
        pile.N.conservativeResize(pile.N.rows() + 1, n);
        pile.N.bottomRows(1) = row.transpose();
        pile.friction.push_back(friction_on(pile.friction.size(), slip.transpose(), coefficient));
    };
    for (Index i = 0; i < n / 3; ++i) {
        const Eigen::Vector2d& c = centres[i];
        if (c.y() < 1.5) add(i, {0.0, 1.0}, -1);
        if (walls && c.x() < 0.5) add(i, {1.0, 0.0}, -1);
        if (walls && c.x() > 2.0 * static_cast<double>(across) - 2.5) add(i, {-1.0, 0.0}, -1);
        for (Index j = 0; j < i; ++j)
            if ((c - centres[j]).norm() < 2.01) add(i, (c - centres[j]).normalized(), j);
        pile.Q(3 * i + 1) = -gravity;
        pile.M(3 * i + 2, 3 * i + 2) = 0.5;
    }
    pile.d = VectorX::Zero(pile.N.rows());
    return pile;
}

TEST(ContactFriction, APileBetweenWallsRestsWithinAllCones) {
    const Contacts pile = pile_of_disks(10, 9, 0.5, true);
    EXPECT_GE(pile.N.rows(), 200);
    const ContactSolution solution = pile.solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    EXPECT_LE(to_eigen(solution.x).norm(), 1e-11);
    EXPECT_LE(worst(solution), 1e-10);
    EXPECT_FALSE(solution.forces_unique);
}

TEST(ContactFriction, APyramidOfThreeDisksRestsAboveFifteenDegrees) {
    // The line from the upper contact of a lower disk to its foot leaves the normal by 15°.
    const double limit = std::tan(std::numbers::pi / 12.0);
    EXPECT_LE(to_eigen(pile_of_disks(2, 2, 1.001 * limit, false).solved().x).norm(), 1e-12);
    EXPECT_GT(to_eigen(pile_of_disks(2, 2, 0.999 * limit, false).solved().x).norm(), 1e-3);
}

TEST(ContactFriction, APyramidThatFallsIsFoundInItsWay) {
    // None of these rests. Revising alone runs in circles for the second.
    for (const auto& [rows, coefficient] :
         {std::pair<Index, double>{4, 0.15}, {5, 0.3}, {10, 0.05}}) {
        const ContactSolution solution = pile_of_disks(rows, rows, coefficient, false).solved();
        ASSERT_EQ(solution.outcome, Outcome::ok) << rows;
        EXPECT_GT(to_eigen(solution.x).norm(), 1.0);
        EXPECT_LE(worst(solution), 1e-11) << rows;
    }
}

/// Rigid bodies in the plane or space in the numbers only: random rows, several contacts with
/// friction.
Contacts random_frictions(Random& random, double coefficient, bool sliding) {
    const Index bodies = integer(random, 1, 3), contacts = integer(random, 1, 4),
                k = integer(random, 1, 2), n = 6 * bodies;
    const MatrixX G = normal(random, n, n);
    Contacts problem{G * G.transpose() / static_cast<double>(n) + MatrixX::Identity(n, n),
                     MatrixX(0, n),
                     normal(random, contacts, n),
                     10.0 * normal(random, n, 1),
                     VectorX(0),
                     normal(random, contacts, 1)};
    for (Index i = 0; i < contacts; ++i) {
        const bool slides = sliding && integer(random, 0, 1) == 0;
        const VectorX direction = normal(random, k, 1).normalized();
        problem.friction.push_back(friction_on(static_cast<std::size_t>(i), normal(random, k, n),
                                               coefficient * uniform(random, 0.0, 1.0),
                                               slides ? to_std(direction) : std::vector<double>()));
    }
    return problem;
}

/// A particle of mass 1 against walls through it: normals and slips along each are random.
struct Walls {
    Contacts problem = free_body(3);
    std::vector<Eigen::Matrix3d> frames;  // columns: normal, two tangents

    void add(const Eigen::Matrix3d& frame, double coefficient) {
        const std::size_t row = frames.size();
        frames.push_back(frame);
        problem.N.conservativeResize(static_cast<Index>(row) + 1, 3);
        problem.N.bottomRows(1) = frame.col(0).transpose();
        problem.d = VectorX::Zero(problem.N.rows());
        problem.friction.push_back(friction_on(row, frame.rightCols(2).transpose(), coefficient));
    }
};

void expect_rest(const Contacts& problem, const std::string& what) {
    const ContactSolution solution = problem.solved();
    ASSERT_EQ(solution.outcome, Outcome::ok) << what << ' ' << name_of(solution.outcome);
    EXPECT_LE(to_eigen(solution.x).norm(), 1e-12 * problem.Q.norm()) << what;
    VectorX left = problem.Q + problem.N.transpose() * to_eigen(solution.forces);
    const double size = problem.Q.norm() + to_eigen(solution.forces).norm();
    for (std::size_t k = 0; k < solution.friction_states.size(); ++k) {
        EXPECT_EQ(solution.friction_states[k], FrictionState::sticks) << what;
        const VectorX tau = to_eigen(solution.friction[k]);
        EXPECT_LE(tau.norm(), problem.friction[k].at_rest * solution.forces[k] + 2e-10 * size);
        left += to_eigen(problem.friction[k].W).transpose() * tau;
    }
    EXPECT_LE(left.norm(), 1e-12 * size) << what;
}

TEST(ContactFriction, ABlockSticksWhereForcesWithinTheConesHoldIt) {
    Random random(11);
    for (int trial = 0; trial < 300; ++trial) {
        Walls walls;
        VectorX held = VectorX::Zero(3);
        for (int wall = 0; wall < 2 + trial % 3; ++wall) {
            const Eigen::Matrix3d frame =
                Eigen::HouseholderQR<Eigen::Matrix3d>(normal(random, 3, 3)).householderQ();
            const double mu = uniform(random, 0.1, 0.9), push = uniform(random, 0.1, 5.0),
                         angle = uniform(random, 0.0, 6.3),
                         part = mu * push * uniform(random, 0.0, 0.999);
            walls.add(frame, mu);
            held += frame * Eigen::Vector3d(push, part * std::cos(angle), part * std::sin(angle));
        }
        walls.problem.Q = -held;
        expect_rest(walls.problem, "trial " + std::to_string(trial));
    }
}

/// Pressed with P into the floor (z) and the wall (y) of a corner and pulled along it with T: with
/// the prices p, q of y and z the greatest T that the cones hold is min p P_y + q P_z over
/// q ≥ μ_z √(1 + p²), p ≥ μ_y √(1 + q²).
TEST(ContactFriction, ABlockInACornerSticksUpToWhatBothConesHold) {
    const std::vector<std::array<double, 4>> corners{{0.25, 0.25, 10.0, 6.0},
                                                     {0.6, 0.6, 10.0, 10.0},
                                                     {0.3, 0.5, 7.0, 9.0},
                                                     {0.8, 0.4, 3.0, 2.5}};
    for (const auto& [floor, wall, Pz, Py] : corners) {
        const double rest = 1.0 - floor * floor * wall * wall;
        const double p = wall * std::sqrt((1.0 + floor * floor) / rest),
                     q = floor * std::sqrt((1.0 + wall * wall) / rest);
        const double most = p * Py + q * Pz;
        Eigen::Matrix3d on_floor, on_wall;
        on_floor << 0, 1, 0, 0, 0, 1, 1, 0, 0;
        on_wall << 0, 1, 0, 1, 0, 0, 0, 0, 1;
        Walls corner;
        corner.add(on_floor, floor);
        corner.add(on_wall, wall);
        for (const double part : {0.1, 0.5, 0.9, 0.97, 0.999, 1.0 - 1e-6, 1.0 - 1e-8}) {
            corner.problem.Q = Eigen::Vector3d(part * most, -Py, -Pz);
            expect_rest(corner.problem, std::to_string(part));
        }
        corner.problem.Q = Eigen::Vector3d((1.0 + 1e-8) * most, -Py, -Pz);
        const ContactSolution slips = corner.problem.solved();
        ASSERT_EQ(slips.outcome, Outcome::ok) << name_of(slips.outcome);
        EXPECT_EQ(slips.friction_states, (std::vector{FrictionState::slips, FrictionState::slips}));
        EXPECT_NEAR(slips.x[0], most - floor * Pz - wall * Py, 1e-6);
    }
}

TEST(ContactFriction, UnitsChangeNothing) {
    Random random(4);
    const auto units = [&](Index count) -> VectorX {
        return VectorX::NullaryExpr(count,
                                    [&] { return std::pow(10.0, uniform(random, -3.0, 3.0)); });
    };
    for (int trial = 0; trial < 200; ++trial) {
        const Contacts plain = random_frictions(random, 0.4, trial % 2 == 1);
        Contacts other = plain;
        const VectorX coordinates = units(plain.M.rows()), rows = units(plain.N.rows());
        other.M = coordinates.asDiagonal() * plain.M * coordinates.asDiagonal();
        other.Q = coordinates.cwiseProduct(plain.Q);
        other.N = rows.asDiagonal() * plain.N * coordinates.asDiagonal();
        other.d = rows.cwiseProduct(plain.d);
        for (std::size_t k = 0; k < other.friction.size(); ++k) {
            other.friction[k].W =
                to_matrix(to_eigen(plain.friction[k].W) * coordinates.asDiagonal());
            other.friction[k].scale = rows(static_cast<Index>(k));
        }
        const ContactSolution one = plain.solved(), two = other.solved();
        ASSERT_EQ(one.outcome, two.outcome) << "trial " << trial;
        if (one.outcome != Outcome::ok) continue;
        const VectorX x = to_eigen(one.x), y = coordinates.cwiseProduct(to_eigen(two.x));
        ASSERT_LE((x - y).norm(), 1e-9 * (1.0 + x.norm())) << "trial " << trial;
        ASSERT_EQ(one.contact_states, two.contact_states);
        ASSERT_EQ(one.friction_states, two.friction_states);
        ASSERT_LE(worst(two), 1e-11);
    }
}

TEST(ContactFriction, RandomContactsMeetTheLaw) {
    Random random(3);
    double certificate = 0.0;
    int paradoxes = 0;
    for (int trial = 0; trial < 1000; ++trial) {
        const bool sliding = trial % 2 == 1;
        const Contacts problem = random_frictions(random, 0.6, sliding);
        const ContactSolution solution = problem.solved();
        if (sliding &&
            (solution.outcome == Outcome::no_force || solution.outcome == Outcome::several)) {
            ++paradoxes;
            continue;
        }
        ASSERT_EQ(solution.outcome, Outcome::ok)
            << "trial " << trial << ' ' << name_of(solution.outcome);
        certificate = std::max(certificate, worst(solution));
        ContactOptions warm;
        warm.warm = &solution;
        ASSERT_LE(largest_difference(problem.solved(warm).x, solution.x), 1e-9)
            << "trial " << trial;
    }
    EXPECT_LE(certificate, 1e-10);
    EXPECT_LE(paradoxes, 25);  // rows at random may well drive their own load
}

}  // namespace
}  // namespace lacon
