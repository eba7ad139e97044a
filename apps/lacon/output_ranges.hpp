// The final, least and largest values of the outputs, for the summary of a run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mechanics/system/derived_model.hpp"

namespace lacon::app {

/// An output over the rows of a run. NaN where no row had a number.
struct OutputRange {
    std::string name;
    double final, least, least_t, most, most_t;
};

/// The outputs of a model over the rows of a run: the last value, the least and the largest.
class OutputRanges {
public:
    /// Above this many coordinates, rows are not computed just for this.
    static constexpr std::size_t most_coordinates = 100;

    OutputRanges() = default;
    explicit OutputRanges(const DerivedModel& details);
    /// A row as a run gives it out: t, coordinates, velocities, outputs, …
    void take(std::span<const double> row);
    const std::vector<OutputRange>& all() const { return all_; }
    std::uint64_t rows() const { return rows_; }

    /// To go on with a run: numbers that say all but the names.
    std::vector<double> numbers() const;
    void recall(std::span<const double> numbers);

private:
    std::size_t first_ = 0;  // column
    std::uint64_t rows_ = 0;
    std::vector<OutputRange> all_;
};

}  // namespace lacon::app
