// Contacts come to rest: the nearest velocities, in the metric of M, at which some gaps neither
// grow nor shrink. The impulses that do this may pull: they stand for what gravity takes from the
// small bounces that are left out. Friction that slides takes its part of them with their sign, as
// over all these bounces it is −μ d times the sum of the impulses and loads.
#include <algorithm>
#include <cmath>

#include "contact/contacts.hpp"
#include "contact/vectors.hpp"

namespace lacon::inline contact {

/// Rows that end at rest (A x = b), rows that may open (N x ≥ d), and the frictions that slide on
/// rows of the first kind.
struct Contacts::Rest {
    std::vector<const double*> held, free;
    std::vector<double> b, d;
    struct Rub {
        std::size_t row;              // in `held`
        std::vector<double> impulse;  // over the coordinates (n), for an impulse 1 of the row
    };
    std::vector<Rub> rubs;

    /// The impulses of the rows that rub, with the friction of all of them; empty where there are
    /// none. `solved`: the solution with this friction; `first`: that without.
    using Solved = std::function<ContactSolution(const std::vector<double>& loads)>;
    std::vector<double> loads(const ContactSolution& first, const Solved& solved,
                              const SolveOptions& options) const;
};

namespace {

Matrix matrix_of(const std::vector<const double*>& rows, std::size_t n) {
    Matrix result(rows.size(), n);
    for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(rows[i], n, result.row(i).begin());
    return result;
}

/// The right side at which a row with this rate comes to rest.
double stopped(std::span<const double> row, const std::vector<double>& v, double rate) {
    return dot(row, v) - rate;
}

/// x of x = p0 + B x, from p0 and the columns of B. Empty where there is none.
std::vector<double> fixed_point(const std::vector<double>& p0, const Matrix& columns,
                                const SolveOptions& options) {
    const std::size_t k = p0.size();
    Matrix one(k, k), rows(k, k);
    const std::vector<double> zero(k, 0.0);
    for (std::size_t i = 0; i < k; ++i) {
        one(i, i) = 1.0;
        for (std::size_t j = 0; j < k; ++j) rows(i, j) = (i == j) - columns(j, i);
    }
    const ConstrainedSolution solution = solve(ConstrainedProblem{one, zero, rows, p0}, options);
    return solution.outcome == Outcome::ok ? solution.acceleration : std::vector<double>();
}

}  // namespace

Contacts::Impact Contacts::settle(const State& state, const std::vector<bool>& closed,
                                  const std::vector<bool>& resting) {
    // What sticks goes on to: without friction the others would start it, with speeds that are
    // below all tolerances and directions that are chance.
    const double rounding = rate_tol * velocity_scale(state);
    Impact stuck = settle_once(
        state, closed, resting, [&](std::size_t, double speed) { return speed <= rounding; }, true);
    return stuck.status
               ? stuck
               : settle_once(state, closed, resting, [](std::size_t, double) { return false; });
}

Contacts::Impact Contacts::rest(const State& state, const std::vector<bool>& closed, double slow) {
    return settle_once(state, closed, closed,
                       [&](std::size_t, double speed) { return speed <= slow; });
}

Contacts::Impact Contacts::rest(const State& state, const std::vector<bool>& closed,
                                const std::vector<bool>& frictions) {
    return settle_once(state, closed, closed,
                       [&](std::size_t friction, double) { return frictions[friction]; });
}

Contacts::Rest Contacts::rows_at_rest(const State& state, const Candidates& set,
                                      const Numbers& numbers, const std::vector<bool>& resting,
                                      const Sticks& sticks) {
    Rest rest;
    const Gaps before = gaps(state);
    for (std::size_t i = 0; i < set.two_sided.size(); ++i) {
        rest.held.push_back(numbers.A.row(i).data());
        rest.b.push_back(dot(numbers.A.row(i), state.v));
    }
    std::vector<std::size_t> place(before.rate.size(), 0);
    for (std::size_t i = 0; i < set.one_sided.size(); ++i) {
        const std::size_t r = set.one_sided[i];
        place[r] = rest.held.size();
        (resting[r] ? rest.held : rest.free).push_back(numbers.N.row(i).data());
        (resting[r] ? rest.b : rest.d)
            .push_back(stopped(numbers.N.row(i), state.v, before.rate[r]));
    }
    for (std::size_t f = 0; f < set.frictions.size(); ++f) {
        const FrictionPart& part = whole_.system.frictions[set.frictions[f]];
        const ContactFriction& friction = numbers.friction[f];
        if (part.side != 0 && !resting[part.rows[0]]) continue;
        const bool holds =
            sticks(set.frictions[f], norm(numbers.slip[f])) && friction.at_rest != 0.0;
        for (std::size_t i = 0; i < friction.w.size() && holds; ++i) {
            rest.held.push_back(friction.W.row(i).data());
            rest.b.push_back(stopped(friction.W.row(i), state.v, numbers.slip[f][i]));
        }
        if (holds || part.side == 0 || friction.direction.empty() || friction.kinetic == 0.0)
            continue;
        Rest::Rub rub{place[part.rows[0]], std::vector<double>(state.v.size(), 0.0)};
        for (std::size_t i = 0; i < friction.w.size(); ++i)
            for (std::size_t j = 0; j < state.v.size(); ++j)
                rub.impulse[j] -=
                    friction.kinetic * friction.scale * friction.direction[i] * friction.W(i, j);
        rest.rubs.push_back(std::move(rub));
    }
    return rest;
}

/// The impulses p depend on the friction by p = p0 + B p; each column of B is found by a solve.
std::vector<double> Contacts::Rest::loads(const ContactSolution& first, const Solved& solved,
                                          const SolveOptions& options) const {
    const auto impulses = [&](const ContactSolution& solution) {
        std::vector<double> p;
        for (const Rub& rub : rubs) p.push_back(solution.multipliers[rub.row]);
        return p;
    };
    const std::vector<double> p0 = impulses(first);
    const double size = largest(p0);  // with loads of this size no other rows come in
    if (!(size > 0.0)) return {};
    Matrix columns(p0.size(), p0.size());
    for (std::size_t k = 0; k < p0.size(); ++k) {
        std::vector<double> one(p0.size(), 0.0);
        one[k] = size;
        const ContactSolution response = solved(one);
        if (response.outcome != Outcome::ok) return {};
        const std::vector<double> p = impulses(response);
        for (std::size_t i = 0; i < p.size(); ++i) columns(k, i) = (p[i] - p0[i]) / size;
    }
    return fixed_point(p0, columns, options);
}

/// `rubs`: with the friction of what slides.
Contacts::Impact Contacts::settle_once(const State& state, const std::vector<bool>& closed,
                                       const std::vector<bool>& resting, const Sticks& sticks,
                                       bool rubs) {
    Impact impact;
    Candidates& set = candidates(closed);
    Numbers numbers;
    if (!fill(set, state, numbers)) {
        impact.status = {Outcome::undefined, "a value is not a finite number", {}};
        return impact;
    }
    const std::size_t n = state.v.size();
    const Rest rest = rows_at_rest(state, set, numbers, resting, sticks);
    const Matrix A = matrix_of(rest.held, n), N = matrix_of(rest.free, n);
    std::vector<double> momentum(n);
    for (std::size_t i = 0; i < n; ++i) momentum[i] = dot(numbers.equations.M.row(i), state.v);
    const auto solved = [&](const std::vector<double>& loads) {
        std::vector<double> sum = momentum;
        for (std::size_t k = 0; k < loads.size(); ++k)
            for (std::size_t j = 0; j < n; ++j) sum[j] += loads[k] * rest.rubs[k].impulse[j];
        return solve(ContactProblem{numbers.equations.M, sum, A, rest.b, N, rest.d},
                     {options_, nullptr});
    };
    ContactSolution solution = solved({});
    if (rubs && solution.outcome == Outcome::ok)
        if (const std::vector<double> loads = rest.loads(solution, solved, options_);
            !loads.empty())
            if (ContactSolution rubbed = solved(loads); rubbed.outcome == Outcome::ok)
                solution = std::move(rubbed);
    impact.status = {
        solution.outcome, solution.outcome == Outcome::ok ? "" : "the contacts do not settle", {}};
    impact.velocity = solution.x;
    if (!impact.status) return impact;
    const Gaps before = gaps(state);
    double lost = 0.5 * dot(momentum, state.v), fastest = 0.0;
    for (std::size_t i = 0; i < n; ++i)
        lost -= 0.5 * dot(numbers.equations.M.row(i), solution.x) * solution.x[i];
    for (std::size_t r = 0; r < closed.size(); ++r)
        if (resting[r] && std::abs(before.rate[r]) > fastest) {
            fastest = std::abs(before.rate[r]);
            impact.lost = {{whole_.constraint_names[r], lost}};
        }
    return impact;
}

}  // namespace lacon::contact
