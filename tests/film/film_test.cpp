// Videos: what is missing is named. Whole videos are made by web/tests/pages.test.mjs, where there
// is a browser.
#include "film/film.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "table/folder.hpp"

namespace lacon {
namespace {

/// PATH for the time of a test.
class PathSetTo {
public:
    explicit PathSetTo(const std::string& path) : before_(std::getenv("PATH")) {
        ::setenv("PATH", path.c_str(), 1);
    }
    ~PathSetTo() { ::setenv("PATH", before_.c_str(), 1); }
    PathSetTo(const PathSetTo&) = delete;
    PathSetTo& operator=(const PathSetTo&) = delete;

private:
    std::string before_;
};

void make_program(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

std::string failure_of(const std::string& file) {
    try {
        render_film("<p>", file, {});
    } catch (const FilmError& problem) {
        return problem.what();
    }
    return "no error";
}

TEST(Film, EndingsAreThoseOfVideos) {
    for (const char* path : {"a.mp4", "b/c.webm", "d.gif"}) EXPECT_TRUE(known_video_ending(path));
    for (const char* path : {"a.mov", "mp4", "b.html", ""}) EXPECT_FALSE(known_video_ending(path));
}

TEST(Film, WhatIsNotInstalledIsNamed) {
    const testing::Folder folder;
    const PathSetTo path(folder / "");
    EXPECT_NE(why_no_film().find("install chromium"), std::string::npos);
    make_program(folder / "chromium", "#!/bin/sh\nexit 3\n");
    EXPECT_NE(why_no_film().find("install ffmpeg"), std::string::npos);
}

TEST(Film, ABrowserThatEndsIsAnErrorAndLeavesNothing) {
    const testing::Folder folder;
    make_program(folder / "chromium", "#!/bin/sh\nexit 3\n");
    make_program(folder / "ffmpeg", "#!/bin/sh\nexit 0\n");
    const PathSetTo path(folder / "");
    EXPECT_EQ(failure_of(folder / "a.mp4"), "the browser has ended");
    EXPECT_FALSE(std::filesystem::exists(folder / "a.mp4"));
}

}  // namespace
}  // namespace lacon
