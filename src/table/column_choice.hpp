// Columns of a table chosen by names and patterns, for --columns and --y.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "table/table.hpp"

/// Columns by their names or by patterns: "x[*], energy, link[*].force".
namespace lacon::inline table {

/// Whether a name is as the pattern says, in which `*` stands for any characters, or for none.
bool matches(std::string_view pattern, std::string_view name);

/// "x[1,2], max(a, b)" as its names: apart at the commas that stand in no bracket, without the
/// spaces around. A name that is missing is empty.
std::vector<std::string> names_by_commas(std::string_view text);

/// The columns that a name or a pattern stands for, in order: the one of exactly this name, or all
/// that match. None: empty.
std::vector<std::size_t> matching_columns(std::string_view pattern,
                                          std::span<const std::string> names);

/// Some columns of a table, in the order they have there, each once.
class ColumnChoice {
public:
    /// All columns.
    ColumnChoice() = default;
    /// What the texts name, each one or several by commas, and `t`; all columns where there are
    /// none. Throws std::invalid_argument with a sentence for a name that is missing or that no
    /// column has.
    ColumnChoice(std::span<const std::string> texts, std::span<const std::string> names);

    bool is_all() const { return columns_.empty(); }
    TableInfo of(TableInfo info) const;
    /// The chosen values of a row; they stand until the next call.
    std::span<const double> of(std::span<const double> row);

private:
    std::vector<std::size_t> columns_;
    std::vector<double> row_;
};

}  // namespace lacon::table
