// Child processes: descriptors they get, what becomes of them.
#include "base/programs.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "table/folder.hpp"

namespace lacon {
namespace {

using testing::Folder;

/// The exit status of a shell with these files.
int status_of(const std::string& script, std::span<const ChildFile> files) {
    return Child(find_program("sh"), {"-c", script}, files).wait();
}

TEST(Child, ExitStatusIsThatOfTheProgram) {
    EXPECT_EQ(status_of("exit 7", {}), 7);
    EXPECT_EQ(status_of("kill -9 $$", {}), -1);
}

TEST(Child, DescriptorsMayChangePlaces) {
    const Folder folder;
    const std::string a = folder.write("a", ""), b = folder.write("b", "");
    const int first = ::open(a.c_str(), O_WRONLY), second = ::open(b.c_str(), O_WRONLY);
    const ChildFile crossed[] = {{first, second}, {second, first}};
    EXPECT_EQ(
        status_of("echo a >&" + std::to_string(first) + "; echo b >&" + std::to_string(second),
                  crossed),
        0);
    ::close(first);
    ::close(second);
    EXPECT_EQ(testing::text_of(a), "b\n");
    EXPECT_EQ(testing::text_of(b), "a\n");
}

TEST(Child, OneThatRunsIsEndedWithTheObject) {
    const Folder folder;
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    {
        const ChildFile files[] = {{ends[1], 1}};
        const Child waiting(find_program("sh"),
                            {"-c", "trap 'echo ended > " + (folder / "told") +
                                       "; exit' TERM; echo; while :; do sleep 0.01; done"},
                            files);
        char ready = 0;
        EXPECT_EQ(::read(ends[0], &ready, 1), 1);
    }
    ::close(ends[0]);
    ::close(ends[1]);
    EXPECT_EQ(testing::text_of(folder / "told"), "ended\n");
}

TEST(Child, OneThatIsStartedApartHasItsOwnSession) {
    const Folder folder;
    const std::string told = folder / "told";
    start_apart(find_program("sh"),
                {"-c", "ps -o sid= -p $$ > " + told + ".new; mv " + told + ".new " + told});
    while (!std::filesystem::exists(told)) ::usleep(1000);
    EXPECT_NE(std::stoi(testing::text_of(told)), ::getsid(0));
    EXPECT_THROW(start_apart("/nowhere/program", {}), ProgramError);
}

TEST(Child, AProgramThatIsNotThereIsAnError) {
    EXPECT_THROW(Child("/nowhere/program", {}, {}), ProgramError);
}

}  // namespace
}  // namespace lacon
