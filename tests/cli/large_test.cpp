// The commands on systems whose matrices are kept without their zeros.
#include <gtest/gtest.h>

#include "program.hpp"
#include "table/table.hpp"

namespace lacon {
namespace {

const std::string long_chain =
    "model \"Chain\"\nparam N = 1500, l = 0.25\ncoord x[1..N], y[1..N]\nlet P[0] = (0, 0)\nlet "
    "P[i] = (x[i], y[i]) for i in "
    "1..N\n"
    "particle bead[i] at P[i] mass 0.1 for i in 1..N\ngravity (0, -9.81)\n"
    "constraint link[i]: norm(P[i] - P[i-1]) = l for i in 1..N\nstart x[i] = i*l, y[i] = 0 for i "
    "in 1..N\n"
    "simulate 0..0.02 every 0.01\noutput energy, link[1].force\n";
const std::string twice = "constraint again[i]: norm(P[i] - P[i-1])^2 = l^2 for i in 101..140\n";

TEST(Large, CheckTellsSetsTogetherAndHowItSolves) {
    const Folder folder;
    folder.write("c.lac", long_chain + twice);
    const Finished text = folder.run("check c.lac");
    ASSERT_EQ(text.status, 0) << text.err;
    EXPECT_NE(text.out.find("'link[i]' and 'again[i]' are equivalent, 40 sets: i = 101..140"),
              std::string::npos)
        << text.out;
    EXPECT_NE(text.out.find("solve        sparse: Schur complement A M⁻¹ Aᵀ (1540 rows)"),
              std::string::npos)
        << text.out;
    const Finished done = folder.run("check c.lac --json");
    ASSERT_EQ(done.status, 0) << done.err;
    const auto json = done.json();
    for (const char* key :
         {"model", "coordinates", "constraints", "kinds", "rank", "degrees_of_freedom", "gap",
          "redundant", "conflicts", "start", "status", "diagnosis", "solve"})
        EXPECT_TRUE(json.contains(key)) << key;
    EXPECT_EQ(json["rank"], 1500);
    EXPECT_EQ(json["degrees_of_freedom"], 1500);
    ASSERT_EQ(json["redundant"].size(), 40u);
    EXPECT_EQ(json["redundant"][0], nlohmann::json({"link[101]", "again[101]"}));
}

TEST(Large, EvalGivesEntriesInsteadOfMatrices) {
    const Folder folder;
    folder.write("c.lac", long_chain);
    const Finished done = folder.run("eval c.lac --json");
    ASSERT_EQ(done.status, 0) << done.err;
    const auto json = done.json();
    EXPECT_EQ(json["M"]["rows"], 3000);
    EXPECT_EQ(json["A"]["columns"], 3000);
    EXPECT_EQ(json["A"]["entries"][1].size(),
              4u);  // the second link: of its four entries those of y vanish by value
    EXPECT_NEAR(json["acceleration"][3].get<double>(), 0.0,
                1e-12);  // let go straight and level, all beads
    EXPECT_NEAR(json["acceleration"][1503].get<double>(), -9.81, 1e-12);  //   begin in free fall
    EXPECT_NEAR(json["outputs"]["link[1].force"].get<double>(), 0.0, 1e-12);
    EXPECT_EQ(folder.run("eval c.lac").status, 0);
}

/// Pairs of column and value as a whole vector.
std::vector<double> whole(const nlohmann::json& entries, std::size_t n) {
    std::vector<double> row(n, 0.0);
    for (const auto& entry : entries) row[entry[0].get<std::size_t>()] = entry[1].get<double>();
    return row;
}

void expect_near(const nlohmann::json& a, const nlohmann::json& b, const std::string& what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_NEAR(a[i].get<double>(), b[i].get<double>(),
                    1e-9 * (1.0 + std::abs(b[i].get<double>())))
            << what << " " << i;
}

TEST(Large, EvalSaysKeyByKeyWhatTheDenseOneSays) {
    const Folder folder;
    folder.write(
        "c.lac",
        long_chain + "constraint again[i]: norm(P[i] - P[i-1])^2 = l^2 weight 3 for i in 11..20\n");
    const std::string command =
        "eval c.lac --set N=60 --at \"y[5]=0.1, x[3]'=0.2, y[7]'=-0.1\" --json --solver ";
    const Finished dense = folder.run(command + "dense"), sparse = folder.run(command + "sparse");
    ASSERT_EQ(dense.status, 0) << dense.err;
    ASSERT_EQ(sparse.status, 0) << sparse.err;
    const auto d = dense.json(), s = sparse.json();
    EXPECT_TRUE(s.contains("solve"));
    for (const auto& [key, value] : d.items()) EXPECT_TRUE(s.contains(key)) << key;
    for (const char* key : {"model", "t", "coordinates", "q", "v", "rank", "status"})
        EXPECT_EQ(d[key], s[key]) << key;
    for (const char* key :
         {"Q", "b", "a", "e", "acceleration", "constraint_force", "nonideal_force", "multipliers"})
        expect_near(s[key], d[key], key);
    EXPECT_NEAR(s["gaussian"].get<double>(), d["gaussian"].get<double>(),
                1e-9 * d["gaussian"].get<double>());
    EXPECT_GT(s["gaussian"].get<double>(), 1e-3);
    for (std::size_t r = 0; r < d["A"].size(); ++r)
        expect_near(whole(s["A"]["entries"][r], 120), d["A"][r], "A");
    ASSERT_EQ(s["constraints"].size(), 70u);
    for (std::size_t r = 0; r < 70; ++r) {
        const auto &of_d = d["constraints"][r], &of_s = s["constraints"][r];
        for (const auto& [key, value] : of_d.items()) EXPECT_TRUE(of_s.contains(key)) << key;
        EXPECT_EQ(of_s.size(), of_d.size());
        for (const char* key : {"name", "kind", "redundant", "unique"})
            EXPECT_EQ(of_s[key], of_d[key]) << key << " of " << r;
        EXPECT_EQ(of_s.value("weight", 0.0), of_d.value("weight", 0.0));
        expect_near(whole(of_s["force"], 120), of_d["force"], "force");
    }
    EXPECT_FALSE(s["constraints"][65]["unique"].get<bool>());
    EXPECT_GT(s["gap"].get<double>(), 1e3);  // of pivots, where the dense one is of singular values
}

TEST(Large, TheFreeMotionIsLeftOutWhereTheMassIsSingular) {
    const Folder folder;
    folder.write("c.lac", "coord x, y\nkinetic x'^2/2\npotential -x\nconstraint tie: y = 2*x\n");
    for (const std::string solver : {"dense", "sparse"}) {
        const auto json = folder.run("eval c.lac --json --solver " + solver).json();
        EXPECT_TRUE(json["a"].is_null()) << solver;
        EXPECT_TRUE(json["e"].is_null()) << solver;
        EXPECT_TRUE(json["gaussian"].is_null()) << solver;
        EXPECT_NEAR(json["acceleration"][1].get<double>(), 2.0, 1e-12) << solver;
    }
}

TEST(Large, RunWritesRowsAndSaysHowItSolved) {
    const Folder folder;
    folder.write("c.lac", long_chain);
    const Finished done = folder.run("run c.lac --json --out c.h5 --columns \"y[*], energy\"");
    ASSERT_EQ(done.status, 0) << done.err;
    const auto json = done.json();
    EXPECT_EQ(json["solve"].get<std::string>().substr(0, 7), "sparse:");
    EXPECT_EQ(json["undecided"], 0);
    const Table table = read_table((folder.path() / "c.h5").string());
    EXPECT_EQ(table.info.names.size(), 1502u);
    ASSERT_EQ(table.rows(), 3u);
    EXPECT_NEAR(table.columns[1500][2], -0.5 * 9.81 * 0.02 * 0.02,
                1e-9);  // the free end falls freely at first
}

TEST(Large, WhatWasNeverMeasuredIsNotToldAsZero) {
    const Folder folder;
    folder.write("c.lac",
                 "coord x\nkinetic x'^2/2\nconstraint a: x^2 = -1\nsimulate 0..1 every 0.1\n");
    for (const std::string solver : {"dense", "sparse"}) {
        const Finished done = folder.run("run c.lac --json --solver " + solver);
        EXPECT_EQ(done.status, 1) << solver;
        const auto json = done.json();
        EXPECT_EQ(json["status"], "no_start") << solver;
        for (const char* key : {"worst", "energy", "rank"})
            for (const auto& [name, value] : json[key].items())
                EXPECT_TRUE(value.is_null()) << solver << ": " << key << "." << name;
        const std::string text = folder.run("run c.lac --solver " + solver).out;
        for (const char* line : {"  rank  ", "  energy  ", "largest residual"})
            EXPECT_EQ(text.find(line), std::string::npos) << solver << ": " << text;
    }
}

TEST(Large, ARunWithDenseMatricesThatWillTakeLongSaysSoAtOnce) {
    const Folder folder;
    folder.write(
        "c.lac",
        long_chain + "constraint odd: y[3]'' = 1\nconstraint even: y[3]'' = 2\n");  // and comes to
                                                                                    // its end soon
    const Finished done = folder.run("run c.lac --set N=200 --method dop853");
    EXPECT_TRUE(
        done.err.starts_with("warning: the sparse solver does not support the method 'dop853' yet, "
                             "and matrices are dense: a step is estimated to take "))
        << done.err;
    EXPECT_EQ(folder.run("run c.lac --set N=200 --method dop853 --quiet").err, "");
    EXPECT_EQ(folder.run("run c.lac --set N=200").err, "");
    EXPECT_EQ(folder.run("run c.lac --set N=20 --method dop853").err, "");
}

TEST(Large, AListThatConnectsSomethingWithItselfIsToldByItsRow) {
    const Folder folder;
    folder.write("bars.csv", "i,j\n1,2\n2,2\n");
    folder.write("c.lac",
                 "coord x[1..2], y[1..2]\nlet P[i] = (x[i], y[i]) for i in 1..2\nparticle b[i] at "
                 "P[i] mass 1 for i in 1..2\n"
                 "constraint rod[k]: norm(P[i] - P[j]) = 1 for k, (i, j) in data "
                 "\"bars.csv\"\nstart x[1] = 1\n");
    const Finished odd = folder.run("check c.lac");
    EXPECT_NE(odd.err.find("'rod[2]' contains no coordinate, so nothing can enforce it"),
              std::string::npos)
        << odd.err;
    EXPECT_NE(odd.err.find("hint: row 3 of 'bars.csv' makes it so"), std::string::npos) << odd.err;
}

TEST(Large, ASolverThatIsUnknownOrCannotBeIsRefused) {
    const Folder folder;
    folder.write("c.lac", long_chain);
    EXPECT_EQ(folder.run("run c.lac --solver nothing").status, 2);
    for (const std::string more : {"--method rk4", "--diagnose"}) {
        const Finished done = folder.run("run c.lac --solver sparse " + more);
        EXPECT_EQ(done.status, 2) << more;
        EXPECT_NE(done.err.find("the sparse solver does not support"), std::string::npos)
            << done.err;
    }
}

TEST(Large, AnAuditOfALargeSystemIsRefused) {
    const Folder folder;
    folder.write("c.lac", long_chain);
    const Finished done = folder.run("check c.lac --audit");
    EXPECT_EQ(done.status, 2);
    EXPECT_NE(done.err.find("cannot be audited yet"), std::string::npos) << done.err;
}

TEST(Large, ConstraintsThatContradictAtTheStartAreNoRedundantOnes) {
    const Folder folder;
    folder.write("c.lac",
                 "coord x, p[1..1100]\nkinetic x'^2/2\nkinetic p[i]'^2/2 for i in "
                 "1..1100\nconstraint a: x = 1\n"
                 "constraint b: x = 2\n");
    const Finished done = folder.run("check c.lac --json");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.json()["conflicts"], nlohmann::json::parse(R"([["a", "b"]])"));
    EXPECT_EQ(done.json()["redundant"], nlohmann::json::array());
}

TEST(Large, ConflictsAreNamedAndEndWithStatusOne) {
    const Folder folder;
    folder.write("c.lac",
                 long_chain + "constraint odd: y[700]'' = 1\nconstraint even: y[700]'' = 2\n");
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
