#include "data/signal_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <system_error>

#include "base/text.hpp"

namespace lacon {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20;
constexpr std::size_t most_rows = 2'000'000;

struct Cell {
    std::string_view text;
};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r";
    const std::size_t begin = text.find_first_not_of(blank);
    return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

/// Where a line ends for the reader: before a comment that is not within quotes.
std::string_view without_comment(std::string_view line) {
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') quoted = !quoted;
        if (line[i] == '#' && !quoted) return trimmed(line.substr(0, i));
    }
    return trimmed(line);
}

/// Of the signs that may separate cells the first that the line has; blanks where it has none of them.
char separator_of(std::string_view line) {
    for (const char sign : {';', '\t', ','}) {
        bool quoted = false;
        for (const char c : line) {
            if (c == '"') quoted = !quoted;
            if (c == sign && !quoted) return sign;
        }
    }
    return ' ';
}

std::vector<Cell> cells_of(std::string_view line, char separator) {
    std::vector<Cell> cells;
    std::size_t begin = 0;
    bool quoted = false;
    const auto add = [&](std::size_t end) {
        Cell cell{trimmed(line.substr(begin, end - begin))};
        const std::string_view t = cell.text;
        if (t.size() >= 2 && t.front() == '"' && t.back() == '"') cell = {t.substr(1, t.size() - 2)};
        if (separator != ' ' || !t.empty()) cells.push_back(cell);
        begin = end + 1;
    };
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') quoted = !quoted;
        if (!quoted && (line[i] == separator || (separator == ' ' && line[i] == '\t'))) add(i);
    }
    add(line.size());
    return cells;
}

std::optional<double> number_in(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0.0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ptr != text.data() + text.size() || text.empty()) return std::nullopt;
    if (read.ec == std::errc::result_out_of_range)
        return text.find("e-") != text.npos || text.find("E-") != text.npos ? 0.0 : INFINITY;
    return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

class SignalReader {
public:
    explicit SignalReader(const SignalSource& source) : source_(source) {}

    Signal read(std::string_view text) {
        constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
        if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            ++row_;
            take(without_comment(text.substr(0, end)));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        if (signal_.x.size() < 2)
            throw SignalError(fmt::format("'{}' has {} of numbers; a curve needs two or more", source_.file,
                                          signal_.x.empty() ? "no row" : "one row"));
        return std::move(signal_);
    }

private:
    void take(std::string_view line) {
        if (line.empty()) return;
        if (!begun_) separator_ = separator_of(line);
        const std::vector<Cell> cells = cells_of(line, separator_);
        if (!begun_) {
            begun_ = true;
            const bool is_header =
                std::none_of(cells.begin(), cells.end(), [](const Cell& c) { return number_in(c.text).has_value(); });
            if (is_header)
                for (const Cell& cell : cells) header_.emplace_back(cell.text);
            argument_ = find(source_.argument, cells.size());
            values_ = find(source_.values, cells.size());
            if (argument_ == values_)
                throw SignalError(
                    fmt::format("column {} of '{}' cannot be argument and values at once", argument_ + 1, source_.file),
                    "say which columns are meant: column \"a\" against \"t\"");
            if (is_header) return;
        }
        if (signal_.x.size() >= most_rows)
            throw SignalError(fmt::format("'{}' has more than {} rows, which is too many", source_.file, most_rows));
        const double x = number(cells, argument_), y = number(cells, values_);
        check_increase(x);
        signal_.x.push_back(x);
        signal_.y.push_back(y);
        last_row_ = row_;
    }

    /// The place of a column, from 0.
    std::size_t find(const SignalColumn& column, std::size_t count) const {
        if (column.name.empty()) {
            if (column.number >= 1 && column.number <= count) return column.number - 1;
            throw SignalError(
                fmt::format("'{}' has no column {}: row {} has {}", source_.file, column.number, row_, counted(count, "column")));
        }
        if (header_.empty())
            throw SignalError(fmt::format("'{}' has no header, so there is no column '{}'", source_.file, column.name),
                              "give the column by its number");
        const auto found = std::find(header_.begin(), header_.end(), column.name);
        if (found != header_.end()) return static_cast<std::size_t>(found - header_.begin());
        const auto near = nearest_name(column.name, header_);
        throw SignalError(fmt::format("'{}' has no column '{}'; it has {}", source_.file, column.name, quoted_list(header_)),
                          near ? fmt::format("did you mean '{}'?", *near) : "");
    }

    std::string place(std::size_t column) const { return fmt::format("'{}' row {}, column {}", source_.file, row_, column + 1); }

    double number(const std::vector<Cell>& cells, std::size_t column) const {
        if (column >= cells.size())
            throw SignalError(
                fmt::format("{}: the cell is missing; the row has {}", place(column), counted(cells.size(), "column")));
        const std::string_view text = cells[column].text;
        if (text.empty()) throw SignalError(fmt::format("{}: the cell is empty", place(column)));
        const auto value = number_in(text);
        if (!value) {
            const bool comma = separator_ != ',' && text.find(',') != text.npos;
            throw SignalError(fmt::format("{}: '{}' is not a number", place(column), text.substr(0, 40)),
                              comma ? "numbers are written with a point: 0.5" : "");
        }
        if (!std::isfinite(*value))
            throw SignalError(fmt::format("{}: '{}' is not a finite number", place(column), text.substr(0, 40)));
        return *value;
    }

    void check_increase(double x) const {
        if (signal_.x.empty() || x > signal_.x.back()) return;
        if (x == signal_.x.back())
            throw SignalError(fmt::format("{}: the argument {} stands in row {} too", place(argument_), shortest(x), last_row_));
        throw SignalError(fmt::format("{}: the arguments must increase, but {} follows {} of row {}", place(argument_),
                                      shortest(x), shortest(signal_.x.back()), last_row_));
    }

    const SignalSource& source_;
    Signal signal_;
    std::vector<std::string> header_;
    std::size_t row_ = 0, last_row_ = 0, argument_ = 0, values_ = 1;
    char separator_ = ',';
    bool begun_ = false;
};

/// The file's real path, which must lie under the real folder: also where links lead.
fs::path resolved(const SignalSource& source) {
    const fs::path given(source.file);
    const bool climbs = std::find(given.begin(), given.end(), fs::path("..")) != given.end();
    const auto outside = [&] {
        return SignalError(fmt::format("'{}' lies outside the model's folder, and is not read", source.file),
                           "put the file beside the model, or in a folder below");
    };
    if (source.file.empty()) throw SignalError("the name of the file is empty");
    if (given.is_absolute() || climbs) throw outside();
    std::error_code problem;
    const fs::path folder = fs::canonical(source.folder.empty() ? fs::path(".") : source.folder, problem);
    const fs::path file = problem ? fs::path() : fs::canonical(folder / given, problem);
    if (problem) throw SignalError(fmt::format("cannot read '{}': there is no such file in the model's folder", source.file));
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    if (end != folder.end()) throw outside();
    if (fs::is_directory(file, problem)) throw SignalError(fmt::format("cannot read '{}': it is a folder", source.file));
    if (!fs::is_regular_file(file, problem))
        throw SignalError(fmt::format("cannot read '{}': it is not a plain file", source.file));
    return file;
}

}  // namespace

Signal read_signal(const SignalSource& source) {
    const fs::path path = resolved(source);
    std::ifstream file(path, std::ios::binary);
    std::string text;
    char block[1 << 16];
    while (file.read(block, sizeof block), file.gcount() > 0) {
        text.append(block, static_cast<std::size_t>(file.gcount()));
        if (text.size() > most_bytes)
            throw SignalError(fmt::format("'{}' is larger than {} MiB, which is too large", source.file, most_bytes >> 20));
    }
    if (!file.is_open() || file.bad()) throw SignalError(fmt::format("cannot read '{}'", source.file));
    return read_signal_text(text, source);
}

Signal read_signal_text(std::string_view text, const SignalSource& source) {
    return SignalReader(source).read(text);
}

}  // namespace lacon
