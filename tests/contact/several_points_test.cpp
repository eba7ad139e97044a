// Bodies that slide and turn on several points, and come to rest on them. The oracle of a rod is an
// integration of its own equations, in extended precision, with steps as long as its speed allows.

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

// ---- a rod on both its ends

struct Throw {
    double mu, vx, vy, turn, roll;
};

/// A rod (a capsule) that lies on a floor: its centre, its angle in the plane and the roll about
/// itself. Its ends slide with v + (± L/2 turn + R roll) n, n across the rod; their loads follow
/// from the balance of moments about n.
class SlidingRod {
public:
    static constexpr Real m = 2.0L, R = 0.05L, L = 0.6L, along = 0.003L, across = 0.08L, g = 9.81L;
    using State = std::array<Real, 7>;  // x, y, angle, and their rates; roll

    explicit SlidingRod(const Throw& start)
        : mu_(start.mu), now{0.0L, 0.0L, 0.0L, start.vx, start.vy, start.turn, start.roll} {}

    /// Until the slower end slides no faster than this.
    void run(Real slow) {
        for (Real s = slower(now); s > slow; s = slower(now))
            step(std::min(1e-3L, 4e-3L * s / (mu_ * g)));
    }
    Real faster() const { return std::max(speed(now, -1), speed(now, 1)); }

private:
    std::array<Real, 2> slip(const State& s, int end) const {
        const Real rate = end * 0.5L * L * s[5] + R * s[6];
        return {s[3] - std::sin(s[2]) * rate, s[4] + std::cos(s[2]) * rate};
    }
    Real speed(const State& s, int end) const {
        return std::hypot(slip(s, end)[0], slip(s, end)[1]);
    }
    Real slower(const State& s) const { return std::min(speed(s, -1), speed(s, 1)); }

    State rates(const State& s) const {
        const Real c = std::cos(s[2]), d = std::sin(s[2]);
        Real u[2], n[2];  // the direction of sliding along and across the rod
        for (int i = 0; i < 2; ++i) {
            const auto [x, y] = slip(s, 2 * i - 1);
            u[i] = (c * x + d * y) / std::hypot(x, y);
            n[i] = (c * y - d * x) / std::hypot(x, y);
        }
        // along roll turn = −L/2 (N₁ − N₀) + R μ (N₀ u₀ + N₁ u₁)
        const Real W = m * g;
        const Real more = (along * s[6] * s[5] - 0.5L * R * mu_ * W * (u[0] + u[1])) /
                          (0.5L * R * mu_ * (u[1] - u[0]) - 0.5L * L);
        const Real N[2] = {0.5L * (W - more), 0.5L * (W + more)};
        const Real fu = -mu_ * (N[0] * u[0] + N[1] * u[1]), f0 = -mu_ * N[0] * n[0],
                   f1 = -mu_ * N[1] * n[1];
        return {s[3],
                s[4],
                s[5],
                (c * fu - d * (f0 + f1)) / m,
                (d * fu + c * (f0 + f1)) / m,
                0.5L * L * (f1 - f0) / across,
                R * (f0 + f1) / along};
    }
    void step(Real h) {
        const auto moved = [&](const State& k, Real by) {
            State s = now;
            for (std::size_t i = 0; i < s.size(); ++i) s[i] += by * k[i];
            return s;
        };
        const State a = rates(now), b = rates(moved(a, 0.5L * h)), c = rates(moved(b, 0.5L * h)),
                    d = rates(moved(c, h));
        for (std::size_t i = 0; i < now.size(); ++i)
            now[i] += h / 6.0L * (a[i] + 2.0L * b[i] + 2.0L * c[i] + d[i]);
        t += h;
    }

    Real mu_;

public:
    State now;
    Real t = 0.0L;
};

Mechanism thrown_rod(const Throw& start) {
    return Mechanism::parse(fmt::format(R"(gravity (0, 0, -9.81)
            body rod shape capsule 0.05, 0.6 mass 2 inertia (0.08, 0.08, 0.003)
            body ground shape plane
            contact ends: rod with ground friction {}
            start rod.position = (0, 0, 0.05), rod.rotation = rotation((0, 1, 0), 90*deg)
            start rod.velocity = ({}, {}, 0), rod.omega = ({}, 0, {}))",
                                        start.mu, start.vx, start.vy, start.roll, start.turn),
                            "rod");
}

class BothEnds : public testing::TestWithParam<Throw> {};

TEST_P(BothEnds, ComeToRestAtOnceAndRollOnFromThere) {
    SlidingRod rod(GetParam());
    rod.run(1e-10L);
    ASSERT_LE(rod.faster(), 2e-10L);
    const double end = near(rod.t) + 0.3;
    const Motion motion = run(thrown_rod(GetParam()), {.end = end, .tolerance = 1e-11});
    ASSERT_TRUE(motion.status) << motion.status.message;
    expect_lawful(motion);
    EXPECT_EQ(story(motion), (std::vector<std::string>{"stick ends[1]", "stick ends[2]"}));
    // What counts as rest is 1e-9 m/s, and friction brakes with some m/s².
    expect_times(event_times(motion, "stick"), {rod.t, rod.t}, 2e-9);
    const State& final = motion.summary.final;
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(final.v[i], near(rod.now[3 + i]), 1e-8);
        EXPECT_NEAR(final.q[i], near(rod.now[i] + rod.now[3 + i] * (end - rod.t)), 1e-8);
    }
}
INSTANTIATE_TEST_SUITE_P(Of, BothEnds,
                         testing::Values(Throw{0.3, 1.5, 0.4, 2.0, 0.0},
                                         Throw{0.3, 1.5, 0.4, 0.0, 0.0},
                                         Throw{0.6, 2.0, -0.3, 1.0, 4.0}));

class OneEnd : public testing::TestWithParam<Throw> {};

TEST_P(OneEnd, RestsFirstWhereTheOtherStillSlides) {
    SlidingRod rod(GetParam());
    rod.run(1e-10L);
    ASSERT_GE(rod.faster(), 1e-2L);
    const Motion motion = run(thrown_rod(GetParam()), {.end = 1.0, .tolerance = 1e-11});
    ASSERT_TRUE(motion.status) << motion.status.message;
    expect_lawful(motion);
    const std::vector<double> times = event_times(motion, "stick");
    ASSERT_EQ(times.size(), 2u);
    EXPECT_NEAR(times[0], near(rod.t), 2e-9);
    EXPECT_GT(times[1], times[0] + 1e-3);
}
INSTANTIATE_TEST_SUITE_P(Of, OneEnd,
                         testing::Values(Throw{0.3, 0.0, 0.4, 2.0, 0.0},
                                         Throw{0.3, 1.0, 1.0, -3.0, 0.0},
                                         Throw{0.2, 0.2, 0.5, 3.0, 10.0}));

// ---- boxes and cylinders

TEST(SeveralPoints, ABoxThatSlidesWithoutTurningIsABlock) {
    for (const auto& [mu, vx, vy] : {std::array{0.3, 0.5, 0.4}, std::array{0.45, -1.1, 0.37}}) {
        const Mechanism box = Mechanism::parse(fmt::format(R"(gravity (0, 0, -9.81)
                body box shape box (0.2, 0.3, 0.2) mass 2
                body ground shape plane
                contact feet: box with ground friction {}
                start box.position = (0, 0, 0.1), box.velocity = ({}, {}, 0))",
                                                           mu, vx, vy),
                                               "box");
        const double speed = std::hypot(vx, vy), time = speed / (mu * 9.81);
        for (const double tolerance : {1e-7, 1e-9, 1e-11}) {
            const Motion motion = run(box, {.end = time + 0.5, .tolerance = tolerance});
            ASSERT_TRUE(motion.status) << motion.status.message;
            EXPECT_EQ(event_times(motion, "stick").size(), 4u);
            for (const double t : event_times(motion, "stick")) EXPECT_NEAR(t, time, 1e-8);
            EXPECT_NEAR(motion.summary.final.q[0], 0.5 * time * vx, 1e-8);
            EXPECT_NEAR(motion.summary.final.q[1], 0.5 * time * vy, 1e-8);
        }
    }
}

/// At rest all of them together carry the weight.
TEST(SeveralPoints, ACylinderOnBothRimsComesToRestOrRolls) {
    const Mechanism can = Mechanism::parse(R"(gravity (0, 0, -9.81)
        body can shape cylinder 0.1, 0.3 mass 2
        body ground shape plane
        contact rims: can with ground friction 0.3 points 12
        start can.position = (0, 0, 0.1), can.rotation = rotation((0, 1, 0), 90*deg)
        start can.velocity = (1.5, 0.4, 0)
        output energy)",
                                           "can");
    const Motion motion = run(can, {.end = 1.5, .every = 0.01});
    ASSERT_TRUE(motion.status) << motion.status.message;
    const std::vector<double>& energy = motion.column("energy");
    for (std::size_t i = 1; i < energy.size(); ++i) EXPECT_LE(energy[i], energy[i - 1] + 1e-9);
    EXPECT_LE(motion.summary.contact.certificate.dual, 1e-9);
}

}  // namespace
}  // namespace lacon::contacts
