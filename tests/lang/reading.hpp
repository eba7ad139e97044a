// Reads model texts, for the tests of the language.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "expr/print.hpp"
#include "lang/lang.hpp"

/// What the tests of the language share: a text read into a model, and its parts written back as
/// text.
namespace lacon {

/// The model of a text that must have no errors.
inline Model read(const std::string& text, const Settings& settings = {}) {
    const SourceText source("test.lac", text);
    Parsed parsed = parse_model(source, settings);
    EXPECT_TRUE(parsed.model.has_value()) << render(parsed.diagnostics, source);
    return parsed.model ? std::move(*parsed.model) : Model();
}

/// What is wrong with a text, rendered.
inline std::string errors_of(const std::string& text, const Settings& settings = {}) {
    const SourceText source("test.lac", text);
    return render(parse_model(source, settings).diagnostics, source);
}

inline std::string text(const Model& model, Expr e) {
    return to_text(model.graph, e);
}
inline std::string text(const Model& model, const Formula& formula) {
    Graph graph = model.graph;
    return to_text(graph, model.forms.expression(formula, graph));
}

/// Those of a formula's components.
inline std::vector<std::string> texts(const Model& model, const Formula& formula) {
    Graph graph = model.graph;
    std::vector<std::string> all;
    for (const Expr e : model.forms.expressions(formula, graph)) all.push_back(to_text(graph, e));
    return all;
}

/// The value of `potential EXPR` under some declarations, as the graph writes it.
inline std::string value_of(const std::string& expression,
                            const std::string& declarations = "coord x, y, z\nparam m = 2\n") {
    const Model model = read(declarations + "potential " + expression + "\n");
    return model.potential.empty() ? "" : text(model, model.potential.front().value);
}

/// Whether two expressions are the same one once simplified.
inline testing::AssertionResult same(
    const std::string& a, const std::string& b,
    const std::string& declarations = "coord x, y, z\nparam m = 2\n") {
    const Model model = read(declarations + "potential " + a + "\npotential " + b + "\n");
    if (model.potential.size() != 2) return testing::AssertionFailure() << "no values";
    Graph graph = model.graph;
    const Expr first = model.forms.expression(model.potential[0].value, graph);
    const Expr second = model.forms.expression(model.potential[1].value, graph);
    if (first == second) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << to_text(graph, first) << " is not " << to_text(graph, second);
}

template <class Items>
std::vector<std::string> names_of(const Items& items) {
    std::vector<std::string> names;
    for (const auto& item : items) names.push_back(item.name);
    return names;
}

using Strings = std::vector<std::string>;

}  // namespace lacon
