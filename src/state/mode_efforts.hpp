// Efforts of controls beside contacts: the one place that knows both.
#pragma once

#include "contact/contacts.hpp"

namespace lacon::inline state {

/// What the laws of contact ask of controls (Contacts::EffortsIn), by a Controller made for the
/// mode.
Contacts::EffortsIn efforts_of_controls(const SolveOptions& options);

}  // namespace lacon::state
