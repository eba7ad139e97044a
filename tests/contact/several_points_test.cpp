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

// ---- loads that are shared by weights

/// A box of mass 2 that slides and turns on four corners, with loads as of equal springs under
/// them: linear over the box, f = a + b x + c y with the corners at (x, y) from its centre, which
/// is h above the floor. They carry the weight, and turn it about no horizontal axis.
class BoxOnSprings {
public:
    static constexpr Real m = 2.0L, g = 9.81L, h = 0.1L, wide = 0.1L, deep = 0.15L,
                          inertia = m * (wide * wide + deep * deep) / 3.0L;
    using State = std::array<Real, 6>;  // x, y, angle, and their rates

    BoxOnSprings(Real mu, Real vx, Real vy, Real turn)
        : now{0.0L, 0.0L, 0.0L, vx, vy, turn}, mu_(mu) {}

    /// Until a corner slides no faster than this.
    void run(Real slow) {
        for (Real s = slowest(); s > slow; s = slowest())
            step(std::min(1e-3L, 4e-3L * s / (mu_ * g)));
    }
    Real fastest() const {
        Real most = 0.0L;
        for (const Corner& c : corners(now)) most = std::max(most, c.speed);
        return most;
    }
    /// The load of the corner that has the least.
    Real least_load() const {
        Real least = INFINITY;
        for (const Corner& c : corners(now)) least = std::min(least, c.load);
        return least;
    }

private:
    struct Corner {
        Real x, y, speed, dx, dy, load;
    };
    Real slowest() const {
        Real least = INFINITY;
        for (const Corner& c : corners(now)) least = std::min(least, c.speed);
        return least;
    }
    std::array<Corner, 4> corners(const State& s) const {
        std::array<Corner, 4> all;
        std::array<std::array<Real, 4>, 3>
            rows{};  // Σ f = m g, Σ (x − μ h dx) f = 0, the same of y
        rows[0][3] = m * g;
        for (std::size_t i = 0; i < 4; ++i) {
            const Real u = i % 2 == 0 ? wide : -wide, v = i < 2 ? deep : -deep;
            Corner& c = all[i];
            c.x = u * std::cos(s[2]) - v * std::sin(s[2]);
            c.y = u * std::sin(s[2]) + v * std::cos(s[2]);
            const Real sx = s[3] - s[5] * c.y, sy = s[4] + s[5] * c.x;
            c.speed = std::hypot(sx, sy);
            c.dx = sx / c.speed;
            c.dy = sy / c.speed;
            const Real arm[3] = {1.0L, c.x - mu_ * h * c.dx, c.y - mu_ * h * c.dy};
            for (std::size_t k = 0; k < 3; ++k) {
                rows[k][0] += arm[k];
                rows[k][1] += arm[k] * c.x;
                rows[k][2] += arm[k] * c.y;
            }
        }
        for (std::size_t k = 0; k < 3; ++k)  // the diagonal is far the largest
            for (std::size_t r = 0; r < 3; ++r) {
                if (r == k) continue;
                const Real part = rows[r][k] / rows[k][k];
                for (std::size_t j = 0; j < 4; ++j) rows[r][j] -= part * rows[k][j];
            }
        for (Corner& c : all)
            c.load = rows[0][3] / rows[0][0] + rows[1][3] / rows[1][1] * c.x +
                     rows[2][3] / rows[2][2] * c.y;
        return all;
    }
    State rates(const State& s) const {
        State r{s[3], s[4], s[5], 0.0L, 0.0L, 0.0L};
        for (const Corner& c : corners(s)) {
            const Real fx = -mu_ * c.load * c.dx, fy = -mu_ * c.load * c.dy;
            r[3] += fx / m;
            r[4] += fy / m;
            r[5] += (c.x * fy - c.y * fx) / inertia;
        }
        return r;
    }
    void step(Real length) {
        const auto moved = [&](const State& k, Real by) {
            State s = now;
            for (std::size_t i = 0; i < s.size(); ++i) s[i] += by * k[i];
            return s;
        };
        const State a = rates(now), b = rates(moved(a, 0.5L * length)),
                    c = rates(moved(b, 0.5L * length)), d = rates(moved(c, length));
        for (std::size_t i = 0; i < now.size(); ++i)
            now[i] += length / 6.0L * (a[i] + 2.0L * b[i] + 2.0L * c[i] + d[i]);
        t += length;
    }

public:
    State now;
    Real t = 0.0L;

private:
    Real mu_;
};

Mechanism thrown_box(double mu, double vx, double vy, double turn, const std::string& weight) {
    return Mechanism::parse(fmt::format(R"(gravity (0, 0, -9.81)
        body box shape box (0.2, 0.3, 0.2) mass 2
        body ground shape plane
        contact feet: box with ground friction {} {}
        start box.position = (0, 0, 0.1), box.velocity = ({}, {}, 0), box.omega = (0, 0, {}))",
                                        mu, weight, vx, vy, turn),
                            "box");
}

class OnSprings : public testing::TestWithParam<std::array<double, 4>> {};

TEST_P(OnSprings, ABoxWithAWeightSlidesAndTurnsAsOnEqualSprings) {
    const auto& [mu, vx, vy, turn] = GetParam();
    BoxOnSprings box(mu, vx, vy, turn);
    ASSERT_GT(box.least_load(), 0.0L);
    box.run(1e-10L);
    const double end = near(box.t) + 0.1;
    for (const char* weight : {"weight 1", "weight 250"}) {
        const Motion motion =
            run(thrown_box(mu, vx, vy, turn, weight), {.end = end, .tolerance = 1e-11});
        ASSERT_TRUE(motion.status) << motion.status.message;
        EXPECT_FALSE(motion.summary.contact.forces_unique);
        expect_lawful(motion);
        const std::vector<double> times = event_times(motion, "stick");
        ASSERT_EQ(times.size(), 4u);
        // What counts as rest is 1e-9 m/s, and friction brakes with some m/s².
        if (box.fastest() <= 1e-9L) expect_times(times, {box.t, box.t, box.t, box.t}, 2e-9);
        const State& final = motion.summary.final;
        if (box.fastest() > 1e-9L) continue;
        EXPECT_NEAR(final.q[0], near(box.now[0]), 1e-9);
        EXPECT_NEAR(final.q[1], near(box.now[1]), 1e-9);
        EXPECT_NEAR(2.0 * std::atan2(final.q[6], final.q[3]), near(box.now[2]), 1e-8);
        for (const double v : final.v) EXPECT_NEAR(v, 0.0, 1e-12);
    }
}
INSTANTIATE_TEST_SUITE_P(Of, OnSprings,
                         testing::Values(std::array{0.3, 0.5, 0.4, 3.0},
                                         std::array{0.25, 0.9, -0.2, -1.5},
                                         std::array{0.4, 0.3, 0.2, 9.0}));

TEST(SeveralPoints, WithoutWeightsTheRunEndsAndAsksForThem) {
    const Motion motion = run(thrown_box(0.3, 0.5, 0.4, 3.0, ""), {.end = 1.0});
    EXPECT_EQ(motion.status.outcome, Outcome::undetermined);
    EXPECT_NE(motion.status.message.find("with a weight of 'feet[1]', 'feet[2]', "
                                         "'feet[3]' and 'feet[4]' (as 'friction "
                                         "0.5 weight 1') loads are shared as among "
                                         "springs, soft where the weight is "
                                         "large"),
              std::string::npos)
        << motion.status.message;
}

TEST(SeveralPoints, ABoxThatFallsAndTumblesComesToRestWithAWeight) {
    for (const double e : {0.0, 0.3}) {
        const Mechanism box = Mechanism::parse(fmt::format(R"(gravity (0, 0, -9.81)
                body box shape box (0.2, 0.3, 0.2) mass 2
                body ground shape plane
                contact feet: box with ground friction 0.3 restitution {} weight 1
                start box.position = (0, 0, 0.3), box.rotation = rotation((1, 0.3, 0), 0.5)
                start box.velocity = (0.5, 0.4, 0), box.omega = (0, 0, 2)
                output energy, press = dot(feet.reaction, (1, 1, 1, 1, 1, 1, 1, 1)))",
                                                           e),
                                               "box");
        const Motion motion = run(box, {.end = 2.0, .every = 0.02});
        ASSERT_TRUE(motion.status) << motion.status.message;
        const std::vector<double>& energy = motion.column("energy");
        for (std::size_t i = 1; i < energy.size(); ++i) EXPECT_LE(energy[i], energy[i - 1] + 1e-9);
        EXPECT_NEAR(last(motion, "press"), 2.0 * 9.81, 1e-9);
        for (const double v : motion.summary.final.v) EXPECT_NEAR(v, 0.0, 1e-9);
    }
}

}  // namespace
}  // namespace lacon::contacts
