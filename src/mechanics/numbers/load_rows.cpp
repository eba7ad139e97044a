// Collects the multiplier leaves of all non-ideal elements.
#include "mechanics/numbers/load_rows.hpp"

#include <algorithm>

namespace lacon::inline mechanics {

std::vector<std::size_t> load_rows(const System& system) {
    std::vector<std::size_t> rows;
    for (const NonidealElement& part : system.nonideal) {
        const Shape& shape = system.shapes[part.element.shape];
        const std::uint32_t* row =
            system.leaves.data() + part.element.leaves + shape.coordinates + shape.parameters;
        for (std::size_t i = 0; i < shape.multipliers; ++i)
            if (row[i] != NonidealElement::no_row) rows.push_back(row[i]);
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

}  // namespace lacon::mechanics
