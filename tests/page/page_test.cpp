// Pages: numbers survive packing, rows are thinned within what is stated, nothing is fetched.
#include "page/page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

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
    const ThinRows thin = thin_rows({t, columns, sizes}, 1e-4);
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
