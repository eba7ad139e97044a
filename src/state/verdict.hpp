// Statuses and sentences for the outcomes of a solve.
#pragma once

#include "mechanics/system/derived_model.hpp"

/// What an outcome means, in the user's names.
namespace lacon::inline state {

/// Whether the solve came as far as deciding the rank.
bool has_rank(const ConstrainedSolution& solution);

Status status_of(const DerivedModel& details, const ConstrainedSolution& solution);
/// A refusal where the dense solve would take hours or more memory than there is; ok below its
/// limits.
Status size_status(const DerivedModel& details);
/// Two numbers with six digits, or as many as it takes to see that they differ.
std::pair<std::string, std::string> told_apart(double a, double b);

/// "t = 0, x = 1, x' = 2"; of many coordinates the first ones.
std::string state_text(const DerivedModel& details, const State& state);
Status undefined_status(const DerivedModel& details, std::uint32_t origin, const State& state);

/// The names of constraint rows, and of those of a dependent set.
std::vector<std::string> names_of(const DerivedModel& details,
                                  const std::vector<std::size_t>& rows);
std::vector<std::string> names_of(const DerivedModel& details, const DependentSet& set);

/// "'a' and 'b' are equivalent", "'a', 'b' and 'c' depend on each other: any one follows from
/// the others", "'a' says nothing here: no coordinate can change it". No row is called the
/// redundant one: the relation has no side.
std::string describe(const DerivedModel& details, const DependentSet& set);

/// "'b' asks for 2 where 'a' already fixes 1.5 (as accelerations)"; or that it is too near to call.
std::string describe_conflict(const DerivedModel& details, const DependentSet& set);

/// The same sentences of rows by their names.
std::string say_dependent(const std::vector<std::string>& row_names,
                          const std::vector<std::size_t>& rows);

}  // namespace lacon::state
