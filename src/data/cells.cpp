// Reads data files and splits them into cells. A file must lie under the model's folder, also
// after links are followed. The first row decides which character separates cells.
#include "data/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <system_error>

#include "base/text.hpp"

namespace lacon::inline data {

namespace {

namespace fs = std::filesystem;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r";
    const std::size_t begin = text.find_first_not_of(blank);
    return begin == text.npos ? std::string_view()
                              : text.substr(begin, text.find_last_not_of(blank) - begin + 1);
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

/// Of the signs that may separate cells the first that the line has; blanks where it has none of
/// them.
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

std::optional<double> number_in(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0.0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ptr != text.data() + text.size() || text.empty()) return std::nullopt;
    if (read.ec == std::errc::result_out_of_range)
        return text.find("e-") != text.npos || text.find("E-") != text.npos ? 0.0 : INFINITY;
    return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

/// The file's real path, which must lie under the real folder: also where links lead.
fs::path resolved(const DataFile& source) {
    const fs::path given(source.file);
    const bool climbs = std::find(given.begin(), given.end(), fs::path("..")) != given.end();
    const auto outside = [&] {
        return DataError(
            fmt::format("'{}' is outside the model's folder and is not read", source.file),
            "put the file in the model's folder or in one below it");
    };
    if (source.file.empty()) throw DataError("the name of the file is empty");
    if (given.is_absolute() || climbs) throw outside();
    std::error_code problem;
    const fs::path folder =
        fs::canonical(source.folder.empty() ? fs::path(".") : source.folder, problem);
    const fs::path file = problem ? fs::path() : fs::canonical(folder / given, problem);
    if (problem)
        throw DataError(fmt::format("cannot read '{}': there is no such file in the model's folder",
                                    source.file));
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    if (end != folder.end()) throw outside();
    if (fs::is_directory(file, problem))
        throw DataError(fmt::format("cannot read '{}': it is a folder", source.file));
    if (!fs::is_regular_file(file, problem))
        throw DataError(fmt::format("cannot read '{}': it is not a plain file", source.file));
    return file;
}

}  // namespace

std::string read_data_file(const DataFile& source, std::uintmax_t most_bytes) {
    const fs::path path = resolved(source);
    std::ifstream file(path, std::ios::binary);
    std::string text;
    char block[1 << 16];
    while (file.read(block, sizeof block), file.gcount() > 0) {
        text.append(block, static_cast<std::size_t>(file.gcount()));
        if (text.size() > most_bytes)
            throw DataError(fmt::format("'{}' is too large: at most {} MiB are read", source.file,
                                        most_bytes >> 20));
    }
    if (!file.is_open() || file.bad())
        throw DataError(fmt::format("cannot read '{}'", source.file));
    return text;
}

CellReader::CellReader(std::string_view text, std::string file)
    : rest_(text), file_(std::move(file)) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
}

bool CellReader::next() {
    if (!take()) return false;
    if (begun_) return true;
    begun_ = true;
    first_row_ = row_;
    width_ = cells_.size();
    if (std::any_of(cells_.begin(), cells_.end(),
                    [](std::string_view cell) { return number_in(cell).has_value(); }))
        return true;
    header_.assign(cells_.begin(), cells_.end());
    return take();
}

bool CellReader::take() {
    while (!rest_.empty()) {
        const std::size_t end = std::min(rest_.find('\n'), rest_.size());
        const std::string_view line = without_comment(rest_.substr(0, end));
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        ++row_;
        if (line.empty()) continue;
        if (!begun_) separator_ = separator_of(line);
        split(line);
        return true;
    }
    return false;
}

void CellReader::split(std::string_view line) {
    cells_.clear();
    std::size_t begin = 0;
    bool quoted = false;
    const auto add = [&](std::size_t end) {
        std::string_view cell = trimmed(line.substr(begin, end - begin));
        begin = end + 1;
        if (separator_ == ' ' && cell.empty()) return;
        if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
            cell = cell.substr(1, cell.size() - 2);
        cells_.push_back(cell);
    };
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') quoted = !quoted;
        if (!quoted && (line[i] == separator_ || (separator_ == ' ' && line[i] == '\t'))) add(i);
    }
    add(line.size());
}

std::string CellReader::place(std::size_t column) const {
    return fmt::format("'{}' row {}, column {}", file_, row_, column + 1);
}

double CellReader::number(std::size_t column) const {
    if (column >= cells_.size())
        throw DataError(fmt::format("{}: the cell is missing; the row has {}", place(column),
                                    counted(cells_.size(), "column")));
    const std::string_view text = cells_[column];
    if (text.empty()) throw DataError(fmt::format("{}: the cell is empty", place(column)));
    const auto value = number_in(text);
    if (!value) {
        const bool comma = separator_ != ',' && text.find(',') != text.npos;
        throw DataError(fmt::format("{}: '{}' is not a number", place(column), text.substr(0, 40)),
                        comma ? "numbers are written with a point: 0.5" : "");
    }
    if (!std::isfinite(*value))
        throw DataError(
            fmt::format("{}: '{}' is not a finite number", place(column), text.substr(0, 40)));
    return *value;
}

}  // namespace lacon::data
