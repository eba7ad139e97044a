// Reads the whole table into one row-major array. Limits: 1 GiB of text, 100 million numbers.
#include "data/number_table.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace lacon::inline data {

namespace {

constexpr std::uintmax_t most_table_bytes = std::uintmax_t{1} << 30;
constexpr std::size_t most_numbers = 100'000'000;

}  // namespace

NumberTable read_number_table(const DataFile& source) {
    return read_number_table_text(read_data_file(source, most_table_bytes), source.file);
}

NumberTable read_number_table_text(std::string_view text, const std::string& file) {
    NumberTable table;
    table.file = file;
    CellReader cells(text, file);
    while (cells.next()) {
        if (cells.count() > cells.width())
            throw DataError(fmt::format("'{}' row {} has {}, but row {} has {}", file, cells.row(),
                                        counted(cells.count(), "column"), cells.first_row(),
                                        cells.width()));
        if (table.numbers.size() + cells.width() > most_numbers)
            throw DataError(
                fmt::format("'{}' has too many numbers: at most {} are read", file, most_numbers));
        for (std::size_t column = 0; column < cells.width(); ++column)
            table.numbers.push_back(cells.number(column));
        table.rows.push_back(static_cast<std::uint32_t>(cells.row()));
    }
    if (cells.width() == 0) throw DataError(fmt::format("'{}' has no row of numbers", file));
    table.header = cells.header();
    table.columns = cells.width();
    return table;
}

}  // namespace lacon::data
