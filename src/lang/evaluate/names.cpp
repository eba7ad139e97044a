// Declares the names of all statements before anything is evaluated. Members are found by a hash
// table for each family; neighbours in the first index lie side by side in it.
#include "lang/evaluate/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.hpp"
#include "lang/parse/couplings.hpp"

namespace lacon::lang {

std::string Index::text() const {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += fmt::format("{}{}", i == 0 ? "[" : ",", at[i]);
    return count > 0 ? text + "]" : text;
}

std::string_view nature_of(EntityKind kind) {
    switch (kind) {
        case EntityKind::parameter: return "a parameter";
        case EntityKind::coordinate: return "a coordinate";
        case EntityKind::let: return "a named expression";
        case EntityKind::function: return "a function";
        case EntityKind::data: return "a signal";
        case EntityKind::particle: return "a particle";
        case EntityKind::constraint: return "a constraint";
        case EntityKind::control: return "a control";
        case EntityKind::event: return "an event";
        case EntityKind::body: return "a body";
        case EntityKind::joint: return "a joint";
        case EntityKind::unknown: break;
    }
    return "unknown";
}

std::string_view noun_of(EntityKind kind) {
    const std::string_view nature = nature_of(kind);
    return nature.substr(nature.find(' ') + 1);
}

std::string component_ending(std::size_t i) {
    return i < 3 ? fmt::format(".{}", "xyz"[i]) : fmt::format("[{}]", i + 1);
}

std::string counted_indices(std::size_t count) {
    return count == 1 ? "1 index" : fmt::format("{} indices", count);
}

Names::Names(const Syntax& syntax, Diagnostics& diagnostics)
    : syntax_(syntax), diagnostics_(diagnostics), by_name_(syntax.names.size(), none) {
    for (const Statement& statement : syntax.statements) declare_all(statement);
    for (const Statement& statement : syntax.statements) {
        const auto* broken = std::get_if<BrokenStatement>(&statement.content);
        if (broken == nullptr) continue;
        for (const NameId name : broken->names) {
            if (by_name_[name] == none) {
                by_name_[name] = static_cast<EntityId>(entities.size());
                entities.push_back({.name = name, .definitions = {}, .table = {}});
            }
            entities[by_name_[name]].incomplete = true;
        }
    }
    for (const Statement& statement : syntax.statements) warn_of_hidden(statement.loops);
    for (const Loops& loops : syntax.loops) warn_of_hidden(loops);
}

/// An index may have the name of something else; within its clause only the index is meant, which
/// is easily overlooked.
void Names::warn_of_hidden(const Loops& loops) {
    for (const Loop& loop : loops.loops) {
        for (const LoopName& index : loop.names) {
            const Entity* entity = find(index.name);
            if (entity == nullptr || entity->kind == EntityKind::unknown) continue;
            const std::string_view name = syntax_.names[index.name];
            diagnostics_.warning(syntax_.tokens[index.token].span,
                                 fmt::format("the loop index '{}' hides {} of that name", name,
                                             nature_of(entity->kind)),
                                 "choose another name for the index");
        }
    }
}

void Names::declare_all(const Statement& statement) {
    if (const auto* param = std::get_if<ParamStatement>(&statement.content)) {
        for (std::size_t i = 0; i < param->items.size(); ++i)
            declare(EntityKind::parameter, statement, param->items[i].target, i,
                    param->items[i].value);
    } else if (const auto* coord = std::get_if<CoordStatement>(&statement.content)) {
        for (std::size_t i = 0; i < coord->targets.size(); ++i)
            declare(EntityKind::coordinate, statement, coord->targets[i], i, none);
    } else if (const auto* let = std::get_if<LetStatement>(&statement.content)) {
        for (std::size_t i = 0; i < let->items.size(); ++i)
            declare(let->items[i].is_function ? EntityKind::function : EntityKind::let, statement,
                    let->items[i].target, i, let->items[i].value);
    } else if (const auto* data = std::get_if<DataStatement>(&statement.content)) {
        declare(EntityKind::data, statement, data->target, 0, none);
    } else if (const auto* particle = std::get_if<ParticleStatement>(&statement.content)) {
        declare(EntityKind::particle, statement, particle->target, 0, particle->position);
    } else if (const auto* constraint = std::get_if<ConstraintStatement>(&statement.content)) {
        declare(EntityKind::constraint, statement, constraint->target, 0, none);
    } else if (const auto* control = std::get_if<ControlStatement>(&statement.content)) {
        declare(EntityKind::control, statement, control->target, 0, none);
    } else if (const auto* event = std::get_if<EventStatement>(&statement.content)) {
        declare(EntityKind::event, statement, event->target, 0, none);
    } else if (const auto* body = std::get_if<BodyStatement>(&statement.content)) {
        if (syntax_.names[body->target.name] != "ground")
            declare(EntityKind::body, statement, body->target, 0, none);
    } else if (const auto* contact = std::get_if<ContactStatement>(&statement.content)) {
        declare(EntityKind::constraint, statement, contact->target, 0, none);
    } else if (const auto* joint = std::get_if<JointStatement>(&statement.content)) {
        declare(EntityKind::joint, statement, joint->target, 0, none);
        Entity& entity = entities[by_name_[joint->target.name]];
        entity.is_joint = true;
        if (find_coupling(syntax_.text(joint->kind)) != nullptr) entity.is_coupling = true;
    }
}

void Names::declare(EntityKind kind, const Statement& statement, const Target& target,
                    std::size_t item, NodeId value) {
    EntityId& id = by_name_[target.name];
    const bool repeated = !statement.loops.loops.empty();
    if (repeated && target.indices.empty()) {
        const std::string_view name = syntax_.names[target.name];
        diagnostics_.error(
            syntax_.span(target.tokens),
            fmt::format("'{}' is repeated by 'for', but has no index", name),
            fmt::format("write {}[{}]", name,
                        syntax_.names[statement.loops.loops.front().names.front().name]));
    }
    if (id == none) {
        id = static_cast<EntityId>(entities.size());
        entities.push_back({.name = target.name,
                            .kind = kind,
                            .family = !target.indices.empty(),
                            .dimensions = target.indices.size(),
                            .definitions = {},
                            .table = {}});
    } else if (!fits(entities[id], kind, target)) {
        return;
    }
    if (repeated && target.indices.empty()) {
        entities[id].incomplete = true;
        return;
    }
    entities[id].definitions.push_back(static_cast<DefinitionId>(definitions.size()));
    definitions.push_back({id, &statement, &target, item, value, {}});
}

/// "line 3", where it is first declared; empty of what is there without a declaration.
std::string Names::line_of(const Entity& entity) const {
    if (entity.definitions.empty()) return {};
    const Target& first = *definitions[entity.definitions.front()].target;
    return diagnostics_.line_text(syntax_.span(first.tokens).begin, *syntax_.source);
}

/// Whether a further definition goes with the first one of its name.
bool Names::fits(const Entity& entity, EntityKind kind, const Target& target) {
    const Span place = syntax_.span(target.tokens);
    const std::string_view name = syntax_.names[target.name];
    const std::string line = line_of(entity);
    const bool family = !target.indices.empty();
    if (entity.kind != kind || entity.family != family || !family) {
        const std::string first = entity.family
                                      ? fmt::format("a family of {}s", noun_of(entity.kind))
                                      : std::string(nature_of(entity.kind));
        diagnostics_.error(place,
                           fmt::format("'{}' is declared twice: it is already {}", name, first),
                           line.empty() ? "" : fmt::format("the first declaration is in {}", line));
        return false;
    }
    if (entity.dimensions != target.indices.size()) {
        diagnostics_.error(
            place, fmt::format("'{}' has {} in {}, but {} here", name,
                               counted_indices(entity.dimensions), line, target.indices.size()));
        return false;
    }
    return true;
}

// ---- members

/// Where the member stands in the entity's table, or the free slot for it. Eight that follow each
/// other in their first index lie side by side, since families are mostly walked through that way.
std::size_t Names::slot_of(const Entity& entity, const Index& index) const {
    std::uint64_t hash = static_cast<std::uint32_t>(index.at[0]) >> 3;
    for (std::size_t i = 1; i < index.count; ++i)
        hash = (hash * 0x9E3779B97F4A7C15u) ^ static_cast<std::uint32_t>(index.at[i]);
    hash *= 0x9E3779B97F4A7C15u;
    const std::size_t mask = entity.table.size() - 1;
    std::size_t slot =
        (((hash >> 24) << 3) | (static_cast<std::uint32_t>(index.at[0]) & 7u)) & mask;
    const auto is_at = [&](MemberId member) {
        return std::equal(index.at.begin(), index.at.begin() + index.count,
                          indices.begin() + members[member].indices);
    };
    while (entity.table[slot] != none && !is_at(entity.table[slot])) slot = (slot + 1) & mask;
    return slot;
}

MemberId Names::find_member(const Entity& entity, const Index& index) const {
    return entity.table.empty() || index.count != entity.dimensions
               ? none
               : entity.table[slot_of(entity, index)];
}

Index Names::index_of(MemberId member) const {
    Index index;
    index.count = static_cast<std::uint8_t>(entity_of(member).dimensions);
    std::copy_n(indices.begin() + members[member].indices, index.count, index.at.begin());
    return index;
}

/// Adds a member that there is none of yet.
MemberId Names::enter(EntityId id, const Index& index, Member member) {
    Entity& entity = entities[id];
    if (2 * (entity.member_count + 1) > entity.table.size()) {
        const std::vector<MemberId> before = std::move(entity.table);
        entity.table.assign(std::max<std::size_t>(16, 2 * before.size()), none);
        for (const MemberId old : before)
            if (old != none) entity.table[slot_of(entity, index_of(old))] = old;
    }
    const auto added = static_cast<MemberId>(members.size());
    entity.table[slot_of(entity, index)] = added;
    ++entity.member_count;
    member.indices = static_cast<std::uint32_t>(indices.size());
    indices.insert(indices.end(), index.at.begin(), index.at.begin() + index.count);
    definitions[member.definition].members.push_back(added);
    members.push_back(member);
    return added;
}

MemberId Names::add_member(DefinitionId definition, const Index& index, std::uint32_t iteration,
                           std::span<const double> values) {
    const EntityId entity = definitions[definition].entity;
    if (find_member(entities[entity], index) != none) return none;
    Member member;
    member.definition = definition;
    member.iteration = iteration;
    member.loop_values = static_cast<std::uint32_t>(loop_values.size());
    loop_values.insert(loop_values.end(), values.begin(), values.end());
    return enter(entity, index, member);
}

MemberId Names::add_made(EntityKind kind, NameId name, MemberId of, EntityId& taken_by) {
    const EntityId owner = definition_of(of).entity;
    if (by_name_[name] == none) {
        by_name_[name] = static_cast<EntityId>(entities.size());
        entities.push_back({.name = name,
                            .kind = kind,
                            .family = entities[owner].family,
                            .dimensions = entities[owner].dimensions,
                            .listed = Progress::done,
                            .definitions = {},
                            .table = {}});
        entities.back().made_by = owner;
    }
    const EntityId id = by_name_[name];
    taken_by = id;
    if (entities[id].made_by != owner) return none;
    const auto& all = entities[id].definitions;
    const auto found = std::find_if(all.begin(), all.end(), [&](DefinitionId d) {
        return definitions[d].statement == definition_of(of).statement;
    });
    Member member;
    member.iteration = members[of].iteration;
    member.loop_values = members[of].loop_values;
    member.definition = found == all.end() ? static_cast<DefinitionId>(definitions.size()) : *found;
    if (found == all.end()) {
        definitions.push_back(
            {id, definition_of(of).statement, definition_of(of).target, 0, none, {}});
        entities[id].definitions.push_back(member.definition);
    }
    const Index index = index_of(of);
    return find_member(entities[id], index) != none ? none : enter(id, index, member);
}

void Names::add_outside_parameter(NameId name, const Index& index, double value) {
    EntityId& id = by_name_[name];
    if (id == none) {
        id = static_cast<EntityId>(entities.size());
        entities.push_back({.name = name,
                            .kind = EntityKind::parameter,
                            .family = index.count > 0,
                            .dimensions = index.count,
                            .listed = Progress::done,
                            .definitions = {static_cast<DefinitionId>(definitions.size())},
                            .table = {}});
        definitions.push_back({.entity = id, .members = {}});
    }
    Member member;
    member.definition = entities[id].definitions.front();
    member.structural = Progress::done;
    member.kept = static_cast<std::uint32_t>(numbers.size());
    numbers.push_back(value);
    enter(id, index, member);
}

std::uint32_t Names::keep(const Value& value) {
    KeptValue kept{value.shape, value.empty_sum, value.expr.id, value.number};
    if (value.is_vector()) {
        kept.place = static_cast<std::uint32_t>(parts_.size());
        kept.number = static_cast<double>(value.parts.size());
        parts_.insert(parts_.end(), value.parts.begin(), value.parts.end());
    }
    values_.push_back(kept);
    return static_cast<std::uint32_t>(values_.size() - 1);
}

bool Names::keeps_from(std::size_t first, std::size_t id) const {
    const auto is_later = [&](Expr e) { return e.id >= id; };
    return std::any_of(values_.begin() + static_cast<std::ptrdiff_t>(first), values_.end(),
                       [&](const KeptValue& kept) {
                           if (kept.shape != Value::Shape::vector) return is_later({kept.place});
                           const auto parts = parts_.begin() + kept.place;
                           return std::any_of(
                               parts, parts + static_cast<std::ptrdiff_t>(kept.number), is_later);
                       });
}

Value Names::kept(std::uint32_t place) const {
    const KeptValue& kept = values_[place];
    Value value;
    value.shape = kept.shape;
    value.empty_sum = kept.empty_sum;
    if (value.is_vector()) {
        const auto first = parts_.begin() + kept.place;
        value.parts.assign(first, first + static_cast<std::ptrdiff_t>(kept.number));
    } else {
        value.expr = {kept.place};
        value.number = kept.number;
    }
    return value;
}

std::string Names::name_of(MemberId member) const {
    return name_of(entity_of(member)) + index_of(member).text();
}

std::vector<std::size_t> Names::rows_of(MemberId constraint) const {
    std::vector<std::size_t> rows(members[constraint].row_count);
    std::iota(rows.begin(), rows.end(), members[constraint].slot);
    return rows;
}

std::string Names::extent_of(const Entity& entity) const {
    if (entity.member_count == 0) return "it has none";
    std::vector<Index> all;
    for (const DefinitionId definition : entity.definitions)
        for (const MemberId member : definitions[definition].members)
            all.push_back(index_of(member));
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    const bool gapless =
        low->count == 1 &&
        static_cast<std::size_t>(std::int64_t{high->at[0]} - low->at[0]) + 1 == all.size();
    if (all.size() == 1) return fmt::format("it has only {}", low->text());
    if (gapless) return fmt::format("it has {} to {}", low->text(), high->text());
    return fmt::format("it has {} members, from {} to {}", all.size(), low->text(), high->text());
}

}  // namespace lacon::lang
