// Events that results keep: written last, taken away by rows that are added, read again.
#include <gtest/gtest.h>

#include <hdf5.h>

#include "table/folder.hpp"
#include "table/samples.hpp"

namespace lacon {
namespace {

using namespace testing;

const char* const two_events =
    R"([{"t":0.5,"kind":"impact","name":"floor, \"β\""},{"t":1.0,"kind":"rank"}])";

struct Way {
    const char *name, *ending;
    Storage storage;
};
/// Named so, as ctest shows it.
void PrintTo(const Way& way, std::ostream* out) {
    *out << way.name;
}

class EveryWayThatKeepsEvents : public ::testing::TestWithParam<Way> {
protected:
    std::string file(const std::string& name) const { return folder_ / (name + GetParam().ending); }
    std::unique_ptr<TableWriter> opened(const std::string& path) const {
        return open_table(path, sample_info(), GetParam().storage);
    }
    Folder folder_;
};
INSTANTIATE_TEST_SUITE_P(Table, EveryWayThatKeepsEvents,
                         ::testing::Values(Way{"json", ".json", Storage::by_width},
                                           Way{"piece", ".h5", Storage::one_piece},
                                           Way{"chunks", ".h5", Storage::chunks}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(EveryWayThatKeepsEvents, ReadsThemAgain) {
    const std::string path = file("result");
    const auto writer = opened(path);
    write_rows(*writer, 0, 300);
    writer->keep_events(two_events);
    writer->close();
    const Table table = read_table(path);
    EXPECT_EQ(table.events, two_events);
    EXPECT_EQ(table.rows(), 300u);
    EXPECT_EQ(table.columns[0][299], sample_row(299)[0]);
}

TEST_P(EveryWayThatKeepsEvents, OfARunWithoutRowsToo) {
    const std::string path = file("result");
    const auto writer = opened(path);
    writer->keep_events("[]");
    writer->close();
    EXPECT_EQ(read_table(path).events, "[]");
}

TEST_P(EveryWayThatKeepsEvents, AFileThatIsNotClosedHasNone) {
    const std::string path = file("result");
    const auto writer = opened(path);
    write_rows(*writer, 0, 30);
    writer->keep_events(two_events);
    writer->flush();
    EXPECT_EQ(read_table(path).events, "");
}

TEST_P(EveryWayThatKeepsEvents, AResumedRunWritesThemAnew) {
    const std::string path = file("result"), whole = file("whole");
    for (const std::string& one : {path, whole}) {
        const auto writer = opened(one);
        write_rows(*writer, 0, 40);
        writer->flush();
        const std::uint64_t position = writer->position();
        write_rows(*writer, 40, one == whole ? 5000 : 60);
        writer->keep_events(one == whole ? two_events : "[]");
        writer->close();
        if (one == whole) continue;
        const auto resumed = reopen_table(path, sample_info(), 40, position);
        EXPECT_EQ(read_table(path).events, "");
        write_rows(*resumed, 40, 5000);
        resumed->keep_events(two_events);
        resumed->close();
    }
    EXPECT_EQ(read_table(path).events, two_events);
    EXPECT_EQ(text_of(path), text_of(whole));
}

TEST(Events, FilesOfEarlierVersionsHaveNoneAndAreGoneOnWith) {
    const Folder folder;
    const std::string path = folder / "old.h5";
    const auto writer = open_table(path, sample_info());
    write_rows(*writer, 0, 20);
    writer->close();
    // As if it had been made before there were events.
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    ASSERT_GE(H5Ldelete(file, "events", H5P_DEFAULT), 0);
    H5Fclose(file);
    EXPECT_EQ(read_table(path).events, "");
    const auto resumed = reopen_table(path, sample_info(), 20, 20);
    write_rows(*resumed, 20, 30);
    resumed->keep_events(two_events);
    resumed->close();
    EXPECT_EQ(read_table(path).rows(), 30u);
    EXPECT_EQ(read_table(path).events, "");
}

}  // namespace
}  // namespace lacon
