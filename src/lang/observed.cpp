#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "lang/characters.hpp"
#include "lang/scopes.hpp"

/// What only the computation knows, in outputs and events: `energy`, `wire.force`, `rod[3].x.multiplier`; in nonideal forces
/// `load(wire)`.
namespace lacon::lang {

/// The node without the indices and components behind it.
NodeId Evaluator::base_of(NodeId node) const {
    while (syntax_.nodes[node].kind == NodeKind::index || syntax_.nodes[node].kind == NodeKind::component)
        node = syntax_.child(syntax_.nodes[node], 0);
    return node;
}

/// Whether the node is a constraint, a member of a family of them, or a row.
bool Evaluator::is_constraint(NodeId node) const {
    const EntityId id = entity_named(base_of(node));
    return id != none && names.entities[id].kind == EntityKind::constraint;
}

/// Where the node, which should be a constraint, begins with a name that nothing has: reports that.
bool Evaluator::refuse_unknown_constraint(NodeId node) {
    node = base_of(node);
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
    if (entity == none) {
        arithmetic.fail(place, "a row of a constraint has no further components");
        return none;
    }
    if (!list_members(entity)) return none;
    if (node.kind == NodeKind::name && names.entities[entity].family) {
        const std::string name = names.name_of(names.entities[entity]);
        arithmetic.fail(place, fmt::format("'{}' is a family; say which member is meant", name),
                        fmt::format("write an index behind it: {}[1]", name));
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

std::optional<Evaluator::ObservedRows> Evaluator::rows_of(NodeId id) {
    const Node& node = syntax_.nodes[id];
    const NodeId base = node.kind == NodeKind::name ? id : syntax_.child(node, 0);
    const EntityId entity = entity_named(base);
    const bool whole_constraint =
        node.kind == NodeKind::name || (node.kind == NodeKind::index && entity != none && names.entities[entity].family);
    const MemberId member = constraint_at(whole_constraint ? id : base);
    if (member == none || names.members[member].slot == none) return std::nullopt;
    const std::size_t first = names.members[member].slot, count = names.members[member].row_count;
    if (whole_constraint) return ObservedRows{names.rows_of(member), names.name_of(member)};
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
    const std::size_t place = first + static_cast<std::size_t>(row) - 1;
    return ObservedRows{{place}, model_.constraints[place].name};
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
    if (!is_observable(kind)) return refuse_observed(kind, place);
    auto observed = rows_of(base);
    if (!observed) return {};
    const std::string_view text = syntax_.source->text(syntax_.span(base));
    if (kind != Observed::Kind::force && observed->rows.size() > 1)
        return arithmetic.fail(place, fmt::format("'{}' is a vector equation with one {} a row", text, quantity),
                               fmt::format("write {}.x.{}", text, quantity));
    return observe(kind, std::move(observed->rows), fmt::format("{}.{}", observed->name, quantity), place);
}

/// load(C), C being a constraint, a member of a family of them, or a row: the same number as C.force.
Value Evaluator::load(const Node& node) {
    const Span place = syntax_.span(node.tokens);
    if (node.count != 1)
        return arithmetic.fail(place, fmt::format("'load' takes 1 argument, but here it is given {}", node.count));
    const NodeId constraint = syntax_.child(node, 0);
    if (!is_constraint(constraint)) {
        const EntityId entity = entity_named(base_of(constraint));
        const bool broken = entity != none && names.entities[entity].kind == EntityKind::unknown;
        if (broken || refuse_unknown_constraint(constraint)) return {};
        return arithmetic.fail(syntax_.span(constraint), "'load' takes a constraint, but this is none",
                               "write for example load(wire), load(rod[3]) or load(wire.x)");
    }
    if (!is_observable(Observed::Kind::force)) return refuse_observed(Observed::Kind::force, place);
    auto observed = rows_of(constraint);
    if (!observed) return {};
    return observe(Observed::Kind::force, std::move(observed->rows), fmt::format("load({})", observed->name), place);
}

bool Evaluator::is_observable(Observed::Kind kind) const {
    const bool load = kind == Observed::Kind::force && observable_ == Observable::loads;
    return !structural_ && (load || observable_ == Observable::everything);
}

Value Evaluator::refuse_observed(Observed::Kind kind, Span place) {
    return arithmetic.fail(place, fmt::format("'{}' is known only after the motion is computed", syntax_.source->text(place)),
                           kind == Observed::Kind::force ? "it can stand in 'nonideal', 'output' and 'event' only"
                                                         : "it can stand in 'output' and 'event' only");
}

Value Evaluator::observe(Observed::Kind kind, std::vector<std::size_t> rows, std::string_view name, Span place) {
    if (!is_observable(kind)) return refuse_observed(kind, place);
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
