// Newton's method starts from loads of every sign and from very large ones, because the law may
// have several answers and all of them are wanted.
#include "contact/loaded_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "contact/loads.hpp"
#include "contact/vectors.hpp"
#include "solve/dense/matrix/square.hpp"

namespace lacon::inline contact {

namespace {

// Of the largest load: two answers of an iteration to load_rounding that agree to this are one.
constexpr double same = 1e-8;

}  // namespace

/// J = 1 − ∂F/∂λ over the rows.
bool LoadedContacts::slopes(const std::vector<double>& at, const std::vector<double>& value,
                            Matrix& J) const {
    const double scale = std::max(largest(at), largest(value));
    for (std::size_t j = 0; j < rows.size(); ++j) {
        std::vector<double> beside = at;
        // 1e-6: a difference right to 1e-6 of the slope, and to 1e-10 by rounding. Newton corrects
        // both.
        const double step = std::copysign(1e-6 * scale, at[rows[j]]);
        beside[rows[j]] += step;
        const ContactSolution solution = solve(beside);
        if (solution.outcome != Outcome::ok) return false;
        const std::vector<double> moved = multipliers(solution);
        for (std::size_t i = 0; i < rows.size(); ++i)
            J(i, j) = (i == j ? 1.0 : 0.0) - (moved[rows[i]] - value[rows[i]]) / step;
    }
    return true;
}

std::optional<LoadedContacts::Answer> LoadedContacts::from(std::vector<double> guess) const {
    double before = INFINITY;
    for (int round = 0; round < most_load_rounds; ++round) {
        ContactSolution solution = solve(guess);
        if (solution.outcome != Outcome::ok) return std::nullopt;
        const std::vector<double> value = multipliers(solution);
        std::vector<double> off;
        for (const std::size_t row : rows) off.push_back(value[row] - guess[row]);
        const double error = largest(off), scale = largest(value);
        if (!std::isfinite(scale)) return std::nullopt;
        // 1e-11: with loads that nearly cancel, rounding ends the iteration there.
        if (error <= load_rounding * scale || (error <= 1e-11 * scale && error >= 0.5 * before))
            return Answer{solution, value};
        before = error;
        Matrix J(rows.size(), rows.size());
        if (!slopes(guess, value, J)) {
            guess = value;
            continue;
        }
        const SquareSolution step = solve_square(J, off);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            double& load = guess[rows[i]];
            load += step.x[i];
            if (!std::isfinite(load)) return std::nullopt;
            if (side[i] * load < 0.0) load = 0.0;
        }
    }
    return std::nullopt;
}

/// Loads of the given size with every sign, and what the contacts answer to much larger ones.
std::vector<std::vector<double>> LoadedContacts::starts(const std::vector<double>& size) const {
    constexpr std::size_t most_rows = 6;
    std::vector<std::size_t> free;
    std::vector<double> all = size;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (side[i] == 0 && free.size() < most_rows) free.push_back(rows[i]);
        // 1e-3: rows without load get a small one, so that every sign is tried.
        all[rows[i]] = std::max(std::abs(size[rows[i]]), 1e-3 * std::max(largest(size), 1e-3)) *
                       (side[i] < 0 ? -1.0 : 1.0);
    }
    std::vector<std::vector<double>> guesses;
    for (std::size_t signs = 0; signs < (std::size_t{1} << free.size()); ++signs) {
        std::vector<double> guess = all;
        for (std::size_t i = 0; i < free.size(); ++i)
            if ((signs >> i) & 1u) guess[free[i]] = -guess[free[i]];
        guesses.push_back(guess);
        for (double& load : guess) load *= far_loads;
        if (const ContactSolution far = solve(guess); far.outcome == Outcome::ok)
            guesses.push_back(multipliers(far));
    }
    return guesses;
}

std::vector<LoadedContacts::Answer> LoadedContacts::all(ContactSolution& without) const {
    std::vector<Answer> found;
    const auto take = [&](std::optional<Answer> answer) {
        if (!answer) return;
        for (const Answer& known : found) {
            double apart = 0.0;
            for (const std::size_t row : rows)
                apart =
                    std::max(apart, std::abs(known.multipliers[row] - answer->multipliers[row]));
            if (apart <= same * std::max(largest(answer->multipliers), largest(known.multipliers)))
                return;
        }
        found.push_back(std::move(*answer));
    };
    if (without.outcome != Outcome::ok) return found;
    std::vector<double> size = multipliers(without);
    take(from(size));
    if (!found.empty()) size = found[0].multipliers;
    for (std::vector<double>& guess : starts(size)) take(from(std::move(guess)));
    return found;
}

}  // namespace lacon::contact
