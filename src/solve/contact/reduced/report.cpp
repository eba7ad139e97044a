// What forces found mean for the user: which rows work, which only touch, and x with its rounding
// taken out of the working rows.
#include "solve/contact/reduced/report.hpp"

#include "solve/contact/reduced/rows.hpp"

namespace lacon::solving::inline contact {

NormalRows::NormalRows(const ContactSpace& space)
    : P(space.P.leftCols(space.normals)),
      g(space.g.head(space.normals)),
      size(space.size.head(space.normals)),
      problem{P, g, size, space.rank_tol, space.consistency_tol} {}

double load_of(const ContactFriction& friction, const VectorX& f, const VectorX& lambda) {
    if (friction.fixed) return 1.0;
    if (friction.one_sided) return friction.scale * f(static_cast<Index>(*friction.one_sided));
    VectorX load = VectorX::Zero(static_cast<Index>(friction.G.cols()));
    for (std::size_t i = 0; i < friction.two_sided.size(); ++i) {
        for (Index j = 0; j < load.size(); ++j)
            load(j) += friction.G(i, j) * lambda(static_cast<Index>(friction.two_sided[i]));
    }
    return load.norm();
}

namespace {

// Normals that press, preferred ones first, then the rows of what sticks.
IndependentRows working_rows(const ContactSpace& space, const Found& found) {
    IndependentRows set(space.P, space.rank_tol);
    for (const Index i : found.working) {
        if (found.f(i) > 0.0) set.add(i);
    }
    for (Index i = 0; i < space.normals; ++i) {
        if (found.f(i) > 0.0) set.add(i);  // those that are in already depend
    }
    for (std::size_t k = 0; k < found.friction_states.size(); ++k) {
        if (found.friction_states[k] != FrictionState::sticks) continue;
        for (Index i = space.first[k]; i < space.first[k + 1]; ++i) set.add(i);
    }
    return set;
}

VectorX refined_motion(const ContactSpace& space, const IndependentRows& set, const VectorX& y) {
    VectorX x = space.x0 + space.motion(y);
    VectorX missing(set.count());
    for (Index k = 0; k < set.count(); ++k) {
        const Index i = set.members()[k];
        missing(k) = space.goal(i) - space.H.row(i).dot(x);
    }
    return x + space.motion(set.least_norm(missing));
}

void report_frictions(const ContactSpace& space, const Found& found, ContactSolution& solution) {
    solution.friction_states = found.friction_states;
    for (std::size_t k = 0; k < found.friction_states.size(); ++k) {
        solution.friction.push_back(to_std(found.f.segment(space.first[k], space.dimension(k))));
        solution.direction.push_back(found.friction_states[k] == FrictionState::slips
                                         ? to_std(found.direction[k])
                                         : std::vector<double>());
    }
}

}  // namespace

ContactSolution report(const ContactProblem& problem, const ContactSpace& space,
                       const Found& found) {
    ContactSolution solution;
    const IndependentRows set = working_rows(space, found);
    solution.x = to_std(refined_motion(space, set, found.y));
    solution.forces = to_std(found.f.head(space.normals));
    solution.forces_unique = found.forces_unique;
    report_frictions(space, found, solution);

    const NormalRows normals(space);
    for (Index i = 0; i < space.normals; ++i)
        solution.contact_states.push_back(normals.touches(found.y, i) ? ContactState::idle
                                                                      : ContactState::open);
    solution.friction_rows.resize(found.friction_states.size());
    for (const Index i : set.members()) {
        if (i < space.normals) {
            solution.contact_states[static_cast<std::size_t>(i)] = ContactState::working;
            continue;
        }
        const std::size_t k = space.friction_of(i);
        solution.friction_rows[k].push_back(static_cast<std::size_t>(i - space.first[k]));
    }

    const VectorX x = to_eigen(solution.x);
    VectorX lambda = space.lambda0 + space.multipliers(found.f);
    if (lambda.size() > 0) {  // one correction, as rows of very different length round it
        const VectorX force = to_eigen(problem.Q) + space.H.transpose() * found.f +
                              to_eigen(problem.A).transpose() * lambda;
        lambda += space.rest_multipliers(to_eigen(problem.M) * x - force);
    }
    solution.multipliers = to_std(lambda);
    certify(problem, space, solution);
    return solution;
}

}  // namespace lacon::solving::contact
