// Matches expressions to known forms by their structure; a new structure becomes a new form in a
// graph of its own. Making an expression again replays the form's nodes with the member's leaves.
#include "model/forms.hpp"

#include <algorithm>

#include "expr/traverse.hpp"

namespace lacon::inline model {

/// A form has inputs of its own, so that its nodes are new: sums then keep the order of their
/// terms.
std::uint32_t Forms::add(const Graph& graph, std::span<const Expr> expressions,
                         const std::vector<bool>& is_leaf) {
    Form form;
    const auto constants =
        static_cast<std::size_t>(std::count(is_leaf.begin(), is_leaf.end(), true));
    form.symbols = structure_.symbols.size();
    for (std::size_t i = 0; i < form.symbols; ++i) form.inputs.push_back(graph_.symbol("s"));
    for (std::size_t i = 0; i < constants; ++i) form.inputs.push_back(graph_.symbol("c"));
    const Leaves leaves{std::span(form.inputs).first(form.symbols),
                        std::span(form.inputs).subspan(form.symbols)};
    form.roots = with_leaves(graph, graph_, expressions, leaves, is_leaf);
    form.nodes = postorder(graph_, form.roots);
    std::erase_if(form.nodes, [&](Expr e) { return graph_.is_symbol(e); });
    std::sort(form.nodes.begin(), form.nodes.end());
    forms_.push_back(std::move(form));
    return static_cast<std::uint32_t>(forms_.size() - 1);
}

Formula Forms::keep(const Graph& graph, std::span<const Expr> expressions) {
    structure_.key.clear();
    read_structure(graph, expressions, structure_);
    Variants<std::uint32_t>& variants = known_[structure_.key];
    const auto* variant = variants.find(structure_.constants);
    if (variant == nullptr) {
        auto& fresh = variants.add(structure_.constants);
        fresh.made = add(graph, expressions, fresh.is_leaf);
        variant = &fresh;
    }
    const Formula formula{variant->made, static_cast<std::uint32_t>(symbols_.size()),
                          static_cast<std::uint32_t>(constants_.size())};
    symbols_.insert(symbols_.end(), structure_.symbols.begin(), structure_.symbols.end());
    for (std::size_t i = 0; i < structure_.constants.size(); ++i)
        if (variant->is_leaf[i]) constants_.push_back(structure_.constants[i]);
    return formula;
}

void Forms::shrink() {
    symbols_.shrink_to_fit();
    constants_.shrink_to_fit();
    structure_ = {};
}

std::span<const Expr> Forms::symbols_of(const Formula& formula) const {
    return std::span(symbols_).subspan(formula.symbols, forms_[formula.form].symbols);
}

std::span<const double> Forms::constants_of(const Formula& formula) const {
    const Form& form = forms_[formula.form];
    return std::span(constants_).subspan(formula.constants, form.inputs.size() - form.symbols);
}

std::vector<Expr> Forms::expressions(const Formula& formula, Graph& graph) const {
    const Form& form = forms_[formula.form];
    ExprMap<Expr> built;
    std::size_t input = 0;
    for (const Expr symbol : symbols_of(formula)) built.insert(form.inputs[input++], symbol);
    for (const double constant : constants_of(formula))
        built.insert(form.inputs[input++], graph.constant(constant));
    std::vector<Arg> args;
    for (const Expr e : form.nodes) {
        args.assign(graph_.args(e).begin(), graph_.args(e).end());
        for (Arg& arg : args) arg.expr = built.at(arg.expr);
        built.insert(e, graph.rebuilt(graph_, e, args));
    }
    std::vector<Expr> made;
    for (const Expr root : form.roots) made.push_back(built.at(root));
    return made;
}

}  // namespace lacon::model
