// Finds what names, indices and components stand for, and suggests the nearest name where nothing
// fits.
#include <fmt/format.h>

#include <numbers>

#include "base/text.hpp"
#include "lang/evaluate/scopes.hpp"
#include "lang/text/characters.hpp"

/// Names, indices and components: from the letters to what they stand for.
namespace lacon::lang {

const Value* Evaluator::bound(NameId name) const {
    for (std::size_t i = bindings_.size(); i > frame_; --i)
        if (bindings_[i - 1].name == name) return &bindings_[i - 1].value;
    return nullptr;
}

EntityId Evaluator::entity_named(NodeId id) const {
    const Node& node = syntax_.nodes[id];
    if (node.kind != NodeKind::name || bound(node.detail) != nullptr) return none;
    return names.id_of(node.detail);
}

Value Evaluator::name(const Node& node) {
    if (const Value* value = bound(node.detail)) return *value;
    if (const EntityId entity = names.id_of(node.detail); entity != none)
        return entity_value(entity, node);
    return built_in(node);
}

Value Evaluator::entity_value(EntityId id, const Node& node) {
    const Entity& entity = names.entities[id];
    const Span place = syntax_.span(node.tokens);
    const std::string_view name = syntax_.names[entity.name];
    if (entity.kind == EntityKind::unknown) return {};
    if (entity.kind == EntityKind::function)
        return arithmetic.fail(
            place, fmt::format("'{}' is a function and needs its arguments in brackets", name));
    if (entity.kind == EntityKind::data)
        return arithmetic.fail(place,
                               fmt::format("'{}' is data and needs its argument in brackets", name),
                               fmt::format("write {}(t)", name));
    if (entity.kind == EntityKind::constraint || entity.kind == EntityKind::control)
        return arithmetic.fail(place,
                               fmt::format("'{}' is {}, not a value", name, nature_of(entity.kind)),
                               fmt::format("in 'output' its force is {}.force", name));
    if (entity.kind == EntityKind::body)
        return arithmetic.fail(
            place, fmt::format("'{}' is a body, not a value", name),
            fmt::format("write {0}.center, or {0}(0, 0, 0) for a point of it", name));
    if (entity.kind == EntityKind::joint && !entity.family) {
        if (!list_members(id)) return {};
        const MemberId member = member_at(id, {}, place);
        return member == none ? Value{} : refuse_joint(member, place);
    }
    if (entity.kind == EntityKind::event)
        return arithmetic.fail(place, fmt::format("'{}' is an event, not a value", name));
    if (entity.family)
        return arithmetic.fail(place,
                               fmt::format("'{}' is a family; say which member is meant", name),
                               fmt::format("write an index after it: {}[1]", name));
    if (!list_members(id)) return {};
    const MemberId member = member_at(id, {}, place);
    return member == none ? Value{} : value_of(member);
}

Value Evaluator::built_in(const Node& node) {
    const std::string_view name = syntax_.names[node.detail];
    const Span place = syntax_.span(node.tokens);
    if (name == "pi") return Value::of_number(std::numbers::pi);
    if (name == "deg") return Value::of_number(std::numbers::pi / 180.0);
    if (name == "t") return structural_ ? moving("the time") : arithmetic.of(model_.time, place);
    if (name == "energy") return observe(Observed::Kind::energy, {}, name, place);
    if (name == "kinetic") return observe(Observed::Kind::kinetic, {}, name, place);
    if (name == "potential") return observe(Observed::Kind::potential, {}, name, place);
    if (nature_of(name) == "a built-in function")
        return arithmetic.fail(
            place, fmt::format("'{}' is a function and needs its arguments in brackets", name),
            fmt::format("write {}(...)", name));
    unknown_name(node.detail, place);
    return {};
}

Value Evaluator::index(const Node& node) {
    const NodeId base = syntax_.child(node, 0);
    const Span place = syntax_.span(node.tokens);
    if ((is_constraint(base) && !is_reaction(base)) || is_control(base))
        return arithmetic.fail(place, fmt::format("{} is not a value", nature_of(kind_at(base))),
                               "in 'output' its force is NAME.force");
    const EntityId id = entity_named(base);
    if (id != none && names.entities[id].kind == EntityKind::unknown) return {};
    if (id != none && names.entities[id].kind == EntityKind::event) return evaluate(base);
    const bool family = id != none && names.entities[id].family;
    const std::size_t expected = family ? names.entities[id].dimensions : 1;
    if (node.count - 1 != expected) {
        const std::string what =
            family ? fmt::format("'{}'", syntax_.names[names.entities[id].name]) : "a vector";
        return arithmetic.fail(place, fmt::format("{} has {}, but {} are given here", what,
                                                  counted_indices(expected), node.count - 1));
    }
    Index at;
    for (std::size_t i = 1; i < node.count; ++i) {
        const auto value = whole(syntax_.child(node, i), "an index");
        if (!value) return {};
        at.at[at.count++] = *value;
    }
    if (!family) return part(evaluate(base), at.at[0], place);
    if (!list_members(id)) return {};
    const MemberId member = member_at(id, at, place);
    return member == none ? Value{} : value_of(member);
}

Value Evaluator::part(const Value& value, std::int64_t number, Span place) {
    if (value.is_bad()) return {};
    if (value.empty_sum) return Value::of_number(0.0);
    if (!value.is_vector())
        return arithmetic.fail(
            place,
            fmt::format("this is {}, neither a vector nor a family; it has no index or component",
                        describe(value)));
    if (number < 1 || number > static_cast<std::int64_t>(value.parts.size()))
        return arithmetic.fail(
            place, fmt::format("there is no component {} in {}", number, describe(value)),
            "components count from 1");
    return arithmetic.of(value.parts[static_cast<std::size_t>(number) - 1], place);
}

Value Evaluator::component(const Node& node) {
    const NodeId base = syntax_.child(node, 0);
    const std::string_view name = syntax_.names[node.detail];
    const Span place = syntax_.span(node.tokens);
    if (is_constraint(base) && !is_reaction(base)) return observe_constraint(node);
    if (is_control(base)) return observe_control(node);
    if (is_joint_force(base, name)) return joint_force(base, name, place);
    if (kind_at(base) == EntityKind::body && syntax_.nodes[base].kind != NodeKind::component) {
        const auto body = body_of(base);
        return body ? body_quantity(*body, name, place) : Value{};
    }
    const auto number = name == "x" ? 1 : name == "y" ? 2 : name == "z" ? 3 : 0;
    constexpr EntityKind kinds[] = {EntityKind::constraint, EntityKind::control};
    const bool of_control = name == "power" || name == "error" || name == "effort";
    const bool observed = name == "force" || name == "reaction" || name == "multiplier" ||
                          name == "residual" || of_control;
    if (observed &&
        refuse_unknown(base, std::span(kinds).subspan(of_control ? 1 : 0, name == "force" ? 2 : 1)))
        return {};
    if (is_effort(base)) return observe_effort(name, place);
    if (number == 0)
        return arithmetic.fail(
            place, fmt::format("there is no component '.{}'", name),
            of_control ? "only controls have a force, a power and an error"
            : observed ? "only constraints have a force, a reaction, a multiplier and a residual"
                       : "components are .x, .y and .z, or [1], [2], ...");
    const Value value = evaluate(base);
    const EntityId id = entity_named(
        syntax_.nodes[base].kind == NodeKind::index ? syntax_.child(syntax_.nodes[base], 0) : base);
    const bool on_a_line =
        id != none && names.entities[id].kind == EntityKind::particle && !value.is_vector();
    if (on_a_line && number == 1) return value;
    return part(value, number, place);
}

std::vector<std::string> Evaluator::names_in_scope() const {
    std::vector<std::string> all;
    for (std::size_t i = bindings_.size(); i > frame_; --i)
        all.emplace_back(syntax_.names[bindings_[i - 1].name]);
    for (const Entity& entity : names.entities) all.emplace_back(syntax_.names[entity.name]);
    all.emplace_back("pi");
    return all;
}

std::vector<std::string> Evaluator::functions_in_scope() const {
    std::vector<std::string> all = function_names();
    for (const Entity& entity : names.entities)
        if (entity.kind == EntityKind::function || entity.kind == EntityKind::data)
            all.emplace_back(syntax_.names[entity.name]);
    return all;
}

namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

/// `theta` and two primes for "theta_ddot": how derivatives are spelled elsewhere.
std::optional<std::pair<std::string_view, std::string_view>> dotted_name(std::string_view name) {
    constexpr std::pair<std::string_view, std::string_view> endings[] = {
        {"_ddot", "''"}, {"_dotdot", "''"}, {"ddot", "''"}, {"_dot", "'"},
        {"dot", "'"},    {"_d", "'"},       {"_dd", "''"}};
    for (const auto& [ending, primes] : endings)
        if (name.size() > ending.size() && name.ends_with(ending))
            return {{name.substr(0, name.size() - ending.size()), primes}};
    return std::nullopt;
}

}  // namespace

void Evaluator::unknown_name(NameId name, Span place, bool called) {
    const std::string_view text = syntax_.names[name];
    // Looking for near names takes time, and no one reads that far.
    constexpr std::size_t hint_limit = 50;
    std::vector<std::string> candidates;
    if (diagnostics_.error_count() < hint_limit)
        candidates = called ? functions_in_scope() : names_in_scope();
    if (bodies.any() && !called) candidates.emplace_back("ground");
    const auto known = [&](std::string_view wanted) {
        return std::find(candidates.begin(), candidates.end(), wanted) != candidates.end();
    };
    std::string hint;
    if (const auto dotted = dotted_name(text); dotted && known(dotted->first)) {
        hint = fmt::format("a time derivative is written with primes: {}{}", dotted->first,
                           dotted->second);
    } else if (text == "π") {
        hint = "did you mean 'pi'?";
    } else if (text == "ln") {
        hint = "the natural logarithm is 'log'";
    } else {
        for (const std::string& candidate : candidates)
            if (hint.empty() && lower(candidate) == lower(text))
                hint =
                    fmt::format("did you mean '{}'? Capital and small letters differ", candidate);
        if (const auto near = nearest_name(text, candidates);
            near && hint.empty() && text.size() > 1)
            hint = fmt::format("did you mean '{}'?", *near);
    }
    arithmetic.fail(
        place,
        fmt::format("there is {} '{}'", called ? "no function" : "nothing named", shortened(text)),
        hint);
}

}  // namespace lacon::lang
