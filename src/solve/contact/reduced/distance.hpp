// Contacts without friction: least |y| with Pᵀ y ≥ g (theory 3.8).
#pragma once

#include <span>
#include <vector>

#include "solve/dense/matrix/eigen_forms.hpp"

namespace lacon::solving::inline contact {

/// The shortest y with Pᵀ y ≥ g: Gauss's principle with one-sided rows (theory 3.8) once M and the
/// two-sided rows are eliminated. Its forces f ≥ 0 have y = P f, and f_i = 0 where row i is not
/// tight.
struct DistanceProblem {
    const MatrixX& P;     // (k × h)
    const VectorX& g;     // (h)
    const VectorX& size;  // (h): what the rounding of g_i comes from; |P_i| |y| is added to it
    double rank_tol = 1e-10;
    /// A row that depends on the working ones counts as met within this of its size.
    double consistency_tol = 1e-8;
};

struct DistanceSolution {
    bool conflict = false;         // no y meets all rows
    VectorX y;                     // (k)
    VectorX f;                     // (h): zero but for the working rows
    std::vector<Index> working;    // independent, with positive forces
    std::vector<Index> concerned;  // conflict: rows of which no one can be left out
};

/// An active-set method in the forces, finite: |y| grows with every working set it passes. Begins
/// with the given rows where it can; without any, takes all violated rows at once as long as that
/// helps.
DistanceSolution least_distance(const DistanceProblem& problem,
                                std::span<const Index> begin_with = {});

/// Pᵀ y − g (h), and by how much of its size row i lies beyond its bound.
VectorX clearance(const DistanceProblem& problem, const VectorX& y);
double relative_clearance(const DistanceProblem& problem, const VectorX& y, Index i);

}  // namespace lacon::solving::contact
