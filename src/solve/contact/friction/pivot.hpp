// Revises a trial until it satisfies all laws of contact.
#pragma once

#include <optional>
#include <span>

#include "solve/contact/friction/flaws.hpp"

namespace lacon::solving::inline contact {

/// A trial without flaws.
struct Settled {
    Trial trial;
    Balanced balanced;
    Judged judged;
};

/// Assumptions that a search leaves as they are.
struct Frozen {
    std::vector<bool> normals;  // (p), or empty for none
    std::vector<bool> loads;    // directions of two-sided loads, of each friction, or empty
};

/// Revises a trial until it has no flaw; none where it comes round in a circle or has taken the
/// most revisions (0: as many as the rows make likely), or where a frozen assumption is wrong.
std::optional<Settled> settle(const FrictionProblem& problem, Trial trial, std::size_t most = 0,
                              const Frozen& frozen = {});

/// The trial as it stands, where it has no flaw.
std::optional<Settled> settled(const FrictionProblem& problem, Trial trial);

}  // namespace lacon::solving::contact
