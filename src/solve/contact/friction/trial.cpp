// The equations of an assumption about what touches, sticks and slips.
#include "solve/contact/friction/trial.hpp"

#include "solve/contact/friction/equations.hpp"

namespace lacon::solving::inline contact {

namespace {

IndependentRows working_set(const FrictionProblem& problem, const Trial& trial) {
    const ContactSpace& space = problem.space;
    IndependentRows set(space.P, space.rank_tol);
    const auto add_if_closed = [&](Index i) {
        if (trial.closed[static_cast<std::size_t>(i)])
            set.add(i);  // those that are in already depend
    };
    const auto add_if_stuck = [&](std::size_t k, Index i) {
        if (trial.friction_states[k] == FrictionState::sticks && trial.touches(problem, k))
            set.add(i);
    };
    for (const Index i : trial.order) add_if_closed(i);
    for (Index i = 0; i < space.normals; ++i) add_if_closed(i);
    for (const Index i : trial.friction_order) add_if_stuck(space.friction_of(i), i);
    for (std::size_t k = 0; k < problem.count(); ++k) {
        for (Index i = space.first[k]; i < space.first[k + 1]; ++i) add_if_stuck(k, i);
    }
    return set;
}

// Creeps until the ν change by less than each of these, and tries Newton's method from there.
bool converge(Equations& equations, bool& solved) {
    constexpr double settled[] = {0.1, 1e-2, 1e-4};
    constexpr int most_creeping = 200, most_newton = 20;
    // Newton's method is let go to rounding; a result to the tolerance of forces is good enough.
    constexpr double exact = 1e-13, good = 1e-10;
    for (const double until : settled) {
        for (int round = 0; round < most_creeping; ++round) {
            solved = equations.step(true);
            if (!solved) return false;
            if (equations.creep() < until) break;
        }
        for (int round = 0; round < most_newton && equations.step(false); ++round) {
            if (equations.change() < exact) break;
        }
        if (equations.change() < good && equations.meets_limits()) return true;
        if (until > settled[2]) equations.return_to_creeping();
    }
    return false;  // with what the last steps left: a ν below zero shows what should stick
}

}  // namespace

std::string Trial::key(const FrictionProblem& problem) const {
    std::string text;
    for (const bool each : closed) text += each ? '1' : '0';
    for (std::size_t k = 0; k < friction_states.size(); ++k) {
        const bool slips = friction_states[k] == FrictionState::slips;
        text += slips ? (direction[k].size() == 1 && direction[k](0) < 0.0 ? '-' : '+') : '0';
        if (!problem.is_one_sided(k) && pressing[k].size() == 1)
            text += pressing[k](0) < 0.0 ? 'n' : 'p';
    }
    return text;
}

Balanced balance(const FrictionProblem& problem, Trial& trial) {
    Balanced result{false, true, {}, {}, working_set(problem, trial), {}, {}, {}, {}};
    Equations equations(problem, trial, result);
    if (equations.is_linear()) {
        result.solved = equations.step(false);
    } else {
        result.converged = converge(equations, result.solved);
    }
    return result;
}

Response response(const FrictionProblem& problem, const Trial& trial, const Balanced& balanced,
                  const VectorX& force) {
    const ContactSpace& space = problem.space;
    const VectorX effect = space.P * force;
    const Index count = balanced.E.cols(), w = balanced.set.count();
    VectorX right = VectorX::Zero(count), z = VectorX::Zero(count);
    right.head(w) = -balanced.set.onto(effect);
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (balanced.own_load[k] >= 0)
            right(balanced.own_load[k]) = trial.pressing[k].dot(problem.slope[k] * force);
    }
    for (Index j = 0; j < count; ++j) {
        if (balanced.slip_row[j] >= 0) right(j) = -space.P.col(balanced.slip_row[j]).dot(effect);
    }
    if (!solve_scaled(balanced.equations, right, z)) return {force, effect};
    const VectorX all = force + balanced.E * z;
    return {all, space.P * all};
}

}  // namespace lacon::solving::contact
