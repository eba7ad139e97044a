// Files that are read, or whose writer is killed, while they grow.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "table/folder.hpp"
#include "table/samples.hpp"

/// Writes that this program may still do; negative: as many as it likes.
std::atomic<long> writes_left = -1;
/// Where a child counts its writes, for its parent.
std::atomic<std::uint64_t>* writes_done = nullptr;

/// Takes the place of the C library's: the last write that is left is done by half, or not at all
/// where it is within a page, and ends the program.
extern "C" ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t at) {
    if (writes_left >= 0 && writes_left-- == 0) {
        if (size > 4096) ::syscall(SYS_pwrite64, file, bytes, size / 2, at);
        ::_exit(0);
    }
    if (writes_done) ++*writes_done;
    return ::syscall(SYS_pwrite64, file, bytes, size, at);
}

namespace lacon {
namespace {

using namespace testing;

/// A number that a child tells and its parent reads, also when the child is dead.
class Shared {
public:
    Shared() {
        void* memory = ::mmap(nullptr, sizeof *number_, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
        number_ = new (memory) std::atomic<std::uint64_t>(0);
    }
    ~Shared() { ::munmap(number_, sizeof *number_); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

    std::atomic<std::uint64_t>& operator*() { return *number_; }

private:
    std::atomic<std::uint64_t>* number_ = nullptr;
};

/// Quick to make, so that the time goes into writing.
double quick_number(std::uint64_t row, std::size_t column) {
    const auto x = static_cast<double>(row), y = static_cast<double>(column);
    return column % 3 == 0 ? x - y : x / (3.0 + y);
}

void write_quick(TableWriter& writer, std::size_t columns, std::uint64_t row) {
    std::vector<double> numbers(columns);
    for (std::size_t j = 0; j < columns; ++j) numbers[j] = quick_number(row, j);
    writer.row(numbers);
}

void expect_quick_rows(const Table& table, const std::string& when) {
    for (std::size_t j = 0; j < table.columns.size(); ++j)
        for (std::uint64_t row = 0; row < table.rows(); ++row)
            if (table.columns[j][row] != quick_number(row, j))
                FAIL() << when << ", row " << row << ", column " << j;
}

TableInfo info_of(std::size_t columns) {
    TableInfo info = sample_info();
    while (info.names.size() < columns)
        info.names.push_back("x[" + std::to_string(info.names.size()) + "]");
    info.texts.resize(columns);
    return info;
}

/// By the number of columns: 6 are in one piece, 301 in chunks of 217 rows, 1500 in pairs of chunks
/// of 64 rows.
class H5Growing : public ::testing::TestWithParam<std::size_t> {
protected:
    std::size_t columns_ = GetParam();
    TableInfo info_ = info_of(columns_);
    Folder folder_;
    std::string path_ = folder_ / "a.h5";
};
INSTANTIATE_TEST_SUITE_P(Table, H5Growing, ::testing::Values(6, 301, 1500));

/// Goes on with the file and writes without end, in blocks of a few rows and now and then of many
/// pages.
void write_until_killed(const std::string& path, const TableInfo& info, std::uint64_t row,
                        std::atomic<std::uint64_t>& flushed) {
    const std::size_t columns = info.names.size();
    const auto writer = reopen_table(path, info, row, row);
    for (std::uint64_t block = 0;; ++block) {
        const std::uint64_t end = row + (block % 50 == 49 ? 1 + 9000 / columns : 1 + block % 7);
        for (; row < end; ++row) write_quick(*writer, columns, row);
        writer->flush();
        flushed = row;
    }
}

/// Every round cuts the file back to half its rows and goes on, and is killed after some number of
/// writes: every third one early, maybe still while it opens the file, the others after a flush.
TEST_P(H5Growing, AKillAtAnyMomentLeavesAllRowsFlushedBefore) {
    open_table(path_, info_)->close();
    std::uint64_t kept = 0;
    for (int i = 0; i < 200; ++i) {
        Shared flushed, writes;
        const pid_t child = fork();
        if (child == 0) {
            writes_done = &*writes;
            try {
                write_until_killed(path_, info_, kept, *flushed);
            } catch (const std::exception&) {
                ::_exit(1);
            }
        }
        const bool is_early = i % 3 == 0;
        const auto enough = static_cast<std::uint64_t>(is_early ? i / 3 % 12 : 6 + i % 30);
        int status = 0;
        bool ended = false;
        while ((*writes < enough || (!is_early && *flushed == 0)) && !ended) {
            ::usleep(50);
            ended = ::waitpid(child, &status, WNOHANG) == child;
        }
        if (!ended) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
        }
        ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
            << "round " << i << ": " << status;

        Table table;
        ASSERT_NO_THROW(table = read_table(path_)) << "round " << i;
        ASSERT_GE(table.rows(), std::max<std::uint64_t>(kept, *flushed)) << "round " << i;
        ASSERT_EQ(table.info, info_);
        expect_quick_rows(table, "round " + std::to_string(i));
        if (HasFatalFailure()) return;
        kept = table.rows() / 2;
    }
}

/// As if it were killed in each of its writes, one after the other.
TEST_P(H5Growing, AnEndInAnyWriteLeavesAllRowsFlushedBefore) {
    constexpr std::uint64_t kept = 100, rows = 240;
    const auto writer = open_table(path_, info_);
    for (std::uint64_t row = 0; row < 140; ++row) write_quick(*writer, columns_, row);
    writer->close();
    const std::string begin = text_of(path_);
    Shared done;
    long writes = 0;
    for (; *done == 0 && writes < 10'000; ++writes) {
        folder_.write("a.h5", begin);
        Shared flushed;
        const pid_t child = fork();
        if (child == 0) {
            writes_left = writes;
            const auto second = reopen_table(path_, info_, kept, kept);
            for (std::uint64_t row = kept; row < rows; ++row) {
                write_quick(*second, columns_, row);
                if (row % 50 > 4) continue;
                second->flush();
                *flushed = row + 1;
            }
            second->close();
            *done = 1;
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        ASSERT_EQ(status, 0) << "write " << writes;
        Table table;
        ASSERT_NO_THROW(table = read_table(path_)) << "write " << writes;
        ASSERT_GE(table.rows(), std::max<std::uint64_t>(kept, *flushed)) << "write " << writes;
        expect_quick_rows(table, "write " + std::to_string(writes));
        if (HasFatalFailure()) return;
    }
    EXPECT_EQ(*done, 1U);
    EXPECT_GT(writes, 30);
    EXPECT_EQ(read_table(path_).rows(), rows);
}

/// HDF5 takes rows that came between two of its looks at a file for zeros. Here a row comes within
/// every look, sooner or later.
TEST_P(H5Growing, AFileReadWhileItGrowsHasNoWrongRows) {
    constexpr std::uint64_t looks = 300;
    Shared begun, written;  // looks, rows
    open_table(path_, info_)->close();
    const pid_t child = fork();
    if (child == 0) {
        try {
            const auto writer = reopen_table(path_, info_, 0, 0);
            for (std::uint64_t row = 0; row < looks; ++row) {
                while (*begun <= row) ::usleep(20);
                for (std::uint64_t later = 0; later < row % 50; ++later) ::sched_yield();
                write_quick(*writer, columns_, row);
                writer->flush();
                *written = row + 1;
            }
            for (;;) ::pause();  // until it is killed
        } catch (const std::exception&) {
            ::_exit(1);
        }
    }
    std::uint64_t refused = 0, rows = 0;
    int status = 0;
    bool ended = false;
    for (std::uint64_t i = 0; i < looks && !ended && !HasFatalFailure(); ++i) {
        while (*written < i && !ended) {
            ::usleep(20);
            ended = ::waitpid(child, &status, WNOHANG) == child;
        }
        ++*begun;
        try {
            const Table table = read_table(path_);
            expect_quick_rows(table, "look " + std::to_string(i));
            EXPECT_LE(rows, table.rows());
            rows = table.rows();
        } catch (const TableError&) {
            // Each of several tries met a change: rare, but a busy machine may take long over a
            // try.
            ++refused;
        }
    }
    ASSERT_FALSE(ended) << status;
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
    EXPECT_LT(refused, looks);
    EXPECT_GT(rows, looks / 2);
}

}  // namespace
}  // namespace lacon
