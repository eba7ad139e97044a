// Files: whether two names are one file, and replacing a file as a whole.
#include "base/files.hpp"

#include <gtest/gtest.h>

#include "table/folder.hpp"

namespace lacon {
namespace {

using namespace testing;
namespace fs = std::filesystem;

TEST(SameFile, IsSeenThroughLinksAndSpellings) {
    const Folder folder;
    const std::string a = folder.write("a", "text"), b = folder.write("b", "text");
    fs::create_symlink("a", folder / "soft");
    fs::create_symlink("soft", folder / "softer");
    fs::create_hard_link(a, folder / "hard");
    fs::create_directory(folder / "sub");
    for (const char* name : {"a", "soft", "softer", "hard", "./a", "sub/../a"})
        EXPECT_TRUE(same_file(a, folder / name)) << name;
    EXPECT_FALSE(same_file(a, b));
    EXPECT_FALSE(same_file(a, folder / "none"));
}

TEST(SameFile, OfFilesThatAreNotThereYetGoesByTheirPlace) {
    const Folder folder;
    fs::create_directory(folder / "sub");
    fs::create_symlink("new", folder / "soft");
    EXPECT_TRUE(same_file(folder / "new", folder / "sub/../new"));
    EXPECT_TRUE(same_file(folder / "new", folder / "soft"));
    EXPECT_FALSE(same_file(folder / "new", folder / "sub/new"));
    EXPECT_TRUE(same_file("not_there_yet", "./not_there_yet"));
}

TEST(ReplaceFile, KeepsLinksAndRightsAndLeavesNothingBeside) {
    const Folder folder;
    const std::string a = folder.write("a", "old");
    fs::permissions(a, fs::perms(0600));
    fs::create_symlink("a", folder / "soft");
    replace_file(folder / "soft", "new");
    EXPECT_EQ(text_of(a), "new");
    EXPECT_TRUE(fs::is_symlink(folder / "soft"));
    EXPECT_EQ(fs::status(a).permissions(), fs::perms(0600));
    replace_file(folder / "made", "made");
    EXPECT_EQ(text_of(folder / "made"), "made");
    const fs::directory_iterator files(folder / ".");
    EXPECT_EQ(std::distance(begin(files), end(files)), 3);
}

TEST(ReplaceFile, GivesTheReasonWhereItCannot) {
    const Folder folder;
    const auto reason = [](auto write) -> std::string {
        try {
            write();
        } catch (const FileError& problem) {
            return problem.what();
        }
        return "none";
    };
    fs::create_symlink("/dev/full", folder / "full");
    EXPECT_EQ(reason([&] { replace_file(folder / "full", "text"); }),
              "cannot write '" + (folder / "full") + "': No space left on device");
    const std::string nowhere = folder / "no/a";
    EXPECT_EQ(reason([&] { replace_file(nowhere, "text"); }),
              "cannot write '" + nowhere + "': No such file or directory");
    EXPECT_EQ(reason([&] { check_replaceable(nowhere); }),
              "cannot write '" + nowhere + "': No such file or directory");
    EXPECT_EQ(reason([&] { check_replaceable(folder / "."); }),
              "cannot write '" + (folder / ".") + "': Is a directory");
    EXPECT_EQ(reason([&] { check_replaceable(folder / "new"); }), "none");
    EXPECT_FALSE(fs::exists(folder / "new"));
}

}  // namespace
}  // namespace lacon
