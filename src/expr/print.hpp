// Expressions as text: in the model language, and in LaTeX.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "expr/graph.hpp"

/// Expressions as a person would write them. Shared parts are written out; a text beyond
/// `print_limit` characters is cut with
/// "...".
namespace lacon::inline expr {

constexpr std::size_t print_limit = 20'000;

/// In the model language: it reads back as the same value.
std::string to_text(const Graph& graph, Expr e);

/// For LaTeX's mathematics mode.
std::string to_latex(const Graph& graph, Expr e);

/// Long expressions for LaTeX: in lines, and in full. A part that is too long to stand in a line
/// gets a name, which is written out apart; it is the same name wherever the part occurs again.
class LatexLines {
public:
    /// The graph may grow, and must outlive this.
    explicit LatexLines(const Graph& graph);
    ~LatexLines();
    /// The expression, broken at the terms of a sum.
    std::vector<std::string> lines(Expr e);

    struct Abbreviation {
        std::string name;
        std::vector<std::string> lines;
    };
    /// Made so far; those that others need come first.
    const std::vector<Abbreviation>& abbreviations() const;

private:
    class Writer;
    std::unique_ptr<Writer> writer_;
};

/// A name of the language for LaTeX: theta1' → \dot{\theta}_{1}, x[2]'' → \ddot{x}_{2}, mass →
/// \mathrm{mass}.
std::string latex_name(const std::string& name);

}  // namespace lacon::expr
