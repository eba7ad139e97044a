// Solves a contact problem under an assumption about what is closed, sticks and slips (theory 4.5).
#pragma once

#include <string>
#include <vector>

#include "solve/contact/reduced/loads.hpp"
#include "solve/contact/reduced/rows.hpp"

namespace lacon::solving::inline contact {

/// One assumption about every contact.
struct Trial {
    std::vector<bool> closed;           // (p): N x = d
    std::vector<Index> order;           // normals to take into the working set first
    std::vector<Index> friction_order;  // rows of W, after those
    /// Of each friction: sticks or slips; counts while its contact is closed.
    std::vector<FrictionState> friction_states;
    /// Of slipping ones (k): given, assumed where k = 1, else the last found.
    std::vector<VectorX> direction;
    /// ν of those that are free: slip rate = −ν τ; 0 where nothing is known yet.
    std::vector<double> resistance;
    /// Of two-sided loads: the unit vector along Gᵀ λ; an assumption where d = 1, else the last
    /// found.
    std::vector<VectorX> pressing;

    bool touches(const FrictionProblem& problem, std::size_t k) const {
        return !problem.is_one_sided(k) || closed[static_cast<std::size_t>(problem.row(k))];
    }
    std::string key(const FrictionProblem& problem) const;  ///< equal for equal assumptions
};

/// The forces that make the rows of a trial equations.
struct Balanced {
    bool solved = false;          // the equations are regular
    bool converged = true;        // free directions and loads of several components were found
    VectorX f;                    // (h)
    VectorX y;                    // (k)
    IndependentRows set;          // of P: closed normals, then rows that stick
    MatrixX E, equations;         // f = E z, and the equations of z
    std::vector<Index> own_load;  // of each friction: the unknown that is its two-sided load, or −1
    /// Of each unknown: the row of W whose slip rate its equation is about, or −1.
    std::vector<Index> slip_row;
};

/// Solves a trial, and leaves in it the directions it found. With z the forces of the working rows,
/// the τ of free directions with their ν, and the two-sided loads of what slips:
///     working rows:      P_iᵀ P E z = g_i                  as Qᵀ P E z = R⁻ᵀ g, with P_set = Q R
///     free directions:   P_Wᵀ P E z − g_W + ν τ = 0,       |τ| = kinetic · load
///     two-sided loads:   z = |constant + slope E z|
/// The last two by Newton's method. (For fixed ν the equations are those of a contact that creeps,
/// regular for all ν > 0, and ν ← ν |τ| / (kinetic load) descends to the solution; that leads to
/// where Newton's method converges.)
Balanced balance(const FrictionProblem& problem, Trial& trial);

/// What changes when a further force (h) acts and the equations of the trial are kept.
struct Response {
    VectorX f;  // (h): the further force and what it brings with it
    VectorX y;  // (k)
};
Response response(const FrictionProblem& problem, const Trial& trial, const Balanced& balanced,
                  const VectorX& force);

}  // namespace lacon::solving::contact
