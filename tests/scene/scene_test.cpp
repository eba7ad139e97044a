// What is seen of a model without being asked for, and where it stands.
#include "scene/scene.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "pipeline.hpp"

namespace lacon {
namespace {

struct Seen {
    explicit Seen(const std::string& text)
        : built(build(SourceText("test.lac", text))), scene(make_scene(*built.details)) {}

    /// The kinds and names of all items, "rod upper point P".
    std::string items() const {
        std::string words;
        for (const SceneItem& item : scene.items)
            words += std::string(words.empty() ? "" : " ") + std::string(name_of(item.kind)) +
                     (item.name.empty() ? "" : " " + item.name);
        return words;
    }
    std::vector<double> at(const State& state) const {
        SceneValues values(*built.details, scene);
        std::vector<double> numbers(values.count());
        values.at(state, numbers);
        return numbers;
    }
    std::array<double, 3> place(const Spot& spot, const State& state) const {
        const std::vector<double> numbers = at(state);
        return {numbers[spot[0]], numbers[spot[1]], numbers[spot[2]]};
    }

    Built built;
    Scene scene;
};

const char* const pair =
    "param L = 2\ncoord x, y, u, v\nparticle P at (x, y) mass 1\nparticle R at (u, v) mass 1\n";

TEST(Scene, DistancesAreRodsInEveryForm) {
    for (const char* form :
         {"norm(R - P) = L", "norm(P - R) = L", "norm(R - P)^2 = L^2", "hypot(u - x, v - y) = L",
          "(u - x)^2 + (v - y)^2 = L^2", "((x - u)^2 + (y - v)^2)/2 = L^2/2",
          "L - sqrt((u - x)^2 + (v - y)^2) = 0"}) {
        const Seen seen(std::string(pair) + "constraint rod: " + form + "\n");
        EXPECT_EQ(seen.items(), "point P point R rod rod") << form;
        const State state{0.0, {1.0, 2.0, 3.0, 5.0}, {0.0, 0.0, 0.0, 0.0}};
        const auto& ends = seen.scene.items[2].places;
        const auto a = seen.place(ends[0], state), b = seen.place(ends[1], state);
        EXPECT_DOUBLE_EQ(std::hypot(a[0] - b[0], a[1] - b[1]), std::hypot(2.0, 3.0)) << form;
    }
}

TEST(Scene, OtherConstraintsAreNoRods) {
    for (const char* form :
         {"y = x^2", "x*u + y*v = L", "x + u = L", "x^2 + u^2 = L^2", "x^2 + 2*y^2 = L^2",
          "norm(P) + norm(R) = L", "x = L", "norm((P + R)/2 - (1, 0)) = L", "norm(2*P - R) = L"}) {
        const Seen seen(std::string(pair) + "constraint tie: " + form + "\n");
        EXPECT_EQ(seen.items(), "point P point R") << form;
    }
}

TEST(Scene, ARodToTheWorldEndsWhereItIsHeld) {
    const Seen seen(
        "param h = 1\ncoord x, y\nparticle P at (x, y) mass 1\n"
        "constraint rod: norm(P - (3, h*cos(2*t))) = 5\n");
    ASSERT_EQ(seen.items(), "point P rod rod");
    const State state{0.25, {7.0, 8.0}, {0.0, 0.0}};
    const auto held = seen.place(seen.scene.items[1].places[1], state);
    EXPECT_DOUBLE_EQ(held[0], 3.0);
    EXPECT_DOUBLE_EQ(held[1], std::cos(0.5));
}

TEST(Scene, UpperBoundsOfDistancesAreRopes) {
    EXPECT_EQ(Seen(std::string(pair) + "constraint tie: norm(R - P) <= L\n").items(),
              "point P point R rope tie");
    EXPECT_EQ(Seen(std::string(pair) + "constraint tie: L >= norm(R - P)\n").items(),
              "point P point R rope tie");
    EXPECT_EQ(Seen(std::string(pair) + "constraint tie: L - norm(R) >= 0\n").items(),
              "point P point R rope tie");
    EXPECT_EQ(Seen(std::string(pair) + "constraint apart: norm(R - P) >= L\n").items(),
              "point P point R");
}

TEST(Scene, OneSidedPlanesAreFloors) {
    const Seen seen(
        "param h = 2\ncoord x, y\nparticle P at (x, y) mass 1\n"
        "constraint floor: 3*x + 4*y >= 5*h\nconstraint ceiling: y <= 7\n");
    ASSERT_EQ(seen.items(), "point P floor floor floor ceiling");
    const State state{0.0, {10.0, 10.0}, {0.0, 0.0}};
    const auto& slope = seen.scene.items[1].places;
    const auto at = seen.place(slope[0], state), normal = seen.place(slope[1], state);
    EXPECT_DOUBLE_EQ(3 * at[0] + 4 * at[1], 10.0);
    EXPECT_DOUBLE_EQ(normal[0] / normal[1], 0.75);
    const auto below = seen.place(seen.scene.items[2].places[1], state);
    EXPECT_DOUBLE_EQ(below[1], -1.0);  // what is below the ceiling is free
}

TEST(Scene, AFloorBelowAPointOnALineIsOneToo) {
    const Seen seen("coord y\nparticle P at (3, y) mass 1\nconstraint floor: y >= 0.5\n");
    ASSERT_EQ(seen.items(), "point P floor floor");
    const State state{0.0, {10.0}, {0.0}};
    EXPECT_DOUBLE_EQ(seen.place(seen.scene.items[1].places[0], state)[1], 0.5);
    EXPECT_DOUBLE_EQ(seen.place(seen.scene.items[1].places[1], state)[1], 1.0);
}

TEST(Scene, PotentialsOfADistanceAreSprings) {
    const Seen seen(std::string(pair) +
                    "potential 3*(norm(R - P) - L)^2/2\npotential 9.81*y + 9.81*v\n");
    EXPECT_EQ(seen.items(), "point P point R spring");
}

TEST(Scene, ADrawnLineIsTheRodItself) {
    const Seen seen(
        std::string(pair) +
        "constraint rod: norm(R - P) = L\ndraw line P to R color \"red\"\ndraw P trail\n");
    ASSERT_EQ(seen.items(), "line rod point P point R");
    EXPECT_EQ(seen.scene.items[0].row, 0u);
    EXPECT_EQ(seen.scene.items[0].color, "red");
    EXPECT_TRUE(seen.scene.items[1].trail);
    EXPECT_EQ(seen.scene.items[1].particle, 0u);
}

TEST(Scene, DrawTakesAllItsForms) {
    const Seen seen(
        "coord x\nparticle P at (x, 0) mass 1\ndraw line P to (1, 1) to (2, 0), spring (0, 0) to "
        "P\n"
        "draw arrow P to P + (x', 0) color \"#12ab9f\", circle P radius 2*x, text \"here\" at P\n");
    ASSERT_EQ(seen.items(), "line spring arrow circle text here point P");
    EXPECT_EQ(seen.scene.items[0].places.size(), 3u);
    const State state{0.0, {3.0}, {4.0}};
    EXPECT_DOUBLE_EQ(seen.place(seen.scene.items[2].places[1], state)[0], 7.0);
    EXPECT_DOUBLE_EQ(seen.at(state)[*seen.scene.items[3].radius], 6.0);
}

/// As for pictures.
struct Pictured {
    explicit Pictured(const std::string& text)
        : built(build(SourceText("test.lac", text), {}, &notes)),
          scene(make_scene(*built.details, notes)) {}

    std::string lines() const {
        std::string words;
        for (const SceneItem& item : scene.items)
            words += std::string(words.empty() ? "" : " ") + std::string(name_of(item.kind));
        return words;
    }

    PictureNotes notes;
    Built built;
    Scene scene;
};

const char* const two_bodies =
    "param L = 2\nbody a planar mass 1 inertia 1\nbody b planar mass 1 inertia 1\n";

TEST(Scene, DistancesOfPointsOfBodiesAreRodsRopesAndSprings) {
    const std::string text(two_bodies);
    EXPECT_EQ(Pictured(text + "constraint c: norm(a(L, 0) - b(0, 1)) = 3\n").lines(), "rod");
    EXPECT_EQ(Pictured(text + "constraint c: norm(a(L, 0) - (1, 2))^2 = 9\n").lines(), "rod");
    EXPECT_EQ(Pictured(text + "constraint c: norm(a(L, 0) - b(0, 1)) <= 3\n").lines(), "rope");
    EXPECT_EQ(Pictured(text + "let d = a(L, 0) - b(0, 1)\npotential (norm(d) - 1)^2\n").lines(),
              "spring");
    EXPECT_EQ(Pictured(text + "joint c: distance a to b at (L, 0), (0, 1) length 3\n").lines(),
              "rod");
}

TEST(Scene, DifferencesOfOtherThingsThanPointsAreNoRods) {
    const std::string text(two_bodies);
    EXPECT_EQ(Pictured(text + "constraint c: norm(2*a(L, 0) - b(0, 1)) = 3\n").lines(), "");
    EXPECT_EQ(Pictured(text + "constraint c: norm(a(L, 0) - b(sin(t), 1)) = 3\n").lines(), "");
}

TEST(Scene, ConstraintsOnOnePointAreCurvesAndSurfaces) {
    const auto traces = [](const std::string& text) {
        std::string words;
        for (const SceneTrace& one : Seen("coord x, y, z\n" + text).scene.traces)
            words += fmt::format("{}{} ", one.freedom() == 2 ? "surface" : "curve",
                                 one.one_sided ? " one-sided" : "");
        return words;
    };
    const std::string plane = "particle P at (x, y) mass 1\nkinetic z'^2\n";
    const std::string space = "particle P at (x, y, z) mass 1\n";
    EXPECT_EQ(traces(plane + "constraint c: y = sin(x)\n"), "curve ");
    EXPECT_EQ(traces(plane + "constraint c: y >= sin(x)\n"), "curve one-sided ");
    EXPECT_EQ(traces(space + "constraint c: z = x^2 + y^2\n"), "surface ");
    EXPECT_EQ(traces(space + "constraint c: z >= x^2 + y^2\n"), "surface one-sided ");
    EXPECT_EQ(traces(space + "constraint c: z = x^2\nconstraint d: x*y = sin(t)\n"), "curve ");
    EXPECT_EQ(traces(space + "constraint c: x' = y\n"), "");
}

/// A point of the last body, by the frame of the scene and by the model's own words.
void expect_same_place(const std::string& joints, const State& state) {
    const Seen seen(
        "body arm mass 1 inertia (1, 1, 1)\nbody hand mass 1 inertia (1, 1, 1) shape sphere 0.5\n" +
        joints + "gravity (0, 0, -9.81)\ndraw point hand(0.3, 0.2, 0.1)\n");
    const SceneBody& hand = seen.scene.bodies.back();
    const std::vector<double> numbers = seen.at(state);
    const auto drawn = seen.place(seen.scene.items[0].places[0], state);
    for (std::size_t i = 0; i < 3; ++i) {
        const Channel* const row = hand.R.data() + 3 * i;
        const double x = numbers[hand.place[i]] + 0.3 * numbers[row[0]] + 0.2 * numbers[row[1]] +
                         0.1 * numbers[row[2]];
        EXPECT_NEAR(x, drawn[i], 1e-14) << joints;
    }
}

TEST(Scene, ABodyMayComeBeforeTheOneItHangsOn) {
    expect_same_place(
        "joint a: weld hand to ground at (0, 1, 0)\n"
        "joint b: revolute hand to arm at (0, 2, 0) axis (0, 0, 1)\n",
        {0.0, {0.3}, {0.0}});
    expect_same_place("joint a: revolute hand to ground\njoint b: revolute arm to hand\n",
                      {0.0, {0.3, 0.4}, {0.0, 0.0}});
}

TEST(Scene, BodiesStandWhereTheModelsWordsSay) {
    const State two{0.0, {0.7, 0.4}, {0.0, 0.0}};
    expect_same_place(
        "joint a: revolute ground to arm at (0, 0, 1) axis (1, 2, 2)\n"
        "joint b: prismatic arm to hand at (4, 0, 0) axis (0, 1, 1)\n",
        two);
    expect_same_place(
        "joint a: revolute arm to ground at (0, 0, 1) axis (0, 1, 0)\n"
        "joint b: screw hand to arm at (1, 0, 0) axis (0, 0, 1) pitch 0.2\n",
        two);
    expect_same_place(
        "joint a: weld ground to arm at (0, 1, 0)\n"
        "joint b: free hand to arm\n",
        {0.0, {1.0, 2.0, 3.0, 0.5, -0.5, 0.5, 0.5}, std::vector<double>(7)});
    expect_same_place(
        "joint a: weld ground to arm at (0, 1, 0)\n"
        "joint b: spherical arm to hand at (0, 2, 0)\n",
        {0.0, {0.8, 0.0, 0.6, 0.0}, std::vector<double>(4)});
}

}  // namespace
}  // namespace lacon
