// What `lacon check` prints, word by word; only the number of the gap, which is rounding, is left
// out.

#include <regex>

#include "cli/program.hpp"
#include "diagnosis_tests.hpp"

namespace lacon {
namespace {

std::string without_gap(const std::string& text) {
    return std::regex_replace(text, std::regex(R"(\(gap [^)]*\))"), "(gap G)");
}

std::string check_of_model(const std::string& file) {
    const Finished done = Folder().run("check '" + model_path(file) + "'");
    EXPECT_EQ(done.status, 0) << done.err;
    return without_gap(done.out);
}

TEST(CheckText, ADoorOnTwoFullHinges) {
    EXPECT_EQ(
        check_of_model("door.lac"),
        "Door on two full hinges\ncoordinates  6\nconstraints  10 (10 at position level)\nstart    "
        "    corrected to meet the constraints: x by 0.0299014, y by 0.0329841, x' by -0.132984, "
        "y' by 0.429901\nrank         5 of 10 (gap G)\nfreedom      1 degree of freedom\ndependent "
        "   'lower.z' and 'upper.z' are equivalent (in all 12 states sampled nearby)\ndependent    "
        "'lower_axis.x' and 'upper_axis.x' are equivalent (in all 12 states sampled "
        "nearby)\ndependent    'lower_axis.y' and 'upper_axis.y' are equivalent (in all 12 states "
        "sampled nearby)\ndependent    'lower.x', 'lower_axis.x' and 'upper.x' depend on each "
        "other: any one follows from the others (in all 12 states sampled nearby)\ndependent    "
        "'lower.y', 'lower_axis.y' and 'upper.y' depend on each other: any one follows from the "
        "others (in all 12 states sampled nearby)\nforces       not unique: 'lower', 'lower_axis', "
        "'upper' and 'upper_axis'; minimum-norm values are reported\noutputs      not unique: "
        "'lower.force' and 'upper.force'\nverdict      ok\n");
}

TEST(CheckText, ATableHeldByFourLegs) {
    EXPECT_EQ(
        check_of_model("table_held.lac"),
        "Table held by four legs\ncoordinates  3\nconstraints  4 (4 at position level)\nstart      "
        "  consistent as given\nrank         3 of 4 (gap G)\nfreedom      0 degrees of "
        "freedom\ndependent    'leg[1..4]' depend on each other: any one follows from the others "
        "(the constraints allow no other state nearby)\nforces       not unique: 'leg[1..4]'; "
        "minimum-norm values are reported\n             'leg[1]' +1, 'leg[2]' -1, 'leg[3]' +1, "
        "'leg[4]' -1 can be added in any multiple\noutputs      not unique: 'leg[1].force', "
        "'leg[2].force', 'leg[3].force' and 'leg[4].force'\nverdict      ok\n");
}

TEST(CheckText, APlanarFourBarInSpace) {
    EXPECT_EQ(
        check_of_model("four_bar_space.lac"),
        "Planar four-bar linkage in space\ncoordinates  6\nconstraints  6 (6 at position "
        "level)\nstart        corrected to meet the constraints: y1 by -0.0339746, x2 by 0.111057, "
        "y2 by 0.0695594, x1' by 1.63539, y1' by 0.787857, x2' by -0.886555, y2' by "
        "-0.139628\nrank         5 of 6 (gap G)\nfreedom      1 degree of freedom\ndependent    "
        "'crank_plane', 'rocker_plane' and 'coupler_plane' depend on each other: any one follows "
        "from the others (in all 12 states sampled nearby)\nforces       not unique: "
        "'crank_plane', 'rocker_plane' and 'coupler_plane'; minimum-norm values are reported\n     "
        "        'crank_plane' +1, 'rocker_plane' -1, 'coupler_plane' +1 can be added in any "
        "multiple\noutputs      not unique: 'crank_plane.reaction', 'rocker_plane.reaction' and "
        "'coupler_plane.reaction'\nverdict      ok\n");
}

TEST(CheckText, AParallelogramInItsFlatPosition) {
    EXPECT_EQ(
        check_of_model("flat_parallelogram.lac"),
        "Parallelogram in its flat position\ncoordinates  4\nconstraints  3 (3 at position "
        "level)\nstart        consistent as given\nrank         2 of 3 (gap G)\nfreedom      2 "
        "degrees of freedom\ndependent    'left', 'coupler' and 'right' depend on each other: any "
        "one follows from the others (in this position only: independent in all 12 states sampled "
        "nearby)\nsingular     the rank is 2 here and 3 in states nearby; freed here: y1, y2; in "
        "nearby states they only move as y1 by 1 with y2 by 1, or y1 by -1 with y2 by 3\nforces    "
        "   not unique: 'left', 'coupler' and 'right'; minimum-norm values are reported\n          "
        "   'left' +1, 'coupler' +1, 'right' -1 can be added in any multiple\noutputs      not "
        "unique: 'left.reaction', 'coupler.reaction' and 'right.reaction'\nverdict      ok\n");
}

TEST(CheckText, ARedundantLink) {
    EXPECT_EQ(check_of_model("parallelogram.lac"),
              "Parallelogram with a redundant link\ncoordinates  4\nconstraints  4 (4 at position "
              "level)\nstart        corrected to meet the constraints: y1 by 0.303293, y2 by "
              "0.303293\nrank         3 of 4 (gap G)\nfreedom      1 degree of freedom\ndependent  "
              "  'left', 'right' and 'middle' depend on each other: any one follows from the "
              "others (in all 12 states sampled nearby)\nforces       not unique: 'left', 'right' "
              "and 'middle'; minimum-norm values are reported\n             'left' +0.5, 'right' "
              "+0.5, 'middle' -1 can be added in any multiple\noutputs      not unique: "
              "'left.reaction', 'middle.reaction' and 'right.reaction'\nverdict      ok\n");
}

TEST(CheckText, TwoConflictingRods) {
    const Folder folder;
    folder.write(
        "rods.lac",
        "model \"Two rods\"\ncoord x, y\nparticle p at (x, y) mass 1\n"
        "constraint rod: norm(p) = 2\nconstraint bar: norm(p) = 1.5\nstart x ~ 1, y ~ 1\n");
    const Finished done = folder.run("check rods.lac");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(without_gap(done.out),
              "Two rods\ncoordinates  2\nconstraints  2 (2 at position level)\nstart        "
              "constraints 'rod' and 'bar' conflict at position level: no state meets them all; "
              "the best compromise misses 'rod' by -0.25, 'bar' by 0.25\nrank         1 of 2 (gap "
              "G)\nfreedom      1 degree of freedom\nconflict     'bar' requires 1.5 where 'rod' "
              "already fixes 2\nverdict      conflict\n");
}

TEST(CheckText, AConstraintEnteredThreeTimes) {
    const Folder folder;
    folder.write(
        "three.lac",
        "model \"Said three times\"\ncoord x, y\nparticle p at (x, y) mass 1\ngravity (0, -9.81)\n"
        "constraint rod: x^2 + y^2 = 4\nconstraint again: norm(p) = 2\nconstraint thrice: 3*x^2 + "
        "3*y^2 = 12\n"
        "start x = 2, y = 0\n");
    EXPECT_EQ(
        without_gap(folder.run("check three.lac").out),
        "Said three times\ncoordinates  2\nconstraints  3 (3 at position level)\nstart        "
        "consistent as given\nrank         1 of 3 (gap G)\nfreedom      1 degree of "
        "freedom\ndependent    'rod', 'again' and 'thrice' are equivalent (in all 12 states "
        "sampled nearby)\nforces       not unique: 'rod', 'again' and 'thrice'; minimum-norm "
        "values are reported\n             'rod' +0.25, 'again' -1 can be added in any multiple\n  "
        "           'rod' +1, 'thrice' -0.3333 can be added in any multiple\nverdict      ok\n");
}

TEST(CheckText, RowsThatAreOnlyNearlyParallelSayWhatSetsThemApart) {
    const std::vector<std::pair<const char*, const char*>> cases = {{"x' + y'*1e-18 = 0", "1e-18"},
                                                                    {"x' + 3e-13*y' = 0", "3e-13"}};
    for (const auto& [row, apart] : cases) {
        const Folder folder;
        folder.write("p.lac",
                     std::string("coord x, y\nparticle p at (x, y) mass 1\nconstraint a: x' = 0\n"
                                 "constraint b: ") +
                         row + "\n");
        const std::string text = folder.run("check p.lac").out;
        EXPECT_NE(text.find(std::string("'a' and 'b' are equivalent up to ") + apart +
                            " of their length, which is below the rank tolerance 1e-10"),
                  std::string::npos)
            << text;
        EXPECT_NEAR(folder.run("check p.lac --json")
                        .json()["diagnosis"]["dependent"][0]["apart"]
                        .get<double>(),
                    std::stod(apart), 1e-3 * std::stod(apart));
    }
}

TEST(CheckText, AccelerationsThatContradict) {
    const Folder folder;
    folder.write("c.lac",
                 "coord x, y\nparticle p at (x, y) mass 1\nconstraint pin: x'' = 1\nconstraint "
                 "rail: y'' = 0.5\n"
                 "constraint rod: x'' + y'' = 2\n");
    const Finished done = folder.run("check c.lac");
    EXPECT_EQ(done.status, 1);
    EXPECT_NE(done.out.find("conflict     'rod' requires 2 where 'pin' and 'rail' already fix 1.5 "
                            "(as accelerations) (in all 12 states sampled nearby)\n"),
              std::string::npos)
        << done.out;
    EXPECT_TRUE(done.out.ends_with("verdict      conflict\n")) << done.out;
}

TEST(CheckText, OneSidedConstraintsContradictWithoutWrongNumbers) {
    const Folder folder;
    folder.write("o.lac", "coord x\nkinetic x'^2/2\nconstraint a: x >= 1\nconstraint b: x = 0\n");
    const Finished done = folder.run("check o.lac");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.out.find("allows nothing nearer"), std::string::npos) << done.out;
    EXPECT_NE(done.out.find("conflict     'b' and 'a' contradict each other"), std::string::npos)
        << done.out;
}

TEST(CheckText, NumbersThatConflictAreToldApart) {
    const Folder folder;
    folder.write("n.lac",
                 "coord x\nkinetic x'^2/2\nconstraint a: x = 1\nconstraint b: x = 1.00000001\n");
    EXPECT_NE(
        folder.run("check n.lac").out.find("'b' requires 1.00000001 where 'a' already fixes 1\n"),
        std::string::npos)
        << folder.run("check n.lac").out;
}

TEST(CheckText, RowsThatAreNearlyDependentAreNotCalledContradictory) {
    const Folder folder;
    folder.write("h.lac",
                 "coord x, z\nparticle p at (x, z) mass 1\ngravity (0, -9.81)\nconstraint a: x = "
                 "0\nconstraint b: x + 1e-11*z = 0\n");
    const Finished done = folder.run("check h.lac");
    EXPECT_EQ(done.status, 1);
    EXPECT_NE(
        done.out.find("undecided    'a' and 'b' depend on each other within the rank tolerance, "
                      "but not exactly: treated as dependent, they cannot all be met"),
        std::string::npos)
        << done.out;
}

TEST(CheckText, AFamilyIsNamedByItsRange) {
    const Folder folder;
    folder.write("f.lac",
                 "coord x[1..5]\nkinetic sum(x[i]'^2 for i in 1..5)/2\nconstraint step[i]: x[i+1] "
                 "- x[i] = 0 for i in 1..4\n"
                 "constraint ends: x[5] - x[1] = 0\n");
    EXPECT_NE(
        folder.run("check f.lac")
            .out.find(
                "dependent    'step[1..4]' and 'ends' depend on each other: any one follows from "
                "the others (in all 12 states sampled nearby)\n"),
        std::string::npos);
}

TEST(CheckJson, HasTheDiagnosisAndTheAudit) {
    const auto json =
        Folder().run("check '" + model_path("four_bar_space.lac") + "' --audit --json").json();
    EXPECT_EQ(json["diagnosis"]["rank"]["rank"], 5);
    EXPECT_EQ(json["diagnosis"]["rank"]["decided"], true);
    EXPECT_EQ(json["diagnosis"]["dependent"][0]["persistence"], "structural");
    EXPECT_EQ(
        json["diagnosis"]["reactions"][0],
        nlohmann::json::parse(
            R"({"name": "crank", "unique": true, "rows": [{"name": "crank", "unique": true}]})"));
    EXPECT_TRUE(json["diagnosis"]["singular"].is_null());
    ASSERT_GE(json["audit"].size(), 7u);
    for (const auto& line : json["audit"]) EXPECT_EQ(line["ok"], true) << line;
}

TEST(EvalJson, MarksMultipliersThatAreNotUnique) {
    const auto json = Folder().run("eval '" + model_path("four_bar_space.lac") + "' --json").json();
    EXPECT_EQ(json["constraints"][0]["unique"], true);
    EXPECT_EQ(json["constraints"][5]["unique"], false);
    EXPECT_EQ(json["diagnosis"]["null_forces"][0]["constraints"].size(), 3u);
}

}  // namespace
}  // namespace lacon
