// Derivatives of q'' with respect to q and q', for CVODE and for the choice of a method.
#pragma once

#include "methods/field.hpp"

namespace lacon::inline methods {

/// ∂q''/∂q and ∂q''/∂q' (n × 2n) along the constraints' own equations, by differentiation: for each
/// coordinate,
///     M δa − Aᵀ δλ = δQ − δM a + δAᵀ λ,   A δa = δb − δA a.
/// False where the state has no acceleration.
bool acceleration_jacobian(DenseField& field, const State& state, Matrix& J);

/// −∂Q_i/∂q_i and −∂Q_i/∂q'_i (n each): the stiffness and damping that each coordinate feels by
/// itself.
struct Resistance {
    std::vector<double> stiffness, damping;
};
void own_resistance(DenseField& field, const State& state, Resistance& out);

/// What the eigenvalues of the whole first-order system say: the fastest decay (1/s) among branches
/// that decay rather than swing, and the fastest rate of all others.
struct Rates {
    double decay = 0.0, other = 0.0;
};
bool fastest_rates(DenseField& field, const State& state, Rates& rates);

}  // namespace lacon::methods
