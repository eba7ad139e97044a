// Many contacts, of which few are in sight in a step: none is missed.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

/// Equal balls on a line that bounce without loss exchange their velocities: places are those of
/// balls that pass through each other, in order.
TEST(Sight, BallsOnALineExchangeTheirVelocities) {
    constexpr int count = 24;
    std::string text =
        "coord x[1..24]\nparticle b[i] at (x[i], 0) mass 2 for i in 1..24\n"
        "constraint hit[i,j]: x[j] - x[i] >= 0 restitution 1 for i in 1..24 for j in i+1..24\n";
    std::vector<double> places;
    for (int i = 1; i <= count; ++i) {
        const double place = i + 0.3 * std::sin(5.0 * i),
                     speed = 2.0 * std::cos(3.0 * i * i) - 0.1 * i;
        text += fmt::format("start x[{0}] = {1:.17g}, x[{0}]' = {2:.17g}\n", i, place, speed);
        places.push_back(place + 3.0 * speed);
    }
    std::sort(places.begin(), places.end());
    for (const char* method : {"auto", "dop853"}) {
        const Motion motion =
            motions::run_well(Mechanism::parse(text), {.end = 3.0, .every = 0.5, .method = method});
        for (int i = 0; i < count; ++i)
            EXPECT_NEAR(last(motion, fmt::format("x[{}]", i + 1)), places[i], 1e-10) << method;
    }
}

/// A body among many walls that dart forward, one after the other: the first one throws it back.
TEST(Sight, WallsThatMoveAreMetInTime) {
    for (const double speed : {0.5, 1.0, 3.0}) {
        const Mechanism body = Mechanism::parse(
            "param v = 0\ncoord x\nparticle b at (x, 0) mass 1\n"
            "constraint wall[i]: x <= 12 + i - 13*exp(-50*(t - 2*i)^2) restitution 1 for i in "
            "1..20\nstart x = 0, x' = v",
            "walls", {{"v", speed}});
        const Motion motion = motions::run_well(body, {.end = 2.0, .every = 0.01});
        // It meets the wall where 13 − 13 exp(−50 s²) = v (2 + s), s = t − 2 < 0, and leaves with
        // twice its speed.
        double low = -0.5, high = 0.0;
        const auto gap = [&](double s) {
            return 13.0 - 13.0 * std::exp(-50.0 * s * s) - speed * (2.0 + s);
        };
        while (high - low > 1e-15)
            (gap(0.5 * (low + high)) > 0.0 ? low : high) = 0.5 * (low + high);
        const double wall = 1300.0 * low * std::exp(-50.0 * low * low);  // its velocity
        expect_times(event_times(motion, "impact"), {Real(2.0 + low)}, 1e-9);
        EXPECT_NEAR(last(motion, "x'"), 2.0 * wall - speed, 1e-7);
    }
}

}  // namespace
}  // namespace lacon::contacts
