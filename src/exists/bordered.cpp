// Numbers the chosen rows after the coordinates and keeps the elements that contribute to them.
#include "exists/bordered.hpp"

namespace lacon::inline existence {

Bordered::Bordered(const DerivedModel& details, const std::vector<std::size_t>& rows)
    : details_(details),
      system_(details.system),
      n_(system_.coordinate_count),
      size_(n_ + rows.size()),
      place_(system_.row_count(), none) {
    for (std::size_t i = 0; i < rows.size(); ++i) place_[rows[i]] = n_ + i;
    for (std::size_t number = 0; number < system_.elements.size(); ++number) {
        const std::int32_t row = system_.elements[number].row;
        if (shape(number).dynamics.entries.empty()) continue;
        if (row < 0 || place_[static_cast<std::size_t>(row)] != none) elements_.push_back(number);
    }
}

}  // namespace lacon::existence
