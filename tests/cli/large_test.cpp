// The commands on systems whose matrices are kept without their zeros.
#include <gtest/gtest.h>

#include "program.hpp"
#include "table/table.hpp"

namespace lacon {
namespace {

const std::string chain =
    "model \"Chain\"\nparam N = 1500, l = 0.25\ncoord x[1..N], y[1..N]\nlet P[0] = (0, 0)\nlet P[i] = (x[i], y[i]) for i in "
    "1..N\n"
    "particle bead[i] at P[i] mass 0.1 for i in 1..N\ngravity (0, -9.81)\n"
    "constraint link[i]: norm(P[i] - P[i-1]) = l for i in 1..N\nstart x[i] = i*l, y[i] = 0 for i in 1..N\n"
    "simulate 0..0.02 every 0.01\noutput energy, link[1].force\n";
const std::string twice = "constraint again[i]: norm(P[i] - P[i-1])^2 = l^2 for i in 101..140\n";

TEST(Large, CheckTellsSetsTogetherAndHowItSolves) {
    const Folder folder;
    folder.write("c.lac", chain + twice);
    const Finished text = folder.run("check c.lac");
    ASSERT_EQ(text.status, 0) << text.err;
    EXPECT_NE(text.out.find("'link[i]' and 'again[i]' say the same thing, 40 sets: i = 101..140"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("solve        sparse: A M⁻¹ Aᵀ of 1540 rows"), std::string::npos) << text.out;
    const Finished done = folder.run("check c.lac --json");
    ASSERT_EQ(done.status, 0) << done.err;
    const auto json = done.json();
    for (const char* key : {"model", "coordinates", "constraints", "kinds", "rank", "degrees_of_freedom", "gap", "redundant",
                            "conflicts", "start", "status", "diagnosis", "solve"})
        EXPECT_TRUE(json.contains(key)) << key;
    EXPECT_EQ(json["rank"], 1500);
    EXPECT_EQ(json["degrees_of_freedom"], 1500);
    ASSERT_EQ(json["redundant"].size(), 40u);
    EXPECT_EQ(json["redundant"][0], nlohmann::json({"link[101]", "again[101]"}));
}

TEST(Large, EvalGivesEntriesInsteadOfMatrices) {
    const Folder folder;
    folder.write("c.lac", chain);
    const Finished done = folder.run("eval c.lac --json");
    ASSERT_EQ(done.status, 0) << done.err;
    const auto json = done.json();
    EXPECT_EQ(json["M"]["rows"], 3000);
    EXPECT_EQ(json["A"]["columns"], 3000);
    EXPECT_EQ(json["A"]["entries"][1].size(), 4u);  // the second link: of its four entries those of y vanish by value
    EXPECT_NEAR(json["acceleration"][3].get<double>(), 0.0, 1e-12);       // let go straight and level, all beads
    EXPECT_NEAR(json["acceleration"][1503].get<double>(), -9.81, 1e-12);  //   begin in free fall
    EXPECT_NEAR(json["outputs"]["link[1].force"].get<double>(), 0.0, 1e-12);
    EXPECT_EQ(folder.run("eval c.lac").status, 0);
}

TEST(Large, RunWritesRowsAndSaysHowItSolved) {
    const Folder folder;
    folder.write("c.lac", chain);
    const Finished done = folder.run("run c.lac --json --out c.h5 --columns \"y[*], energy\"");
    ASSERT_EQ(done.status, 0) << done.err;
    const auto json = done.json();
    EXPECT_EQ(json["solve"].get<std::string>().substr(0, 7), "sparse:");
    EXPECT_EQ(json["undecided"], 0);
    const Table table = read_table((folder.path() / "c.h5").string());
    EXPECT_EQ(table.info.names.size(), 1502u);
    ASSERT_EQ(table.rows(), 3u);
    EXPECT_NEAR(table.columns[1500][2], -0.5 * 9.81 * 0.02 * 0.02, 1e-9);  // the free end falls freely at first
}

TEST(Large, ASolverThatIsUnknownOrCannotBeIsRefused) {
    const Folder folder;
    folder.write("c.lac", chain);
    EXPECT_EQ(folder.run("run c.lac --solver nothing").status, 2);
    for (const std::string more : {"--method rk4", "--diagnose"}) {
        const Finished done = folder.run("run c.lac --solver sparse " + more);
        EXPECT_EQ(done.status, 2) << more;
        EXPECT_NE(done.err.find("the sparse solve cannot have"), std::string::npos) << done.err;
    }
}

TEST(Large, AnAuditOfALargeSystemIsRefused) {
    const Folder folder;
    folder.write("c.lac", chain);
    const Finished done = folder.run("check c.lac --audit");
    EXPECT_EQ(done.status, 2);
    EXPECT_NE(done.err.find("cannot be audited yet"), std::string::npos) << done.err;
}

TEST(Large, ConstraintsThatContradictAtTheStartAreNoRedundantOnes) {
    const Folder folder;
    folder.write("c.lac",
                 "coord x, p[1..1100]\nkinetic x'^2/2\nkinetic p[i]'^2/2 for i in 1..1100\nconstraint a: x = 1\n"
                 "constraint b: x = 2\n");
    const Finished done = folder.run("check c.lac --json");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.json()["conflicts"], nlohmann::json::parse(R"([["a", "b"]])"));
    EXPECT_EQ(done.json()["redundant"], nlohmann::json::array());
}

TEST(Large, ConflictsAreNamedAndEndWithStatusOne) {
    const Folder folder;
    folder.write("c.lac", chain + "constraint odd: y[700]'' = 1\nconstraint even: y[700]'' = 2\n");
    for (const char* command : {"check c.lac --json", "eval c.lac --json", "run c.lac --json"}) {
        const Finished done = folder.run(command);
        EXPECT_EQ(done.status, 1) << command;
        const auto json = done.json();
        EXPECT_EQ(json["status"], "conflict") << command;
        EXPECT_EQ(json["conflict"], nlohmann::json({"odd", "even"})) << command;
    }
}

}  // namespace
}  // namespace lacon
