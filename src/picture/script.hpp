// A drawing as a gnuplot script.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace lacon::inline picture {

struct DrawnColumn {
    std::string name, text;  // text: unit or meaning, may be empty
    std::span<const double> values;
    bool logarithmic = false;  // on a logarithmic axis; values that are not positive leave gaps
    int kind = 0;              // what is of another kind gets another panel
};

struct PlotScript {
    std::string title;
    std::string ending;  // ".svg" or ".png"
    DrawnColumn x;
    std::vector<DrawnColumn> y;           // at least one, each with something to draw
    std::vector<double> marks;            // along x: dashed lines through all panels
    std::vector<std::string> notes = {};  // lines of the caption
    bool points = false;                  // points without lines
};

/// The drawing as a script of gnuplot, data included, that writes the picture to its standard
/// output.
std::string gnuplot_script(const PlotScript& drawing);

}  // namespace lacon::picture
