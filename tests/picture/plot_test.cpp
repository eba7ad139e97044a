// The scripts of pictures: titles, axes, curves, texts that are no commands.
#include "picture/plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "table/folder.hpp"

namespace lacon {
namespace {

using testing::text_of;

Table orbit() {
    Table table;
    table.info.model = "An orbit";
    table.info.names = {"t", "x", "y", "x'", "y'", "energy", "gone"};
    table.info.texts = {"time, s", "", "", "", "", "J", ""};
    table.columns.resize(7);
    for (int i = 0; i <= 200; ++i) {
        const double t = 0.05 * i;
        const double row[] = {t,           std::cos(t), std::sin(t), -std::sin(t),
                              std::cos(t), 500 + t,     std::nan("")};
        for (std::size_t j = 0; j < 7; ++j) table.columns[j].push_back(row[j]);
    }
    return table;
}

std::string message_of(const Table& table, const PlotRequest& request) {
    try {
        plot(table, request);
    } catch (const PlotError& error) {
        return error.what();
    }
    return "no error";
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

class Picture : public ::testing::Test {
protected:
    void SetUp() override {
        if (!can_plot()) GTEST_SKIP() << "gnuplot is not installed";
    }
    std::string svg(const Table& table, PlotRequest request) {
        request.file = folder_ / "a.svg";
        plot(table, request);
        return text_of(request.file);
    }
    testing::Folder folder_;
};

TEST_F(Picture, HasTitleLabelsLegendAndACurveEach) {
    const std::string text = svg(orbit(), {"t", {"x", "y"}, "", ""});
    for (const char* label : {"An orbit", "t: time, s", "x, y", "x", "y", "0.4", "10"})
        EXPECT_NE(text.find("<text>" + std::string(label) + "</text>"), std::string::npos) << label;
    EXPECT_EQ(count(text, "<title>gnuplot_plot_"), 2u);
    EXPECT_NE(text.find("width=\"900\" height=\"560\""), std::string::npos);
    // A curve is one path of its 201 points.
    const auto begin = text.find("gnuplot_plot_1");
    const std::string curve = text.substr(begin, text.find("gnuplot_plot_2") - begin);
    EXPECT_EQ(count(curve, "L") + count(curve, "M"), 201u + 2u)
        << "and the two points of its sample in the legend";
}

TEST_F(Picture, MarksAreLinesThroughEveryPanel) {
    PlotRequest request{"t", {"x", "energy"}, "", ""};
    const std::string dashed = "stroke-dasharray=";
    EXPECT_EQ(count(svg(orbit(), request), dashed), 0u);
    request.marks = {1.0, 2.0, std::nan("")};
    const std::string text = svg(orbit(), request);
    EXPECT_EQ(count(text, dashed), 2u) << "one path in each of two panels";
    for (auto at = text.find(dashed); at != std::string::npos; at = text.find(dashed, at + 1))
        EXPECT_EQ(count(text.substr(at, text.find("/>", at) - at), "M"), 2u) << "of two lines";
}

TEST_F(Picture, CurvesOfAnotherSizeGetAPanelOfTheirOwn) {
    const std::string text = svg(orbit(), {"t", {"x", "energy"}, "", ""});
    EXPECT_NE(text.find("<text>energy: J</text>"), std::string::npos);
    EXPECT_EQ(count(text, "<text>x</text>"), 1u) << "a label, and no legend for a single curve";
    EXPECT_EQ(count(text, "<text>t: time, s</text>"), 1u) << "the x axis is shared";
}

TEST_F(Picture, NothingInATextIsTakenForACommand) {
    Table table = orbit();
    const std::string evil =
        "`touch hacked` \"$(touch hacked)\" 'x' \\ {/Bold y} <b>&amp; @x\n!touch hacked\nset "
        "output 'hacked'";
    table.info.names[1] = evil;
    table.info.texts[0] = evil;
    const std::string text = svg(table, {"t", {evil, "y"}, evil, ""});
    EXPECT_NE(
        text.find(
            "`touch hacked` \"$(touch hacked)\" 'x' \\ {/Bold y} &lt;b>&amp;amp; @x !touch hacked"),
        std::string::npos);
    EXPECT_FALSE(std::filesystem::exists("hacked"));
}

TEST_F(Picture, PngIsMadeToo) {
    PlotRequest request{"t", {"x", "y"}, "", ""};
    request.file = folder_ / "a.png";
    plot(orbit(), request);
    const std::string text = text_of(request.file);
    EXPECT_EQ(text.substr(0, 8), "\x89PNG\r\n\x1a\n");
    EXPECT_EQ(text.substr(16, 8), std::string("\0\0\x03\x84\0\0\x02\x30", 8)) << "900 × 560";
}

TEST_F(Picture, AwkwardTablesAreDrawn) {
    Table table = orbit();
    for (double& value : table.columns[1]) value = 1e-320;
    for (double& value : table.columns[2]) value = -1e300;
    for (std::size_t i = 0; i < table.rows(); i += 2)
        table.columns[3][i] = std::numeric_limits<double>::infinity();
    EXPECT_NO_THROW(svg(table, {"t", {"x", "y", "x'", "y'", "gone"}, "", ""}));
    EXPECT_NO_THROW(svg(table, {"y", {"x"}, "", ""}));
    for (auto& column : table.columns) column.resize(1);
    EXPECT_NO_THROW(svg(table, {"t", {"x", "y'"}, "", ""}));
}

TEST_F(Picture, APathInSpaceKeepsItsShape) {
    const std::string text = svg(orbit(), {"x", {"y"}, "", ""});
    const auto begin = text.find("d='M", text.find("gnuplot_plot_1"));
    const std::string path = text.substr(begin + 4, text.find('\'', begin + 4) - begin - 4);
    double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
    for (std::size_t at = 0; at < path.size();) {
        double p[2];
        int used = 0;
        if (std::sscanf(path.c_str() + at, "%lf,%lf%n", &p[0], &p[1], &used) != 2) break;
        for (int k = 0; k < 2; ++k) {
            low[k] = std::min(low[k], p[k]);
            high[k] = std::max(high[k], p[k]);
        }
        at += static_cast<std::size_t>(used);
        at = std::min(path.find_first_not_of(" L\t\n", at), path.size());
    }
    EXPECT_GT(high[0] - low[0], 300.0);
    EXPECT_NEAR(high[0] - low[0], high[1] - low[1], 2.0) << "a circle is as wide as it is high";
}

TEST_F(Picture, TheCaptionSaysWhatIsNotDrawn) {
    const std::string text = svg(orbit(), {});
    EXPECT_NE(text.find("not drawn: 2 velocities"), std::string::npos);
    EXPECT_NE(text.find("without a finite value: gone"), std::string::npos);
}

TEST_F(Picture, LongNamesAreWrittenWhole) {
    Table table = orbit();
    table.info.names[1] = "norm(first.reaction + second.reaction)/(mass*gravity)";
    table.info.texts[1] = "load over weight, a number without a unit";
    const std::string label = table.info.names[1] + ": " + table.info.texts[1];
    EXPECT_NE(
        svg(table, {"t", {table.info.names[1], "y"}, "", ""}).find("<text>" + table.info.names[1]),
        std::string::npos);
    EXPECT_NE(svg(table, {"t", {table.info.names[1], "energy"}, "", ""})
                  .find("<text>" + label + "</text>"),
              std::string::npos)
        << "a panel of its own is too low for it";
}

/// A section: the angle of a body that goes round once in an irrational number of strokes.
Table section() {
    Table table;
    table.info.names = {"t", "a", "b"};
    table.columns.resize(3);
    for (int i = 0; i < 300; ++i) {
        const double angle = 2.0 * M_PI * std::fmod(0.618033988749895 * i, 1.0);
        table.columns[0].push_back(i);
        table.columns[1].push_back(std::cos(angle));
        table.columns[2].push_back(std::sin(angle) + 0.3 * std::cos(2.0 * angle));
    }
    return table;
}

TEST_F(Picture, ASectionIsDrawnAsPoints) {
    const auto segments = [&](const std::string& text) {
        return count(text.substr(text.find("gnuplot_plot_1")), "L");
    };
    const auto points = [&](const std::string& text) {
        return count(text, "<use xlink:href='#gpPt");
    };
    const std::string scattered = svg(section(), {"a", {"b"}, "", ""}),
                      path = svg(orbit(), {"x", {"x'"}, "", ""});
    EXPECT_GE(points(scattered), 300u);
    EXPECT_LT(segments(scattered), 100u);
    EXPECT_LT(points(path), 20u) << "samples of markers, which every picture has";
    EXPECT_GE(segments(path), 150u);
    PlotRequest request{"x", {"x'"}, "", ""};
    request.points = true;
    EXPECT_GE(points(svg(orbit(), request)), 200u);
}

TEST_F(Picture, AFileThatIsThereIsReplacedOnlyByAPicture) {
    const std::string path = folder_.write("a.svg", "old");
    EXPECT_NE(message_of(orbit(), {"t", {"gone"}, "", path}), "no error");
    EXPECT_EQ(text_of(path), "old");
    EXPECT_EQ(message_of(orbit(), {"t", {"x"}, "", path}), "no error");
    EXPECT_NE(text_of(path), "old");
    const std::filesystem::directory_iterator files(std::filesystem::path(path).parent_path());
    EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "something was left behind";
}

TEST(PlotErrors, AreSentences) {
    const testing::Folder folder;
    const std::string path = folder / "a.svg";
    const std::string columns = "the columns are 't', 'x', 'y', 'x'', 'y'', 'energy' and 'gone'";
    EXPECT_EQ(message_of(orbit(), {"t", {"x", "enrgy"}, "", path}),
              "there is no column 'enrgy' (did you mean 'energy'?); " + columns);
    EXPECT_EQ(message_of(orbit(), {"time", {"x"}, "", path}),
              "there is no column 'time'; " + columns);
    EXPECT_EQ(message_of(orbit(), {"t", {"gone"}, "", path}),
              "there is nothing to draw: 'gone' over 't' has no finite value");
    EXPECT_EQ(message_of(orbit(), {"t", {"x"}, "", "a.gif"}),
              "cannot draw 'a.gif': its name must end in .svg or .png");
    EXPECT_EQ(message_of(orbit(), {"t", std::vector<std::string>(49, "x"), "", path}),
              "49 curves are too many for one picture; name at most 48");
    Table empty = orbit();
    for (auto& column : empty.columns) column.clear();
    EXPECT_EQ(message_of(empty, {"t", {"x"}, "", path}),
              "there is nothing to draw: the table has no rows");
    Table alone;
    alone.info.names = {"t"};
    alone.columns = {{1.0}};
    EXPECT_EQ(message_of(alone, {"t", {}, "", path}),
              "there is nothing to draw: no column but 't'");
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(PlottedColumns, AreOutputsThenCoordinatesWhereNoneIsNamed) {
    EXPECT_EQ(plotted_columns(orbit(), {}), (std::vector<std::string>{"energy", "gone", "x", "y"}));
    EXPECT_EQ(left_out(orbit(), {}), (std::vector<std::string>{"not drawn: 2 velocities"}));
    PlotRequest over_x;
    over_x.x = "x";
    EXPECT_EQ(plotted_columns(orbit(), over_x), (std::vector<std::string>{"energy", "gone", "y"}));
    Table table;
    table.info.names = {"t", "a", "b'", "c", "d", "e", "f", "g", "h"};
    table.columns.resize(9);
    EXPECT_EQ(plotted_columns(table, {}),
              (std::vector<std::string>{"a", "c", "d", "e", "f", "g", "h"}));
}

TEST(PlottedColumns, AnOutputWithAPrimeIsNoVelocity) {
    Table table;
    table.info.names = {"t", "x", "y", "x'", "y'", "r", "r'"};
    table.columns.resize(7);
    EXPECT_EQ(plotted_columns(table, {}), (std::vector<std::string>{"r", "r'", "x", "y"}));
}

TEST(PlottedColumns, RoundingIsLeftOutWithAWord) {
    Table table = orbit();
    for (std::size_t i = 0; i < table.rows(); ++i)
        table.columns[6][i] = 3e-16 * std::sin(1e3 * static_cast<double>(i));
    EXPECT_EQ(plotted_columns(table, {}), (std::vector<std::string>{"energy", "x", "y"}));
    EXPECT_EQ(left_out(table, {})[0], "zero to within 1e-11 of the motion: gone (at most 3e-16)");
    EXPECT_EQ(plotted_columns(table, {"t", {"gone"}, "", ""}), (std::vector<std::string>{"gone"}))
        << "who asks for it gets it";
    for (std::size_t i = 0; i < table.rows(); ++i) table.columns[6][i] *= 1e6;
    EXPECT_EQ(plotted_columns(table, {}).size(), 4u) << "small, and more than rounding";
}

TEST(PlottedColumns, WhatIsTooMuchIsCounted) {
    Table table;
    table.info.names = {"t"};
    for (const char* prime : {"", "'"})
        for (int i = 1; i <= 9; ++i)
            table.info.names.push_back("x[" + std::to_string(i) + "]" + prime);
    for (int i = 1; i <= 20; ++i) table.info.names.push_back("pull[" + std::to_string(i) + "]");
    table.columns.resize(table.info.names.size());
    EXPECT_EQ(plotted_columns(table, {}).size(), 24u);
    EXPECT_EQ(
        left_out(table, {}),
        (std::vector<std::string>{"not drawn: 2 more outputs, 3 more coordinates, 9 velocities"}));
}

TEST(PlottedColumns, AFamilyStandsForItsMembers) {
    Table table;
    table.info.names = {"t", "x[1]", "x[2]", "x[1]'", "x[2]'", "xx[1]"};
    table.columns.resize(6);
    EXPECT_EQ(plotted_columns(table, {"t", {"x'", "x"}, "", ""}),
              (std::vector<std::string>{"x[1]'", "x[2]'", "x[1]", "x[2]"}));
}

}  // namespace
}  // namespace lacon
