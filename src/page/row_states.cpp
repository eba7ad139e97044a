// Columns are looked up once.
#include "page/row_states.hpp"

#include <fmt/format.h>

#include <map>

#include "page/page.hpp"

namespace lacon::inline page {

RowStates::RowStates(const DerivedModel& details, std::span<const std::string> names,
                     std::span<const std::vector<double>> columns)
    : columns_(columns) {
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
    const auto find = [&](const std::string& name, bool may_miss) -> std::optional<std::size_t> {
        const auto found = places.find(name);
        if (found != places.end()) return found->second;
        if (may_miss) return std::nullopt;
        throw PageError(
            fmt::format("the rows have no column '{}': a page needs all coordinates "
                        "and velocities",
                        name));
    };
    for (std::size_t i = 0; i < details.coordinate_names.size(); ++i) {
        const bool hidden = details.model.coordinates[i].hidden;
        q_.push_back(find(details.coordinate_names[i], hidden));
        v_.push_back(find(details.coordinate_names[i] + "'", hidden));
    }
}

State RowStates::at(std::size_t row) const {
    State state;
    state.t = columns_[0][row];
    const auto value = [&](const std::optional<std::size_t>& column) {
        return column ? columns_[*column][row] : 0.0;
    };
    for (std::size_t i = 0; i < q_.size(); ++i) {
        state.q.push_back(value(q_[i]));
        state.v.push_back(value(v_[i]));
    }
    return state;
}

}  // namespace lacon::page
