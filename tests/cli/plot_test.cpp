// `lacon plot`: which columns are drawn where, and what is refused.
#include <gtest/gtest.h>

#include "picture/plot.hpp"
#include "program.hpp"

namespace lacon {
namespace {

class Plot : public ::testing::Test {
protected:
    void SetUp() override {
        if (!can_plot()) GTEST_SKIP() << "gnuplot is not installed";
        folder_.write("p.csv",
                      "t,x,y,x',y',\"max(x, y)\"\n0,0,1,1,0,1\n1,1,0,1,-1,1\n2,0,-1,0,1,0\n");
    }
    bool has(const std::string& name) const {
        return std::filesystem::exists(folder_.path() / name);
    }

    Folder folder_;
};

TEST_F(Plot, DrawsTheCoordinatesIntoThisFolderAndSaysWhere) {
    const Finished done = folder_.run("plot p.csv");
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "p.svg\n");
    EXPECT_EQ(done.err, "");
    EXPECT_TRUE(has("p.svg"));
}

TEST_F(Plot, TakesNamesByCommasAndRepeatedAndTellsThemAsJson) {
    const Finished done = folder_.run("plot p.csv --y \"x', max(x, y)\" --y y --out a.png --json");
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.json()["file"], "a.png");
    EXPECT_EQ(done.json()["columns"], nlohmann::json({"x'", "max(x, y)", "y"}));
    EXPECT_EQ(file_text(folder_.path() / "a.png").substr(1, 3), "PNG");
}

TEST_F(Plot, DrawsOneColumnOverAnotherUnderATitle) {
    ASSERT_EQ(folder_.run("plot p.csv --x x --y \"x'\" --title 'The portrait' --out a.svg").status,
              0);
    EXPECT_NE(file_text(folder_.path() / "a.svg").find("<text>The portrait</text>"),
              std::string::npos);
}

TEST_F(Plot, WithoutTimeTheFirstColumnIsX) {
    folder_.write("m.csv", "load,bend\n0,0\n1,3\n");
    EXPECT_EQ(folder_.run("plot m.csv --json").json()["columns"], nlohmann::json({"bend"}));
}

TEST_F(Plot, ErrorsAreSentencesAndDrawNothing) {
    const auto says = [&](const std::string& arguments, const std::string& message) {
        const Finished done = folder_.run("plot " + arguments);
        EXPECT_EQ(done.status, 2) << arguments;
        EXPECT_EQ(done.err, "lacon: " + message + "\n");
        EXPECT_EQ(done.out, "");
    };
    const std::string columns = "the columns are 't', 'x', 'y', 'x'', 'y'' and 'max(x, y)'";
    says("p.csv --y z", "there is no column 'z'; " + columns);
    says("p.csv --x X", "there is no column 'X' (did you mean 'x'?); " + columns);
    says("p.csv --y x,,y", "--y: a name is missing in 'x,,y'");
    says("p.csv --out p.pdf", "cannot draw 'p.pdf': its name must end in .svg or .png");
    says("p.csv --out no/p.svg", "cannot write 'no/p.svg': No such file or directory");
    says("q.csv", "cannot read 'q.csv': there is no such file");
    says("p.lac", "cannot read 'p.lac': its name must end in .csv, .json or .h5");
    folder_.write("bad.csv", "t,x\n0,one\n");
    says("bad.csv", "cannot read 'bad.csv': row 1, column 'x': 'one' is not a number");
    EXPECT_EQ(folder_.run("plot bad.csv --json").json()["status"], "error");
    EXPECT_FALSE(has("p.svg"));
    EXPECT_FALSE(has("bad.svg"));
}

TEST_F(Plot, WithoutGnuplotItSaysWhatToInstall) {
    const std::string command =
        "cd '" + folder_.path().string() + "' && PATH= '" LACON_PROGRAM "' plot p.csv 2>err.txt";
    EXPECT_NE(std::system(command.c_str()), 0);
    EXPECT_EQ(
        file_text(folder_.path() / "err.txt"),
        "lacon: pictures are drawn by gnuplot, which is not installed: install gnuplot-nox\n");
    EXPECT_FALSE(has("p.svg"));
}

}  // namespace
}  // namespace lacon
