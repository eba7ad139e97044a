// The table of all kinds of cases.
#include "hunt/kinds.hpp"

#include <string_view>

#include "hunt/generate.hpp"

namespace hunt {

const std::vector<CaseKind>& all_kinds() {
    static const std::vector<CaseKind> kinds{
        {"state", "M, Q, A, b and q'' of smooth models at any state", state_case, 40},
        {"redundant", "constraints said once more in other words", redundant_case, 40},
        {"semidefinite", "coordinates without mass that constraints hold", semidefinite_case, 40},
        {"light", "coordinates almost without mass that constraints hold", light_case, 2},
        {"weak", "constraints that almost say the same", weak_case, 30},
        {"start", "guesses away from a state that meets the constraints", start_case, 40},
        {"motion", "smooth motions by all methods", motion_case, 6},
        {"constrained", "motions with constraints at all levels", constrained_case, 6},
        {"reversed", "motions there and back again", reversed_case, 4},
        {"units", "motions in other units of length, time and energy", units_case, 4},
        {"switching", "forces with if, abs, min and max of the state", switching_case, 4},
        {"walls", "impacts between walls", walls_case, 4},
        {"events", "times of events", events_case, 4},
        {"wrapped", "events of wrapped angles, which jump", wrapped_case, 2},
        {"pulse", "a narrow bell in time, as force, potential or drive", pulse_case, 2},
        {"window", "a force in a narrow window of time", window_case, 3},
        {"kicks", "periodic kicks", kicks_case, 2},
        {"ramp", "steep tanh in time or on the path", ramp_case, 3},
        {"barrier", "a narrow barrier or well on the path", barrier_case, 2},
        {"signal", "a measured signal with a bump in time", signal_case, 3},
        {"road", "a measured profile with a bump on the path", road_case, 3},
        {"thin_wall", "a thin one-sided obstacle on the path", thin_wall_case, 2},
        {"chain", "pendulum chains: Cartesian coordinates against angles", chain_case, 4},
        {"family", "families of springs and ties, dense and sparse", family_case, 4},
        {"passage", "parallelograms through their flat positions", crossing_case, 3},
        {"near_miss", "four-bars that almost have a flat position", near_miss_case, 2},
        {"contact_state", "contacts without friction at a state, all modes tried",
         contact_state_case, 40},
        {"friction_state", "contacts with friction at a state, all modes tried",
         friction_state_case, 40},
        {"jammed", "bodies held between rough walls, all modes tried", jammed_case, 20},
        {"paradox", "friction that presses its own contact", paradox_case, 12},
        {"guide_state", "friction at equations, from both sides", guide_state_case, 20},
        {"pulled", "a block pulled ever harder: onset of slipping", pulled_case, 5},
        {"belt", "a block on a belt: stick and slip", belt_case, 4},
        {"dry", "masses on springs, with dry friction of fixed bounds", dry_case, 4},
        {"stack", "two blocks on each other, pushed", stack_case, 4},
        {"wire", "a bead on a rough wire", wire_case, 4},
        {"bounce", "balls that bounce on a floor and on each other", bounce_case, 3},
        {"falling", "a rod that falls with its end on a rough floor", falling_case, 3},
        {"tumble", "a body that falls on its corners", tumble_case, 2},
        {"kink", "a particle over the kink of a ramp", kink_case, 4},
        {"hills", "a particle that slides and flies over hills", hills_case, 4},
        {"grazing", "a particle that just touches an obstacle, or just not", grazing_case, 4},
        {"control", "requirements met with least cost, errors by their gains", control_case, 10},
        {"keep_away", "one-sided requirements", keep_away_case, 10},
        {"saturation", "efforts with limits", saturation_case, 8},
    };
    return kinds;
}

Case make_case(const CaseKind& kind, std::uint64_t seed, std::uint64_t number) {
    std::uint64_t mixed = 0xcbf29ce484222325U;  // FNV-1a over the name, the seed and the number
    const auto mix = [&](std::uint64_t value) { mixed = (mixed ^ value) * 0x100000001b3U; };
    for (const char letter : std::string_view(kind.name)) mix(static_cast<unsigned char>(letter));
    mix(seed);
    mix(number);
    Dice dice(mixed);
    Case one = kind.make(dice);
    one.kind = kind.name;
    one.seed = mixed;
    return one;
}

}  // namespace hunt
