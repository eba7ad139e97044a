// Coulomb's law (theory 4.5) by assumptions: from a warm start, from the motion without friction,
// from cones made of edges, from sweeps; and where all that fails, every assumption there is, one
// by one where they are few, else in branches.
#include "solve/contact/friction/friction.hpp"

#include <cmath>

#include "solve/contact/friction/ambiguous.hpp"
#include "solve/contact/friction/branches.hpp"
#include "solve/contact/friction/complementary.hpp"
#include "solve/contact/friction/search.hpp"
#include "solve/contact/friction/sweep.hpp"

namespace lacon::solving::inline contact {

namespace {

Trial resting_trial(const FrictionProblem& problem, const DistanceSolution& distance) {
    Trial trial;
    VectorX f = VectorX::Zero(problem.space.count());
    f.head(problem.space.normals) = distance.f;
    trial.order = distance.working;
    for (Index i = 0; i < problem.space.normals; ++i)
        trial.closed.push_back(problem.normals.touches(distance.y, i));
    for (std::size_t k = 0; k < problem.count(); ++k) {
        trial.friction_states.push_back(problem.slides(k) ? FrictionState::slips
                                                          : FrictionState::sticks);
        trial.direction.push_back(problem.slides(k)
                                      ? to_eigen(problem.friction(k).direction)
                                      : VectorX(VectorX::Unit(problem.space.dimension(k), 0)));
        trial.resistance.push_back(0.0);
        const VectorX load = problem.load_vector(k, f);
        trial.pressing.push_back(load.norm() > 0.0 ? VectorX(load.normalized())
                                                   : VectorX(VectorX::Unit(load.size(), 0)));
    }
    return trial;
}

Trial warm_trial(const FrictionProblem& problem, const ContactSolution& warm, Trial trial) {
    trial.order.clear();
    for (std::size_t i = 0; i < trial.closed.size(); ++i) {
        trial.closed[i] = warm.contact_states[i] != ContactState::open;
        if (warm.contact_states[i] == ContactState::working)
            trial.order.push_back(static_cast<Index>(i));
    }
    for (std::size_t k = 0; k < problem.count(); ++k) {
        // Where it takes more to begin to slip than to go on, what is at rest has to be asked
        // again.
        const bool asks = problem.friction(k).at_rest > problem.friction(k).kinetic;
        if (problem.slides(k) || asks || warm.friction_states[k] != FrictionState::slips) continue;
        trial.friction_states[k] = FrictionState::slips;
        trial.direction[k] = to_eigen(warm.direction[k]);
    }
    return trial;
}

bool fits(const FrictionProblem& problem, const ContactSolution* warm) {
    if (!warm || static_cast<Index>(warm->contact_states.size()) != problem.space.normals ||
        warm->friction_states.size() != problem.count())
        return false;
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (warm->friction_states[k] == FrictionState::slips &&
            static_cast<Index>(warm->direction[k].size()) != problem.space.dimension(k))
            return false;
    }
    return true;
}

// What begins to slip although it could stick sticks: by a greater coefficient at rest, or as it
// slips at no rate, where others hold it anyhow.
Settled with_all_that_can_stick(const FrictionProblem& problem, Settled motion) {
    for (std::size_t k = 0; k < problem.count(); ++k) {
        const bool slips = motion.trial.friction_states[k] == FrictionState::slips &&
                           !problem.slides(k) && motion.trial.touches(problem, k);
        if (!slips) continue;
        const VectorX& y = motion.balanced.y;
        const bool moves = problem.slip_rate(k, y).norm() >
                           problem.space.consistency_tol * problem.rate_size(k, y);
        if (moves && !(problem.friction(k).at_rest > problem.friction(k).kinetic)) continue;
        Trial trial = motion.trial;
        trial.friction_states[k] = FrictionState::sticks;
        std::optional<Settled> other = settled(problem, std::move(trial));
        // Its force while it slips is known; one that sticks may leave the loads of others open.
        const bool serves = other && (moves || ambiguous(problem, *other).empty());
        if (serves) motion = std::move(*other);
    }
    return motion;
}

ContactSolution without_motion(Outcome outcome, std::vector<std::size_t> concerned,
                               std::size_t solutions) {
    ContactSolution solution;
    solution.outcome = outcome;
    solution.concerned = std::move(concerned);
    solution.solutions = solutions;
    return solution;
}

std::vector<std::size_t> sliding(const FrictionProblem& problem) {
    std::vector<std::size_t> frictions;
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (problem.slides(k)) frictions.push_back(k);
    }
    for (std::size_t k = 0; frictions.empty() && k < problem.count(); ++k) frictions.push_back(k);
    return frictions;
}

Found found_of(const FrictionProblem& problem, const Settled& motion) {
    const ContactSpace& space = problem.space;
    Found found{motion.balanced.y,      motion.judged.f,
                motion.trial.order,     {},
                motion.trial.direction, motion.judged.forces_unique};
    const double least = zero_force * problem.largest_push(found.f);
    for (Index i = 0; i < space.normals; ++i) {
        if (found.f(i) * space.length(i) <= least) found.f(i) = 0.0;
    }
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (problem.is_one_sided(k) && !problem.normals.touches(found.y, problem.row(k))) {
            found.friction_states.push_back(FrictionState::none);
            found.f.segment(space.first[k], space.dimension(k)).setZero();
            continue;
        }
        found.friction_states.push_back(motion.trial.friction_states[k]);
        if (problem.is_one_sided(k) && found.f(problem.row(k)) == 0.0)
            found.f.segment(space.first[k], space.dimension(k)).setZero();
        if (problem.slides(k)) continue;
        // Without friction to tell it, the rate itself says whether and where it slips.
        const VectorX rate = problem.slip_rate(k, found.y);
        const bool rests = rate.norm() <= space.consistency_tol * problem.rate_size(k, found.y);
        if (found.f.segment(space.first[k], space.dimension(k)).norm() > 0.0) continue;
        found.friction_states.back() = rests ? FrictionState::sticks : FrictionState::slips;
        if (!rests) found.direction[k] = rate.normalized();
    }
    return found;
}

ContactSolution several(const FrictionProblem& problem, const std::vector<Settled>& motions) {
    return without_motion(Outcome::several, differing(problem, motions), motions.size());
}

ContactSolution judged_solution(const FrictionProblem& problem, Settled found) {
    const std::vector<Island> islands = islands_of(problem);
    found = with_islands_at_rest(problem, islands, std::move(found));
    if (const std::vector<std::size_t> concerned = ambiguous(problem, found); !concerned.empty())
        return without_motion(Outcome::undetermined, concerned, 1);
    const Lawful left = lawful(problem, islands, std::move(found));
    if (left.motions.size() > 1) return several(problem, left.motions);
    const Settled& motion = left.motions.front();
    if (!left.complete && !is_surely_unique(problem, motion)) {
        const std::vector<Settled> motions = other_motions(problem, motion);
        if (motions.size() > 1) return several(problem, motions);
    }
    return report(problem.given, problem.space, found_of(problem, motion));
}

}  // namespace

ContactSolution solve_with_friction(const ContactProblem& given, const ContactSpace& space,
                                    const DistanceSolution& distance, const ContactSolution* warm) {
    const FrictionProblem problem(given, space);
    const Trial resting = resting_trial(problem, distance);
    if (const std::optional<Settled> still = rest(problem, resting))
        return report(given, space, found_of(problem, *still));
    std::optional<Settled> motion;
    if (fits(problem, warm)) motion = settle(problem, warm_trial(problem, *warm, resting));
    // With few revisions first: where they are many, Lemke's method is the shorter way.
    constexpr std::size_t few = 20;
    if (!motion) motion = settle(problem, resting, few);
    if (!motion) {
        if (const std::optional<Trial> trial = complementary_trial(problem, resting))
            motion = settle(problem, *trial);
    }
    if (!motion) motion = settle(problem, resting);
    if (!motion) motion = settle(problem, swept(problem, resting));
    if (motion)
        return judged_solution(problem, with_all_that_can_stick(problem, std::move(*motion)));

    const Enumeration all = try_all(problem, resting);
    if (!all.complete) {
        Branches branches = branch(problem, resting);
        if (branches.found) return judged_solution(problem, std::move(*branches.found));
        if (!branches.complete) return without_motion(Outcome::no_convergence, sliding(problem), 1);
    }
    if (all.found.empty()) return without_motion(Outcome::no_force, sliding(problem), 0);
    if (all.found.size() > 1) return several(problem, all.found);
    return judged_solution(problem, all.found.front());
}

}  // namespace lacon::solving::contact
