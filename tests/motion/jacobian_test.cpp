// Jacobians of the accelerations against differences.
#include "methods/jacobian.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanics/random_state.hpp"

namespace lacon {
namespace {

/// Beside central differences, extrapolated once, at states that need not meet the constraints.
void expect_jacobian(const std::string& text, const FieldOptions& options = {}) {
    const auto mechanism = Mechanism::parse(text);
    DenseField field(mechanism.details(), options);
    field.assembler.zeroes_rounding = false;
    const std::size_t n = field.n();
    std::mt19937_64 random(3);
    for (int trial = 0; trial < 20; ++trial) {
        const State state = random_state(n, random);
        Matrix J;
        ASSERT_TRUE(acceleration_jacobian(field, state, J));
        double size = 1.0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < 2 * n; ++j) size = std::max(size, std::abs(J(i, j)));
        for (std::size_t column = 0; column < 2 * n; ++column) {
            const auto slope = [&](double h) {
                std::vector<double> left(n), right(n);
                State moved = state;
                double& x = column < n ? moved.q[column] : moved.v[column - n];
                const double middle = x;
                x = middle - h;
                EXPECT_TRUE(field.acceleration(moved, left));
                x = middle + h;
                EXPECT_TRUE(field.acceleration(moved, right));
                for (std::size_t i = 0; i < n; ++i) right[i] = (right[i] - left[i]) / (2.0 * h);
                return right;
            };
            const std::vector<double> coarse = slope(2e-4), fine = slope(1e-4);
            for (std::size_t i = 0; i < n; ++i)
                ASSERT_NEAR(J(i, column), (4.0 * fine[i] - coarse[i]) / 3.0, 1e-8 * size * size)
                    << "trial " << trial << ", row " << i << ", column " << column;
        }
    }
}

TEST(Jacobian, OfFreeMotion) {
    expect_jacobian(
        "coord x, y\nkinetic (1 + x^2)*x'^2/2 + cos(x)*x'*y'/4 + y'^2\npotential x^2*y + "
        "sin(y)\nforce x = -x'^3 + t*y'");
}

TEST(Jacobian, WithPositionConstraints) {
    expect_jacobian(R"(
coord x1, y1, x2, y2
particle P at (x1, y1) mass 1
particle R at (x2, y2) mass 2
gravity (0, -9.81)
constraint upper: norm(P) = 1
constraint lower: norm(R - P) = 0.7)");
}

TEST(Jacobian, WithConstraintsThatMoveInTime) {
    expect_jacobian(
        "coord x, y\nparticle p at (x, y) mass 1\npotential x*y\nconstraint wire: y*cos(2*t) = (2 "
        "+ x)*sin(2*t) + t^2");
}

TEST(Jacobian, WithVelocityConstraints) {
    expect_jacobian(R"(
coord x, y, a
particle p at (x, y) mass 2
kinetic a'^2/2
potential x^2 + a*y
constraint knife: x'*sin(a) - y'*cos(a) = 0.1*x*t)");
}

TEST(Jacobian, WithDependentRows) {
    expect_jacobian(
        "coord x, y, z\nparticle p at (x, y, z) mass 1\nforce p = (y*z, -x', t)\nconstraint a: x + "
        "y*y = 1\n"
        "constraint b: 3*x + 3*y*y = 3");
}

TEST(Jacobian, UnderBaumgarte) {
    expect_jacobian(
        "coord x, y\nparticle p at (x, y) mass 1\ngravity (0, -9.81)\nconstraint rod: x^2 + y^2 = "
        "1",
        {{}, 5.0});
}

TEST(Jacobian, OfAnOscillatorTellsItsRates) {
    // x'' = −k x − c x' with a fast decay c and a slow one k/c; beside it an undamped oscillation
    // at 3/s.
    const auto s = Mechanism::parse(
        "param k = 100, c = 2000\ncoord x, y\nkinetic x'^2/2 + y'^2/2\nforce x = -k*x - "
        "c*x'\nforce y = -9*y");
    DenseField field(s.details(), {});
    const State state{0.0, {0.1, 0.2}, {0.3, 0.4}};
    Rates rates;
    ASSERT_TRUE(fastest_rates(field, state, rates));
    EXPECT_NEAR(rates.decay, 1000.0 + std::sqrt(1e6 - 100.0), 1e-8);
    EXPECT_NEAR(rates.other, 3.0, 1e-12);
    Resistance own;
    own_resistance(field, state, own);
    EXPECT_EQ(own.stiffness, (std::vector<double>{100.0, 9.0}));
    EXPECT_EQ(own.damping, (std::vector<double>{2000.0, 0.0}));
}

TEST(Jacobian, SaysWhereThereIsNoAcceleration) {
    const auto s = Mechanism::parse("coord x\nkinetic x'^2/2\nforce x = 1/x");
    DenseField field(s.details(), {});
    Matrix J;
    EXPECT_FALSE(acceleration_jacobian(field, {0.0, {0.0}, {0.0}}, J));
}

}  // namespace
}  // namespace lacon
