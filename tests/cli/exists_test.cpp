// `lacon exists`, and `check --at`, as a user meets them.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/program.hpp"

namespace lacon {
namespace {

const std::string model = "'" LACON_SOURCE_DIR "/models/pendulum.lac'";

TEST(ExistsCommand, JsonHasWhatWasProven) {
    const Finished done = Folder().run("exists " + model + " --radius 0.1 --span 0.5 --json");
    EXPECT_EQ(done.status, 0);
    const auto json = done.json();
    EXPECT_EQ(json["status"], "ok");
    EXPECT_EQ(json["dimension"], 4);
    EXPECT_EQ(json["D"], 0.1);
    EXPECT_EQ(json["rank"], 1);
    EXPECT_EQ(json["rows"], nlohmann::json::parse(R"(["rod"])"));
    EXPECT_EQ(json["unique"], true);
    const double h = 0.1 / (1.0 + json["mu"].get<double>() * 2.0);
    EXPECT_LE(json["h"].get<double>(), h);
    EXPECT_NEAR(json["h"].get<double>(), h, 1e-15);
    EXPECT_GE(json["h_box"].get<double>(), json["h"].get<double>());
    EXPECT_LE(json["mu_reached"].get<double>(), json["mu"].get<double>());
}

TEST(ExistsCommand, CouldNotProveIsAnAnswerWithoutNumbers) {
    const Finished done = Folder().run("exists " + model + " --radius 1.2 --json");
    EXPECT_EQ(done.status, 1);
    const auto json = done.json();
    EXPECT_EQ(json["status"], "unproven");
    EXPECT_TRUE(json["h"].is_null());
    EXPECT_TRUE(json["mu"].is_null());
    EXPECT_NE(json["message"].get<std::string>().find("may drop near x = "), std::string::npos);
    EXPECT_NE(done.err.find("could not prove"), std::string::npos);
}

TEST(ExistsCommand, FollowsTheMotionAndSaysHowFar) {
    const auto json = Folder().run("exists " + model + " --radius 0.1 --until 0.5 --json").json();
    EXPECT_EQ(json["verified"]["complete"], true);
    EXPECT_EQ(json["verified"]["until"], 0.5);
    EXPECT_EQ(json["verified"]["low"].size(), 4u);
    EXPECT_EQ(json["verified"]["steps"].size(), json["verified"]["boxes"].get<std::size_t>());

    const Folder folder;
    folder.write("gone.lac", "coord x\nkinetic x'^2/2\nforce x = 6*x^2\nstart x = 1, x' = 2\n");
    const Finished gone = folder.run("exists gone.lac --until 2");
    EXPECT_EQ(gone.status, 1);
    EXPECT_NE(gone.out.find("stopped there: "), std::string::npos) << gone.out;
}

TEST(ExistsCommand, BadOptionsAreRefused) {
    for (const char* option :
         {"--radius 0", "--radius -1", "--radius nan", "--radius inf", "--span x", "--span nan",
          "--until soon", "--until nan", "--until inf", "--budget -3", "--budget 0"})
        EXPECT_EQ(Folder().run("exists " + model + " " + option).status, 2) << option;
    EXPECT_EQ(Folder().run("exists " + model + " --at 'w=1'").status, 2);
}

TEST(ExistsCommand, TakesAStateAsItIs) {
    const auto json =
        Folder().run("exists " + model + " --at \"x=0, y=-1, x'=3\" --radius 0.05 --json").json();
    EXPECT_EQ(json["q"], nlohmann::json::parse("[0.0, -1.0]"));
    EXPECT_EQ(json["status"], "ok");
}

TEST(CheckCommand, LooksAtAnyState) {
    const std::string linkage = "'" LACON_SOURCE_DIR "/models/parallelogram.lac'";
    const Finished done = Folder().run("check " + linkage + " --at 'x1=1, y1=0, x2=3, y2=0'");
    EXPECT_EQ(done.status, 0);
    EXPECT_NE(done.out.find("state        as given; largest constraint residual 0\n"),
              std::string::npos)
        << done.out;
    EXPECT_NE(done.out.find("rank         2 of 4"), std::string::npos) << done.out;
    EXPECT_NE(done.out.find("singular     "), std::string::npos) << done.out;
}

}  // namespace
}  // namespace lacon
