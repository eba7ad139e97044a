// Chooses contact forces that the motion does not fix: least norm within bounds and friction cones.
#pragma once

#include <vector>

#include "solve/contact/reduced/space.hpp"

namespace lacon::solving::inline contact {

/// A linear bound on the unknown forces v: coefficients · v ≥ bound.
struct ForceBound {
    VectorX coefficients;
    double bound = 0.0;
};

/// A cone of friction |v(rows)| ≤ limit, limit = coefficients · v + constant.
struct ForceCone {
    std::vector<Index> rows;
    VectorX coefficients;
    double constant = 0.0;
};

/// Forces v with the same effect C v, and what is asked of them.
struct ShareProblem {
    const MatrixX& C;  // (k × t): what each force does
    const VectorX& v;  // (t) with the right effect, admissible or not
    std::vector<ForceBound> bounds;
    std::vector<ForceCone> cones;
    double rank_tol = 1e-10;
    double force_size = 0.0;  // forces are judged relative to it
    VectorX weight = {};      // (t) positive; empty: all 1
};

struct Share {
    /// Of least Σ weight_i v_i² among the admissible ones; where there are none, among all.
    VectorX v;
    bool admissible = false;  // some v with this effect keeps all bounds and cones
    bool unique = true;
};

Share share_forces(const ShareProblem& problem);

}  // namespace lacon::solving::contact
