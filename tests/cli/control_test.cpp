// Models with controls: `lacon control`, and what the other commands do with them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "picture/plot.hpp"
#include "program.hpp"
#include "table/table.hpp"

namespace lacon {
namespace {

/// A mass on a spring that is to move as sin(t): E'' + 4 E' + 4 E = 0 for the error E = x - sin(t),
/// and on sin(t) itself the effort is (k - m) sin(t). It starts with E = 0.5, E' = -1, and so E =
/// 0.5 exp(-2 t).
const std::string driven = R"(model "Driven mass"
param m = 2, k = 3
coord x
particle bob at (x, 0) mass m
potential k/2*x^2
control track: x = sin(t) by motor = x gain 4 4
start x = 0.5, x' = 0
simulate 0..2 every 0.01 tolerance 1e-12
)";

std::vector<double> column(const Table& table, const std::string& name) {
    const auto& names = table.info.names;
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::vector<double>{}
                                : table.columns[static_cast<std::size_t>(found - names.begin())];
}

Table table_of(const Folder& folder, const std::string& file) {
    return read_table((folder.path() / file).string());
}

TEST(ControlEval, GivesEffortsForcesAndErrors) {
    const Folder folder;
    folder.write("d.lac", driven);
    const Finished done = folder.run("eval d.lac --json");
    ASSERT_EQ(done.status, 0) << done.err;
    const auto json = done.json();
    // x'' = -4 E' - 4 E = 2; m x'' + k x = 5.5.
    EXPECT_NEAR(json["control_force"][0], 5.5, 1e-13);
    EXPECT_NEAR(json["efforts"]["motor"], 5.5, 1e-13);
    EXPECT_EQ(json["constraint_force"], (nlohmann::json{0.0}));
    EXPECT_NEAR(json["acceleration"][0], 2.0, 1e-13);
    EXPECT_NEAR(json["Q"][0], -1.5, 1e-13) << "without the effort";
    ASSERT_EQ(json["controls"].size(), 1u);
    const auto control = json["controls"][0];
    EXPECT_EQ(control["name"], "track");
    EXPECT_NEAR(control["cost"], 5.5 * 5.5 / 2, 1e-12) << "Gauss's measure";
    EXPECT_EQ(control["power"], 0.0);
    ASSERT_EQ(control["rows"].size(), 1u);
    EXPECT_EQ(control["rows"][0]["kind"], "position");
    EXPECT_EQ(control["rows"][0]["error"], 0.5);
    EXPECT_EQ(control["rows"][0]["velocity_error"], -1.0);
    EXPECT_EQ(control["rows"][0]["missed"], 0.0);
    EXPECT_FALSE(control["rows"][0]["redundant"]);
    EXPECT_EQ(control["efforts"][0]["actuator"], "motor");
    EXPECT_NEAR(control["efforts"][0]["value"], 5.5, 1e-13);
}

TEST(ControlEval, SaysItInWords) {
    const Folder folder;
    folder.write("d.lac", driven);
    const Finished done = folder.run("eval d.lac");
    for (const char* part :
         {"control force\n",
          "required              level          error         error'         missed",
          "track              position            0.5             -1              0",
          "actuator             effort\n", "motor                   5.5\n",
          "control 'track': power 0, cost 15.125\n"})
        EXPECT_NE(done.out.find(part), std::string::npos) << part << '\n' << done.out;
}

TEST(ControlCommand, WritesTheEffortsOfTheMotionThatIsRequired) {
    const Folder folder;
    folder.write("d.lac", driven);
    const Finished done = folder.run("control d.lac --json --out e.csv");
    ASSERT_EQ(done.status, 0) << done.err;
    const auto json = done.json();
    EXPECT_EQ(json["status"], "ok");
    EXPECT_EQ(json["rows"], 201);
    EXPECT_NEAR(json["actuators"][0]["most"], 1.0, 1e-4) << "sin(t) on a grid of 0.01";
    EXPECT_NEAR(json["actuators"][0]["most_t"], std::numbers::pi / 2, 0.005);
    EXPECT_LT(json["controls"][0]["error_most"], 1e-10);
    EXPECT_TRUE(json["unreachable"].empty());
    const Table table = table_of(folder, "e.csv");
    const auto t = column(table, "t"), x = column(table, "x"), v = column(table, "x'"),
               u = column(table, "effort.motor");
    ASSERT_EQ(u.size(), 201u);
    for (std::size_t i = 0; i < t.size(); ++i) {
        EXPECT_NEAR(x[i], std::sin(t[i]), 1e-12);
        EXPECT_NEAR(v[i], std::cos(t[i]), 1e-12);
        EXPECT_NEAR(u[i], std::sin(t[i]), 1e-10) << t[i];
    }
}

/// x = 0.3 sin(t) of a bob on a rod of length 1: with x = sin(a), u cos(a) = a'' + g sin(a).
TEST(ControlCommand, FindsTheStateTogetherWithTheConstraints) {
    const Folder folder;
    folder.write("p.lac", R"(model "Pushed pendulum"
coord x, y
particle bob at (x, y) mass 1
gravity (0, -9.81)
constraint rod: norm(bob) = 1
control swing: x = 0.3*sin(t) by x
start x = 0.2, y ~ -1
simulate 0..6 every 0.1
)");
    ASSERT_EQ(folder.run("control p.lac --quiet --out e.h5").status, 0);
    const Table table = table_of(folder, "e.h5");
    const auto t = column(table, "t"), y = column(table, "y"), u = column(table, "effort.x");
    ASSERT_EQ(t.size(), 61u);
    for (std::size_t i = 0; i < t.size(); ++i) {
        const double s = 0.3 * std::sin(t[i]), a = std::asin(s),
                     rate = 0.3 * std::cos(t[i]) / std::cos(a);
        const double bend = (-s + s * rate * rate) / std::cos(a);
        EXPECT_NEAR(y[i], -std::cos(a), 1e-11);
        EXPECT_NEAR(u[i], (bend + 9.81 * s) / std::cos(a), 1e-8) << t[i];
    }
}

TEST(ControlCommand, NamesWhatIsLeftFree) {
    const Folder folder;
    const std::string mass = "coord x, y, z\nparticle bob at (x, y, z) mass 1\nsimulate 0..1\n";
    folder.write("free.lac", mass + "constraint flat: z = 0\ncontrol go: x = t\n");
    const Finished done = folder.run("control free.lac --json --out e.csv");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.json()["status"], "undetermined");
    EXPECT_EQ(done.json()["free"], (nlohmann::json{"y"}));
    EXPECT_NE(done.err.find("'lacon run' integrates the free coordinates"), std::string::npos)
        << done.err;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "e.csv"));

    folder.write("speed.lac",
                 mass + "control go: x' = 1\ncontrol push: y'' = 1\ncontrol keep: z >= 0\n");
    const Finished speed = folder.run("control speed.lac");
    EXPECT_EQ(speed.status, 1);
    for (const char* part :
         {"'go' is at velocity level and cannot determine positions",
          "'push' is at acceleration level and cannot determine positions", "'keep' is one-sided"})
        EXPECT_NE(speed.out.find(part), std::string::npos) << part << '\n' << speed.out;
}

TEST(ControlCommand, RefusesARedundantArm) {
    const Folder folder;
    folder.write("arm.lac", R"(coord a, b, c
let tip = (cos(a) + cos(b) + cos(c), sin(a) + sin(b) + sin(c))
kinetic (a'^2 + b'^2 + c'^2)/2
control trace: tip = (2 + 0.1*sin(t), 0.2)
start a ~ 0.5, b ~ 0.1, c ~ -0.4
simulate 0..1
)");
    const Finished done = folder.run("control arm.lac --json");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.json()["free"], (nlohmann::json{"a", "b", "c"}));
}

TEST(ControlCommand, TakesTheStatesOfARun) {
    const Folder folder;
    folder.write("d.lac", driven);
    ASSERT_EQ(folder.run("run d.lac --quiet --out r.csv").status, 0);
    ASSERT_EQ(folder.run("control d.lac --quiet --along r.csv --t 0.5..1 --out e.csv").status, 0);
    const Table table = table_of(folder, "e.csv");
    const auto t = column(table, "t"), u = column(table, "effort.motor");
    ASSERT_EQ(t.size(), 51u);
    for (std::size_t i = 0; i < t.size(); ++i) {
        // m x'' + k x with x = sin(t) + 0.5 exp(-2 t)
        EXPECT_NEAR(u[i], std::sin(t[i]) + (4 * 2 + 3) * 0.5 * std::exp(-2 * t[i]), 1e-8);
    }
    folder.write("bad.csv", "t,x\n0,1\n1,1\n");
    const Finished bad = folder.run("control d.lac --along bad.csv");
    EXPECT_EQ(bad.status, 2);
    EXPECT_NE(bad.err.find("'bad.csv' has no column 'x''"), std::string::npos) << bad.err;
}

TEST(ControlCommand, NeedsControls) {
    const Folder folder;
    folder.write("n.lac", "coord x\nkinetic x'^2/2\nsimulate 0..1\n");
    const Finished done = folder.run("control n.lac");
    EXPECT_EQ(done.status, 2);
    EXPECT_NE(done.err.find("the model has no 'control' statement"), std::string::npos) << done.err;
}

TEST(ControlRun, ReportsWhatItTook) {
    const Folder folder;
    folder.write("d.lac", driven);
    const Finished done = folder.run("run d.lac --json --out r.csv");
    ASSERT_EQ(done.status, 0) << done.err;
    const auto control = done.json()["controls"][0];
    EXPECT_EQ(control["name"], "track");
    EXPECT_NEAR(control["force_most"], 5.5, 1e-9);
    EXPECT_EQ(control["force_most_t"], 0.0);
    EXPECT_EQ(control["error_first"], 0.5);
    EXPECT_NEAR(control["error_last"], 0.5 * std::exp(-4.0), 1e-9);
    EXPECT_EQ(control["error_most"], 0.5);
    EXPECT_EQ(control["missed_most"], 0.0);
    // Work: the change of m x'^2/2 + k x^2/2.
    const double x = std::sin(2.0) + 0.5 * std::exp(-4.0), v = std::cos(2.0) - std::exp(-4.0);
    EXPECT_NEAR(control["work"], v * v + 1.5 * x * x - 1.5 * 0.25, 1e-5);
    const Table table = table_of(folder, "r.csv");
    EXPECT_EQ(table.info.names,
              (std::vector<std::string>{"t", "x", "x'", "track.force", "track.power", "track.error",
                                        "effort.motor", "track.effort"}));
    const Finished words = folder.run("run d.lac");
    EXPECT_NE(words.out.find("  control     'track': largest force 5.5 (t = 0), work "),
              std::string::npos)
        << words.out;
    EXPECT_NE(words.out.find("error 0.5 initially, 0.00916 finally, largest 0.5 (t = 0)\n"),
              std::string::npos)
        << words.out;
}

/// The controller believes m = 2 where it is 2.5: E'' + 3.2 E' + 3.2 E = 0.2 sin(t), whose forced
/// part stays.
TEST(ControlRun, APlantThatIsNotAsBelievedIsMissed) {
    const Folder folder;
    folder.write("d.lac", driven);
    const Finished done = folder.run("run d.lac --plant m=2.5 --t 0..20 --json");
    ASSERT_EQ(done.status, 0) << done.err;
    const auto json = done.json();
    const double forced =
        0.2 * (2.2 * std::sin(20.0) - 3.2 * std::cos(20.0)) / (2.2 * 2.2 + 3.2 * 3.2);
    EXPECT_NEAR(json["controls"][0]["error_last"], std::abs(forced), 1e-9);
    EXPECT_EQ(json["plant"], (nlohmann::json{"m=2.5"}));
}

/// Nothing is fed back: m E'' + k E = 0.
TEST(ControlRun, ReplaysEffortsWithoutFeedback) {
    const Folder folder;
    folder.write("d.lac", driven);
    ASSERT_EQ(folder.run("control d.lac --quiet --every 0.005 --out e.json").status, 0);
    const Finished done = folder.run("run d.lac --feedforward e.json --json");
    ASSERT_EQ(done.status, 0) << done.err;
    const double w = std::sqrt(1.5), E = 0.5 * std::cos(2 * w) - std::sin(2 * w) / w;
    EXPECT_NEAR(done.json()["final"]["q"][0], std::sin(2.0) + E, 1e-7)
        << "a spline between rows 0.005 apart";
    EXPECT_EQ(done.json()["feedforward"], "e.json");
}

TEST(ControlRun, RefusesWhatCannotBeReplayed) {
    const Folder folder;
    folder.write("d.lac", driven);
    folder.write("n.lac", "coord x\nkinetic x'^2/2\nsimulate 0..1\n");
    folder.write("short.csv", "t,effort.motor\n0,1\n1,1\n");
    folder.write("none.csv", "t,effort.moter\n0,1\n2,1\n");
    folder.write("back.csv", "t,effort.motor\n0,1\n2,1\n1,1\n");
    folder.write("hole.csv", "t,effort.motor\n0,1\n1,nan\n2,1\n");
    for (const auto& [arguments, message] : std::vector<std::pair<std::string, std::string>>{
             {"d.lac --feedforward short.csv",
              "'short.csv' covers t = 0 to 1, but the run goes from 0 to 2"},
             {"d.lac --feedforward none.csv",
              "there is no column 'effort.motor'; the columns are 't' and 'effort.moter'"},
             {"d.lac --feedforward back.csv", "the times do not increase: row 3 has t = 1 after 2"},
             {"d.lac --feedforward hole.csv",
              "'effort.motor' has no finite value in row 2 (t = 1)"},
             {"d.lac --feedforward absent.csv", "absent.csv"},
             {"n.lac --feedforward short.csv",
              "the model has no controls, so there are no efforts to replay"},
             {"n.lac --plant m=2", "the model has no controls"},
             {"d.lac --plant mm=2", "there is no parameter 'mm'; did you mean 'm'?"},
             {"d.lac --plant m", "'m' is not of the form p=v"}}) {
        const Finished done = folder.run("run " + arguments + " --out o.csv");
        EXPECT_EQ(done.status, 2) << arguments;
        EXPECT_NE(done.err.find(message), std::string::npos) << done.err;
        EXPECT_FALSE(std::filesystem::exists(folder.path() / "o.csv"));
    }
}

/// From rest at 0 to 1 with at most 0.5: x = t²/4 until the effort asked for, 1 - t - t²/4, is 0.5.
TEST(ControlRun, TellsWhereAnActuatorIsAtItsLimit) {
    const Folder folder;
    folder.write("s.lac",
                 "coord x\nkinetic x'^2/2\ncontrol go: x = 1 by motor = x gain 2 1 limit "
                 "-0.5..0.5\nsimulate 0..4 every 0.01\n");
    const Finished done = folder.run("run s.lac --json");
    ASSERT_EQ(done.status, 0) << done.err;
    std::vector<nlohmann::json> events;
    const nlohmann::json result = done.json();
    for (const auto& e : result["events"])
        if (e["kind"] == "saturation") events.push_back(e);
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back()["actuator"], "motor");
    EXPECT_EQ(events.back()["limit"], "free");
    EXPECT_NEAR(events.back()["t"], std::sqrt(6.0) - 2.0, 1e-8);
    EXPECT_NE(folder.run("run s.lac").out.find("saturation: 'motor' leaves its limit"),
              std::string::npos);
}

const std::string unreachable =
    "coord x, y\nkinetic (x'^2 + y'^2)/2\ncontrol rise: (x, y) = (0, t^2) by x\nsimulate 0..1\n";

TEST(ControlRun, EndsWhereNoEffortWorks) {
    const Folder folder;
    folder.write("u.lac", unreachable);
    const Finished run = folder.run("run u.lac --json");
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.json()["status"], "unreachable");
    EXPECT_NE(run.err.find("rise.y"), std::string::npos) << run.err;
    const Finished control = folder.run("control u.lac --json --every 0.1");
    EXPECT_EQ(control.status, 1);
    EXPECT_EQ(control.json()["status"], "unreachable");
    EXPECT_EQ(control.json()["unreachable"].size(), 11u);
    EXPECT_NEAR(control.json()["controls"][0]["missed_most"], 2.0, 1e-9) << "y'' = 2";
}

TEST(ControlCheck, SaysWhatIsInReach) {
    const Folder folder;
    folder.write("u.lac", unreachable);
    folder.write("d.lac", driven);
    const Finished good = folder.run("check d.lac --json --audit");
    ASSERT_EQ(good.status, 0) << good.err << good.out;
    EXPECT_EQ(good.json()["controls"], 1);
    EXPECT_EQ(good.json()["actuators"], 1);
    EXPECT_EQ(good.json()["reach"][0]["name"], "track");
    EXPECT_EQ(good.json()["reach"][0]["reachable"], true);
    EXPECT_EQ(good.json()["reach"][0]["error"], 0.5);
    EXPECT_NE(
        folder.run("check d.lac")
            .out.find(
                "control      'track': 1 requirement, 1 actuator; reachable; current error 0.5\n"),
        std::string::npos);
    const Finished bad = folder.run("check u.lac --json");
    EXPECT_EQ(bad.status, 1);
    EXPECT_EQ(bad.json()["status"], "unreachable");
    EXPECT_EQ(bad.json()["reach"][0]["reachable"], false);
    EXPECT_EQ(bad.json()["reach"][0]["actuators"], 1);
    EXPECT_EQ(bad.json()["reach"][0]["redundant"], nlohmann::json::array());
    EXPECT_NEAR(bad.json()["reach"][0]["missed"], 2.0, 1e-12);
    EXPECT_EQ(bad.json()["reach"][0]["missed_rows"], (nlohmann::json{"rise.y"}));
}

TEST(ControlExplain, ShowsWhatIsRequiredAndWhatActs) {
    const Folder folder;
    folder.write("d.lac", driven);
    const Finished done = folder.run("explain d.lac");
    for (const char* part : {"M q'' = Q + F u", "m*x'' = u[motor] - k*x", "track (position level)",
                             "x - sin(t) = 0", "'track' acts by 'motor'", "Gauss's measure"})
        EXPECT_NE(done.out.find(part), std::string::npos) << part << '\n' << done.out;
    const auto json = folder.run("explain d.lac --json").json();
    EXPECT_EQ(json["F"], (nlohmann::json{{"1"}}));
    EXPECT_EQ(json["C"], (nlohmann::json{{"1"}}));
    EXPECT_EQ(json["actuators"], (nlohmann::json{"motor"}));
    EXPECT_EQ(json["controls"][0]["rows"][0]["damping"], "4");
    EXPECT_NE(folder.run("explain d.lac --latex").out.find("\\begin{align*}"), std::string::npos);
}

TEST(ControlExists, IsRefusedWithAReason) {
    const Folder folder;
    folder.write("d.lac", driven);
    const Finished done = folder.run("exists d.lac --json");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.json()["status"], "unproven");
    EXPECT_NE(done.err.find("control efforts"), std::string::npos) << done.err;
}

TEST(ControlPlot, ShowsEffortsAndErrorsBesideTheCoordinates) {
    if (!can_plot()) GTEST_SKIP() << "gnuplot is not installed";
    const Folder folder;
    folder.write("d.lac", driven);
    ASSERT_EQ(folder.run("run d.lac --t 0..8 --quiet --plot p.svg --out p.json").status, 0);
    const std::string picture = file_text(folder.path() / "p.svg");
    for (const char* label : {"effort.motor: eff", "track.error: trac", "x: coordinate"})
        EXPECT_NE(picture.find("<text>" + std::string(label)), std::string::npos) << label;
    EXPECT_NE(picture.find("<text>1e-07</text>"), std::string::npos)
        << "a tick of the logarithmic axis";
    EXPECT_EQ(folder.run("plot p.json --json").json()["columns"],
              (nlohmann::json{"x", "effort.motor", "track.error"}));
    ASSERT_EQ(folder.run("control d.lac --quiet --plot c.svg").status, 0);
    EXPECT_NE(file_text(folder.path() / "c.svg").find("effort.motor"), std::string::npos);
}

TEST(ControlRun, GoesOnToTheSameBytesWithItsPlant) {
    const Folder folder;
    folder.write("d.lac", driven);
    const std::string plant = " --plant m=2.5";
    ASSERT_EQ(folder.run_and_signal("run d.lac --method dop853 --t-end 1e6 --quiet --force --out "
                                    "p.csv --checkpoint c.ckpt" +
                                        plant,
                                    SIGTERM, "c.ckpt"),
              130);
    const double reached =
        nlohmann::json::parse(file_text(folder.path() / "c.ckpt"))["snapshot"]["time"][0];
    const std::string end = std::to_string(std::floor(reached) + 3.0);
    EXPECT_EQ(
        folder.run("run d.lac --resume c.ckpt --plant m=2.25").err,
        "--plant: the checkpoint has m = 2.5, not m = 2.25; a resumed run keeps its options\n");
    EXPECT_EQ(folder.run("run d.lac --resume c.ckpt --feedforward p.csv").status, 2);
    const Finished resumed =
        folder.run("run d.lac --resume c.ckpt --json --quiet --plant m=5/2 --t-end " + end);
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    const Finished whole = folder.run(
        "run d.lac --method dop853 --json --quiet --out whole.csv --t-end " + end + plant);
    ASSERT_EQ(whole.status, 0) << whole.err;
    EXPECT_TRUE(file_text(folder.path() / "p.csv") == file_text(folder.path() / "whole.csv"));
    EXPECT_TRUE(resumed.json()["controls"] == whole.json()["controls"]);
    EXPECT_EQ(resumed.json()["plant"], (nlohmann::json{"m=2.5"}));
}

TEST(ControlRun, GoesOnToTheSameBytesAmidSaturations) {
    const Folder folder;
    folder.write("s.lac",
                 "coord x\nkinetic x'^2/2\ncontrol go: x = 2*sin(t) by motor = x gain 4 4 limit "
                 "-1.5..1.5\nsimulate 0..1 every 0.1\n");
    const std::string begin = "run s.lac --method dop853 --quiet ";
    ASSERT_EQ(folder.run_and_signal(begin + "--t-end 1e6 --force --out p.csv --checkpoint c.ckpt",
                                    SIGTERM, "c.ckpt"),
              130);
    const double reached =
        nlohmann::json::parse(file_text(folder.path() / "c.ckpt"))["snapshot"]["time"][0];
    const std::string end = std::to_string(std::floor(reached) + 20.0);
    const Finished resumed = folder.run("run s.lac --resume c.ckpt --json --quiet --t-end " + end);
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    const Finished whole = folder.run(begin + "--json --out whole.csv --t-end " + end);
    EXPECT_TRUE(file_text(folder.path() / "p.csv") == file_text(folder.path() / "whole.csv"));
    EXPECT_EQ(resumed.json()["events"], whole.json()["events"]);
    EXPECT_GT(whole.json()["events"].size(), 4u);
}

TEST(ControlRun, ResumesWithTheEffortsItBeganWithOnly) {
    const Folder folder;
    folder.write("d.lac", driven);
    const std::string zeros = "t,effort.motor\n0,0\n1e7,0\n", ones = "t,effort.motor\n0,1\n1e7,1\n";
    folder.write("f.csv", zeros);
    ASSERT_EQ(folder.run_and_signal(
                  "run d.lac --t-end 1e6 --quiet --every 1 --checkpoint c.ckpt --feedforward f.csv",
                  SIGTERM, "c.ckpt"),
              130);
    folder.write("f.csv", ones);
    const Finished other = folder.run("run d.lac --resume c.ckpt");
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.err.find("'f.csv' is not the feedforward file of the original run"),
              std::string::npos)
        << other.err;
}

}  // namespace
}  // namespace lacon
