// Contact problems with names, for the tests of the contact solver.
#pragma once

#include <algorithm>
#include <optional>

#include "lacon/contact.hpp"
#include "problems.hpp"

namespace lacon::testing {

using ContactState = ContactSolution::ContactState;
using FrictionState = ContactSolution::FrictionState;

/// A problem that owns its numbers.
struct Contacts {
    MatrixX M, A, N;
    VectorX Q, b, d;
    std::vector<ContactFriction> friction{};
    std::vector<double> weight_A{}, weight_N{};

    ContactSolution solved(const ContactOptions& options = {}) const {
        const Matrix mass = to_matrix(M), two_sided = to_matrix(A), one_sided = to_matrix(N);
        const std::vector<double> force = to_std(Q), right = to_std(b), bound = to_std(d);
        return solve(
            {mass, force, two_sided, right, one_sided, bound, friction, weight_A, weight_N},
            options);
    }
};

inline Contacts free_body(Index n) {
    return {MatrixX::Identity(n, n), MatrixX(0, n), MatrixX(0, n),
            VectorX::Zero(n),        VectorX(0),    VectorX(0)};
}

inline double worst(const ContactSolution& solution) {
    return std::max({solution.certificate.primal, solution.certificate.dual,
                     solution.certificate.complementarity});
}

/// A friction of the k rows W on row i of N.
inline ContactFriction friction_on(std::size_t row, const MatrixX& W, double coefficient,
                                   std::vector<double> direction = {}) {
    ContactFriction friction;
    friction.one_sided = row;
    friction.W = to_matrix(W);
    friction.w.assign(static_cast<std::size_t>(W.rows()), 0.0);
    friction.kinetic = friction.at_rest = coefficient;
    friction.direction = std::move(direction);
    return friction;
}

}  // namespace lacon::testing
