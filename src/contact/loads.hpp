#pragma once

#include "mechanics/assemble.hpp"
#include "solve/constrained_factor.hpp"

namespace lacon {

/// Forces of constraints that depend on the constraints' own forces (theory 4.5): M x = Q + Aᵀλ + c(λ), A x = b. Where c changes
/// the loads that it depends on, this is a nonlinear system; it is solved by Newton's method in the multipliers concerned.
class Loads {
public:
    explicit Loads(const System& system);

    bool is_empty() const { return rows_.empty(); }
    const std::vector<std::size_t>& rows() const { return rows_; }  ///< whose multipliers c depends on

    struct Answer {
        Outcome outcome = Outcome::ok;  // or no_force: none was found; undefined
        std::vector<double> x, multipliers, c;
        double orientation = 1.0;  // det(1 − ∂λ/∂λ): not positive beyond Painlevé's threshold, where there are none or several
    };
    /// Begins at `multipliers` (m), those of a state near by, or where there are none at those without c.
    Answer solve(Assembler& assembler, const State& state, const Equations& equations, const ConstrainedFactor& factor,
                 std::span<const double> multipliers = {}) const;
    /// All answers that are found from the loads with every combination of signs (of up to six rows), `fixed` rows aside, which
    /// keep theirs: two or more, or none, where the law of friction does not say what happens.
    std::vector<Answer> all(Assembler& assembler, const State& state, const Equations& equations, const ConstrainedFactor& factor,
                            std::span<const int> fixed) const;

private:
    std::vector<std::size_t> rows_;
};

}  // namespace lacon
