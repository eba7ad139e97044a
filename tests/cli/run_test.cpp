// `lacon run`: keys of its JSON, rows, settings, checkpoints and refusals.
#include <gtest/gtest.h>

#include <cmath>

#include "program.hpp"
#include "table/table.hpp"

namespace lacon {
namespace {

const std::string swung =
    "model \"Pendulum\"\nparam m = 1, L = 2, g = 9.81 \"gravity, m/s^2\"\ncoord x, y\nparticle bob "
    "at (x, y) mass m\n"
    "gravity (0, -g)\nconstraint rod: x^2 + y^2 = L^2\nstart x = L, y ~ 0\nsimulate 0..2 every "
    "0.25 tolerance 1e-12\n"
    "output energy, rod.force\n";

TEST(Run, GivesEveryKeyOfTheContract) {
    const Folder folder;
    folder.write("p.lac", swung);
    const Finished done = folder.run("run p.lac --json");
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.err, "");
    const auto json = done.json();
    for (const char* key : {"model", "method", "t", "steps", "evaluations", "factorizations",
                            "wall_seconds", "final", "worst", "events", "rank"})
        EXPECT_TRUE(json.contains(key)) << key;
    EXPECT_EQ(json["model"], "Pendulum");
    EXPECT_EQ(json["method"], "taylor");
    EXPECT_EQ(json["t"], 2.0);
    EXPECT_EQ(json["final"]["t"], 2.0);
    EXPECT_EQ(json["final"]["q"].size(), 2u);
    EXPECT_EQ(json["final"]["v"].size(), 2u);
    EXPECT_LE(json["worst"]["position"], 1e-14);
    EXPECT_LE(json["worst"]["velocity"], 1e-12);
    EXPECT_LE(json["worst"]["energy"], 1e-11);
    EXPECT_EQ(json["rank"], nlohmann::json({{"first", 1}, {"min", 1}, {"max", 1}}));
    EXPECT_EQ(json["events"], nlohmann::json::array());
    EXPECT_FALSE(std::filesystem::exists(folder.path() /
                                         "p.csv"));  // rows go where --out says, and nowhere else
}

TEST(Run, WritesRowsOnTheGridWithNamesAndAllDigits) {
    const Folder folder;
    folder.write("p.lac", swung);
    ASSERT_EQ(folder.run("run p.lac --out p.csv --t 0..1 --every 0.3").status, 0);
    const std::string text = file_text(folder.path() / "p.csv");
    EXPECT_EQ(text.substr(0, text.find('\n')), "t,x,y,x',y',energy,rod.force");
    const Table table = read_table((folder.path() / "p.csv").string());
    ASSERT_EQ(table.rows(), 5u);
    const double times[] = {0.0, 0.3, 0.6, 0.9, 1.0};  // the end is a row too
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(table.columns[0][i], times[i], 1e-15);
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(std::hypot(table.columns[1][i], table.columns[2][i]), 2.0, 1e-15)
            << "row " << i;
}

TEST(Run, AResultExplainsItself) {
    const Folder folder;
    folder.write("p.lac", swung);
    for (const char* file : {"p.h5", "p.json"}) {
        ASSERT_EQ(folder.run(std::string("run p.lac --set L=3 --out ") + file).status, 0);
        const Table table = read_table((folder.path() / file).string());
        EXPECT_EQ(table.info.model, "Pendulum");
        EXPECT_EQ(table.info.source, swung);
        const auto option = [&](const std::string& name) {
            for (const auto& [key, value] : table.info.options)
                if (key == name) return text_of(value);
            return std::string("missing");
        };
        EXPECT_EQ(option("set L"), "3");
        EXPECT_EQ(option("tolerance"), "1e-12");
        EXPECT_EQ(option("param g"), "9.81");
        EXPECT_EQ(option("text g"), "gravity, m/s^2");
        EXPECT_EQ(table.rows(), 9u);
    }
}

TEST(Run, SettingsInAJsonResultAreValues) {
    const Folder folder;
    folder.write("p.lac", swung);
    const std::string settings =
        "--set L=3 --set m=2 --set L=2.5 --start \"x=2, y'~0.5\" --every 0.5 --diagnose --columns "
        "x";
    ASSERT_EQ(folder.run("run p.lac --quiet --out p.json " + settings).status, 0);
    const auto options = nlohmann::json::parse(file_text(folder.path() / "p.json"))["options"];
    const nlohmann::json expected{
        {"set L", 2.5},     {"set m", 2.0},   {"start x", 2.0},     {"guess y'", 0.5},
        {"begin", 0.0},     {"every", 0.5},   {"tolerance", 1e-12}, {"rank-tol", 1e-10},
        {"param m", 2.0},   {"param L", 2.5}, {"param g", 9.81},    {"text g", "gravity, m/s^2"},
        {"diagnose", true}, {"columns", "x"}, {"method", "auto"},   {"stabilize", "project"}};
    EXPECT_EQ(options, expected);
}

TEST(Run, TheSpacingOfTheRowsDoesNotTouchTheMotion) {
    const Folder folder;
    folder.write("p.lac", swung);
    for (const char* method : {"taylor", "dop853", "dopri5", "adams", "bdf"}) {
        const std::string run = std::string("run p.lac --json --tol 1e-7 --method ") + method;
        const auto coarse = folder.run(run + " --every 2").json()["final"];
        EXPECT_EQ(coarse, folder.run(run + " --every 0.001").json()["final"]) << method;
    }
}

TEST(Run, WrongOptionsAreSentencesAndTouchNoFile) {
    const Folder folder;
    folder.write("p.lac", swung);
    folder.write("keep.csv", "mine");
    const auto says = [&](const std::string& arguments, const std::string& message) {
        const Finished done = folder.run("run p.lac " + arguments);
        EXPECT_EQ(done.status, 2) << arguments;
        EXPECT_EQ(done.err, message + "\n");
        EXPECT_EQ(done.out, "");
        EXPECT_EQ(file_text(folder.path() / "keep.csv"), "mine");
    };
    says("--method tayler --out keep.csv",
         "lacon run: there is no method 'tayler'; did you mean 'taylor'? Methods: auto, taylor, "
         "dop853, dopri5, radau, rk4, bdf, "
         "adams, gauss");
    for (const char* method : {"rk4", "gauss"})
        says(std::string("--max-step 0.1 --method ") + method,
             std::string("lacon run: --max-step cannot be used with the method '") + method +
                 "', which takes fixed steps: set their length with --step");
    says("--t 1 --out keep.csv", "--t: '1' is not of the form A..B");
    says("--t 3..1", "lacon run: the time span 3..1 must end after it starts");
    says("--every 0", "lacon run: the spacing of the rows must be positive");
    says("--every 1e-300",
         "lacon run: a row every 1e-300 would give 2e+300 rows; the limit is 1e+09");
    says("--tol 2", "lacon run: the tolerance 2 is not between 1e-16 and 0.1");
    says("--method taylor --step 0.1 --out keep.csv",
         "--step: the method 'taylor' chooses its own steps; only rk4 and gauss take fixed steps");
    says("--out p.txt", "--out: 'p.txt' must end in .csv, .json or .h5");
    says("--plot p.pdf", "--plot: 'p.pdf' must end in .svg or .png");
    says("--resume none.ckpt", "--resume: cannot read 'none.ckpt'");
    folder.write("q.lac", "coord x\nparticle p at (x, 0) mass 1\n");
    EXPECT_EQ(folder.run("run q.lac").err,
              "lacon run: the model has no 'simulate' statement, so the time span must be given "
              "(--t A..B)\n");
    EXPECT_EQ(folder.run("run q.lac --t 0..1").status, 0);
}

TEST(Run, AStartInConflictFailsWithItsNamesAndLeavesTheFile) {
    const Folder folder;
    folder.write("p.lac",
                 "coord x\nparticle p at (x, 0) mass 1\nconstraint a: x = 0\nconstraint b: x = "
                 "1\nsimulate 0..1\n");
    folder.write("keep.csv", "mine");
    const Finished done = folder.run("run p.lac --json --out keep.csv");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.json()["status"], "conflict");
    EXPECT_EQ(done.json()["conflict"], nlohmann::json({"a", "b"}));
    EXPECT_EQ(file_text(folder.path() / "keep.csv"), "mine");
}

TEST(Run, AConflictOnTheWayEndsTheRunWithWhatWasComputed) {
    const Folder folder;
    // The second constraint pulls the bead off the ring: from the top of the lift on no position
    // meets both.
    folder.write("p.lac",
                 "coord x, y\nparticle p at (x, y) mass 1\nconstraint ring: x^2 + y^2 = "
                 "1\nconstraint lift: y = t\n"
                 "start x = 1, y ~ 0\nsimulate 0..2 every 0.1\n");
    const Finished done = folder.run("run p.lac --json --out p.csv");
    EXPECT_EQ(done.status, 1);
    EXPECT_NE(done.json()["status"], "ok");
    EXPECT_NEAR(done.json()["t"].get<double>(), 1.0, 1e-3);
    const Table table = read_table((folder.path() / "p.csv").string());
    EXPECT_GE(table.rows(), 9u);
    for (const auto& column : table.columns)
        for (const double value : column) EXPECT_TRUE(std::isfinite(value));
}

TEST(Run, AConflictOnTheWayIsNamed) {
    const Folder folder;
    const std::string two =
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint a: x + y = 1\nstart x = 1\nsimulate "
        "0..2\n";
    folder.write("v.lac", two + "constraint b: 2*x + 2*y = 2 + if(t > 1, t - 1, 0)\n");
    folder.write("a.lac", two + "constraint b: x + y = 1 + if(t > 1, (t - 1)^3, 0)\n");
    for (const char* model : {"v.lac", "a.lac"}) {
        const Finished done = folder.run(std::string("run --json ") + model);
        EXPECT_EQ(done.status, 1) << model;
        EXPECT_EQ(done.json()["status"], "conflict") << done.out;
        EXPECT_EQ(done.json()["conflict"], nlohmann::json({"a", "b"})) << model;
        EXPECT_NEAR(done.json()["t"].get<double>(), 1.0, 1e-6) << model;
    }
}

TEST(Run, AZeroAtTheVeryEndIsAnEvent) {
    const Folder folder;
    folder.write(
        "p.lac",
        "coord x\nparticle p at (x, 0) mass 1\nstart x' = 1\nevent there: x - 2\nsimulate 0..2\n");
    const auto json = folder.run("run p.lac --json").json();
    ASSERT_EQ(json["events"].size(), 1u);
    EXPECT_NEAR(json["events"][0]["t"].get<double>(), 2.0, 1e-12);
}

TEST(Run, TinyUnitsAreWarnedOf) {
    const Folder folder;
    folder.write("p.lac", swung);
    EXPECT_TRUE(folder.run("run p.lac --json --set L=1e-9 --tol 1e-10").json().contains("warning"));
    EXPECT_FALSE(folder.run("run p.lac --json").json().contains("warning"));
}

TEST(Run, AStepWithoutEffectIsWarnedOf) {
    const Folder folder;
    folder.write("p.lac", swung);
    const std::string warning =
        "--step 0.1 has no effect: the methods of 'auto' choose their own steps; only rk4 and "
        "gauss take fixed steps";
    EXPECT_EQ(folder.run("run p.lac --json --step 0.1").json()["warning"], warning);
    EXPECT_NE(folder.run("run p.lac --step 0.1").out.find("  warning     " + warning + "\n"),
              std::string::npos);
    for (const char* method : {"rk4", "gauss"})
        EXPECT_FALSE(folder.run(std::string("run p.lac --json --step 0.1 --method ") + method)
                         .json()
                         .contains("warning"))
            << method;
}

TEST(Run, ACheckpointThatCannotBeWrittenIsRefusedAtOnce) {
    const Folder folder;
    folder.write("p.lac", swung);
    EXPECT_EQ(folder.run("run p.lac --checkpoint no/c").err,
              "--checkpoint: cannot write 'no/c': No such file or directory\n");
    EXPECT_EQ(folder.run("run p.lac --checkpoint c.json --out c.json").err,
              "--checkpoint: 'c.json' is already used by --out\n");
}

TEST(Run, EventsAreListedAndHaveRows) {
    const Folder folder;
    folder.write("p.lac",
                 "coord x\nparticle p at (x, 0) mass 1\nforce x = -x\nstart x = 1\nevent middle: "
                 "x\nevent back: x' = 0 stop\n"
                 "simulate 0..10 every 1\n");
    const auto json = folder.run("run p.lac --json --out p.csv --tol 1e-13").json();
    ASSERT_EQ(json["events"].size(), 2u);
    EXPECT_EQ(json["events"][0]["kind"], "event");
    EXPECT_EQ(json["events"][0]["name"], "middle");
    EXPECT_NEAR(json["events"][0]["t"].get<double>(), M_PI / 2, 1e-12);
    EXPECT_EQ(json["events"][1]["name"], "back");
    EXPECT_NEAR(json["t"].get<double>(), M_PI, 1e-12);
    const Table table = read_table((folder.path() / "p.csv").string());
    ASSERT_EQ(table.rows(), 6u);  // 0, 1, pi/2, 2, 3, pi
    EXPECT_NEAR(table.columns[0][2], M_PI / 2, 1e-12);
    EXPECT_NEAR(table.columns[0][5], M_PI, 1e-12);
}

// ---- stopped and taken up again

const std::string double_pendulum =
    "coord x1, y1, x2, y2\nparticle a at (x1, y1) mass 1\nparticle b at (x2, y2) mass 1\ngravity "
    "(0, -9.81)\n"
    "constraint rod1: x1^2 + y1^2 = 1\nconstraint rod2: (x2 - x1)^2 + (y2 - y1)^2 = 1\n"
    "force x1 = 0.1*abs(y2 + 1)\nevent down: x2\n"  // decisions and events must be taken up too
    "start x1 = 1, y1 ~ 0, x2 = 2, y2 ~ 0.1\noutput energy\nsimulate 0..1000000 every 0.05 "
    "tolerance 1e-9\n";

class RunInterrupted : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(RunInterrupted, GoesOnToTheSameBytes) {
    const auto [method, file] = GetParam();
    const Folder folder;
    folder.write("p.lac", double_pendulum);
    const bool fixed = std::string(method) == "rk4" || std::string(method) == "gauss";
    const std::string options = std::string(" --method ") + method + (fixed ? " --step 0.01" : "");
    const std::string out = std::string(" --out ") + file;
    const std::string endless =
        "run p.lac" + options + out + " --checkpoint c.ckpt --quiet --force";
    EXPECT_EQ(folder.run_and_signal(endless, SIGTERM, "c.ckpt"), 130);
    const auto checkpoint = nlohmann::json::parse(file_text(folder.path() / "c.ckpt"));
    const double reached = checkpoint["snapshot"]["time"][0];
    ASSERT_GT(reached, 0.0);
    const Table cut = read_table((folder.path() / file).string());  // readable as it was left
    EXPECT_LE(cut.columns[0].back(), reached);
    EXPECT_GT(cut.columns[0].back(), reached - 1.0);

    const std::string end = std::to_string(std::floor(reached) + 5.0);
    const Finished resumed = folder.run("run p.lac --resume c.ckpt --json --t-end " + end);
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    const Finished whole =
        folder.run("run p.lac" + options + " --json --out whole" +
                   std::filesystem::path(file).extension().string() + " --t-end " + end);
    ASSERT_EQ(whole.status, 0) << whole.err;
    const auto a = resumed.json(), b = whole.json();
    for (const char* key : {"steps", "evaluations", "factorizations", "final", "worst", "events",
                            "rank", "energy", "rows", "outputs"})
        EXPECT_TRUE(a[key] == b[key]) << key;  // all events would be too much to print
    const Table one = read_table((folder.path() / file).string());
    const Table two = read_table(
        (folder.path() / ("whole" + std::filesystem::path(file).extension().string())).string());
    EXPECT_TRUE(one.columns == two.columns);
}
INSTANTIATE_TEST_SUITE_P(Of, RunInterrupted,
                         ::testing::Values(std::tuple("taylor", "p.csv"),
                                           std::tuple("dop853", "p.json"),
                                           std::tuple("bdf", "p.h5"), std::tuple("rk4", "p.csv"),
                                           std::tuple("gauss", "p.csv"),
                                           std::tuple("adams", "p.csv")),
                         [](const auto& of) { return std::string(std::get<0>(of.param)); });

TEST(Run, KilledItLosesAtMostTheLastSecond) {
    const Folder folder;
    folder.write("p.lac", double_pendulum);
    EXPECT_EQ(folder.run_and_signal("run p.lac --out p.csv --checkpoint c.ckpt --quiet --force",
                                    SIGKILL, "c.ckpt"),
              137);
    const Table table = read_table((folder.path() / "p.csv").string());
    EXPECT_GT(table.rows(), 10u);
    const auto checkpoint = nlohmann::json::parse(file_text(folder.path() / "c.ckpt"));
    EXPECT_GE(table.columns[0].back(), checkpoint["snapshot"]["last_row"].get<double>());
    const double reached = checkpoint["snapshot"]["time"][0];
    EXPECT_EQ(
        folder.run("run p.lac --resume c.ckpt --t-end " + std::to_string(reached + 1.0)).status, 0);
}

TEST(Run, ACheckpointOfAnotherModelIsRefused) {
    const Folder folder;
    folder.write("p.lac", double_pendulum);
    EXPECT_EQ(folder.run_and_signal("run p.lac --checkpoint c.ckpt --quiet", SIGINT, "c.ckpt"),
              130);
    folder.write("q.lac", double_pendulum + "# changed\n");
    EXPECT_EQ(folder.run("run q.lac --resume c.ckpt").err,
              "--resume: the model has changed since the checkpoint was written\n");
    EXPECT_EQ(folder.run("run p.lac --resume c.ckpt --tol 1e-3").err,
              "--tol: the checkpoint has 1e-09, not 0.001; a resumed run keeps its options\n");
}

TEST(Run, WhatIsNoCheckpointIsSaid) {
    const Folder folder;
    folder.write("p.lac", swung);
    const auto says = [&](const std::string& file, const std::string& why) {
        const Finished done = folder.run("run p.lac --json --resume " + file);
        const std::string message = "'" + file + "' is not a Lacon checkpoint: " + why;
        EXPECT_EQ(done.status, 2) << file;
        EXPECT_EQ(done.err, "--resume: " + message + "\n");
        EXPECT_EQ(done.json()["errors"][0]["message"], message);
    };
    const std::string where = "'lacon run MODEL --checkpoint FILE' writes checkpoints";
    ASSERT_EQ(folder.run("run p.lac --out p.csv").status, 0);
    ASSERT_EQ(folder.run("run p.lac --out p.json").status, 0);
    ASSERT_EQ(folder.run("run p.lac --out p.h5").status, 0);
    for (const char* file : {"p.lac", "p.csv", "p.json", "p.h5"}) says(file, where);
    for (const char* text : {"", "{}", "[1]", "3", "null"}) {
        folder.write("c.ckpt", text);
        says("c.ckpt", where);
    }
    folder.write("c.ckpt", R"({"lacon_checkpoint":99})");
    says("c.ckpt", "it has version 99; this program reads versions 10 to 12");
    folder.write("c.ckpt", R"({"lacon_checkpoint":10,"source":"coord x"})");
    says("c.ckpt", "an entry is missing or damaged");
    folder.write("c.ckpt", R"({"lacon_checkpoint":11,"source":"co)");
    says("c.ckpt", "the file is truncated or damaged");
    EXPECT_EQ(folder.run("run p.lac --resume .").err, "--resume: cannot read '.'\n");
}

TEST(Run, TellsWhatCodeEvaluatedTheEquations) {
    const Folder folder;
    folder.write("p.lac", swung);
    const std::string run = "LACON_CACHE_DIR=cache ", command = "run p.lac --method dop853 --json";
    const auto first = folder.run(command, run).json(), second = folder.run(command, run).json();
    EXPECT_NE(first["code"]["tier"], "interpreter");
    EXPECT_EQ(first["code"]["lanes"], 1);
    EXPECT_GT(first["code"]["operations"], 20);
    EXPECT_EQ(first["code"]["from_cache"], false);
    EXPECT_EQ(second["code"]["from_cache"], true);
    EXPECT_EQ(second["final"], first["final"]);
    EXPECT_EQ(folder.run(command + " --no-cache", run).json()["code"]["from_cache"], false);

    const auto plain = folder.run(command + " --target plain", run).json();
    EXPECT_EQ(plain["code"]["target"], "plain");
    const auto interpreted = folder.run(command + " --interpret", run).json();
    EXPECT_EQ(interpreted["code"],
              nlohmann::json({{"tier", "interpreter"}, {"why", "as requested"}}));
    for (const auto& other : {plain, interpreted})
        for (std::size_t i = 0; i < 2; ++i)
            EXPECT_NEAR(other["final"]["q"][i].get<double>(), first["final"]["q"][i].get<double>(),
                        1e-10);
}

TEST(Run, AnUnknownTargetIsRefusedWithThoseThereAre) {
    const Folder folder;
    folder.write("p.lac", swung);
    const Finished done = folder.run("run p.lac --target z80");
    EXPECT_EQ(done.status, 2);
    EXPECT_NE(done.err.find("there is no target 'z80'; this machine has: plain"), std::string::npos)
        << done.err;
}

TEST(Run, WithoutACodeGeneratorItInterpretsAndSaysWhy) {
    const Folder folder;
    folder.write("p.lac", swung);
    const auto json =
        folder.run("run p.lac --method dopri5 --no-cache --json", "LACON_CODEGEN=/no/such.so ")
            .json();
    EXPECT_EQ(json["status"], "ok");
    EXPECT_EQ(json["code"]["why"], "the code generator is not installed; looked for /no/such.so");
}

TEST(Run, ACheckpointOfAMachineWithOtherInstructionsIsRefused) {
    const Folder folder;
    folder.write("p.lac", swung);
    EXPECT_EQ(folder.run_and_signal(
                  "run p.lac --t-end 1e7 --method rk4 --step 0.01 --checkpoint c.ckpt --quiet",
                  SIGTERM, "c.ckpt"),
              130);
    auto checkpoint = nlohmann::json::parse(file_text(folder.path() / "c.ckpt"));
    checkpoint["plan"]["target"] = "avx1024";
    folder.write("c.ckpt", checkpoint.dump());
    const Finished done = folder.run("run p.lac --resume c.ckpt --t-end 1e7");
    EXPECT_EQ(done.status, 2);
    EXPECT_NE(done.err.find("there is no target 'avx1024'"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace lacon
