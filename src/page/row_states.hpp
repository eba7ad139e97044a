// States out of the rows of a table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mechanics/system/derived_model.hpp"

namespace lacon::inline page {

/// The states of a model in rows that have its coordinates and velocities by name. Coordinates that
/// only serve the forces of joints may be missing: they are held at 0. So the rows of a run are
/// also those of its model as it is read for pictures.
class RowStates {
public:
    /// Both must outlive it. Throws PageError, with the name of a column that is missing.
    RowStates(const DerivedModel& details, std::span<const std::string> names,
              std::span<const std::vector<double>> columns);

    State at(std::size_t row) const;

private:
    std::span<const std::vector<double>> columns_;
    std::vector<std::optional<std::size_t>> q_, v_;  // columns, by coordinate
};

}  // namespace lacon::page
