// Sets the order in which kinds of statements are elaborated, stops at the limits, and holds what
// all elaborate_*.cpp files share: finding targets, reading scalars, forgetting expressions.
#include "lang/elaborate/elaborator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace lacon::lang {

std::uint8_t Uses::of(Expr e) {
    for (auto id = static_cast<std::uint32_t>(uses_.size()); id < graph_.size(); ++id) {
        std::uint8_t uses = 0;
        if (graph_.is_symbol({id})) {
            const std::uint32_t number = graph_.symbol_index({id});
            if (number < symbols_.size()) uses = symbols_[number];
        } else {
            for (const Arg& arg : graph_.args({id})) uses |= uses_[arg.expr.id];
        }
        uses_.push_back(uses);
    }
    return uses_[e.id];
}

Elaborator::Elaborator(const Syntax& syntax, Model& model, Diagnostics& diagnostics,
                       const Settings& settings, const Limits& limits)
    : syntax_(syntax),
      model_(model),
      diagnostics_(diagnostics),
      settings_(settings),
      evaluator_(syntax, model, diagnostics, settings, limits),
      uses_(model.graph) {
    for (DefinitionId id = 0; id < evaluator_.names.definitions.size(); ++id)
        definitions_[evaluator_.names.definitions[id].statement].push_back(id);
    model.time = model.graph.symbol("t");
    evaluator_.know_symbol(model.time, model.graph.one());
}

void Elaborator::note_into(PictureNotes& notes) {
    notes_ = &notes;
    evaluator_.differences = &notes.differences;
}

void Elaborator::run() {
    each_statement(&Elaborator::title);
    each_statement(&Elaborator::data);
    each_statement(&Elaborator::params);
    each_statement(&Elaborator::coords);
    assemble_bodies();
    each_statement(&Elaborator::lets);
    each_statement(&Elaborator::particles);
    joint_parts();
    each_statement(&Elaborator::gravity);
    each_statement(&Elaborator::energy);
    each_statement(&Elaborator::forces);
    each_statement(&Elaborator::torques);
    each_statement(&Elaborator::equation);
    each_statement(&Elaborator::constraints);
    each_statement(&Elaborator::dry_frictions);
    each_statement(&Elaborator::contacts);
    each_statement(&Elaborator::controls);
    check_actuator_names();
    evaluator_.allow_observed(Evaluator::Observable::loads);
    each_statement(&Elaborator::nonideal);
    evaluator_.allow_observed(Evaluator::Observable::nothing);
    each_statement(&Elaborator::start);
    finish_body_starts();
    each_statement(&Elaborator::simulate);
    evaluator_.allow_observed(Evaluator::Observable::everything);
    each_statement(&Elaborator::events);
    each_statement(&Elaborator::outputs);
    control_columns();
    note_joints();
    evaluator_.allow_observed(Evaluator::Observable::nothing);
    each_statement(&Elaborator::drawings);
    note_uses();
    if (model_.coordinates.empty() && !diagnostics_.has_errors())
        diagnostics_.error({0, 0}, "the model has no coordinates",
                           "declare what can move, for example: coord x, y");
}

void Elaborator::run_parameters() {
    each_statement(&Elaborator::data);
    each_statement(&Elaborator::params);
}

/// What the values of parameters were needed for is known only now.
void Elaborator::note_uses() {
    const Names& names = evaluator_.names;
    for (const Entity& entity : names.entities) {
        if (entity.kind != EntityKind::parameter) continue;
        for (const DefinitionId definition : entity.definitions)
            for (const MemberId id : names.definitions[definition].members) {
                const Member& member = names.members[id];
                if (member.slot == none) continue;
                model_.parameters[member.slot].follows = member.follows;
                model_.parameters[member.slot].shapes = member.shapes;
            }
    }
}

void Elaborator::guarded(const Statement& statement, const std::function<void()>& body) {
    constexpr std::size_t error_limit = 200;
    if (stopped_ || diagnostics_.error_count() > error_limit) return;
    const auto stop = [&](std::string_view why) {
        stopped_ = true;
        diagnostics_.error(syntax_.span(statement.tokens), std::string(why));
    };
    try {
        body();
    } catch (const Overrun& overrun) {
        stop(overrun.message);
    } catch (const GraphFull&) {
        stop("the model's expressions do not fit in memory");
    }
}

void Elaborator::repeat(const Statement& statement, const std::function<bool()>& body) {
    evaluator_.each(statement.loops, [&] {
        evaluator_.count_repetition();
        return body();
    });
}

void Elaborator::passing(const std::function<Components()>& body) {
    const Evaluator::Mark before = evaluator_.mark();
    const bool had_values = parameter_values_.has_value();
    const Components held = body();
    if (std::any_of(held.begin(), held.end(), [&](Expr e) { return e.id >= before.graph.nodes; }))
        return;
    if (!evaluator_.forget(before)) return;
    uses_.forget();
    if (!had_values) parameter_values_.reset();
}

void Elaborator::repeated(const Statement& statement, const std::function<void()>& body) {
    if (statement.loops.loops.empty()) return body();
    passing([&] {
        body();
        return Components();
    });
}

std::vector<std::string> Elaborator::parameter_names() const {
    std::vector<std::string> all;
    const Names& names = evaluator_.names;
    for (MemberId id = 0; id < names.members.size(); ++id)
        if (names.entity_of(id).kind == EntityKind::parameter) all.push_back(names.name_of(id));
    return all;
}

/// In the order of the text: for each iteration of the statement's loops its items from the left to
/// the right.
std::vector<MemberId> Elaborator::members_of(const Statement& statement) {
    std::vector<MemberId> all;
    Names& names = evaluator_.names;
    for (const DefinitionId id : definitions_[&statement]) {
        if (names.entities[names.definitions[id].entity].kind == EntityKind::function) continue;
        evaluator_.list_members(names.definitions[id].entity);
        all.insert(all.end(), names.definitions[id].members.begin(),
                   names.definitions[id].members.end());
    }
    if (definitions_[&statement].size() < 2) return all;
    std::stable_sort(all.begin(), all.end(), [&](MemberId a, MemberId b) {
        return names.members[a].iteration < names.members[b].iteration;
    });
    return all;
}

EntityId Elaborator::find_entity(const Target& target, std::span<const EntityKind> kinds,
                                 std::string_view wish) {
    const Span place = syntax_.span(target.tokens);
    const EntityId id = evaluator_.names.id_of(target.name);
    if (id == none) {
        evaluator_.unknown_name(target.name, syntax_.tokens[target.tokens.begin].span);
        return none;
    }
    const Entity& entity = evaluator_.names.entities[id];
    const std::string name = evaluator_.names.name_of(entity);
    if (entity.kind == EntityKind::unknown) return none;
    if (std::find(kinds.begin(), kinds.end(), entity.kind) == kinds.end()) {
        diagnostics_.error(place, fmt::format("{} is expected here, but '{}' is {}", wish, name,
                                              nature_of(entity.kind)));
        return none;
    }
    if (entity.dimensions != target.indices.size()) {
        if (target.indices.empty())
            diagnostics_.error(
                place, fmt::format("'{}' is a family; say which member is meant", name),
                fmt::format("write {}[i] here, and 'for i in ...' at the end of the statement",
                            name));
        else if (!entity.family)
            diagnostics_.error(
                place, fmt::format("'{}' is a single {}, not a family; it has no index", name,
                                   noun_of(entity.kind)));
        else
            diagnostics_.error(
                place, fmt::format("'{}' has {}, but {} are given here", name,
                                   counted_indices(entity.dimensions), target.indices.size()));
        return none;
    }
    return id;
}

MemberId Elaborator::find_target(const Target& target, std::span<const EntityKind> kinds,
                                 std::string_view wish) {
    const EntityId id = find_entity(target, kinds, wish);
    if (id == none) return none;
    const auto index = evaluator_.index_of(target);
    if (!index || !evaluator_.list_members(id)) return none;
    return evaluator_.member_at(id, *index, syntax_.span(target.tokens));
}

std::optional<Expr> Elaborator::scalar(NodeId node, std::string_view what) {
    const Value value = evaluator_.evaluate(node);
    if (!evaluator_.arithmetic.require_scalar(value, what, syntax_.span(node))) return std::nullopt;
    return evaluator_.arithmetic.expr(value);
}

bool Elaborator::refuse_acceleration(std::span<const Expr> values, std::string_view what,
                                     Span place) {
    const bool any = std::any_of(values.begin(), values.end(), [&](Expr value) {
        return (uses_.of(value) & Uses::acceleration) != 0;
    });
    if (any) diagnostics_.error(place, fmt::format("{} must not contain accelerations", what));
    return any;
}

std::optional<double> Elaborator::known_number(Expr value) {
    if (!parameter_values_) {
        parameter_values_.emplace();
        for (const Parameter& parameter : model_.parameters)
            parameter_values_->insert(parameter.symbol, model_.graph.constant(parameter.value));
    }
    const Expr number = substitute(model_.graph, value, *parameter_values_);
    return model_.graph.is_constant(number) ? std::optional(model_.graph.value(number))
                                            : std::nullopt;
}

}  // namespace lacon::lang
