// Walks the expression, evaluates the indices of running loops, and prints the tokens with the
// numbers in their place. Indices of sums inside the expression stay.
#include "lang/evaluate/output_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "lang/parse/format.hpp"

namespace lacon::lang {

namespace {

bool contains(std::span<const NameId> names, NameId name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

class IndexReplacer {
public:
    IndexReplacer(Evaluator& evaluator, const Syntax& syntax, const Loops& loops)
        : evaluator_(evaluator), syntax_(syntax) {
        for (const Loop& loop : loops.loops)
            for (const LoopName& index : loop.names) running_.push_back(index.name);
    }

    void visit(NodeId id) {
        const Node& node = syntax_.nodes[id];
        if (node.kind == NodeKind::name && is_running(node.detail)) return replace(id, true);
        if (node.kind == NodeKind::all) return replace(id, false);
        const std::size_t outer = inner_.size();
        if (node.kind == NodeKind::sum_over) enter(syntax_.loops[node.detail]);
        const auto children = syntax_.children_of(node);
        for (std::size_t i = 0; i < children.size(); ++i) {
            const NodeId child = children[i].node;
            const bool index = node.kind == NodeKind::index && i > 0;
            if (index && uses_name(child, true) && !uses_name(child, false)) replace(child, false);
            else visit(child);
        }
        inner_.resize(outer);
    }

    std::vector<Replacement> found;

private:
    bool is_running(NameId name) const {
        return contains(running_, name) && !contains(inner_, name);
    }

    void enter(const Loops& loops) {
        for (const Loop& loop : loops.loops) {
            if (loop.low != none) visit(loop.low);
            if (loop.high != none) visit(loop.high);
            for (const LoopName& index : loop.names) inner_.push_back(index.name);
        }
        if (loops.condition != none) visit(loops.condition);
    }

    /// Whether a name below the node is a running index, or (`running` false) one bound by a sum
    /// inside the expression.
    bool uses_name(NodeId id, bool running) const {
        const Node& node = syntax_.nodes[id];
        if (node.kind == NodeKind::name &&
            (running ? is_running(node.detail) : contains(inner_, node.detail)))
            return true;
        const auto children = syntax_.children_of(node);
        return std::any_of(children.begin(), children.end(),
                           [&](const Child& child) { return uses_name(child.node, running); });
    }

    void replace(NodeId id, bool bracket_negative) {
        const auto value = evaluator_.number(id, "an index");
        if (!value) return;
        const bool brackets = *value < 0 && bracket_negative;
        found.push_back({syntax_.nodes[id].tokens,
                         brackets ? fmt::format("({})", shortest(*value)) : shortest(*value)});
    }

    Evaluator& evaluator_;
    const Syntax& syntax_;
    std::vector<NameId> running_;  // indices of the statement
    std::vector<NameId> inner_;    // bound by sums around the node
};

}  // namespace

std::string text_with_indices(Evaluator& evaluator, const Syntax& syntax, WrittenExpression written,
                              const Loops& loops) {
    if (loops.loops.empty() && evaluator.stars.empty())
        return canonical_text(syntax, written.tokens);
    IndexReplacer replacer(evaluator, syntax, loops);
    replacer.visit(written.node);
    std::sort(
        replacer.found.begin(), replacer.found.end(),
        [](const Replacement& a, const Replacement& b) { return a.tokens.begin < b.tokens.begin; });
    return canonical_text(syntax, written.tokens, replacer.found);
}

}  // namespace lacon::lang
