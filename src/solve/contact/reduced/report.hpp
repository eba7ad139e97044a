// Turns the forces that were found into a ContactSolution with its certificate.
#pragma once

#include <vector>

#include "solve/contact/reduced/space.hpp"

namespace lacon::solving::inline contact {

using ContactState = ContactSolution::ContactState;
using FrictionState = ContactSolution::FrictionState;

/// A row counts as touching, N x = d, where it is beyond its bound by at most this of its size.
inline constexpr double touch_tol = 1e-10;
/// A force of at most this of the largest is none.
inline constexpr double zero_force = 1e-12;

/// Forces that satisfy all the laws, and how.
struct Found {
    VectorX y;                   // (k)
    VectorX f;                   // (h)
    std::vector<Index> working;  // normals, the ones to prefer for the working set first
    std::vector<FrictionState> friction_states;  // of each friction
    std::vector<VectorX> direction;              // of those that slip
    bool forces_unique = true;
};

/// The rows of N at y as a problem of least distance.
struct NormalRows {
    explicit NormalRows(const ContactSpace& space);
    NormalRows(const NormalRows&) = delete;
    MatrixX P;
    VectorX g, size;
    DistanceProblem problem;
    bool touches(const VectorX& y, Index i) const {
        return relative_clearance(problem, y, i) <= touch_tol;
    }
};

ContactSolution report(const ContactProblem& problem, const ContactSpace& space,
                       const Found& found);

/// Fills the certificate from the numbers of the problem and the solution alone.
void certify(const ContactProblem& problem, const ContactSpace& space, ContactSolution& solution);

/// The load of a friction for forces f (h) and multipliers λ (m).
double load_of(const ContactFriction& friction, const VectorX& f, const VectorX& lambda);

}  // namespace lacon::solving::contact
