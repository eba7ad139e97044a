// Reads text files of numbers row by row. signal_file.hpp and number_table.hpp build on it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Text files of numbers: rows of cells, separated by commas, semicolons, tabs or blanks, whichever
/// the first row has. `#` begins a comment, and a first row without a number is a header. Rows are
/// counted as an editor counts lines.
namespace lacon::inline data {

/// A file that cannot be used. The message is a sentence with the file's name, row and column in
/// it; the hint may be empty.
struct DataError : std::runtime_error {
    explicit DataError(const std::string& message, std::string h = {})
        : std::runtime_error(message), hint(std::move(h)) {}
    std::string hint;
};

/// A file of the model's folder.
struct DataFile {
    std::filesystem::path folder;  // that the file must lie under; empty: the current one
    std::string file;              // relative to it
};

/// The text of a file. Throws DataError for one that lies elsewhere, is larger, or cannot be read.
std::string read_data_file(const DataFile& source, std::uintmax_t most_bytes);

/// Goes through the rows that are not empty.
class CellReader {
public:
    CellReader(std::string_view text, std::string file);

    /// Takes the next row with anything in it; false at the end. A header is none: it is read with
    /// the first row.
    bool next();
    const std::vector<std::string>& header() const { return header_; }
    std::size_t row() const { return row_; }  // the last one taken, counted as lines from 1
    std::size_t count() const { return cells_.size(); }  // of its cells
    std::size_t width() const {
        return width_;
    }  // cells of the first row, the header where there is one
    std::size_t first_row() const { return first_row_; }  // that one's number
    double number(
        std::size_t column) const;  // of a cell, from 0; throws DataError where it is none
    std::string place(std::size_t column) const;  // "'a.csv' row 3, column 2"

private:
    bool take();
    void split(std::string_view line);

    std::string_view rest_;
    std::string file_;
    std::vector<std::string_view> cells_;
    std::vector<std::string> header_;
    std::size_t row_ = 0, first_row_ = 0, width_ = 0;
    char separator_ = ',';
    bool begun_ = false;
};

}  // namespace lacon::data
