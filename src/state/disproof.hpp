// Proves by interval arithmetic that a set of constraints has no start state.
#pragma once

#include <vector>

#include "interval/interval.hpp"
#include "mechanics/system/derived_model.hpp"
#include "state/start.hpp"

namespace lacon::inline state {

/// Proofs that constraints cannot be met, by intervals: rows of one level over all values that may
/// move (up to 1e60 in size), those given with `=` being what they are. At velocity level the
/// positions are those of the state.
class Disproof {
public:
    /// `scale`: a size of values at which boxes are cut first. All arguments must outlive it.
    Disproof(const DerivedModel& details, const StatedStart& start, bool velocity, double scale);

    /// Whether no values meet these rows together. False where that could not be shown by as many
    /// boxes.
    bool excludes(const std::vector<std::size_t>& rows, std::size_t most_boxes);
    /// Whether a row is linear in the values: its derivatives are the same everywhere.
    bool is_affine(std::size_t row);

private:
    using Box = std::vector<Interval>;  // of the values of the level (n)

    void gather(std::size_t element, const Box& box);
    /// Values of an element's program over a box, into outputs_.
    void run(const Program& program, std::size_t element, const Box& box);
    bool may_hold(std::size_t row, const Box& box);
    bool cut(const Box& box, const std::vector<bool>& matters, Box& first, Box& second) const;

    const DerivedModel& details_;
    const StatedStart& start_;
    bool velocity_;
    double scale_;
    Box whole_;
    std::vector<std::vector<std::size_t>> elements_;  // of each row
    std::vector<Interval> inputs_, slots_, outputs_;
};

}  // namespace lacon::state
