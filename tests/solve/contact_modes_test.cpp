// Coulomb's law against brute force: of random contacts every assumption is tried by code that
// shares nothing with the solver.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>

#include "contact_random.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;

/// How a number of problems came out, so that a test can ask that every case occurred.
struct Tally {
    int none = 0, one = 0, rest = 0, several = 0;
};

void expect_answer(const Contacts& problem, const LawfulMotions& laws, Tally& tally) {
    const ContactSolution solution = problem.solved();
    if (laws.left.empty()) {
        EXPECT_TRUE(solution.outcome == Outcome::no_force || solution.outcome == Outcome::conflict);
        ++tally.none;
    } else if (laws.left.size() > 1) {
        EXPECT_EQ(solution.outcome, Outcome::several);
        EXPECT_GE(solution.solutions, 2u);
        EXPECT_FALSE(solution.concerned.empty());
        ++tally.several;
    } else {
        const VectorX& x = laws.left[0].x;
        ASSERT_EQ(solution.outcome, Outcome::ok);
        EXPECT_LE((to_eigen(solution.x) - x).norm(),
                  1e-7 * std::max(1.0, x.norm()));  // as well as least squares finds it
        EXPECT_LE(worst(solution), 1e-9);
        ++(laws.all.size() > 1 ? tally.rest : tally.one);
    }
}

Tally try_random(ContactPlan plan, std::uint64_t seed, int count) {
    Tally tally;
    for (int i = 0; i < count; ++i) {
        SCOPED_TRACE(i);
        Random random(seed + static_cast<std::uint64_t>(i));
        plan.contacts = 1 + i % 4;
        plan.largest_coefficient = std::pow(10.0, uniform(random, -0.5, 1.3));
        const Contacts problem = random_contacts(random, plan);
        const LawfulMotions laws = lawful_motions(problem);
        if (!laws.is_close_call) expect_answer(problem, laws, tally);
    }
    return tally;
}

TEST(ContactModes, ContactsAtRestMoveAsTheOnlyLawfulMotionOrRestOrAreRefused) {
    const Tally tally = try_random({}, 500, 400);
    EXPECT_GT(tally.one, 200);
    EXPECT_GT(tally.rest, 0);
    EXPECT_GT(tally.several, 0);
}

TEST(ContactModes, SoDoContactsWhoseRowsDependOnEachOther) {
    const Tally tally = try_random({.dependent = true}, 1500, 160);
    EXPECT_GT(tally.one, 50);
    EXPECT_GT(tally.none, 0);
    EXPECT_GT(tally.several, 0);
}

TEST(ContactModes, SoDoContactsOfWhichSomeSlideAlready) {
    const Tally tally = try_random({.slides = true, .two_sided = true}, 2500, 160);
    EXPECT_GT(tally.one, 50);
    EXPECT_GT(tally.none, 0);
    EXPECT_GT(tally.several, 0);
}

TEST(ContactModes, WhatTakesMoreToStartThanToKeepGoingSticksWhereItCan) {
    const Tally tally = try_random({.at_rest = 1.5}, 3500, 160);
    EXPECT_GT(tally.one, 50);
    EXPECT_GT(tally.rest, 5);
}

/// The same with rows that push and pull: every combination of the signs of their forces, each a
/// contact that cannot open.
void expect_two_sided_answer(const Contacts& one_sided, Tally& tally) {
    LawfulMotions laws;
    const Index p = one_sided.N.rows();
    for (Index signs = 0; signs < Index{1} << p; ++signs) {
        Contacts pushing = one_sided;
        for (Index i = 0; i < p; ++i) {
            pushing.N.row(i) *= (signs >> i) & 1 ? -1.0 : 1.0;
            pushing.d(i) *= (signs >> i) & 1 ? -1.0 : 1.0;
        }
        const LawfulMotions here = lawful_motions(pushing, false);
        laws.is_close_call = laws.is_close_call || here.is_close_call;
        laws.all.insert(laws.all.end(), here.all.begin(), here.all.end());
    }
    const auto sticks = [](const LawfulMotion& motion) {
        std::vector<bool> rows;
        for (const Mode mode : motion.modes) rows.push_back(mode == Mode::sticks);
        return rows;
    };
    const auto beats = [&](const LawfulMotion& one, const LawfulMotion& other) {
        const std::vector<bool> here = sticks(one), there = sticks(other);
        return here != there && std::equal(here.begin(), here.end(), there.begin(),
                                           [](bool stick, bool stuck) { return stick || !stuck; });
    };
    for (const LawfulMotion& one : laws.all)
        if (std::none_of(laws.all.begin(), laws.all.end(),
                         [&](const LawfulMotion& other) { return beats(other, one); }))
            laws.left.push_back(one);
    Contacts problem = one_sided;
    std::swap(problem.A, problem.N);
    std::swap(problem.b, problem.d);
    for (ContactFriction& friction : problem.friction) {
        friction.two_sided = {*friction.one_sided};
        friction.one_sided.reset();
        friction.G = Matrix(1, 1, 1.0);
    }
    if (!laws.is_close_call) expect_answer(problem, laws, tally);
}

TEST(ContactModes, SoDoesFrictionOfTwoSidedRows) {
    Tally tally;
    for (int i = 0; i < 150; ++i) {
        SCOPED_TRACE(i);
        Random random(4500 + static_cast<std::uint64_t>(i));
        const ContactPlan plan{.contacts = 1 + i % 3,
                               .largest_coefficient = std::pow(10.0, uniform(random, -0.5, 1.3))};
        expect_two_sided_answer(random_contacts(random, plan), tally);
    }
    EXPECT_GT(tally.one, 50);
    EXPECT_GT(tally.rest, 0);
    EXPECT_GT(tally.several, 0);
}

/// A rod of mass and length 1 at rest between two walls, at `angle` to the horizontal: x, y,
/// rotation. Held where μ ≥ tan(angle), whatever its weight: the line between its ends is within
/// both cones.
Contacts jammed_rod(double angle, double coefficient) {
    Contacts rod = free_body(3);
    rod.M(2, 2) = 1.0 / 12.0;
    rod.Q << 0.0, -9.81, 0.0;
    const double c = 0.5 * std::cos(angle), s = 0.5 * std::sin(angle);
    rod.N.resize(2, 3);
    rod.N << 1.0, 0.0, s, -1.0, 0.0, s;  // x − c ≥ 0 at the left, −x − c ≥ −w at the right
    rod.d = VectorX::Zero(2);
    rod.friction = {friction_on(0, Eigen::RowVector3d(0.0, 1.0, -c), coefficient),
                    friction_on(1, Eigen::RowVector3d(0.0, 1.0, c), coefficient)};
    return rod;
}

TEST(ContactModes, AJammedRodIsHeldAlthoughItCouldFall) {
    for (const double angle : {0.05, 0.3, 0.7}) {
        for (const double noise :
             {0.0, 1e-60, -1e-60,
              1e-17}) {  // of the rows: what makes the free fall just touch, or just not
            Contacts rod = jammed_rod(angle, 1.001 * std::tan(angle));
            rod.d << noise, -noise;
            const ContactSolution held = rod.solved();
            ASSERT_EQ(held.outcome, Outcome::ok);
            EXPECT_EQ(held.friction_states,
                      (std::vector<FrictionState>{FrictionState::sticks, FrictionState::sticks}));
            EXPECT_LE(to_eigen(held.x).norm(), 1e-12);
        }
        EXPECT_NEAR(jammed_rod(angle, 0.999 * std::tan(angle)).solved().x[1], -9.81, 1e-12);
    }
}

/// Two problems side by side, as one.
Contacts beside(const Contacts& one, const Contacts& other) {
    const Index n = one.M.rows(), m = other.M.rows(), p = one.N.rows(), r = other.N.rows();
    Contacts both = free_body(n + m);
    both.M << one.M, MatrixX::Zero(n, m), MatrixX::Zero(m, n), other.M;
    both.Q << one.Q, other.Q;
    both.N = MatrixX::Zero(p + r, n + m);
    both.N.topLeftCorner(p, n) = one.N;
    both.N.bottomRightCorner(r, m) = other.N;
    both.d.resize(p + r);
    both.d << one.d, other.d;
    both.friction = one.friction;
    for (ContactFriction& friction : both.friction)
        friction.W =
            to_matrix((MatrixX(1, n + m) << to_eigen(friction.W), MatrixX::Zero(1, m)).finished());
    for (ContactFriction friction : other.friction) {
        friction.W =
            to_matrix((MatrixX(1, n + m) << MatrixX::Zero(1, n), to_eigen(friction.W)).finished());
        *friction.one_sided += static_cast<std::size_t>(p);
        both.friction.push_back(std::move(friction));
    }
    return both;
}

TEST(ContactModes, WhatAnotherBodyDoesElsewhereDoesNotUnjamARod) {
    Contacts block = free_body(2);  // pulled along a floor, and held by half of what it takes
    block.Q << 10.0, -10.0;
    block.N = MatrixX(VectorX::Unit(2, 1).transpose());
    block.d = VectorX::Zero(1);
    block.friction = {friction_on(0, VectorX::Unit(2, 0).transpose(), 0.5)};
    for (const bool first : {true, false}) {
        const Contacts rod = jammed_rod(0.3, 0.4);
        const ContactSolution both = (first ? beside(rod, block) : beside(block, rod)).solved();
        ASSERT_EQ(both.outcome, Outcome::ok);
        EXPECT_NEAR(both.x[first ? 3 : 0], 5.0, 1e-13);
        EXPECT_NEAR(both.x[first ? 1 : 3], 0.0, 1e-13);
    }
}

}  // namespace
}  // namespace lacon
