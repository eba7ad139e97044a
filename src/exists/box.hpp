// Boxes of states: intervals of q, q' and t.
#pragma once

#include <vector>

#include "interval/interval.hpp"
#include "lacon/mechanism.hpp"

namespace lacon::inline existence {

/// A box of states: where coordinates, velocities and time may be. Its directions are numbered q
/// (n), q' (n), t.
struct Box {
    std::vector<Interval> x;  // (2n + 1)

    std::size_t n() const { return (x.size() - 1) / 2; }
    const Interval& t() const { return x.back(); }
    Box centre() const;  ///< a point of it, as a box
    State middle() const;
    double width(std::size_t direction) const { return x[direction].width(); }
};

/// Every coordinate and velocity within `radius` of the state, time within `span`; the sides are
/// rounded outward, so that the distance to them is not smaller.
Box box_around(const State& state, double radius, double span);

}  // namespace lacon::existence
