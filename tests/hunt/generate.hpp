// The generators of random models, one for each kind of case.
#pragma once

#include "hunt/case.hpp"

/// Makers of random cases, one for each kind of the hunt.
namespace hunt {

/// What a smooth random model may contain.
struct Wishes {
    int coordinates = 3;
    int constraints = 0;
    bool time = false;         // explicit time in forces and constraints
    bool dissipation = false;  // and forces that depend on velocities
    bool velocity_rows = false, acceleration_rows = false;
};
Model smooth_model(Dice& dice, const Wishes& wishes);
Term random_function(Dice& dice, const Term& x);   ///< smooth and of moderate size
Plan random_plan(Dice& dice, const Model& model);  ///< any method, order of statements, units, …

Case state_case(Dice& dice);
Case redundant_case(Dice& dice);
Case semidefinite_case(Dice& dice);
Case light_case(Dice& dice);
Case weak_case(Dice& dice);

Case start_case(Dice& dice);

Case motion_case(Dice& dice);
Case constrained_case(Dice& dice);
Case reversed_case(Dice& dice);
Case units_case(Dice& dice);
Case switching_case(Dice& dice);
Case walls_case(Dice& dice);
Case events_case(Dice& dice);
Case wrapped_case(Dice& dice);

Case pulse_case(Dice& dice);
Case window_case(Dice& dice);
Case kicks_case(Dice& dice);
Case barrier_case(Dice& dice);
Case ramp_case(Dice& dice);
Case signal_case(Dice& dice);
Case road_case(Dice& dice);
Case thin_wall_case(Dice& dice);

Case chain_case(Dice& dice);
Case family_case(Dice& dice);
Case crossing_case(Dice& dice);
Case near_miss_case(Dice& dice);

Case contact_state_case(Dice& dice);
Case friction_state_case(Dice& dice);
Case jammed_case(Dice& dice);
Case paradox_case(Dice& dice);
Case guide_state_case(Dice& dice);

Case pulled_case(Dice& dice);
Case belt_case(Dice& dice);
Case dry_case(Dice& dice);
Case stack_case(Dice& dice);
Case wire_case(Dice& dice);
Case bounce_case(Dice& dice);
Case falling_case(Dice& dice);
Case tumble_case(Dice& dice);
Case kink_case(Dice& dice);
Case hills_case(Dice& dice);
Case grazing_case(Dice& dice);

Case control_case(Dice& dice);
Case keep_away_case(Dice& dice);
Case saturation_case(Dice& dice);

}  // namespace hunt
