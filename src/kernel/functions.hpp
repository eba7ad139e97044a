// The table of elementary functions (exp, tan, pow, …) that compiled code calls.
#pragma once

#include "kernel/target.hpp"

namespace lacon::kernel {

/// The functions that compiled code calls: entry 4 f + log₂ w is Function f over w doubles at once.
/// Those of one instruction set give the same bits at every width.
const void* const* functions_of(Isa isa);

}  // namespace lacon::kernel
