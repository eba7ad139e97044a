// A model that is saved is read again, and what was good stays.
#include "live/watched_model.hpp"

#include <gtest/gtest.h>

#include "live/live_run.hpp"
#include "live/shelf.hpp"
#include "live/visitors.hpp"
#include "table/folder.hpp"

namespace lacon {
namespace {

using testing::Folder;

const std::string good =
    "param L = 2 in 1..3\nparam N = 2\ncoord x[1..N]\n"
    "kinetic sum(x[i]'^2 for i in 1..N)\npotential L*x[1]^2\n"
    "simulate 0..1\n";

TEST(WatchedModel, ErrorsLeaveTheLastGoodModel) {
    const Folder folder;
    const WatchedModel unused(folder.write("a.lac", good));
    WatchedModel model(folder / "a.lac");
    EXPECT_FALSE(model.look());
    folder.write("a.lac", good + "potential M*x[1]\n");
    EXPECT_TRUE(model.look());
    const auto wrong = model.read();
    EXPECT_NE(wrong->errors.find("a.lac:7:11: error"), std::string::npos) << wrong->errors;
    EXPECT_NE(wrong->errors.find("^"), std::string::npos);
    ASSERT_TRUE(wrong->details);
    folder.write("a.lac", good + "# again\n");
    EXPECT_TRUE(model.look());
    EXPECT_TRUE(model.read()->errors.empty());
    EXPECT_GT(model.read()->version, wrong->version);
}

TEST(WatchedModel, FilesThatItNamesCountToo) {
    const Folder folder;
    folder.write("push.csv", "0,0\n1,1\n2,0\n");
    folder.write("a.lac", "data push = \"push.csv\"\ncoord x\nkinetic x'^2\nforce x = push(t)\n");
    WatchedModel model(folder / "a.lac");
    ASSERT_TRUE(model.read()->details) << model.read()->errors;
    folder.write("push.csv", "0,0\n1,1\n2,0\n3,1\n");
    EXPECT_TRUE(model.look());
    std::filesystem::remove(folder / "push.csv");
    EXPECT_TRUE(model.look());
    EXPECT_FALSE(model.read()->errors.empty());
}

TEST(WatchedModel, OtherValuesDoNotAddUp) {
    const Folder folder;
    const WatchedModel model(folder.write("a.lac", good));
    EXPECT_EQ(model.with({{"L", 3.0}})->parameters[0], 3.0);
    EXPECT_EQ(model.with({})->parameters[0], 2.0);
    const auto longer = model.with({{"N", 5.0}, {"L", 1.5}});
    EXPECT_EQ(longer->coordinate_names.size(), 5u);
    EXPECT_EQ(longer->parameters[0], 1.5);
    EXPECT_EQ(model.with({{"N", 5.0}})->parameters[0], 2.0);
    EXPECT_EQ(model.with({})->coordinate_names.size(), 2u);
    EXPECT_THROW(model.with({{"K", 1.0}}), std::invalid_argument);
    EXPECT_THROW(model.with({{"N", -1.0}}), std::invalid_argument);
}

TEST(Shelf, OnlyModelsOfTheFolderAreThere) {
    const Folder folder, other;
    folder.write("b.lac", "model \"B & C\"\n" + good);
    folder.write("notes.txt", "no model");
    std::filesystem::create_directory(folder / "inner");
    folder.write("inner/a.lac", good);
    other.write("secret.lac", good);
    std::filesystem::create_symlink(other / "secret.lac", folder / "link.lac");
    std::filesystem::create_directory_symlink(other / "", folder / "linked");
    Shelf shelf(folder / "");
    std::string names;
    for (const ModelFile& one : shelf.models()) names += one.name + " " + one.title + ";";
    EXPECT_EQ(names, "b.lac B & C;inner/a.lac ;");
    EXPECT_TRUE(shelf.model("inner/a.lac"));
    for (const char* name : {"", "../b.lac", "./b.lac", "inner/../b.lac", "notes.txt", "link.lac",
                             "linked/secret.lac", "/etc/passwd", "b.lac\n"})
        EXPECT_FALSE(shelf.model(name)) << name;
}

TEST(Shelf, WhatCannotBeShownIsNamed) {
    const Folder folder;
    const auto trouble = [](const std::string& path) {
        try {
            const Shelf shelf(path);
        } catch (const LiveError& problem) {
            return std::string(problem.what());
        }
        return std::string();
    };
    EXPECT_NE(trouble(folder / "").find("has no models (.lac)"), std::string::npos);
    EXPECT_NE(trouble(folder / "a.lac").find("there is no such file"), std::string::npos);
    EXPECT_NE(trouble(folder.write("a.txt", "")).find("must end in .lac"), std::string::npos);
}

TEST(Visitors, ANewerRunCancelsTheOlderOfThePageOnly) {
    Visitors visitors;
    const Cancelled first = visitors.begin_run("a"), other = visitors.begin_run("b");
    EXPECT_FALSE(*first);
    const Cancelled second = visitors.begin_run("a");
    EXPECT_TRUE(*first);
    EXPECT_FALSE(*second || *other);
    visitors.arrive("b", "m.lac");
    visitors.leave("b");
    EXPECT_TRUE(*other);
    visitors.close();
    EXPECT_TRUE(*second);
}

TEST(Visitors, AreTooManyAtSomePoint) {
    Visitors visitors;
    for (std::size_t i = 0; i < Visitors::most; ++i)
        EXPECT_TRUE(visitors.arrive(std::to_string(i), "m.lac"));
    EXPECT_FALSE(visitors.arrive("one more", "m.lac"));
    EXPECT_TRUE(visitors.arrive("0", "m.lac"));  // is here already
}

TEST(Visitors, MessagesReachThePagesOfAModel) {
    Visitors visitors;
    visitors.arrive("a", "one.lac");
    visitors.arrive("b", "two.lac");
    visitors.tell_all_of("one.lac", "changed");
    visitors.tell("b", "running");
    EXPECT_EQ(visitors.wait("a"), "changed");
    EXPECT_EQ(visitors.wait("b"), "running");
    EXPECT_EQ(visitors.wait("nobody"), std::nullopt);
}

}  // namespace
}  // namespace lacon
