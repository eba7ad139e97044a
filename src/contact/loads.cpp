// Newton's method in the loads with one factorization of M and A; its slopes are exact. To find
// further answers it starts again from loads of every sign and from very large ones.
#include "contact/loads.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "mechanics/numbers/load_rows.hpp"
#include "solve/dense/matrix/square.hpp"

namespace lacon::inline contact {

namespace {

constexpr int usual_rounds = 4;

bool is_finite(const std::vector<double>& x) {
    return std::all_of(x.begin(), x.end(), [](double xi) { return std::isfinite(xi); });
}

/// The multipliers that Q and b ask for apart. Where they cancel, as at a contact that is about to
/// open, what is left is rounding of these.
double size_of_terms(const Equations& equations, const ConstrainedFactor& factor) {
    const std::size_t n = equations.M.rows(), m = equations.A.rows();
    std::vector<double> x(n), lambda(m);
    factor.solve(equations.Q, std::vector<double>(m, 0.0), x, lambda);
    const double of_forces = largest(lambda);
    factor.solve(std::vector<double>(n, 0.0), equations.b, x, lambda);
    const double size = std::max(of_forces, largest(lambda));
    return std::isfinite(size) ? size : 0.0;
}

}  // namespace

Loads::Loads(const System& system) : rows_(load_rows(system)) {}

Loads::Answer Loads::solve(Assembler& assembler, const State& state, const Equations& equations,
                           const ConstrainedFactor& factor,
                           std::span<const double> multipliers) const {
    const std::size_t n = equations.M.rows(), m = equations.A.rows(), k = rows_.size();
    const ConstrainedFactor::Nearby exact{equations.M, equations.A, m > 0 ? 1 : 0};
    Answer answer{Outcome::ok, std::vector<double>(n), std::vector<double>(m),
                  std::vector<double>(n), 1.0};
    std::vector<double> force(n), guess(multipliers.begin(), multipliers.end()), rate, x(n),
        lambda(m);
    const std::vector<double> no_right(m, 0.0);
    if (guess.empty()) {
        guess.resize(m);
        factor.solve(exact, equations.Q, equations.b, x, guess);
    }
    double before = INFINITY, terms = 0.0;
    // Where forces are proportional to their loads, as those of friction that slides are, the
    // slopes of the first round hold for all.
    Matrix rates, J(k, k);
    for (int round = 0; round < most_load_rounds; ++round) {
        assembler.nonideal(state, guess, answer.c, Assembler::Part::beside_force);
        for (std::size_t i = 0; i < n; ++i) force[i] = equations.Q[i] + answer.c[i];
        factor.solve(exact, force, equations.b, answer.x, answer.multipliers);
        if (!is_finite(answer.multipliers) || !is_finite(answer.x))
            return {Outcome::undefined, {}, {}, {}, 0.0};
        std::vector<double> off(k);
        for (std::size_t i = 0; i < k; ++i) off[i] = guess[rows_[i]] - answer.multipliers[rows_[i]];
        if (round == usual_rounds) terms = size_of_terms(equations, factor);
        const double error = largest(off), scale = std::max(largest(answer.multipliers), terms);
        // 1e-11: with loads that nearly cancel, rounding ends the iteration there.
        const bool met =
            error <= load_rounding * scale || (error <= 1e-11 * scale && error >= 0.5 * before);
        before = error;
        if (k == 0) return answer;
        if (round == 0) rates = Matrix(k, n);
        for (std::size_t j = 0; j < k; ++j) {
            assembler.nonideal_rate(state, guess, rows_[j], rate);
            if (round > 0 && std::equal(rate.begin(), rate.end(), rates.row(j).begin())) continue;
            std::copy(rate.begin(), rate.end(), rates.row(j).begin());
            factor.solve(rate, no_right, x, lambda);
            for (std::size_t i = 0; i < k; ++i) J(i, j) = (i == j ? 1.0 : 0.0) - lambda[rows_[i]];
        }
        const SquareSolution step = solve_square(J, off);
        answer.orientation = step.determinant;
        if (met) return answer;
        if (!is_finite(step.x)) break;
        for (std::size_t i = 0; i < k; ++i) guess[rows_[i]] -= step.x[i];
    }
    answer.outcome = Outcome::no_force;
    return answer;
}

std::vector<Loads::Answer> Loads::all(Assembler& assembler, const State& state,
                                      const Equations& equations, const ConstrainedFactor& factor,
                                      std::span<const int> fixed) const {
    std::vector<Answer> found;
    const auto take = [&](Answer answer) {
        if (answer.outcome != Outcome::ok) return;
        const double scale = largest(answer.multipliers);
        for (const std::size_t row : rows_)
            if (fixed[row] * answer.multipliers[row] < 0.0) return;
        for (const Answer& known : found) {
            double apart = 0.0;
            for (const std::size_t row : rows_)
                apart = std::max(apart, std::abs(known.multipliers[row] - answer.multipliers[row]));
            // As `same` in loaded_contacts.cpp.
            if (apart <= 1e-8 * std::max(scale, largest(known.multipliers))) return;
        }
        found.push_back(std::move(answer));
    };
    Answer first = solve(assembler, state, equations, factor);
    std::vector<double> size(equations.A.rows(), 1.0);
    // 1e-3: rows without load get a small one, so that every sign is tried.
    if (first.outcome == Outcome::ok)
        for (std::size_t r = 0; r < size.size(); ++r)
            size[r] = std::max(std::abs(first.multipliers[r]), 1e-3 * largest(first.multipliers));
    take(std::move(first));
    // The multipliers that answer c of given ones. A load of several rows, √(Σ…), has answers that
    // no sign leads to; from those to loads much larger Newton's method comes down to them.
    const auto image = [&](std::vector<double> guess) {
        const std::size_t n = equations.M.rows(), m = equations.A.rows();
        std::vector<double> c, force(n), x(n), lambda(m);
        for (double& load : guess) load *= far_loads;
        assembler.nonideal(state, guess, c, Assembler::Part::beside_force);
        for (std::size_t i = 0; i < n; ++i) force[i] = equations.Q[i] + c[i];
        factor.solve({equations.M, equations.A, m > 0 ? 1 : 0}, force, equations.b, x, lambda);
        return lambda;
    };
    constexpr std::size_t most_rows = 6;
    std::vector<std::size_t> free;
    for (const std::size_t row : rows_)
        if (fixed[row] == 0 && free.size() < most_rows) free.push_back(row);
    for (std::size_t signs = 0; signs < (std::size_t{1} << free.size()); ++signs) {
        std::vector<double> guess = size;
        for (const std::size_t row : rows_)
            if (fixed[row] < 0) guess[row] = -guess[row];
        for (std::size_t i = 0; i < free.size(); ++i)
            if ((signs >> i) & 1u) guess[free[i]] = -guess[free[i]];
        take(solve(assembler, state, equations, factor, guess));
        if (const std::vector<double> far = image(guess); is_finite(far))
            take(solve(assembler, state, equations, factor, far));
    }
    // Of several, one in which another contact pulls is none. A single one is kept: where it begins
    // to pull is located by it.
    const auto pulls = [&](const Answer& answer) {
        const double rounding = 1e-9 * largest(answer.multipliers);
        for (std::size_t row = 0; row < fixed.size(); ++row)
            if (fixed[row] * answer.multipliers[row] < -rounding) return true;
        return false;
    };
    if (found.size() > 1 && !std::all_of(found.begin(), found.end(), pulls))
        std::erase_if(found, pulls);
    return found;
}

}  // namespace lacon::contact
