// Updates the ranges row by row and skips NaN. As a list of numbers they go into a checkpoint.
#include "output_ranges.hpp"

#include <limits>

namespace lacon::app {

OutputRanges::OutputRanges(const DerivedModel& details)
    : first_(1 + 2 * details.coordinate_names.size()) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    for (const Output& output : details.model.outputs)
        all_.push_back({output.name, none, none, none, none, none});
}

void OutputRanges::take(std::span<const double> row) {
    ++rows_;
    for (std::size_t i = 0; i < all_.size(); ++i) {
        OutputRange& range = all_[i];
        const double value = row[first_ + i];
        range.final = value;
        if (!(range.least <= value)) {  // where there is none yet, too
            if (value == value) range.least = value, range.least_t = row[0];
        }
        if (!(range.most >= value)) {
            if (value == value) range.most = value, range.most_t = row[0];
        }
    }
}

std::vector<double> OutputRanges::numbers() const {
    std::vector<double> list{static_cast<double>(rows_)};
    for (const OutputRange& r : all_)
        list.insert(list.end(), {r.final, r.least, r.least_t, r.most, r.most_t});
    return list;
}

void OutputRanges::recall(std::span<const double> numbers) {
    if (numbers.size() != 1 + 5 * all_.size()) return;  // of a run that did not follow them
    rows_ = static_cast<std::uint64_t>(numbers[0]);
    for (std::size_t i = 0; i < all_.size(); ++i) {
        const auto at = numbers.subspan(1 + 5 * i, 5);
        all_[i] = {all_[i].name, at[0], at[1], at[2], at[3], at[4]};
    }
}

}  // namespace lacon::app
