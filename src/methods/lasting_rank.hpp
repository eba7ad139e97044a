// The rank that constraints keep wherever they are met, though between these states they have more.
#pragma once

#include <array>
#include <cstdint>

#include "lacon/mechanism.hpp"

namespace lacon::inline methods {

class DenseField;

/// The rows that are factored: all, or those projected at one level.
enum class RowSet : std::uint8_t { all, positions, velocities };

/// Rows of a Bennett or Bricard linkage depend on each other only where the constraints are met.
/// The stages of a step err, so they lie off these states by some δ. There a singular value of
/// about δ takes the place of zero; a solve that counts it gives accelerations off by about 1/δ. So
/// the rank is limited off these states to the one that lasts on them. The directions cut are the
/// weakest ones by singular values, so q'' is a smooth function nearby and methods keep their
/// order.
///
/// Whether a rank lasts is asked where a factorization first finds more than any projected state
/// had: at states around the last one of these, brought to the constraints with that limit. If they
/// meet all constraints and have no more than this rank, the states that meet them are a manifold
/// of constant rank (theory 5.1). A singular position fails that: around it the constraints are not
/// met with its rank (by ε² at a distance ε), or the rank is higher. Then nothing is limited.
class LastingRank {
public:
    static constexpr std::size_t unlimited = SIZE_MAX;
    using Ranks = std::array<std::size_t, 3>;  // by RowSet

    /// What to limit a rank to.
    std::size_t most(RowSet rows) const { return most_[static_cast<std::size_t>(rows)]; }
    bool is_limited() const { return most_[0] != unlimited; }
    /// The same after a look beside a state that meets the constraints.
    bool is_asked_for(DenseField& field, const State& state);

    /// A state that meets the constraints, with the ranks there by the tolerance alone. A higher
    /// one than the limit ends the limit.
    void note(const State& at, const Ranks& ranks);
    /// Of rows with the rank `found` at a state that need not meet the constraints. True where
    /// `most` has become less than that: then factor again.
    bool limits(DenseField& field, RowSet rows, std::size_t found);

private:
    bool lasts(DenseField& field);

    State at_;      // the last noted with that rank
    Ranks seen_{};  // the largest
    Ranks most_{unlimited, unlimited, unlimited};
    std::size_t asked_ = unlimited;  // the rank (of all rows) that was asked about last
    bool is_asking_ = false;
};

}  // namespace lacon::methods
