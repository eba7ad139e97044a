// Efforts while the same limits and requirements stay in force.
#pragma once

#include "solve/control/reach.hpp"

namespace lacon::solving::inline control {

/// The efforts of a given set, without any decision but ranks: in this order, those at limits have
/// their values, bound rows are met, missed rows as nearly as can be (least squares of the rows as
/// they are), the cost is least, u is shortest. Each step keeps to the null space of those before,
/// so that the efforts are smooth in the data while ranks stay.
class EffortsOfSet {
public:
    EffortsOfSet(const Reach& reach, const ControlSet& set, const SolveOptions& options);

    VectorX x;               // (p)
    VectorX effort() const;  ///< u = X x (p), those at limits exactly
    /// One refinement: `left` (k) is what C q'' − d lacks, computed from the motion itself; only
    /// bound rows are read.
    void correct(const VectorX& left);
    /// Σ over rows i of W Wᵀ T_iᵀ μ_i and what the limits take make up u; μ is of least norm for
    /// rows scaled by Reach::s, so that shares do not depend on how a row is multiplied. Returns
    /// these terms (k × p), zero for idle rows.
    MatrixX shares() const;

private:
    const Reach& reach_;
    const ControlSet& set_;
    SolveOptions::Path path_;
    std::vector<Index> bound_, missed_, fixed_;
    MatrixX free_;    // basis of the directions in x that leave the efforts at limits as they are
    RowSpace exact_;  // of the bound rows along it

    RowSpace decide(const MatrixX& rows, const VectorX& s) const;
    void hold_limits();
    MatrixX meet_bound();
    MatrixX approach_missed(const MatrixX& Z);
    void spend_least(const MatrixX& Z);
};

/// An orthonormal basis of the null space of the columns' span, for independent columns (n × m): n
/// × (n − m).
MatrixX complement(const MatrixX& columns);

}  // namespace lacon::solving::control
