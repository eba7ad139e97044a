// Checks a solved trial against its own assumptions.
#pragma once

#include <vector>

#include "solve/contact/friction/trial.hpp"

namespace lacon::solving::inline contact {

inline constexpr double force_tol = 1e-10;  // of the largest force

/// What shows that an assumption of a trial is wrong.
struct Flaw {
    enum class Kind {
        pulls,          ///< a closed row would have to pull
        penetrates,     ///< an open row, or one that depends on the working ones, is violated
        separates,      ///< a closed row that depends on the working ones opens
        over_limit,     ///< what sticks would need more friction than its load allows
        cannot_stick,   ///< the working rows make it slip
        slips_forward,  ///< friction would drive what slips from rest, rather than oppose it
        load_reversed,  ///< a two-sided load presses against its assumed direction
    };
    Kind kind;
    std::size_t which;      // row of N for the first three, else friction
    double severity = 0.0;  // relative to the forces, or to the size of the rates
};

/// A balanced trial, judged; the forces are those of least norm that keep to the law, where they
/// are not unique.
struct Judged {
    VectorX f;  // (h)
    bool forces_unique = true;
    std::vector<Flaw> flaws;
};
Judged judge(const FrictionProblem& problem, const Trial& trial, const Balanced& balanced);

}  // namespace lacon::solving::contact
