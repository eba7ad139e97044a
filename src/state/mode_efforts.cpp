// Each mode that the laws of contact try gets a controller of its own, which decides anew; so the
// answer does not depend on earlier trials.
#include "state/mode_efforts.hpp"

#include "control/controller.hpp"

namespace lacon::inline state {

Contacts::EffortsIn efforts_of_controls(const SolveOptions& options) {
    return
        [options](const DerivedModel& mode_model, const State& state, const Equations& equations) {
            Controller controller(mode_model, options);
            Contacts::Efforts efforts;
            const Outcome outcome = controller.run(state, equations, Controller::Deciding::anew);
            if (outcome != Outcome::ok) {
                efforts.status = controller.status(outcome, state);
                return efforts;
            }
            efforts.force = controller.force();
            if (!controller.solution()) return efforts;
            efforts.price.cost = controller.solution()->cost;
            efforts.acceleration = controller.solution()->acceleration;
            for (const double missed : controller.solution()->missed)
                efforts.price.missed += missed * missed;
            return efforts;
        };
}

}  // namespace lacon::state
