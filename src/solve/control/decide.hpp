// Decides which efforts are at their limits and which requirements bind.
#pragma once

#include "solve/control/reach.hpp"

namespace lacon::solving::inline control {

struct Decision {
    bool converged = true;
    bool limits_forbid = false;  // something is missed, and nothing would be without the limits
    ControlSet set;
};

/// The set of the best efforts: first least |T_E u − r_E|² + |(r_I − T_I u)₊|² over the limits (E
/// the equations, I the one-sided rows), then least cost among those, then the shortest u.
Decision decide_set(const Reach& reach, const SolveOptions& options);

}  // namespace lacon::solving::control
