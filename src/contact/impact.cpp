// Impacts (Newton's law of restitution in the metric of M): the velocities after are the nearest
// ones that keep the two-sided constraints and make every closed gap grow at least as fast as
// restitution asks, with impulses that only push; friction takes part by Coulomb's law for
// impulses. Dry friction with a fixed bound has no impulse.
#include <algorithm>
#include <cmath>

#include "contact/contacts.hpp"
#include "contact/vectors.hpp"
#include "solve/contact/separate.hpp"

namespace lacon::inline contact {

namespace {

/// From a problem of accelerations to one of velocities: `rate` is that of the row before the
/// impact, `wanted` after.
double right_side(std::span<const double> row, const std::vector<double>& v, double rate,
                  double wanted) {
    return dot(row, v) - rate + wanted;
}

}  // namespace

Contacts::Impact Contacts::collide_once(const State& state, const std::vector<bool>& closed,
                                        const std::vector<bool>& dead) {
    Impact impact;
    Candidates& set = candidates(closed);
    Numbers numbers;
    if (!fill(set, state, numbers)) {
        impact.status = {Outcome::undefined, "a value is not a finite number", {}};
        return impact;
    }
    const std::size_t n = state.v.size();
    const Gaps before = gaps(state);
    const std::vector<double> e = restitution(state);
    const std::vector<std::size_t>& rows = set.mode->details->rows;
    for (std::size_t i = 0; i < set.two_sided.size(); ++i) {
        const auto place = static_cast<std::size_t>(
            std::lower_bound(rows.begin(), rows.end(), set.two_sided[i]) - rows.begin());
        numbers.b[i] =
            right_side(numbers.A.row(i), state.v, numbers.residuals.velocity[place], 0.0);
    }
    for (std::size_t i = 0; i < set.one_sided.size(); ++i) {
        const std::size_t r = set.one_sided[i];
        const double rate = before.rate[r];
        const bool bounces =
            rate < 0.0 && whole_.system.levels[r] == Level::position && (dead.empty() || !dead[r]);
        // What approaches by no more than the rounding of velocities does not strike.
        const bool strikes = rate < -1e-13 * velocity_scale(state);
        const double wanted = bounces ? -e[r] * rate : 0.0;
        numbers.d[i] =
            right_side(numbers.N.row(i), state.v, rate, strikes || rate >= 0.0 ? wanted : rate);
    }
    // A force that is bounded has no impulse. These frictions come last.
    while (!numbers.friction.empty() && numbers.friction.back().fixed) numbers.friction.pop_back();
    for (std::size_t f = 0; f < numbers.friction.size(); ++f) {
        ContactFriction& friction = numbers.friction[f];
        friction.direction.clear();
        for (std::size_t i = 0; i < friction.w.size(); ++i)
            friction.w[i] = right_side(friction.W.row(i), state.v, numbers.slip[f][i], 0.0);
    }
    std::vector<double> momentum(n);
    for (std::size_t i = 0; i < n; ++i) momentum[i] = dot(numbers.equations.M.row(i), state.v);
    const ContactSolution solution =
        solving::solve_impulses({numbers.equations.M, momentum, numbers.A, numbers.b, numbers.N,
                                 numbers.d, numbers.friction, numbers.weight_A, numbers.weight_N},
                                options_);
    impact.status = status_of(set, solution, state);
    if (!impact.status) return impact;
    impact.velocity = solution.x;
    note_losses(set, numbers, solution, state, impact);
    return impact;
}

/// The work of an impulse is its product with the mean of the speeds before and after.
void Contacts::note_losses(const Candidates& set, const Numbers& numbers,
                           const ContactSolution& solution, const State& state, Impact& impact) {
    const Gaps before = gaps(state);
    State after = state;
    after.v = solution.x;
    const Gaps behind = gaps(after);
    std::map<std::string, double> lost;
    for (std::size_t i = 0; i < set.one_sided.size(); ++i) {
        const std::size_t r = set.one_sided[i];
        if (solution.forces[i] == 0.0) continue;
        impact.hit.push_back(r);
        lost[whole_.constraint_names[r]] -=
            0.5 * solution.forces[i] * (before.rate[r] + behind.rate[r]);
    }
    for (std::size_t f = 0; f < numbers.friction.size(); ++f) {
        const ContactFriction& friction = numbers.friction[f];
        double work = 0.0;
        for (std::size_t i = 0; i < friction.w.size(); ++i) {
            const double slip = dot(friction.W.row(i), solution.x) - friction.w[i];
            work += 0.5 * solution.friction[f][i] * (numbers.slip[f][i] + slip);
        }
        if (work != 0.0) lost[whole_.system.frictions[set.frictions[f]].name] -= work;
    }
    impact.lost.assign(lost.begin(), lost.end());
}

Contacts::Impact Contacts::collide(const State& state, const std::vector<bool>& closed, Law law,
                                   const std::vector<bool>& dead) {
    if (law == Law::simultaneous) return collide_once(state, closed, dead);
    // One contact after the other, the fastest approach first, until none approaches.
    constexpr std::size_t most_rounds = 10000;
    State now = state;
    Impact total;
    std::size_t rounds = 0;
    total.velocity = state.v;
    while (true) {
        const Gaps at = gaps(now);
        std::optional<std::size_t> fastest;
        for (std::size_t r = 0; r < closed.size(); ++r)
            if (closed[r] && at.rate[r] < -rate_tol * velocity_scale(state) &&
                (!fastest || at.rate[r] < at.rate[*fastest]))
                fastest = r;
        if (!fastest) return total;
        if (rounds == most_rounds) {
            total.status = {Outcome::no_convergence,
                            "the sequence of impacts does not terminate; try simultaneous impacts",
                            {whole_.constraint_names[*fastest]}};
            return total;
        }
        std::vector<bool> single(closed.size(), false);
        single[*fastest] = true;
        Impact one = collide_once(now, single, dead);
        if (!one.status) return one;
        now.v = one.velocity;
        total.velocity = one.velocity;
        for (const std::size_t r : one.hit)
            if (std::find(total.hit.begin(), total.hit.end(), r) == total.hit.end())
                total.hit.push_back(r);
        total.lost.insert(total.lost.end(), one.lost.begin(), one.lost.end());
        ++rounds;
    }
}

}  // namespace lacon::contact
