// Evaluates each operand and its slope over pieces of time with intervals and the mean value
// theorem. A piece that cannot be shown to be harmless is halved, at most 24 times.
#include "locate/calendar.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "expr/derivative.hpp"
#include "expr/traverse.hpp"
#include "locate/features.hpp"
#include "state/observables.hpp"

namespace lacon::inline locate {

namespace {

constexpr std::size_t sizes = 25;      // of pieces: the run, a half of it, …
constexpr double pieces_a_step = 4.0;  // about as many samples as every method has
constexpr std::uint64_t no_piece = ~std::uint64_t{0};

/// The same with what grows like exp held below 1e130, so that intervals bound it: no feature tells
/// more than that from no bound.
Expr held_finite(Graph& graph, Expr root) {
    constexpr double most = 300.0;
    ExprMap<Expr> built;
    for (const Expr e : postorder(graph, {&root, 1})) {
        std::vector<Arg> args(graph.args(e).begin(), graph.args(e).end());
        bool changed = false;
        for (Arg& arg : args) {
            const Expr before = arg.expr;
            arg.expr = built.at(before);
            changed = changed || arg.expr != before;
        }
        const Op op = graph.op(e);
        if (op == Op::exp || op == Op::sinh || op == Op::cosh) {
            args[0].expr = graph.apply(Op::min, args[0].expr, graph.constant(most));
            if (op != Op::exp)
                args[0].expr = graph.apply(Op::max, args[0].expr, graph.constant(-most));
            changed = true;
        }
        built.insert(e, changed ? graph.rebuilt(graph, e, args) : e);
    }
    return built.at(root);
}

}  // namespace

struct Calendar::Operand {
    Expr value;
    Question question = Question::feature;
    Feature::Kind kind = Feature::Kind::pole;
    double exponent = 0.0;
};

/// The operands of one node that something is asked of.
std::vector<Calendar::Operand> Calendar::operands_of(Graph& graph, Expr e) {
    constexpr double high = 8.0;  // lower powers are as visible as the motion itself
    std::vector<Operand> found;
    const std::vector<Arg> args(graph.args(e).begin(), graph.args(e).end());
    const auto feature = [&](Feature::Kind kind, Expr operand, double exponent = 0.0) {
        found.push_back({operand, Question::feature, kind, exponent});
    };
    const auto decision = [&](Expr surface) { found.push_back({surface, Question::sign}); };
    const auto power = [&](Expr base, double exponent) {
        if (exponent < 0.0) feature(Feature::Kind::pole, base);
        else if (exponent != std::floor(exponent)) feature(Feature::Kind::root, base);
        else if (exponent > high) feature(Feature::Kind::power, base, exponent);
    };
    const auto square = [&](Expr x) { return graph.mul(x, x); };
    switch (graph.op(e)) {
        case Op::exp:
        case Op::sinh:
        case Op::cosh: feature(Feature::Kind::exponential, args[0].expr); break;
        case Op::tanh: feature(Feature::Kind::step, args[0].expr); break;
        case Op::sqrt:
        case Op::log: feature(Feature::Kind::root, args[0].expr); break;
        case Op::hypot:
            feature(Feature::Kind::root, graph.add(square(args[0].expr), square(args[1].expr)));
            break;
        case Op::tan: feature(Feature::Kind::tangent, args[0].expr); break;
        case Op::atan:
            feature(Feature::Kind::pole, graph.add(graph.one(), square(args[0].expr)));
            break;
        case Op::asin:
        case Op::acos:
            feature(Feature::Kind::pole, graph.sub(graph.one(), square(args[0].expr)));
            break;
        case Op::mul:
            for (const Arg& arg : args) power(arg.expr, arg.k);
            break;
        case Op::pow:
            if (graph.is_constant(args[1].expr)) power(args[0].expr, graph.value(args[1].expr));
            break;
        case Op::less:
        case Op::less_equal:
        case Op::min:
        case Op::max: decision(graph.sub(args[1].expr, args[0].expr)); break;
        case Op::abs:
        case Op::sign: decision(args[0].expr); break;
        case Op::floor: found.push_back({args[0].expr, Question::whole}); break;
        default: break;
    }
    return found;
}

/// Those in some expressions that depend on time and parameters alone. Knots of measured signals
/// are located by themselves.
std::vector<Calendar::Operand> Calendar::operands_in(Graph& graph, std::span<const Expr> roots,
                                                     Expr t, std::span<const Expr> parameters) {
    std::vector<Operand> found;
    for (const Expr e : postorder(graph, roots)) {
        if (!depends_on(graph, e, {&t, 1})) continue;
        for (const Operand& operand : operands_of(graph, e)) {
            const std::vector<Expr> nodes = postorder(graph, {&operand.value, 1});
            const auto is_known = [&](Expr node) {
                return graph.op(node) != Op::data &&
                       (graph.op(node) != Op::symbol || node == t ||
                        std::find(parameters.begin(), parameters.end(), node) != parameters.end());
            };
            if (std::all_of(nodes.begin(), nodes.end(), is_known) &&
                depends_on(graph, operand.value, {&t, 1}))
                found.push_back(operand);
        }
    }
    return found;
}

Calendar::Calendar(const DerivedModel& details, double begin, double end, std::size_t order)
    : entries_(widest(details).memo.get<Entries>("calendar",
                                                 [&] {
                                                     auto entries = std::make_shared<Entries>();
                                                     collect(widest(details), *entries);
                                                     return entries;
                                                 })),
      begin_(begin),
      span_(end - begin),
      order_(order),
      failed_(sizes, no_piece) {}

void Calendar::collect(const DerivedModel& details, Entries& entries) {
    const System& system = details.system;
    Graph graph = system.graph;
    const auto add = [&](Graph& in, std::span<const Operand> operands, std::span<const Expr> inputs,
                         const std::vector<double>& numbers) {
        for (const Operand& operand : operands) {
            const Expr value = held_finite(in, operand.value);
            const Expr wanted[] = {value, derivative(in, value, inputs.back())};
            entries.push_back({Program(in, inputs, wanted), numbers, operand.question, operand.kind,
                               operand.exponent});
        }
    };
    std::vector<std::vector<Operand>> operands;
    for (const Shape& shape : system.shapes) {
        std::vector<Expr> roots = shape.dynamics.values;
        roots.insert(roots.end(), shape.residuals.values.begin(), shape.residuals.values.end());
        roots.insert(roots.end(), shape.nonideal.values.begin(), shape.nonideal.values.end());
        operands.push_back(
            operands_in(graph, roots, system.t, std::span(system.p).first(shape.parameters)));
    }
    std::vector<Element> elements = system.elements;
    for (const NonidealElement& nonideal : system.nonideal) elements.push_back(nonideal.element);
    for (const NonidealElement& bound : system.dry_bounds) elements.push_back(bound.element);
    std::map<std::pair<std::uint32_t, std::vector<double>>, bool> known;
    for (const Element& element : elements) {
        const Shape& shape = system.shapes[element.shape];
        if (operands[element.shape].empty()) continue;
        std::vector<Expr> inputs(system.p.begin(),
                                 system.p.begin() + static_cast<std::ptrdiff_t>(shape.parameters));
        inputs.push_back(system.t);
        std::vector<double> numbers;
        for (std::size_t i = 0; i < shape.parameters; ++i)
            numbers.push_back(
                details.parameters[system.leaves[element.leaves + shape.coordinates + i]]);
        if (!known.emplace(std::pair(element.shape, numbers), true).second) continue;
        numbers.push_back(0.0);
        add(graph, operands[element.shape], inputs, numbers);
    }
    const Model& model = details.model;
    if (model.events.empty()) return;
    Graph of_model = model.graph;
    std::vector<Expr> inputs;
    for (const Parameter& parameter : model.parameters) inputs.push_back(parameter.symbol);
    const std::vector<Expr> events = values_of(model.events);
    const std::vector<Operand> watched = operands_in(of_model, events, model.time, inputs);
    if (watched.empty()) return;
    std::vector<double> numbers(
        details.parameters.begin(),
        details.parameters.begin() + static_cast<std::ptrdiff_t>(inputs.size()));
    inputs.push_back(model.time);
    numbers.push_back(0.0);
    add(of_model, watched, inputs, numbers);
}

template <class T>
void Calendar::evaluate(const Entry& entry, const T& t, std::vector<T>& found) {
    std::vector<T> inputs(entry.parameters.begin(), entry.parameters.end()),
        slots(entry.program.slot_count());
    inputs.back() = t;
    found.resize(2);
    entry.program.run<T>(inputs, slots, found);
}

bool Calendar::is_plain(const Entry& entry, const Piece& piece) {
    std::vector<Interval> over, middle;
    evaluate(entry, Interval(piece.begin, piece.end), over);
    // What is divided by something as large as this is nothing, also where it has no bound (cosh
    // far out).
    constexpr double huge = 1e100;
    if (entry.question == Question::feature && entry.kind == Feature::Kind::pole &&
        (over[0].low > huge || over[0].high < -huge))
        return true;
    if (!over[0].is_defined()) return false;
    Interval range = over[0];
    const Interval& slope = over[1];
    if (entry.question != Question::feature) {
        // Zero that is touched from above, as by exp far out, is not passed; nor is a whole number.
        const double passed = entry.question == Question::whole
                                  ? std::floor(range.high) - std::floor(range.low)
                              : range.low < 0.0 && range.high > 0.0 ? 1.0
                                                                    : 0.0;
        const bool is_monotone =
            slope.is_defined() && !slope.contains_zero() && slope.smoothness != Smoothness::broken;
        return passed <= 0.0 || (passed == 1.0 && is_monotone);
    }
    const double centre = 0.5 * (piece.begin + piece.end);
    if (slope.is_defined() &&
        slope.smoothness != Smoothness::broken) {  // by the mean value theorem
        evaluate(entry, Interval(centre), middle);
        range = intersection(
            range, middle[0] + slope * (Interval(piece.begin, piece.end) - Interval(centre)));
    }
    std::vector<double> at;
    for (const double end : {piece.begin, piece.end}) {
        evaluate(entry, end, at);
        const double far = std::max(std::abs(range.low - at[0]), std::abs(range.high - at[0]));
        if (far <= reach_of(entry.kind, at[0], entry.exponent, order_)) return true;
    }
    return false;
}

bool Calendar::is_plain(const Piece& piece) {
    return std::all_of(entries_->begin(), entries_->end(),
                       [&](const Entry& entry) { return is_plain(entry, piece); });
}

/// The piece that t lies in; at a border, the one behind it.
Calendar::Piece Calendar::piece_at(double t) {
    if (last_.begin <= t && t < last_.end) return last_;
    double length = span_;
    for (std::size_t size = 0;; ++size, length *= 0.5) {
        const auto number =
            static_cast<std::uint64_t>(std::max(0.0, std::floor((t - begin_) / length)));
        const Piece piece{begin_ + static_cast<double>(number) * length,
                          begin_ + static_cast<double>(number + 1) * length};
        if (failed_[size] == number && size + 1 < sizes) continue;
        if (is_plain(piece) || size + 1 == sizes) return last_ = piece;
        failed_[size] = number;
    }
}

double Calendar::clear(double t, double wanted) {
    if (is_empty() || !(wanted > 0.0)) return wanted;
    constexpr double rounding = 1e-14;  // of the run: some ten places of the time
    double until = t, allowed = INFINITY;
    while (until < t + wanted && until < begin_ + span_) {
        const Piece piece = piece_at(until);
        const double next = std::min(allowed, pieces_a_step * (piece.end - piece.begin));
        const double done = until - t;
        if (next <= done && done > rounding * span_) return std::min(wanted, done);
        allowed = next;
        if (piece.end - t >= allowed) return std::min(wanted, allowed);
        until = std::max(piece.end, std::nextafter(until, INFINITY));
    }
    return wanted;
}

}  // namespace lacon::locate
