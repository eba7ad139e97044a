// Expands `*` in an index of `output` and `draw` to all members of a family.
#include <fmt/format.h>

#include "lang/elaborate/elaborator.hpp"

/// `output x[*], link[*].force, grid[*,3]`: an index that stands for all members.
namespace lacon::lang {

void Elaborator::collect_patterns(NodeId id, std::vector<NodeId>& found) const {
    const Node& node = syntax_.nodes[id];
    bool is_pattern = false;
    for (const Child& child : syntax_.children_of(node)) {
        if (syntax_.nodes[child.node].kind == NodeKind::all) is_pattern = true;
        else collect_patterns(child.node, found);
    }
    if (is_pattern) found.push_back(id);
}

/// The family whose members the indexed name stands for; reported and none where it is no family.
std::optional<EntityId> Elaborator::family_of_pattern(NodeId pattern) {
    const Node& node = syntax_.nodes[pattern];
    const NodeId base = syntax_.child(node, 0);
    const Span place = syntax_.span(pattern);
    const EntityId id = evaluator_.entity_named(base);
    const bool is_name = syntax_.nodes[base].kind == NodeKind::name;
    if (is_name && id == none && evaluator_.names.id_of(syntax_.nodes[base].detail) == none) {
        evaluator_.evaluate(
            base);  // nothing has the name, or it is a built-in one; the first is told there
        if (diagnostics_.has_errors()) return std::nullopt;
    }
    if (id != none && evaluator_.names.entities[id].kind == EntityKind::unknown)
        return std::nullopt;
    if (id == none || !evaluator_.names.entities[id].family) {
        diagnostics_.error(place, fmt::format("'{}' is not a family, so it has no members for '*'",
                                              syntax_.source->text(syntax_.span(base))));
        return std::nullopt;
    }
    const Entity& family = evaluator_.names.entities[id];
    if (node.count - 1 != family.dimensions) {
        diagnostics_.error(place, fmt::format("'{}' has {}, but {} are given here",
                                              evaluator_.names.name_of(family),
                                              counted_indices(family.dimensions), node.count - 1));
        return std::nullopt;
    }
    return id;
}

bool Elaborator::each_pattern(NodeId id, const std::function<bool()>& body) {
    std::vector<NodeId> patterns;
    collect_patterns(id, patterns);
    if (patterns.empty()) return body();
    if (patterns.size() > 1) {
        diagnostics_.error(syntax_.span(patterns[1]), "only one family of an item can have '*'",
                           "write an index, and 'for i in ...' at the end");
        return false;
    }
    const auto family = family_of_pattern(patterns[0]);
    if (!family || !evaluator_.list_members(*family)) return false;
    Names& names = evaluator_.names;
    const Node& node = syntax_.nodes[patterns[0]];
    std::vector<std::optional<std::int32_t>> wanted;
    std::string text;
    for (std::size_t i = 1; i < node.count; ++i) {
        const bool all = syntax_.nodes[syntax_.child(node, i)].kind == NodeKind::all;
        wanted.push_back(all ? std::nullopt : evaluator_.whole(syntax_.child(node, i), "an index"));
        if (!all && !wanted.back()) return false;
        text += fmt::format("{}{}", i == 1 ? "[" : ",", all ? "*" : std::to_string(*wanted.back()));
    }
    bool any = false, sound = true;
    for (const DefinitionId definition :
         std::vector<DefinitionId>(names.entities[*family].definitions)) {
        for (std::size_t m = 0; m < names.definitions[definition].members.size() && sound; ++m) {
            const Index index = names.index_of(names.definitions[definition].members[m]);
            bool fits = true;
            for (std::size_t i = 0; i < wanted.size(); ++i)
                fits = fits && (!wanted[i] || *wanted[i] == index.at[i]);
            if (!fits) continue;
            evaluator_.count_repetition();
            evaluator_.stars.clear();
            for (std::size_t i = 0; i < wanted.size(); ++i)
                if (!wanted[i])
                    evaluator_.stars.emplace_back(syntax_.child(node, i + 1), index.at[i]);
            any = true;
            sound = body();
        }
    }
    evaluator_.stars.clear();
    if (!any && !names.entities[*family].incomplete) {
        diagnostics_.error(
            syntax_.span(patterns[0]),
            fmt::format("'{}' has no member {}]; {}", names.name_of(names.entities[*family]), text,
                        names.extent_of(names.entities[*family])));
        return false;
    }
    return sound;
}

}  // namespace lacon::lang
