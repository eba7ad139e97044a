// Linear algebra of small subspaces: bases, complements, null spaces, angles.
#pragma once

#include <span>
#include <vector>

#include "base/numbers.hpp"
#include "lacon/matrix.hpp"

/// Small subspaces of R^n by orthonormal bases: what null spaces here and nearby have in common.
/// Sizes are those of a diagnosis, so plain Gram–Schmidt with pivots, done twice, is enough.
namespace lacon::diagnosis {

using Vector = std::vector<double>;
using Vectors = std::vector<Vector>;

double inner(std::span<const double> a, std::span<const double> b);

/// An orthonormal basis of what the vectors span: at most `most` of it, without what is shorter
/// than `tol` beside the longest.
Vectors orthonormal(Vectors vectors, std::size_t most, double tol);
/// An orthonormal basis of what is orthogonal to an orthonormal basis in R^n.
Vectors complement(const Vectors& basis, std::size_t n);
/// Of {x : A x = 0}, where A has this rank.
Vectors null_space(const Matrix& A, std::size_t rank);
/// The vectors as coordinates in an orthonormal basis (of the part that lies in it), and back.
Vectors coordinates_in(const Vectors& basis, const Vectors& vectors);
Vectors expanded(const Vectors& basis, const Vectors& coordinates);
/// The sine of the largest angle from the first space to the second; both orthonormal, of one
/// dimension.
double angle(const Vectors& a, const Vectors& b);

/// A basis for people: reduced to echelon form, so that most entries are zero, the largest of each
/// 1, entries that are 0 or a fraction of small numbers but for `noise` made so.
Vectors tidy_basis(Vectors basis, double noise);

}  // namespace lacon::diagnosis
