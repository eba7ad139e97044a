// The clause `data`: members of families from the rows of a file.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "data/number_table.hpp"
#include "expr/print.hpp"
#include "lang/lang.hpp"

/// `for (i, j) in data "edges.csv"`.
namespace lacon {
namespace {

namespace fs = std::filesystem;

/// A model in a folder of its own, beside the lists it reads.
class DataClause : public testing::Test {
protected:
    DataClause()
        : folder(fs::path(testing::TempDir()) / ("lacon_clause_" + std::to_string(getpid()))) {
        fs::remove_all(folder);
        fs::create_directories(folder);
        put("edges.csv", "1,2\n2,3\n3,1\n");
        put("rods.csv", "# rods\nto;from;rest\n2;1;0.5\n3;2;1.25\n");
        put("pinned.csv", "node\n1\n3\n");
    }
    ~DataClause() override { fs::remove_all(folder); }

    void put(const std::string& name, const std::string& text) const {
        std::ofstream(folder / name, std::ios::binary) << text;
    }
    Parsed parsed(const std::string& text) const {
        return parse_model(SourceText((folder / "m.lac").string(), net + text));
    }
    Model read(const std::string& text) const {
        Parsed result = parsed(text);
        EXPECT_TRUE(result.model) << render(result.diagnostics, SourceText("m.lac", net + text));
        return result.model ? std::move(*result.model) : Model();
    }
    std::string first_error(const std::string& text) const {
        const Parsed result = parsed(text);
        if (result.diagnostics.all().empty()) return "";
        const Diagnostic& first = result.diagnostics.all().front();
        return first.message + (first.hint.empty() ? "" : " | " + first.hint);
    }
    /// "name: expression" of each constraint.
    static std::vector<std::string> constraints(const Model& model) {
        std::vector<std::string> all;
        Graph graph = model.graph;
        for (const ConstraintRow& row : model.constraints)
            all.push_back(row.name + ": " +
                          to_text(graph, model.forms.expression(row.value, graph)));
        return all;
    }

    const std::string net = "coord x[1..3]\n";
    fs::path folder;
};

using Texts = std::vector<std::string>;

TEST_F(DataClause, GivesOneMemberARow) {
    EXPECT_EQ(
        constraints(read("constraint rod[i,j]: x[i] = 2*x[j] for (i, j) in data \"edges.csv\"\n")),
        (Texts{"rod[1,2]: x[1] - 2*x[2]", "rod[2,3]: x[2] - 2*x[3]", "rod[3,1]: x[3] - 2*x[1]"}));
}

TEST_F(DataClause, CountsRowsSoThatTheyMayRepeat) {
    put("twice.csv", "1 2\n\n1 2\n");
    EXPECT_EQ(constraints(
                  read("constraint rod[k]: x[i] - x[j] = k for k, (i, j) in data \"twice.csv\"\n")),
              (Texts{"rod[1]: x[1] - x[2] - 1", "rod[2]: x[1] - x[2] - 2"}));
    EXPECT_EQ(first_error("constraint rod[i,j]: x[i] = x[j] for (i, j) in data \"twice.csv\"\n"),
              "'rod[1,2]' is declared twice | row 1 of 'twice.csv' declares it, and row 3 of "
              "'twice.csv' again; to number the rows, write for k, (i, j) in data");
}

TEST_F(DataClause, FindsColumnsByTheNamesInTheHeader) {
    EXPECT_EQ(constraints(read("constraint rod[from]: x[to] - x[from] = rest for (from, to, rest) "
                               "in data \"rods.csv\"\n")),
              (Texts{"rod[1]: x[2] - x[1] - 0.5", "rod[2]: x[3] - x[2] - 1.25"}));
    EXPECT_EQ(constraints(
                  read("constraint rod[i]: x[i] - x[j] = l for (i, j, l) in data \"rods.csv\"\n")),
              (Texts{"rod[2]: x[2] - x[1] - 0.5", "rod[3]: x[3] - x[2] - 1.25"}));
    EXPECT_EQ(read("potential rest*x[1] for rest in data \"rods.csv\"\n").potential.size(), 2u);
}

TEST_F(DataClause, GoesWithOtherClausesAndConditions) {
    const Model model = read(
        "potential x[i]*k for i in data \"pinned.csv\", k in 1..2\n"
        "potential x[i] for (i, j) in data \"edges.csv\" if i < j\n"
        "potential sum(x[i]*x[j] for (i, j) in data \"edges.csv\" if j == n + 1) for n in 1..2\n");
    Texts texts;
    Graph graph = model.graph;
    for (const EnergyTerm& term : model.potential)
        texts.push_back(to_text(graph, model.forms.expression(term.value, graph)));
    EXPECT_EQ(texts, (Texts{"x[1]", "2*x[1]", "x[3]", "2*x[3]", "x[1]", "x[2]", "x[1]*x[2]",
                            "x[2]*x[3]"}));
}

TEST_F(DataClause, ServesEveryStatementThatRepeats) {
    const Model model = read(
        "param c[i,j] = 10*i + j for (i, j) in data \"edges.csv\"\n"
        "let d[k] = x[i] - x[j] for k, (i, j) in data \"edges.csv\"\n"
        "particle p[i] at (x[i], 0) mass 1 for i in data \"pinned.csv\"\n"
        "start x[i] = i for i in data \"pinned.csv\"\noutput d[k] for k, (i, j) in data "
        "\"edges.csv\"\n");
    ASSERT_EQ(model.parameters.size(), 3u);
    EXPECT_EQ(model.parameters[2].name, "c[3,1]");
    EXPECT_EQ(model.parameters[2].value, 31.0);
    ASSERT_EQ(model.outputs.size(), 3u);
    EXPECT_EQ(model.outputs[1].name, "d[2]");
    EXPECT_EQ(to_text(model.graph, model.outputs[1].value), "x[2] - x[3]");
    EXPECT_EQ(model.particles[1].name, "p[3]");
    EXPECT_EQ(model.start.size(), 2u);
}

TEST_F(DataClause, TellsTheRowOfWhatIsWrong) {
    put("far.csv", "i,j\n1,2\n2,4\n");
    put("half.csv", "1,2\n2,2.5\n");
    put("bad.csv", "1,2\n2,two\n");
    put("ragged.csv", "1,2\n2,3,4\n");
    put("empty.csv", "# nothing\n");
    const auto rods = [](const std::string& file) {
        return "constraint rod[k]: x[i] = x[j] for k, (i, j) in data \"" + file + "\"\n";
    };
    EXPECT_EQ(first_error(rods("far.csv")),
              "'x' has no member [4]; it has [1] to [3] | row 3 of 'far.csv' needs it");
    EXPECT_EQ(
        first_error(rods("half.csv")),
        "an index must be a whole number, but it is 2.5 | the value is in row 2 of 'half.csv'");
    EXPECT_EQ(first_error(rods("bad.csv")), "'bad.csv' row 2, column 2: 'two' is not a number");
    EXPECT_EQ(first_error(rods("ragged.csv")), "'ragged.csv' row 2 has 3 columns, but row 1 has 2");
    EXPECT_EQ(first_error(rods("empty.csv")), "'empty.csv' has no row of numbers");
    EXPECT_EQ(first_error(rods("none.csv")),
              "cannot read 'none.csv': there is no such file in the model's folder");
    EXPECT_EQ(first_error(rods("../edges.csv")),
              "'../edges.csv' is outside the model's folder and is not read | put the file in the "
              "model's folder or in one below it");
    EXPECT_EQ(first_error(rods("pinned.csv")),
              "'pinned.csv' has 1 column, but 2 names are given here | its columns are 'node'");
}

TEST_F(DataClause, AWrongFileIsToldOnce) {
    const Parsed result = parsed(
        "potential x[i] for (i, j) in data \"no.csv\"\npotential x[j] for (i, j) in data "
        "\"no.csv\"\n"
        "potential sum(x[i] for i in data \"no.csv\")\n");
    EXPECT_EQ(result.diagnostics.error_count(), 1u);
}

TEST(NumberTable, AMillionRowsAreReadRight) {
    std::string text = "i,j\n";
    for (int i = 0; i < 1'000'000; ++i)
        text += std::to_string(i) + "," + std::to_string(i + 1) + "\n";
    const NumberTable table = read_number_table_text(text, "edges.csv");
    ASSERT_EQ(table.row_count(), 1'000'000u);
    EXPECT_EQ(table.at(999'999, 1), 1e6);
    EXPECT_EQ(table.rows.back(), 1'000'001u);
}

}  // namespace
}  // namespace lacon
