#pragma once

#include "command.hpp"
#include "motion/integrate.hpp"
#include "table/column_choice.hpp"

/// The columns of a run that are written and drawn.
namespace lacon::app {

/// What `--columns` names. Throws Stop, as bad input about `options.path`.
ColumnChoice written_columns(const RunCommandOptions& options, std::span<const std::string> names);

/// A sentence where the file of --out is going to be larger than 4 GB; empty where not.
std::string large_file_warning(const std::string& out, std::size_t columns, const RunPlan& plan);

/// The columns that --plot draws of those that are written: all that --columns names, or none, which stands for the usual ones,
/// where it is not given or names too many for a picture. Throws Stop where nothing would be left to draw.
std::vector<std::string> drawn_columns(const RunCommandOptions& options, const TableInfo& written);

}  // namespace lacon::app
