// Files of measured signals: separators, headers, columns, faults.
#include "data/signal_file.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace lacon {
namespace {

namespace fs = std::filesystem;

SignalSource source(SignalColumn values = {{}, 2}, SignalColumn argument = {{}, 1}) {
    return {{}, "q.csv", std::move(argument), std::move(values)};
}

std::string fault(const std::string& text, const SignalSource& from = source()) {
    try {
        read_signal_text(text, from);
    } catch (const DataError& error) {
        return error.what();
    }
    return "none";
}

TEST(SignalFile, AnySeparatorHeaderCommentAndLineEndReadsTheSame) {
    for (const char* text : {"0,1\n1,2\n2,4\n", "t;a\n0;1\n1;2\n2;4",
                             "# made by hand\r\nt\ta\r\n0\t1\r\n1\t2 # one\r\n\r\n2\t4\r\n",
                             "  0   1\n 1 +2\n2 4e0\n", "\"0\",\"1\"\n\"1\",\"2\"\n\"2\",\"4\"\n",
                             "\xEF\xBB\xBF\"t, s\",\"a\"\n0,1\n1,2\n2,4\n"}) {
        const Signal signal = read_signal_text(text, source());
        EXPECT_EQ(signal.x, (std::vector<double>{0, 1, 2})) << text;
        EXPECT_EQ(signal.y, (std::vector<double>{1, 2, 4})) << text;
    }
}

TEST(SignalFile, ColumnsGoByNameAndByNumber) {
    const std::string text = "t,x,\"a b\"\n0,5,1\n1,6,2\n";
    EXPECT_EQ(read_signal_text(text, source({"a b", 0})).y, (std::vector<double>{1, 2}));
    EXPECT_EQ(read_signal_text(text, source({{}, 3}, {"x", 0})).x, (std::vector<double>{5, 6}));
}

TEST(SignalFile, FaultsNameRowAndColumn) {
    EXPECT_EQ(fault("t,a\n0,1\n1,abc\n"), "'q.csv' row 3, column 2: 'abc' is not a number");
    EXPECT_EQ(fault("0,1\n1\n"),
              "'q.csv' row 2, column 2: the cell is missing; the row has 1 column");
    EXPECT_EQ(fault("0,1\n1,\n"), "'q.csv' row 2, column 2: the cell is empty");
    EXPECT_EQ(fault("0,1\n1,inf\n"), "'q.csv' row 2, column 2: 'inf' is not a finite number");
    EXPECT_EQ(fault("0,1\n1,1e999\n"), "'q.csv' row 2, column 2: '1e999' is not a finite number");
    EXPECT_EQ(fault("0,1\n# skip\n0,2\n"),
              "'q.csv' row 3, column 1: the argument 0 is also in row 1");
    EXPECT_EQ(fault("0,1\n2,2\n1,2\n"),
              "'q.csv' row 3, column 1: the arguments must increase, but 1 follows 2 of row 2");
    EXPECT_EQ(fault("t,a\n"), "'q.csv' has no row of numbers; a curve needs two or more");
    EXPECT_EQ(fault("0,1\n"), "'q.csv' has one row of numbers; a curve needs two or more");
    EXPECT_EQ(fault("t,a\n0,1\n", source({"b", 0})),
              "'q.csv' has no column 'b'; it has 't' and 'a'");
    EXPECT_EQ(fault("0,1\n", source({"b", 0})), "'q.csv' has no header, so there is no column 'b'");
    EXPECT_EQ(fault("0,1\n", source({{}, 5})), "'q.csv' has no column 5: row 1 has 2 columns");
    EXPECT_EQ(fault("0,1\n", source({{}, 1})),
              "column 1 of 'q.csv' cannot be both the argument and the values");
}

class SignalFolder : public testing::Test {
protected:
    SignalFolder()
        : folder(fs::path(testing::TempDir()) / ("lacon_signals_" + std::to_string(getpid()))) {
        fs::remove_all(folder);
        fs::create_directories(folder / "model/below");
        for (const char* file : {"outside.csv", "model/in.csv", "model/below/in.csv"})
            std::ofstream(folder / file) << "0,1\n1,2\n";
    }
    ~SignalFolder() override { fs::remove_all(folder); }
    std::string fault_of(const std::string& file) const {
        SignalSource from = source();
        from.folder = folder / "model";
        from.file = file;
        try {
            read_signal(from);
        } catch (const DataError& error) {
            return error.what();
        }
        return "none";
    }
    fs::path folder;
};

TEST_F(SignalFolder, OnlyFilesBelowTheModelAreRead) {
    EXPECT_EQ(fault_of("in.csv"), "none");
    EXPECT_EQ(fault_of("below/in.csv"), "none");
    EXPECT_EQ(fault_of("../outside.csv"),
              "'../outside.csv' is outside the model's folder and is not read");
    EXPECT_EQ(fault_of((folder / "model/in.csv").string()).substr(0, 1), "'");
    fs::create_symlink(folder / "outside.csv", folder / "model/link.csv");
    EXPECT_EQ(fault_of("link.csv"), "'link.csv' is outside the model's folder and is not read");
    EXPECT_EQ(fault_of("below"), "cannot read 'below': it is a folder");
    EXPECT_EQ(fault_of("none.csv"),
              "cannot read 'none.csv': there is no such file in the model's folder");
    EXPECT_EQ(fault_of("/dev/zero"), "'/dev/zero' is outside the model's folder and is not read");
}

TEST_F(SignalFolder, AFileHasItsLargestSize) {
    fs::resize_file(folder / "model/in.csv", (std::uintmax_t{64} << 20) + 1);
    EXPECT_EQ(fault_of("in.csv"), "'in.csv' is too large: at most 64 MiB are read");
}

}  // namespace
}  // namespace lacon
