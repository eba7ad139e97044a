// Finds constraints between very unequal masses, where M⁻¹ Q loses the answer to rounding.
#pragma once

#include <optional>
#include <vector>

#include "solve/dense/matrix/mass_metric.hpp"
#include "solve/dense/rank/row_space.hpp"

namespace lacon::solving::inline dense {

/// How unequal the masses are that constraints join. In the metric of M all of an acceleration is
/// computed to the rounding of its largest part; a light coordinate that is held has a free
/// acceleration Q/m whose rounding would be that of all the others. Such problems are solved by
/// `Saddle`, which does not form it.
struct Grading {
    /// Coordinates that a row joins with one at least 100 times as strong in B (n); empty where
    /// there is none. What remains of a large free acceleration must be judged by these.
    std::vector<bool> beside;
    /// The same without a coordinate for it: L has a condition above 100.
    bool ill_conditioned = false;
    /// Where masses differ so much (1e10) that rows which a light coordinate joins would pass for
    /// one and the same in the metric of M: the scale of the coordinates (n) by which ranks are
    /// decided then, as for coordinates without mass.
    std::optional<VectorX> scale;

    bool is_level() const { return beside.empty() && !ill_conditioned; }
    /// Whether of the scaled free acceleration y (n) so little is left in x (n) that the rounding
    /// of y shows.
    bool drowns(const VectorX& y, const VectorX& x) const;
};
Grading grade(const MassMetric& mass, const MatrixX& A);

/// Scale of the coordinates (n): by mass, and for those `without` by their entries of A, so that
/// they have a length of 1 there.
VectorX coordinate_scale(const MassMetric& mass, const MatrixX& A,
                         const std::vector<bool>& without);

/// The coordinates that neither a semidefinite M nor A determines: where a direction without mass
/// stays free.
std::vector<std::size_t> undetermined(const MassMetric& mass, const MatrixX& A, double rank_tol);

/// The rows of A (m of them) that are not `unneeded`, increasing.
std::vector<Index> kept_rows(Index m, const std::vector<Index>& unneeded);

/// r itself, or where it is inconsistent the part that least squares over rows of unit length would
/// meet.
VectorX consistent_part(const RowSpace& rows, const VectorX& r);

}  // namespace lacon::solving::dense
