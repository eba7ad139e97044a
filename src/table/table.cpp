// Picks the format by the ending of the file name, from one list of formats.
#include "table/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "table/formats.hpp"

namespace lacon::inline table {

namespace {

struct Format {
    std::string_view ending;
    std::unique_ptr<TableWriter> (*write)(const std::string&, const TableInfo&,
                                          std::optional<Resume>);
    Table (*read)(const std::string&);
};
constexpr std::array formats{Format{".csv", write_csv, read_csv},
                             Format{".json", write_json, read_json},
                             Format{".h5", write_h5, read_h5}};

const Format* format_of(std::string_view path) {
    std::string ending = std::filesystem::path(path).extension().string();
    for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto found = std::find_if(formats.begin(), formats.end(),
                                    [&](const Format& f) { return f.ending == ending; });
    return found == formats.end() ? nullptr : &*found;
}

constexpr std::string_view no_ending = "its name must end in .csv, .json or .h5";

/// The info with a text for each column. No columns, or columns and texts that do not match, are a
/// bug of the caller.
TableInfo complete(TableInfo info) {
    if (info.texts.empty()) info.texts.resize(info.names.size());
    if (info.names.empty() || info.texts.size() != info.names.size())
        throw std::logic_error(fmt::format("a table of {} columns cannot have {} texts",
                                           info.names.size(), info.texts.size()));
    return info;
}

}  // namespace

std::string text_of(const TableValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
    std::string text;
    append_number(text, std::get<double>(value));
    return text;
}

void TableWriter::row(std::span<const double> values) {
    if (values.size() != columns_)
        throw std::logic_error(
            fmt::format("a row of {} values for a table of {} columns", values.size(), columns_));
    append(values);
    ++rows_;
}

void TableWriter::flush_if_due(std::chrono::steady_clock::time_point now) {
    if (now - last_flush_ < std::chrono::seconds(1)) return;
    flush();
    last_flush_ = now;
}

bool known_ending(std::string_view path) {
    return format_of(path) != nullptr;
}

std::unique_ptr<TableWriter> open_table(const std::string& path, const TableInfo& info,
                                        Storage storage) {
    if (path == "-") return write_csv(path, complete(info), std::nullopt);
    const Format* format = format_of(path);
    if (!format) throw cannot_write(path, no_ending);
    if (format->write == write_h5 && storage != Storage::by_width)
        return (storage == Storage::chunks ? write_h5_chunks : write_h5_piece)(path, complete(info),
                                                                               std::nullopt);
    return format->write(path, complete(info), std::nullopt);
}

std::unique_ptr<TableWriter> reopen_table(const std::string& path, const TableInfo& info,
                                          std::uint64_t rows, std::uint64_t position) {
    const Format* format = format_of(path);
    if (!format) throw cannot_resume(path, no_ending);
    return format->write(path, complete(info), Resume{rows, position});
}

Table read_table(const std::string& path) {
    const Format* format = format_of(path);
    if (!format) throw cannot_read(path, no_ending);
    std::error_code problem;
    const auto status = std::filesystem::status(path, problem);
    if (!std::filesystem::exists(status)) throw cannot_read(path, "there is no such file");
    if (std::filesystem::is_directory(status)) throw cannot_read(path, "it is a folder");
    return format->read(path);
}

void append_number(std::string& text, double value) {
    if (std::isnan(value)) {
        text += "nan";  // the sign of a NaN says nothing
        return;
    }
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value);
    text.append(digits, end.ptr);
}

std::string file_text(const std::string& path) {
    const auto close = [](std::FILE* file) { std::fclose(file); };
    const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
    if (!file) throw cannot_read(path, std::strerror(errno));
    std::string text, piece(1 << 20, '\0');
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file.get()))
        text.append(piece, 0, got);
    if (std::ferror(file.get())) throw cannot_read(path, std::strerror(errno));
    return text;
}

TableError cannot_read(const std::string& path, std::string_view why) {
    return TableError(fmt::format("cannot read '{}': {}", path, why));
}

TableError cannot_write(const std::string& path, std::string_view why) {
    return TableError(path == "-" ? fmt::format("cannot write to standard output: {}", why)
                                  : fmt::format("cannot write '{}': {}", path, why));
}

TableError cannot_resume(const std::string& path, std::string_view why) {
    return TableError(fmt::format("cannot continue '{}': {}", path, why));
}

}  // namespace lacon::table
