// Minimal sets of dependent constraint rows (theory 3.7).
#pragma once

#include <optional>
#include <vector>

#include "solve/dense/rank/dependent_rows.hpp"

namespace lacon::solving::inline dense {

/// A circuit of rows of unit length: Σ coefficients[k] × (row rows[k]) = 0 up to `residual`, and no
/// proper subset is dependent.
struct Circuit {
    std::vector<Index> rows;  // increasing
    VectorX coefficients;     // the largest is 1
    double residual = 0.0;  // |Σ coefficients[k] × row| / Σ |coefficients[k]|; 0 for a row of zeros
};

/// The circuit with exactly these rows, its coefficients by least squares over them alone: none
/// where they are independent (the residual exceeds `exact`) or a proper subset of them is
/// dependent. `first` is the place in `rows` of one that is in it for sure.
std::optional<Circuit> circuit_of(const Dependencies& dependencies, std::vector<Index> rows,
                                  std::size_t first);

/// One for each unneeded row, in their order, with the rows it follows from (fundamental circuits).
/// A row belongs to the set when the others alone do not give a dependency up to `exact`; where
/// none does, when its coefficient exceeds `zero`.
std::vector<Circuit> fundamental_circuits(const Dependencies& dependencies);

}  // namespace lacon::solving::dense
