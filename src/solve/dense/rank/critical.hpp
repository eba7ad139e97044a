// Locates points where constraints lose rank, to tell a singular position from a near miss.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lacon/matrix.hpp"

namespace lacon::solving::inline dense {

/// Rows of constraints on positions, φ(q, t) = 0 with A = ∂φ/∂q, near a point at which some of
/// their directions vanish: the directions, and Newton's step to the critical point. There uᵀ
/// ∂φ/∂(q, t) = 0 for each weak direction u, while the strong ones are met. Whether the constraints
/// are singular or just miss it hangs on uᵀ φ there.
class CriticalRows {
public:
    CriticalRows();
    ~CriticalRows();

    /// `A` (m × n) at a point; `M` (n × n) gives the metric, and `speed`, in it, that of a time. Of
    /// the `rank` directions that count at generic points those below `limit` of the largest are
    /// weak. False where a value is not finite.
    struct Place {
        const Matrix& M;
        const Matrix& A;
        std::span<const double> rate;  // ∂φ/∂t (m)
        double speed = 1.0;
        std::size_t rank = 0;
        // Directions below this fall together with the weakest. Not critical: a strong direction
        // more in the iteration changes nothing.
        double limit = 1e-2;
    };
    bool factor(const Place& place);

    std::size_t weak_count() const;
    /// Of a weak direction: the combination of rows u (m), such that |uᵀ A| is its singular value
    /// in the metric.
    const std::vector<double>& combination(std::size_t i) const;
    double reciprocal_condition(
        std::size_t i) const;  ///< its singular value, relative to the largest
    double largest() const;    ///< the largest one itself

    /// `phi` (m); `second`: for each weak direction the second derivatives of uᵀ φ by (q, t), (n +
    /// 1) × (n + 1).
    struct Step {
        std::vector<double> change;  // of q, then t (n + 1)
        double length = 0.0;         // in the metric
        double rest = 0.0;           // by how much uᵀ φ may still be off, the largest of them
        /// What uᵀ φ leaves of the weakest direction where φ = 0, relative to the largest.
        double reciprocal_condition = 0.0;
    };
    Step step(std::span<const double> phi, std::span<const Matrix> second) const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// Whether some of the `rank` directions of A, uᵀ A w > 0 (singular vectors in the metric of M),
/// come out turned round in `now`: uᵀ now w ≤ 0. Where A changes smoothly from one to the other, it
/// has been singular between, or the direction turned by a right angle.
bool turns(const Matrix& M, const Matrix& A, const Matrix& now, std::size_t rank);

}  // namespace lacon::solving::dense

namespace lacon {
using solving::CriticalRows;
using solving::turns;
}  // namespace lacon
