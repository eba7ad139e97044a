/// What is done with measured signals elsewhere than in a plain run: long records, events, many
/// motions at once, proofs.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "data/signal_file.hpp"
#include "expr/curve.hpp"
#include "lacon/ensemble.hpp"
#include "lacon/exists.hpp"
#include "motion/motion_tests.hpp"

namespace lacon::motions {
namespace {

namespace fs = std::filesystem;

class DataRoads : public testing::Test {
protected:
    DataRoads()
        : folder(fs::path(testing::TempDir()) / ("lacon_data_roads_" + std::to_string(getpid()))) {
        fs::create_directories(folder);
        std::ofstream(folder / "zigzag.csv") << "t,a\n0,0\n1,1\n2,0\n3,1\n";
    }
    ~DataRoads() override { fs::remove_all(folder); }
    Mechanism mechanism(const std::string& text) const {
        return Mechanism::parse(text, (folder / "m.lac").string());
    }

    fs::path folder;
};

/// Of x'' = f(t), x = x' = 0 at the first knot: x and x' at the last one, piece by piece.
std::pair<double, double> integrals(const Curve& f, const std::vector<double>& knots) {
    long double x = 0.0L, v = 0.0L;
    for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
        const long double h = static_cast<long double>(knots[i + 1]) - knots[i];
        long double power = h, dx = v * h, dv = 0.0L, factorial = 1.0L;
        for (unsigned k = 0; k <= Curve::degree;
             ++k) {  // f^(k) h^(k+1) / (k+1)! and f^(k) h^(k+2) / (k+2)!
            factorial *= k + 1;
            dv += f.at(k, knots[i]) * power / factorial;
            dx += f.at(k, knots[i]) * power * h / (factorial * (k + 2));
            power *= h;
        }
        x += dx;
        v += dv;
    }
    return {near(x), near(v)};
}

TEST_F(DataRoads, AThousandKnotsIntegrateToTheExactIntegral) {
    const fs::path models = fs::path(LACON_SOURCE_DIR) / "models/control";
    const Signal signal = read_signal({models, "ground.csv"});
    ASSERT_EQ(signal.x.size(), 1001u);
    const Curve ground("ground", signal.x, signal.y, Curve::Form::natural, Curve::Beyond::refuse);
    const auto [x, v] = integrals(ground, signal.x);
    EXPECT_LT(std::abs(v), 1e-4) << "the ground comes to rest";
    EXPECT_LT(std::abs(x), 1e-4) << "where it was";
    const Mechanism m = Mechanism::parse(
        "data ground = \"ground.csv\" column \"acceleration\"\ncoord x\nkinetic x'^2/2\nforce x = "
        "ground(t)\nstart x = 0, x' = "
        "0\n",
        (models / "m.lac").string());
    for (const char* method : {"dop853", "taylor"}) {
        RunOptions options;
        options.end = 20.0;
        options.every = 1.0;
        options.method = method;
        options.tolerance = 1e-13;
        const Motion motion = run_well(m, options);
        EXPECT_NEAR(last(motion, "x"), x, 1e-12) << method;
        EXPECT_NEAR(last(motion, "x'"), v, 1e-12) << method;
        EXPECT_EQ(motion.summary.code.tier, "interpreter");
        EXPECT_NE(motion.summary.code.why.find("data 'ground' is not compiled"), std::string::npos)
            << motion.summary.code.why;
    }
}

TEST_F(DataRoads, EventsSeeSignals) {
    const Mechanism m = mechanism(
        "data g = \"zigzag.csv\"\ncoord x\nkinetic x'^2/2\nevent half: g(t) = 0.5\nstart x = 0, x' "
        "= 1\n");
    RunOptions options;
    options.end = 3.0;
    const std::vector<double> times = event_times(run_well(m, options), "event", "half");
    ASSERT_EQ(times.size(), 3u);
    EXPECT_NEAR(5.0 / 3.0 * times[0] - 2.0 / 3.0 * std::pow(times[0], 3), 0.5, 1e-12);
    EXPECT_NEAR(times[1], 1.5, 1e-12);
    EXPECT_NEAR(times[2], 3.0 - times[0], 1e-12) << "the signal is odd about (3/2, 1/2)";
}

TEST_F(DataRoads, ManyMotionsAreInterpretedAndSayWhy) {
    const Mechanism m = mechanism(
        "data g = \"zigzag.csv\"\ncoord x\nkinetic x'^2/2\nforce x = g(t)\nstart x = 0, x' = 0\n");
    std::vector<Member> members(3, Member{m});
    for (std::size_t i = 0; i < members.size(); ++i)
        members[i].guess = State{0.0, {static_cast<double>(i)}, {0.0}};
    for (const char* method : {"dop853", "taylor"}) {
        const EnsembleMotion all =
            run_ensemble(members, {.end = 3.0, .tolerance = 1e-13, .method = method, .threads = 1});
        EXPECT_EQ(all.code.why, "data 'g' is not compiled") << method;
        for (std::size_t i = 0; i < members.size(); ++i) {
            ASSERT_TRUE(all.members[i].status) << all.members[i].status.message;
            EXPECT_NEAR(all.members[i].final.q[0], static_cast<double>(i) + 2.5, 1e-12) << method;
        }
    }
}

TEST_F(DataRoads, NothingIsProvenOfData) {
    const Mechanism m = mechanism(
        "data g = \"zigzag.csv\"\ncoord x\nkinetic x'^2/2\nforce x = g(t)\nstart x = 0, x' = 0\n");
    const Status status = exists(m).status;
    EXPECT_EQ(status.outcome, Outcome::unproven);
    EXPECT_EQ(status.message,
              "could not prove that the motion exists: the equations contain data, whose pieces "
              "the proofs do not cover");
}

TEST_F(DataRoads, AMovingArgumentIsLeftToRungeKuttaWithAReason) {
    const Mechanism m = mechanism(
        "data g = \"zigzag.csv\" beyond hold\ncoord x\nkinetic x'^2/2\nforce x = g(x + t)\n");
    for (const char* method : {"auto", "taylor"}) {
        RunOptions options;
        options.end = 2.0;
        options.method = method;
        const Motion motion = run_well(m, options);
        EXPECT_EQ(motion.summary.method, "dop853");
        EXPECT_EQ(motion.summary.why,
                  "data 'g' has a moving argument, so the series cannot see its breakpoints");
    }
}

}  // namespace
}  // namespace lacon::motions
