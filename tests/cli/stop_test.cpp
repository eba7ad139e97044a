// Ctrl-C and SIGTERM: whatever the program does, it stops, says so, and what was written stays.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

#include "../../apps/lacon/signals.hpp"
#include "program.hpp"
#include "table/table.hpp"

namespace lacon {
namespace {

const std::string endless =
    "coord x, y\nparticle p at (x, y) mass 1\ngravity (0, -9.81)\nconstraint rod: x^2 + y^2 = "
    "1\nstart x = 1, y ~ 0\n"
    "output energy\nsimulate 0..1e7 every 0.01\n";

class Stopped : public ::testing::TestWithParam<int> {
protected:
    Folder folder_;
};
INSTANTIATE_TEST_SUITE_P(By, Stopped, ::testing::Values(SIGINT, SIGTERM), [](const auto& of) {
    return std::string(of.param == SIGINT ? "SIGINT" : "SIGTERM");
});

TEST_P(Stopped, ARunKeepsItsRowsAndSaysSo) {
    folder_.write("p.lac", endless);
    for (const char* file : {"p.csv", "p.json", "p.h5"}) {
        Running program(folder_.path(), std::string("run p.lac --force --json --out ") + file);
        ASSERT_TRUE(program.wait_for([&] { return has_text(folder_.path() / file); }));
        program.send(GetParam());
        const Finished done = program.wait();
        EXPECT_EQ(done.status, 130) << done.err;
        EXPECT_EQ(done.json()["status"], "interrupted") << done.out;
        const Table table = read_table((folder_.path() / file).string());
        EXPECT_EQ(table.rows(), done.json()["rows"]);
        EXPECT_GE(table.rows(), 1u);
        EXPECT_LE(table.columns[0].back(), done.json()["t"].get<double>());
    }
}

/// A sum of so many terms takes minutes to add up; nobody asks whether to stop in there.
TEST_P(Stopped, CommandsThatHaveNothingToSaveEndAtOnce) {
    folder_.write("long.lac",
                  "param s = sum(sum(1/(i + j) for j in 1..40000) for i in 1..40000)\n" + endless);
    for (const std::string command : {"check", "eval", "explain", "exists", "run", "control"}) {
        Running program(folder_.path(), command + " long.lac --json");
        ASSERT_TRUE(program.wait_for([&] { return program.minds_signals(); }));
        program.send(GetParam());
        const Finished done = program.wait();
        EXPECT_EQ(done.status, 130) << command;
        EXPECT_EQ(done.err, "lacon: stopped\n") << command;
        EXPECT_EQ(done.json()["status"], "interrupted") << command;
    }
}

/// What the listening thread does, with a program that never looks whether it is asked.
class Listener : public ::testing::Test {
protected:
    /// Who answers is given the time to, however busy the machine is; who does not is not waited
    /// for.
    static constexpr std::chrono::milliseconds long_enough = std::chrono::hours(1),
                                               short_time = std::chrono::milliseconds(20);

    /// In a child: `work`, which does not end; it gives the sign by the file `sign`.
    template <class Work>
    pid_t start(std::chrono::milliseconds patience, Work work) {
        const pid_t child = fork();
        if (child != 0) return child;
        app::listen_to_signals(false, patience);
        work();
        _exit(3);
    }
    void wait_for_file(const char* name) {
        while (!has_text(folder_.path() / name)) usleep(1000);
    }
    static int status_of(pid_t child) {
        int status = 0;
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    Folder folder_;
};

TEST_F(Listener, SaysTheFarewellOfWhoDoesNotAnswer) {
    const pid_t child = start(short_time, [&] {
        const app::StopInOrder order([&] { folder_.write("farewell", "rows are saved"); });
        folder_.write("sign", "working");
        for (;;) pause();
    });
    wait_for_file("sign");
    kill(child, SIGTERM);
    EXPECT_EQ(status_of(child), 130);
    EXPECT_EQ(file_text(folder_.path() / "farewell"), "rows are saved");
}

TEST_F(Listener, ASecondSignalEndsWhoTakesLongOverAnAnswer) {
    const pid_t child = start(long_enough, [&] {
        const app::StopInOrder order([&] { folder_.write("farewell", "not called for"); });
        folder_.write("sign", "working");
        while (!app::stop_asked()) usleep(1000);
        app::answer_stop();
        folder_.write("answer", "stopping");
        for (;;) pause();
    });
    wait_for_file("sign");
    kill(child, SIGINT);
    wait_for_file("answer");
    kill(child, SIGINT);
    EXPECT_EQ(status_of(child), 130);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "farewell"));
}

TEST_F(Listener, WhoIsAtItsEndHasLittleTimeLeft) {
    const pid_t child = start(short_time, [&] {
        const app::StopInOrder order([&] { folder_.write("farewell", "not called for"); });
        app::answer_stop();
        folder_.write("sign", "all is saved");
        for (;;) pause();
    });
    wait_for_file("sign");
    kill(child, SIGTERM);
    EXPECT_EQ(status_of(child), 130);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "farewell"));
}

TEST_F(Listener, WhoAnswersComesToItsEnd) {
    const pid_t child = start(long_enough, [&] {
        const app::StopInOrder order([&] { folder_.write("farewell", "not called for"); });
        folder_.write("sign", "working");
        while (!app::stop_asked()) usleep(1000);
        app::answer_stop();
        folder_.write("end", "whole");
        _exit(7);
    });
    wait_for_file("sign");
    kill(child, SIGTERM);
    EXPECT_EQ(status_of(child), 7);
    EXPECT_EQ(file_text(folder_.path() / "end"), "whole");
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "farewell"));
}

TEST(Stop, ALivePageEndsInOrder) {
    const Folder folder;
    folder.write("p.lac", "coord x\nkinetic x'^2\nsimulate 0..1\n");
    ::setenv("LACON_PAGE", folder.write("page.html", "").c_str(), 1);
    for (const int signal : {SIGINT, SIGTERM}) {
        std::filesystem::remove(folder.path() / "o");
        Running program(folder.path(), "view p.lac --no-open");
        EXPECT_TRUE(program.wait_for([&] { return has_text(folder.path() / "o"); }));
        program.send(signal);
        EXPECT_EQ(program.wait().status, 0) << signal;
    }
    ::unsetenv("LACON_PAGE");
}

}  // namespace
}  // namespace lacon
