// Start states, as written in the model and as corrected to meet the constraints.
#pragma once

#include <optional>

#include "mechanics/system/derived_model.hpp"

namespace lacon::inline state {

/// A value of the start state from outside (`--start`), on top of the model's.
struct StartOverride {
    std::size_t coordinate = 0;
    bool velocity = false;
    bool guess = false;
    double value = 0.0;
};

/// The start values as they are written: a state, and which of its values hold.
struct StatedStart {
    State state;
    std::vector<bool> fixed_q, fixed_v;
};
StatedStart stated(const DerivedModel& details, const std::vector<StartOverride>& overrides,
                   std::optional<double> begin = {});

/// Finds the start state: positions first, then velocities, each nearest to its guesses in the
/// M-metric; values given with `=` hold. Constraints entered with `stabilize` are met where the
/// guesses allow it, and are otherwise left to enter by themselves. `begin` is the time of the
/// start where it is not that of `simulate`.
Start consistent_start(const DerivedModel& details, const std::vector<StartOverride>& overrides,
                       const SolveOptions& options, std::optional<double> begin = {});

/// Moves every value that is not zero by a unit in its last place, up or down by turns that have no
/// pattern: as far as the start is known at all.
void move_last_places(State& state);
/// A beginning as much later as the times of a run are known to some units in the last place. The
/// start state is found for the beginning itself: values that are held meet the constraints there.
double later_by_last_places(double begin, double end);

/// Fills Start::moved: what differs from the guesses by more than rounding.
void note_moves(const DerivedModel& details, const State& guessed, Start& start);

/// The model's start values as they are written, without any correction.
State stated_start(const DerivedModel& details, const std::vector<StartOverride>& overrides = {});

}  // namespace lacon::state
