// docs/theory.md points from every statement of the theory to the function that computes it and the
// test that checks it. Its entries are
//
//     - **2.1** (P1 5a) statement
//       - computed by `src/solve/dense/reference.cpp: acceleration_p1`
//       - checked by `tests/solve/theory.cpp: TheoryP1.Equation5a…`
//
// with several places separated by commas, or the single word "planned" in both.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Pointer {
    std::string file, name;
};

struct Row {
    std::string number, computed, checked;  // but for the statement itself
};

std::string contents_of(const std::string& path) {
    std::ifstream file(std::string(LACON_SOURCE_DIR) + "/" + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t");
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The items of all lists, each with its level, joined where it goes over several lines.
std::vector<std::pair<std::size_t, std::string>> list_items(const std::string& document) {
    std::vector<std::pair<std::size_t, std::string>> items;
    std::istringstream text(contents_of(document));
    bool open = false;
    for (std::string line; std::getline(text, line);) {
        const auto dash = line.find_first_not_of(' ');
        if (dash == std::string::npos) open = false;
        else if (line.compare(dash, 2, "- ") == 0) {
            items.emplace_back(dash, line.substr(dash + 2));
            open = true;
        } else if (open && dash > 0) items.back().second += " " + trimmed(line);
    }
    return items;
}

/// The entries that begin with the number of a statement: "- **2.1** …".
std::vector<Row> rows_of_index() {
    static const std::regex number(R"(^\*\*([1-7]\.\d+)\*\* .*)");
    const std::string computed = "computed by ", checked = "checked by ";
    std::vector<Row> rows;
    for (const auto& [level, text] : list_items("docs/theory.md")) {
        if (std::smatch match; level == 0 && std::regex_match(text, match, number))
            rows.push_back({match[1], "", ""});
        else if (level > 0 && text.starts_with(computed))
            rows.back().computed += text.substr(computed.size());
        else if (level > 0 && text.starts_with(checked))
            rows.back().checked += text.substr(checked.size());
        else if (level > 0) ADD_FAILURE() << "neither computed nor checked by: " << text;
    }
    return rows;
}

/// "`file: name`, `file: name`" as pointers; anything else fails the test.
std::vector<Pointer> pointers_in(const Row& row, const std::string& cell) {
    static const std::regex form(R"(`([\w./-]+): (~?[\w.:]+)`)");
    std::vector<Pointer> pointers;
    for (std::sregex_iterator it(cell.begin(), cell.end(), form), end; it != end; ++it)
        pointers.push_back({(*it)[1], (*it)[2]});
    const std::string rest =
        trimmed(std::regex_replace(std::regex_replace(cell, form, ""), std::regex(","), ""));
    EXPECT_EQ(rest, "") << "in row " << row.number;
    EXPECT_FALSE(pointers.empty()) << "row " << row.number << " points to nothing";
    return pointers;
}

bool is_planned(const Row& row) {
    return row.computed == "planned" && row.checked == "planned";
}

TEST(TheoryIndex, EveryStatementOfSectionsTwoToSixHasARow) {
    std::set<std::string> numbers;
    for (const Row& row : rows_of_index())
        EXPECT_TRUE(numbers.insert(row.number).second) << row.number << " stands twice";
    const std::vector<std::pair<int, int>> sections = {{2, 7}, {3, 9}, {4, 5}, {5, 3}, {6, 2}};
    for (const auto& [section, statements] : sections) {
        for (int k = 1; k <= statements; ++k) {
            const std::string number = std::to_string(section) + "." + std::to_string(k);
            EXPECT_TRUE(numbers.contains(number)) << number << " is missing in docs/theory.md";
        }
    }
}

TEST(TheoryIndex, EveryFunctionItNamesIsInTheFileItNames) {
    for (const Row& row : rows_of_index()) {
        if (is_planned(row)) continue;
        for (const Pointer& pointer : pointers_in(row, row.computed)) {
            const std::string text = contents_of(pointer.file);
            EXPECT_NE(text, "") << "row " << row.number << ": no file " << pointer.file;
            const std::regex whole_name("\\b" + pointer.name + "\\(");
            EXPECT_TRUE(std::regex_search(text, whole_name))
                << "row " << row.number << ": no " << pointer.name << " in " << pointer.file;
        }
    }
}

TEST(TheoryIndex, EveryTestItNamesIsInTheFileItNames) {
    for (const Row& row : rows_of_index()) {
        if (is_planned(row)) continue;
        for (const Pointer& pointer : pointers_in(row, row.checked)) {
            const auto dot = pointer.name.find('.');
            ASSERT_NE(dot, std::string::npos)
                << "row " << row.number << ": a test is named Suite.Name, not " << pointer.name;
            const std::string arguments =
                "(" + pointer.name.substr(0, dot) + ", " + pointer.name.substr(dot + 1) + ")";
            const std::string text = contents_of(pointer.file);
            EXPECT_TRUE(text.find("TEST" + arguments) != std::string::npos ||
                        text.find("TEST_F" + arguments) != std::string::npos ||
                        text.find("TEST_P" + arguments) != std::string::npos)
                << "row " << row.number << ": no test " << pointer.name << " in " << pointer.file;
        }
    }
}

TEST(TheoryIndex, PlannedIsSaidOfBothOrNeither) {
    for (const Row& row : rows_of_index())
        EXPECT_EQ(row.computed == "planned", row.checked == "planned") << "in row " << row.number;
}

}  // namespace
