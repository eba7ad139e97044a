// Least change of a state with A x = r: x = K₁ r (P1 5c), also with damping.
#pragma once

#include <span>
#include <vector>

#include "lacon/matrix.hpp"
#include "lacon/solve.hpp"

namespace lacon::solving::inline dense {

/// The x (n) that makes xᵀ M x least among those for which A x = r holds, or holds best: least
/// squares over rows of unit length. Where M is not definite, 1e-8 of its scaled unit diagonal is
/// added to it, and coordinates without mass get 1e-8 of the largest mass; M = 0 counts as the
/// identity, and so does a matrix with negative directions. Empty where a value is not finite.
std::vector<double> least_change(const Matrix& M, const Matrix& A, std::span<const double> r,
                                 const SolveOptions& options = {});

/// The x (n) that makes |A x − r|² over rows of unit length in the metric of M, plus `damping`
/// times xᵀ M x, least (Levenberg and Marquardt). M as above.
std::vector<double> damped_change(const Matrix& M, const Matrix& A, std::span<const double> r,
                                  double damping);

}  // namespace lacon::solving::dense

namespace lacon {
using solving::damped_change;
using solving::least_change;
}  // namespace lacon
