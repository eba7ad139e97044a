// Declares the title, parameters, coordinates, named expressions and particles of the model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "lang/elaborate/elaborator.hpp"

namespace lacon::lang {

void Elaborator::title(const TitleStatement& title, const Statement& statement) {
    if (!model_.title.empty())
        diagnostics_.error(syntax_.span(statement.tokens),
                           fmt::format("the model already has a title: \"{}\"", model_.title));
    model_.title = syntax_.unquoted(title.text);
}

// ---- parameters

void Elaborator::params(const ParamStatement& params, const Statement& statement) {
    for (const MemberId member : members_of(statement))
        evaluator_.within(member, [&] {
            param(params.items[evaluator_.names.definition_of(member).item], member);
        });
}

void Elaborator::param(const ParamItem& item, MemberId member) {
    const auto value = evaluator_.parameter_number(member);
    if (!value) return;
    Parameter parameter;
    parameter.name = evaluator_.names.name_of(member);
    parameter.value = *value;
    parameter.span = evaluator_.names.place_of(member);
    if (item.text != none) parameter.text = syntax_.unquoted(item.text);
    if (item.low != none) read_range(item, parameter);
    const bool set = std::any_of(settings_.begin(), settings_.end(), [&](const auto& setting) {
        return setting.first == parameter.name;
    });
    if (!std::isfinite(parameter.value))
        diagnostics_.error(parameter.span,
                           fmt::format("'{}' is set to {}, which is not a finite number",
                                       parameter.name, parameter.value));
    else if (parameter.low && parameter.high &&
             (parameter.value < *parameter.low || parameter.value > *parameter.high))
        report_outside_range(parameter, set);
    parameter.symbol = model_.graph.symbol(parameter.name);
    evaluator_.names.members[member].slot = static_cast<std::uint32_t>(model_.parameters.size());
    model_.parameters.push_back(std::move(parameter));
}

/// The range serves sliders and sweeps: the model's own value must keep to it, one from outside may
/// leave it with a warning.
void Elaborator::report_outside_range(const Parameter& parameter, bool set) {
    std::string message = fmt::format("'{}' is {} {}, outside its range {}..{}", parameter.name,
                                      set ? "set to" : "given as", shortest(parameter.value),
                                      shortest(*parameter.low), shortest(*parameter.high));
    if (settings_.empty()) diagnostics_.error(parameter.span, std::move(message));
    else diagnostics_.warning(parameter.span, std::move(message));
}

void Elaborator::read_range(const ParamItem& item, Parameter& parameter) {
    parameter.low = evaluator_.number(item.low, "a bound of a range");
    parameter.high = evaluator_.number(item.high, "a bound of a range");
    if (parameter.low && parameter.high && *parameter.low > *parameter.high) {
        diagnostics_.error(syntax_.span(item.low),
                           fmt::format("the bounds of the range {}..{} are in the wrong order",
                                       shortest(*parameter.low), shortest(*parameter.high)));
        parameter.low = parameter.high = std::nullopt;
    }
}

// ---- coordinates

void Elaborator::coords(const CoordStatement&, const Statement& statement) {
    Names& names = evaluator_.names;
    for (const MemberId member : members_of(statement))
        names.members[member].slot = add_coordinate(names.name_of(member), names.place_of(member));
}

/// Its number in the model.
std::uint32_t Elaborator::add_coordinate(std::string name, Span place) {
    Graph& graph = model_.graph;
    Coordinate coordinate;
    coordinate.name = std::move(name);
    coordinate.q = graph.symbol(coordinate.name);
    coordinate.v = graph.symbol(coordinate.name + "'");
    coordinate.a = graph.symbol(coordinate.name + "''");
    coordinate.span = place;
    evaluator_.know_symbol(coordinate.q, coordinate.v);
    evaluator_.know_symbol(coordinate.v, coordinate.a);
    evaluator_.know_symbol(coordinate.a, coordinate.a);
    uses_.mark(coordinate.q, Uses::coordinate);
    uses_.mark(coordinate.v, Uses::velocity);
    uses_.mark(coordinate.a, Uses::acceleration);
    coordinate_of_.resize(graph.symbol_count(), none);
    const auto number = static_cast<std::uint32_t>(model_.coordinates.size());
    for (const Expr symbol : {coordinate.q, coordinate.v, coordinate.a})
        coordinate_of_[graph.symbol_index(symbol)] = number;
    model_.coordinates.push_back(std::move(coordinate));
    return number;
}

// ---- named expressions

/// Every member is evaluated, used or not, so that what is wrong in it is told.
void Elaborator::lets(const LetStatement& lets, const Statement& statement) {
    for (const LetItem& item : lets.items)
        if (item.is_function) check_function(item);
    for (const MemberId member : members_of(statement))
        if (evaluator_.value_of(member).is_bad()) break;
}

/// A function is evaluated where it is called; that may be nowhere, so its names are checked here.
void Elaborator::check_function(const LetItem& function) {
    std::vector<NameId> bound = function.arguments;
    check_names(function.value, bound);
}

void Elaborator::check_names(NodeId id, std::vector<NameId>& bound) {
    const Node& node = syntax_.nodes[id];
    const std::size_t outer = bound.size();
    if (node.kind == NodeKind::sum_over)
        for (const Loop& loop : syntax_.loops[node.detail].loops) {
            if (loop.low != none) check_names(loop.low, bound);
            if (loop.high != none) check_names(loop.high, bound);
            for (const LoopName& index : loop.names) bound.push_back(index.name);
        }
    if (node.kind == NodeKind::name || node.kind == NodeKind::call) {
        const bool known = std::find(bound.begin(), bound.end(), node.detail) != bound.end() ||
                           evaluator_.names.id_of(node.detail) != none ||
                           !nature_of(syntax_.names[node.detail]).empty();
        if (!known)
            evaluator_.unknown_name(node.detail, syntax_.tokens[node.tokens.begin].span,
                                    node.kind == NodeKind::call);
    }
    for (const Child& child : syntax_.children_of(node)) check_names(child.node, bound);
    bound.resize(outer);
}

// ---- particles

void Elaborator::particles(const ParticleStatement& statement, const Statement& whole) {
    for (const MemberId member : members_of(whole)) {
        evaluator_.within(member, [&] { repeated(whole, [&] { particle(statement, member); }); });
    }
}

void Elaborator::particle(const ParticleStatement& statement, MemberId member) {
    const Value position = evaluator_.value_of(member);
    const auto mass = scalar(statement.mass, "a mass");
    if (position.is_bad() || !mass) return;
    if (position.parts.size() > 3) {
        diagnostics_.error(
            syntax_.span(statement.position),
            fmt::format("a position has at most 3 components, but this is {}", describe(position)));
        return;
    }
    if (uses_.of(*mass) & Uses::motion) {
        diagnostics_.error(syntax_.span(statement.mass), "a mass cannot depend on the motion");
        return;
    }
    evaluator_.names.members[member].slot = static_cast<std::uint32_t>(model_.particles.size());
    model_.particles.push_back({evaluator_.names.name_of(member),
                                kept(evaluator_.arithmetic.components(position)), kept({*mass}),
                                evaluator_.names.place_of(member)});
}

}  // namespace lacon::lang
