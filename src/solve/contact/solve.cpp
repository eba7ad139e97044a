// The contact problem in its order: it falls into parts; of each, M and A are eliminated; the rows
// that only push are a problem of least distance (theory 3.8); friction (theory 4.5) is found by
// assumptions about what sticks and slips that are revised until all hold.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "lacon/contact.hpp"
#include "solve/contact/friction/friction.hpp"
#include "solve/contact/reduced/report.hpp"
#include "solve/contact/reduced/share.hpp"
#include "solve/contact/separate.hpp"
#include "solve/dense/matrix/finite.hpp"

namespace lacon {

using namespace solving;

namespace {

using solving::all_finite;

bool all_finite(const ContactFriction& friction) {
    const double numbers[] = {friction.scale, friction.kinetic, friction.at_rest, friction.weight};
    return all_finite(numbers) && all_finite(friction.G) && all_finite(friction.W) &&
           all_finite(friction.w) && all_finite(friction.direction);
}

bool all_finite(const ContactProblem& problem) {
    return all_finite(problem.M) && all_finite(problem.Q) && all_finite(problem.A) &&
           all_finite(problem.b) && all_finite(problem.N) && all_finite(problem.d) &&
           all_finite(problem.weight_A) && all_finite(problem.weight_N) &&
           std::all_of(problem.friction.begin(), problem.friction.end(),
                       [](const auto& each) { return all_finite(each); });
}

[[maybe_unused]] bool fits(const ContactProblem& problem, const ContactFriction& friction) {
    const std::size_t k = friction.W.rows();
    return k > 0 && friction.W.cols() == problem.M.rows() && friction.w.size() == k &&
           (friction.direction.empty() || friction.direction.size() == k) &&
           friction.G.rows() == friction.two_sided.size() &&
           (!friction.one_sided || *friction.one_sided < problem.N.rows()) &&
           std::all_of(friction.two_sided.begin(), friction.two_sided.end(),
                       [&](auto i) { return i < problem.A.rows(); });
}

ContactSolution verdict(Outcome outcome) {
    ContactSolution solution;
    solution.outcome = outcome;
    return solution;
}

std::vector<Index> warm_rows(const ContactSolution* warm, Index count) {
    std::vector<Index> rows;
    if (!warm || static_cast<Index>(warm->contact_states.size()) != count) return rows;
    for (std::size_t i = 0; i < warm->contact_states.size(); ++i) {
        if (warm->contact_states[i] == ContactState::working) rows.push_back(static_cast<Index>(i));
    }
    return rows;
}

// Of all forces with the same effect on touching rows, the shortest by their weights.
Found shared(const ContactSpace& space, const NormalRows& normals,
             const DistanceSolution& distance) {
    Found found{distance.y, VectorX::Zero(space.count()), distance.working, {}, {}, true};
    std::vector<Index> touching;
    for (Index i = 0; i < space.normals; ++i) {
        if (normals.touches(distance.y, i)) touching.push_back(i);
    }
    const MatrixX C = normals.P(Eigen::all, touching);
    const VectorX v = distance.f(touching);
    ShareProblem problem{
        C, v, {}, {}, space.rank_tol, v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0};
    for (Index i = 0; i < v.size(); ++i)
        problem.bounds.push_back({VectorX::Unit(v.size(), i), 0.0});
    problem.weight = space.weight(touching);
    const Share share = share_forces(problem);
    const VectorX& forces = share.admissible ? share.v : v;
    for (Index i = 0; i < v.size(); ++i)
        found.f(touching[i]) = forces(i) > zero_force * problem.force_size ? forces(i) : 0.0;
    found.forces_unique = share.unique;
    return found;
}

ContactSolution conflict_of(const DistanceSolution& distance) {
    ContactSolution solution = verdict(Outcome::conflict);
    for (const Index i : distance.concerned)
        solution.concerned.push_back(static_cast<std::size_t>(i));
    return solution;
}

bool presses_two_sided(const ContactProblem& problem) {
    return std::any_of(problem.friction.begin(), problem.friction.end(),
                       [](const ContactFriction& each) { return !each.two_sided.empty(); });
}

// A motion that meets all rows as it is has no impulses: without an approach nothing strikes,
// though friction may be able to jam what slides.
ContactSolution unchanged(const ContactProblem& problem, const ContactSpace& space) {
    Found found{VectorX::Zero(space.P.rows()), VectorX::Zero(space.count()), {}, {}, {}, true};
    const NormalRows normals(space);
    for (std::size_t k = 0; k < problem.friction.size(); ++k) {
        const ContactFriction& friction = problem.friction[k];
        const VectorX rate = -space.g.segment(space.first[k], space.dimension(k));
        const double size = space.size.segment(space.first[k], space.dimension(k)).maxCoeff();
        const bool slips = rate.norm() > space.consistency_tol * size;
        const bool touches = !friction.one_sided ||
                             normals.touches(found.y, static_cast<Index>(*friction.one_sided));
        found.friction_states.push_back(!touches ? FrictionState::none
                                        : slips  ? FrictionState::slips
                                                 : FrictionState::sticks);
        found.direction.push_back(slips ? VectorX(rate.normalized()) : rate);
    }
    return report(problem, space, found);
}

enum class Of { accelerations, impulses };

ContactSolution solve_part(const ContactProblem& problem, const ContactSpace& space,
                           const ContactSolution* warm, Of of) {
    if (space.outcome != Outcome::ok) return verdict(space.outcome);
    const NormalRows normals(space);
    const DistanceSolution distance =
        least_distance(normals.problem, warm_rows(warm, space.normals));
    if (distance.conflict) return conflict_of(distance);
    if (of == Of::impulses && distance.f.isZero(0.0) && !presses_two_sided(problem))
        return unchanged(problem, space);
    if (!problem.friction.empty()) return solve_with_friction(problem, space, distance, warm);
    return report(problem, space, shared(space, normals, distance));
}

// What meets all rows is at least this long: rates below the rounding of it are none, in all parts.
double least_change(const ContactSpace& space) {
    double least = 0.0;
    for (Index i = 0; i < (space.outcome == Outcome::ok ? space.normals : 0); ++i)
        if (space.length(i) > 0.0) least = std::max(least, space.g(i) / space.length(i));
    return least;
}

ContactSolution solve_parts(const ContactProblem& problem, const ContactOptions& options, Of of) {
    if (!all_finite(problem)) return verdict(Outcome::undefined);
    const std::vector<Part> parts = parts_of(problem);
    if (parts.size() <= 1)
        return solve_part(problem, ContactSpace(problem, options.solve), options.warm, of);
    std::vector<PartProblem> alone;
    std::vector<ContactSpace> spaces;
    double change = 0.0;
    alone.reserve(parts.size());
    spaces.reserve(parts.size());
    for (const Part& part : parts) {
        alone.emplace_back(problem, part);
        spaces.emplace_back(alone.back().problem(), options.solve);
        change = std::max(change, least_change(spaces.back()));
    }
    Joint joint(problem);
    for (std::size_t i = 0; i < parts.size() && joint.solution.outcome == Outcome::ok; ++i) {
        if (spaces[i].outcome == Outcome::ok) spaces[i].size += change * spaces[i].length;
        joint.take(parts[i],
                   solve_part(alone[i].problem(), spaces[i], alone[i].warm(options.warm), of));
    }
    return std::move(joint.solution);
}

}  // namespace

ContactSolution solve(const ContactProblem& problem, const ContactOptions& options) {
    assert(problem.weight_A.empty() || problem.weight_A.size() == problem.A.rows());
    assert(problem.weight_N.empty() || problem.weight_N.size() == problem.N.rows());
    assert(problem.d.size() == problem.N.rows() &&
           (problem.N.rows() == 0 || problem.N.cols() == problem.M.rows()));
    assert(std::all_of(problem.friction.begin(), problem.friction.end(),
                       [&](const auto& each) { return fits(problem, each); }));
    return solve_parts(problem, options, Of::accelerations);
}

ContactSolution solving::contact::solve_impulses(const ContactProblem& problem,
                                                 const SolveOptions& options) {
    return solve_parts(problem, {options, nullptr}, Of::impulses);
}

}  // namespace lacon
