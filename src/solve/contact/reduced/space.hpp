// First step of the contact solver: eliminates M and the two-sided rows.
#pragma once

#include <optional>
#include <vector>

#include "lacon/contact.hpp"
#include "solve/contact/reduced/distance.hpp"
#include "solve/dense/constrained/massless.hpp"
#include "solve/dense/matrix/mass_metric.hpp"
#include "solve/dense/rank/dependent_rows.hpp"
#include "solve/dense/rank/row_space.hpp"

namespace lacon::solving::inline contact {

/// A contact problem with M and A eliminated, in the metric of the mass (theory 2.7; theory 7 where
/// M is semidefinite). H are the rows of N, then those of every W; forces f (h) on them give
///     y = P f,  H x = goal − g + Pᵀ y,  x = x0 + motion(y),  λ = λ0 + multipliers(f),
///     H X Hᵀ = PᵀP.
class ContactSpace {
public:
    ContactSpace(const ContactProblem& problem, const SolveOptions& options);

    Outcome outcome = Outcome::ok;  // of M and A x = b alone
    Index normals = 0;              // p
    std::vector<Index> first;  // of each friction: its first row in H, and one more for the end
    MatrixX H;                 // (h × n)
    VectorX goal;              // (h): d, then w
    MatrixX P;                 // (k × h); the column of a row that depends on A is zero
    VectorX g;                 // (h): goal − H x0
    VectorX size;              // (h): what the rounding of g comes from
    VectorX length;            // (h): of the columns of P
    VectorX weight;            // (h): of the forces where they are not unique
    VectorX x0, lambda0;       // without forces on H
    MatrixX dependencies;      // (m × c): Aᵀ C = 0
    double rank_tol = 1e-10;
    // As SolveOptions.
    double consistency_tol = 1e-8;

    Index count() const { return H.rows(); }
    Index dimension(std::size_t friction) const { return first[friction + 1] - first[friction]; }
    std::size_t friction_of(Index row) const;  ///< the friction that a row of some W belongs to

    VectorX motion(const VectorX& y) const;
    VectorX multipliers(const VectorX& f) const;
    /// λ that balances M x = force + Aᵀ λ best, of least (weighted) norm: takes rounding away at
    /// the end.
    VectorX rest_multipliers(const VectorX& missing_force) const;

private:
    void gather(const ContactProblem& problem);
    void eliminate(const ContactProblem& problem, const SolveOptions& options);

    MassMetric mass_;
    RowSpace rows_;
    std::optional<Massless> massless_;
    Dependencies found_;
    VectorX weight_A_;  // of the multipliers (m), or empty
    /// (n × h): the rows of H in the metric, before A is taken out of them (definite M).
    MatrixX along_;
};

}  // namespace lacon::solving::contact
