// Several contacts that come to the border of their cones at one moment: which of them slip.

#include <fmt/format.h>

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

/// A block of mass m (coefficient mu2) on one of mass M (mu1), pulled so that both cones are full
/// at t = T.
struct Stack {
    double M, m, mu1, mu2, T;
};

class BothFull : public testing::TestWithParam<Stack> {};

// Behind T, with s = t − T: if the lower one slips alone, both have the acceleration mu1 g s/T, and
// the upper one needs mu2 m g + (mu2 − mu1) m g s/T of friction. That is within its cone where
// mu2 < mu1. Else both slip, and the upper one has mu2 g s/T.
TEST_P(BothFull, TheUpperOneSlipsOnlyIfItsFrictionIsTheGreater) {
    const auto [M, m, mu1, mu2, T] = GetParam();
    const double upper = mu2 * m * 10.0 / T, lower = mu1 * (M + m) * 10.0 / T - upper;
    const Mechanism stack = Mechanism::parse(fmt::format(R"(coord x1, x2, y1, y2
        particle a at (x1, y1) mass {}
        particle b at (x2, y2) mass {}
        gravity (0, -10)
        force x1 = {:.17g}*t, x2 = {:.17g}*t
        constraint fl: y1 >= 0 friction {}
        constraint md: y2 - y1 >= 1 friction {} slip x2' - x1'
        start y2 = 1)",
                                                         M, m, lower, upper, mu1, mu2),
                                             "stack");
    for (const double tolerance : {1e-7, 1e-9, 1e-12}) {
        const Motion motion = run(stack, {.end = T + 2.0, .tolerance = tolerance});
        ASSERT_TRUE(motion.status) << motion.status.message;
        EXPECT_EQ(story(motion), mu2 < mu1 ? (std::vector<std::string>{"slip fl"})
                                           : (std::vector<std::string>{"slip fl", "slip md"}))
            << tolerance;
        for (const double t : event_times(motion, "slip")) EXPECT_NEAR(t, T, 1e-12);
        const double way = std::max(mu1, mu2) * 10.0 / T * 8.0 / 6.0;
        EXPECT_NEAR(motion.summary.final.q[1], way, std::max(10.0 * tolerance, 1e-10));
    }
}

INSTANTIATE_TEST_SUITE_P(Contact, BothFull,
                         testing::Values(Stack{2.0, 1.0, 0.4, 0.3, 7.0},
                                         Stack{1.5, 2.0, 0.5, 0.1, 4.0},
                                         Stack{3.0, 0.5, 0.25, 0.2, 8.0},
                                         Stack{2.0, 1.0, 0.3, 0.4, 7.0},
                                         Stack{2.0, 1.0, 0.2, 0.5, 3.0}));

}  // namespace
}  // namespace lacon::contacts
