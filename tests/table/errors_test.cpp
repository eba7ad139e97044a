// What is wrong with a table is said by file, row and column.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "table/folder.hpp"
#include "table/samples.hpp"

/// Read by the leak sanitizer: a file that HDF5 fails to make on a full disk it does not give back.
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libhdf5";
}

namespace lacon {
namespace {

using namespace testing;

template <class Action>
std::string message_of(Action action) {
    try {
        action();
    } catch (const TableError& error) {
        return error.what();
    }
    return "no error";
}

std::string reading(const std::string& path) {
    return message_of([&] { read_table(path); });
}

TEST(TableErrors, ABadCellIsNamedByRowAndColumn) {
    const Folder folder;
    const std::string path = folder.write("a.csv", "t,x\n0,1\n1,1.5e\n");
    EXPECT_EQ(reading(path),
              "cannot read '" + path + "': row 2, column 'x': '1.5e' is not a number");
}

TEST(TableErrors, ARowOfAnotherLengthIsNamed) {
    const Folder folder;
    const std::string path = folder.write("a.csv", "t,x\n0,1\n2\n");
    EXPECT_EQ(reading(path),
              "cannot read '" + path + "': row 2 has 1 cell, the header names 2 columns");
    const std::string json =
        folder.write("a.json", R"({"columns": [{"name": "t"}], "rows": [[1], [1, 2]]})");
    EXPECT_EQ(reading(json), "cannot read '" + json + "': row 2 is not a list of 1 number");
    const std::string word =
        folder.write("b.json", R"({"columns": [{"name": "t"}], "rows": [["1"]]})");
    EXPECT_EQ(reading(word),
              "cannot read '" + word + "': row 1, column 't': \"1\" is not a number");
}

TEST(TableErrors, WhatIsNoTableIsSaid) {
    const Folder folder;
    const auto says = [&](const std::string& name, const std::string& text,
                          const std::string& why) {
        const std::string path = folder.write(name, text);
        EXPECT_EQ(reading(path), "cannot read '" + path + "': " + why);
    };
    says("a.csv", "", "it is empty; expected a header line with column names");
    says("b.csv", "t,x\n1,\"2\n", "row 1: a quote is not closed");
    says("c.csv", "t,\"x\n1,2\n", "a quote in the header is not closed");
    says("a.json", "[1]",
         "it is not a table: an object with the lists 'columns' and 'rows' was expected");
    says("b.json", R"({"columns": [3], "rows": []})", "column 1 has no name");
    says(
        "c.json", "{\n\"rows\" 3}",
        "parse error at line 2, column 8: syntax error while parsing object separator - unexpected "
        "number literal; expected ':'");
    says("a.h5", "hello", "it is not an HDF5 file");
    says("a.lac", "coord x\n", "its name must end in .csv, .json or .h5");
}

TEST(TableErrors, FilesThatAreNotThereAreSaid) {
    const Folder folder;
    for (const char* ending : endings) {
        const std::string path = folder / (std::string("nowhere/a") + ending);
        EXPECT_EQ(reading(path), "cannot read '" + path + "': there is no such file");
        EXPECT_EQ(message_of([&] { open_table(path, sample_info()); }),
                  "cannot write '" + path + "': No such file or directory");
        EXPECT_NE(message_of([&] { reopen_table(path, sample_info(), 0, 0); }), "no error");
        std::filesystem::create_directories(folder / (std::string("folder") + ending));
        EXPECT_EQ(
            reading(folder / (std::string("folder") + ending)),
            "cannot read '" + (folder / (std::string("folder") + ending)) + "': it is a folder");
    }
    EXPECT_EQ(message_of([&] { open_table(folder / "a.txt", sample_info()); }),
              "cannot write '" + (folder / "a.txt") + "': its name must end in .csv, .json or .h5");
    EXPECT_FALSE(std::filesystem::exists(folder / "a.txt"));
}

TEST(TableErrors, ADiskThatIsFullIsSaid) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
    const Folder folder;
    for (const char* ending : endings) {
        const std::string path = folder / (std::string("full") + ending);
        std::filesystem::create_symlink("/dev/full", path);
        EXPECT_EQ(message_of([&] {
                      const auto writer = open_table(path, sample_info());
                      write_rows(*writer, 0, 10);
                      writer->close();
                  }),
                  "cannot write '" + path + "': No space left on device");
    }
}

TEST(TableErrors, AWriterDroppedOnAFullDiskStaysSilent) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
    const Folder folder;
    for (const char* ending : endings) {
        const std::string path = folder / (std::string("full") + ending);
        std::filesystem::create_symlink("/dev/full", path);
        ::testing::internal::CaptureStderr();
        try {
            write_rows(*open_table(path, sample_info()), 0, 10);
        } catch (const TableError&) {
        }
        EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    }
}

/// While it lives, no file may grow beyond a size: as on a disk that is full, but for the reason.
class SmallFiles {
public:
    explicit SmallFiles(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit small{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SmallFiles() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        ::signal(SIGXFSZ, handler_);
    }
    SmallFiles(const SmallFiles&) = delete;
    SmallFiles& operator=(const SmallFiles&) = delete;

private:
    rlimit before_{};
    void (*handler_)(int);
};

TEST(TableErrors, AWriteThatFailsLeavesTheRowsFlushedBefore) {
    const Folder folder;
    for (const char* ending : endings) {
        const std::string path = folder / (std::string("small") + ending);
        const SmallFiles small(200'000);
        EXPECT_EQ(message_of([&] {
                      const auto writer = open_table(path, sample_info());
                      write_rows(*writer, 0, 500);
                      writer->flush();
                      write_rows(*writer, 500, 10'000);
                      writer->close();
                  }),
                  "cannot write '" + path + "': File too large");
        const Table table = read_table(path);
        ASSERT_EQ(table.rows(), 500U) << ending;
        EXPECT_EQ(table.columns[1][499], sample_row(499)[1]);
    }
}

TEST(TableErrors, AWriteThatFailsAmidChunksLeavesTheRowsFlushedBefore) {
    const Folder folder;
    const std::string path = folder / "small.h5";
    const SmallFiles small(4'000'000);
    EXPECT_EQ(message_of([&] {
                  const auto writer = open_table(path, sample_info(), Storage::chunks);
                  write_rows(*writer, 0, 500);
                  writer->flush();
                  write_rows(*writer, 500, 200'000);
                  writer->close();
              }),
              "cannot write '" + path + "': File too large");
    const Table table = read_table(path);
    ASSERT_GE(table.rows(), 500U);
    for (std::uint64_t i = 0; i < table.rows(); ++i)
        for (std::size_t j = 0; j < 3; ++j)
            ASSERT_EQ(table.columns[j][i], sample_row(i)[j]) << "row " << i;
}

}  // namespace
}  // namespace lacon
