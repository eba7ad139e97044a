// Couplings: joints that are constraints between bodies, or between what other joints made. The
// table says what each may be given; a new coupling is a row in it and a case of `coupling_rows`
// (elaborate/couplings.cpp).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/parse/syntax.hpp"

namespace lacon::lang {

enum class Coupling : std::uint8_t {
    gear,            // the turning of B is a ratio times that of A
    belt,            // the same, the same way round
    rack,            // B slides as A turns
    cam,             // the coordinate of B is a function of that of A
    rolling,         // A rolls on B without slipping
    parallel,        // an axis of A and one of B
    distance,        // between a point of A and one of B
    point_on_line,   // of B on a line of A
    point_on_plane,  // of B on a plane of A
    point_on_curve,  // of B on a curve of A
};

/// A row of the table.
struct CouplingFacts {
    std::string_view word;
    Coupling kind;
    bool of_motions = false;                  // of joints with one coordinate, too
    bool in_plane = true;                     // whether planar bodies have it
    std::vector<std::string_view> modifiers;  // those that it may have
    std::string_view usage;                   // an example
};
const CouplingFacts* find_coupling(std::string_view word);
std::vector<std::string> coupling_names();

/// The modifiers that a joint was given, by their words, and the places of their values.
std::vector<std::pair<std::string_view, Span>> given_modifiers(const Syntax& syntax,
                                                               const JointStatement& joint);

}  // namespace lacon::lang
