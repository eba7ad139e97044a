// The equations of a mode with its controls.
#include "hybrid/controlled_plant.hpp"

#include "solve/dense/constrained/constrained_factor.hpp"

namespace lacon::inline hybrid {

ControlledPlant::ControlledPlant(const DerivedModel& mode, const SolveOptions& options)
    : options_(options),
      assembler_(mode.system, mode.parameters),
      controller_(mode, options),
      loads_(mode.system) {}

bool ControlledPlant::solve(const State& state, Deciding deciding) {
    assembler_.equations(state, equations_);
    return !assembler_.not_finite() && controller_.run(state, equations_, deciding) == Outcome::ok;
}

Evaluation ControlledPlant::evaluation(const State& state) {
    Evaluation at;
    if (!solve(state, Deciding::as_in_force)) return at;
    controller_.cut_at_limits();
    at.M = equations_.M;
    for (std::size_t i = 0; i < equations_.Q.size(); ++i) equations_.Q[i] += controller_.force()[i];
    const std::vector<double> moves = acceleration(state);
    if (!moves.empty()) report_controls(controller_, state, moves, at);
    return at;
}

/// Of the plant under the forces of the last solve; empty where there is none.
std::vector<double> ControlledPlant::acceleration(const State& state) {
    if (loads_.is_empty())
        return lacon::solve({equations_.M, equations_.Q, equations_.A, equations_.b}, options_)
            .acceleration;
    ConstrainedFactor factor;
    if (factor.factor(equations_.M, equations_.A, options_) != Outcome::ok) return {};
    Loads::Answer answer = loads_.solve(assembler_, state, equations_, factor);
    return answer.outcome == Outcome::ok ? std::move(answer.x) : std::vector<double>{};
}

}  // namespace lacon::hybrid
