// Whether the forces and rates of a trial agree with what it assumes.
#include "solve/contact/friction/flaws.hpp"

#include <algorithm>
#include <cmath>

#include "solve/contact/friction/sticking.hpp"

namespace lacon::solving::inline contact {

namespace {

constexpr double rate_tol = 1e-11;  // of the size of a rate

void find_row_flaws(const FrictionProblem& problem, const Trial& trial, const Balanced& balanced,
                    Judged& judged) {
    const ContactSpace& space = problem.space;
    for (Index i = 0; i < space.normals; ++i) {
        if (balanced.set.has(i)) continue;
        const double beyond = relative_clearance(problem.normals.problem, balanced.y, i);
        const std::size_t which = static_cast<std::size_t>(i);
        if (trial.closed[which] && beyond > touch_tol)
            judged.flaws.push_back({Flaw::Kind::separates, which, beyond});
        if (beyond >= -rate_tol) continue;
        const bool depends = trial.closed[which] || balanced.set.parts(space.P.col(i)).depends;
        if (beyond < (depends ? -space.consistency_tol : -rate_tol))
            judged.flaws.push_back({Flaw::Kind::penetrates, which, -beyond});
    }
}

void find_slip_flaws(const FrictionProblem& problem, const Trial& trial, const Balanced& balanced,
                     Judged& judged) {
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (!trial.touches(problem, k)) continue;
        const VectorX rate = problem.slip_rate(k, balanced.y);
        const double size = problem.rate_size(k, balanced.y);
        if (trial.friction_states[k] == FrictionState::sticks) {
            if (rate.norm() > problem.space.consistency_tol * size)
                judged.flaws.push_back({Flaw::Kind::cannot_stick, k, rate.norm() / size});
            continue;
        }
        const bool resists =
            judged.f.segment(problem.space.first[k], problem.space.dimension(k)).norm() > 0.0;
        if (!problem.slides(k) && (resists || rate.size() == 1) &&
            rate.dot(trial.direction[k]) < -rate_tol * size)
            judged.flaws.push_back(
                {Flaw::Kind::slips_forward, k, -rate.dot(trial.direction[k]) / size});
        if (balanced.own_load[k] < 0 || problem.constant[k].size() > 1) continue;
        const double load = trial.pressing[k].dot(problem.load_vector(k, balanced.f));
        const double all = problem.constant[k].norm() +
                           (problem.slope[k].cwiseAbs() * balanced.f.cwiseAbs()).norm();
        if (load < -force_tol * all)
            judged.flaws.push_back({Flaw::Kind::load_reversed, k, -load / all});
    }
}

}  // namespace

Judged judge(const FrictionProblem& problem, const Trial& trial, const Balanced& balanced) {
    Judged judged = StickingShare(problem, trial, balanced).run();
    find_row_flaws(problem, trial, balanced, judged);
    find_slip_flaws(problem, trial, balanced, judged);
    return judged;
}

}  // namespace lacon::solving::contact
