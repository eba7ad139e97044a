#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mechanics/details.hpp"

namespace lacon {

/// The derived equations as expressions over the model's own symbols: M q'' = Q + Aᵀλ, A q'' = b. Only entries that are not zero.
struct SymbolicEquations {
    Graph graph;
    std::vector<std::map<std::size_t, Expr>> M;  // rows (n): column → entry
    std::vector<Expr> Q;                         // (n)
    std::vector<std::map<std::size_t, Expr>> A;  // rows (m)
    std::vector<Expr> b;                         // (m)
    /// q'' written out (n), where that is short: M diagonal and at most one constraint.
    std::optional<std::vector<Expr>> explicit_acceleration;
};
SymbolicEquations symbolic_equations(const SystemDetails& details);

/// The equations for people, as text or LaTeX. A model with more than `most_lines` coordinates or rows is cut, and says so.
std::string explain(const SystemDetails& details, bool latex, std::size_t most_lines = 60);

}  // namespace lacon
