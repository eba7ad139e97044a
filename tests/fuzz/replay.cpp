// The properties of the fuzz target over the stored inputs: what once was found stays mended.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/mesh_way.hpp"
#include "fuzz/whole_way.hpp"

namespace lacon {
namespace {

std::vector<std::filesystem::path> files_in(const std::string& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(LACON_SOURCE_DIR) / folder))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void expect_whole_way(const std::string& folder) {
    const auto files = files_in(folder);
    ASSERT_FALSE(files.empty()) << folder;
    for (const auto& file : files) EXPECT_EQ(broken_property(text_of(file)), "") << file;
}

TEST(Fuzz, StoredInputsHoldAllProperties) {
    expect_whole_way("tests/fuzz/corpus");
}

TEST(Fuzz, StoredInputsHoldAllPropertiesAsMeshes) {
    for (const auto& file : files_in("tests/fuzz/corpus"))
        EXPECT_EQ(broken_mesh_property(text_of(file)), "") << file;
}

TEST(Fuzz, EveryBeginningOfAMeshHoldsAllProperties) {
    for (const char* name : {"tests/fuzz/corpus/tetrahedron.stl", "tests/fuzz/corpus/cube.obj"}) {
        const std::string text = text_of(std::filesystem::path(LACON_SOURCE_DIR) / name);
        ASSERT_FALSE(text.empty()) << name;
        for (std::size_t length = 0; length <= text.size(); ++length)
            EXPECT_EQ(broken_mesh_property(text.substr(0, length)), "") << length;
    }
}

TEST(Fuzz, ModelsHoldAllProperties) {
    expect_whole_way("models");
}

TEST(Fuzz, EveryBeginningOfAModelHoldsAllProperties) {
    const std::string text =
        "model \"ring\"\nparam w = 3 in 0..5 \"spin\"\ncoord x, y\nlet r = hypot(x, y)\nparticle p "
        "at (x, y) mass 2\n"
        "gravity (0, -9.81)\nconstraint ring[i]: r^2 = 1 for i in 1..2\nstart x = cos(w), y ~ "
        "1\nsimulate 0..1 every 0.1\n"
        "output r', e = energy, ring[1].force\ndraw p trail\n";
    for (std::size_t length = 0; length <= text.size(); ++length)
        EXPECT_EQ(broken_property(text.substr(0, length)), "") << text.substr(0, length);
}

}  // namespace
}  // namespace lacon
