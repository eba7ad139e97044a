// Tests whether forces that depend on loads may have more than one solution (theory 4.5, Painlevé).
#pragma once

#include "contact/loads.hpp"

namespace lacon::inline contact {

/// Whether other loads may satisfy the laws beside those of `answer`. Loads |λ| make λ ↦ λ −
/// λ(c(λ)) linear for each combination of signs. Where all these have a positive determinant there
/// is one answer; looked at are all signs of up to three rows, of more each sign alone and all at
/// once. `fixed` rows keep theirs.
bool may_have_others(const Loads& loads, Assembler& assembler, const State& state,
                     const ConstrainedFactor& factor, std::span<const int> fixed,
                     const Loads::Answer& answer);

/// The sides of the rows of a mode: 1 and −1 of one-sided ones, else 0.
std::vector<int> fixed_signs(const DerivedModel& details);

}  // namespace lacon::contact
