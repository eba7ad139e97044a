// The deterministic part of the hunt: the first cases of seed 1, kind by kind. And the hunt itself:
// its oracle against closed forms, and that it finds and shrinks what is wrong.

#include <gtest/gtest.h>

#include <cmath>

#include "hunt/kinds.hpp"
#include "hunt/reference.hpp"

namespace hunt {
namespace {

class Hunt : public testing::TestWithParam<CaseKind> {};

TEST_P(Hunt, FixedSeedsAgree) {
    const CaseKind& kind = GetParam();
    int agreed = 0;
    for (int number = 0; number < kind.tests; ++number) {
        const Case one = make_case(kind, 1, static_cast<std::uint64_t>(number));
        const Verdict verdict = check(one);
        EXPECT_NE(verdict.result, Result::failed)
            << kind.name << " " << number << ": " << verdict.what << "\n"
            << command_of(one) << "\n"
            << text_of(varied(one), one.plan.wording);
        if (verdict.result == Result::agreed) ++agreed;
    }
    EXPECT_GE(2 * agreed, kind.tests) << "too few have an answer to compare with";
}

std::vector<CaseKind> tested_kinds() {
    std::vector<CaseKind> kinds;
    for (const CaseKind& kind : all_kinds())
        if (kind.tests > 0) kinds.push_back(kind);
    return kinds;
}

INSTANTIATE_TEST_SUITE_P(Kinds, Hunt, testing::ValuesIn(tested_kinds()),
                         [](const testing::TestParamInfo<CaseKind>& one) {
                             return std::string(one.param.name);
                         });

Point start_of(const Model& model) {
    return {Real(model.begin), Reals(model.q.begin(), model.q.end()),
            Reals(model.v.begin(), model.v.end())};
}

TEST(HuntOracle, FollowsAnOscillatorToTwentyDigits) {
    Model model;
    model.add_coordinate("x", 1.0, 0.5);
    model.add(Kind::kinetic, 0.5 * power(model.v_of(0), 2.0));
    model.add(Kind::potential, 2.0 * power(model.x(0), 2.0));
    const Reference motion = follow(model, start_of(model), {3.0});
    ASSERT_TRUE(motion.fine()) << motion.why;
    const Real expected = Real::by(mpfr_cos, 6.0) + Real::by(mpfr_sin, 6.0) / 4.0;
    EXPECT_LT(abs(motion.rows[0].q[0] - expected).nearest(), 1e-18);
}

TEST(HuntOracle, BouncesAtTheRightTime) {
    // From 1 m at rest, g = 8: on the floor after 0.5 s at −4, back up at 2: at t = 0.75 at 0.25
    // with velocity 0.
    Model model;
    model.add_coordinate("y", 1.0, 0.0);
    model.particles.push_back({"ball", {model.x(0).node}, 2.0});
    model.gravity = {-8.0};
    model.rows.push_back({"floor", 0, model.x(0).node, model.c(0.0).node, true, 0.5});
    const Reference motion = follow(model, start_of(model), {0.75});
    ASSERT_TRUE(motion.fine()) << motion.why;
    EXPECT_EQ(motion.impacts, 1U);
    EXPECT_NEAR(motion.rows[0].q[0].nearest(), 0.25, 1e-15);
    EXPECT_NEAR(motion.rows[0].v[0].nearest(), 0.0, 1e-15);
}

TEST(HuntOracle, SwitchesWhereADecisionTurns) {
    // Force −1 where x > 0, else +1, from x = 0.5 at rest: at x = 0 after 1 s with velocity −1, at
    // −0.5 with velocity 0 after 2 s.
    Model model;
    model.add_coordinate("x", 0.5, 0.0);
    model.add(Kind::kinetic, 0.5 * power(model.v_of(0), 2.0));
    model.add(Kind::potential, apply(Op::abs, model.x(0)));
    const Reference motion = follow(model, start_of(model), {2.0});
    ASSERT_TRUE(motion.fine()) << motion.why;
    EXPECT_NEAR(motion.rows[0].q[0].nearest(), -0.5, 1e-15);
    EXPECT_NEAR(motion.rows[0].v[0].nearest(), 0.0, 1e-15);
}

TEST(HuntOracle, SeesANarrowPulse) {
    // An impulse of 1 in a bell of width 1e-4 on a particle at rest: x = (t − t0) behind it.
    Model model;
    model.add_coordinate("x", 0.0, 0.0);
    model.add(Kind::kinetic, 0.5 * power(model.v_of(0), 2.0));
    const Term since = model.t() - 4.0;
    const double width = 1e-4;
    model.push(0, (1.0 / (width * std::sqrt(std::acos(-1.0)))) *
                      apply(Op::exp, -power(since / width, 2.0)));
    model.narrow.push_back({since.node, width});
    const Reference motion = follow(model, start_of(model), {10.0});
    ASSERT_TRUE(motion.fine()) << motion.why;
    EXPECT_NEAR(motion.rows[0].q[0].nearest(), 6.0, 1e-14);
}

/// A model whose text says something else than its statements, as if the engine were wrong.
Case planted() {
    Case one;
    Model& model = one.model;
    model.add_coordinate("x", 1.0, 0.0);
    model.add_coordinate("y", 0.5, 0.3);
    for (int i = 0; i < 2; ++i) {
        model.add(Kind::kinetic, 0.5 * power(model.v_of(i), 2.0));
        model.add(Kind::potential, 1.5 * power(model.x(i), 2.0));
    }
    return one;
}

TEST(HuntTool, PlantedFaultIsFound) {
    Case one = planted();
    EXPECT_EQ(check(one).result, Result::agreed);
    one.model.text =
        "coord x, y\nkinetic 0.5*x'^2 + 0.5*y'^2\npotential 1.5*x^2 + 1.500001*y^2\nstart x = 1, y "
        "= 0.5, y' = 0.3\nsimulate "
        "0..1\n";
    const Verdict verdict = check(one);
    EXPECT_EQ(verdict.result, Result::failed);
    EXPECT_TRUE(verdict.what.starts_with("y")) << verdict.what;
}

TEST(HuntTool, ShrinkingKeepsWhatFails) {
    // "Fails" where x has a potential: all else is dropped, and numbers become plain.
    Case one = planted();
    one.plan.wording.shuffle = 7;
    one.model.push(1, apply(Op::sin, 3.7 * one.model.t()));
    const auto fails = [](const Case& smaller) {
        for (const auto& energy : smaller.model.energies)
            if (energy.kind == Kind::potential && !smaller.model.names.empty() &&
                smaller.model.names[0] == "x" &&
                smaller.model.tree->contains(energy.node, Op::coordinate, 0))
                return true;
        return false;
    };
    const Case small = shrink(one, fails);
    EXPECT_EQ(small.model.names, std::vector<std::string>{"x"});
    EXPECT_EQ(small.model.energies.size(), 1U);
    EXPECT_TRUE(small.model.forces.empty());
    EXPECT_EQ(small.plan.wording.shuffle, 0U);
    EXPECT_EQ(small.model.tree->text(small.model.energies[0].node, small.model.names, {}), "x");
}

}  // namespace
}  // namespace hunt
