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
        {"passage", "parallelograms through their flat positions", passage_case, 3},
        {"near_miss", "four-bars that almost have a flat position", near_miss_case, 2},
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
