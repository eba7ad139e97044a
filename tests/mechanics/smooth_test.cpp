// The smooth system: decisions with given branches.
#include "mechanics/derive/smooth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lacon/mechanism.hpp"
#include "mechanics/numbers/assemble.hpp"

namespace lacon {
namespace {

/// A mechanism with two ways to its numbers: decisions by values, and by branches.
struct TwoWays {
    explicit TwoWays(const std::string& text, double alpha = 0.0)
        : mechanism(Mechanism::parse(text)),
          details(mechanism.details()),
          smoothed(smooth(details.system, alpha)),
          by_values(details.system, details.parameters),
          by_branches(details.system, details.parameters, smoothed) {}

    Mechanism mechanism;
    const DerivedModel& details;
    SmoothSystem smoothed;
    Assembler by_values, by_branches;

    std::vector<Decision> decisions() const {
        std::vector<Decision> all;
        for (const Element& element : details.system.elements)
            for (const Decision& d : smoothed.shapes[element.shape].decisions) all.push_back(d);
        return all;
    }
    std::vector<std::string> texts() const {
        std::vector<std::string> all;
        for (const Element& element : details.system.elements)
            for (const Decision& d : smoothed.shapes[element.shape].decisions)
                all.push_back(text_of(details, element, d));
        return all;
    }
    /// Sets each mode by its surface, those inside others first.
    void settle(const State& state) {
        const std::vector<Decision> all = decisions();
        std::vector<Rounded> surfaces;
        for (std::size_t i = 0; i < all.size(); ++i) {
            by_branches.surfaces(state, surfaces);
            by_branches.branches[i] = surfaces[i].value > 0.0 ? all[i].high : all[i].low;
        }
    }
    State random_state(std::mt19937_64& random) const {
        std::uniform_real_distribution<double> uniform(-1.2, 1.2);
        const std::size_t n = details.system.coordinate_count;
        State s{uniform(random), std::vector<double>(n), std::vector<double>(n)};
        for (double& x : s.q) x = uniform(random);
        for (double& x : s.v) x = uniform(random);
        return s;
    }
};

const std::string decided = R"(
param k = 3
coord x, y
kinetic (1 + abs(x)/10)*x'^2/2 + y'^2/2
potential k*max(x - y, 0)^2 + min(abs(x), 2*abs(y))
force x = -sign(x')*if(x < y and t > 0, 1, x^2)
force y = max(x', min(y', sin(t)))
constraint c: max(x, y) + abs(x*y)/4 = t
)";

void expect_same(const Equations& a, const Equations& b, double tolerance) {
    for (std::size_t i = 0; i < a.M.rows(); ++i) {
        ASSERT_NEAR(a.Q[i], b.Q[i], tolerance);
        for (std::size_t j = 0; j < a.M.cols(); ++j) ASSERT_NEAR(a.M(i, j), b.M(i, j), tolerance);
    }
    for (std::size_t i = 0; i < a.A.rows(); ++i) {
        ASSERT_NEAR(a.b[i], b.b[i], tolerance);
        for (std::size_t j = 0; j < a.A.cols(); ++j) ASSERT_NEAR(a.A(i, j), b.A(i, j), tolerance);
    }
}

TEST(Smooth, WithModesAsTheValuesDecideTheNumbersAreThoseOfTheModel) {
    TwoWays s(decided);
    ASSERT_GT(s.smoothed.branch_count, 8u);
    EXPECT_EQ(s.by_branches.branches.size(), s.smoothed.branch_count);
    std::mt19937_64 random(5);
    for (int trial = 0; trial < 500; ++trial) {
        const State state = s.random_state(random);
        Equations values, branches;
        Residuals plain, smoothed;
        s.by_values.equations(state, values);
        s.by_values.residuals(state, plain);
        s.settle(state);
        s.by_branches.equations(state, branches);
        s.by_branches.residuals(state, smoothed);
        ASSERT_NO_FATAL_FAILURE(expect_same(values, branches, 1e-13)) << "trial " << trial;
        Matrix rows;
        s.by_branches.rows(state, rows);
        for (std::size_t j = 0; j < 2; ++j) ASSERT_NEAR(rows(0, j), values.A(0, j), 1e-13);
        ASSERT_NEAR(plain.value[0], smoothed.value[0], 1e-14);
        ASSERT_NEAR(plain.velocity[0], smoothed.velocity[0], 1e-14);
    }
}

TEST(Smooth, AModeHoldsTheBranchOnTheOtherSideToo) {
    TwoWays s("coord x\nparticle p at (x, 0) mass 1\nforce x = -abs(x)*x");
    ASSERT_EQ(s.smoothed.branch_count, 1u);
    Equations eq;
    s.by_branches.branches[0] = 1.0;  // abs(x) is x
    s.by_branches.equations({0.0, {-3.0}, {0.0}}, eq);
    EXPECT_EQ(eq.Q[0], -9.0);
    s.by_branches.branches[0] = -1.0;
    s.by_branches.equations({0.0, {-3.0}, {0.0}}, eq);
    EXPECT_EQ(eq.Q[0], 9.0);
}

TEST(Smooth, ADecisionIsToldAsItIsWritten) {
    const TwoWays s(
        "param mu = 2\ncoord x\nparticle p at (x, 0) mass 1\nforce x = -mu*sign(x') - max(x - mu, "
        "0)");
    EXPECT_EQ(s.texts(), (std::vector<std::string>{"sign(x')", "max(x - mu, 0)"}));
}

TEST(Smooth, WhatDependsOnParametersOnlyIsNoDecision) {
    const TwoWays s(
        "param mu = 2\ncoord x\nparticle p at (x, 0) mass max(mu, 1)\nforce x = -abs(mu)*x");
    EXPECT_EQ(s.smoothed.branch_count, 0u);
}

TEST(Smooth, AnInnerDecisionComesBeforeTheOneAroundIt) {
    const TwoWays s("coord x\nparticle p at (x, 0) mass 1\nforce x = abs(abs(x) - 1)");
    EXPECT_EQ(s.texts(), (std::vector<std::string>{"abs(x)", "abs(abs(x) - 1)"}));
}

TEST(Smooth, BaumgarteDrawsPositionsAndVelocitiesBack) {
    const std::string text = R"(
coord x, y, a
particle p at (x, y) mass 1
kinetic a'^2/2
constraint rod: x^2 + y^2 + sin(t)*x = 1
constraint knife: x'*sin(a) - y'*cos(a) = 0.3*t
constraint own: x*a = 1 stabilize 2 5
constraint driven: a'' = x
)";
    constexpr double alpha = 7.0;
    TwoWays plain(text), drawn(text, alpha);
    std::mt19937_64 random(6);
    for (int trial = 0; trial < 100; ++trial) {
        const State state = plain.random_state(random);
        Equations without, with;
        Residuals r;
        plain.by_branches.equations(state, without);
        plain.by_branches.residuals(state, r);
        drawn.by_branches.equations(state, with);
        const double wanted[] = {
            without.b[0] - 2.0 * alpha * r.velocity[0] - alpha * alpha * r.value[0],
            without.b[1] - alpha * r.velocity[1], without.b[2], without.b[3]};
        for (std::size_t i = 0; i < 4; ++i)
            ASSERT_NEAR(with.b[i], wanted[i], 1e-12 * (1.0 + std::abs(wanted[i]))) << "row " << i;
    }
    for (const Element& element : plain.details.system.elements) {
        const bool level =
            element.row == 0 ||
            element.row == 1;  // these enter power series at their own order, the others not
        EXPECT_EQ(plain.smoothed.shapes[element.shape].own_order, level);
        EXPECT_FALSE(drawn.smoothed.shapes[element.shape].own_order);
    }
}

TEST(Smooth, RatesAreTheDerivativesOfTheEquations) {
    TwoWays s(decided);
    s.by_branches.zeroes_rounding = false;
    std::mt19937_64 random(8);
    for (int trial = 0; trial < 50; ++trial) {
        const State state = s.random_state(random);
        s.settle(state);
        const std::size_t n = 2;
        std::vector<Equations> rates(
            2 * n, {Matrix(n, n), std::vector<double>(n), Matrix(1, n), std::vector<double>(1)});
        s.by_branches.rates(state, [&](const Assembler::Rates& r) {
            Equations& to = rates[r.column];
            for (std::size_t o = 0; o < r.values.size(); ++o) {
                const Entry entry = r.entries[o];
                const std::size_t i = r.leaf[entry.i], j = r.leaf[entry.j];
                switch (entry.target) {
                    case Entry::Target::mass:
                        to.M(i, j) += r.values[o];
                        if (i != j) to.M(j, i) += r.values[o];
                        break;
                    case Entry::Target::force: to.Q[i] += r.values[o]; break;
                    case Entry::Target::row: to.A(0, j) += r.values[o]; break;
                    case Entry::Target::right: to.b[0] += r.values[o]; break;
                    default: FAIL() << "an entry not expected";
                }
            }
        });
        for (std::size_t column = 0; column < 2 * n; ++column) {
            constexpr double h = 1e-5;
            State left = state, right = state;
            (column < n ? left.q[column] : left.v[column - n]) -= h;
            (column < n ? right.q[column] : right.v[column - n]) += h;
            Equations below, above;
            s.by_branches.equations(left, below);
            s.by_branches.equations(right, above);
            for (std::size_t i = 0; i < n; ++i) {
                above.Q[i] = (above.Q[i] - below.Q[i]) / (2.0 * h);
                above.A(0, i) = (above.A(0, i) - below.A(0, i)) / (2.0 * h);
                for (std::size_t j = 0; j < n; ++j)
                    above.M(i, j) = (above.M(i, j) - below.M(i, j)) / (2.0 * h);
            }
            above.b[0] = (above.b[0] - below.b[0]) / (2.0 * h);
            ASSERT_NO_FATAL_FAILURE(expect_same(rates[column], above, 1e-7))
                << "trial " << trial << ", column " << column;
        }
    }
}

}  // namespace
}  // namespace lacon
