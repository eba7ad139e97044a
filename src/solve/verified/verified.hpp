// Linear systems of intervals. A proof that the matrix is regular proves that the rank cannot drop.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "interval/matrix.hpp"

namespace lacon::solving::inline verified {

/// Linear equations K x = r for every matrix in [K] and every right side in [r], with proof.
///
/// With C near the inverse of the middle of [K], G = C [K] is near the identity. Its comparison
/// matrix ⟨G⟩ (least sizes on the diagonal, minus largest sizes beside it) is an M-matrix where
/// some v > 0 has ⟨G⟩ v > 0; then every matrix in [K] is regular, and ⟨G⟩⁻¹ bounds |G⁻¹|. The
/// enclosure of x is that of Hansen, Bliek and Rohn in the form of Neumaier (1999), the narrowest
/// there is for G x = C r. All bounds are rounded outward. Rows and columns are scaled by powers of
/// two first.
class VerifiedFactor {
public:
    VerifiedFactor();
    ~VerifiedFactor();
    VerifiedFactor(VerifiedFactor&&) noexcept;
    VerifiedFactor& operator=(VerifiedFactor&&) noexcept;

    /// False where it cannot be shown that every matrix in the square K is regular; then there is
    /// nothing to solve with.
    bool factor(const IntervalMatrix& K);
    bool is_regular() const { return is_regular_; }

    /// x encloses the solution for all members of [K] and [r]; undefined where r is, or where the
    /// factor is not regular.
    void solve(std::span<const Interval> r, std::span<Interval> x) const;

private:
    struct Proof;
    std::unique_ptr<Proof> proof_;
    bool is_regular_ = false;
};

}  // namespace lacon::solving::verified

namespace lacon {
using solving::VerifiedFactor;
}  // namespace lacon
