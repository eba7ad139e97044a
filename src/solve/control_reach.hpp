#pragma once

#include <cmath>
#include <vector>

#include "lacon/control.hpp"
#include "solve/constrained_factor.hpp"
#include "solve/mass_metric.hpp"
#include "solve/row_space.hpp"

namespace lacon::solving {

/// M q'' = Q + Aᵀ λ + F u, A q'' = b, factored once for all efforts.
class ControlledMotion {
public:
    ControlledMotion(const ControlProblem& problem, const SolveOptions& options);

    Outcome outcome = Outcome::ok;  // as `solve` has it for the system without efforts; the rest is not to be used unless ok
    MassMetric mass;
    VectorX uncontrolled;  // q''₀ (n)

    VectorX response(Index effort) const;  ///< q'' − q''₀ of effort 1 (n)

    struct Motion {
        VectorX acceleration;  // (n)
        VectorX multipliers;   // (m), one choice of many where rows of A depend on each other
    };
    Motion under(const VectorX& u) const;
    VectorX least_multipliers(const Motion& motion, const VectorX& u) const;  ///< of least norm, for the motion under u (m)

private:
    const ControlProblem& problem_;
    const SolveOptions& options_;
    ConstrainedFactor factor_;
    VectorX force(const VectorX& u) const;
    Motion move(const VectorX& force, double* residual) const;
};

/// What is required in terms of efforts: C q'' = C q''₀ + B x with u = X x. Rows with ≤ have their signs turned: all one-sided
/// rows are ≥. The coordinates are chosen for the cost: x = (y, z), uᵀ N u = |y|² / unit², and z (p − q) are efforts whose forces
/// cancel each other, which do nothing and, in Gauss's measure, cost nothing; z is orthogonal to what y does in u.
struct Reach {
    Outcome outcome = Outcome::ok;  // indefinite: no cost; undetermined: Gauss's measure where M is singular
    MatrixX X;                      // (p × p), regular
    Index costly = 0;               // q
    double unit = 1.0;              // makes the scaled B of norm 1
    MatrixX B;                      // (k × p); exactly zero where it is rounding
    VectorX r;                      // d − C q''₀ (k)
    VectorX s;                      // (k): 1 / what a row could be moved by if a unit of Gauss's measure were spent along it
    VectorX size;                   // (k): what the rounding of r comes from
    std::vector<bool> one_sided;    // (k)
    VectorX low, high;              // (p), infinite for none
    double tol = 0.0;               // of ranks of the scaled B, relative to its norm
    RowSpace rows;                  // of the scaled B

    Index required() const { return B.rows(); }
    Index efforts() const { return X.rows(); }
    bool limited(Index j) const { return std::isfinite(low(j)) || std::isfinite(high(j)); }
};
Reach reach_of(const ControlProblem& problem, const ControlledMotion& motion, const SolveOptions& options);

/// The path of `options` for decompositions that have no LDLᵀ form.
SolveOptions::Path orthogonal_path(const SolveOptions& options);

}  // namespace lacon::solving
