// M, Q, A, b as they are derived, against equations by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "mechanics/system/derived_model.hpp"
#include "random_state.hpp"

namespace lacon {
namespace {

void expect_same_equations(const Mechanism& a, const Mechanism& b, double tolerance) {
    std::mt19937_64 random(11);
    for (int trial = 0; trial < 20; ++trial) {
        const State s = random_state(a.coordinates().size(), random);
        const Evaluation left = a.evaluate(s), right = b.evaluate(s);
        for (std::size_t i = 0; i < s.q.size(); ++i) {
            ASSERT_NEAR(left.Q[i], right.Q[i], tolerance * (1.0 + std::abs(left.Q[i])));
            for (std::size_t j = 0; j < s.q.size(); ++j)
                ASSERT_NEAR(left.M(i, j), right.M(i, j),
                            tolerance * (1.0 + std::abs(left.M(i, j))));
        }
        ASSERT_NEAR(left.kinetic, right.kinetic, tolerance * (1.0 + std::abs(left.kinetic)));
        ASSERT_NEAR(left.potential, right.potential, tolerance * (1.0 + std::abs(left.potential)));
    }
}

TEST(Derive, ParticlesAndTheirEnergiesGiveTheSameEquations) {
    const std::string coordinates =
        "param m = 0.7, g = 9.81\ncoord a, b\nlet p = (sin(a) + b*t, cos(a)*b, exp(b/3)*a)\n";
    const auto particle =
        Mechanism::parse(coordinates + "particle P at p mass m\ngravity (0.1, 0, -g)");
    const auto energies = Mechanism::parse(
        coordinates + "kinetic m/2*dot(p', p')\npotential -m*dot((0.1, 0, -g), p)");
    expect_same_equations(particle, energies, 1e-12);
}

TEST(Derive, LinearAndConstantTermsOfKineticEnergyEnter) {
    // T = ½ m (x'² + y'²) + w m (x y' − y x') + ½ w² m (x² + y²): a frame that turns; Coriolis and
    // centrifugal forces.
    const auto frame = Mechanism::parse(
        "param m = 2, w = 0.3\ncoord x, y\nkinetic m/2*(x'^2 + y'^2) + w*m*(x*y' - y*x') + "
        "w^2*m/2*(x^2 + y^2)");
    const State s{0.0, {0.4, -0.5}, {1.1, 0.7}};
    const Evaluation at = frame.evaluate(s);
    EXPECT_NEAR(at.Q[0], 2 * 0.3 * 2 * 0.7 + 0.09 * 2 * 0.4, 1e-14);
    EXPECT_NEAR(at.Q[1], -2 * 0.3 * 2 * 1.1 + 0.09 * 2 * -0.5, 1e-14);
}

TEST(Derive, AMassThatChangesInTimeBrakesByItsRate) {
    const auto rocket =
        Mechanism::parse("coord x\nparticle r at (x, 0) mass 2 - t/4\ngravity (-9.81, 0)");
    const Evaluation at = rocket.evaluate({1.0, {3.0}, {5.0}});
    EXPECT_NEAR(at.M(0, 0), 1.75, 1e-15);
    EXPECT_NEAR(at.Q[0], 0.25 * 5.0 - 9.81 * 1.75, 1e-13);
    EXPECT_NEAR(at.potential, 9.81 * 1.75 * 3.0, 1e-13);
}

TEST(Derive, DissipationAndForcesEnterWithTheirSigns) {
    const auto s = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 1\ndissipation 0.5*3*x'^2\nforce x = 7, y = "
        "x*y'\nforce p = (1, 2)");
    const Evaluation at = s.evaluate({0.0, {2.0, 0.0}, {1.0, 4.0}});
    EXPECT_DOUBLE_EQ(at.Q[0], -3.0 + 7.0 + 1.0);
    EXPECT_DOUBLE_EQ(at.Q[1], 8.0 + 2.0);
}

TEST(Derive, AForceOnAParticleActsAlongItsJacobian) {
    const auto s = Mechanism::parse(
        "param L = 2\ncoord a\nparticle p at (L*sin(a), -L*cos(a)) mass 1\nforce p = (3, 4)");
    const Evaluation at = s.evaluate({0.0, {0.3}, {0.0}});
    EXPECT_NEAR(at.Q[0], 2 * std::cos(0.3) * 3 + 2 * std::sin(0.3) * 4, 1e-14);
}

TEST(Derive, EquationsGiveTheirRowsOfTheMassMatrix) {
    const auto s = Mechanism::parse(
        "param m = 3, c = 0.5, k = 10\ncoord x, y\nequation x: m*x'' + c*y'' + k*x = 1\nequation "
        "y: c*x'' + 2*y'' = -k*y");
    const Evaluation at = s.evaluate({0.0, {0.2, 0.4}, {0.0, 0.0}});
    EXPECT_DOUBLE_EQ(at.M(0, 0), 3.0);
    EXPECT_DOUBLE_EQ(at.M(0, 1), 0.5);
    EXPECT_DOUBLE_EQ(at.M(1, 0), 0.5);
    EXPECT_DOUBLE_EQ(at.Q[0], 1.0 - 2.0);
    EXPECT_DOUBLE_EQ(at.Q[1], -4.0);
}

TEST(Derive, SymmetryIsJudgedByValueNotByForm) {
    EXPECT_NO_THROW(
        Mechanism::parse("coord x, y\nequation x: 2*x'' + (sin(x)^2 + x*y)*y'' = 0\nequation y: (1 "
                         "- cos(x)^2 + y*x)*x'' + 3*y'' = 0"));
    EXPECT_THROW(Mechanism::parse("coord x, y\nequation x: 2*x'' + y'' = 0\nequation y: 3*y'' = 0"),
                 ModelError);
}

/// φ along a smooth path, twice differentiated by differences, must be A q'' − b.
TEST(Derive, RowsOfEveryLevelAreTimeDerivativesAlongAnyPath) {
    const auto s = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 1\n"
        "constraint c0: x*y^2 + sin(t*x) = exp(y/2)\n"
        "constraint c1: x'*y - y'^2*t = x\n"
        "constraint c2: x''*y + t*y'' = x'*y'\n");
    EXPECT_EQ(s.levels(), (std::vector{Level::position, Level::velocity, Level::acceleration}));
    const auto x = [](double t) { return 0.7 + 0.4 * std::sin(1.3 * t); };
    const auto y = [](double t) { return -0.2 + 0.5 * std::cos(0.9 * t); };
    const auto dx = [](double t) { return 0.52 * std::cos(1.3 * t); };
    const auto dy = [](double t) { return -0.45 * std::sin(0.9 * t); };
    const auto ddx = [](double t) { return -0.676 * std::sin(1.3 * t); };
    const auto ddy = [](double t) { return -0.405 * std::cos(0.9 * t); };
    const auto phi0 = [&](double t) {
        return x(t) * y(t) * y(t) + std::sin(t * x(t)) - std::exp(y(t) / 2);
    };
    const auto phi1 = [&](double t) { return dx(t) * y(t) - dy(t) * dy(t) * t - x(t); };
    const double h = 1e-3;
    for (const double t : {0.1, 0.8, 2.5}) {
        const Evaluation at = s.evaluate({t, {x(t), y(t)}, {dx(t), dy(t)}});
        const auto row = [&](std::size_t r) {
            return at.A(r, 0) * ddx(t) + at.A(r, 1) * ddy(t) - at.b[r];
        };
        const double second = (-phi0(t + 2 * h) + 16 * phi0(t + h) - 30 * phi0(t) +
                               16 * phi0(t - h) - phi0(t - 2 * h)) /
                              (12 * h * h);
        const double first =
            (-phi1(t + 2 * h) + 8 * phi1(t + h) - 8 * phi1(t - h) + phi1(t - 2 * h)) / (12 * h);
        EXPECT_NEAR(row(0), second, 1e-8);
        EXPECT_NEAR(row(1), first, 1e-9);
        EXPECT_NEAR(row(2), ddx(t) * y(t) + t * ddy(t) - dx(t) * dy(t), 1e-14);
    }
}

TEST(Derive, StabilizedRowsCarryTheirGains) {
    const auto plain = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint c: x*y = 1\nconstraint d: x' = y");
    const auto stable = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint c: x*y = 1 stabilize 3 5\nconstraint "
        "d: x' = y stabilize 7");
    const State s{0.0, {0.5, 0.8}, {0.3, -0.4}};
    const Evaluation at = plain.evaluate(s), with = stable.evaluate(s);
    const double phi = 0.5 * 0.8 - 1, rate = 0.3 * 0.8 - 0.4 * 0.5;
    EXPECT_NEAR(with.b[0], at.b[0] - 3 * rate - 5 * phi, 1e-15);
    EXPECT_NEAR(with.b[1], at.b[1] - 7 * (0.3 - 0.8), 1e-15);
}

TEST(Derive, EqualShapesAreDerivedOnce) {
    const std::string chain =
        "param N = 3, L = 1\ncoord x[1..N], y[1..N]\nlet P[0] = (0, 0)\nlet P[i] = (x[i], y[i]) "
        "for i in 1..N\n"
        "particle bob[i] at P[i] mass 1 for i in 1..N\ngravity (0, -9.81)\n"
        "constraint rod[i]: dot(P[i] - P[i-1], P[i] - P[i-1]) = L^2 for i in 1..N\n";
    const auto shapes = [&](double N) {
        return Mechanism::parse(chain, "chain", {{"N", N}}).details().system.shapes.size();
    };
    EXPECT_EQ(shapes(10), shapes(500));
    EXPECT_LE(shapes(500), 4u);
    EXPECT_EQ(Mechanism::parse(chain, "chain", {{"N", 500}}).details().system.elements.size(),
              1000u);
}

TEST(Derive, ALongSumOfEnergiesIsTakenApart) {
    const auto s = Mechanism::parse(
        "param N = 200, k = 3\ncoord x[1..N]\nkinetic sum(x[i]'^2 for i in 1..N)/2\npotential "
        "k/2*sum((x[i] - x[i-1])^2 for i in "
        "2..N)");
    EXPECT_LE(s.details().system.shapes.size(), 3u);
    for (const Shape& shape : s.details().system.shapes) EXPECT_LE(shape.coordinates, 2u);
}

}  // namespace
}  // namespace lacon
