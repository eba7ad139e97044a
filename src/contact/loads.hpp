// Forces that depend on constraint forces, such as Coulomb friction (theory 4.5).
#pragma once

#include "mechanics/numbers/assemble.hpp"
#include "solve/dense/constrained/constrained_factor.hpp"

namespace lacon::inline contact {

/// Where Newton's method in the loads ends: an error of this part of the largest multiplier, some
/// 50 units in its last place; or so many rounds.
inline constexpr double load_rounding = 1e-14;
inline constexpr int most_load_rounds = 40;
/// Beside the loads that are known: from so much larger ones other answers are found.
inline constexpr double far_loads = 1e6;

/// Forces of constraints that depend on the constraints' own forces (theory 4.5): M x = Q + Aᵀλ +
/// c(λ), A x = b. Where c changes the loads that it depends on, this is a nonlinear system; it is
/// solved by Newton's method in the multipliers concerned.
class Loads {
public:
    explicit Loads(const System& system);

    bool is_empty() const { return rows_.empty(); }
    const std::vector<std::size_t>& rows() const {
        return rows_;
    }  ///< whose multipliers c depends on

    struct Answer {
        Outcome outcome = Outcome::ok;  // or no_force: none was found; undefined
        std::vector<double> x, multipliers, c;
        /// det(1 − ∂λ/∂λ): not positive beyond Painlevé's threshold, where there are none or
        /// several.
        double orientation = 1.0;
    };
    /// Begins at `multipliers` (m), those of a state near by, or where there are none at those
    /// without c.
    Answer solve(Assembler& assembler, const State& state, const Equations& equations,
                 const ConstrainedFactor& factor, std::span<const double> multipliers = {}) const;
    /// All answers that are found from the loads with every combination of signs (of up to six
    /// rows), `fixed` rows aside, which keep theirs: two or more, or none, where the law of
    /// friction does not say what happens.
    std::vector<Answer> all(Assembler& assembler, const State& state, const Equations& equations,
                            const ConstrainedFactor& factor, std::span<const int> fixed) const;

private:
    std::vector<std::size_t> rows_;
};

}  // namespace lacon::contact
