// Nothing is lost: no file that is read is written over, and what cannot be written is said.

#include <gtest/gtest.h>

#include "picture/plot.hpp"
#include "program.hpp"
#include "table/table.hpp"

namespace lacon {
namespace {

const std::string driven_by_files =
    "data road = \"road.csv\" beyond hold\ncoord x, y[1..2]\nparticle p at (x, 0) mass 1\n"
    "particle n[i] at (y[i], 1) mass 1 for i in 1..2\npotential (y[i] - y[j])^2 for (i, j) in data "
    "\"links.csv\"\n"
    "force x = road(t)\nsimulate 0..1 every 0.1\n";

class Files : public ::testing::Test {
protected:
    Files() {
        folder_.write("p.lac", driven_by_files);
        folder_.write("road.csv", road_);
        folder_.write("links.csv", links_);
    }
    void link(const char* to, const char* name) {
        std::filesystem::create_symlink(to, folder_.path() / name);
    }
    void hard_link(const char* to, const char* name) {
        std::filesystem::create_hard_link(folder_.path() / to, folder_.path() / name);
    }
    void refuses(const std::string& arguments, const std::string& message) {
        const Finished done = folder_.run(arguments);
        EXPECT_EQ(done.status, 2) << arguments << done.out;
        EXPECT_EQ(done.err, message + "\n") << arguments;
        EXPECT_EQ(file_text(folder_.path() / "p.lac"), driven_by_files);
        EXPECT_EQ(file_text(folder_.path() / "road.csv"), road_);
        EXPECT_EQ(file_text(folder_.path() / "links.csv"), links_);
    }
    /// The program with its standard output somewhere else.
    Finished run_into(const std::string& target, const std::string& arguments) {
        const auto err = folder_.path() / "err.txt";
        const std::string command = "cd '" + folder_.path().string() + "' && '" LACON_PROGRAM "' " +
                                    arguments + " >" + target + " 2>'" + err.string() + "'";
        const int raw = std::system(command.c_str());
        return {WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, "", file_text(err)};
    }

    Folder folder_;
    std::string road_ = "0,0\n0.5,1\n1,0\n", links_ = "1,2\n";
};

TEST_F(Files, WhatTheModelReadsIsNotWrittenOver) {
    refuses("run p.lac --out road.csv",
            "--out: 'road.csv' is a file that the model reads; it would be overwritten");
    refuses("run p.lac --out ./links.csv",
            "--out: './links.csv' is a file that the model reads; it would be overwritten");
    refuses("run p.lac --checkpoint road.csv",
            "--checkpoint: 'road.csv' is a file that the model reads; it would be overwritten");
    link("road.csv", "soft.csv");
    hard_link("links.csv", "hard.json");
    refuses("run p.lac --out soft.csv",
            "--out: 'soft.csv' is a file that the model reads; it would be overwritten");
    refuses("run p.lac --out hard.json",
            "--out: 'hard.json' is a file that the model reads; it would be overwritten");
    EXPECT_EQ(folder_.run("run p.lac --out other.csv --quiet").status, 0);
}

TEST_F(Files, NorIsTheModelItself) {
    hard_link("p.lac", "p.csv");
    link("p.lac", "p.h5");
    refuses("run p.lac --out p.csv", "--out: 'p.csv' is the model; it would be overwritten");
    refuses("run p.lac --out p.h5", "--out: 'p.h5' is the model; it would be overwritten");
    refuses("run p.lac --checkpoint p.lac",
            "--checkpoint: 'p.lac' is the model; it would be overwritten");
    if (!can_plot()) GTEST_SKIP() << "gnuplot is not installed";
    link("p.lac", "p.svg");
    refuses("run p.lac --plot p.svg", "--plot: 'p.svg' is the model; it would be overwritten");
    folder_.write("r.csv", "t,x\n0,1\n1,2\n");
    hard_link("r.csv", "r.svg");
    refuses("plot r.csv --out r.svg",
            "--out: 'r.svg' is the result that is drawn; it would be overwritten");
    EXPECT_EQ(folder_.run("plot r.csv").status, 2);  // r.svg is its picture's name, too
}

TEST_F(Files, NoFileIsWrittenTwice) {
    refuses("run p.lac --out a.csv --checkpoint ./a.csv",
            "--checkpoint: './a.csv' is already used by --out");
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "a.csv"));
}

TEST_F(Files, OfFeedforwardAndAlongAreKept) {
    folder_.write("c.lac",
                  "coord x\nkinetic x'^2/2\ncontrol go: x = sin(t) by motor = x gain 4 4\nsimulate "
                  "0..1 every 0.1\n");
    ASSERT_EQ(folder_.run("control c.lac --quiet --out f.csv").status, 0);
    ASSERT_EQ(folder_.run("run c.lac --quiet --out r.csv").status, 0);
    refuses("run c.lac --feedforward f.csv --out f.csv",
            "--out: 'f.csv' is the file of --feedforward; it would be overwritten");
    refuses("control c.lac --along r.csv --out r.csv",
            "--out: 'r.csv' is the file of --along; it would be overwritten");
}

TEST_F(Files, EveryCommandSaysWhereStandardOutputIsFullOrClosed) {
    folder_.write("q.lac", "coord x\nkinetic x'^2/2\nsimulate 0..1 every 0.1\n");
    folder_.write("c.lac",
                  "coord x\nkinetic x'^2/2\ncontrol go: x = sin(t) by motor = x gain 4 4\nsimulate "
                  "0..1 every 0.1\n");
    folder_.write("r.csv", "t,x\n0,1\n1,2\n");
    std::vector<std::string> commands{"check q.lac",
                                      "check q.lac --json",
                                      "eval q.lac",
                                      "eval q.lac --json",
                                      "explain q.lac",
                                      "explain q.lac --latex",
                                      "explain q.lac --json",
                                      "run q.lac",
                                      "run q.lac --json",
                                      "run q.lac --out -",
                                      "control c.lac",
                                      "control c.lac --json",
                                      "control c.lac --out -",
                                      "exists q.lac",
                                      "exists q.lac --json",
                                      "fmt q.lac",
                                      "fmt q.lac --json",
                                      "--help",
                                      "run --help",
                                      "help",
                                      "help run",
                                      "--version"};
    if (can_plot()) commands.push_back("plot r.csv");
    for (const std::string& command : commands) {
        const Finished full = run_into("/dev/full", command), closed = run_into("&-", command);
        EXPECT_EQ(full.status, 1) << command;
        EXPECT_NE(
            full.err.find("lacon: cannot write to standard output: No space left on device\n"),
            std::string::npos)
            << command << full.err;
        EXPECT_EQ(closed.status, 1) << command;
        EXPECT_NE(closed.err.find("lacon: cannot write to standard output: "), std::string::npos)
            << command << closed.err;
    }
    EXPECT_EQ(run_into("&-", "run q.lac --quiet --out a.h5").status, 0);  // nothing to print
    EXPECT_EQ(read_table((folder_.path() / "a.h5").string()).rows(), 11u);
}

TEST_F(Files, AResultOnAFullDiskIsSaid) {
    for (const char* file : {"full.csv", "full.json", "full.h5"}) {
        link("/dev/full", file);
        const Finished done = folder_.run(std::string("run p.lac --out ") + file);
        EXPECT_EQ(done.status, 1) << file;
        EXPECT_EQ(done.err,
                  "lacon: cannot write '" + std::string(file) + "': No space left on device\n");
        EXPECT_EQ(folder_.run(std::string("run p.lac --json --out ") + file).json()["status"],
                  "error");
    }
    const Finished limited =
        folder_.run("run p.lac --every 1e-5 --quiet --out a.csv", "ulimit -f 64; ");
    EXPECT_EQ(limited.status, 1);
    EXPECT_EQ(limited.err, "lacon: cannot write 'a.csv': File too large\n");
}

TEST_F(Files, ACheckpointAPictureAndAFormattedModelOnAFullDiskAreSaid) {
    link("/dev/full", "c.ckpt");
    folder_.write("long.lac",
                  "coord x\nkinetic x'^2/2\npotential x^2\nstart x = 1\nsimulate 0..1e7 every 1\n");
    const Finished checkpoint = folder_.run("run long.lac --quiet --checkpoint c.ckpt");
    EXPECT_EQ(checkpoint.status, 1);
    EXPECT_EQ(checkpoint.err, "lacon: cannot write 'c.ckpt': No space left on device\n");
    const std::string spaced = "coord   x\n" + std::string(100'000, '#') + "\nkinetic x'^2/2\n";
    folder_.write("f.lac", spaced);
    const Finished formatted = folder_.run("fmt -i f.lac", "ulimit -f 8; ");
    EXPECT_EQ(formatted.status, 1);
    EXPECT_EQ(formatted.err, "lacon: cannot write 'f.lac': File too large\n");
    EXPECT_EQ(file_text(folder_.path() / "f.lac"), spaced);
    if (can_plot()) {
        link("/dev/full", "p.svg");
        const Finished picture = folder_.run("run p.lac --quiet --plot p.svg");
        EXPECT_EQ(picture.status, 1);
        EXPECT_EQ(picture.err, "lacon: cannot write 'p.svg': No space left on device\n");
        folder_.write("r.csv", "t,x\n0,1\n1,2\n");
        EXPECT_EQ(folder_.run("plot r.csv --out p.svg").err, picture.err);
        EXPECT_EQ(folder_.run("plot r.csv --out p.svg").status, 1);
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
        EXPECT_EQ(entry.path().string().find(".ckpt."), std::string::npos)
            << "left behind: " << entry.path();
}

TEST_F(Files, ARewrittenModelKeepsItsLinkAndRights) {
    folder_.write("f.lac", "coord   x\nkinetic x'^2/2\n");
    std::filesystem::permissions(folder_.path() / "f.lac", std::filesystem::perms(0640));
    link("f.lac", "g.lac");
    ASSERT_EQ(folder_.run("fmt -i g.lac").status, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(folder_.path() / "g.lac"));
    EXPECT_EQ(file_text(folder_.path() / "f.lac"), "coord x\nkinetic x'^2/2\n");
    EXPECT_EQ(std::filesystem::status(folder_.path() / "f.lac").permissions(),
              std::filesystem::perms(0640));
}

// 1e9 rows of some 10,000 columns are 80 TB and more.
TEST_F(Files, ARunThatWouldNotFitOnTheDiskWantsForce) {
    folder_.write(
        "wide.lac",
        "param N = 5000\ncoord x[1..N]\nkinetic x[i]'^2/2 for i in 1..N\nconstraint a: x[1] = 0\n"
        "constraint b: x[1] = 1\nsimulate 0..1 every 1.1e-9\n");
    for (const char* file : {"a.csv", "a.json", "a.h5"}) {
        const Finished done = folder_.run(std::string("run wide.lac --out ") + file);
        EXPECT_EQ(done.status, 2) << done.err;
        EXPECT_TRUE(done.err.starts_with("--out: not enough disk space for '" + std::string(file) +
                                         "': 9.09091e+08 rows of 10001 columns take about "))
            << done.err;
        EXPECT_NE(done.err.find("or run anyway (--force)"), std::string::npos) << done.err;
        EXPECT_FALSE(std::filesystem::exists(folder_.path() / file));
        EXPECT_EQ(folder_.run(std::string("run wide.lac --force --out ") + file).status, 1)
            << "the start is in conflict";
    }
}

}  // namespace
}  // namespace lacon
