// `import` in a model: the robot's statements stand in its place.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "lacon/mechanism.hpp"
#include "lang/lang.hpp"

namespace lacon {

namespace {

const std::string folder = std::string(LACON_SOURCE_DIR) + "/tests/robot/files/";

Mechanism model_of(const std::string& text) {
    return Mechanism::parse(text, folder + "model.lac");
}

/// What is wrong with a model, as it is reported.
std::string report(const std::string& text) {
    try {
        model_of(text);
    } catch (const ModelError& error) {
        return error.what();
    }
    return "nothing";
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST(Import, RobotMovesAsAPendulum) {
    const Mechanism m = model_of("import \"arm.urdf\"\nstart shoulder = 0.3\n");
    ASSERT_EQ(m.coordinates(), std::vector<std::string>{"shoulder"});
    // About y, gravity pulls a bar along x down: (I + m r²) q'' = m g r cos q.
    const Evaluation at = m.evaluate({0, {0.3}, {0.5}});
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_NEAR(at.solution.acceleration[0], 2 * 9.81 * 0.5 * std::cos(0.3) / (0.2 + 2 * 0.25),
                1e-13);
}

TEST(Import, NamesBeginWithThePrefixAndRobotsCanBeImportedTwice) {
    const Mechanism m = model_of(
        "import \"arm.urdf\" as left\nimport \"arm.urdf\" as right fixed\n"
        "constraint same: left_shoulder = right_shoulder\n");
    EXPECT_EQ(m.coordinates(), (std::vector<std::string>{"left_shoulder", "right_shoulder"}));
}

TEST(Import, OwnGravityAndStartComeFirst) {
    const Mechanism m = model_of(
        "gravity (0, 0, 0)\nimport \"arm.urdf\" floating\nstart base_x = 2, shoulder' = 1\n");
    const Start start = m.start();
    ASSERT_TRUE(start.status) << start.status.message;
    EXPECT_EQ(start.state.q[*m.coordinate_index("base_x")], 2);
    const Evaluation at = m.evaluate({0, start.state.q, std::vector<double>(8)});
    for (const double a : at.solution.acceleration) EXPECT_NEAR(a, 0, 1e-14);
}

TEST(Import, FaultsOfTheFileAreReportedInTheFile) {
    const std::string said = report("import \"broken.urdf\"\noutput forearm.mass\n");
    EXPECT_TRUE(has(said, "broken.urdf:6:18: error: there is no link 'forarm'")) << said;
    EXPECT_TRUE(has(said, "    <child link=\"forarm\"/>\n                   ^~~~~~\n")) << said;
    EXPECT_FALSE(has(said, "forearm.mass"));  // no echo
}

TEST(Import, FaultsOfWhatIsMadeAreReportedAtTheElementItIsMadeFrom) {
    const std::string said = report("coord shoulder\nkinetic shoulder'^2/2\nimport \"arm.urdf\"\n");
    EXPECT_TRUE(has(said, "arm.urdf:10:4: error: 'shoulder' is declared twice")) << said;
    const std::string twice = report("import \"arm.urdf\"\nimport \"arm.urdf\"\n");
    EXPECT_TRUE(has(twice, "the first declaration is in line 10 of ")) << twice;
}

TEST(Import, LinesBehindKeepTheirPlaces) {
    const std::string said = report("import \"arm.urdf\"\noutput shulder\n");
    EXPECT_TRUE(has(said, "model.lac:2:8: error: ")) << said;
    EXPECT_TRUE(has(said, "shoulder")) << said;
}

TEST(Import, FilesOutsideTheFolderAndMissingOnesAreNotRead) {
    EXPECT_TRUE(has(report("import \"../urdf_test.cpp\"\n"), "outside the model's folder"));
    EXPECT_TRUE(has(report("import \"none.urdf\"\n"), "model.lac:1:8: error: cannot read "));
    EXPECT_TRUE(has(report("import arm\n"), "the name of a robot file, a text in quotes"));
    EXPECT_TRUE(has(report("import \"arm.urdf\" for i in 1..2\n"), "cannot be repeated"));
    EXPECT_TRUE(has(report("import \"arm.urdf\" ass x\n"), "did you mean 'as'?"));
}

TEST(Import, ParametersOfActuatorsCanBeSet) {
    const Mechanism m = model_of("import \"motor.xml\"\n");
    const double driven =
        m.with_parameters({{"drive", 2.0}}).evaluate({0, {0}, {0}}).solution.acceleration[0];
    EXPECT_NEAR(driven, 2.0 * 3 / 4, 1e-14);  // gear times control by the moment of inertia
}

TEST(Import, ConvertedTextIsCanonicalAndReadsAsAModel) {
    Diagnostics diagnostics;
    const std::string text = convert_robot(folder + "arm.urdf", {}, diagnostics).text;
    EXPECT_TRUE(diagnostics.all().empty());
    Diagnostics unused;
    EXPECT_EQ(format_model(SourceText("arm.lac", text), unused), text);
    EXPECT_EQ(Mechanism::parse(text).coordinates(), std::vector<std::string>{"shoulder"});
}

TEST(Import, CanonicalFormKeepsTheStatement) {
    Diagnostics unused;
    EXPECT_EQ(
        format_model(SourceText("a", "import   \"arm.urdf\"   as  left   floating\n"), unused),
        "import \"arm.urdf\" as left floating\n");
}

}  // namespace lacon
