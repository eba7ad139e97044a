#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "lang/characters.hpp"
#include "lang/scopes.hpp"

/// What only the computation knows, in outputs: `energy`, `wire.force`, `rod[3].x.multiplier`.
namespace lacon::lang {

/// Whether the node is a constraint, a member of a family of them, or a row.
bool Evaluator::is_constraint(NodeId node) const {
    while (syntax_.nodes[node].kind == NodeKind::index || syntax_.nodes[node].kind == NodeKind::component)
        node = syntax_.child(syntax_.nodes[node], 0);
    const EntityId id = entity_named(node);
    return id != none && names.entities[id].kind == EntityKind::constraint;
}

/// Where the node, which should be a constraint, begins with a name that nothing has: reports that.
bool Evaluator::refuse_unknown_constraint(NodeId node) {
    while (syntax_.nodes[node].kind == NodeKind::index || syntax_.nodes[node].kind == NodeKind::component)
        node = syntax_.child(syntax_.nodes[node], 0);
    if (syntax_.nodes[node].kind != NodeKind::name) return false;
    const NameId name = syntax_.nodes[node].detail;
    if (bound(name) != nullptr || names.id_of(name) != none || is_reserved(syntax_.names[name])) return false;
    std::vector<std::string> constraints;
    for (const Entity& entity : names.entities)
        if (entity.kind == EntityKind::constraint) constraints.push_back(names.name_of(entity));
    const auto near = nearest_name(syntax_.names[name], constraints);
    arithmetic.fail(syntax_.span(node), fmt::format("there is no constraint '{}'", shortened(syntax_.names[name])),
                    near                  ? fmt::format("did you mean '{}'?", *near)
                    : constraints.empty() ? "the model has no constraints"
                                          : fmt::format("the constraints are {}", quoted_list(constraints)));
    return true;
}

/// The constraint that the node names whole, without a row; none where it names a row or nothing (then reported).
MemberId Evaluator::constraint_at(NodeId id) {
    const Node& node = syntax_.nodes[id];
    const EntityId entity = entity_named(node.kind == NodeKind::index ? syntax_.child(node, 0) : id);
    const Span place = syntax_.span(id);
    if (!list_members(entity)) return none;
    if (node.kind == NodeKind::name && names.entities[entity].family) {
        const std::string name = names.name_of(names.entities[entity]);
        arithmetic.fail(place, fmt::format("'{}' is a family; say which member is meant", name),
                        fmt::format("write {}[1].force", name));
        return none;
    }
    Index index;
    if (node.kind == NodeKind::index) {
        if (node.count - 1 != names.entities[entity].dimensions) {
            arithmetic.fail(place, fmt::format("'{}' has {}, but {} are given here", names.name_of(names.entities[entity]),
                                               counted_indices(names.entities[entity].dimensions), node.count - 1));
            return none;
        }
        for (std::size_t i = 1; i < node.count; ++i) {
            const auto value = whole(syntax_.child(node, i), "an index");
            if (!value) return none;
            index.at[index.count++] = *value;
        }
    }
    return member_at(entity, index, place);
}

std::optional<std::vector<std::size_t>> Evaluator::rows_of(NodeId id) {
    const Node& node = syntax_.nodes[id];
    const NodeId base = node.kind == NodeKind::name ? id : syntax_.child(node, 0);
    const EntityId entity = entity_named(base);
    const bool whole_constraint =
        node.kind == NodeKind::name || (node.kind == NodeKind::index && entity != none && names.entities[entity].family);
    const MemberId member = constraint_at(whole_constraint ? id : base);
    if (member == none || names.members[member].slot == none) return std::nullopt;
    std::vector<std::size_t> rows;
    const std::size_t first = names.members[member].slot, count = names.members[member].row_count;
    if (whole_constraint) {
        for (std::size_t i = 0; i < count; ++i) rows.push_back(first + i);
        return rows;
    }
    std::int64_t row = 0;
    if (node.kind == NodeKind::component) {
        const std::string_view name = syntax_.names[node.detail];
        row = name == "x" ? 1 : name == "y" ? 2 : name == "z" ? 3 : 0;
    } else if (const auto value = whole(syntax_.child(node, 1), "an index")) {
        row = *value;
    }
    if (row < 1 || row > static_cast<std::int64_t>(count) || count == 1) {
        arithmetic.fail(syntax_.span(id), fmt::format("the constraint '{}' has no such row", names.name_of(member)),
                        count == 1 ? "it is one scalar equation" : "its rows are .x, .y, ...");
        return std::nullopt;
    }
    rows.push_back(first + static_cast<std::size_t>(row) - 1);
    return rows;
}

Value Evaluator::observe_constraint(const Node& node) {
    const NodeId base = syntax_.child(node, 0);
    const Span place = syntax_.span(node.tokens);
    const std::string_view quantity = syntax_.names[node.detail];
    if (quantity != "force" && quantity != "multiplier" && quantity != "residual")
        return arithmetic.fail(place, "a constraint is not a value",
                               "in 'output' a constraint has .force, .multiplier and .residual");
    const auto kind = quantity == "force"        ? Observed::Kind::force
                      : quantity == "multiplier" ? Observed::Kind::multiplier
                                                 : Observed::Kind::residual;
    if (!observed_allowed_ || structural_) return observe(kind, {}, quantity, place);
    if (syntax_.nodes[base].kind == NodeKind::component &&
        syntax_.nodes[syntax_.child(syntax_.nodes[base], 0)].kind == NodeKind::component)
        return arithmetic.fail(place, "a row of a constraint has no further components");
    auto rows = rows_of(base);
    if (!rows) return {};
    const std::string text(syntax_.source->text(syntax_.span(base)));
    if (kind != Observed::Kind::force && rows->size() > 1)
        return arithmetic.fail(place, fmt::format("'{}' is a vector equation with one {} a row", text, quantity),
                               fmt::format("write {}.x.{}", text, quantity));
    return observe(kind, std::move(*rows), fmt::format("{}.{}", text, quantity), place);
}

Value Evaluator::observe(Observed::Kind kind, std::vector<std::size_t> rows, std::string_view name, Span place) {
    if (!observed_allowed_ || structural_)
        return arithmetic.fail(place, fmt::format("'{}' is known only after the motion is computed", syntax_.source->text(place)),
                               "it can stand in 'output' and 'event' only");
    const auto [found, is_new] = observed_.try_emplace({kind, rows});
    if (is_new) {
        const Expr symbol = model_.graph.symbol(std::string(name));
        found->second = symbol;
        know_symbol(symbol, symbol);
        model_.observed.push_back({kind, std::move(rows), symbol});
    }
    return arithmetic.of(found->second, place);
}

}  // namespace lacon::lang
