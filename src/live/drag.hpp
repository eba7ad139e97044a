// The start state, pulled by a point of the picture.
#pragma once

#include "live/live_run.hpp"

namespace lacon::inline live {

/// The start values with which a point is as near to where it is pulled as the constraints let it
/// be, found from the start with `values`. All are guesses. Throws LiveError where there is no such
/// point, where the start state itself cannot be found, and Interrupted.
std::vector<LiveRequest::StartValue> dragged(
    const DerivedModel& details, const std::vector<LiveRequest::StartValue>& values,
    const Drag& drag, const OnProgress& progress = [](double) { return true; });

}  // namespace lacon::live
