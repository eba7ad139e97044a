// `lacon run --diagnose`: what is printed, written and drawn.
#include <gtest/gtest.h>

#include <cmath>

#include "picture/plot.hpp"
#include "program.hpp"
#include "table/table.hpp"

namespace lacon {
namespace {

/// Arms of length 1 that go round and round, 2 apart: flat where y1 = 0.
const std::string parallelogram = R"(model "Parallelogram"
coord x1, y1, x2, y2
particle B at (x1, y1) mass 1
particle C at (x2, y2) mass 2
gravity (0, -9.81)
constraint left: norm(B) = 1
constraint right: norm(C - (2, 0)) = 1
constraint coupler: norm(C - B) = 2
start x1 = sin(0.8), y1 ~ -cos(0.8), x2 = 2 + sin(0.8), y2 ~ -cos(0.8)
start x1' ~ 7*cos(0.8), y1' ~ 7*sin(0.8), x2' ~ 7*cos(0.8), y2' ~ 7*sin(0.8)
simulate 0..0.5 every 0.01 tolerance 1e-9
)";

std::size_t lines_with(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

TEST(DiagnoseCommand, GivesColumnsWarningsAndAReport) {
    const Folder folder;
    folder.write("p.lac", parallelogram);
    const Finished done = folder.run("run p.lac --diagnose --json --out p.csv");
    ASSERT_EQ(done.status, 0) << done.err;
    const auto json = done.json(), d = json["diagnosis"];
    ASSERT_EQ(d["warnings"].size(), 1u);
    EXPECT_EQ(lines_with(done.err, "warning: t = 0.1"), 1u) << done.err;
    const auto warning = d["warnings"][0], event = json["events"][0];
    EXPECT_EQ(event["kind"], "rank");
    EXPECT_LT(warning["t"].get<double>(), event["t"].get<double>());
    EXPECT_EQ(warning["least"]["t"], event["t"]);
    EXPECT_EQ(warning["outcome"], "reached");
    EXPECT_EQ(warning["constraints"], (nlohmann::json{"coupler", "left", "right"}));
    EXPECT_NEAR(warning["condition"].get<double>() * warning["reciprocal_condition"].get<double>(),
                1.0, 1e-14);
    ASSERT_EQ(event["sets"].size(), 1u);
    EXPECT_EQ(event["sets"][0]["constraints"], (nlohmann::json{"left", "right", "coupler"}));
    EXPECT_EQ(event["sets"][0]["coefficients"].size(), 3u);
    EXPECT_EQ(d["rank"], (nlohmann::json{{"first", 3}, {"min", 2}, {"max", 3}, {"events", 1}}));
    EXPECT_GT(d["condition"]["most"]["value"], 10.0);
    EXPECT_EQ(d["undecided"]["places"], 0);
    const Table table = read_table((folder.path() / "p.csv").string());
    ASSERT_EQ(table.info.names.size(), 12u);
    EXPECT_EQ(table.info.names[9], "diagnosis.rank");
    EXPECT_EQ(table.info.names[10], "diagnosis.condition");
    EXPECT_EQ(table.info.names[11], "diagnosis.gap");
}

TEST(DiagnoseCommand, SaysItInWords) {
    const Folder folder;
    folder.write("p.lac", parallelogram);
    const Finished done = folder.run("run p.lac --diagnose");
    for (const char* part :
         {"rank 3 -> 2 -> 3, crossed a singular position: 'left', 'right' and 'coupler' depend on "
          "each other there ('left' - 'right' + 'coupler' = 0)\n",
          "  diagnosis   ", "    condition ", "; it grows without bound at a singular position\n",
          "    weakest   'coupler', 'left' and 'right' make up the weakest direction at the "
          "largest condition\n",
          "every rank was decided\n",
          "    rank      3 initially, between 2 and 3; 1 event of kind rank\n",
          "'coupler', 'left' and 'right' approach a singular position: their reciprocal condition "
          "fell from 0.406 to 0.0406; at this rate it reaches zero at t = 0.1",
          "the singular position was reached at t = 0.1"})
        EXPECT_NE(done.out.find(part), std::string::npos) << part << '\n' << done.out;
}

TEST(DiagnoseCommand, IsQuietWhenAsked) {
    const Folder folder;
    folder.write("p.lac", parallelogram);
    const Finished done = folder.run("run p.lac --diagnose --quiet");
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(done.err, "");
}

TEST(DiagnoseCommand, ChangesNothingWhereItIsNotAskedFor) {
    const Folder folder;
    folder.write("p.lac", parallelogram);
    const Finished plain = folder.run("run p.lac --json --out plain.h5");
    EXPECT_EQ(plain.err, "");
    EXPECT_FALSE(plain.json().contains("diagnosis"));
    ASSERT_EQ(folder.run("run p.lac --diagnose --quiet --out seen.h5").status, 0);
    const Table one = read_table((folder.path() / "plain.h5").string()),
                two = read_table((folder.path() / "seen.h5").string());
    ASSERT_EQ(one.columns.size() + 3, two.columns.size());
    for (std::size_t i = 0; i < one.columns.size(); ++i)
        EXPECT_TRUE(one.columns[i] == two.columns[i]) << one.info.names[i];
}

class DiagnoseInterrupted : public ::testing::TestWithParam<const char*> {};

TEST_P(DiagnoseInterrupted, GoesOnToTheSameBytes) {
    const Folder folder;
    folder.write("p.lac", parallelogram);
    const std::string options = std::string(" --diagnose --quiet --method ") + GetParam();
    ASSERT_EQ(folder.run_and_signal(
                  "run p.lac --t-end 1e6 --force --out p.csv --checkpoint c.ckpt" + options,
                  SIGTERM, "c.ckpt"),
              130);
    const double reached =
        nlohmann::json::parse(file_text(folder.path() / "c.ckpt"))["snapshot"]["time"][0];
    const std::string end = std::to_string(std::floor(reached) + 3.0);
    const Finished resumed =
        folder.run("run p.lac --resume c.ckpt --diagnose --json --quiet --t-end " + end);
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    const Finished whole = folder.run("run p.lac --json --out whole.csv --t-end " + end + options);
    ASSERT_EQ(whole.status, 0) << whole.err;
    EXPECT_TRUE(file_text(folder.path() / "p.csv") == file_text(folder.path() / "whole.csv"));
    auto a = resumed.json(), b = whole.json();
    for (auto* json : {&a, &b}) (*json)["diagnosis"].erase("seconds");
    EXPECT_TRUE(a["diagnosis"] == b["diagnosis"]);
    EXPECT_TRUE(a["events"] == b["events"]);
    EXPECT_FALSE(a["diagnosis"]["warnings"].empty());
}
INSTANTIATE_TEST_SUITE_P(Of, DiagnoseInterrupted, ::testing::Values("taylor", "dop853"));

TEST(DiagnoseCommand, DrawsConditionAndGapBelowTheCoordinates) {
    if (!can_plot()) GTEST_SKIP() << "gnuplot is not installed";
    const Folder folder;
    folder.write("p.lac", parallelogram);
    ASSERT_EQ(folder.run("run p.lac --diagnose --quiet --plot p.svg --out p.csv").status, 0);
    const std::string picture = file_text(folder.path() / "p.svg");
    for (const char* label : {"diagnosis", "diagnosis.condition", "diagnosis.gap"})
        EXPECT_NE(picture.find("<text>" + std::string(label) + "</text>"), std::string::npos)
            << label;
    EXPECT_NE(picture.find("<text>1e+08</text>"), std::string::npos)
        << "a tick of the logarithmic axis";
    ASSERT_EQ(folder.run("plot p.csv --y diagnosis.condition --out c.svg").status, 0);
    EXPECT_NE(file_text(folder.path() / "c.svg").find("<text>10</text>"), std::string::npos);
}

}  // namespace
}  // namespace lacon
