// Contacts that touch without force and are pulled off: the event has the moment at which the gap
// began to grow, whatever the tolerance and the steps are.

#include <fmt/format.h>

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

constexpr double tolerances[] = {1e-6, 1e-7, 1e-9, 1e-11, 1e-12};

class PulledOff : public testing::TestWithParam<const char*> {};

TEST_P(PulledOff, IsReleasedAtTheStart) {
    const Mechanism m = Mechanism::parse(fmt::format(R"(coord y
        kinetic y'^2/2
        force y = {}
        constraint fl: y >= 0)",
                                                     GetParam()),
                                         "pulled off");
    for (const double tolerance : tolerances)
        for (const double end : {1.0, 30.0}) {
            const Motion motion = run(m, {.end = end, .tolerance = tolerance});
            ASSERT_TRUE(motion.status) << motion.status.message;
            EXPECT_EQ(story(motion), std::vector<std::string>{"release fl"}) << tolerance;
            EXPECT_EQ(event_times(motion, "release", "fl"), std::vector<double>{0.0}) << tolerance;
        }
}

INSTANTIATE_TEST_SUITE_P(Contact, PulledOff,
                         testing::Values("t", "sin(t)", "t^2", "t^3", "1 - cos(t)", "0.003*t^5",
                                         "7*t*exp(-t)", "t/(1 + t)"));

struct Again {
    const char* force;
    double t;  // when the gap is zero again
};

class PulledOffAndBack : public testing::TestWithParam<Again> {};

TEST_P(PulledOffAndBack, IsReleasedBeforeItIsHit) {
    const Mechanism m = Mechanism::parse(fmt::format(R"(coord y
        kinetic y'^2/2
        force y = {}
        constraint fl: y >= 0)",
                                                     GetParam().force),
                                         "pulled off and back");
    for (const double tolerance : tolerances) {
        const Motion motion = run(m, {.end = 10.0, .tolerance = tolerance});
        ASSERT_TRUE(motion.status) << motion.status.message;
        EXPECT_EQ(story(motion),
                  (std::vector<std::string>{"release fl", "impact fl", "contact fl"}));
        EXPECT_EQ(event_times(motion, "release"), std::vector<double>{0.0}) << tolerance;
        EXPECT_NEAR(event_times(motion, "impact").at(0), GetParam().t, 100.0 * tolerance);
    }
}

// y = t³/6 − t⁴/12, t³/6 − t⁵/200, t⁴/4 − t⁵/20
INSTANTIATE_TEST_SUITE_P(Contact, PulledOffAndBack,
                         testing::Values(Again{"t - t^2", 2.0},
                                         Again{"t - 0.1*t^3", 10.0 / std::sqrt(3.0)},
                                         Again{"3*t^2 - t^3", 5.0}));

TEST(Release, OfABodyFromTerrainThatFallsAwayIsAtTheCrest) {
    for (const auto& [terrain, again] :
         {std::pair{"-x^3 + 0.5*x^4", 2.0}, std::pair{"-x^3 + 0.25*x^5", 2.0},
          std::pair{"-2*x^4 + x^5", 2.0}}) {
        const Mechanism m = Mechanism::parse(fmt::format(R"(coord x, y
            particle b at (x, y) mass 1
            constraint fl: y >= {}
            start x' = 1)",
                                                         terrain),
                                             "terrain");
        for (const double tolerance : tolerances) {
            const Motion motion = run(m, {.end = 2.5, .tolerance = tolerance});
            ASSERT_TRUE(motion.status) << motion.status.message;
            EXPECT_EQ(event_times(motion, "release"), std::vector<double>{0.0}) << terrain;
            ASSERT_EQ(event_times(motion, "impact").size(), 1u) << terrain;
            EXPECT_NEAR(event_times(motion, "impact")[0], again, 100.0 * tolerance);
        }
    }
}

TEST(Release, WhereADecisionStartsThePullIsAtThatDecision) {
    for (const char* force :
         {"max(0, t - 1.5)", "max(0, t - 1.5)^2", "if(t < 1.5, 0, sin(t - 1.5))"})
        for (const double tolerance : tolerances) {
            const Mechanism m = Mechanism::parse(fmt::format(R"(coord y
                kinetic y'^2/2
                force y = {}
                constraint fl: y >= 0)",
                                                             force),
                                                 "later");
            const Motion motion = run(m, {.end = 20.0, .tolerance = tolerance});
            ASSERT_TRUE(motion.status) << motion.status.message;
            ASSERT_EQ(event_times(motion, "release").size(), 1u) << force;
            EXPECT_NEAR(event_times(motion, "release")[0], 1.5, 1e-12) << force << tolerance;
        }
}

// The force is zero at the switch, so contacts are decided anew there, more than once.
TEST(Release, ADecisionThatBeginsToPressAnIdleContactIsToldOnce) {
    for (const auto& [force, t] :
         {std::pair{"min(0, 1 - t)", 1.0}, std::pair{"min(0, 2 - 3*t)", 2.0 / 3.0},
          std::pair{"-max(0, t - 0.7)", 0.7}, std::pair{"if(t < 1.3, 0, 2.6 - 2*t)", 1.3}})
        for (const double tolerance : tolerances) {
            const Mechanism m = Mechanism::parse(fmt::format(R"(coord x, y
                particle b at (x, y) mass 1
                constraint fl: y >= 0 restitution 0.5
                force y = {})",
                                                             force),
                                                 "pressed");
            const Motion motion = run(m, {.end = 2.0, .tolerance = tolerance});
            ASSERT_TRUE(motion.status) << motion.status.message;
            ASSERT_EQ(motion.summary.events.size(), 1u) << force << tolerance;
            EXPECT_EQ(motion.summary.events[0].kind, "switch");
            EXPECT_NEAR(motion.summary.events[0].t, t, 1e-12);
            EXPECT_EQ(motion.summary.final.q[1], 0.0);
        }
}

}  // namespace
}  // namespace lacon::contacts
