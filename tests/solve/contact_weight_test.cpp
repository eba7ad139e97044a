// Forces that are not unique: of those with the same effect and within their bounds, the least Σ
// w_i f_i² is given.

#include <gtest/gtest.h>

#include <cmath>

#include "contacts.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;

/// Height and two tilts; legs at (±1, ±1). What does nothing is (1, −1, 1, −1); by the least norm
/// the legs carry 13, 11, 7, 9.
Contacts table(std::vector<double> weights) {
    Contacts table = free_body(3);
    table.M.diagonal() << 4.0, 1.0, 1.0;
    table.N.resize(4, 3);
    table.N << 1, 1, 1, 1, -1, 1, 1, -1, -1, 1, 1, -1;
    table.d = VectorX::Zero(4);
    table.Q << -40.0, -4.0, -8.0;
    table.weight_N = std::move(weights);
    return table;
}

TEST(ContactWeight, LegsShareByTheirWeights) {
    // f = f0 − c (1, −1, 1, −1), c = (4·13 − 11 + 2·7 − 9)/(4 + 1 + 2 + 1).
    const ContactSolution solution = table({4.0, 1.0, 2.0, 1.0}).solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    EXPECT_LE(largest_difference(solution.forces, std::vector<double>{7.25, 16.75, 1.25, 14.75}),
              1e-13);
    EXPECT_FALSE(solution.forces_unique);
    EXPECT_LE(worst(solution), 1e-14);
}

TEST(ContactWeight, WeightsThatAreAllTheSameChangeNothing) {
    const ContactSolution plain = table({}).solved();
    for (const double w : {1e-8, 1.0, 1e8}) {
        const ContactSolution solution = table({w, w, w, w}).solved();
        EXPECT_LE(largest_difference(solution.forces, plain.forces), 1e-13) << w;
        EXPECT_EQ(solution.contact_states, plain.contact_states);
    }
}

TEST(ContactWeight, NoWeightMakesALegPull) {
    // Weights alone would take c = 12.5 and leave −5.5 to the third leg: the nearest that pushes is
    // c = 7.
    for (const double w : {1e2, 1e6, 1e12}) {
        const ContactSolution solution = table({w, 1.0, 1.0, 1.0}).solved();
        ASSERT_EQ(solution.outcome, Outcome::ok);
        EXPECT_LE(largest_difference(solution.forces, std::vector<double>{6.0, 18.0, 0.0, 16.0}),
                  1e-11)
            << w;
        EXPECT_LE(worst(solution), 1e-12);
    }
}

TEST(ContactWeight, ScaledRowsAreASecondRoadToTheSameForces) {
    // With rows N_i/√w_i the forces are √w_i f_i, and their least norm is the weighted one of f.
    Random random(11);
    std::size_t shared = 0;
    for (int round = 0; round < 300; ++round) {
        const Index n = integer(random, 2, 6), p = n + integer(random, 1, 4);
        Contacts given = free_body(n);
        given.N = normal(random, p, n);
        given.N.col(0) = given.N.col(0).cwiseAbs();  // all push the first coordinate the same way
        given.N.col(0).array() += 1.0;
        given.d = VectorX::Zero(p);
        given.Q = -(given.N.transpose() * normal(random, p, 1).cwiseAbs());
        Contacts scaled = given;
        for (Index i = 0; i < p; ++i) {
            const double w = std::pow(10.0, uniform(random, -2.0, 2.0));
            given.weight_N.push_back(w);
            scaled.N.row(i) /= std::sqrt(w);
        }
        const ContactSolution found = given.solved(), other = scaled.solved();
        ASSERT_EQ(found.outcome, Outcome::ok);
        ASSERT_EQ(other.outcome, Outcome::ok);
        double largest = 1.0;
        for (const double f : found.forces) largest = std::max(largest, f);
        for (std::size_t i = 0; i < found.forces.size(); ++i)
            EXPECT_NEAR(found.forces[i], other.forces[i] / std::sqrt(given.weight_N[i]),
                        1e-9 * largest)
                << round << " " << i;
        shared += found.forces_unique ? 0 : 1;
    }
    EXPECT_GE(shared, 200u);
}

/// A block pressed by 10 onto two contacts at one place, and pulled by 2 along the floor.
Contacts block(double first_coefficient) {
    Contacts block = free_body(2);
    block.N.resize(2, 2);
    block.N << 0, 1, 0, 1;
    block.d = VectorX::Zero(2);
    block.Q << 2.0, -10.0;
    block.weight_N = {1.0, 3.0};
    block.friction = {friction_on(0, VectorX::Unit(2, 0).transpose(), first_coefficient),
                      friction_on(1, VectorX::Unit(2, 0).transpose(), 1.0)};
    for (std::size_t i = 0; i < 2; ++i) block.friction[i].weight = block.weight_N[i];
    return block;
}

TEST(ContactWeight, FrictionIsSharedLikeThePressure) {
    const ContactSolution solution = block(1.0).solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    EXPECT_LE(largest_difference(solution.forces, std::vector<double>{7.5, 2.5}), 1e-13);
    EXPECT_NEAR(solution.friction[0][0], -1.5, 1e-13);
    EXPECT_NEAR(solution.friction[1][0], -0.5, 1e-13);
}

TEST(ContactWeight, FrictionStaysWithinItsConeWhateverTheWeights) {
    // |τ1| = f1/10 is reached: 1.01 f1² + 3 (10 − f1)² + 3 (2 − f1/10)² is least at f1 = 61.2/8.08.
    const ContactSolution solution = block(0.1).solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    const double f = 61.2 / 8.08;
    EXPECT_LE(largest_difference(solution.forces, std::vector<double>{f, 10.0 - f}), 1e-11);
    EXPECT_NEAR(solution.friction[0][0], -f / 10.0, 1e-11);
    EXPECT_NEAR(solution.friction[1][0], f / 10.0 - 2.0, 1e-11);
}

TEST(ContactWeight, TwoSidedRowsShareByTheirs) {
    // A beam held at its ends by two rows each, of weights 1 : 3 and 3 : 1.
    Contacts beam = free_body(2);
    beam.A.resize(4, 2);
    beam.A << 1, 1, 1, 1, 1, -1, 1, -1;
    beam.b = VectorX::Zero(4);
    beam.Q << -12.0, -4.0;
    beam.weight_A = {1.0, 3.0, 1.0, 1.0 / 3.0};
    const ContactSolution solution = beam.solved();
    ASSERT_EQ(solution.outcome, Outcome::ok);
    EXPECT_LE(largest_difference(solution.multipliers, std::vector<double>{6.0, 2.0, 1.0, 3.0}),
              1e-13);
}

}  // namespace
}  // namespace lacon
