// The table of all kinds of cases.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hunt/case.hpp"

/// The kinds of cases of the hunt. A new kind is a maker and a line in the table of kinds.cpp.
namespace hunt {

struct CaseKind {
    const char* name;
    const char* text;     // for `--list`
    Case (*make)(Dice&);  // by chance
    /// How many cases of seed 1 are in the test program; 0: known faults stand in the way.
    int tests;
};

const std::vector<CaseKind>& all_kinds();
/// The case of a number: the same on every machine.
Case make_case(const CaseKind& kind, std::uint64_t seed, std::uint64_t number);

}  // namespace hunt
