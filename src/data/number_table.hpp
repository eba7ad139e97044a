// Reads a table of numbers from a text file: the rows that `for (i, j) in data "file"` runs over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/cells.hpp"

/// Lists in text files: rows of numbers, each as long as the first.
namespace lacon::inline data {

struct NumberTable {
    std::string file;                 // as written, for messages
    std::vector<std::string> header;  // empty where there is none
    std::size_t columns = 0;
    std::vector<double> numbers;      // row by row
    std::vector<std::uint32_t> rows;  // where each stands in the file, counted as lines from 1

    std::size_t row_count() const { return rows.size(); }
    double at(std::size_t row, std::size_t column) const { return numbers[row * columns + column]; }
};

/// Reads a file of the model's folder. Throws DataError for a file that lies elsewhere, is too
/// large, or is wrong.
NumberTable read_number_table(const DataFile& source);

/// The same from the text of a file.
NumberTable read_number_table_text(std::string_view text, const std::string& file);

}  // namespace lacon::data
