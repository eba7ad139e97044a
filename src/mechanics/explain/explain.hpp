// The equations of motion as expressions, and printed as text or LaTeX:
// M q'' = Q + Aᵀλ + c + F u,  A q'' = b.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mechanics/system/derived_model.hpp"

namespace lacon::inline mechanics {

/// The derived equations as expressions over the model's own symbols: M q'' = Q + Aᵀλ, A q'' = b.
/// Only entries that are not zero.
struct SymbolicEquations {
    Graph graph;
    std::vector<std::map<std::size_t, Expr>> M;  // rows (n): column → entry
    std::vector<Expr> Q;                         // (n)
    std::vector<std::map<std::size_t, Expr>> A;  // rows (m)
    std::vector<Expr> b;                         // (m)

    // Forces that a law decides at each state stand as symbols of their own: M q'' = Q + Aᵀλ + c +
    // F u.
    std::vector<Expr> multipliers;  // λ[NAME] (m)
    /// c[x] (n): friction and `nonideal` forces on a coordinate; none of it is in Q.
    std::vector<std::optional<Expr>> c;
    std::vector<Expr> efforts;  // u[NAME] of the actuators

    /// q'' written out (n), where that is short: M diagonal and at most one equality constraint.
    /// All forces are in it; λ of one-sided rows, c and u as symbols.
    std::optional<std::vector<Expr>> explicit_acceleration;

    /// Coordinates of trees of bodies that are left out, as their expressions would fill pages (n;
    /// empty: none are).
    std::vector<bool> recursive;
};
/// `in_full`: also what recursions over bodies give.
SymbolicEquations symbolic_equations(const DerivedModel& details, bool in_full = true);

/// A force in `explicit_acceleration` that stands there as a symbol.
struct NamedForce {
    std::string symbol;   // "λ[floor]", "c[x]", "u[motor]"
    std::string meaning;  // in words
};
std::vector<NamedForce> named_forces(const DerivedModel& details,
                                     const SymbolicEquations& equations);
/// "M q'' = Q + A^T λ + c + F u", with what the model has of it.
std::string law_of(const DerivedModel& details);

/// The equations for people, as text or LaTeX. Of text, a model with more than `most_lines`
/// coordinates or rows is cut, and says so; LaTeX is in full.
std::string explain(const DerivedModel& details, bool latex, std::size_t most_lines = 60);

}  // namespace lacon::mechanics
