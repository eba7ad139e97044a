// Tables that are continued after their writer was killed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <functional>

#include "table/folder.hpp"
#include "table/samples.hpp"

namespace lacon {
namespace {

using namespace testing;

/// Lets a child make a table and write to it, and then kill itself without any farewell.
void write_and_be_killed(const std::string& path, const std::function<void(TableWriter&)>& write) {
    const pid_t child = fork();
    if (child == 0) {
        const auto writer = open_table(path, sample_info());
        write(*writer);
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
}

class EveryFormatKilled : public ::testing::TestWithParam<const char*> {
protected:
    Folder folder_;
    std::string path_ = folder_ / (std::string("result") + GetParam()),
                whole_ = folder_ / (std::string("whole") + GetParam());
};
INSTANTIATE_TEST_SUITE_P(Table, EveryFormatKilled, ::testing::ValuesIn(endings),
                         [](const auto& test) { return std::string(test.param).substr(1); });

TEST_P(EveryFormatKilled, FlushedRowsAreAllThere) {
    write_and_be_killed(path_, [](TableWriter& writer) {
        write_rows(writer, 0, 3000);
        writer.flush();
        write_rows(writer, 3000, 3500);
    });
    const Table table = read_table(path_);
    ASSERT_EQ(table.rows(), 3000u);
    for (std::uint64_t i = 0; i < 3000; ++i)
        for (std::size_t j = 0; j < table.columns.size(); ++j)
            ASSERT_EQ(table.columns[j][i], sample_row(i)[j]);
}

TEST_P(EveryFormatKilled, RowsBeyondWhatFitsInMemoryDoNotSpoilTheFile) {
    write_and_be_killed(path_, [](TableWriter& writer) {
        write_rows(writer, 0, 150'000);  // more than the buffers hold, never flushed
    });
    const Table table = read_table(path_);
    ASSERT_GT(table.rows(), 50'000u);
    EXPECT_EQ(table.columns[0][50'000], sample_row(50'000)[0]);
}

TEST_P(EveryFormatKilled, AFileGoneOnWithIsTheOneNeverInterrupted) {
    constexpr std::uint64_t count = 4000;
    for (const std::uint64_t cut :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2500}, count}) {
        std::uint64_t rows = 0, position = 0;
        const auto first = open_table(path_, sample_info());
        write_rows(*first, 0, cut);
        first->flush();
        rows = first->rows();
        position = first->position();
        for (int i = 0; i < 700; ++i)
            first->row(sample_row(99));  // after the checkpoint: to be cut off
        first->close();

        const auto second = reopen_table(path_, sample_info(), rows, position);
        EXPECT_EQ(second->rows(), cut);
        EXPECT_EQ(second->position(), position);
        EXPECT_EQ(read_table(path_).rows(), cut);
        write_rows(*second, cut, count);
        second->close();

        const auto never = open_table(whole_, sample_info());
        write_rows(*never, 0, count);
        never->close();
        EXPECT_EQ(read_table(path_).columns, read_table(whole_).columns);
        // To the last byte, which nobody wants to see printed.
        EXPECT_TRUE(text_of(path_) == text_of(whole_));
    }
}

TEST_P(EveryFormatKilled, AFileOfOtherColumnsIsNotGoneOnWith) {
    const auto writer = open_table(path_, sample_info());
    write_rows(*writer, 0, 5);
    writer->close();
    const std::string before = text_of(path_);
    TableInfo other = sample_info();
    other.names[1] = "y[1]";
    try {
        reopen_table(path_, other, 5, writer->position());
        FAIL() << "went on";
    } catch (const TableError& error) {
        EXPECT_EQ(error.what(),
                  "cannot continue '" + path_ +
                      "': it belongs to a run with another model, other options or other columns");
    }
    EXPECT_EQ(text_of(path_), before);
}

TEST_P(EveryFormatKilled, AFileThatLostRowsIsNotGoneOnWith) {
    const auto writer = open_table(path_, sample_info());
    write_rows(*writer, 0, 5);
    writer->close();
    const std::uint64_t beyond = GetParam() == std::string(".h5") ? 6 : writer->position() + 40;
    try {
        reopen_table(path_, sample_info(), 6, beyond);
        FAIL() << "went on";
    } catch (const TableError& error) {
        EXPECT_EQ(error.what(),
                  "cannot continue '" + path_ + "': it is shorter than it was at the checkpoint");
    }
    EXPECT_EQ(read_table(path_).rows(), 5u);
}

TEST(Resume, APlaceInTheMiddleOfARowIsRefused) {
    const Folder folder;
    const auto writer = open_table(folder / "a.csv", sample_info());
    write_rows(*writer, 0, 5);
    writer->close();
    EXPECT_THROW(reopen_table(folder / "a.csv", sample_info(), 4, writer->position() - 3),
                 TableError);
}

}  // namespace
}  // namespace lacon
