#pragma once

#include <string>

#include "expr/graph.hpp"

/// Expressions as a person would write them. Shared parts are written out; a text beyond `print_limit` characters is cut with
/// "...".
namespace lacon {

constexpr std::size_t print_limit = 20'000;

/// In the model language: it reads back as the same value.
std::string to_text(const Graph& graph, Expr e);

/// For LaTeX's mathematics mode.
std::string to_latex(const Graph& graph, Expr e);

/// A name of the language for LaTeX: theta1' → \dot{\theta}_{1}, x[2]'' → \ddot{x}_{2}, mass → \mathrm{mass}.
std::string latex_name(const std::string& name);

}  // namespace lacon
