// What each load adds to all loads is solved for with one factorization. The answer is checked with
// the forces at the loads that were found, as the interpreter ends its iteration
// (contact/loads.cpp).
#include "code/load_code.hpp"

#include <stdexcept>

#include "contact/load_count.hpp"
#include "mechanics/numbers/load_rows.hpp"

namespace lacon::inline code {

using kernel::Value;

namespace {

using Vector = std::vector<Value>;

/// Whether every part goes with the load of one row.
bool is_of_single_loads(const System& system) {
    for (const NonidealElement& part : system.nonideal) {
        if (part.in_force) continue;
        if (part.friction < 0) return false;
        const FrictionPart& friction = system.frictions[static_cast<std::size_t>(part.friction)];
        if (friction.fixed || friction.rows.size() != 1) return false;
    }
    return true;
}

class LoadSolve {
public:
    LoadSolve(const DerivedModel& details, ModelCode& model, const StateValues& state)
        : model_(model),
          state_(state),
          rows_(load_rows(details.system)),
          problem_(model.problem(state)),
          factored_(model.factored(problem_)) {
        constexpr std::size_t most = 8, most_two_sided = 3;  // as load_count.cpp
        const std::vector<int> sides = fixed_signs(details);
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (sides[rows_[i]] == 0) two_sided_.push_back(i);
        if (!is_of_single_loads(details.system) || rows_.size() > most ||
            two_sided_.size() > most_two_sided)
            throw std::runtime_error("forces depend on constraint loads");
    }

    kernel::Solved run() {
        const Vector without = factored_.solve(problem_.Q, problem_.b).lambda;
        signs_.assign(rows_.size(), Value(1.0));
        for (const std::size_t i : two_sided_)
            signs_[i] = choose(when_less(without[rows_[i]], 0.0), -1.0, 1.0);
        find_gains();
        Vector right;
        for (const std::size_t row : rows_) right.push_back(without[row]);
        // Below it the answer is about to be lost. Not critical: the careful path tells.
        constexpr double clear = 1e-3;
        const Vector loads = eliminated(signs_, right, clear);
        check_others();
        kernel::Solved solved = solve_at(loads);
        check(solved.lambda, loads);
        solved.fine = when_both(solved.fine, fine_);
        return solved;
    }

private:
    /// ∂λ of the loads by each of them, with the sign of a two-sided one: gains_[k][i].
    void find_gains() {
        const Vector nothing(problem_.m);
        for (std::size_t k = 0; k < rows_.size(); ++k) {
            Vector unit(problem_.m);
            unit[rows_[k]] = 1.0;
            const Vector lambda =
                factored_.solve_unchecked(model_.loaded_forces(state_, unit), nothing).lambda;
            gains_.emplace_back();
            for (const std::size_t row : rows_) gains_.back().push_back(lambda[row]);
        }
    }
    /// Solves (1 − gains) x = right; not fine where a pivot is below `least`.
    Vector eliminated(const Vector& signs, Vector right, double least) {
        const std::size_t k = rows_.size();
        Vector J(k * k);
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; j < k; ++j)
                J[i * k + j] = Value(i == j ? 1.0 : 0.0) - gains_[j][i] * signs[j];
        for (std::size_t p = 0; p < k; ++p) {
            fine_ = when_both(fine_, when_less(least, J[p * k + p]));
            for (std::size_t i = p + 1; i < k; ++i) {
                const Value factor = J[i * k + p] / J[p * k + p];
                for (std::size_t j = p; j < k; ++j) J[i * k + j] -= factor * J[p * k + j];
                right[i] -= factor * right[p];
            }
        }
        for (std::size_t p = k; p-- > 0;) {
            for (std::size_t j = p + 1; j < k; ++j) right[p] -= J[p * k + j] * right[j];
            right[p] = right[p] / J[p * k + p];
        }
        return right;
    }
    /// With other signs of two-sided loads the determinant is positive too: then there is no other
    /// answer (as may_have_others).
    void check_others() {
        for (std::size_t flipped = 1; flipped < std::size_t{1} << two_sided_.size(); ++flipped) {
            Vector signs = signs_;
            for (std::size_t i = 0; i < two_sided_.size(); ++i)
                if ((flipped >> i) & 1u) signs[two_sided_[i]] = -signs[two_sided_[i]];
            eliminated(signs, Vector(rows_.size()), 0.0);
        }
    }
    kernel::Solved solve_at(const Vector& loads) {
        Vector multipliers(problem_.m), force = problem_.Q;
        for (std::size_t i = 0; i < rows_.size(); ++i) multipliers[rows_[i]] = loads[i];
        const Vector c = model_.loaded_forces(state_, multipliers);
        for (std::size_t i = 0; i < force.size(); ++i) force[i] += c[i];
        return factored_.solve(force, problem_.b);
    }
    void check(const Vector& multipliers, const Vector& loads) {
        constexpr double met = 1e-11;  // of the largest, as Loads::solve
        Value largest;
        for (const Value& one : multipliers) largest = max(largest, abs(one));
        for (std::size_t i = 0; i < rows_.size(); ++i)
            fine_ = when_both(fine_, when_less_equal(abs(multipliers[rows_[i]] - loads[i]),
                                                     Value(met) * largest));
    }

    ModelCode& model_;
    const StateValues& state_;
    const std::vector<std::size_t> rows_;
    std::vector<std::size_t> two_sided_;  // of rows_
    const kernel::Problem problem_;
    const kernel::Factored factored_;
    Vector signs_;
    std::vector<Vector> gains_;
    Value fine_ = 1.0;
};

}  // namespace

kernel::Solved solve_with_loads(const DerivedModel& details, ModelCode& model,
                                const StateValues& state) {
    return LoadSolve(details, model, state).run();
}

}  // namespace lacon::code
