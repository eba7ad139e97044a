// Sorts out assumptions about contacts that are clearly wrong, before they are solved with care.
#pragma once

#include <vector>

#include "solve/contact/friction/islands.hpp"
#include "solve/contact/friction/trial.hpp"

namespace lacon::solving::inline contact {

/// The equations of a trial in the forces of one island alone, by its Gram matrix G = PᵀP: closed
/// rows and those that stick have G f = g, what slips has τ = −μ N. Where that is regular and the
/// forces or rates miss the law by far more than rounding, the trial need not be looked at. Islands
/// with round cones or two-sided loads are not screened.
class Screen {
public:
    Screen(const FrictionProblem& problem, const Island& island);
    /// False where the trial is clearly wrong in this island.
    bool is_plausible(const Trial& trial) const;

private:
    struct Forces {
        MatrixX E;                   // f = E z (h × z), in units in which all rows have length 1
        std::vector<Index> members;  // rows that are equations, of the island
    };
    Forces forces_of(const Trial& trial) const;
    bool keeps_law(const Trial& trial, const VectorX& f) const;

    const FrictionProblem& problem_;
    const Island& island_;
    bool is_usable_ = true;
    VectorX length_, g_;        // of the rows of the island, normals first; g by their length
    MatrixX gram_;              // of rows of length 1
    std::vector<Index> place_;  // of each row of H: its place in the island, or −1
};

}  // namespace lacon::solving::contact
