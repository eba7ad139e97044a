// Checks whether a motion with friction is the only one, and looks for others (Painlevé).
#pragma once

#include <vector>

#include "solve/contact/friction/islands.hpp"
#include "solve/contact/friction/pivot.hpp"

namespace lacon::solving::inline contact {

/// Sliding friction can drive the load it comes from (Painlevé 1895): then there may be no force,
/// or several motions. Whether that is excluded: the answer of the rows to loads with their
/// friction is positive definite, or two-sided loads answer each other by less than themselves.
bool is_surely_unique(const FrictionProblem& problem, const Settled& settled);

/// The motions, each once, with other contacts closed under what slides and other directions of
/// what presses; with the settled one. All cases are tried where the contacts that slide are few,
/// else only the settled one is returned.
std::vector<Settled> other_motions(const FrictionProblem& problem, const Settled& settled);

/// The motion with every island at rest, all of its contacts closed, that can be.
Settled with_islands_at_rest(const FrictionProblem& problem, const std::vector<Island>& islands,
                             Settled motion);

/// What the law of friction leaves, island by island: every assumption about one that does not rest
/// is tried, where they are few. Of motions that differ only by what it takes more to start than to
/// keep going, the one in which that sticks counts.
struct Lawful {
    bool complete = true;  // of every island, all assumptions were tried or need not be
    /// The one of all islands, or those of the first one that has several.
    std::vector<Settled> motions;
};
Lawful lawful(const FrictionProblem& problem, const std::vector<Island>& islands, Settled found);

/// The motion in which every contact is closed and nothing slips, where the law allows it and
/// nothing slides already.
std::optional<Settled> rest(const FrictionProblem& problem, const Trial& like);

/// Every assumption there is, where they are few.
struct Enumeration {
    bool complete = false;  // they were few
    /// Different motions, without those that another one takes precedence of.
    std::vector<Settled> found;
};
Enumeration try_all(const FrictionProblem& problem, const Trial& like);

/// Frictions whose forces differ between motions.
std::vector<std::size_t> differing(const FrictionProblem& problem,
                                   const std::vector<Settled>& motions);

}  // namespace lacon::solving::contact
