// Evaluates definitions when they are first used: members of families, their values, and their time
// derivatives. A definition that needs itself is reported with the whole cycle.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "expr/derivative.hpp"
#include "expr/traverse.hpp"
#include "lang/evaluate/scopes.hpp"

/// Definitions on demand: the members of families, the values of members, and their time
/// derivatives.
namespace lacon::lang {

// ---- members

bool Evaluator::list_members(EntityId id) {
    const Lasting lasting(*this);
    if (names.entities[id].listed == Progress::done) return true;
    if (names.entities[id].listed == Progress::active) {
        const Definition& definition = names.definitions[names.entities[id].definitions.front()];
        arithmetic.fail(syntax_.span(definition.target->tokens),
                        fmt::format("the set of members of '{0}' depends on '{0}' itself",
                                    names.name_of(names.entities[id])));
        return false;
    }
    names.entities[id].listed = Progress::active;
    const Nesting nesting(*this, 6);
    const std::vector<DefinitionId> definitions = names.entities[id].definitions;
    for (const DefinitionId definition : definitions)
        if (!list_definition(definition)) names.entities[id].incomplete = true;
    names.entities[id].listed = Progress::done;
    return true;
}

bool Evaluator::list_definition(DefinitionId id) {
    const Frame frame(*this);
    std::uint32_t iteration = 0;
    return each(names.definitions[id].statement->loops,
                [&] { return list_indices(id, iteration++, {}); });
}

/// Adds the members of one iteration, from the index parts not yet in `index` on: a range gives one
/// for each of its values.
bool Evaluator::list_indices(DefinitionId id, std::uint32_t iteration, Index index) {
    const Definition& definition = names.definitions[id];
    if (index.count == definition.target->indices.size()) {
        count_repetition();
        const std::size_t loops = definition.statement->loops.loops.size();
        const std::span<const double> values(running_.data() + running_.size() - loops, loops);
        if (names.add_member(id, index, iteration, values) != none) return true;
        refuse_duplicate(id, index);
        return false;
    }
    const IndexPart& part = definition.target->indices[index.count];
    const auto low = whole(part.low, "an index");
    const auto high = part.high == none ? low : whole(part.high, "a bound of a range");
    if (!low || !high) return false;
    const std::int64_t size = std::int64_t{*high} - *low + 1;
    if (size > limits_.members) {
        const EntityId entity = names.definitions[id].entity;
        arithmetic.fail(syntax_.span(names.definitions[id].target->tokens),
                        fmt::format("'{}' would have {} members; at most {} are possible",
                                    names.name_of(names.entities[entity]), size, limits_.members));
        return false;
    }
    ++index.count;
    for (std::int64_t i = *low; i <= *high; ++i) {
        index.at[index.count - 1] = static_cast<std::int32_t>(i);
        if (!list_indices(id, iteration, index)) return false;
    }
    return true;
}

void Evaluator::refuse_duplicate(DefinitionId id, const Index& index) {
    const Definition& definition = names.definitions[id];
    const Entity& entity = names.entities[definition.entity];
    const MemberId first = names.find_member(entity, index);
    std::string hint =
        fmt::format("the first declaration is in {}",
                    diagnostics_.line_text(names.place_of(first).begin, *syntax_.source));
    if (const std::string row = row_now(); !row.empty()) {
        std::string before;
        within(first, [&] { before = row_now(); });
        hint = before.empty() ? fmt::format("{}; this one is from {}", hint, row)
                              : fmt::format(
                                    "{} declares it, and {} again; to number the rows, write for "
                                    "k, (i, j) in data",
                                    before, row);
    }
    arithmetic.fail(syntax_.span(definition.target->tokens),
                    fmt::format("'{}{}' is declared twice", names.name_of(entity), index.text()),
                    hint);
}

MemberId Evaluator::member_at(EntityId id, const Index& index, Span place) {
    const Entity& entity = names.entities[id];
    if (const MemberId found = names.find_member(entity, index); found != none) return found;
    if (entity.incomplete) return none;
    const std::string row = row_now();
    arithmetic.fail(place,
                    fmt::format("'{}' has no member {}; {}", names.name_of(entity), index.text(),
                                names.extent_of(entity)),
                    row.empty() ? "" : row + " needs it");
    return none;
}

std::optional<Index> Evaluator::index_of(const Target& target) {
    Index index;
    for (const IndexPart& part : target.indices) {
        if (part.high != none) {
            arithmetic.fail(syntax_.span(target.tokens), "a range is not allowed here",
                            "write one index, and 'for i in 1..3' at the end");
            return std::nullopt;
        }
        const auto value = whole(part.low, "an index");
        if (!value) return std::nullopt;
        index.at[index.count++] = *value;
    }
    return index;
}

void Evaluator::within(MemberId member, const std::function<void()>& body) {
    const Frame frame(*this);
    const Loops& loops = names.definition_of(member).statement->loops;
    for (std::size_t i = 0; i < loops.loops.size(); ++i) {
        const std::size_t first = bindings_.size();
        bind(loops.loops[i]);
        give(loops.loops[i], first, names.loop_values[names.members[member].loop_values + i]);
    }
    body();
}

// ---- values

Value Evaluator::value_of(MemberId member) {
    const EntityKind kind = names.entity_of(member).kind;
    if (kind == EntityKind::parameter) {
        if (structural_) {
            if (parameter_ != none) names.members[parameter_].follows = true;
            else if (!only_checks_) names.members[member].shapes = true;
            const auto value = parameter_number(member);
            return value ? Value::of_number(*value) : Value{};
        }
        const std::uint32_t slot = names.members[member].slot;
        return slot == none ? Value{}
                            : arithmetic.of(model_.parameters[slot].symbol, names.place_of(member));
    }
    if (kind == EntityKind::coordinate) {
        if (structural_) return moving(fmt::format("the coordinate '{}'", names.name_of(member)));
        const std::uint32_t slot = names.members[member].slot;
        if (slot == none && names.entity_of(member).is_joint) return refuse_joint(member);
        return slot == none ? Value{}
                            : arithmetic.of(model_.coordinates[slot].q, names.place_of(member));
    }
    if (kind == EntityKind::joint) return refuse_joint(member);
    if (kind == EntityKind::body)
        return arithmetic.fail(
            names.place_of(member),
            fmt::format("'{}' is a body, not a value", names.name_of(member)),
            fmt::format("write {0}.center, or {0}(0, 0, 0) for a point", names.name_of(member)));
    return define(member);
}

/// A let, or a particle's position.
Value Evaluator::define(MemberId id) {
    const Lasting lasting(*this);
    const bool structural = structural_;
    const auto progress = [&]() -> Progress& {
        return structural ? names.members[id].structural : names.members[id].symbolic;
    };
    if (progress() == Progress::done)
        return structural ? structural_values_[id] : names.kept(names.members[id].kept);
    if (progress() == Progress::active) return refuse_cycle(id);
    progress() = Progress::active;
    const Nesting nesting(*this, 3);
    active_.push_back(id);
    Value value;
    const NodeId body = names.definition_of(id).value;
    within(id, [&] { value = evaluate(body); });
    active_.pop_back();
    if (value.is_truth())
        value = arithmetic.fail(syntax_.span(body), "a condition cannot be given a name",
                                "write if(condition, 1, 0), or the condition where it is used");
    progress() = Progress::done;
    if (structural) structural_values_[id] = value;
    else names.members[id].kept = names.keep(value);
    return value;
}

Value Evaluator::refuse_cycle(MemberId id) {
    const auto first = std::find(active_.begin(), active_.end(), id);
    std::string path;
    const auto length = active_.end() - first;
    for (auto i = first; i != active_.end(); ++i) {
        const auto place = i - first;
        if (place < 6 || place + 3 > length) path += names.name_of(*i) + " → ";
        else if (place == 6) path += "... → ";
    }
    return arithmetic.fail(
        names.place_of(id),
        fmt::format("'{0}' is defined in terms of itself: {1}{0}", names.name_of(id), path));
}

/// Something that moves was met where a number is needed.
Value Evaluator::moving(std::string_view what) {
    return arithmetic.fail(structural_place_,
                           fmt::format("{} must be known before the motion, but it depends on {}",
                                       structural_what_, what),
                           "only numbers, parameters and loop indices are allowed here");
}

// ---- parameters

std::optional<double> Evaluator::parameter_number(MemberId id) {
    if (names.members[id].structural == Progress::active) {
        refuse_cycle(id);
        return std::nullopt;
    }
    if (names.members[id].structural == Progress::waiting) {
        names.members[id].structural = Progress::active;
        const Nesting nesting(*this, 3);
        active_.push_back(id);
        std::optional<double> value;
        const MemberId outer = std::exchange(parameter_, id);
        within(id, [&] { value = default_of(id); });
        parameter_ = outer;
        active_.pop_back();
        names.members[id].structural = Progress::done;
        const auto setting = settings_.find(names.name_of(id));
        if (value && setting != settings_.end()) value = setting->second;
        names.members[id].kept = static_cast<std::uint32_t>(names.numbers.size());
        names.numbers.push_back(value.value_or(std::nan("")));
    }
    const double number = names.numbers[names.members[id].kept];
    return std::isnan(number) ? std::nullopt : std::optional(number);
}

std::optional<double> Evaluator::default_of(MemberId id) {
    const NodeId node = names.definition_of(id).value;
    const Structural scope(*this, syntax_.span(node), "a parameter's value", true);
    return number(node, "a parameter's value");
}

Evaluator::Mark Evaluator::mark() const {
    return {model_.graph.mark(), names.kept_count(), structural_values_.size(), derived_.size()};
}

bool Evaluator::forget(const Mark& mark) {
    const bool holds = names.keeps_from(mark.kept, mark.graph.nodes) ||
                       structural_values_.size() > mark.structural;
    if (holds || model_.graph.symbol_count() > mark.graph.symbols) return false;
    for (; derived_.size() > mark.derivatives; derived_.pop_back())
        derivatives_.erase(derived_.back());
    model_.graph.rollback(mark.graph);
    return true;
}

// ---- derivatives

void Evaluator::know_symbol(Expr symbol, Expr rate) {
    const std::uint32_t number = model_.graph.symbol_index(symbol);
    if (number >= rates_.size()) rates_.resize(number + 1);
    rates_[number] = rate;
}

Value Evaluator::time_derivative(const Value& value, Span place) {
    if (value.is_bad()) return {};
    if (value.is_truth()) return arithmetic.fail(place, "a condition has no derivative");
    if (value.is_number()) {
        Value zero = Value::of_number(0.0);
        zero.empty_sum = value.empty_sum;
        return zero;
    }
    if (!value.is_vector()) {
        const auto rate = rate_of(value.expr, place);
        return rate ? arithmetic.of(*rate, place) : Value{};
    }
    Components rates;
    for (const Expr part : value.parts) {
        const auto rate = rate_of(part, place);
        if (!rate) return {};
        rates.push_back(*rate);
    }
    return Value::of_vector(std::move(rates));
}

/// d/dt by the chain rule over the symbols in `e`: q → q', q' → q'', t → 1; parameters rest.
std::optional<Expr> Evaluator::rate_of(Expr e, Span place) {
    Graph& graph = arithmetic.graph();
    if (const auto known = derivatives_.find(e.id); known != derivatives_.end())
        return known->second;
    std::vector<Seed> seeds;
    for (const Expr symbol : symbols_in(graph, {&e, 1})) {
        const std::uint32_t number = graph.symbol_index(symbol);
        if (number >= rates_.size() || !rates_[number]) continue;
        const Expr rate = *rates_[number];
        if (rate == symbol) {
            const std::string name = graph.name(symbol);
            if (name.ends_with("''"))
                arithmetic.fail(place, fmt::format("this needs the third time derivative of '{}'; "
                                                   "only the first two are known",
                                                   name.substr(0, name.size() - 2)));
            else
                arithmetic.fail(place,
                                fmt::format("the time derivative of '{}' is not known", name));
            return std::nullopt;
        }
        seeds.push_back({symbol, rate});
    }
    const Expr result = directional(graph, e, seeds);
    derivatives_[e.id] = result;
    derived_.push_back(e.id);
    return result;
}

}  // namespace lacon::lang
