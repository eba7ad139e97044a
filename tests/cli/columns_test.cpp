// `--columns`: which columns a run writes, also when it is resumed.
#include <gtest/gtest.h>

#include <cmath>

#include "picture/plot.hpp"
#include "program.hpp"
#include "table/table.hpp"

/// `lacon run --columns`.
namespace lacon {
namespace {

const std::string chain =
    "model \"Chain\"\nparam N = 3, g = 9.81\ncoord x[1..N], y[1..N]\nparticle p[i] at (x[i], y[i]) "
    "mass 1 for i in 1..N\n"
    "gravity (0, -g)\nconstraint link[1]: x[1]^2 + y[1]^2 = 1\n"
    "constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1 for i in 2..N\n"
    "start x[i] = i, y[i] = 0 for i in 1..N\nsimulate 0..1 every 0.1\noutput energy, "
    "link[1].force, link[2].force\n";

class Columns : public ::testing::Test {
protected:
    void SetUp() override { folder_.write("c.lac", chain); }
    Table table(const std::string& name) const {
        return read_table((folder_.path() / name).string());
    }

    Folder folder_;
};

TEST_F(Columns, AreThoseOfTheWholeTableInItsOrder) {
    ASSERT_EQ(folder_.run("run c.lac --quiet --out whole.h5").status, 0);
    const Table whole = table("whole.h5");
    for (const char* file : {"a.csv", "a.json", "a.h5"}) {
        const Finished done = folder_.run(
            std::string(
                "run c.lac --quiet --columns \"link[*].force, x[*]\" --columns \"y[3]'\" --out ") +
            file);
        ASSERT_EQ(done.status, 0) << done.err;
        const Table some = table(file);
        ASSERT_EQ(some.info.names, (std::vector<std::string>{"t", "x[1]", "x[2]", "x[3]", "y[3]'",
                                                             "link[1].force", "link[2].force"}));
        const std::size_t places[] = {0, 1, 2, 3, 12, 14, 15};
        for (std::size_t j = 0; j < some.columns.size(); ++j) {
            EXPECT_EQ(whole.info.names[places[j]], some.info.names[j]);
            EXPECT_EQ(whole.columns[places[j]], some.columns[j])
                << file << ": " << some.info.names[j];
            const bool keeps_texts = file[2] != 'c';
            EXPECT_EQ(some.info.texts[j], keeps_texts ? whole.info.texts[places[j]] : "");
        }
    }
}

TEST_F(Columns, NamesThatNoColumnHasAreRefusedAndTouchNoFile) {
    folder_.write("keep.csv", "mine");
    const auto says = [&](const std::string& columns, const std::string& begin) {
        const Finished done = folder_.run("run c.lac --out keep.csv --columns \"" + columns + "\"");
        EXPECT_EQ(done.status, 2);
        EXPECT_TRUE(done.err.starts_with("--columns: " + begin)) << done.err;
        EXPECT_EQ(file_text(folder_.path() / "keep.csv"), "mine");
    };
    says("x[4]", "there is no column 'x[4]' (did you mean 'x[1]'?); the columns are 't', 'x[1]', ");
    says("z[*]", "there is no column 'z[*]' (did you mean 'x[*]'?); ");
    says("x[1],", "a name is missing in 'x[1],'");
    const Finished done = folder_.run("run c.lac --columns enrgy --json");
    EXPECT_EQ(done.status, 2);
    EXPECT_NE(done.json()["errors"].dump().find("did you mean 'energy'?"), std::string::npos)
        << done.out;
}

TEST_F(Columns, AResumedRunWritesTheSameOnes) {
    const std::string options = " --tol 1e-6 --method dop853 --columns 'x[*], energy' --quiet";
    ASSERT_EQ(folder_.run_and_signal(
                  "run c.lac --t-end 1e6 --force --out p.h5 --checkpoint c.ckpt" + options, SIGTERM,
                  "c.ckpt"),
              130);
    const double reached =
        nlohmann::json::parse(file_text(folder_.path() / "c.ckpt"))["snapshot"]["time"][0];
    const std::string end = std::to_string(reached + 1.0);
    EXPECT_EQ(folder_.run("run c.lac --resume c.ckpt --columns energy").status, 2)
        << "the columns are the checkpoint's";
    const Finished resumed = folder_.run("run c.lac --resume c.ckpt --quiet --t-end " + end);
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    ASSERT_EQ(folder_.run("run c.lac --out q.h5 --t-end " + end + options).status, 0);
    EXPECT_EQ(table("p.h5").info.names,
              (std::vector<std::string>{"t", "x[1]", "x[2]", "x[3]", "energy"}));
    EXPECT_TRUE(file_text(folder_.path() / "p.h5") == file_text(folder_.path() / "q.h5"));
}

/// 221 of them: HDF5 keeps the rows in compressed chunks.
TEST_F(Columns, OfAWideTableAreGoneOnWithToTheSameBytes) {
    folder_.write("wide.lac",
                  "param N = 110\ncoord x[1..N]\nparticle p[i] at (x[i], 0) mass i for i in 1..N\n"
                  "potential sum(x[i]^2 for i in 1..N)\nstart x[i] = 1 for i in 1..N\nsimulate "
                  "0..1 every 0.01\n");
    const std::string options = " --method rk4 --quiet";
    ASSERT_EQ(folder_.run_and_signal(
                  "run wide.lac --t-end 1e5 --force --out p.h5 --checkpoint c.ckpt" + options,
                  SIGKILL, "c.ckpt"),
              137);
    const double reached =
        nlohmann::json::parse(file_text(folder_.path() / "c.ckpt"))["snapshot"]["time"][0];
    const std::string end = std::to_string(reached + 1.0);
    const Finished resumed = folder_.run("run wide.lac --resume c.ckpt --quiet --t-end " + end);
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    ASSERT_EQ(folder_.run("run wide.lac --out q.h5 --t-end " + end + options).status, 0);
    EXPECT_TRUE(file_text(folder_.path() / "p.h5") == file_text(folder_.path() / "q.h5"));
    const Table whole = table("p.h5");
    ASSERT_EQ(whole.columns.size(), 221u);
    for (std::size_t row = 0; row < whole.rows(); row += 50) {
        // rk4 runs late by w^5 h^4/120 = 3e-12 a unit of time.
        const double t = whole.columns[0][row];
        ASSERT_NEAR(whole.columns[8][row], std::cos(std::sqrt(2.0 / 8.0) * t), 1e-10 * (1.0 + t))
            << "t = " << t;
    }
}

TEST_F(Columns, AVeryLargeFileIsToldBeforeTheRun) {
    // The start is in conflict: nothing is computed.
    folder_.write("no.lac",
                  "coord x\nparticle p at (x, 0) mass 1\nconstraint a: x = 0\nconstraint b: x = "
                  "1\nsimulate 0..1\n");
    const auto told = [&](const std::string& options) {
        const Finished done = folder_.run("run no.lac --force " + options);
        EXPECT_EQ(done.status, 1);
        return done.err.substr(0, done.err.find('\n'));
    };
    EXPECT_EQ(told("--every 1e-8 --out a.csv"),
              "warning: 'a.csv' will have 3 columns and 1e+08 rows: about 5.4 GB; to make it "
              "smaller, write fewer columns (--columns) or rows (--every)");
    EXPECT_EQ(told("--every 2e-9 --columns x --out a.h5"),
              "warning: 'a.h5' will have 2 columns and 5e+08 rows: about 8 GB; to make it smaller, "
              "write fewer columns (--columns) or rows (--every)");
    for (const char* options :
         {"--every 1e-8 --out a.h5", "--every 1e-8 --columns x --out a.csv", "--every 1e-8"})
        EXPECT_EQ(told(options).find("GB"), std::string::npos) << options;
    EXPECT_EQ(told("--every 1e-8 --out a.csv --quiet").find("GB"), std::string::npos);
}

TEST_F(Columns, ArePlottedWhereTheyAreNamed) {
    if (!can_plot()) GTEST_SKIP() << "gnuplot is not installed";
    const Finished done = folder_.run("run c.lac --quiet --columns \"y[2]', energy\" --plot a.svg");
    ASSERT_EQ(done.status, 0) << done.err;
    const std::string svg = file_text(folder_.path() / "a.svg");
    EXPECT_NE(svg.find("energy"), std::string::npos);
    const Finished nothing = folder_.run("run c.lac --columns t --plot b.svg");
    EXPECT_EQ(nothing.status, 2);
    EXPECT_EQ(nothing.err, "--columns: there is nothing to draw: no column but 't'\n");
    ASSERT_EQ(folder_.run("run c.lac --quiet --out a.csv").status, 0);
    EXPECT_EQ(folder_.run("plot a.csv --y \"y[*], x[2]*\" --json").json()["columns"],
              nlohmann::json({"y[1]", "y[2]", "y[3]", "x[2]", "x[2]'"}));
}

}  // namespace
}  // namespace lacon
