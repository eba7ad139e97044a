// Random contact problems.
#pragma once

#include "contact_modes.hpp"

namespace lacon::testing {

/// What random contacts are drawn from.
struct ContactPlan {
    Index contacts = 2;
    double largest_coefficient = 1.0;
    bool dependent = false;  // fewer coordinates than rows
    bool slides = false;     // some contacts slide already
    bool two_sided = false;  // a row of A beside them
    double at_rest = 1.0;    // times the coefficient while it slips
};

inline Contacts random_contacts(Random& random, const ContactPlan& plan) {
    const Index p = plan.contacts,
                n = plan.dependent ? std::max<Index>(2, integer(random, p, 2 * p - 1)) : 2 * p + 1;
    Contacts problem = free_body(n);
    const MatrixX root = normal(random, n, n);
    problem.M = root * root.transpose() + 0.3 * MatrixX::Identity(n, n);
    problem.Q = normal(random, n, 1);
    problem.N = normal(random, p, n);
    const double speed = integer(random, 0, 1) == 0
                             ? 0.0
                             : 1.0;  // every second system is at rest: no velocities in d and w
    problem.d = speed * normal(random, p, 1);
    // Contacts that begin at rest under a load: else most of them open.
    problem.Q -= 3.0 * problem.N.transpose() *
                 VectorX::NullaryExpr(p, [&] { return uniform(random, 0.0, 1.0); });
    for (Index i = 0; i < p; ++i) {
        ContactFriction friction = friction_on(static_cast<std::size_t>(i), normal(random, 1, n),
                                               uniform(random, 0.0, plan.largest_coefficient));
        friction.at_rest *= plan.at_rest;
        friction.w[0] = speed * normal(random, 1, 1)(0);
        if (plan.slides && uniform(random, 0.0, 1.0) < 0.5)
            friction.direction = {uniform(random, 0.0, 1.0) < 0.5 ? -1.0 : 1.0};
        problem.friction.push_back(std::move(friction));
    }
    if (plan.two_sided) {
        problem.A = normal(random, 1, n);
        problem.b = normal(random, 1, 1);
    }
    return problem;
}

}  // namespace lacon::testing
