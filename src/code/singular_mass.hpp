// A singular mass matrix made definite for the code: M + AᵀWA has the same constrained motion.
#pragma once

#include <vector>

#include "lacon/mechanism.hpp"

namespace lacon::inline code {

/// W, by row, for the code of a run from this state on: of the rows that hold what has no mass,
/// each as heavy as what it joins. Empty where they do not clearly hold all of it.
std::vector<double> weights_of_rows(const Evaluation& at);

/// M + AᵀWA; nothing is added where `weight` is empty.
void add_rows(const Matrix& A, const std::vector<double>& weight, Matrix& M);

}  // namespace lacon::code
