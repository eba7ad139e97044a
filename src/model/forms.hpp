#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/structure.hpp"

namespace lacon {

/// An expression of a family's member: a form, which members share, and what they have in its places.
struct Formula {
    std::uint32_t form = 0;
    std::uint32_t symbols = 0, constants = 0;  // the first of its own in Forms
};

/// The expressions of families, kept as numbers: a form for each structure, and a list of symbols and constants for each
/// member. Expressions are made again where they are asked for.
class Forms {
public:
    struct Form {
        Expr root;                 // in graph(), over the inputs
        std::vector<Expr> inputs;  // its symbols, then its constants
        std::size_t symbols = 0;   // how many of them are symbols
        std::vector<Expr> nodes;   // all that the root uses but the inputs, in the order of their making
    };

    /// Keeps an expression of `graph`; its symbols must stay there.
    Formula keep(const Graph& graph, Expr expression);
    /// The expression, in the graph it was of or a copy of that one.
    Expr expression(const Formula& formula, Graph& graph) const;

    std::size_t size() const { return forms_.size(); }
    const Graph& graph() const { return graph_; }
    const Form& form(std::size_t number) const { return forms_[number]; }
    std::span<const Expr> symbols_of(const Formula& formula) const;
    std::span<const double> constants_of(const Formula& formula) const;

private:
    std::uint32_t add(const Graph& graph, Expr expression, const std::vector<bool>& is_leaf);

    Graph graph_;
    std::vector<Form> forms_;
    std::vector<Expr> symbols_;  // of all formulas
    std::vector<double> constants_;
    Structure structure_;  // of the expression at hand
    VariantsByKey<std::uint32_t> known_;
};

}  // namespace lacon
