// Turns control statements into requirements with gains and limits:  φ'' + A φ' + B φ = 0  on
// positions,  φ' + A φ = 0  on velocities (theory 7).
#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "base/text.hpp"
#include "lang/elaborate/elaborator.hpp"

/// `control NAME: LHS = RHS {MODIFIER}`: what is required, how it is entered, and within which
/// limits.
namespace lacon::lang {

namespace {

constexpr double default_rate = 10.0;  // 1/s, at which an error goes away where no gain is given

}  // namespace

void Elaborator::controls(const ControlStatement& statement, const Statement& whole) {
    for (const MemberId member : members_of(whole)) {
        const std::size_t before = diagnostics_.error_count();
        evaluator_.within(member, [&] { control(statement, member, whole.loops); });
        if (diagnostics_.error_count() > before) break;
    }
}

void Elaborator::control(const ControlStatement& statement, MemberId member, const Loops& loops) {
    const std::size_t errors = diagnostics_.error_count();
    Control control;
    control.name = evaluator_.names.name_of(member);
    control.span = evaluator_.names.place_of(member);
    control.nearest = statement.nearest;
    requirements(statement, control);
    if (actuators(statement, loops, control)) {
        weights(statement, control);
        limits(statement, control);
    }
    if (diagnostics_.error_count() > errors || control.rows.empty() || control.actuators.empty())
        return;
    evaluator_.names.members[member].slot = static_cast<std::uint32_t>(model_.controls.size());
    model_.controls.push_back(std::move(control));
}

void Elaborator::requirements(const ControlStatement& statement, Control& control) {
    const auto both = sides(statement.left, statement.right);
    ConstraintRow common;
    common.name = control.name;
    common.span = control.span;
    common.sense = statement.sense;
    if (statement.damping != none) common.damping = positive(statement.damping, "the first gain");
    if (statement.stiffness != none)
        common.stiffness = positive(statement.stiffness, "the second gain");
    if (!both) return;
    std::vector<ConstraintRow> rows = rows_of(*both, common);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        check_row(rows[i], both->difference[i], "control");
        set_gains(statement, both->difference[i], rows[i]);
        control.rows.push_back(model_.requirements.size());
        model_.requirements.push_back(std::move(rows[i]));
    }
}

/// φ'' + A φ' + B φ = 0 at position level, φ' + A φ = 0 at velocity level; without B the critically
/// damped one.
void Elaborator::set_gains(const ControlStatement& statement, Expr value, ConstraintRow& row) {
    const std::uint8_t uses = uses_.of(value);
    Graph& graph = model_.graph;
    if ((uses & Uses::acceleration) != 0) {
        if (statement.damping == none) return;
        diagnostics_.error(
            syntax_.span(statement.damping),
            fmt::format("the control '{}' is at acceleration level: there is no error to correct",
                        row.name),
            "remove 'gain'");
    } else if ((uses & Uses::velocity) != 0) {
        if (statement.stiffness != none)
            diagnostics_.error(
                syntax_.span(statement.stiffness),
                fmt::format(
                    "the control '{}' is at velocity level and takes one gain: phi' + A*phi = 0",
                    row.name),
                "write 'gain A'");
        if (!row.damping) row.damping = graph.constant(default_rate);
    } else {
        if (!row.damping) row.damping = graph.constant(2.0 * default_rate);
        if (!row.stiffness) row.stiffness = graph.scale(0.25, graph.pow(*row.damping, 2));
    }
}

std::optional<Expr> Elaborator::positive(NodeId node, std::string_view what) {
    const Span place = syntax_.span(node);
    const auto value = scalar(node, what);
    if (!value || refuse_acceleration({&*value, 1}, what, place)) return std::nullopt;
    const auto number = known_number(*value);
    if (!number || (*number > 0 && std::isfinite(*number))) return value;
    diagnostics_.error(place, fmt::format("{} must be positive and finite, but it is {}", what,
                                          shortest(*number)));
    return std::nullopt;
}

/// Whether there is one of them for each actuator, or one for all.
bool Elaborator::has_one_each(std::size_t count, std::string_view noun, Span place,
                              const Control& control) {
    const std::size_t wanted = control.actuators.size();
    if (count == 1 || count == wanted) return true;
    std::vector<std::string> names;
    for (const std::size_t actuator : control.actuators)
        names.push_back(model_.actuators[actuator].name);
    diagnostics_.error(
        place,
        fmt::format("the control '{}' has {} but {}", control.name, counted(wanted, "actuator"),
                    counted(count, noun)),
        fmt::format("give one {0} for {1}, or a single {0} for all", noun, quoted_list(names)));
    return false;
}

// ---- limits

void Elaborator::limits(const ControlStatement& statement, const Control& control) {
    if (statement.limits.empty()) return;
    const Span place{syntax_.span(statement.limits.front().low).begin,
                     syntax_.span(statement.limits.back().high).end};
    if (!has_one_each(statement.limits.size(), "limit", place, control)) return;
    std::vector<std::pair<Expr, Expr>> ranges;
    for (const LimitItem& item : statement.limits) {
        const auto range = limit(item);
        if (!range) return;
        ranges.push_back(*range);
    }
    for (std::size_t i = 0; i < control.actuators.size(); ++i) {
        Actuator& actuator = model_.actuators[control.actuators[i]];
        std::string& limited = actuator_notes_[control.actuators[i]].limited;
        const auto [low, high] = ranges.size() == 1 ? ranges[0] : ranges[i];
        if (actuator.low && (*actuator.low != low || *actuator.high != high)) {
            diagnostics_.error(
                place,
                fmt::format("the limits of '{}' differ between the controls '{}' and '{}'",
                            actuator.name, limited, control.name),
                "an actuator has one pair of limits, for all controls that use it; give it once");
            return;
        }
        actuator.low = low;
        actuator.high = high;
        limited = control.name;
    }
}

std::optional<std::pair<Expr, Expr>> Elaborator::limit(const LimitItem& item) {
    const auto low = scalar(item.low, "a limit"), high = scalar(item.high, "a limit");
    if (!low || !high) return std::nullopt;
    const Span place{syntax_.span(item.low).begin, syntax_.span(item.high).end};
    const Expr both[] = {*low, *high};
    if (refuse_acceleration(both, "a limit", place)) return std::nullopt;
    const auto from = known_number(*low), to = known_number(*high);
    if (!from || !to || *from < *to) return std::pair{*low, *high};
    diagnostics_.error(
        place, fmt::format("the limits {}..{} form an empty range", shortest(*from), shortest(*to)),
        *from > *to ? "write the lower one first"
                    : "remove an actuator that can do nothing from 'by'");
    return std::nullopt;
}

// ---- once all controls are read

/// Names that are given may come after those that are made, so this waits for the last control.
void Elaborator::check_actuator_names() {
    std::unordered_map<std::string_view, const Actuator*> by_name;
    for (const Actuator& actuator : model_.actuators) {
        const auto [first, is_new] = by_name.try_emplace(actuator.name, &actuator);
        if (is_new) continue;
        diagnostics_.error(
            actuator.span,
            fmt::format("there are two actuators '{}', acting in different directions",
                        actuator.name),
            fmt::format("the first one is in line {}; name one of them: by NAME = ...",
                        syntax_.source->place(first->second->span.begin).line));
    }
}

/// The columns that every run of a model with controls has, behind those asked for.
void Elaborator::control_columns() {
    if (model_.controls.empty() || diagnostics_.has_errors()) return;
    const auto add = [&](std::string name, Observed::Kind kind, std::size_t number, Span place) {
        if (columns_.contains(name)) return;
        const Expr value =
            evaluator_.arithmetic.expr(evaluator_.observe(kind, {number}, name, place));
        add_column(std::move(name), value, place);
    };
    guarded(syntax_.statements.back(), [&] {
        for (std::size_t i = 0; i < model_.controls.size(); ++i) {
            const Control& control = model_.controls[i];
            add(control.name + ".force", Observed::Kind::control_force, i, control.span);
            add(control.name + ".power", Observed::Kind::control_power, i, control.span);
            add(control.name + ".error", Observed::Kind::control_error, i, control.span);
        }
        for (std::size_t i = 0; i < model_.actuators.size(); ++i)
            add("effort." + model_.actuators[i].name, Observed::Kind::effort, i,
                model_.actuators[i].span);
    });
}

}  // namespace lacon::lang
