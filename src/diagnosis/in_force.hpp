// The constraint rows that are in force at a state, with their matrices.
#pragma once

#include <memory>
#include <vector>

#include "mechanics/numbers/assemble.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::diagnosis {

/// The rows in force at a state, as an ordinary mechanism: the model itself, or the mode that its
/// contacts are in.
struct InForce {
    std::unique_ptr<DerivedModel> mode_model;  // of a model with contacts
    const DerivedModel* details = nullptr;
    Equations equations;  // at the state
};
InForce rows_in_force(const DerivedModel& whole, const State& state, const SolveOptions& options);

/// The chosen rows of A, and entries of b.
Matrix rows_of_matrix(const Matrix& A, const std::vector<std::size_t>& rows);
std::vector<double> entries_of(const std::vector<double>& b, const std::vector<std::size_t>& rows);

}  // namespace lacon::diagnosis
