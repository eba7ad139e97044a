// Runs a case in a process of its own, with limits on time and memory.
#pragma once

#include "hunt/case.hpp"

namespace hunt {

/// check() in a process of its own: a crash is a failure and not the end of the hunt, and what
/// takes more than `seconds` of CPU time is ended and counts as refused.
Verdict check_isolated(const Case& one, unsigned seconds = 60);

}  // namespace hunt
