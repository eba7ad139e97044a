// Reads CSV: quotes, `\r\n` and a byte order mark are allowed, and an empty cell is NaN. Errors
// name the row and the column.
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <limits>

#include "base/text.hpp"
#include "table/formats.hpp"

namespace lacon::inline table {

namespace {

/// Takes a text apart into records of cells. Also takes `\r\n` and a byte order mark; empty lines
/// are passed over.
class Records {
public:
    explicit Records(std::string_view text) : text_(text) {
        if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
    }

    /// The next record, into the strings that are there: few allocations. False at the end.
    bool next(std::vector<std::string>& cells) {
        while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
        if (at_ == text_.size()) return false;
        std::size_t count = 0;
        do {
            if (count == cells.size()) cells.emplace_back();
            cell(cells[count++]);
        } while (at_ < text_.size() && text_[at_] == ',' && ++at_);
        cells.resize(count);
        return true;
    }

    bool unclosed_quote() const { return unclosed_; }

private:
    /// Up to a comma or the end of the line, quotes taken off.
    void cell(std::string& cell) {
        cell.clear();
        while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' &&
               text_[at_] != '\r') {
            if (text_[at_] == '"') quoted(cell);
            else cell += text_[at_++];
        }
    }
    void quoted(std::string& cell) {
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '"' && text_.substr(at_ + 1, 1) != "\"") break;
            if (text_[at_] == '"') ++at_;
            cell += text_[at_];
        }
        unclosed_ = unclosed_ || at_ >= text_.size();
        at_ = std::min(at_ + 1, text_.size());
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool unclosed_ = false;
};

/// A number with spaces around it; nothing at all is a missing value, NaN.
std::optional<double> number(std::string_view cell) {
    cell.remove_prefix(std::min(cell.find_first_not_of(" \t"), cell.size()));
    cell.remove_suffix(cell.size() - (cell.find_last_not_of(" \t") + 1));
    if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
    if (cell.front() == '+') cell.remove_prefix(1);
    double value = 0.0;
    const auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (end != cell.data() + cell.size() || problem == std::errc::invalid_argument)
        return std::nullopt;
    if (problem == std::errc::result_out_of_range)
        return std::strtod(std::string(cell).c_str(), nullptr);  // infinite or 0
    return value;
}

constexpr std::size_t shown_of_cell = 40;

}  // namespace

Table read_csv(const std::string& path) {
    const std::string text = file_text(path);
    Records records(text);
    Table table;
    if (!records.next(table.info.names))
        throw cannot_read(path, "it is empty; expected a header line with column names");
    if (records.unclosed_quote()) throw cannot_read(path, "a quote in the header is not closed");
    const std::vector<std::string>& names = table.info.names;
    table.info.texts.resize(names.size());
    table.columns.resize(names.size());
    std::vector<std::string> cells;
    for (std::size_t row = 1; records.next(cells); ++row) {
        if (records.unclosed_quote())
            throw cannot_read(path, fmt::format("row {}: a quote is not closed", row));
        if (cells.size() != names.size())
            throw cannot_read(
                path, fmt::format("row {} has {}, the header names {}", row,
                                  counted(cells.size(), "cell"), counted(names.size(), "column")));
        for (std::size_t j = 0; j < cells.size(); ++j) {
            const auto value = number(cells[j]);
            if (!value)
                throw cannot_read(
                    path, fmt::format("row {}, column '{}': '{}' is not a number", row, names[j],
                                      cells[j].substr(0, shown_of_cell)));
            table.columns[j].push_back(*value);
        }
    }
    return table;
}

}  // namespace lacon::table
