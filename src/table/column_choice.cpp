// Matches patterns in one pass that goes back to the last `*` only. A name that no column has gets
// a suggestion.
#include "table/column_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace lacon::inline table {

namespace {

/// "x[3].force" as "x[*].force".
std::string family_of(std::string_view name) {
    std::string family;
    int depth = 0;
    for (const char c : name) {
        if (c == ']') --depth;
        if (depth == 0) family += c;
        if (c == '[' && ++depth == 1) family += '*';
    }
    return family;
}

std::string no_column(const std::string& pattern, std::span<const std::string> names) {
    std::vector<std::string> candidates(names.begin(), names.end());
    if (pattern.find('*') != std::string::npos) {
        std::set<std::string> families;
        for (const std::string& name : names) families.insert(family_of(name));
        candidates.assign(families.begin(), families.end());
    }
    const auto near = nearest_name(pattern, candidates);
    return fmt::format("there is no column '{}'{}; the columns are {}", pattern,
                       near ? fmt::format(" (did you mean '{}'?)", *near) : "", quoted_list(names));
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
    // As far as the pattern goes; at a mismatch the last star takes one character more.
    std::size_t p = 0, n = 0, star = std::string_view::npos, taken = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            taken = n;
        } else if (p < pattern.size() && pattern[p] == name[n]) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++taken;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<std::string> names_by_commas(std::string_view text) {
    std::vector<std::string> names(1);
    int depth = 0;
    for (const char c : text) {
        if (c == '(' || c == '[') ++depth;
        if (c == ')' || c == ']') --depth;
        if (c == ',' && depth == 0) names.emplace_back();
        else if (c != ' ' || !names.back().empty()) names.back() += c;
    }
    for (std::string& name : names) name.erase(name.find_last_not_of(' ') + 1);
    return names;
}

namespace {

/// Whether brackets come in pairs.
bool closes(std::string_view pattern) {
    std::string open;
    for (const char c : pattern) {
        if (c == '(' || c == '[') open += c;
        if (c != ')' && c != ']') continue;
        if (open.empty() || (open.back() == '(') != (c == ')')) return false;
        open.pop_back();
    }
    return open.empty();
}

}  // namespace

std::vector<std::size_t> matching_columns(std::string_view pattern,
                                          std::span<const std::string> names) {
    if (const auto found = std::find(names.begin(), names.end(), pattern); found != names.end())
        return {static_cast<std::size_t>(found - names.begin())};
    std::vector<std::size_t> columns;
    if (!closes(pattern)) return columns;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (matches(pattern, names[i])) columns.push_back(i);
    return columns;
}

ColumnChoice::ColumnChoice(std::span<const std::string> texts, std::span<const std::string> names) {
    if (texts.empty()) return;
    std::vector<bool> chosen(names.size(), false);
    for (const std::size_t i : matching_columns("t", names)) chosen[i] = true;
    for (const std::string& text : texts) {
        const bool is_name = std::find(names.begin(), names.end(), text) != names.end();
        for (const std::string& pattern : is_name ? std::vector{text} : names_by_commas(text)) {
            if (pattern.empty())
                throw std::invalid_argument(fmt::format("a name is missing in '{}'", text));
            const std::vector<std::size_t> found = matching_columns(pattern, names);
            if (found.empty()) throw std::invalid_argument(no_column(pattern, names));
            for (const std::size_t i : found) chosen[i] = true;
        }
    }
    for (std::size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i]) columns_.push_back(i);
}

TableInfo ColumnChoice::of(TableInfo info) const {
    if (is_all()) return info;
    TableInfo some = info;
    some.names.clear();
    some.texts.clear();
    for (const std::size_t i : columns_) {
        some.names.push_back(info.names[i]);
        if (!info.texts.empty()) some.texts.push_back(info.texts[i]);
    }
    return some;
}

std::span<const double> ColumnChoice::of(std::span<const double> row) {
    if (is_all()) return row;
    row_.resize(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) row_[i] = row[columns_[i]];
    return row_;
}

}  // namespace lacon::table
