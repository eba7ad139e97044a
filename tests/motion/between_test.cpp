// Multistep methods accept a step by one number, told at its end. What vanishes at the ends of
// their steps, and not between: waves, windows of time, signals at their knots. And many knots.

#include <fmt/format.h>
#include <unistd.h>

#include <complex>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "motion_tests.hpp"

namespace lacon::motions {
namespace {

using std::numbers::pi;
namespace fs = std::filesystem;

class BetweenEnds : public testing::TestWithParam<std::string> {
protected:
    BetweenEnds()
        : folder(fs::path(testing::TempDir()) / ("lacon_between_" + std::to_string(getpid()))) {
        fs::create_directories(folder);
    }
    ~BetweenEnds() override { fs::remove_all(folder); }

    /// x'' = force, in a folder where `signals` are; x = 0 at rest where nothing else is said.
    Mechanism particle(const std::string& force, const std::string& more = {}) const {
        return Mechanism::parse(more + "coord x\nparticle p at (x) mass 1\nforce x = " + force,
                                (folder / "m.lac").string());
    }
    Motion run_to(const Mechanism& mechanism, double end, double tolerance = 1e-10) const {
        return run_well(mechanism, {.end = end, .tolerance = tolerance, .method = GetParam()});
    }
    /// A signal `h` of `rows` rows from 0 to `end`, 0 but for a 1 in some of them.
    std::string bumps(std::size_t rows, double end, const std::vector<std::size_t>& at) const {
        std::ofstream file(folder / "h.csv");
        file << "t,h\n";
        for (std::size_t i = 0; i < rows; ++i)
            file << fmt::format("{:.12g},{}\n",
                                end * static_cast<double>(i) / static_cast<double>(rows - 1),
                                std::find(at.begin(), at.end(), i) != at.end() ? 1 : 0);
        return "data h = \"h.csv\"\n";
    }

    fs::path folder;
};
INSTANTIATE_TEST_SUITE_P(Methods, BetweenEnds, testing::Values("adams", "bdf"),
                         [](const auto& i) { return i.param; });

TEST_P(BetweenEnds, AForceThatVanishesThereIsFelt) {
    const double w = 3.0 * pi;
    struct Case {
        std::string force;
        double end, x, v;
    };
    for (const Case& c :
         {Case{"sin(2*pi*t)", 3.0, 3.0 / (2.0 * pi), 0.0}, Case{"sin(pi*t)", 12.0, 12.0 / pi, 0.0},
          Case{"sin(pi*t)", 8.5, 8.5 / pi - 1.0 / (pi * pi), 1.0 / pi},
          Case{"t^2*(2 - t)", 2.0, 16.0 / 15.0, 4.0 / 3.0},
          Case{"sin(3*pi*t) - 4*x", 7.0, -0.5 * w * std::sin(14.0) / (4.0 - w * w),
               w * (-1.0 - std::cos(14.0)) / (4.0 - w * w)},
          Case{"if(t > 2 and t < 4, (t - 2)^2*(4 - t), 0)", 7.0, 16.0 / 15.0 + 4.0, 4.0 / 3.0},
          Case{"abs(sin(2*pi*t))", 3.0, 9.0 / pi, 6.0 / pi},
          Case{"mod(t, 2)*(2 - mod(t, 2))", 6.0, 12.0, 4.0}}) {
        const Motion motion = run_to(particle(c.force), c.end);
        EXPECT_NEAR(last(motion, "x"), c.x, 1e-7) << c.force;
        EXPECT_NEAR(last(motion, "x'"), c.v, 1e-7) << c.force;
    }
}

TEST_P(BetweenEnds, AlsoBesideSomethingStiffAndOnConstraints) {
    const Motion pair =
        run_well(Mechanism::parse("coord x, y\nparticle p at (x, y) mass 1\n"
                                  "force x = sin(pi*t/2)\nforce y = -100*y - 20*y'"),
                 {.end = 8.0, .tolerance = 1e-10, .method = GetParam()});
    EXPECT_NEAR(last(pair, "x"), 16.0 / pi, 1e-7);
    const Mechanism pendulum = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 1\ngravity (0, -9.81)\n"
        "constraint rod: (x - 0.07*sin(2*pi*t)^3)^2 + y^2 = 4\nstart x ~ 0, y ~ -2");
    const Motion motion = run_to(pendulum, 6.0),
                 other = run_well(pendulum, {.end = 6.0, .tolerance = 1e-12, .method = "dop853"});
    EXPECT_NEAR(last(motion, "x"), last(other, "x"), 1e-6);
    EXPECT_GT(std::abs(last(other, "x'")), 5e-3);
}

/// Followed from t = 0 on by what decays: x = Im(A e^{iwt}) at the end.
TEST(StiffFollower, IsMovedByAWaveThatVanishesAtTheEndsOfItsSteps) {
    struct Follower {
        double k, c, w;
    };
    for (const auto& [k, c, w] : {Follower{4e6, 5e4, 30.0 * pi}, Follower{1e7, 1e5, 8.0 * pi},
                                  Follower{3e8, 2e6, 12.0 * pi}}) {
        const Mechanism m =
            Mechanism::parse(fmt::format("coord x\nparticle p at (x) mass 1\n"
                                         "force x = -{0}*x - {1}*x' + {0}*sin({2:.17g}*t)",
                                         k, c, w));
        const std::complex<double> i(0.0, 1.0), A = k / (k - w * w + i * c * w);
        const Motion motion = run_well(m, {.end = 1.0, .tolerance = 1e-10});
        EXPECT_EQ(motion.summary.method, "bdf");
        EXPECT_NEAR(last(motion, "x"), (A * std::exp(i * w)).imag(), 1e-6) << k;
        EXPECT_NEAR(last(motion, "x'"), (i * w * A * std::exp(i * w)).imag(), 1e-4) << k;
    }
}

TEST_P(BetweenEnds, ASignalThatVanishesAtItsKnotsIsFelt) {
    struct Bump {
        std::size_t rows, at;
        double end, pull;
    };
    for (const Bump& b : {Bump{6, 3, 5.0, 0.0}, Bump{9, 2, 8.0, 0.0}, Bump{31, 22, 30.0, 0.01},
                          Bump{41, 33, 20.0, 1.0}, Bump{15, 13, 28.0, 4.0}})
        for (const char* form : {"", " monotone"})
            for (const double tolerance : {1e-6, 1e-10}) {
                std::string signal = bumps(b.rows, b.end, {b.at});
                signal.insert(signal.size() - 1, form);
                const Mechanism m = particle(fmt::format("h(t) - {}*x", b.pull), signal);
                const Motion motion = run_to(m, b.end, tolerance);
                const Motion other =
                    run_well(m, {.end = b.end, .tolerance = 1e-12, .method = "dop853"});
                EXPECT_NEAR(last(motion, "x"), last(other, "x"), 1e3 * tolerance)
                    << b.rows << form << " " << tolerance;
                EXPECT_NEAR(last(motion, "x'"), last(other, "x'"), 1e3 * tolerance)
                    << b.rows << form << " " << tolerance;
            }
}

TEST_P(BetweenEnds, WhatIsStatedOfALateBumpIsTrue) {
    for (const std::size_t at : {19U, 27U, 34U}) {
        const Mechanism m = particle("h(t) - x", bumps(41, 40.0, {at}));
        const Motion motion = run_well(m, {.end = 40.0, .method = GetParam(), .verify = true});
        const Motion other = run_well(m, {.end = 40.0, .tolerance = 1e-13, .method = "dop853"});
        ASSERT_TRUE(motion.summary.verification);
        const double error = std::abs(last(motion, "x") - last(other, "x")),
                     stated = motion.summary.verification->final[0].error;
        EXPECT_LE(error, 10.0 * stated) << at;
        EXPECT_LE(stated, 1e-7) << at;
    }
}

// Between equally spaced knots a step that keeps its length ends at the next one but for rounding
// of the time.
TEST_P(BetweenEnds, ManyKnotsStopNoRun) {
    struct Record {
        std::size_t rows;
        double end;
        std::vector<std::size_t> at;
        double pull;
    };
    for (const Record& r : {Record{4001, 20.0, {1898}, 4.0}, Record{4001, 50.0, {1268, 2672}, 4.0},
                            Record{8001, 50.0, {5851, 6457}, 40.0}, Record{8001, 50.0, {1900}, 4.0},
                            Record{3001, 70.0, {411, 2000}, 9.0}}) {
        const Mechanism m = particle(fmt::format("-{}*(x - h(t))\nstart x = 0.3", r.pull),
                                     bumps(r.rows, r.end, r.at));
        const Motion motion = run_to(m, r.end);
        const Motion other = run_well(m, {.end = r.end, .tolerance = 1e-12, .method = "dopri5"});
        EXPECT_NEAR(last(motion, "x"), last(other, "x"), 3e-6) << r.rows << " " << r.end;
        EXPECT_LE(motion.summary.steps, 8 * r.rows);
    }
}

}  // namespace
}  // namespace lacon::motions
