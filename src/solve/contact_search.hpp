#pragma once

#include <vector>

#include "solve/contact_pivot.hpp"

namespace lacon::solving {

/// Sliding friction can drive the load it comes from (Painlevé 1895): then there may be no force, or several motions. Whether
/// that is excluded: the answer of the rows to loads with their friction is positive definite, or two-sided loads answer each
/// other by less than themselves.
bool is_surely_unique(const FrictionProblem& problem, const Settled& settled);

/// The motions, each once, with other contacts closed under what slides and other directions of what presses; with the settled
/// one. All cases are tried where the contacts that slide are few, else only the settled one is returned.
std::vector<Settled> other_motions(const FrictionProblem& problem, const Settled& settled);

/// Every assumption there is, where they are few.
struct Enumeration {
    bool complete = false;       // they were few
    std::vector<Settled> found;  // different motions; of those that differ by what sticks the ones where most does
};
Enumeration try_all(const FrictionProblem& problem, const Trial& like);

/// Frictions whose forces differ between motions.
std::vector<std::size_t> differing(const FrictionProblem& problem, const std::vector<Settled>& motions);

}  // namespace lacon::solving
