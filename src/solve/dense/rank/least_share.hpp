// Shares forces of rows that depend on each other by given weights.
#pragma once

#include <span>
#include <vector>

#include "lacon/matrix.hpp"

namespace lacon::solving::inline dense {

/// Of all λ (m) with the same Aᵀ λ the one of least Σ weight_i λ_i², weights positive (m).
void take_least(MatrixView A, std::span<const double> weight, std::vector<double>& lambda);

}  // namespace lacon::solving::dense
