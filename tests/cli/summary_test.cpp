// The summary of a run: what was asked for comes first, and says what is true.
#include <gtest/gtest.h>

#include <cmath>

#include "program.hpp"

namespace lacon {
namespace {

const std::string oscillator =
    "model \"Oscillator\"\nparam w = 1.3\ncoord x\nparticle p at (x, 0) mass 1\nforce x = "
    "-w^2*x\nstart x = 2\n"
    "event middle: x\noutput square = x^2, speed = x'\nsimulate 0..5 every 0.001 tolerance 1e-12\n";

TEST(Summary, WhatWasAskedForComesBeforeHowItWasComputed) {
    const Folder folder;
    folder.write("p.lac", oscillator);
    const std::string text = folder.run("run p.lac --out p.csv").out;
    std::size_t last = 0;
    for (const char* part :
         {"Oscillator: t = 0 .. 5\n", "  final state", "    x  ", "  outputs", "    square",
          "    speed", "  events      2\n", "  energy      ", " initially, ", " finally",
          "  method      Taylor series (tolerance ≤ 1e-8), local tolerance 1e-12\n",
          "  work        ", "  rows        5003 in p.csv\n"}) {
        const std::size_t at = text.find(part, last);
        ASSERT_NE(at, std::string::npos) << part << "\nin\n" << text;
        last = at;
    }
}

TEST(Summary, WarnsOfCoordinatesNotMuchLargerThanTheTolerance) {
    const auto warns = [](const std::string& start, const std::string& options) {
        const Folder folder;
        folder.write("p.lac", "coord x\nparticle p at (x) mass 1\npotential 0.5*x^2\nstart " +
                                  start + "\nsimulate 0..10\n");
        const auto json = folder.run("run p.lac --json " + options).json();
        return json.contains("warning") &&
               json["warning"].dump().find("is absolute: use a smaller tolerance") !=
                   std::string::npos;
    };
    for (const char* start : {"x = 1e-9", "x = 1e-10", "x = 1e-11", "x = 3e-18", "x' = 2e-12"})
        EXPECT_TRUE(warns(start, "--method adams")) << start;
    EXPECT_TRUE(warns("x = 1e-13", "--method taylor"));
    EXPECT_FALSE(warns("x = 0", "--method adams"));
    EXPECT_FALSE(warns("x = 1", "--method adams"));
}

TEST(Summary, OutputsHaveTheirLeastAndLargestValueWithTheTimes) {
    const Folder folder;
    folder.write("p.lac", oscillator);
    const auto json = folder.run("run p.lac --json").json();
    ASSERT_EQ(json["outputs"].size(), 2u);
    const auto square = json["outputs"][0], speed = json["outputs"][1];
    const double w = 1.3, end = 2.0 * std::cos(5.0 * w);
    EXPECT_EQ(square["name"], "square");
    EXPECT_NEAR(square["final"].get<double>(), end * end, 1e-10);
    EXPECT_NEAR(square["max"].get<double>(), 4.0, 1e-10);
    EXPECT_EQ(square["max_t"], 0.0);
    EXPECT_NEAR(square["min"].get<double>(), 0.0, 1e-20) << "events have rows";
    EXPECT_NEAR(speed["min"].get<double>(), -2.0 * w, 2e-6);
    EXPECT_NEAR(speed["min_t"].get<double>(), M_PI / 2.0 / w, 1e-3);
    EXPECT_NEAR(speed["max"].get<double>(), 2.0 * w, 2e-6);
    EXPECT_NEAR(speed["max_t"].get<double>(), 3.0 * M_PI / 2.0 / w, 1e-3);
}

TEST(Summary, AnOutputWithoutAValueIsSaidToHaveNone) {
    const Folder folder;
    folder.write("p.lac", oscillator + "output none = sqrt(x - 3), some = sqrt(x - 1)\n");
    const auto outputs = folder.run("run p.lac --json").json()["outputs"];
    EXPECT_TRUE(outputs[2]["min"].is_null() && outputs[2]["max"].is_null() &&
                outputs[2]["final"].is_null());
    EXPECT_NEAR(outputs[3]["max"].get<double>(), 1.0, 1e-10);
    EXPECT_GE(outputs[3]["min"].get<double>(), 0.0);
    EXPECT_NE(folder.run("run p.lac").out.find("nan"), std::string::npos);
}

TEST(Summary, ARunThatEndsEarlySaysOfWhat) {
    const Folder folder;
    folder.write("p.lac", oscillator + "event back: x' - 1 stop\n");
    EXPECT_NE(folder.run("run p.lac").out.find(" of 5\n"), std::string::npos);
}

// ---- fixed steps

struct Told {
    const char* name;
    std::string text;
    std::vector<double> steps;  // of rk4; gauss takes four times as long ones
};
const std::vector<Told> motions = {
    {"oscillator", oscillator, {0.3, 0.05, 0.01}},
    {"pendulum",
     "coord x, y\nparticle bob at (x, y) mass 1\ngravity (0, -9.81)\nconstraint rod: x^2 + y^2 = "
     "1\nstart x = 0.8, y ~ -0.6\n"
     "simulate 0..4 tolerance 1e-13\n",
     {0.02, 0.005}},
    {"driven",
     "coord x\nparticle p at (x, 0) mass 2\nforce x = sin(3*t) - x^3 - 0.2*x'\nsimulate 0..6 "
     "tolerance 1e-13\n",
     {0.1, 0.03}},
    {"switching",
     "coord x\nparticle p at (x, 0) mass 1\nforce x = if(x > 0.5, -4*x, -x)\nstart x = 1\nsimulate "
     "0..7 tolerance 1e-13\n",
     {0.1, 0.02}},
};

double difference(const nlohmann::json& a, const nlohmann::json& b) {
    double most = 0.0;
    for (const char* key : {"q", "v"})
        for (std::size_t i = 0; i < a["final"][key].size(); ++i)
            most = std::max(most, std::abs(a["final"][key][i].get<double>() -
                                           b["final"][key][i].get<double>()));
    return most;
}

TEST(FixedStep, TheErrorIsEstimatedWithinAFactorOfThree) {
    const Folder folder;
    for (const Told& motion : motions) {
        folder.write("p.lac", motion.text);
        const auto truth = folder.run("run p.lac --json --tol 1e-14").json();
        for (const std::string method : {"rk4", "gauss"}) {
            for (const double step : motion.steps) {
                const double h = method == "gauss" ? 4.0 * step : step;
                const auto json =
                    folder
                        .run("run p.lac --json --method " + method + " --step " + std::to_string(h))
                        .json();
                const double error = difference(json, truth);
                if (error < 1e-12) continue;  // what rounding leaves is no matter of the step
                const double told = json["error_estimate"]["largest"];
                EXPECT_LT(told, 3.0 * error) << motion.name << ' ' << method << ' ' << h;
                EXPECT_GT(told, error / 3.0) << motion.name << ' ' << method << ' ' << h;
            }
        }
    }
}

TEST(FixedStep, NoToleranceIsClaimed) {
    const Folder folder;
    folder.write("p.lac", oscillator);
    for (const std::string method : {"rk4", "gauss"}) {
        const auto json = folder.run("run p.lac --json --step 0.01 --method " + method).json();
        EXPECT_TRUE(json["tolerance"].is_null());
        EXPECT_EQ(json["step"], 0.01);
        const std::string text = folder.run("run p.lac --step 0.01 --method " + method).out;
        EXPECT_EQ(text.find("tolerance"), std::string::npos) << text;
        EXPECT_NE(text.find(", fixed step 0.01\n  error       about "), std::string::npos) << text;
        EXPECT_NE(text.find("in the final state (estimated from runs with steps 0.02 and 0.04)\n"),
                  std::string::npos);
    }
    EXPECT_FALSE(folder.run("run p.lac --json").json().contains("error_estimate"));
}

TEST(FixedStep, AStepThatIsFarTooLongIsNotCalledGood) {
    const Folder folder;
    // Stable just so (h w = 2.7), and wrong by its own size; with 2 and 4 times the step it leaves
    // for infinity.
    folder.write("p.lac",
                 "coord x\nparticle p at (x, 0) mass 1\nforce x = -1e8*x\nstart x = 1\nsimulate "
                 "0..0.1 every 1\n");
    const auto json = folder.run("run p.lac --json --method rk4 --step 0.00027").json();
    EXPECT_EQ(json["status"], "ok");
    const auto estimate = json["error_estimate"];
    EXPECT_TRUE(estimate.contains("why_not") || estimate["largest"].is_null() ||
                estimate["largest"] > 0.1)
        << estimate;
}

}  // namespace
}  // namespace lacon
