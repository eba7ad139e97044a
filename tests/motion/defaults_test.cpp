// Without any option, motions end within 1e-9 of the truth.

#include "known_motions.hpp"

namespace lacon::motions {
namespace {

TEST(Defaults, KnownMotionsEndWithinABillionthOfTheTruth) {
    for (const Known& known : known_motions()) {
        const Motion motion = run_well(Mechanism::parse(known.text), {.end = known.end});
        for (const auto& [name, exact] : known.values) {
            const double size = std::max(1.0, near(std::abs(exact)));
            EXPECT_LE(near(std::abs(last(motion, name) - exact)) / size, 1e-9)
                << known.name << ", " << name;
        }
    }
}

TEST(Defaults, EachMethodHasATolerance) {
    const Mechanism m = load("pendulum.lac");
    for (const auto& [method, tolerance] : {std::pair{"auto", 1e-12},
                                            {"taylor", 1e-12},
                                            {"dop853", 1e-11},
                                            {"dopri5", 1e-10},
                                            {"adams", 1e-10},
                                            {"bdf", 1e-10}})
        EXPECT_EQ(run_well(m, {.end = 0.1, .method = method}).summary.tolerance, tolerance)
            << method;
    const Motion asked = run_well(m, {.end = 0.1, .tolerance = 1e-6, .method = "taylor"});
    EXPECT_EQ(asked.summary.tolerance, 1e-6);
}

TEST(Defaults, WhatHasNoSeriesHasTheToleranceOfItsOwnMethod) {
    const Mechanism m = Mechanism::parse(
        "coord x\nparticle p at (x, 0) mass 1\ncontrol c: x = sin(t) gain 2 1\nstart x = 1\n");
    const Motion motion = run_well(m, {.end = 8.0});
    EXPECT_EQ(motion.summary.method, "dop853");
    EXPECT_EQ(motion.summary.tolerance, 1e-11);
    // The error e(t) = x − sin t decays critically, from e = 1, e' = −1: it is exp(−t).
    EXPECT_NEAR(last(motion, "x"), std::sin(8.0) + std::exp(-8.0), 1e-9);
}

}  // namespace
}  // namespace lacon::motions
