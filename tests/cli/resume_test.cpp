// Options that are given again to a run that goes on: equal ones are taken, however they are
// spelled; others are refused.

#include <gtest/gtest.h>

#include "program.hpp"
#include "table/table.hpp"

namespace lacon {
namespace {

const std::string long_pendulum =
    "param L = 2, g = 9.81, k = 2*L\ncoord x, y\nparticle bob at (x, y) mass 1\ngravity (0, -g)\n"
    "constraint rod: x^2 + y^2 = L^2\nstart x = L, y ~ 0\noutput energy\nsimulate 0..1e6 every "
    "0.1\n";

class Resumed : public ::testing::Test {
protected:
    void begin(const std::string& options) {
        folder_.write("p.lac", long_pendulum);
        ASSERT_EQ(folder_.run_and_signal("run p.lac --quiet --force --checkpoint c.ckpt " + options,
                                         SIGTERM, "c.ckpt"),
                  130);
        const double reached =
            nlohmann::json::parse(file_text(folder_.path() / "c.ckpt"))["snapshot"]["time"][0];
        end_ = " --t-end " + std::to_string(std::floor(reached) + 2.0) + " ";
    }
    void takes(const std::string& options) {
        const Finished done = folder_.run("run p.lac --resume c.ckpt --quiet" + end_ + options);
        EXPECT_EQ(done.status, 0) << options << "\n" << done.err;
    }
    void refuses(const std::string& options, const std::string& message) {
        const Finished done = folder_.run("run p.lac --resume c.ckpt --quiet" + end_ + options);
        EXPECT_EQ(done.status, 2) << options;
        EXPECT_EQ(done.err, message + "\n") << options;
    }
    Folder folder_;
    std::string end_;
};

TEST_F(Resumed, EqualOptionsAreTakenHoweverTheyAreSpelled) {
    begin(
        "--set L=3 --tol 1e-9 --method dop853 --every 0.5 --start \"x=3, y'=0.25\" --stabilize "
        "baumgarte:5 --rank-tol 1e-9 "
        "--diagnose --out p.csv --columns \"x, energy\"");
    takes("");
    takes("--tol 0.000000001 --every 1/2 --method dop853");
    takes("--set L=3.0 --set g=9.81 --set k=6");
    takes("--start x=6/2 --start \"y'=1/4\" --t 0..1e5");
    takes(
        "--stabilize baumgarte:5.0 --rank-tol 0.000000001 --diagnose --on-singular stop --solver "
        "auto");
    takes("--out ./p.csv --columns energy --columns x --checkpoint c.ckpt");
}

TEST_F(Resumed, OtherValuesAreRefusedWithBoth) {
    begin("--set L=3 --tol 1e-9 --start x=3 --out p.csv --columns \"x, energy\"");
    refuses("--tol 1e-8",
            "--tol: the checkpoint has 1e-09, not 1e-08; a resumed run keeps its options");
    refuses("--every 0.2",
            "--every: the checkpoint has 0.1, not 0.2; a resumed run keeps its options");
    refuses("--method gauss",
            "--method: the checkpoint has 'auto', not 'gauss'; a resumed run keeps its options");
    refuses("--set L=4",
            "--set: the checkpoint has L = 3, not L = 4; a resumed run keeps its options");
    refuses("--set g=9.8",
            "--set: the checkpoint has g = 9.81, not g = 9.8; a resumed run keeps its options");
    refuses("--start x=2",
            "--start: the checkpoint has x = 3, not x = 2; a resumed run keeps its options");
    refuses("--start x~3",
            "--start: the checkpoint has x = 3, not x ~ 3; a resumed run keeps its options");
    refuses("--start \"y'=1\"",
            "--start: the original run did not use y' = 1; a resumed run keeps its options");
    refuses("--stabilize none",
            "--stabilize: the checkpoint has project, not none; a resumed run keeps its options");
    refuses("--rank-tol 1e-8",
            "--rank-tol: the checkpoint has 1e-10, not 1e-08; a resumed run keeps its options");
    refuses(
        "--diagnose",
        "--diagnose: the original run did not use this option; a resumed run keeps its options");
    refuses("--solver dense",
            "--solver: the checkpoint has 'auto', not 'dense'; a resumed run keeps its options");
    refuses("--columns energy",
            "--columns: the checkpoint has the columns x, energy, not energy; a resumed run keeps "
            "its columns");
    refuses("--out q.csv", "--out: the original run wrote to 'p.csv'");
    refuses("--t 1..1e5", "--t: the checkpoint has 0, not 1; a resumed run keeps its options");
    takes("");
}

TEST_F(Resumed, ARunThatWasOverAtOnceGoesOnToALaterEnd) {
    folder_.write("p.lac", long_pendulum);
    ASSERT_EQ(folder_.run("run p.lac --quiet --t-end 2 --out p.csv --checkpoint c.ckpt").status, 0);
    ASSERT_EQ(folder_.run("run p.lac --quiet --t-end 5 --resume c.ckpt").status, 0);
    ASSERT_EQ(folder_.run("run p.lac --quiet --t-end 5 --out whole.csv").status, 0);
    EXPECT_TRUE(file_text(folder_.path() / "p.csv") == file_text(folder_.path() / "whole.csv"));
}

/// Of the version before this one wrote names: a crate slides and is pushed with limited force, a
/// ball falls.
TEST_F(Resumed, ACheckpointOfVersion11GoesOnToTheSameBits) {
    const std::string older = file_text(LACON_SOURCE_DIR "/tests/cli/checkpoint_11.json");
    folder_.write("old.ckpt", older);
    folder_.write("cart.lac", nlohmann::json::parse(older)["source"].get<std::string>());
    const nlohmann::json resumed = folder_.run("run cart.lac --json --resume old.ckpt").json();
    const nlohmann::json whole = folder_.run("run cart.lac --json --target plain").json();
    EXPECT_EQ(resumed["status"], "ok");
    EXPECT_EQ(resumed["final"], whole["final"]);
    EXPECT_EQ(resumed["steps"], whole["steps"]);
}

TEST_F(Resumed, ACheckpointTellsStatesOfContactsFrictionAndControlsByName) {
    const std::string older = file_text(LACON_SOURCE_DIR "/tests/cli/checkpoint_11.json");
    folder_.write("cart.lac", nlohmann::json::parse(older)["source"].get<std::string>());
    ASSERT_EQ(folder_.run("run cart.lac --quiet --t-end 0.1 --checkpoint c.ckpt").status, 0);
    const nlohmann::json saved =
        nlohmann::json::parse(file_text(folder_.path() / "c.ckpt"))["snapshot"];
    EXPECT_EQ(saved["contact"]["contacts"], nlohmann::json::array({"working", "open"}));
    EXPECT_EQ(saved["contact"]["frictions"], nlohmann::json::array({"slips"}));
    EXPECT_EQ(saved["controls"]["requirements"], nlohmann::json::array({"missed"}));
    EXPECT_EQ(saved["controls"]["limits"], nlohmann::json::array({"high"}));
}

}  // namespace
}  // namespace lacon
