#pragma once

#include "mechanics/details.hpp"

/// What an outcome means, in the user's names.
namespace lacon {

Status status_of(const SystemDetails& details, const ConstrainedSolution& solution);
/// A refusal where the dense solve would take hours or more memory than there is; ok below its limits.
Status size_status(const SystemDetails& details);
Status undefined_status(const SystemDetails& details, std::uint32_t origin, const State& state);

/// The names of constraint rows, and of those of a dependent set.
std::vector<std::string> names_of(const SystemDetails& details, const std::vector<std::size_t>& rows);
std::vector<std::string> names_of(const SystemDetails& details, const DependentSet& set);

/// "constraint 'b' repeats 'a'", "constraint 'c' follows from 'a' and 'b'", "constraint 'a' says nothing here".
std::string describe(const SystemDetails& details, const DependentSet& set);

/// "constraints 'a' and 'b' conflict: …".
std::string describe_conflict(const SystemDetails& details, const DependentSet& set);

}  // namespace lacon
