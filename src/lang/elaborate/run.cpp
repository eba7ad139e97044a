// Elaborates the statements about a run: start, simulate, event, output and draw.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/evaluate/output_text.hpp"
#include "lang/text/characters.hpp"

/// What a run starts from, how long it takes, and what it shows.
namespace lacon::lang {

// ---- start

void Elaborator::start(const StartStatement& statement, const Statement& whole) {
    repeat(whole, [&] {
        bool sound = true;
        for (const AssignedItem& item : statement.items) {
            passing([&] {
                sound = start_value(item) && sound;
                return Components();
            });
        }
        return sound;
    });
}

bool Elaborator::start_value(const AssignedItem& item) {
    constexpr EntityKind kinds[] = {EntityKind::coordinate};
    const Span place = syntax_.span(item.target.tokens);
    if (item.target.primes > 1) {
        diagnostics_.error(
            place,
            "'start' sets coordinates and velocities; accelerations follow from the equations");
        return false;
    }
    if (item.quantity != none) return start_of_body(item);
    const EntityId entity = evaluator_.names.id_of(item.target.name);
    const EntityKind kind =
        entity == none ? EntityKind::coordinate : evaluator_.names.entities[entity].kind;
    if (kind == EntityKind::particle || kind == EntityKind::let) {
        diagnostics_.error(place,
                           fmt::format("only coordinates have a start, but '{}' is {}",
                                       syntax_.names[item.target.name], nature_of(kind)),
                           "set the start of the coordinates that it contains");
        return false;
    }
    const MemberId member = find_target(item.target, kinds, "a coordinate");
    const auto value = scalar(item.value, "a start value");
    if (member == none || !value || evaluator_.names.members[member].slot == none) return false;
    const std::size_t slot = evaluator_.names.members[member].slot;
    if (item.place != none) {
        diagnostics_.error(place, "only coordinates have a start, not points");
        return false;
    }
    if (!start_is_known(*value, syntax_.span(item.value))) return false;
    return set_start(slot, item.target.primes == 1, item.guess, *value, place);
}

bool Elaborator::set_start(std::size_t slot, bool velocity, bool guess, Expr value, Span place) {
    const Coordinate& coordinate = model_.coordinates[slot];
    const Expr symbol = velocity ? coordinate.v : coordinate.q;
    const std::uint32_t number = model_.graph.symbol_index(symbol);
    start_of_.resize(model_.graph.symbol_count(), none);
    fixed_.resize(model_.graph.symbol_count(), false);
    if (start_of_[number] != none) {
        diagnostics_.error(
            place, fmt::format("the start of '{}' is given twice", model_.graph.name(symbol)),
            fmt::format("the first one is in {}",
                        diagnostics_.line_text(start_of_[number], *syntax_.source)));
        return false;
    }
    start_of_[number] = place.begin;
    if (!guess) fixed_[number] = true;
    model_.start.push_back({slot, velocity, guess, kept({value}), place});
    return true;
}

bool Elaborator::start_is_known(Expr value, Span place) {
    if ((uses_.of(value) & Uses::motion) == 0) return true;
    for (const Expr symbol : symbols_in(model_.graph, {&value, 1})) {
        const std::uint32_t number = model_.graph.symbol_index(symbol);
        if ((uses_.of(symbol) & Uses::motion) == 0 || (number < fixed_.size() && fixed_[number]))
            continue;
        const std::string name = model_.graph.name(symbol);
        diagnostics_.error(
            place,
            fmt::format("this start value needs that of '{}', which is not set before it", name),
            fmt::format("write 'start {} = ...' in a line above", name));
        return false;
    }
    return true;
}

// ---- simulate

std::string Elaborator::chosen_name(TokenId token, std::string_view noun,
                                    std::span<const std::string_view> names) {
    std::string name = syntax_.tokens[token].kind == TokenKind::text
                           ? syntax_.unquoted(token)
                           : std::string(syntax_.text(token));
    const std::vector<std::string> known(names.begin(), names.end());
    if (std::find(known.begin(), known.end(), name) != known.end()) return name;
    const auto near = nearest_name(name, known);
    diagnostics_.error(syntax_.tokens[token].span,
                       fmt::format("there is no {} '{}'", noun, shortened(name)),
                       near ? fmt::format("did you mean '{}'?", *near)
                            : fmt::format("the {}s are {}", noun, fmt::join(known, ", ")));
    return name;
}

void Elaborator::simulate(const SimulateStatement& statement, const Statement& whole) {
    const Span place = syntax_.span(whole.tokens);
    if (model_.simulation) {
        diagnostics_.error(place, "'simulate' is given twice",
                           fmt::format("the first one is in line {}",
                                       syntax_.source->place(model_.simulation->span.begin).line));
        return;
    }
    const auto begin = evaluator_.checked_number(statement.begin, "the start of the time span");
    const auto end = evaluator_.checked_number(statement.end, "the end of the time span");
    if (begin && end && !(*begin < *end))
        diagnostics_.error(syntax_.span(statement.begin),
                           fmt::format("the time span {}..{} must end after it starts",
                                       shortest(*begin), shortest(*end)));
    const auto positive = [&](NodeId node, std::string_view what) -> std::optional<Expr> {
        if (node == none) return std::nullopt;
        const auto value = evaluator_.checked_number(node, what);
        if (value && *value <= 0)
            diagnostics_.error(syntax_.span(node), fmt::format("{} must be positive, but it is {}",
                                                               what, shortest(*value)));
        return value ? scalar(node, what) : std::nullopt;
    };
    SimulationSettings simulation;
    simulation.every = positive(statement.every, "the step of the output");
    simulation.tolerance = positive(statement.tolerance, "the tolerance");
    if (begin)
        simulation.begin = scalar(statement.begin, "the start of the time span").value_or(Expr{});
    if (end) simulation.end = scalar(statement.end, "the end of the time span").value_or(Expr{});
    if (statement.method != none)
        simulation.method = chosen_name(statement.method, "method", method_names());
    if (statement.impacts != none)
        simulation.impacts = chosen_name(statement.impacts, "impact law", impact_law_names());
    simulation.span = place;
    model_.simulation = std::move(simulation);
}

// ---- events

void Elaborator::events(const EventStatement& statement, const Statement& whole) {
    for (const MemberId member : members_of(whole)) {
        const std::size_t before = diagnostics_.error_count();
        evaluator_.within(member, [&] { event(statement, member); });
        if (diagnostics_.error_count() > before) break;
    }
}

void Elaborator::event(const EventStatement& statement, MemberId member) {
    constexpr std::string_view what = "the value of an event";
    auto value = scalar(statement.left, what);
    if (statement.right != none) {
        const auto right = scalar(statement.right, what);
        value = value && right ? std::optional(model_.graph.sub(*value, *right)) : std::nullopt;
    }
    if (!value) return;
    const Span place = evaluator_.names.place_of(member);
    const std::string name = evaluator_.names.name_of(member);
    if (model_.graph.is_constant(*value))
        diagnostics_.warning(
            place, fmt::format("the event '{}' never happens: its value is always {}", name,
                               shortest(model_.graph.value(*value))));
    evaluator_.names.members[member].slot = static_cast<std::uint32_t>(model_.events.size());
    model_.events.push_back({name, *value, statement.stop, statement.direction, place});
}

// ---- output

void Elaborator::outputs(const OutputStatement& statement, const Statement& whole) {
    repeat(whole, [&] {
        bool sound = true;
        for (const OutputItem& item : statement.items) sound = output(item, whole.loops) && sound;
        return sound;
    });
}

bool Elaborator::output(const OutputItem& item, const Loops& loops) {
    return each_pattern(item.value, [&] {
        if (item.name.name == none || evaluator_.stars.empty()) return output_one(item, loops);
        diagnostics_.error(
            syntax_.span(item.name.tokens), "the members of a family cannot all have the same name",
            "remove it, or write an index on both sides, and 'for i in ...' at the end");
        return false;
    });
}

bool Elaborator::output_one(const OutputItem& item, const Loops& loops) {
    const Value value = evaluator_.evaluate(item.value);
    const Span place = syntax_.span(item.tokens);
    if (value.is_truth())
        diagnostics_.error(place, "a condition cannot be an output", "write if(condition, 1, 0)");
    if (value.is_bad() || value.is_truth()) return false;
    const bool named = item.name.name != none;
    std::string name;
    if (named) {
        const auto index = evaluator_.index_of(item.name);
        if (!index) return false;
        name = std::string(syntax_.names[item.name.name]) + index->text();
    } else {
        name = text_with_indices(evaluator_, syntax_, {item.value, item.tokens}, loops);
    }
    const Span at = named ? syntax_.span(item.name.tokens) : place;
    if (!value.is_vector())
        return add_column(std::move(name), evaluator_.arithmetic.expr(value), at);
    for (std::size_t i = 0; i < value.parts.size(); ++i) {
        if (!add_column(name + component_ending(i), value.parts[i], at)) return false;
    }
    return true;
}

/// The same column twice is one; the same name with another value is an error.
bool Elaborator::add_column(std::string name, Expr value, Span place) {
    const auto [found, is_new] = columns_.try_emplace(name, Column{value});
    Column& column = found->second;
    if (const auto state = is_new ? state_column(name) : std::nullopt) column = {*state, true};
    if (column.value != value) {
        diagnostics_.error(place, fmt::format("there is already a column '{}'", name),
                           "give this one another name: output NAME = ...");
        return false;
    }
    if (!column.asked_for)
        (column.of_state ? model_.state_outputs : model_.outputs)
            .push_back({std::move(name), value, place});
    column.asked_for = true;
    return true;
}

/// The time, or the coordinate or velocity of that name: a column of every run.
std::optional<Expr> Elaborator::state_column(std::string_view name) const {
    if (name == "t") return model_.time;
    const bool velocity = name.ends_with('\'');
    if (velocity) name.remove_suffix(1);
    const Names& names = evaluator_.names;
    const std::string_view stem = name.substr(0, name.find('['));
    const auto entity =
        std::find_if(names.entities.begin(), names.entities.end(), [&](const Entity& e) {
            return e.kind == EntityKind::coordinate && syntax_.names[e.name] == stem;
        });
    if (entity == names.entities.end()) return std::nullopt;
    Index index;
    for (std::size_t at = stem.size(); at + 1 < name.size() && index.count < index.at.size();) {
        const auto read = std::from_chars(name.data() + at + 1, name.data() + name.size(),
                                          index.at[index.count++]);
        if (read.ec != std::errc()) return std::nullopt;
        at = static_cast<std::size_t>(read.ptr - name.data());
    }
    const MemberId member = names.find_member(*entity, index);
    if (member == none || names.name_of(*entity) + index.text() != name ||
        names.members[member].slot == none)
        return std::nullopt;
    const Coordinate& coordinate = model_.coordinates[names.members[member].slot];
    return velocity ? coordinate.v : coordinate.q;
}

// ---- draw

void Elaborator::drawings(const DrawStatement& statement, const Statement& whole) {
    repeat(whole, [&] {
        bool sound = true;
        for (const DrawItem& item : statement.items) sound = drawing(item, whole.loops) && sound;
        return sound;
    });
}

std::optional<Components> Elaborator::point(NodeId node) {
    const Value value = evaluator_.evaluate(node);
    if (value.is_bad()) return std::nullopt;
    const NodeId base =
        syntax_.nodes[node].kind == NodeKind::index ? syntax_.child(syntax_.nodes[node], 0) : node;
    const Entity* entity = syntax_.nodes[base].kind == NodeKind::name
                               ? evaluator_.names.find(syntax_.nodes[base].detail)
                               : nullptr;
    const bool particle = entity != nullptr && entity->kind == EntityKind::particle;
    if (value.is_truth() || value.parts.size() > 3 || (!value.is_vector() && !particle)) {
        diagnostics_.error(
            syntax_.span(node),
            fmt::format(
                "a point to draw is a particle or a vector of 2 or 3 components, but this is {}",
                describe(value)));
        return std::nullopt;
    }
    return evaluator_.arithmetic.components(value);
}

/// As in `repeated`; `*` repeats too.
bool Elaborator::drawing(const DrawItem& item, const Loops& loops) {
    return each_pattern(item.first, [&] {
        if (loops.loops.empty() && evaluator_.stars.empty()) return drawing_one(item, loops);
        bool sound = false;
        passing([&] {
            sound = drawing_one(item, loops);
            return Components();
        });
        return sound;
    });
}

bool Elaborator::further_points(const DrawItem& item, std::size_t dimension, Components& values) {
    for (const NodeId node : item.others) {
        const auto next = point(node);
        if (!next) return false;
        if (next->size() != dimension) {
            diagnostics_.error(
                syntax_.span(node),
                fmt::format("the line's ends have {} and {} components", dimension, next->size()));
            return false;
        }
        values.insert(values.end(), next->begin(), next->end());
    }
    return true;
}

bool Elaborator::read_color(TokenId token, std::string& color) {
    color = syntax_.unquoted(token);
    const std::string_view digits = std::string_view(color).substr(color.starts_with('#'));
    const bool is_number = color.starts_with('#') && digits.size() == 6 &&
                           digits.find_first_not_of("0123456789abcdefABCDEF") == digits.npos;
    const auto known = color_names();
    if (is_number || std::find(known.begin(), known.end(), color) != known.end()) return true;
    const std::vector<std::string> names(known.begin(), known.end());
    const auto near = nearest_name(color, names);
    diagnostics_.error(syntax_.tokens[token].span, fmt::format("there is no color '{}'", color),
                       near ? fmt::format("did you mean \"{}\"?", *near)
                            : fmt::format("write \"#rrggbb\" or one of {}", quoted_list(names)));
    return false;
}

bool Elaborator::drawing_one(const DrawItem& item, const Loops& loops) {
    Drawing result;
    result.kind = item.kind;
    result.trail = item.trail;
    result.span = syntax_.span(item.tokens);
    auto first = point(item.first);
    if (!first) return false;
    Components values = std::move(*first);
    result.dimension = values.size();
    if (item.color != none && !read_color(item.color, result.color)) return false;
    if (item.kind == Drawing::Kind::circle) {
        const auto radius = scalar(item.others[0], "the radius of a circle");
        if (!radius) return false;
        values.push_back(*radius);
    } else if (!item.others.empty()) {
        if (!further_points(item, result.dimension, values)) return false;
    } else if (item.kind == Drawing::Kind::text) {
        result.name = syntax_.unquoted(item.label);
    } else if (syntax_.nodes[item.first].kind == NodeKind::name ||
               syntax_.nodes[item.first].kind == NodeKind::index) {
        result.name = text_with_indices(evaluator_, syntax_, {item.first, item.tokens}, loops);
    }
    result.value = kept(values);
    model_.drawings.push_back(std::move(result));
    return true;
}

}  // namespace lacon::lang
