// Proven bounds on the right-hand side (q', q'') over a box: the μ of theory 5.1.
#pragma once

#include <functional>

#include "exists/field.hpp"

namespace lacon::inline existence {

struct BoundOptions {
    std::size_t budget = 20000;  // boxes
    /// Enough: the bound exceeds a value that is reached by no more than this part of it.
    double tightness = 0.02;
    std::function<bool(std::size_t boxes, double bound)> progress = {};  // false ends the search
};

/// Bounds on the first-order right-hand side f = (q', q'') over a box, or why there are none.
struct Bound {
    bool proven = false;
    bool stopped = false;         // from outside
    std::vector<double> largest;  // |f_i| is nowhere larger (2n)
    double mu = 0.0;              // the largest of them
    double reached = 0.0;         // |f_i| is as large as this for some i, somewhere
    Smoothness smoothness = Smoothness::smooth;
    /// The box was cut into so many pieces, those given up for smaller ones counted too.
    std::size_t boxes = 0;
    // Not proven:
    Enclosure::Verdict trouble = Enclosure::Verdict::undefined;
    State where;               // a place near which the trouble is
    double across = 0.0;       // width of the piece that remained, relative to the box
    std::uint32_t origin = 0;  // trouble undefined: what has no value
    bool exhausted = false;    // the budget was spent before the pieces were small
};

/// Cuts the box into pieces until the largest bound of a piece is near a value that is reached,
/// pieces about which nothing is shown first. Such pieces are cut until they are 2^-8 of the box or
/// less; then the answer is that it could not be shown.
Bound bound_over(BoxField& field, const Box& box, const BoundOptions& options);

}  // namespace lacon::existence
