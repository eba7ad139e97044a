// Tables of results: opening, writing, resuming and reading them in any format.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// Results as named columns of numbers, in files: CSV, JSON and HDF5, told by the ending `.csv`,
/// `.json`, `.h5`. docs/results.md describes the formats for users.
namespace lacon::inline table {

/// The value of a setting. HDF5 keeps all of them as texts.
using TableValue = std::variant<std::string, double, bool>;
using TableOptions = std::vector<std::pair<std::string, TableValue>>;
std::string text_of(const TableValue& value);

/// What makes a result explain itself. CSV keeps only the names.
struct TableInfo {
    std::string model;     // display name
    std::string source;    // the model's text, whole
    TableOptions options;  // "method" → "taylor", "set N" → 40, in order, each name once
    std::vector<std::string> names;  // of the columns: t, x, x', …
    std::vector<std::string> texts;  // of the columns: unit or meaning, may be empty; all or none

    bool operator==(const TableInfo&) const = default;
};

struct Table {
    TableInfo info;
    std::vector<std::vector<double>> columns;  // one a name, all of one length
    std::string events = {};                   // a list as JSON text; empty: the file keeps none

    std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
};

/// A file that cannot be written or read; the message is a whole sentence with its path.
class TableError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Writes a table row by row. Rows are gathered in memory; after `flush` all of them are in a file
/// that any reader takes, and stay there when the program is killed. What fails throws TableError.
/// Without `close` the end is written by the destructor, silently.
class TableWriter {
public:
    virtual ~TableWriter() = default;
    TableWriter(const TableWriter&) = delete;
    TableWriter& operator=(const TableWriter&) = delete;

    /// One value a column.
    void row(std::span<const double> values);
    virtual void flush() = 0;
    /// What happened on the way, a list as JSON text: `close` writes it, where the format has a
    /// place for it.
    void keep_events(std::string json) { events_ = std::move(json); }
    /// Flushes where a second has passed since it last did.
    void flush_if_due(std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());
    virtual void close() = 0;

    /// All rows up to now, with those a reopened file had.
    std::uint64_t rows() const { return rows_; }
    /// What `reopen_table` needs beside `rows` to go on from here: bytes (CSV, JSON) or rows
    /// (HDF5). On disk after `flush`.
    virtual std::uint64_t position() const = 0;

protected:
    TableWriter(std::size_t columns, std::uint64_t rows) : columns_(columns), rows_(rows) {}
    virtual void append(std::span<const double> values) = 0;  // called before `rows` counts the row

    std::string events_;  // empty: not told

private:
    std::size_t columns_;
    std::uint64_t rows_;
    std::chrono::steady_clock::time_point last_flush_ = std::chrono::steady_clock::now();
};

/// Whether the path has an ending of a table.
bool known_ending(std::string_view path);

/// How HDF5 keeps rows: in one piece up to 200 columns, beyond that in chunks that are compressed;
/// or as asked for. Of other formats it says nothing.
enum class Storage { by_width, one_piece, chunks };

/// Makes the file, or replaces one that is there. The path "-" is CSV on standard output.
std::unique_ptr<TableWriter> open_table(const std::string& path, const TableInfo& info,
                                        Storage storage = Storage::by_width);

/// Goes on with a file begun by `open_table` with the same info: what lies behind `rows` and
/// `position` is cut off.
std::unique_ptr<TableWriter> reopen_table(const std::string& path, const TableInfo& info,
                                          std::uint64_t rows, std::uint64_t position);

Table read_table(const std::string& path);

}  // namespace lacon::table
