// Which columns of a run are written (--columns) and drawn (--plot).
#pragma once

#include "command.hpp"
#include "driver/integrate.hpp"
#include "table/column_choice.hpp"

/// The columns of a run that are written and drawn.
namespace lacon::app {

/// What `--columns` names among the columns of a run. Throws Stop, as bad input about `model`.
ColumnChoice written_columns(std::span<const std::string> chosen,
                             std::span<const std::string> names, const std::string& model);

/// The columns that are written where none are named: all but what only serves the forces of joints
/// and is not asked for. Empty: all.
std::vector<std::string> shown_columns(const DerivedModel& details,
                                       std::span<const std::string> names);

/// The columns that --plot draws of those that are written: all that --columns names, or none,
/// which stands for the usual ones, where it is not given or names too many for a picture. Throws
/// Stop where nothing would be left to draw.
std::vector<std::string> drawn_columns(const RunCommandOptions& options, const TableInfo& written);

}  // namespace lacon::app
