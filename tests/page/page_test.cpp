// Pages: numbers survive packing, rows are thinned within what is stated, nothing is fetched.
#include "page/page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "page/measures.hpp"
#include "page/page_data.hpp"
#include "page/thin_rows.hpp"
#include "pipeline.hpp"
#include "table/folder.hpp"

namespace lacon {
namespace {

TEST(PageData, EveryFloatSurvives) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<double> t{0.0, 0.1, 1e300};
    const std::vector<FloatColumn> columns{
        {0.0F, -0.0F, 1.0F}, {-1e-40F, infinity, -infinity}, {3.25F, -7e30F, 1.17549435e-38F}};
    const Unpacked back = unpacked(packed(t, columns), 3, 3);
    EXPECT_EQ(back.t, t);
    EXPECT_EQ(back.columns, columns);
    EXPECT_TRUE(std::signbit(back.columns[0][1]));
}

TEST(PageData, SmoothColumnsShrink) {
    std::vector<double> t;
    FloatColumn wave;
    for (int i = 0; i < 4000; ++i) {
        t.push_back(0.001 * i);
        wave.push_back(static_cast<float>(std::sin(0.001 * i)));
    }
    const std::string plain = packed(t, std::vector<FloatColumn>{wave}).substr(32000);
    EXPECT_EQ(plain.size(), 16000u);
    EXPECT_LT(gzipped(plain).size(), 10500u);
}

TEST(PageData, Base64OfAllLengths) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("\xff\xfe\xfd\xfc"), "//79/A==");
}

TEST(ThinRows, LinesBetweenKeptRowsMissNoneByMore) {
    std::vector<double> t;
    std::vector<std::vector<float>> columns(2);
    for (int i = 0; i <= 6000; ++i) {
        t.push_back(0.001 * i);
        columns[0].push_back(static_cast<float>(std::sin(t.back())));
        columns[1].push_back(i < 3000 ? 0.0F : 1.0F);  // a jump stays where it is
    }
    const std::vector<double> sizes{2.0, 1.0};
    const std::vector<std::ptrdiff_t> rates{-1, -1};
    const ThinRows thin = thin_rows({t, columns, rates, sizes}, 1e-4);
    EXPECT_LT(thin.kept.size(), 700u);
    EXPECT_EQ(thin.kept.front(), 0u);
    EXPECT_EQ(thin.kept.back(), 6000u);
    double worst = 0.0;
    for (std::size_t k = 0; k + 1 < thin.kept.size(); ++k)
        for (std::size_t i = thin.kept[k]; i <= thin.kept[k + 1]; ++i)
            for (std::size_t c = 0; c < 2; ++c) {
                const std::size_t a = thin.kept[k], b = thin.kept[k + 1];
                const double w = (t[i] - t[a]) / (t[b] - t[a]);
                const double line = columns[c][a] + w * (columns[c][b] - columns[c][a]);
                worst = std::max(worst, std::abs(line - columns[c][i]) / sizes[c]);
            }
    EXPECT_LE(worst, 1e-4);
    EXPECT_NEAR(thin.error, worst, 1e-12);
}

TEST(ThinRows, CubicCurvesNeedFewerRowsForTheSameError) {
    std::vector<double> t;
    std::vector<std::vector<float>> columns(2);
    for (int i = 0; i <= 20000; ++i) {
        t.push_back(0.001 * i);
        columns[0].push_back(static_cast<float>(std::sin(t.back())));
        columns[1].push_back(static_cast<float>(std::cos(t.back())));
    }
    const std::vector<double> sizes{2.0, 0.0};
    const std::vector<std::ptrdiff_t> lines{-1, -1}, curves{1, -1};
    const ThinRows straight = thin_rows({t, columns, lines, sizes}, 1e-5);
    const ThinRows curved = thin_rows({t, columns, curves, sizes}, 1e-5);
    EXPECT_LT(3 * curved.kept.size(), straight.kept.size());
    // Hermite's error of a sine: h⁴/384, relative to its width 2, and rounding of floats.
    double longest = 0.0;
    for (std::size_t k = 0; k + 1 < curved.kept.size(); ++k)
        longest = std::max(longest, t[curved.kept[k + 1]] - t[curved.kept[k]]);
    EXPECT_LE(curved.error, std::pow(longest, 4) / 384 / 2 + 1e-7);
}

/// Rows of a state that stays.
struct Still {
    Still(const std::string& text, const std::vector<double>& q) {
        PictureNotes notes;
        notes.joint_forces = true;
        run_ = build(SourceText("test.lac", text));
        pictured_ = build(SourceText("test.lac", text), {}, &notes);
        scene = make_scene(*pictured_.details, notes);
        State state{0.0, q, std::vector<double>(q.size())}, more = state;
        const std::size_t n = pictured_.details->coordinate_names.size();
        more.q.resize(n);
        more.v.resize(n);
        const Measured measured{*run_.details, *pictured_.details, {&state, 1}, {&more, 1}};
        measures = measure(measured, scene, {});
    }
    /// Force or torque of the first arrow of that name.
    std::array<float, 3> arrow(const std::string& name, bool turns = false) const {
        for (const ForceArrow& one : measures.arrows)
            if (one.name == name && one.turns == turns)
                return {measures.arrow_columns[one.first][0],
                        measures.arrow_columns[one.first + 1][0],
                        measures.arrow_columns[one.first + 2][0]};
        ADD_FAILURE() << "no arrow " << name;
        return {};
    }

    Built run_, pictured_;
    Scene scene;
    Measures measures;
};

TEST(Arrows, AHingeCarriesWhatHangsOnIt) {
    const Still still(
        "body arm planar mass 2 inertia 0.1 center (0, -1)\njoint hinge: pin ground to arm\n"
        "gravity (0, -10)\n",
        {0.0});
    EXPECT_FLOAT_EQ(still.arrow("hinge")[0], 0.0F);
    EXPECT_FLOAT_EQ(still.arrow("hinge")[1], 20.0F);
}

TEST(Arrows, AWeldHoldsATorqueToo) {
    const Still still(
        "body arm mass 2 inertia (1, 1, 1) center (3, 0, 0)\nbody hand mass 1 inertia (1, 1, 1)\n"
        "joint slide: prismatic ground to arm axis (0, 1, 0)\njoint weld: weld arm to hand\n"
        "gravity (0, 0, -10)\n",
        {0.0});
    EXPECT_FLOAT_EQ(still.arrow("slide")[2], 30.0F);
    EXPECT_FLOAT_EQ(still.arrow("slide", true)[1],
                    -60.0F);  // r × F of the support: −(3, 0, 0) × weight
    EXPECT_FLOAT_EQ(still.arrow("weld")[2], 10.0F);
}

TEST(Arrows, AContactPushesAndRubsAtThePointOfContact) {
    const Still still(
        "body ball planar shape disk 0.5 mass 2\nbody ground shape line\n"
        "contact c: ball with ground friction 1\nforce ball = (3, 0)\ngravity (0, -10)\n"
        "start ball_y = 0.5\n",
        {0.0, 0.5, 0.0});
    EXPECT_NEAR(still.arrow("c")[1], 20.0, 1e-5);
    // A disk that rolls: of the force at its middle the ground holds J/(J + m r²) = 1/3.
    EXPECT_NEAR(still.arrow("c")[0], -1.0, 1e-5);
    const auto at = still.scene.forces[0].at;
    SceneValues values(*still.pictured_.details, still.scene);
    std::vector<double> numbers(values.count());
    values.at({0.0, {0.0, 0.5, 0.0}, {0.0, 0.0, 0.0}}, numbers);
    EXPECT_NEAR(numbers[at[1]], 0.0, 1e-15);
}

TEST(Arrows, ARodBetweenBodiesPullsAtBothEnds) {
    const Still still(
        "body a planar mass 1 inertia 1\nbody b planar mass 1 inertia 1\n"
        "constraint rod: norm(a(0, 1) - b(0, -1)) = 4\ngravity (0, 0)\n"
        "force a = (0, 5)\nforce b = (0, -5)\n",
        {0.0, 3.0, 0.0, 0.0, -3.0, 0.0});
    EXPECT_NEAR(still.arrow("rod")[1], -5.0, 1e-5);
    EXPECT_EQ(still.measures.arrows.size(), 2u);
}

/// The page of a pendulum of two rows, made with a file that stands for what web/ is built to.
std::string pendulum_page(const std::string& title) {
    const testing::Folder folder;
    const std::string file = folder / "page.html";
    std::ofstream(file) << "<title><!-- LACON TITLE --></title><!-- LACON RUN -->";
    ::setenv("LACON_PAGE", file.c_str(), 1);
    const Built built = build(SourceText(
        "pendulum.lac", "model \"" + title +
                            "\"\ncoord x, y\nparticle P at (x, y) mass 1\ngravity (0, -1)\n"
                            "constraint rod: norm(P) = 1\nsimulate 0..1\n"));
    const PageRun run{*built.details,
                      {"t", "x", "y", "x'", "y'"},
                      {{0.0, 1.0}, {1.0, 0.0}, {0.0, -1.0}, {0.0, -1.0}, {0.0, 0.0}},
                      {},
                      {},
                      {}};
    std::string page = page_of(run);
    ::unsetenv("LACON_PAGE");
    return page;
}

TEST(Page, HoldsTheRunAndNothingThatIsFetched) {
    const std::string page = pendulum_page("Pendulum");
    EXPECT_NE(page.find("<title>Pendulum</title>"), page.npos);
    EXPECT_NE(page.find("<script type=\"text/plain\" id=\"run\">H4sI"), page.npos);
    EXPECT_EQ(page.find("://"), page.npos);
}

TEST(Page, TitlesAreText) {
    const std::string page = pendulum_page("a < b & <script>");
    EXPECT_NE(page.find("<title>a &lt; b &amp; &lt;script></title>"), page.npos);
}

TEST(Page, WithoutTheScriptSaysWhatIsMissing) {
    ::setenv("LACON_PAGE", "/nowhere/page.html", 1);
    const std::string why = why_no_page();
    ::unsetenv("LACON_PAGE");
    EXPECT_NE(why.find("nodejs"), why.npos) << why;
}

}  // namespace
}  // namespace lacon
