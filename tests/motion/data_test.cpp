/// Motions driven by measured signals, against integrals of the splines worked out by hand.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "motion/motion_tests.hpp"

namespace lacon::motions {
namespace {

namespace fs = std::filesystem;

/// The natural spline through (0, 0), (1, 1), (2, 0), (3, 1) has the curvatures 0, −4, 4, 0; its
/// pieces are
///   5/3 u − 2/3 u³,   1 − u/3 − 2 u² + 4/3 u³,   −u/3 + 2 u² − 2/3 u³.
class DataMotion : public testing::Test {
protected:
    DataMotion()
        : folder(fs::path(testing::TempDir()) / ("lacon_data_motion_" + std::to_string(getpid()))) {
        fs::create_directories(folder);
        std::ofstream(folder / "zigzag.csv") << "t,a\n0,0\n1,1\n2,0\n3,1\n";
        std::ofstream(folder / "wave.csv") << "0,0\n1,1\n3,-1\n4,0\n";
    }
    ~DataMotion() override { fs::remove_all(folder); }
    Mechanism mechanism(const std::string& text) const {
        return Mechanism::parse(text, (folder / "m.lac").string());
    }
    static RunOptions until(double end, const std::string& method) {
        RunOptions options;
        options.end = end;
        options.method = method;
        options.tolerance = 1e-13;
        return options;
    }
    fs::path folder;
};

TEST_F(DataMotion, ForceBySplineIntegratesToItsDoubleIntegral) {
    const Mechanism m = mechanism(
        "data g = \"zigzag.csv\"\ncoord x\nkinetic x'^2/2\nforce x = g(t)\nstart x = 0, x' = 0\n");
    for (const char* method : {"taylor", "dop853", "dopri5", "gauss"}) {
        const Motion motion = run_well(m, until(3.0, method));
        EXPECT_NEAR(last(motion, "x"), 2.5, 1e-12) << method;
        EXPECT_NEAR(last(motion, "x'"), 1.5, 1e-12) << method;
    }
}

TEST_F(DataMotion, ShiftedAndReversedArgumentsMeetTheirKnotsToo) {
    const Mechanism shifted = mechanism(
        "param t0 = 0.3\ndata g = \"zigzag.csv\" beyond hold\ncoord x\nkinetic x'^2/2\nforce x = "
        "g(t - t0)\nstart x = 0, x' = "
        "0\n");
    const Mechanism reversed = mechanism(
        "data g = \"zigzag.csv\"\ncoord x\nkinetic x'^2/2\nforce x = g(3 - t)\nstart x = 0, x' = "
        "0\n");
    for (const char* method : {"taylor", "dop853"}) {
        EXPECT_NEAR(last(run_well(shifted, until(3.3, method)), "x"), 2.5, 1e-12) << method;
        // ∫ s g(s) ds = 3 · 1.5 − 2.5
        EXPECT_NEAR(last(run_well(reversed, until(3.0, method)), "x"), 2.0, 1e-12) << method;
    }
}

TEST_F(DataMotion, ConstraintFollowsASignalWhoseSecondDerivativeJumps) {
    for (const std::string form : {"natural", "monotone"}) {
        const Mechanism m = mechanism("data g = \"zigzag.csv\" " + form +
                                      "\ncoord x\nkinetic x'^2/2\nconstraint c: x = g(t)\nsimulate "
                                      "0..3\noutput want = g(t)\n");
        for (const char* method : {"taylor", "dop853"}) {
            const Motion motion = run_well(m, until(3.0, method));
            const auto& x = motion.column("x");
            const auto& want = motion.column("want");
            for (std::size_t i = 0; i < x.size(); ++i)
                EXPECT_NEAR(x[i], want[i], 1e-12) << form << " " << method;
        }
    }
}

TEST_F(DataMotion, RepeatedSignalOfMeanZeroGivesTheSameSpeedEveryPeriod) {
    const Mechanism m = mechanism(
        "data g = \"wave.csv\" beyond repeat\ncoord x\nkinetic x'^2/2\nforce x = g(t)\nstart x = "
        "0, x' = 0\n");
    RunOptions options = until(12.0, "taylor");
    options.every = 4.0;
    const Motion motion = run_well(m, options);
    for (const double v : motion.column("x'"))
        EXPECT_NEAR(v, 0.0, 1e-12);  // the wave is odd about its middle
}

TEST_F(DataMotion, RunBeyondTheDataEndsWhereItEnds) {
    const Mechanism m =
        mechanism("data ground = \"zigzag.csv\"\ncoord x\nkinetic x'^2/2\nforce x = ground(t)\n");
    for (const char* method : {"taylor", "dop853"}) {
        const Motion motion = run(m, until(5.0, method));
        EXPECT_EQ(motion.status.outcome, Outcome::undefined);
        EXPECT_EQ(motion.status.message,
                  "data 'ground' has no value after t = 3: it goes from 0 to 3");
        EXPECT_NEAR(motion.summary.final.q[0], 2.5, 1e-12) << method;
    }
    State state{5.0, {0.0}, {0.0}};
    EXPECT_EQ(m.evaluate(state).status.message,
              "data 'ground' has no value at 5: it goes from 0 to 3");
}

TEST_F(DataMotion, ForceByDisplacementIsNotForSeriesAndConservesEnergy) {
    std::ofstream(folder / "spring.csv") << "-2,4\n-1,1\n0,0\n1,1\n2,4\n";
    const Mechanism m = mechanism(
        "data V = \"spring.csv\"\ncoord x\nkinetic x'^2/2\npotential V(x)\nstart x = 1.5, x' = "
        "0\n");
    const Motion motion = run_well(m, until(10.0, "auto"));
    EXPECT_EQ(motion.summary.method, "dop853");
    EXPECT_LT(energy_error(motion), 1e-9);
}

TEST_F(DataMotion, LeavingDataThatIsTakenAtWhatMovesIsToldAsTheEndOfTheData) {
    const struct {
        const char *potential, *start, *end;
        double x;  // where the data ends
    } cases[] = {{"V(x)", "x = 1, x' = 3", "3", 3.0},
                 {"V(x)", "x = 1, x' = -3", "0", 0.0},
                 {"0.3*V(2*x + 1)", "x = 0.2, x' = 1.5", "3", 1.0},
                 {"-V(x)", "x = 2.5, x' = 0.4", "3", 3.0}};
    for (const auto& of : cases)
        for (const char* method : {"auto", "dopri5"}) {
            const Mechanism m = mechanism(std::string("data V = \"zigzag.csv\"\ncoord x\nkinetic "
                                                      "x'^2/2\npotential ") +
                                          of.potential + "\nstart " + of.start + "\n");
            const Motion motion = run(m, until(20.0, method));
            EXPECT_EQ(motion.status.outcome, Outcome::undefined) << method;
            EXPECT_TRUE(motion.status.message.ends_with(
                std::string("data 'V' has no value beyond ") + of.end + ": it goes from 0 to 3"))
                << method << ": " << motion.status.message;
            EXPECT_NEAR(motion.summary.final.q[0], of.x, 1e-6);
        }
}

}  // namespace
}  // namespace lacon::motions
