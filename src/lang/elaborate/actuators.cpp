// Turns the `by` list of a control into actuators. The generalized force of an effort is the
// gradient of what it acts on (virtual work): Jᵀ, or Jᵀ times a given direction.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "expr/derivative.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/evaluate/output_text.hpp"

/// `by ITEM, …` of a control: the directions in which efforts act.
namespace lacon::lang {

namespace {

/// Whether a component of the expression can be written without brackets around it: `P[2].x`, but
/// `(A - B).x`.
bool is_closed(const Node& node) {
    return node.kind == NodeKind::name || node.kind == NodeKind::index ||
           node.kind == NodeKind::component || node.kind == NodeKind::call ||
           node.kind == NodeKind::prime || node.kind == NodeKind::vector ||
           node.kind == NodeKind::sum_over || node.kind == NodeKind::choice;
}

}  // namespace

/// Whether there is nothing wrong with them; what is, may be reported elsewhere, as a name declared
/// in a broken line.
bool Elaborator::actuators(const ControlStatement& statement, const Loops& loops,
                           Control& control) {
    if (statement.by.empty())
        for (std::size_t i = 0; i < model_.coordinates.size(); ++i)
            add_actuator(
                {model_.coordinates[i].name, {{i, model_.graph.one()}}, {}, {}, control.span},
                false, control);
    bool sound = true;
    std::size_t directions = 0;
    for (const ActuatorItem& item : statement.by) {
        auto all = acted_on(item, loops);
        const bool over_coordinates = item.value == none && item.range.name == none;
        if (over_coordinates)
            all = std::vector{all_coordinates(fmt::format("along[{}]", ++directions))};
        if (all && item.label.name != none) {
            const auto index = evaluator_.index_of(item.label);
            if (!index) all.reset();
            else all->front().name = std::string(syntax_.names[item.label.name]) + index->text();
        }
        sound = all && act(item, *all, control) && sound;
    }
    if (sound && control.actuators.empty() && !model_.coordinates.empty())
        diagnostics_.error(
            control.span,
            fmt::format("the control '{}' has no actuator: the ranges after 'by' are empty",
                        control.name));
    return sound && !control.actuators.empty();
}

bool Elaborator::act(const ActuatorItem& item, std::span<const Acted> all, Control& control) {
    return std::all_of(all.begin(), all.end(), [&](const Acted& acted) {
        return item.along == none ? act_on_components(acted, item, control)
                                  : act_along(acted, item, control);
    });
}

// ---- what is acted on

std::optional<std::vector<Elaborator::Acted>> Elaborator::acted_on(const ActuatorItem& item,
                                                                   const Loops& loops) {
    const std::string ending =
        item.along == none ? ""
                           : " along " + text_with_indices(evaluator_, syntax_,
                                                           {item.along, item.along_tokens}, loops);
    if (item.range.name != none) return acted_members(item.range, ending);
    if (item.value == none) return std::nullopt;
    Acted acted;
    acted.value = evaluator_.evaluate(item.value);
    if (acted.value.is_bad()) return std::nullopt;
    if (acted.value.is_truth()) {
        diagnostics_.error(syntax_.span(item.value),
                           "an effort acts on a value, but this is a condition");
        return std::nullopt;
    }
    if (const MemberId member = evaluator_.member_of(item.value); member != none) {
        acted = acted_member(member);
    } else {
        acted.name = text_with_indices(evaluator_, syntax_, {item.value, item.value_tokens}, loops);
        acted.has_components = acted.value.is_vector();
        const bool bracketed = syntax_.tokens[item.value_tokens.begin].kind == TokenKind::open;
        if (acted.has_components && !bracketed && !is_closed(syntax_.nodes[item.value]))
            acted.name = "(" + acted.name + ")";
    }
    acted.name += ending;
    if (item.label.name != none) acted.has_components = acted.value.is_vector();
    return std::vector{std::move(acted)};
}

std::optional<std::vector<Elaborator::Acted>> Elaborator::acted_members(const Target& range,
                                                                        const std::string& ending) {
    constexpr EntityKind kinds[] = {EntityKind::coordinate, EntityKind::particle, EntityKind::let};
    const EntityId family =
        find_entity(range, kinds, "a family of coordinates, particles or named expressions");
    std::vector<Acted> all;
    if (family == none || !evaluator_.list_members(family) || !members_in(range, family, {}, all))
        return std::nullopt;
    for (Acted& acted : all) acted.name += ending;
    return all;
}

/// Adds the members from the index parts not yet in `index` on.
bool Elaborator::members_in(const Target& range, EntityId family, Index index,
                            std::vector<Acted>& all) {
    if (index.count == range.indices.size()) {
        evaluator_.count_repetition();
        const MemberId member = evaluator_.member_at(family, index, syntax_.span(range.tokens));
        if (member == none) return false;
        all.push_back(acted_member(member));
        return !all.back().value.is_bad();
    }
    const IndexPart& part = range.indices[index.count++];
    const auto low =
        evaluator_.whole(part.low, part.high == none ? "an index" : "a bound of a range");
    const auto high = part.high == none ? low : evaluator_.whole(part.high, "a bound of a range");
    if (!low || !high) return false;
    for (std::int64_t i = *low; i <= *high; ++i) {
        index.at[index.count - 1] = static_cast<std::int32_t>(i);
        if (!members_in(range, family, index, all)) return false;
    }
    return true;
}

/// A particle on a line has the component .x, as in expressions.
Elaborator::Acted Elaborator::acted_member(MemberId member) {
    Acted acted{evaluator_.names.name_of(member), evaluator_.value_of(member)};
    acted.has_components =
        acted.value.is_vector() || evaluator_.names.entity_of(member).kind == EntityKind::particle;
    return acted;
}

/// `along VECTOR` is the direction of all coordinates, taken as one vector.
Elaborator::Acted Elaborator::all_coordinates(std::string name) {
    Components q;
    for (const Coordinate& coordinate : model_.coordinates) q.push_back(coordinate.q);
    return {std::move(name), Value::of_vector(std::move(q))};
}

// ---- directions

/// The generalized force of an effort 1 that is conjugate to the value, by virtual work: its
/// gradient in q, or in q' where it has velocities.
std::optional<Elaborator::Direction> Elaborator::conjugate(Expr value, Span place) {
    const bool of_velocities = (uses_.of(value) & Uses::velocity) != 0;
    const std::vector<std::size_t> coordinates = coordinates_in({&value, 1});
    std::vector<Expr> symbols;
    for (const std::size_t c : coordinates)
        symbols.push_back(of_velocities ? model_.coordinates[c].v : model_.coordinates[c].q);
    const std::vector<Expr> slopes = gradient(model_.graph, value, symbols);
    Direction direction;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        if (model_.graph.is_zero(slopes[i])) continue;
        if (of_velocities && (uses_.of(slopes[i]) & Uses::velocity) != 0) {
            diagnostics_.error(
                place, "an effort acts on an expression linear in the velocities; this one is not",
                "the effort times this is its power: name a velocity such as x' + R*th'");
            return std::nullopt;
        }
        direction.push_back({coordinates[i], slopes[i]});
    }
    return direction;
}

/// Components that no coordinate moves have no actuator: there is nothing to do for an effort.
bool Elaborator::act_on_components(const Acted& acted, const ActuatorItem& item, Control& control) {
    const Span place = syntax_.span(item.tokens);
    const Components values = evaluator_.arithmetic.components(acted.value);
    if (refuse_acceleration(values, "what an effort acts on", place)) return false;
    bool any = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto direction = conjugate(values[i], place);
        if (!direction) return false;
        if (direction->empty()) continue;
        any = true;
        Actuator actuator{acted.name, std::move(*direction), {}, {}, place};
        if (acted.has_components) actuator.name += component_ending(i);
        if (!add_actuator(std::move(actuator), item.label.name != none, control)) return false;
    }
    if (!any)
        diagnostics_.error(
            place, fmt::format("no effort can act on '{}': it contains no coordinate", acted.name),
            "'by' takes coordinates, particles and expressions of coordinates");
    return any;
}

/// Jᵀ VECTOR, J being the Jacobian of what is acted on.
bool Elaborator::act_along(const Acted& acted, const ActuatorItem& item, Control& control) {
    const Span place = syntax_.span(item.along);
    const Value along = evaluator_.evaluate(item.along);
    if (along.is_bad()) return false;
    const Components values = evaluator_.arithmetic.components(acted.value);
    const std::size_t size = along.is_vector() ? along.parts.size() : 1;
    if (along.is_truth() || size != values.size()) {
        const bool over_coordinates = item.value == none && item.range.name == none;
        const std::string_view written = syntax_.source->text(syntax_.span(item.value_tokens));
        diagnostics_.error(place,
                           fmt::format("this direction must have {}, {}, but it is {}",
                                       counted(values.size(), "component"),
                                       over_coordinates ? "one for each coordinate"
                                                        : fmt::format("as '{}' has", written),
                                       describe(along)));
        return false;
    }
    const Components factors = evaluator_.arithmetic.components(along);
    if (refuse_acceleration(values, "what an effort acts on", syntax_.span(item.tokens)) ||
        refuse_acceleration(factors, "the direction of an effort", place))
        return false;
    std::map<std::size_t, std::vector<Arg>> terms;  // by coordinate
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (model_.graph.is_zero(factors[i])) continue;
        const auto direction = conjugate(values[i], syntax_.span(item.tokens));
        if (!direction) return false;
        for (const Actuator::Part& part : *direction)
            terms[part.coordinate].push_back({model_.graph.mul(part.value, factors[i])});
    }
    Actuator actuator{acted.name, {}, {}, {}, syntax_.span(item.tokens)};
    for (const auto& [coordinate, sum] : terms)
        if (const Expr value = model_.graph.sum(sum); !model_.graph.is_zero(value))
            actuator.direction.push_back({coordinate, value});
    if (!actuator.direction.empty())
        return add_actuator(std::move(actuator), item.label.name != none, control);
    diagnostics_.error(place, "no effort can act along this direction: it moves no coordinate");
    return false;
}

/// One direction is one actuator, whoever uses it. A given name goes before a made one.
bool Elaborator::add_actuator(Actuator actuator, bool labelled, Control& control) {
    evaluator_.count_step();
    std::vector<std::pair<std::size_t, std::uint32_t>> key;
    for (const Actuator::Part& part : actuator.direction)
        key.emplace_back(part.coordinate, part.value.id);
    const auto [found, is_new] = actuator_of_.try_emplace(std::move(key), model_.actuators.size());
    if (is_new) {
        actuator_notes_.push_back(
            {.labelled = labelled, .weighted = {}, .limited = {}, .listed = {}});
        model_.actuators.push_back(std::move(actuator));
    } else if (labelled) {
        Actuator& first = model_.actuators[found->second];
        if (actuator_notes_[found->second].labelled && first.name != actuator.name) {
            diagnostics_.error(actuator.span,
                               fmt::format("this actuator already has the name '{}'", first.name),
                               fmt::format("it is named in line {}; one direction is one actuator",
                                           syntax_.source->place(first.span.begin).line));
            return false;
        }
        first.name = std::move(actuator.name);
        first.span = actuator.span;
        actuator_notes_[found->second].labelled = true;
    }
    ActuatorNotes& notes = actuator_notes_[found->second];
    if (notes.listed == control.name)
        diagnostics_.warning(actuator.span,
                             fmt::format("the actuator '{}' appears here twice; it counts once",
                                         model_.actuators[found->second].name));
    else control.actuators.push_back(found->second);
    notes.listed = control.name;
    return true;
}

}  // namespace lacon::lang
