// Evaluates syntax nodes by recursion, runs loops, and calls functions. Depth, steps and
// repetitions are limited, so that no text can exhaust stack or time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "lang/evaluate/scopes.hpp"

namespace lacon::lang {

namespace {

// Of nested evaluations: half of 8 MB of stack with sanitizers.
constexpr int evaluation_depth_limit = 2000;

}  // namespace

Evaluator::Evaluator(const Syntax& syntax, Model& model, Diagnostics& diagnostics,
                     const Settings& settings, const Limits& limits)
    : names(syntax, diagnostics),
      arithmetic(model.graph, diagnostics),
      syntax_(syntax),
      model_(model),
      diagnostics_(diagnostics),
      limits_(limits) {
    for (const auto& [name, value] : settings) settings_[name] = value;
}

void Evaluator::count_step() {
    if (++steps_ > limits_.steps)
        throw Overrun{fmt::format("the model takes more than {} steps to build; it is too large",
                                  limits_.steps)};
}

void Evaluator::count_repetition() {
    count_step();
    if (++repetitions_ > limits_.repetitions)
        throw Overrun{fmt::format(
            "the model has more than {} members and repeated statements; it is too large",
            limits_.repetitions)};
}

Value Evaluator::evaluate(NodeId node) {
    count_step();
    if (depth_ >= evaluation_depth_limit)
        return arithmetic.fail(syntax_.span(node),
                               "the definitions that this one needs are nested too deeply",
                               "write definitions before the lines that use them");
    const Nesting nesting(*this, 1);
    return evaluate_kind(node);
}

Value Evaluator::evaluate_kind(NodeId id) {
    const Node& node = syntax_.nodes[id];
    switch (node.kind) {
        case NodeKind::number: return Value::of_number(syntax_.numbers[node.detail]);
        case NodeKind::name: return name(node);
        case NodeKind::sum: return sum(node);
        case NodeKind::product: return product(node);
        case NodeKind::negate:
            return arithmetic.negate(evaluate(syntax_.child(node, 0)), syntax_.span(id));
        case NodeKind::power:
            return arithmetic.power(evaluate(syntax_.child(node, 0)),
                                    evaluate(syntax_.child(node, 1)), syntax_.span(id));
        case NodeKind::prime: {
            Value value = evaluate(syntax_.child(node, 0));
            for (std::uint32_t i = 0; i < node.detail && !value.is_bad(); ++i)
                value = time_derivative(value, syntax_.span(id));
            return value;
        }
        case NodeKind::index: return index(node);
        case NodeKind::component: return component(node);
        case NodeKind::call: return call(node);
        case NodeKind::slope: return slope(node);
        case NodeKind::vector: return vector(node);
        case NodeKind::sum_over: return sum_over(node);
        case NodeKind::choice: return choice(node);
        case NodeKind::compare:
            return arithmetic.compare(static_cast<TokenKind>(node.detail),
                                      evaluate(syntax_.child(node, 0)),
                                      evaluate(syntax_.child(node, 1)), syntax_.span(id));
        case NodeKind::all_of:
        case NodeKind::any_of: return logic(node);
        case NodeKind::negation: return arithmetic.negation(truth(syntax_.child(node, 0)));
        case NodeKind::applied: return applied(node);
        case NodeKind::all:
            for (const auto& [star, value] : stars)
                if (star == id) return Value::of_number(value);
            return arithmetic.fail(
                syntax_.span(id),
                "'*' stands for the members of a family, and this is not a family");
    }
    return {};
}

std::optional<double> Evaluator::number(NodeId node, std::string_view what) {
    const Structural scope(*this, syntax_.span(node), what);
    const Value value = evaluate(node);
    if (!arithmetic.require_scalar(value, what, syntax_.span(node))) return std::nullopt;
    if (!value.is_number()) return std::nullopt;
    return value.number;
}

std::optional<std::int32_t> Evaluator::whole(NodeId node, std::string_view what) {
    const auto value = number(node, what);
    if (!value) return std::nullopt;
    if (*value != std::round(*value) || std::abs(*value) > 1e9) {
        const std::string_view wish =
            *value != std::round(*value) ? "a whole number" : "at most 1000000000 in size";
        const Node& name = syntax_.nodes[node];
        std::string hint;
        for (std::size_t i = bindings_.size();
             name.kind == NodeKind::name && i > frame_ && hint.empty(); --i)
            if (const Binding& from = bindings_[i - 1];
                from.name == name.detail && from.table != nullptr)
                hint = fmt::format("the value is in row {} of '{}'", from.table->rows[from.row],
                                   from.table->file);
        arithmetic.fail(syntax_.span(node),
                        fmt::format("{} must be {}, but it is {}", what, wish, shortest(*value)),
                        hint);
        return std::nullopt;
    }
    return static_cast<std::int32_t>(*value);
}

bool Evaluator::each(const Loops& loops, const std::function<bool()>& body) {
    return each_from(loops, 0, body);
}

bool Evaluator::each_from(const Loops& loops, std::size_t clause,
                          const std::function<bool()>& body) {
    if (clause == loops.loops.size()) {
        count_step();
        if (loops.condition == none) return body();
        const Value condition = known_truth(loops.condition);
        if (condition.is_bad()) return false;
        return condition.number == 0 || body();
    }
    const Loop& loop = loops.loops[clause];
    std::int64_t begin = 0, end = 0;
    if (loop.file != none) {
        const DataClause* data = clause_of(loop);
        if (data == nullptr) return false;
        end = static_cast<std::int64_t>(data->table->row_count());
    } else {
        const auto low = whole(loop.low, "a bound of a range"),
                   high = whole(loop.high, "a bound of a range");
        if (!low || !high) return false;
        begin = *low;
        end = std::int64_t{*high} + 1;
        if (end - begin > limits_.range) {
            const Span place{syntax_.span(loop.low).begin, syntax_.span(loop.high).end};
            arithmetic.fail(place, fmt::format("this range has {} values; at most {} are possible",
                                               end - begin, limits_.range));
            return false;
        }
    }
    bool go_on = true;
    const std::size_t first = bindings_.size();
    bind(loop);
    running_.push_back(0.0);
    const std::size_t slot = running_.size() - 1;
    for (std::int64_t i = begin; i < end && go_on; ++i) {
        running_[slot] = static_cast<double>(i);
        give(loop, first, running_[slot]);
        go_on = each_from(loops, clause + 1, body);
    }
    running_.pop_back();
    bindings_.resize(first);
    return go_on;
}

Value Evaluator::sum(const Node& node) {
    SumBuilder builder(arithmetic);
    std::vector<Value> points;
    for (const Child& child : syntax_.children_of(node)) {
        const Value value = evaluate(child.node);
        builder.add(value, child.inverse, syntax_.span(child.node));
        if (differences && value.is_vector() && child.inverse == (points.size() == 1))
            points.push_back(value);
    }
    const Value result = builder.finish(syntax_.span(node.tokens));
    if (points.size() == 2 && node.count == 2 && !result.is_bad())
        note_difference(points[0].parts, points[1].parts);
    return result;
}

void Evaluator::note_difference(const Components& a, const Components& b) {
    Components both = a;
    both.insert(both.end(), b.begin(), b.end());
    differences->push_back(model_.forms.keep(model_.graph, both));
}

Value Evaluator::product(const Node& node) {
    ProductBuilder builder(arithmetic);
    for (const Child& child : syntax_.children_of(node)) {
        if (child.inverse) builder.divide(evaluate(child.node), syntax_.span(child.node));
        else builder.multiply(evaluate(child.node), syntax_.span(child.node));
    }
    return builder.finish(syntax_.span(node.tokens));
}

Value Evaluator::sum_over(const Node& node) {
    SumBuilder builder(arithmetic);
    const NodeId body = syntax_.child(node, 0);
    const bool complete = each(syntax_.loops[node.detail], [&] {
        const Value term = evaluate(body);
        builder.add(term, false, syntax_.span(body));
        return !term.is_bad();
    });
    return complete ? builder.finish(syntax_.span(node.tokens)) : Value{};
}

Value Evaluator::vector(const Node& node) {
    std::vector<Value> parts;
    std::vector<Span> places;
    for (const Child& child : syntax_.children_of(node)) {
        parts.push_back(evaluate(child.node));
        places.push_back(syntax_.span(child.node));
    }
    return arithmetic.vector(std::move(parts), places);
}

/// Where the condition is known only the chosen value is looked at: `if(i == 1, 0, P[i-1].x)` asks
/// for no P[0].
Value Evaluator::choice(const Node& node) {
    const Value condition = truth(syntax_.child(node, 0));
    if (condition.is_bad()) return {};
    if (condition.known) return evaluate(syntax_.child(node, condition.number != 0 ? 1 : 2));
    return arithmetic.choose(condition, evaluate(syntax_.child(node, 1)),
                             evaluate(syntax_.child(node, 2)), syntax_.span(node.tokens));
}

Value Evaluator::truth(NodeId node) {
    Value value = evaluate(node);
    if (value.is_bad() || value.is_truth()) return value;
    return arithmetic.fail(
        syntax_.span(node),
        fmt::format("a condition is expected here, but this is {}", describe(value)),
        "compare it with something: x > 0");
}

Value Evaluator::known_truth(NodeId node) {
    const Structural scope(*this, syntax_.span(node), "the condition of a loop");
    return truth(node);
}

Value Evaluator::logic(const Node& node) {
    const bool all = node.kind == NodeKind::all_of;
    Value result = Value::of_truth(all);
    for (const Child& child : syntax_.children_of(node)) {
        result = arithmetic.join(all ? Op::logic_and : Op::logic_or, result, truth(child.node));
        const bool decided = result.is_bad() || (result.known && (result.number != 0) != all);
        if (decided) return result;
    }
    return result;
}

Value Evaluator::call(const Node& node) {
    const NameId name = node.detail;
    const std::string_view text = syntax_.names[name];
    const Span place = syntax_.tokens[node.tokens.begin].span;
    if (text == "load") return load(node);
    const EntityId entity = bound(name) != nullptr ? none : names.id_of(name);
    if (entity != none && names.entities[entity].kind == EntityKind::function)
        return call_user(node, entity);
    if (entity != none && names.entities[entity].kind == EntityKind::data)
        return call_data(node, entity);
    if (entity != none && names.entities[entity].kind == EntityKind::unknown) return {};
    if (entity != none && names.entities[entity].kind == EntityKind::body) return call_body(node);
    if (entity == none && bound(name) == nullptr && text == "ground" && bodies.any())
        return body_point(Body::ground, syntax_.children_of(node), syntax_.span(node.tokens));
    const Function* function = find_function(text);
    if (function == nullptr &&
        (entity != none || bound(name) != nullptr || text == "t" || text == "pi" || text == "deg"))
        return arithmetic.fail(place, fmt::format("'{}' is not a function", text),
                               fmt::format("if you mean a product, write '{}*(...)'", text));
    if (function == nullptr) {
        unknown_name(name, place, true);
        return {};
    }
    std::vector<Value> arguments;
    for (const Child& child : syntax_.children_of(node)) arguments.push_back(evaluate(child.node));
    return arithmetic.call(*function, arguments, syntax_.span(node.tokens));
}

Value Evaluator::call_user(const Node& node, EntityId id) {
    const Definition& definition = names.definitions[names.entities[id].definitions.front()];
    const LetItem& function =
        std::get<LetStatement>(definition.statement->content).items[definition.item];
    const Span place = syntax_.span(node.tokens);
    if (node.count != function.arguments.size())
        return arithmetic.fail(
            place, fmt::format("'{}' takes {}, but is given {} here", syntax_.names[node.detail],
                               counted(function.arguments.size(), "argument"), node.count));
    if (std::find(active_functions_.begin(), active_functions_.end(), id) !=
        active_functions_.end())
        return arithmetic.fail(
            place, fmt::format("the function '{}' calls itself", syntax_.names[node.detail]),
            "a function may use only functions before it; a family such as P[i] may use P[i-1]");
    std::vector<Value> arguments;
    for (const Child& child : syntax_.children_of(node)) arguments.push_back(evaluate(child.node));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].is_bad()) return {};
        if (arguments[i].is_truth())
            return arithmetic.fail(syntax_.span(syntax_.child(node, i)),
                                   "a condition cannot be an argument", "pass if(condition, 1, 0)");
    }
    const Frame frame(*this);
    const Nesting nesting(*this, 2);
    for (std::size_t i = 0; i < arguments.size(); ++i)
        bindings_.push_back({function.arguments[i], std::move(arguments[i])});
    active_functions_.push_back(id);
    Value value = evaluate(function.value);
    active_functions_.pop_back();
    return value;
}

}  // namespace lacon::lang
