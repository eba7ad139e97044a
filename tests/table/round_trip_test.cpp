// What is written to a table of any format is what is read.
#include <gtest/gtest.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "table/folder.hpp"
#include "table/samples.hpp"

namespace lacon {
namespace {

using namespace testing;

class EveryFormat : public ::testing::TestWithParam<const char*> {
protected:
    Folder folder_;
    std::string path_ = folder_ / (std::string("result") + GetParam());
    bool keeps_info_ = std::string(GetParam()) != ".csv";
};
INSTANTIATE_TEST_SUITE_P(Table, EveryFormat, ::testing::ValuesIn(endings),
                         [](const auto& test) { return std::string(test.param).substr(1); });

void expect_rows(const Table& table, std::uint64_t count) {
    ASSERT_EQ(table.columns.size(), sample_info().names.size());
    ASSERT_EQ(table.rows(), count);
    for (std::uint64_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < table.columns.size(); ++j)
            ASSERT_EQ(std::bit_cast<std::uint64_t>(table.columns[j][i]),
                      std::bit_cast<std::uint64_t>(sample_row(i)[j]))
                << "row " << i << ", column " << j;
}

TEST_P(EveryFormat, NumbersComeBackBitForBit) {
    constexpr std::uint64_t count = 5000;
    const auto writer = open_table(path_, sample_info());
    write_rows(*writer, 0, count);
    EXPECT_EQ(writer->rows(), count);
    writer->close();
    expect_rows(read_table(path_), count);
}

TEST_P(EveryFormat, NamesWithCommasQuotesAndGreekComeBack) {
    open_table(path_, sample_info())->close();
    EXPECT_EQ(read_table(path_).info.names, sample_info().names);
    EXPECT_EQ(read_table(path_).rows(), 0u);
}

TEST_P(EveryFormat, InfoComesBackWhereTheFormatHasRoomForIt) {
    open_table(path_, sample_info())->close();
    TableInfo expected = sample_info();
    if (!keeps_info_) {
        expected = {};
        expected.names = sample_info().names;
        expected.texts.resize(expected.names.size());
    }
    EXPECT_EQ(read_table(path_).info, expected);
}

TEST_P(EveryFormat, SettingsComeBackAsValuesOrAsTheirTexts) {
    TableInfo info = sample_info();
    info.options = {{"method", "taylor"},
                    {"tolerance", 1e-12},
                    {"set N", 40.0},
                    {"diagnose", true},
                    {"every", 0.1}};
    open_table(path_, info)->close();
    const std::string format = GetParam();
    const TableOptions texts{{"method", "taylor"},
                             {"tolerance", "1e-12"},
                             {"set N", "40"},
                             {"diagnose", "true"},
                             {"every", "0.1"}};
    EXPECT_EQ(read_table(path_).info.options, format == ".json" ? info.options
                                              : format == ".h5" ? texts
                                                                : TableOptions());
    EXPECT_NO_THROW(
        reopen_table(path_, info, 0, format == ".h5" ? 0 : open_table(path_, info)->position()));
}

TEST_P(EveryFormat, ModelOfAMegabyteIsKeptWhole) {
    TableInfo info = sample_info();
    info.options.clear();
    info.source.assign(1 << 20, 'x');
    open_table(path_, info)->close();
    EXPECT_EQ(read_table(path_).info.source, keeps_info_ ? info.source : "");
    EXPECT_TRUE(read_table(path_).info.options.empty());
}

TEST_P(EveryFormat, MissingValuesComeBackAsNaN) {
    TableInfo info;
    info.names = {"t", "x"};
    const auto writer = open_table(path_, info);
    writer->row(std::vector{0.0, -std::numeric_limits<double>::quiet_NaN()});
    writer->row(std::vector{1.0, 2.0});
    writer->close();
    const Table table = read_table(path_);
    EXPECT_TRUE(std::isnan(table.columns[1][0]));
    EXPECT_EQ(table.columns[1][1], 2.0);
}

TEST_P(EveryFormat, FileIsReplacedOnOpening) {
    const auto first = open_table(path_, sample_info());
    write_rows(*first, 0, 100);
    first->close();
    const auto second = open_table(path_, sample_info());
    EXPECT_EQ(read_table(path_).rows(), 0u);
    write_rows(*second, 0, 3);
    second->close();
    expect_rows(read_table(path_), 3);
}

TEST_P(EveryFormat, FileCanBeReadWhileItGrows) {
    const auto writer = open_table(path_, sample_info());
    for (std::uint64_t rows = 1; rows <= 2048; rows *= 2) {
        write_rows(*writer, rows / 2, rows);
        writer->flush();
        expect_rows(read_table(path_), rows);
    }
}

TEST_P(EveryFormat, FlushIsDueAfterASecondOnly) {
    using namespace std::chrono_literals;
    const auto before = std::chrono::steady_clock::now();
    const auto writer = open_table(path_, sample_info());
    write_rows(*writer, 0, 1);
    writer->flush_if_due(before + 1s - 1ns);
    EXPECT_EQ(read_table(path_).rows(), 0u);
    const auto due = std::chrono::steady_clock::now() + 1s;
    writer->flush_if_due(due);
    EXPECT_EQ(read_table(path_).rows(), 1u);
    write_rows(*writer, 1, 2);
    writer->flush_if_due(due + 1s - 1ns);
    EXPECT_EQ(read_table(path_).rows(), 1u);
    writer->flush_if_due(due + 1s);
    EXPECT_EQ(read_table(path_).rows(), 2u);
}

TEST_P(EveryFormat, ARowOfAnotherLengthIsABug) {
    EXPECT_THROW(open_table(path_, sample_info())->row(std::vector{1.0}), std::logic_error);
    EXPECT_THROW(open_table(path_, TableInfo{}), std::logic_error);
}

TEST(Csv, IsTheHeaderThenTheShortestDigits) {
    const Folder folder;
    TableInfo info;
    info.names = {"t", "x[1]'", "max(a, b)", "a \"b\""};
    const auto writer = open_table(folder / "a.csv", info);
    const double infinity = std::numeric_limits<double>::infinity();
    writer->row(std::vector{0.1, 3.0, -1e-300, std::nan("")});
    writer->row(std::vector{-0.0, 1e22, infinity, -infinity});
    writer->close();
    EXPECT_EQ(text_of(folder / "a.csv"),
              "t,x[1]',\"max(a, b)\",\"a \"\"b\"\"\"\n"
              "0.1,3,-1e-300,nan\n"
              "-0,1e+22,inf,-inf\n");
    EXPECT_EQ(read_table(folder / "a.csv").columns[3][1], -infinity);
}

TEST(Csv, FilesOfOtherProgramsAreRead) {
    const Folder folder;
    const Table table = read_table(
        folder.write("a.csv", "\xef\xbb\xbft , \"x\"\r\n 1, +2\r\n\r\n\"3\",\r\n4,1e999"));
    EXPECT_EQ(table.info.names, (std::vector<std::string>{"t ", " x"}));
    EXPECT_EQ(table.columns[0], (std::vector{1.0, 3.0, 4.0}));
    EXPECT_EQ(table.columns[1][0], 2.0);
    EXPECT_TRUE(std::isnan(table.columns[1][1]));
    EXPECT_TRUE(std::isinf(table.columns[1][2]));
}

TEST(Json, HasTheKeysOfTheDocumentAndNullForWhatIsNotFinite) {
    const Folder folder;
    TableInfo info = sample_info();
    info.options = {
        {"method", "taylor"}, {"tolerance", 1e-12}, {"set N", 40.0}, {"diagnose", true}, {"a", ""}};
    const auto writer = open_table(folder / "a.json", info);
    writer->row(
        std::vector{1.0, std::nan(""), std::numeric_limits<double>::infinity(), 0.1, 2.0, -0.0});
    writer->close();
    const auto json = nlohmann::ordered_json::parse(text_of(folder / "a.json"));
    EXPECT_EQ(json["model"], sample_info().model);
    EXPECT_EQ(json["source"], sample_info().source);
    EXPECT_EQ(json["options"].dump(),
              R"({"method":"taylor","tolerance":1e-12,"set N":40,"diagnose":true,"a":""})");
    EXPECT_EQ(json["columns"][0].dump(), R"({"name":"t","text":"time, s"})");
    EXPECT_EQ(json["rows"].dump(), "[[1,null,null,0.1,2,-0.0]]");
}

TEST(Json, BytesThatAreNoTextDoNotSpoilTheFile) {
    const Folder folder;
    TableInfo info = sample_info();
    info.source = "# \xff\xfe";
    open_table(folder / "a.json", info)->close();
    EXPECT_EQ(read_table(folder / "a.json").info.source, "# \xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Table, EndingTellsTheFormatInEitherCase) {
    EXPECT_TRUE(known_ending("a.csv"));
    EXPECT_TRUE(known_ending("out/a.b.JSON"));
    EXPECT_TRUE(known_ending("a.h5"));
    EXPECT_FALSE(known_ending("a.txt"));
    EXPECT_FALSE(known_ending("csv"));
    EXPECT_FALSE(known_ending(""));
}

}  // namespace
}  // namespace lacon
