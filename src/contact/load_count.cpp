// Looks at the sign of det J, J = 1 − ∂λ(c)/∂λ, with signs of the loads flipped. Beyond three rows
// only some combinations are tried, so a single answer is then likely but not proven.
#include "contact/load_count.hpp"

#include "contact/modes.hpp"
#include "solve/dense/matrix/square.hpp"

namespace lacon::inline contact {

std::vector<int> fixed_signs(const DerivedModel& details) {
    std::vector<int> fixed(details.system.row_count(), 0);
    if (!details.whole) return fixed;
    for (std::size_t i = 0; i < fixed.size(); ++i)
        if (details.rows[i] < details.model.constraints.size())
            fixed[i] = side_of(details.model.constraints[details.rows[i]]);
    return fixed;
}

bool may_have_others(const Loads& loads, Assembler& assembler, const State& state,
                     const ConstrainedFactor& factor, std::span<const int> fixed,
                     const Loads::Answer& answer) {
    const std::vector<std::size_t>& rows = loads.rows();
    const std::size_t k = rows.size(), n = answer.x.size(), m = answer.multipliers.size();
    std::vector<std::size_t> free;
    for (const std::size_t row : rows)
        if (fixed[row] == 0) free.push_back(row);
    std::vector<double> rate, x(n), lambda(m), off(k, 0.0);
    const std::vector<double> no_right(m, 0.0);
    const auto is_positive = [&](const std::vector<double>& at) {
        Matrix J(k, k);
        for (std::size_t j = 0; j < k; ++j) {
            assembler.nonideal_rate(state, at, rows[j], rate);
            factor.solve(rate, no_right, x, lambda);
            for (std::size_t i = 0; i < k; ++i) J(i, j) = (i == j ? 1.0 : 0.0) - lambda[rows[i]];
        }
        return solve_square(J, off).determinant > 0.0;
    };
    const auto flipped = [&](auto&& is_turned) {
        std::vector<double> at = answer.multipliers;
        for (std::size_t i = 0; i < free.size(); ++i)
            if (is_turned(i)) at[free[i]] = -at[free[i]];
        return at;
    };
    constexpr std::size_t few = 3;
    if (free.size() <= few) {
        for (std::size_t signs = 1; signs < std::size_t{1} << free.size(); ++signs)
            if (!is_positive(flipped([&](std::size_t i) { return (signs >> i) & 1u; })))
                return true;
        return false;
    }
    for (std::size_t one = 0; one < free.size(); ++one)
        if (!is_positive(flipped([&](std::size_t i) { return i == one; }))) return true;
    return !is_positive(flipped([](std::size_t) { return true; }));
}

}  // namespace lacon::contact
