// Efforts of controls by trial of all sets that may bind.
#pragma once

#include "hunt/equations.hpp"

/// Efforts of least cost as the oracle sees them:
///
///     M q'' = Q + Aᵀ λ + F u,  A q'' = b;   least uᵀ N u under C q'' = d (one-sided rows: ≥),  |u|
///                                           ≤ limits
///
/// by trial: each one-sided row binds or not, each limited effort is free, low or high.
namespace hunt {

class ControlEquations {
public:
    explicit ControlEquations(const Model& model);
    void evaluate(const Point& at);

    struct Answer {
        std::string why;  // no answer; empty where there is one
        Reals u, a;       // efforts of the actuators (of the coordinates where none is named), q''
        double weakest = 1.0;
    };
    Answer answer() const;
    Real error(std::size_t control) const { return wish_.residual(control); }   // φ
    Real error_rate(std::size_t control) const { return wish_.rate(control); }  // φ'
    const Equations& plant() const { return plant_; }
    std::size_t actuators() const { return count_; }

private:
    Real column(std::size_t actuator, std::size_t i) const;
    struct Problem {
        std::vector<Reals> response;  // what efforts of 1 do to the accelerations
        Reals free;                   // accelerations without effort
        Square N;                     // cost
        std::vector<Reals> G;         // C R, a row for each control
        Reals right;                  // d − C a
    };
    Problem problem() const;
    Answer least_cost(const Problem& problem) const;
    Answer within_limits(const Problem& problem) const;
    Answer finished(const Problem& problem, const Reals& u) const;

    const Model& model_;
    std::size_t n_ = 0, count_ = 0;
    Equations plant_, wish_;  // the mechanism; the requirements in place of its constraints
};

}  // namespace hunt
