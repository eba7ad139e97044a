// Contact problems solved by trial of all modes, in long double.
#pragma once

#include <array>

#include "contacts.hpp"

/// Coulomb's law by brute force: every assumption about every contact is tried and judged by the
/// law alone. Knows nothing of how `solve` goes about it.
namespace lacon::testing {

/// Of one contact: a row of N with at most one friction of one component.
enum class Mode { open, sticks, slips_forward, slips_back };

struct LawfulMotion {
    /// Of each row of N; without friction a closed row counts as slipping forward.
    std::vector<Mode> modes;
    VectorX x;
};

struct LawfulMotions {
    std::vector<LawfulMotion> all;   // with different x
    std::vector<LawfulMotion> left;  // after rest was preferred
    bool is_close_call = false;      // some inequality holds, or fails, by next to nothing
};

/// All motions of a problem whose rows of A are none or independent. Forces that are not unique are
/// sought for by non-negative least squares; in a mode that leaves x itself undecided only one
/// motion is listed. With the same contacts closed under what slides already, a motion in which all
/// rests that rests in another one, and more, is preferred to it; and one is preferred to another
/// in which nothing differs but that contacts slip that it takes more to start than to keep going.
/// Contacts that may not open are those of two-sided rows, with an assumption about the signs of
/// their forces.
LawfulMotions lawful_motions(const Contacts& problem, bool may_open = true);

}  // namespace lacon::testing
