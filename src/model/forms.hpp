// How a model keeps millions of similar expressions: as shared forms, plus the symbols and numbers
// of each member.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/structure.hpp"

namespace lacon::inline model {

/// An expression of a family's member, or several that belong together as components do: a form,
/// which members share, and what they have in its places.
struct Formula {
    std::uint32_t form = 0;
    std::uint32_t symbols = 0, constants = 0;  // the first of its own in Forms
};

/// The expressions of families, kept as numbers: a form for each structure, and a list of symbols
/// and constants for each member. Expressions are made again where they are asked for.
class Forms {
public:
    struct Form {
        std::vector<Expr> roots;   // in graph(), over the inputs
        std::vector<Expr> inputs;  // its symbols, then its constants
        std::size_t symbols = 0;   // how many of them are symbols
        /// All that the roots use but the inputs, in the order of their making.
        std::vector<Expr> nodes;
    };

    /// Keeps expressions of `graph`; their symbols must stay there.
    Formula keep(const Graph& graph, std::span<const Expr> expressions);
    Formula keep(const Graph& graph, Expr expression) { return keep(graph, {&expression, 1}); }
    /// The expressions, in the graph they were of or a copy of that one.
    std::vector<Expr> expressions(const Formula& formula, Graph& graph) const;
    /// The only one, or the first.
    Expr expression(const Formula& formula, Graph& graph) const {
        return expressions(formula, graph)[0];
    }
    /// How many expressions the formula has.
    std::size_t count_of(const Formula& formula) const { return forms_[formula.form].roots.size(); }

    /// Gives back what was set aside for growing.
    void shrink();

    std::size_t size() const { return forms_.size(); }
    const Graph& graph() const { return graph_; }
    const Form& form(std::size_t number) const { return forms_[number]; }
    std::span<const Expr> symbols_of(const Formula& formula) const;
    std::span<const double> constants_of(const Formula& formula) const;

private:
    std::uint32_t add(const Graph& graph, std::span<const Expr> expressions,
                      const std::vector<bool>& is_leaf);

    Graph graph_;
    std::vector<Form> forms_;
    std::vector<Expr> symbols_;  // of all formulas
    std::vector<double> constants_;
    Structure structure_;  // of the expressions at hand
    VariantsByKey<std::uint32_t> known_;
};

}  // namespace lacon::model
