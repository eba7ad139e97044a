// Wires and surfaces: their points meet the constraint, at all times that are kept.
#include "page/traces.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pipeline.hpp"

namespace lacon {
namespace {

/// The traces of a model over rows, each with the time and a place.
struct Traced {
    Traced(const std::string& text, const std::vector<std::vector<double>>& rows)
        : built(build(SourceText("test.lac", text))) {
        std::vector<std::string> names{"t"};
        for (const char* prime : {"", "'"})
            for (const std::string& name : built.details->coordinate_names)
                names.push_back(name + prime);
        std::vector<std::vector<double>> columns(names.size());
        for (const std::vector<double>& row : rows)
            for (std::size_t i = 0; i < names.size(); ++i)
                columns[i].push_back(i < row.size() ? row[i] : 0.0);
        const PageRun run{*built.details, names, columns, {}, {}, {}};
        const Scene scene = make_scene(*built.details);
        const RowStates states(*built.details, run.names, run.columns);
        const PageColumns numbers(run, scene, states);
        made = trace(*built.details, scene, numbers, states);
    }
    static std::array<double, 3> point(const Trace& trace, std::size_t frame, std::size_t i) {
        std::array<double, 3> p{};
        for (std::size_t k = 0; k < 3; ++k)
            p[k] = trace.low[k] + trace.unit * trace.frames[frame][3 * i + k];
        return p;
    }
    static std::size_t count(const Trace& trace) { return trace.frames[0].size() / 3; }

    Built built;
    Traces made;
};

const char* const in_plane = "coord x, y\nparticle P at (x, y) mass 1\n";
const char* const in_space = "coord x, y, z\nparticle P at (x, y, z) mass 1\n";

TEST(Traces, AWireOfThePlaneGoesOnBeyondTheMotion) {
    const Traced wire(std::string(in_plane) + "constraint c: y = sin(x)\n",
                      {{0, -1, std::sin(-1.0)}, {1, 2, std::sin(2.0)}});
    ASSERT_EQ(wire.made.all.size(), 1u);
    const Trace& trace = wire.made.all[0];
    for (std::size_t i = 0; i < Traced::count(trace); ++i) {
        const auto p = Traced::point(trace, 0, i);
        // Straight lines between steps of 1/150 of the motion, and whole numbers of units.
        EXPECT_NEAR(p[1], std::sin(p[0]), 1e-4 + 2 * trace.unit);
    }
    const auto first = Traced::point(trace, 0, 0),
               last = Traced::point(trace, 0, Traced::count(trace) - 1);
    EXPECT_GT(std::abs(last[0] - first[0]), 3.5);
}

TEST(Traces, WhatIsAllowedLiesToTheLeft) {
    const Traced floor(std::string(in_plane) + "constraint c: y >= x^2\n", {{0, -1, 2}, {1, 1, 2}});
    const Trace& trace = floor.made.all.at(0);
    EXPECT_TRUE(trace.one_sided);
    EXPECT_LT(Traced::point(trace, 0, 0)[0], Traced::point(trace, 0, 1)[0]);
    const Traced ceiling(std::string(in_plane) + "constraint c: y <= 3 - x^2\n",
                         {{0, -1, 2}, {1, 1, 2}});
    const Trace& above = ceiling.made.all.at(0);
    EXPECT_GT(Traced::point(above, 0, 0)[0], Traced::point(above, 0, 1)[0]);
}

TEST(Traces, TwoEquationsLeaveAWireThatTurnsWithTime) {
    std::vector<std::vector<double>> rows;
    for (int i = 0; i <= 400; ++i) {
        const double t = 0.005 * i, r = 1.0 + 0.3 * std::sin(5 * t);
        rows.push_back({t, r * std::cos(t), r * std::sin(t), r * r});
    }
    const Traced wire(std::string(in_space) +
                          "constraint bowl: z = x^2 + y^2\nconstraint turn: x*sin(t) = y*cos(t)\n",
                      rows);
    const Trace& trace = wire.made.all.at(0);
    EXPECT_FALSE(trace.surface);
    EXPECT_GT(trace.frames.size(), 16u);
    for (std::size_t f = 0; f < trace.frames.size(); ++f)
        for (std::size_t i = 0; i < Traced::count(trace); ++i) {
            const auto p = Traced::point(trace, f, i);
            const double t = trace.times[f];
            EXPECT_NEAR(p[0] * std::sin(t), p[1] * std::cos(t), 3 * trace.unit);
            EXPECT_NEAR(p[2], p[0] * p[0] + p[1] * p[1], 1e-3);
        }
}

TEST(Traces, ASurfaceIsAHeightThatMayMove) {
    std::vector<std::vector<double>> rows;
    for (int i = 0; i <= 200; ++i) {
        const double t = 0.01 * i;
        rows.push_back({t, std::cos(t), std::sin(t), 1.0 + 0.5 * std::sin(3 * t)});
    }
    const Traced bowl(std::string(in_space) + "constraint c: z >= x^2 + y^2 + sin(3*t)/2\n", rows);
    const Trace& trace = bowl.made.all.at(0);
    EXPECT_TRUE(trace.surface);
    EXPECT_FALSE(trace.triangles.empty());
    for (std::size_t f = 0; f < trace.frames.size(); ++f)
        for (std::size_t i = 0; i < Traced::count(trace); ++i) {
            const auto p = Traced::point(trace, f, i);
            const double height = p[0] * p[0] + p[1] * p[1] + 0.5 * std::sin(3 * trace.times[f]);
            EXPECT_NEAR(p[2], height, 10 * trace.unit);
        }
    for (const std::uint32_t corner : trace.triangles) EXPECT_LT(corner, Traced::count(trace));
}

TEST(Traces, WhatCannotBeTracedIsNamed) {
    const Traced cone(std::string(in_space) + "constraint cone: x^2 + y^2 + 2*z^2 = 3\n",
                      {{0, 1, 0, 1}, {1, 0, 1, 1}});
    EXPECT_TRUE(cone.made.all.empty());
    ASSERT_EQ(cone.made.left_out.size(), 1u);
    EXPECT_NE(cone.made.left_out[0].find("'cone'"), std::string::npos);
}

}  // namespace
}  // namespace lacon
