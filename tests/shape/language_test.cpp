// Shapes and contacts as the language has them: names, masses, points, and what is kept of them.
#include <filesystem>
#include <fstream>

#include "expr/traverse.hpp"
#include "lang/parse/named_files.hpp"
#include "lang/reading.hpp"
#include "shape/solids.hpp"

namespace lacon {
namespace {

/// Mass, centre and inertia of a body, from its constants.
std::vector<double> inertia(const Model& model, std::size_t body) {
    Graph graph = model.graph;
    ExprMap<Expr> values;
    for (const Parameter& parameter : model.parameters)
        values.insert(parameter.symbol, graph.constant(parameter.value));
    const std::vector<Expr> all = model.forms.expressions(model.bodies[body].constants, graph);
    std::vector<double> numbers;
    for (std::size_t i = all.size() - Body::inertia_count; i < all.size(); ++i)
        numbers.push_back(graph.value(substitute(graph, all[i], values)));
    return numbers;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_NEAR(a[i], b[i], 1e-13 * (1 + std::abs(b[i]))) << i;
}

std::vector<std::string> rows(const Model& model) {
    std::vector<std::string> names;
    for (const ConstraintRow& row : model.constraints)
        if (row.sense != ConstraintRow::Sense::equal) names.push_back(row.name);
    return names;
}

TEST(ShapeStatement, ADensityGivesMassCenterAndInertia) {
    const Model model = read(R"(
        param R = 0.5, rho = 3
        body b shape sphere R at (1, 2, 3) density rho)");
    const double m = 3 * 4.0 / 3.0 * shape::pi / 8, I = 0.4 * m / 4;
    expect_near(inertia(model, 0), {m, 1, 2, 3, I, I, I, 0, 0, 0});
}

TEST(ShapeStatement, AMassIsSharedByTheShapes) {
    const Model model = read(R"(
        body b mass 3 shape box (1, 1, 1) at (1, 0, 0) shape box (1, 1, 2) at (-0.5, 0, 0))");
    // 1 and 2 parts at 1 and −0.5: the centre is the origin; and 2 (1² + 2²)/12 + 1 (1 + 1)/12 …
    expect_near(inertia(model, 0), {3, 0, 0, 0, 10 / 12. + 2 / 12., 10 / 12. + 2 / 12. + 1.5,
                                    4 / 12. + 2 / 12. + 1.5, 0, 0, 0});
}

TEST(ShapeStatement, MassAndInertiaGivenHold) {
    const Model model = read("body b mass 3 inertia (1, 2, 2.5) center (0, 0, 1) shape sphere 7\n");
    expect_near(inertia(model, 0), {3, 0, 0, 1, 1, 2, 2.5, 0, 0, 0});
}

TEST(ShapeStatement, ATurnedShapeHasProductsOfInertia) {
    const Model model =
        read("body b shape box (1, 2, 3) turned rotation((0, 0, 1), pi/4) density 1\n");
    // About z: Ixx = Iyy = (13 + 10)/4, Ixy = −∫xy = (13 − 10)/4 of the tensor.
    expect_near(inertia(model, 0), {6, 0, 0, 0, 23 / 4., 23 / 4., 2.5, 3 / 4., 0, 0});
}

TEST(ShapeStatement, PlanarBodiesHaveOneMoment) {
    const Model model = read("body b planar shape rectangle (1, 2) at (3, 4) density 5\n");
    expect_near(inertia(model, 0), {10, 3, 4, 0, 0, 0, 10 * 5 / 12., 0, 0, 0});
}

TEST(ShapeStatement, AMeshIsReadFromTheModelsFolder) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "meshes";
    std::filesystem::create_directories(folder / "below");
    std::ofstream(folder / "below/corner.obj")
        << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    const SourceText source((folder / "a.lac").string(),
                            "body b[i] shape mesh \"below/corner.obj\" scale 2 density 3 for i in "
                            "1..2\nbody c shape mesh \"../corner.obj\" density 1\n");
    const Parsed parsed = parse_model(source);
    ASSERT_EQ(parsed.diagnostics.error_count(), 1u);
    EXPECT_EQ(parsed.diagnostics.all().front().message,
              "'../corner.obj' is outside the model's folder and is not read");
    EXPECT_EQ(named_files(source).front(), (folder / "below/corner.obj").string());
    const Parsed fine = parse_model(
        SourceText((folder / "a.lac").string(),
                   "body b shape mesh \"below/corner.obj\" scale (2, 2, -2) density 3\n"));
    ASSERT_TRUE(fine.model);
    EXPECT_NEAR(inertia(*fine.model, 0)[0], 3 * 8 / 6.0, 1e-14);
    EXPECT_NEAR(inertia(*fine.model, 0)[3], -0.5, 1e-14);
}

TEST(ShapeStatement, SeveralShapesMayFollowByCommas) {
    const Model model = read(R"(
        body b density 1 shape capsule 0.5, 2, sphere 1 at (0, 0, 3),
            cylinder 1, 2 drawn)");
    const double m = 4.0 / 3.0 * shape::pi, capsule = shape::pi * 0.25 * 2 + m / 8;
    EXPECT_NEAR(inertia(model, 0)[0], m + capsule, 1e-13);
}

TEST(ShapeStatement, WhatIsDrawnNeitherWeighsNorTouches) {
    const Model model = read(R"(
        body b mass 3 shape sphere 2 drawn
        body ground shape plane
        body c mass 1 shape sphere 2, box (1, 1, 1) drawn
        contact c with ground)");
    expect_near(inertia(model, 0), {3, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    EXPECT_EQ(rows(model), std::vector<std::string>{"c_on_ground"});
}

TEST(ShapeStatement, AMeshThatWeighsNothingNeedNotBeClosed) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "open";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "sheet.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const auto parsed = [&](const std::string& text) {
        return parse_model(SourceText((folder / "a.lac").string(), text));
    };
    const Parsed open = parsed("body b shape mesh \"sheet.obj\" density 1\n");
    ASSERT_EQ(open.diagnostics.error_count(), 1u);
    EXPECT_TRUE(open.diagnostics.all()[0].message.starts_with("'sheet.obj' is not closed"));
    const Parsed fine = parsed(
        "body b mass 1 inertia (1, 1, 1) shape mesh \"sheet.obj\"\nbody ground shape plane\n"
        "contact b with ground\n");
    ASSERT_TRUE(fine.model);
    EXPECT_EQ(rows(*fine.model).size(), 3u);
}

TEST(ContactStatement, IsNamedAfterItsBodiesOrAsGiven) {
    const Model model = read(R"(
        body ball[i] shape sphere 1 density 1 for i in 1..3
        body crate shape box (1, 1, 1) density 1
        body ground shape plane
        contact ball[i] with ball[j] for i in 1..3, j in i+1..3
        contact ball[i] with ground for i in 1..2
        contact last[k]: ball[3] with crate for k in 5..5
        contact pill: crate with ground
        output ball_on_ground[2].force, pill[8].force, pill.force, last[5].residual)");
    EXPECT_EQ(rows(model),
              (std::vector<std::string>{
                  "ball_on_ball[1,2]", "ball_on_ball[1,3]", "ball_on_ball[2,3]",
                  "ball_on_ground[1]", "ball_on_ground[2]", "last[5]", "pill[1]", "pill[2]",
                  "pill[3]", "pill[4]", "pill[5]", "pill[6]", "pill[7]", "pill[8]"}));
}

TEST(ContactStatement, AllShapesOfOneBodyMeetAllOfTheOther) {
    const Model model = read(R"(
        body dumbbell shape sphere 1 at (0, 0, 2) shape sphere 1 at (0, 0, -2) density 1
        body ground shape sphere 1 at (3*i, 0, 0) for i in 1..2
        body ground shape plane
        contact dumbbell with ground restitution 0.5 friction 0.2)");
    EXPECT_EQ(rows(model).size(), 6u);
    ASSERT_EQ(model.frictions.size(), 6u);
    EXPECT_EQ(model.frictions[5].constraint, "dumbbell_on_ground[6]");
    EXPECT_EQ(model.frictions[5].normal.size(), 3u);
}

TEST(ContactStatement, ContactAndShapeAreFreeAsNames) {
    const Model model = read("param shape = 2, contact = 3\ncoord x\npotential shape*contact*x\n");
    EXPECT_EQ(model.parameters.size(), 2u);
}

}  // namespace
}  // namespace lacon
