// Code for the functions that are watched along a motion: decision surfaces and events.
#pragma once

#include "code/acceleration_code.hpp"
#include "state/observables.hpp"

namespace lacon::inline code {

/// What is watched along a motion as code: KernelInputs in; out the value of every surface of a
/// decision and of every event, each with a bound on its rounding error, and `fine` (1 or 0) last.
/// Throws std::runtime_error as row_code does.
kernel::Code watch_code(const DerivedModel& details, const SmoothSystem& smooth,
                        const CodeOptions& options, const Observables& events);

}  // namespace lacon::code
