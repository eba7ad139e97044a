// The map from efforts u to the required accelerations C q'', and the cost of u (theory 3.5, 7).
#pragma once

#include <Eigen/LU>
#include <cmath>
#include <vector>

#include "lacon/control.hpp"
#include "solve/control/surroundings.hpp"
#include "solve/dense/constrained/constrained_factor.hpp"
#include "solve/dense/matrix/mass_metric.hpp"
#include "solve/dense/rank/row_space.hpp"

namespace lacon::solving::inline control {

/// M q'' = Q + Aᵀ λ + K λ_L + F u, A q'' = b, factored once for all efforts.
class ControlledMotion {
public:
    ControlledMotion(const ControlProblem& problem, const ControlSurroundings& surroundings,
                     const SolveOptions& options);

    /// As `solve` has it for the system without efforts. The rest is not to be used unless ok.
    Outcome outcome = Outcome::ok;
    MassMetric mass;
    VectorX uncontrolled;  // q''₀ (n)

    VectorX response(Index effort) const;  ///< q'' − q''₀ of effort 1 (n)

    struct Motion {
        VectorX acceleration;  // (n)
        VectorX multipliers;   // (m), one choice of many where rows of A depend on each other
    };
    Motion under(const VectorX& u) const;
    VectorX least_multipliers(const Motion& motion, const VectorX& u)
        const;  ///< of least norm, for the motion under u (m)

private:
    const ControlProblem& problem_;
    const SolveOptions& options_;
    ConstrainedFactor factor_;
    const ControlSurroundings& surroundings_;
    MatrixX moved_by_loads_;                  // accelerations under K (n × |L|)
    MatrixX held_by_loads_;                   // multipliers under K (m × |L|)
    Eigen::PartialPivLU<MatrixX> own_loads_;  // 1 − the part of it that is loads again

    void couple();
    void add_loads(Motion& motion) const;
    VectorX force(const VectorX& u) const;
    Motion move(const VectorX& force, double* residual) const;
};

/// What is required in terms of efforts: C q'' = C q''₀ + B x with u = X x. Rows with ≤ have their
/// signs turned: all one-sided rows are ≥. The coordinates are chosen for the cost: x = (y, z), uᵀ
/// N u = |y|² / unit², and z (p − q) are efforts whose forces cancel each other, which do nothing
/// and, in Gauss's measure, cost nothing; z is orthogonal to what y does in u.
struct Reach {
    /// Indefinite: no cost; undetermined: Gauss's measure where M is singular.
    Outcome outcome = Outcome::ok;
    MatrixX X;          // (p × p), regular
    Index costly = 0;   // q
    double unit = 1.0;  // makes the scaled B of norm 1
    MatrixX B;          // (k × p); exactly zero where it is rounding
    VectorX r;          // d − C q''₀ (k)
    /// (k) 1 / what a row could be moved by if a unit of Gauss's measure were spent along it.
    VectorX s;
    VectorX size;   // (k): what the rounding of r comes from
    MatrixX noise;  // (k × p): what the rounding of T comes from, in terms of efforts
    /// (k): how far the forces other than efforts could move a row if nothing held it.
    VectorX weight;
    /// Of noise and weight what a row is not told apart from zero by, over consistency_tol.
    double balance = 0.0;
    std::vector<bool> one_sided;  // (k)
    VectorX low, high;            // (p), infinite for none
    double tol = 0.0;             // of ranks of the scaled B, relative to its norm
    RowSpace rows;                // of the scaled B

    Index required() const { return B.rows(); }
    Index efforts() const { return X.rows(); }
    bool limited(Index j) const { return std::isfinite(low(j)) || std::isfinite(high(j)); }
    /// The least size of a row (k) whose residual is judged. Efforts may balance each other and a
    /// weight to many digits and leave nothing of what they balance in a row, but their rounding;
    /// where the map from efforts to rows is badly conditioned, efforts are large, and so is this.
    VectorX balanced(const VectorX& u) const { return balance * (noise * u.cwiseAbs() + weight); }
};
Reach reach_of(const ControlProblem& problem, const ControlledMotion& motion,
               const ControlSurroundings& surroundings, const SolveOptions& options);
/// The path of `options` for decompositions that have no LDLᵀ form.
SolveOptions::Path orthogonal_path(const SolveOptions& options);

}  // namespace lacon::solving::control
