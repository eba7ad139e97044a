// Turns quantities of the computation (energies, forces, multipliers, efforts) into symbols, and
// refuses them where they are not known yet.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "lang/evaluate/scopes.hpp"
#include "lang/text/characters.hpp"

/// What only the computation knows, in outputs and events: `energy`, `wire.force`,
/// `rod[3].x.multiplier`, `track.power`; in nonideal forces `load(wire)`.
namespace lacon::lang {

/// The node without the indices and components behind it.
NodeId Evaluator::base_of(NodeId node) const {
    while (syntax_.nodes[node].kind == NodeKind::index ||
           syntax_.nodes[node].kind == NodeKind::component)
        node = syntax_.child(syntax_.nodes[node], 0);
    return node;
}

/// What the node is, a member of a family of, or a row of.
EntityKind Evaluator::kind_at(NodeId node) const {
    const EntityId id = entity_named(base_of(node));
    return id == none ? EntityKind::unknown : names.entities[id].kind;
}

/// Whether the node is the word before the name of an actuator, as columns are called: `effort.x`.
bool Evaluator::is_effort(NodeId node) const {
    const Node& name = syntax_.nodes[node];
    if (name.kind != NodeKind::name || syntax_.names[name.detail] != "effort") return false;
    return !model_.controls.empty() && bound(name.detail) == nullptr &&
           names.id_of(name.detail) == none;
}

/// Where the node, which should be of one of the kinds, begins with a name that nothing has:
/// reports that. Kinds that the model has nothing of are not talked about, but for the first.
bool Evaluator::refuse_unknown(NodeId node, std::span<const EntityKind> kinds) {
    node = base_of(node);
    if (syntax_.nodes[node].kind != NodeKind::name) return false;
    const NameId name = syntax_.nodes[node].detail;
    if (bound(name) != nullptr || names.id_of(name) != none || is_reserved(syntax_.names[name]))
        return false;
    std::vector<std::string> candidates;
    std::string noun(noun_of(kinds.front())), nouns = noun + "s";
    for (const EntityKind kind : kinds) {
        const std::size_t before = candidates.size();
        for (const Entity& entity : names.entities)
            if (entity.kind == kind) candidates.push_back(names.name_of(entity));
        if (kind == kinds.front() || candidates.size() == before) continue;
        noun += fmt::format(" or {}", noun_of(kind));
        nouns += fmt::format(" and {}s", noun_of(kind));
    }
    const auto near = nearest_name(syntax_.names[name], candidates);
    arithmetic.fail(syntax_.span(node),
                    fmt::format("there is no {} '{}'", noun, shortened(syntax_.names[name])),
                    near ? fmt::format("did you mean '{}'?", *near)
                    : candidates.empty()
                        ? fmt::format("the model has no {}", nouns)
                        : fmt::format("the {} are {}", nouns, quoted_list(candidates)));
    return true;
}

MemberId Evaluator::member_of(NodeId node) {
    const bool indexed = syntax_.nodes[node].kind == NodeKind::index;
    const EntityId entity = entity_named(indexed ? syntax_.child(syntax_.nodes[node], 0) : node);
    if (entity == none || names.entities[entity].family != indexed) return none;
    return whole_at(node);
}

/// What the node names whole, a constraint without a row; none where it names a row or nothing
/// (then reported).
MemberId Evaluator::whole_at(NodeId id) {
    const Node& node = syntax_.nodes[id];
    const EntityId entity =
        entity_named(node.kind == NodeKind::index ? syntax_.child(node, 0) : id);
    const Span place = syntax_.span(id);
    if (entity == none) {
        arithmetic.fail(place, "a row of a constraint has no further components");
        return none;
    }
    if (!list_members(entity)) return none;
    if (node.kind == NodeKind::name && names.entities[entity].family) {
        const std::string name = names.name_of(names.entities[entity]);
        arithmetic.fail(place, fmt::format("'{}' is a family; say which member is meant", name),
                        fmt::format("write an index after it: {}[1]", name));
        return none;
    }
    Index index;
    if (node.kind == NodeKind::index) {
        if (node.count - 1 != names.entities[entity].dimensions) {
            arithmetic.fail(place, fmt::format("'{}' has {}, but {} are given here",
                                               names.name_of(names.entities[entity]),
                                               counted_indices(names.entities[entity].dimensions),
                                               node.count - 1));
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
        node.kind == NodeKind::name ||
        (node.kind == NodeKind::index && entity != none && names.entities[entity].family);
    const MemberId member = whole_at(whole_constraint ? id : base);
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
        arithmetic.fail(syntax_.span(id),
                        fmt::format("the constraint '{}' has no such row", names.name_of(member)),
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
    if (quantity == "reaction") return observe_reaction(node);
    if (quantity != "force" && quantity != "multiplier" && quantity != "residual")
        return arithmetic.fail(
            place, "a constraint is not a value",
            "in 'output' a constraint has .reaction, .force, .multiplier and .residual");
    const auto kind = quantity == "force"        ? Observed::Kind::force
                      : quantity == "multiplier" ? Observed::Kind::multiplier
                                                 : Observed::Kind::residual;
    if (!is_observable(kind)) return refuse_observed(kind, place);
    auto observed = rows_of(base);
    if (!observed) return {};
    const std::string_view text = syntax_.source->text(syntax_.span(base));
    if (kind != Observed::Kind::force && observed->rows.size() > 1)
        return arithmetic.fail(
            place, fmt::format("'{}' is a vector equation with one {} a row", text, quantity),
            quantity == "multiplier"
                ? fmt::format("write {}.x.multiplier, or {}.reaction for all", text, text)
                : fmt::format("write {}.x.{}", text, quantity));
    return observe(kind, std::move(observed->rows), fmt::format("{}.{}", observed->name, quantity),
                   place);
}

/// C.reaction: the multipliers of a constraint, for a vector equation as a vector.
Value Evaluator::observe_reaction(const Node& node) {
    const Span place = syntax_.span(node.tokens);
    constexpr auto kind = Observed::Kind::multiplier;
    if (!is_observable(kind)) return refuse_observed(kind, place);
    const auto observed = rows_of(syntax_.child(node, 0));
    if (!observed) return {};
    const auto of_row = [&](std::size_t row) {
        return observe(kind, {row}, fmt::format("{}.multiplier", model_.constraints[row].name),
                       place);
    };
    if (observed->rows.size() == 1) return of_row(observed->rows[0]);
    Components parts;
    for (const std::size_t row : observed->rows) parts.push_back(arithmetic.expr(of_row(row)));
    return Value::of_vector(std::move(parts));
}

/// Whether the node is C.reaction, which has components as a value has.
bool Evaluator::is_reaction(NodeId id) const {
    const Node& node = syntax_.nodes[id];
    return node.kind == NodeKind::component && syntax_.names[node.detail] == "reaction" &&
           is_constraint(syntax_.child(node, 0));
}

/// effort.NAME: of an actuator with a plain name.
Value Evaluator::observe_effort(std::string_view actuator, Span place) {
    if (!is_observable(Observed::Kind::effort))
        return refuse_observed(Observed::Kind::effort, place);
    std::vector<std::string> known;
    for (std::size_t i = 0; i < model_.actuators.size(); ++i) {
        if (model_.actuators[i].name == actuator)
            return observe(Observed::Kind::effort, {i}, fmt::format("effort.{}", actuator), place);
        known.push_back(model_.actuators[i].name);
    }
    const auto near = nearest_name(actuator, known);
    return arithmetic.fail(place, fmt::format("there is no actuator '{}'", shortened(actuator)),
                           near ? fmt::format("did you mean 'effort.{}'?", *near)
                           : known.empty()
                               ? "the model has no controls"
                               : fmt::format("the actuators are {}", quoted_list(known)));
}

/// NAME.force, NAME.power or NAME.error of a control: always of all its rows together.
Value Evaluator::observe_control(const Node& node) {
    const NodeId base = syntax_.child(node, 0);
    const Span place = syntax_.span(node.tokens);
    const std::string_view quantity = syntax_.names[node.detail],
                           text = syntax_.source->text(syntax_.span(base));
    if (quantity != "force" && quantity != "power" && quantity != "error" && quantity != "effort")
        return arithmetic.fail(place, "a control is not a value",
                               "in 'output' a control has .force, .power and .error");
    const auto kind = quantity == "force"   ? Observed::Kind::control_force
                      : quantity == "power" ? Observed::Kind::control_power
                                            : Observed::Kind::control_error;
    if (!is_observable(kind)) return refuse_observed(kind, place);
    if (syntax_.nodes[base].kind == NodeKind::component)
        return arithmetic.fail(
            place, fmt::format("a control has one {}, not one for each row", quantity),
            fmt::format("write {}.{}", syntax_.source->text(syntax_.span(base_of(base))),
                        quantity));
    const MemberId member = whole_at(base);
    if (member == none || names.members[member].slot == none) return {};
    const std::size_t slot = names.members[member].slot;
    if (quantity == "effort")
        return arithmetic.fail(
            place, fmt::format("the control '{}' has an effort for each of its actuators", text),
            fmt::format("they are columns of every run already: effort.{}, ...",
                        model_.actuators[model_.controls[slot].actuators.front()].name));
    return observe(kind, {slot}, fmt::format("{}.{}", names.name_of(member), quantity), place);
}

/// load(C), C being a constraint, a member of a family of them, or a row: the same number as
/// C.force.
Value Evaluator::load(const Node& node) {
    const Span place = syntax_.span(node.tokens);
    if (node.count != 1)
        return arithmetic.fail(
            place, fmt::format("'load' takes 1 argument, but is given {} here", node.count));
    const NodeId constraint = syntax_.child(node, 0);
    if (!is_constraint(constraint)) {
        const EntityId entity = entity_named(base_of(constraint));
        const bool broken = entity != none && names.entities[entity].kind == EntityKind::unknown;
        constexpr EntityKind kinds[] = {EntityKind::constraint};
        if (broken || refuse_unknown(constraint, kinds)) return {};
        if (is_control(constraint))
            return arithmetic.fail(syntax_.span(constraint),
                                   "'load' takes a constraint, but this is a control",
                                   "in 'output' and 'event' the force of a control is NAME.force");
        return arithmetic.fail(syntax_.span(constraint),
                               "'load' takes a constraint, but this is not one",
                               "write for example load(wire), load(rod[3]) or load(wire.x)");
    }
    if (!is_observable(Observed::Kind::force)) return refuse_observed(Observed::Kind::force, place);
    auto observed = rows_of(constraint);
    if (!observed) return {};
    return observe(Observed::Kind::force, std::move(observed->rows),
                   fmt::format("load({})", observed->name), place);
}

bool Evaluator::is_observable(Observed::Kind kind) const {
    const bool load = kind == Observed::Kind::force && observable_ == Observable::loads;
    return !structural_ && (load || observable_ == Observable::everything);
}

Value Evaluator::refuse_observed(Observed::Kind kind, Span place) {
    return arithmetic.fail(
        place,
        fmt::format("'{}' is known only after the motion is computed", syntax_.source->text(place)),
        kind == Observed::Kind::force ? "it is allowed only in 'nonideal', 'output' and 'event'"
                                      : "it is allowed only in 'output' and 'event'");
}

Value Evaluator::observe(Observed::Kind kind, std::vector<std::size_t> rows, std::string_view name,
                         Span place) {
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
