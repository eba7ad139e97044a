// The writers and readers of all table formats, for table.cpp, and the functions they share.
#pragma once

#include <optional>

#include "table/table.hpp"

/// The formats, each in a file of its own, and what they share.
namespace lacon::inline table {

/// Where a file is to be continued.
struct Resume {
    std::uint64_t rows = 0, position = 0;
};

/// Without `resume` the file is made anew.
std::unique_ptr<TableWriter> write_csv(const std::string& path, const TableInfo& info,
                                       std::optional<Resume> resume);
std::unique_ptr<TableWriter> write_json(const std::string& path, const TableInfo& info,
                                        std::optional<Resume> resume);
/// As wide as the table is, or as the file to go on with was begun.
std::unique_ptr<TableWriter> write_h5(const std::string& path, const TableInfo& info,
                                      std::optional<Resume> resume);
std::unique_ptr<TableWriter> write_h5_piece(const std::string& path, const TableInfo& info,
                                            std::optional<Resume> resume);
std::unique_ptr<TableWriter> write_h5_chunks(const std::string& path, const TableInfo& info,
                                             std::optional<Resume> resume);

Table read_csv(const std::string& path);
Table read_json(const std::string& path);
Table read_h5(const std::string& path);
TableInfo read_h5_info(const std::string& path);

/// The number with as few digits as read back to the same double; `nan`, `inf`, `-inf`.
void append_number(std::string& text, double value);

/// The whole of a file.
std::string file_text(const std::string& path);

TableError cannot_read(const std::string& path, std::string_view why);
TableError cannot_write(const std::string& path, std::string_view why);
TableError cannot_resume(const std::string& path, std::string_view why);

}  // namespace lacon::table
