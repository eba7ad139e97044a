// Plots of tables as SVG or PNG files.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "table/table.hpp"

/// Pictures of tables, drawn by gnuplot.
namespace lacon::inline picture {

struct PlotRequest {
    std::string x = "t";  // column along the x axis
    /// Columns to draw. A family's name stands for its members. None: the outputs, or the
    /// coordinates.
    std::vector<std::string> y;
    std::string title;  // none: the model's name
    std::string file;   // by its ending .svg or .png; replaced only when the picture is done
    std::vector<double> marks = {};       // along x: dashed lines through all panels
    std::vector<std::string> notes = {};  // sentences for the caption, below the picture
    bool points = false;  // points without lines; chosen where the rows are no path, too
};

/// A picture that cannot be drawn; the message is a whole sentence.
class PlotError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Whether gnuplot is installed.
bool can_plot();

/// Whether the path ends in .svg or .png.
bool known_picture_ending(std::string_view path);

/// The columns a request draws. Without names: the model's outputs (at most 18), then its
/// coordinates (at most 6), never `t` nor the x column; over time, of a table with controls also
/// the efforts and the tracking errors, at most 6 each, and condition and gap of a diagnosed run.
/// Left out is what is rounding alone, nothing above 1e-11 of the largest coordinate or velocity.
/// Throws PlotError for a name that no column has.
std::vector<std::string> plotted_columns(const Table& table, const PlotRequest& request);

/// What a picture without names leaves out, in words for its caption; empty where nothing is.
std::vector<std::string> left_out(const Table& table, const PlotRequest& request);

/// Draws the columns over the x column, in one panel or several below each other: see panels.hpp.
/// Values that are not finite leave gaps. Condition and gap of a diagnosed run and tracking errors
/// go on a logarithmic axis; efforts get panels of their own. The rows of a section, which no path
/// joins, are drawn as points. Throws PlotError, and FileError where the file cannot be written.
void plot(const Table& table, const PlotRequest& request);

}  // namespace lacon::picture
