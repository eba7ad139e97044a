// Rows that only push: closed forms, and all active sets tried one by one.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "contacts.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;

TEST(Contact, WithoutContactsTheMotionIsFree) {
    Contacts body = free_body(2);
    body.Q << 3.0, -4.0;
    const ContactSolution solution = body.solved();
    EXPECT_EQ(solution.outcome, Outcome::ok);
    EXPECT_EQ(solution.x, (std::vector<double>{3.0, -4.0}));
    EXPECT_TRUE(solution.forces.empty());
    EXPECT_EQ(worst(solution), 0.0);
}

Contacts ball_on_floor(double force) {
    Contacts ball = free_body(1);
    ball.M(0, 0) = 2.0;
    ball.N = MatrixX::Ones(1, 1);
    ball.d = VectorX::Zero(1);
    ball.Q = VectorX::Constant(1, force);
    return ball;
}

TEST(Contact, AFloorPushesAndNeverPulls) {
    const ContactSolution pressed = ball_on_floor(-10.0).solved();
    EXPECT_EQ(pressed.x[0], 0.0);
    EXPECT_NEAR(pressed.forces[0], 10.0, 1e-14);
    EXPECT_EQ(pressed.contact_states[0], ContactState::working);
    const ContactSolution pulled = ball_on_floor(10.0).solved();
    EXPECT_NEAR(pulled.x[0], 5.0, 1e-14);
    EXPECT_EQ(pulled.forces[0], 0.0);
    EXPECT_EQ(pulled.contact_states[0], ContactState::open);
    const ContactSolution weightless = ball_on_floor(0.0).solved();
    EXPECT_EQ(weightless.forces[0], 0.0);
    EXPECT_EQ(weightless.contact_states[0], ContactState::idle);
}

TEST(Contact, ATableOnFourLegsSharesItsWeightByTheLeastNorm) {
    // Height and two tilts; legs at (±1, ±1). A load beyond the middle: what each leg carries is
    // the plane through them.
    Contacts table = free_body(3);
    table.M.diagonal() << 4.0, 1.0, 1.0;
    table.N.resize(4, 3);
    table.N << 1, 1, 1, 1, -1, 1, 1, -1, -1, 1, 1, -1;
    table.d = VectorX::Zero(4);
    table.Q << -40.0, -4.0, -8.0;
    const ContactSolution solution = table.solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    EXPECT_LE(to_eigen(solution.x).norm(), 1e-14);
    EXPECT_LE(largest_difference(solution.forces, std::vector<double>{13.0, 11.0, 7.0, 9.0}),
              1e-13);
    EXPECT_FALSE(solution.forces_unique);
    EXPECT_EQ(std::count(solution.contact_states.begin(), solution.contact_states.end(),
                         ContactState::working),
              3);
    EXPECT_EQ(std::count(solution.contact_states.begin(), solution.contact_states.end(),
                         ContactState::idle),
              1);
    EXPECT_LE(worst(solution), 1e-14);
}

TEST(Contact, LegsThatCannotPullLeaveTheLeastNormOfThoseThatPush) {
    // The load stands on the diagonal of legs 0 and 2, on leg 0 alone: the shares are unique
    // although the rows depend.
    Contacts table = free_body(3);
    table.N.resize(4, 3);
    table.N << 1, 1, 1, 1, -1, 1, 1, -1, -1, 1, 1, -1;
    table.d = VectorX::Zero(4);
    table.Q << -10.0, -10.0, -10.0;
    const ContactSolution solution = table.solved();
    EXPECT_LE(largest_difference(solution.forces, std::vector<double>{10.0, 0.0, 0.0, 0.0}), 1e-13);
    EXPECT_TRUE(solution.forces_unique);
}

TEST(Contact, RowsThatExcludeEachOtherAreAConflictWithBothNamed) {
    Contacts wedge = free_body(2);
    wedge.N.resize(3, 2);
    wedge.N << 0, 1, 1, 0, -2, 0;  // x ≥ 1 and x ≤ 0
    wedge.d.resize(3);
    wedge.d << 5.0, 1.0, 0.0;
    const ContactSolution solution = wedge.solved();
    EXPECT_EQ(solution.outcome, Outcome::conflict);
    EXPECT_EQ(solution.concerned, (std::vector<std::size_t>{1, 2}));
    EXPECT_TRUE(solution.x.empty());
}

TEST(Contact, ARowAgainstATwoSidedOneIsAConflict) {
    Contacts held = free_body(1);
    held.A = held.N = MatrixX::Ones(1, 1);
    held.b = VectorX::Zero(1);
    held.d = VectorX::Ones(1);
    EXPECT_EQ(held.solved().outcome, Outcome::conflict);
    EXPECT_EQ(held.solved().concerned, (std::vector<std::size_t>{0}));
    held.d(0) = -1.0;
    EXPECT_EQ(held.solved().contact_states[0], ContactState::open);
    held.d(0) = 0.0;
    EXPECT_EQ(held.solved().contact_states[0], ContactState::idle);
    EXPECT_FALSE(held.solved().forces_unique);
    EXPECT_EQ(held.solved().forces[0], 0.0);
}

TEST(Contact, TwoSidedRowsInConflictAreSaid) {
    Contacts held = free_body(1);
    held.A = MatrixX::Ones(2, 1);
    held.b.resize(2);
    held.b << 0.0, 1.0;
    EXPECT_EQ(held.solved().outcome, Outcome::conflict);
    EXPECT_TRUE(held.solved().concerned.empty());
}

/// Every subset of rows as equations, by the solution of `solve`: the shortest motion that meets
/// all bounds.
std::optional<VectorX> by_enumeration(const Contacts& contacts) {
    const Index p = contacts.N.rows(), m = contacts.A.rows(), n = contacts.M.rows();
    for (unsigned subset = 0; subset < (1u << p); ++subset) {
        std::vector<Index> chosen;
        for (Index i = 0; i < p; ++i)
            if (subset >> i & 1u) chosen.push_back(i);
        const Index k = static_cast<Index>(chosen.size());
        MatrixX A(m + k, n);
        VectorX b(m + k);
        A << contacts.A, contacts.N(chosen, Eigen::all);
        b << contacts.b, contacts.d(chosen);
        if (A.rows() > 0 &&
            Eigen::ColPivHouseholderQR<MatrixX>(A).setThreshold(1e-9).rank() < A.rows())
            continue;
        const Matrix mass = to_matrix(contacts.M), rows = to_matrix(A);
        const std::vector<double> force = to_std(contacts.Q), right = to_std(b);
        const ConstrainedSolution solution = solve({mass, force, rows, right});
        if (solution.outcome != Outcome::ok) continue;
        const VectorX x = to_eigen(solution.acceleration), lambda = to_eigen(solution.multipliers);
        if (k > 0 && lambda.tail(k).minCoeff() < -1e-10) continue;
        if (p > 0 && (contacts.N * x - contacts.d).minCoeff() < -1e-9) continue;
        return x;
    }
    return std::nullopt;
}

Contacts random_contacts(Random& random) {
    const Index n = integer(random, 1, 8), m = integer(random, 0, std::min<Index>(3, n - 1)),
                p = integer(random, 0, 8);
    const MatrixX G = normal(random, n, n);
    Contacts contacts{G * G.transpose() + 0.1 * MatrixX::Identity(n, n),
                      normal(random, m, n),
                      normal(random, p, n),
                      normal(random, n, 1),
                      normal(random, m, 1),
                      normal(random, p, 1)};
    for (Index i = 2; i < p; ++i) {
        const Index kind = integer(random, 0, 5);
        if (kind == 0) {  // the same row again, a little or exactly as far
            contacts.N.row(i) = 2.0 * contacts.N.row(0);
            contacts.d(i) =
                2.0 * contacts.d(0) + (integer(random, 0, 1) == 0 ? 0.0 : normal(random, 1, 1)(0));
        } else if (kind == 1) {  // a row that depends on two, tight with them
            contacts.N.row(i) = contacts.N.row(0) + contacts.N.row(1);
            contacts.d(i) = contacts.d(0) + contacts.d(1);
        }
    }
    return contacts;
}

TEST(Contact, RandomProblemsAgreeWithAllActiveSetsTried) {
    Random random(1);
    int solved = 0, conflicts = 0;
    double certificate = 0.0;
    for (int trial = 0; trial < 1500; ++trial) {
        const Contacts contacts = random_contacts(random);
        const ContactSolution solution = contacts.solved();
        const std::optional<VectorX> right = by_enumeration(contacts);
        if (!right) {
            ASSERT_EQ(solution.outcome, Outcome::conflict) << "trial " << trial;
            ++conflicts;
            continue;
        }
        ASSERT_EQ(solution.outcome, Outcome::ok) << "trial " << trial;
        ASSERT_LE((to_eigen(solution.x) - *right).norm(), 1e-8 * (1.0 + right->norm()))
            << "trial " << trial;
        for (std::size_t i = 0; i < solution.forces.size(); ++i) {
            ASSERT_GE(solution.forces[i], 0.0);
            ASSERT_TRUE(solution.contact_states[i] != ContactState::open ||
                        solution.forces[i] == 0.0);
        }
        certificate = std::max(certificate, worst(solution));
        ContactOptions warm;
        warm.warm = &solution;
        ASSERT_LE(largest_difference(contacts.solved(warm).x, solution.x),
                  1e-9 * (1.0 + right->norm()))
            << "trial " << trial;
        ++solved;
    }
    EXPECT_LE(certificate, 1e-11);
    EXPECT_GT(solved, 500);
    EXPECT_GT(conflicts, 50);
}

TEST(Contact, ASemidefiniteMassIsServedWhereTwoSidedRowsFixWhatHasNone) {
    // A massless carriage y under a mass x: y = 2 x by a row, the floor under y.
    Contacts carriage = free_body(2);
    carriage.M(1, 1) = 0.0;
    carriage.A.resize(1, 2);
    carriage.A << 2, -1;
    carriage.b = VectorX::Zero(1);
    carriage.N.resize(1, 2);
    carriage.N << 0, 1;
    carriage.d = VectorX::Zero(1);
    carriage.Q << -6.0, 0.0;
    const ContactSolution solution = carriage.solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    EXPECT_LE(to_eigen(solution.x).norm(), 1e-14);
    EXPECT_NEAR(solution.forces[0], 3.0, 1e-13);
    EXPECT_LE(worst(solution), 1e-14);
    carriage.A.resize(0, 2);
    carriage.b.resize(0);
    EXPECT_EQ(carriage.solved().outcome, Outcome::undetermined);
}

TEST(Contact, ACradleIsHitByTheSameProblemInVelocities) {
    // Three equal balls, the first at speed 1; every pair leaves with e = 1 times its approach: N x
    // ≥ −N v.
    Contacts cradle = free_body(3);
    cradle.N.resize(2, 3);
    cradle.N << -1, 1, 0, 0, -1, 1;
    cradle.Q << 1.0, 0.0, 0.0;
    cradle.d = -cradle.N * cradle.Q;
    const ContactSolution solution = cradle.solved();
    EXPECT_LE(largest_difference(solution.x, std::vector<double>{-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}),
              1e-15);
}

/// Disks in rows of a hexagonal packing on a floor between two walls: 3 coordinates each, or 2
/// without rotation.
Contacts packing(Index across, Index high) {
    std::vector<Eigen::Vector2d> centres;
    for (Index row = 0; row < high; ++row)
        for (Index i = 0; i < across - row % 2; ++i)
            centres.emplace_back(2.0 * static_cast<double>(i) + static_cast<double>(row % 2),
                                 1.0 + std::sqrt(3.0) * static_cast<double>(row));
    const Index n = 2 * static_cast<Index>(centres.size());
    std::vector<VectorX> rows;
    const auto add = [&](Index i, const Eigen::Vector2d& normal, Index j) {
        VectorX row = VectorX::Zero(n);
        row.segment<2>(2 * i) = normal;
        if (j >= 0) row.segment<2>(2 * j) = -normal;
        rows.push_back(row);
    };
    for (Index i = 0; i < n / 2; ++i) {
        const Eigen::Vector2d& c = centres[i];
        if (c.y() < 1.5) add(i, {0.0, 1.0}, -1);
        if (c.x() < 0.5) add(i, {1.0, 0.0}, -1);
        if (c.x() > 2.0 * static_cast<double>(across) - 2.5) add(i, {-1.0, 0.0}, -1);
        for (Index j = 0; j < i; ++j)
            if ((c - centres[j]).norm() < 2.01) add(i, (c - centres[j]).normalized(), j);
    }
    Contacts pile = free_body(n);
    pile.N.resize(static_cast<Index>(rows.size()), n);
    for (std::size_t i = 0; i < rows.size(); ++i) pile.N.row(static_cast<Index>(i)) = rows[i];
    pile.d = VectorX::Zero(pile.N.rows());
    for (Index i = 1; i < n; i += 2) pile.Q(i) = -9.81;
    return pile;
}

TEST(Contact, APileOfTwoHundredContactsRests) {
    const Contacts pile = packing(10, 9);
    EXPECT_GE(pile.N.rows(), 200);
    const ContactSolution solution = pile.solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    EXPECT_LE(to_eigen(solution.x).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_FALSE(solution.forces_unique);
    EXPECT_LE(worst(solution), 1e-10);
    // The floor carries all the weight.
    double weight = 0.0;
    for (Index i = 0; i < pile.N.rows(); ++i)
        weight += solution.forces[i] * pile.N.row(i).transpose().dot(pile.Q) / -9.81;
    EXPECT_NEAR(weight, 9.81 * static_cast<double>(pile.M.rows()) / 2.0, 1e-9);
}

TEST(Contact, NumbersThatAreNotFiniteAreUndefined) {
    Contacts ball = ball_on_floor(-1.0);
    ball.d(0) = std::nan("");
    EXPECT_EQ(ball.solved().outcome, Outcome::undefined);
    ball = ball_on_floor(-1.0);
    ball.N(0, 0) = std::numeric_limits<double>::infinity();
    EXPECT_EQ(ball.solved().outcome, Outcome::undefined);
    ball = ball_on_floor(-1.0);
    ball.M(0, 0) = -1.0;
    EXPECT_EQ(ball.solved().outcome, Outcome::indefinite);
}

}  // namespace
}  // namespace lacon
