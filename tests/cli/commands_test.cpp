// What `check`, `eval`, `explain` and `fmt` print, as text and as JSON.
#include <gtest/gtest.h>

#include "program.hpp"

namespace lacon {
namespace {

const std::string pendulum =
    "param m = 1, L = 2, g = 9.81\ncoord x, y\nparticle bob at (x, y) mass m\ngravity (0, "
    "-g)\nconstraint rod: x^2 + y^2 = "
    "L^2\nstart x = L, y ~ 0\n";

TEST(Check, TellsCountsRankAndStartInTheKeysOfTheContract) {
    const Folder folder;
    folder.write("p.lac", pendulum);
    const Finished done = folder.run("check p.lac --json");
    ASSERT_EQ(done.status, 0) << done.err;
    const auto json = done.json();
    EXPECT_EQ(json["model"], "p");
    EXPECT_EQ(json["coordinates"], 2);
    EXPECT_EQ(json["constraints"], 1);
    EXPECT_EQ(json["kinds"],
              nlohmann::json({{"position", 1}, {"velocity", 0}, {"acceleration", 0}}));
    EXPECT_EQ(json["rank"], 1);
    EXPECT_EQ(json["degrees_of_freedom"], 1);
    EXPECT_GT(json["gap"], 1.0);
    EXPECT_EQ(json["redundant"], nlohmann::json::array());
    EXPECT_EQ(json["conflicts"], nlohmann::json::array());
    EXPECT_EQ(json["start"]["status"], "ok");
    EXPECT_EQ(json["start"]["moved"], nlohmann::json::object());
    EXPECT_EQ(json["status"], "ok");
    EXPECT_TRUE(done.err.empty());
}

TEST(Check, SaysInWordsWhatIsRedundant) {
    const Folder folder;
    folder.write("p.lac", pendulum + "constraint again: sqrt(x^2 + y^2) = L\n");
    const Finished done = folder.run("check p.lac");
    EXPECT_EQ(done.status, 0);
    EXPECT_NE(
        done.out.find(
            "dependent    'rod' and 'again' are equivalent (in all 12 states sampled nearby)\n"),
        std::string::npos)
        << done.out;
    EXPECT_EQ(folder.run("check p.lac --json").json()["redundant"],
              nlohmann::json::parse(R"([["rod", "again"]])"));
}

TEST(Check, SaysWhichJointsLockTheirLoop) {
    // Three bars and three pins are a triangle.
    const Folder folder;
    folder.write("p.lac",
                 "body a planar mass 1 inertia 1\nbody b planar mass 1 inertia 1\n"
                 "joint A: pin ground to a\njoint B: pin ground to b at (1, 0)\n"
                 "joint C: pin a to b at (1, 0), (1, 0)\nstart A ~ 1, B ~ 2\nsimulate 0..1\n");
    const Finished done = folder.run("check p.lac");
    EXPECT_NE(done.out.find("locked       nothing can move: the loops that 'C' closes lock"),
              std::string::npos)
        << done.out;
    EXPECT_EQ(folder.run("check p.lac --json").json()["locked"], nlohmann::json({"C"}));
}

/// A door on two hinges in line: how they share the push along their line is not unique.
TEST(Check, NamesOutputsThatAreNotUnique) {
    const Folder folder;
    folder.write("p.lac",
                 "body door mass 10 inertia (1, 1, 1) center (0.5, 0, 1)\ngravity (0, 0, -9.81)\n"
                 "joint low: revolute ground to door\n"
                 "joint high: revolute ground to door at (0, 0, 2), (0, 0, 2)\n"
                 "output low.force, high.force\nsimulate 0..0.1\n");
    for (const char* command : {"check", "eval", "run"}) {
        const Finished done = folder.run(std::string(command) + " p.lac");
        EXPECT_NE(done.out.find("not unique: "), std::string::npos) << command << done.out;
        EXPECT_NE(done.out.find("'high.force.z'"), std::string::npos) << command << done.out;
        const auto json = folder.run(std::string(command) + " p.lac --json").json();
        EXPECT_TRUE(json.contains("outputs_not_unique")) << command;
    }
}

TEST(Check, ConflictsFailWithTheSetThatConflicts) {
    const Folder folder;
    folder.write("p.lac",
                 "coord x, y\nparticle p at (x, y) mass 1\nconstraint a: x = 0\nconstraint b: x = "
                 "1\nconstraint c: y = 0\n");
    const Finished done = folder.run("check p.lac --json");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.json()["status"], "conflict");
    EXPECT_EQ(done.json()["conflicts"], nlohmann::json::parse(R"([["a", "b"]])"));
    EXPECT_EQ(done.json()["conflict"], nlohmann::json({"a", "b"}));
}

TEST(Check, IndependentConflictsStayApart) {
    const Folder folder;
    folder.write(
        "p.lac",
        "coord x, y\nparticle p at (x, y) mass 1\n"
        "constraint a: x = 1\nconstraint b: x = 2\nconstraint c: y = 1\nconstraint d: y = 2\n");
    EXPECT_EQ(folder.run("check p.lac --json").json()["conflicts"],
              nlohmann::json::parse(R"([["a", "b"], ["c", "d"]])"));
    EXPECT_TRUE(folder.run("eval p.lac --json").json()["acceleration"].is_null());
}

TEST(Check, TextAnswerStandsOnItsOwn) {
    const Folder folder;
    folder.write("p.lac", pendulum);
    EXPECT_EQ(folder.run("check p.lac").out,
              "p\n"
              "coordinates  2\n"
              "constraints  1 (1 at position level)\n"
              "start        consistent as given\n"
              "rank         1 of 1 (gap 1e+10)\n"
              "freedom      1 degree of freedom\n"
              "verdict      ok\n");
}

TEST(Check, UnmetConstraintsAreGivenWithTheirResiduals) {
    const Folder folder;
    folder.write("p.lac",
                 "coord x, y\nparticle p at (x, y) mass 1\nconstraint far: x^2 + y^2 = "
                 "1\nconstraint met: y = 0\nstart x = 3\n");
    const Finished done = folder.run("check p.lac --json");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.json()["status"], "no_start");
    ASSERT_EQ(done.json()["unmet"].size(), 1u) << done.out;
    EXPECT_EQ(done.json()["unmet"][0]["name"], "far");
    EXPECT_DOUBLE_EQ(done.json()["unmet"][0]["residual"].get<double>(), 8.0);
    EXPECT_EQ(folder.run("eval p.lac --json").json()["unmet"], done.json()["unmet"]);
    EXPECT_FALSE(folder.run("check p.lac --start x~3 --json").json().contains("unmet"));
}

TEST(Check, ADerivativeThatIsNotFiniteIsToldFromAValue) {
    const Folder folder;
    folder.write("root.lac", "coord x\nparticle p at (x, 0) mass 1\npotential sqrt(x)\n");
    EXPECT_EQ(folder.run("eval root.lac").err,
              "lacon: the potential energy has a derivative that is not finite at t = 0, x = 0, x' "
              "= 0\n");
    folder.write("rub.lac", "coord x, y\nparticle p at (x, y) mass 1\ndissipation norm(p')\n");
    EXPECT_EQ(folder.run("eval rub.lac").err,
              "lacon: the dissipation has a derivative that is not finite at t = 0, x = 0, y = 0, "
              "x' = 0, y' = 0\n");
    folder.write("row.lac", "coord x\nparticle p at (x, 0) mass 1\nconstraint c: sqrt(x) = 0\n");
    EXPECT_EQ(
        folder.run("eval row.lac --at x=0").err,
        "lacon: constraint 'c' has a derivative that is not finite at t = 0, x = 0, x' = 0\n");
    folder.write("pole.lac",
                 "coord x\nparticle p at (x, 0) mass 1\npotential 1/x\nforce x = 1/x\n");
    EXPECT_EQ(folder.run("eval pole.lac").err,
              "lacon: the potential energy has no finite value at t = 0, x = 0, x' = 0\n");
    EXPECT_EQ(folder.run("eval pole.lac --at x=1").status, 0);
}

TEST(Eval, GivesEveryKeyOfTheContract) {
    const Folder folder;
    folder.write("p.lac", pendulum);
    const Finished done = folder.run("eval p.lac --at \"x=0,y=-L,x'=3\" --json");
    ASSERT_EQ(done.status, 0) << done.err;
    const auto json = done.json();
    for (const char* key : {"model",
                            "t",
                            "coordinates",
                            "q",
                            "v",
                            "M",
                            "Q",
                            "A",
                            "b",
                            "a",
                            "e",
                            "rank",
                            "acceleration",
                            "constraint_force",
                            "nonideal_force",
                            "multipliers",
                            "gaussian",
                            "lagrangian",
                            "constraints",
                            "status"})
        EXPECT_TRUE(json.contains(key)) << key;
    // At the lowest point: tension m (v²/L + g), λ = −tension / (2 L).
    const double tension = 9.0 / 2.0 + 9.81;
    EXPECT_NEAR(json["acceleration"][1].get<double>(), 4.5, 1e-13);
    EXPECT_NEAR(json["constraint_force"][1].get<double>(), tension, 1e-13);
    EXPECT_NEAR(json["constraints"][0]["multiplier"].get<double>(), -tension / 4.0, 1e-13);
    EXPECT_NEAR(json["gaussian"].get<double>(), tension * tension, 1e-10);
    EXPECT_NEAR(json["lagrangian"]["V"].get<double>(), -19.62, 1e-13);
    EXPECT_EQ(json["constraints"][0]["kind"], "position");
    EXPECT_EQ(json["q"], nlohmann::json({0.0, -2.0}));
}

TEST(Eval, AStateFromOutsideIsTakenAsItIs) {
    const Folder folder;
    folder.write("p.lac", pendulum);
    const auto json = folder.run("eval p.lac --at x=3,y=0 --json").json();
    EXPECT_EQ(json["q"], nlohmann::json({3.0, 0.0}));
    EXPECT_DOUBLE_EQ(json["constraints"][0]["residual"].get<double>(), 5.0);
}

TEST(Eval, OutputsOfTheStateAreAmongTheOutputs) {
    const Folder folder;
    folder.write("p.lac", pendulum + "output r = hypot(x, y), x, t\noutput y', x\n");
    EXPECT_EQ(folder.run("eval p.lac --at \"t=3, x=0, y=-2, y'=1\" --json").json()["outputs"],
              nlohmann::json({{"t", 3.0}, {"x", 0.0}, {"y'", 1.0}, {"r", 2.0}}));
}

TEST(Eval, GuessesAndLoopsHaveNoPlaceInAState) {
    const Folder folder;
    folder.write("p.lac", pendulum);
    const Finished guess = folder.run("eval p.lac --at x~1 --json");
    EXPECT_EQ(guess.status, 2);
    EXPECT_NE(guess.err.find("--at:1:2: error: a guess '~' is allowed only in 'start'"),
              std::string::npos)
        << guess.err;
    EXPECT_EQ(guess.json()["model"], "p.lac");
    EXPECT_EQ(guess.json()["errors"][0]["file"], "--at");
    const Finished loop = folder.run("eval p.lac --at \"x[i]=2 for i in 1..3\"");
    EXPECT_EQ(loop.status, 2);
    EXPECT_NE(loop.err.find("a 'for' clause is allowed only in a model"), std::string::npos)
        << loop.err;
}

TEST(Eval, ConflictsGiveNoAcceleration) {
    const Folder folder;
    folder.write(
        "p.lac",
        "coord x\nparticle p at (x, 0) mass 1\nconstraint a: x = 0\nconstraint b: x = t^2\n");
    const Finished done = folder.run("eval p.lac --json");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.json()["status"], "conflict");
    EXPECT_EQ(done.json()["conflict"], nlohmann::json({"a", "b"}));
    EXPECT_TRUE(done.json()["acceleration"].is_null());
}

TEST(Options, SetChangesParametersAndFamilies) {
    const Folder folder;
    folder.write("c.lac",
                 "param N = 2\ncoord x[1..N]\nparticle p[i] at (x[i], 0) mass 1 for i in 1..N\n");
    EXPECT_EQ(folder.run("check c.lac --set N=7 --json").json()["coordinates"], 7);
    const Finished wrong = folder.run("check c.lac --set n=7");
    EXPECT_EQ(wrong.status, 2);
    EXPECT_NE(wrong.err.find("there is no parameter 'n'"), std::string::npos) << wrong.err;
    EXPECT_NE(wrong.err.find("'N'"), std::string::npos) << wrong.err;
}

TEST(Options, StartChangesTheStartState) {
    const Folder folder;
    folder.write("p.lac", pendulum);
    const auto json = folder.run("eval p.lac --start x=0,y~-1 --json").json();
    EXPECT_NEAR(json["q"][1].get<double>(), -2.0, 1e-14);
    EXPECT_EQ(folder.run("eval p.lac --start z=1").status, 2);
    folder.write("s.lac", "coord x, y\nparticle p at (x, y) mass 1\nstart x = 1, y = x + 1\n");
    EXPECT_EQ(folder.run("eval s.lac --start x=5 --json").json()["q"], nlohmann::json({5.0, 6.0}));
}

TEST(Options, RankToleranceDecidesTheRank) {
    const Folder folder;
    folder.write("p.lac",
                 "coord x, y\nparticle p at (x, y) mass 1\nconstraint a: x = 0\nconstraint b: x + "
                 "1e-6*y = 0\n");
    EXPECT_EQ(folder.run("check p.lac --json").json()["rank"], 2);
    EXPECT_EQ(folder.run("check p.lac --json --rank-tol 1e-4").json()["rank"], 1);
}

TEST(Explain, WritesTheWorkedExampleAsThePaperDoes) {
    const Folder folder;
    folder.write("e.lac",
                 "coord x, y, z\nparticle p at (x, y, z) mass 1\nconstraint rule: y' = z*x'\n");
    const Finished done = folder.run("explain e.lac");
    EXPECT_EQ(done.status, 0);
    EXPECT_NE(done.out.find("  x'' = -z*x'*z'/(z^2 + 1)\n  y'' = x'*z'/(z^2 + 1)\n  z'' = 0\n"),
              std::string::npos)
        << done.out;
    const Finished latex = folder.run("explain e.lac --latex");
    EXPECT_NE(latex.out.find("\\ddot{x} &= -\\frac{z \\, \\dot{x} \\, \\dot{z}}{{z}^{2} + 1}"),
              std::string::npos)
        << latex.out;
    EXPECT_EQ(folder.run("explain e.lac --json").json()["acceleration"][2], "0");
}

TEST(Explain, MultipliersHaveProperSubscriptsInLatex) {
    const Folder folder;
    folder.write("e.lac",
                 "coord x, y\nparticle p at (x, y) mass 1\nconstraint c_1: x = 0\nconstraint "
                 "rod[i]: (x, y) = 0 for i in 2..2\n");
    const std::string latex = folder.run("explain e.lac --latex").out;
    EXPECT_NE(latex.find("\\ddot{x} &= \\lambda_{c,1} + \\lambda_{\\mathrm{rod},2,x} \\\\"),
              std::string::npos)
        << latex;
}

TEST(Format, PrintsRewritesAndChecks) {
    const Folder folder;
    const std::string path = folder.write("f.lac", "coord   x  # a comment\nkinetic x'^2/2\n");
    const Finished printed = folder.run("fmt f.lac");
    EXPECT_EQ(printed.status, 0);
    EXPECT_EQ(printed.out, "coord x  # a comment\nkinetic x'^2/2\n");
    EXPECT_EQ(folder.run("fmt f.lac --check").status, 1);
    EXPECT_EQ(folder.run("fmt -i f.lac").status, 0);
    EXPECT_EQ(file_text(path), printed.out);
    EXPECT_EQ(folder.run("fmt f.lac --check").status, 0);
}

TEST(Format, BadInputChangesNothingOnDisk) {
    const Folder folder;
    const std::string path = folder.write("f.lac", "coord x\nkinetic (x'\n");
    EXPECT_EQ(folder.run("fmt -i f.lac").status, 2);
    EXPECT_EQ(file_text(path), "coord x\nkinetic (x'\n");
}

TEST(Usage, IsExplainedAndEndsWithTwo) {
    const Folder folder;
    EXPECT_EQ(folder.run("").status, 2);
    EXPECT_EQ(folder.run("--help").status, 0);
    EXPECT_EQ(folder.run("check --help").status, 0);
    EXPECT_EQ(folder.run("check").status, 2);
    const Finished typo = folder.run("chekc p.lac");
    EXPECT_EQ(typo.status, 2);
    EXPECT_NE(typo.err.find("did you mean 'check'?"), std::string::npos) << typo.err;
    const Finished missing = folder.run("check nowhere.lac");
    EXPECT_EQ(missing.status, 2);
    EXPECT_EQ(missing.err, "lacon: cannot read 'nowhere.lac': there is no such file\n");
    EXPECT_EQ(folder.run("check .").err, "lacon: cannot read '.': it is a folder\n");
    folder.write("empty.lac", "");
    EXPECT_NE(folder.run("check empty.lac").err.find("the model has no coordinates"),
              std::string::npos);
    EXPECT_EQ(folder.run("check empty.lac --rank-tol nan").status, 2);
    EXPECT_EQ(folder.run("check empty.lac --json --bogus").json()["status"], "error");
}

TEST(Usage, AFileThatCannotBeReadIsAnErrorInJsonLikeOthers) {
    const Folder folder;
    for (const std::string command : {"check", "eval", "explain", "fmt"}) {
        const Finished done = folder.run(command + " nowhere.lac --json");
        EXPECT_EQ(done.status, 2);
        EXPECT_EQ(done.json()["model"], "nowhere.lac");
        EXPECT_EQ(done.json()["status"], "error");
        ASSERT_EQ(done.json()["errors"].size(), 1u);
        EXPECT_EQ(done.json()["errors"][0]["message"],
                  "cannot read 'nowhere.lac': there is no such file");
    }
    folder.write("p.lac", pendulum);
    const auto json = folder.run("check p.lac --set LL=1 --json").json();
    EXPECT_EQ(json["model"], "p.lac");
    EXPECT_EQ(json["errors"][0]["message"], "there is no parameter 'LL'; did you mean 'L'?");
}

TEST(Usage, ErrorsOfAModelGoToStderrAndAreJsonOnRequest) {
    const Folder folder;
    folder.write("bad.lac", "coord x\nkinetic mass*x'^2/2\nkinetic 3*\n");
    const Finished done = folder.run("check bad.lac");
    EXPECT_EQ(done.status, 2);
    EXPECT_TRUE(done.out.empty());
    EXPECT_NE(done.err.find("bad.lac:2:9: error:"), std::string::npos) << done.err;
    const auto json = folder.run("check bad.lac --json").json();
    EXPECT_EQ(json["status"], "error");
    EXPECT_EQ(json["errors"][0]["line"], 2);
}

}  // namespace
}  // namespace lacon
