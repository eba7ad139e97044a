#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <array>
#include <atomic>

#include "table/folder.hpp"
#include "table/samples.hpp"

namespace lacon {
namespace {

using namespace testing;

/// A number that a child tells and its parent reads, also when the child is dead.
class Shared {
public:
    Shared() {
        void* memory = ::mmap(nullptr, sizeof *number_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
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
std::array<double, 6> quick_row(std::uint64_t i) {
    const auto x = static_cast<double>(i);
    return {x, x / 3.0, -x, 1.0 / (1.0 + x), 0.5 * x, x * x};
}

void expect_quick_rows(const Table& table, const std::string& when) {
    for (std::uint64_t row = 0; row < table.rows(); ++row)
        for (std::size_t j = 0; j < table.columns.size(); ++j)
            if (table.columns[j][row] != quick_row(row)[j]) FAIL() << when << ", row " << row << ", column " << j;
}

/// Goes on with the file and writes without end, in blocks of a few rows and now and then of many pages.
void write_until_killed(const std::string& path, std::uint64_t row, std::atomic<std::uint64_t>& flushed) {
    const auto writer = reopen_table(path, sample_info(), row, row);
    for (std::uint64_t block = 0;; ++block) {
        const std::uint64_t end = row + (block % 50 == 49 ? 1500 : 1 + block % 7);
        for (; row < end; ++row) writer->row(quick_row(row));
        writer->flush();
        flushed = row;
    }
}

/// Every round cuts the file back to half its rows and goes on, and is killed somewhere on the way: every third one maybe still
/// while it opens the file, the others surely while they write.
TEST(H5, AKillAtAnyMomentLeavesAllRowsFlushedBefore) {
    const Folder folder;
    const std::string path = folder / "a.h5";
    open_table(path, sample_info())->close();
    std::uint64_t kept = 0;
    for (int i = 0; i < 200; ++i) {
        Shared flushed;
        const pid_t child = fork();
        if (child == 0) {
            try {
                write_until_killed(path, kept, *flushed);
            } catch (const std::exception&) {
                ::_exit(1);
            }
        }
        for (int wait = 0; wait < 100'000 && i % 3 != 0 && *flushed == 0; ++wait) ::usleep(50);
        ::usleep(static_cast<useconds_t>(100 + 43 * i));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "round " << i << ": " << status;

        Table table;
        ASSERT_NO_THROW(table = read_table(path)) << "round " << i;
        ASSERT_GE(table.rows(), std::max<std::uint64_t>(kept, *flushed)) << "round " << i;
        ASSERT_EQ(table.info, sample_info());
        expect_quick_rows(table, "round " + std::to_string(i));
        if (HasFatalFailure()) return;
        kept = table.rows() / 2;
    }
}

/// HDF5 takes rows that came between two of its looks at a file for zeros. Here they come 300 times as often as in a run.
TEST(H5, AFileReadWhileItGrowsHasNoWrongRows) {
    const Folder folder;
    const std::string path = folder / "a.h5";
    open_table(path, sample_info())->close();
    const pid_t child = fork();
    if (child == 0) {
        try {
            const auto writer = reopen_table(path, sample_info(), 0, 0);
            for (std::uint64_t row = 0;; ++row, ::usleep(3000)) {
                writer->row(quick_row(row));
                writer->flush();
            }
        } catch (const std::exception&) {
            ::_exit(1);
        }
    }
    constexpr int looks = 300;
    int refused = 0;
    for (int i = 0; i < looks && !HasFatalFailure(); ++i) {
        try {
            expect_quick_rows(read_table(path), "look " + std::to_string(i));
        } catch (const TableError&) {
            ++refused;  // each of several tries met a change: rare, but a busy machine may take long over a try
        }
    }
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
    EXPECT_LT(refused, looks);
}

}  // namespace
}  // namespace lacon
