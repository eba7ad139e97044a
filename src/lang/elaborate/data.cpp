// Reads the files of `data` statements into curves, and evaluates calls of them and their slopes.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/text.hpp"
#include "data/signal_file.hpp"
#include "expr/curve.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/evaluate/scopes.hpp"

/// Measured signals: from the file to a curve, and where one is asked for its value.
namespace lacon::lang {

namespace {

Curve::Beyond beyond_named(std::string_view word) {
    if (word == "hold") return Curve::Beyond::hold;
    if (word == "zero") return Curve::Beyond::zero;
    return word == "repeat" ? Curve::Beyond::repeat : Curve::Beyond::refuse;
}

/// To repeat, a signal must end as it begins; what differs by rounding of its text alone is taken
/// as the same.
bool closes(Signal& signal) {
    double size = 0.0;
    for (const double y : signal.y) size = std::max(size, std::abs(y));
    if (std::abs(signal.y.front() - signal.y.back()) > 1e-12 * size) return false;
    signal.y.back() = signal.y.front();
    return true;
}

}  // namespace

std::optional<SignalColumn> Elaborator::data_column(TokenId token) {
    const std::string_view text = syntax_.text(token);
    if (syntax_.tokens[token].kind == TokenKind::text)
        return SignalColumn{syntax_.unquoted(token), 0};
    SignalColumn column;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), column.number);
    if (read.ec == std::errc() && read.ptr == text.data() + text.size() && column.number > 0)
        return column;
    diagnostics_.error(syntax_.tokens[token].span, fmt::format("'{}' is not a column number", text),
                       "columns count from 1: 1, 2, 3");
    return std::nullopt;
}

void Elaborator::data(const DataStatement& data, const Statement&) {
    const Names& names = evaluator_.names;
    const Entity* entity = names.find(data.target.name);
    // A name that something else has already is reported, and is not ours.
    if (entity->kind != EntityKind::data ||
        names.definitions[entity->definitions.front()].target != &data.target)
        return;
    SignalSource source;
    source.folder = std::filesystem::path(syntax_.source->name()).parent_path();
    source.file = syntax_.unquoted(data.file);
    for (const auto& [token, column] :
         {std::pair{data.column, &source.values}, std::pair{data.against, &source.argument}}) {
        if (token == none) continue;
        const auto given = data_column(token);
        if (!given) return;
        *column = *given;
    }
    const Span place = syntax_.tokens[data.file].span;
    const auto beyond =
        data.beyond == none ? Curve::Beyond::refuse : beyond_named(syntax_.text(data.beyond));
    const bool monotone = data.form != none && syntax_.text(data.form) == "monotone";
    try {
        Signal signal = read_signal(source);
        if (beyond == Curve::Beyond::repeat && !closes(signal)) {
            diagnostics_.error(
                syntax_.tokens[data.beyond].span,
                fmt::format("'{}' cannot repeat: it begins with {} and ends with {}", source.file,
                            shortest(signal.y.front()), shortest(signal.y.back())),
                "the last row must repeat the value of the first, one period later");
            return;
        }
        const std::string name(syntax_.names[data.target.name]);
        auto curve = std::make_shared<const Curve>(
            name, std::move(signal.x), signal.y,
            monotone ? Curve::Form::monotone : Curve::Form::natural, beyond);
        evaluator_.curves[names.id_of(data.target.name)] = curve;
        model_.data.push_back({source.file, std::move(curve), place});
    } catch (const DataError& error) {
        diagnostics_.error(place, error.what(), error.hint);
    }
}

Value Evaluator::call_data(const Node& node, EntityId id) {
    const Span place = syntax_.span(node.tokens);
    const std::string_view name = syntax_.names[names.entities[id].name];
    const bool slope = node.kind == NodeKind::slope;
    const std::size_t skipped = slope ? 1 : 0;
    if (node.count != 1 + skipped)
        return arithmetic.fail(place, fmt::format("'{}' takes 1 argument, but is given {} here",
                                                  name, node.count - skipped));
    const Value argument = evaluate(syntax_.child(node, skipped));
    if (argument.is_vector())
        return arithmetic.fail(place, fmt::format("'{}' takes a scalar, but it is given {}", name,
                                                  describe(argument)));
    if (!arithmetic.require_scalar(argument, "an argument", place)) return {};
    const auto found = curves.find(id);
    if (found == curves.end()) return {};  // its file is wrong, which is told
    const unsigned order = slope ? syntax_.nodes[syntax_.child(node, 0)].detail : 0;
    if (!argument.is_number())
        return arithmetic.of(model_.graph.data(found->second, order, arithmetic.expr(argument)),
                             place);
    const Curve& curve = *found->second;
    if (!curve.covers(argument.number))
        return arithmetic.fail(
            place, fmt::format("data '{}' has no value at {}: it goes from {} to {}", name,
                               shortest(argument.number), shortest(curve.first()),
                               shortest(curve.last())));
    return Value::of_number(curve.at(order, argument.number));
}

/// `ground'(x)`.
Value Evaluator::slope(const Node& node) {
    const NodeId name = syntax_.child(syntax_.nodes[syntax_.child(node, 0)], 0);
    const EntityId id = entity_named(name);
    if (id != none && names.entities[id].kind == EntityKind::data) return call_data(node, id);
    if (id != none && names.entities[id].kind == EntityKind::unknown) return {};
    const std::string_view text = syntax_.names[syntax_.nodes[name].detail];
    return arithmetic.fail(
        syntax_.span(syntax_.child(node, 0)),
        fmt::format(
            "'{}' is not data: only data has a derivative by its argument, written this way", text),
        fmt::format(
            "the time derivative of a function is {0}(...)'; a product is written '{0}'*(...)'",
            text));
}

}  // namespace lacon::lang
