#include "motion/calendar.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "expr/derivative.hpp"
#include "expr/traverse.hpp"
#include "motion/features.hpp"

namespace lacon {

namespace {

constexpr std::size_t sizes = 25;      // of pieces: the run, a half of it, …
constexpr double pieces_a_step = 4.0;  // about as many samples as every method has
constexpr std::uint64_t none = ~std::uint64_t{0};

/// What an operation asks of time.
struct Question {
    Expr operand;
    bool is_decision = false;
    Feature::Kind kind = Feature::Kind::pole;
    double exponent = 0.0;
};

/// The questions of one node.
std::vector<Question> questions_of(Graph& graph, Expr e) {
    constexpr double high = 8.0;  // lower powers are as visible as the motion itself
    std::vector<Question> found;
    const std::vector<Arg> args(graph.args(e).begin(), graph.args(e).end());
    const auto feature = [&](Feature::Kind kind, Expr operand, double exponent = 0.0) {
        found.push_back({operand, false, kind, exponent});
    };
    const auto decision = [&](Expr surface) { found.push_back({surface, true}); };
    const auto power = [&](Expr base, double exponent) {
        if (exponent < 0.0) feature(Feature::Kind::pole, base);
        else if (exponent > high && exponent == std::floor(exponent)) feature(Feature::Kind::power, base, exponent);
    };
    const auto square = [&](Expr x) { return graph.mul(x, x); };
    switch (graph.op(e)) {
        case Op::exp:
        case Op::sinh:
        case Op::cosh: feature(Feature::Kind::exponential, args[0].expr); break;
        case Op::tanh: feature(Feature::Kind::step, args[0].expr); break;
        case Op::tan: feature(Feature::Kind::tangent, args[0].expr); break;
        case Op::atan: feature(Feature::Kind::pole, graph.add(graph.one(), square(args[0].expr))); break;
        case Op::asin:
        case Op::acos: feature(Feature::Kind::pole, graph.sub(graph.one(), square(args[0].expr))); break;
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
        default: break;
    }
    return found;
}

}  // namespace

Calendar::Calendar(const SystemDetails& details, double begin, double end, std::size_t order)
    : entries_(widest(details).memo.get<Entries>("calendar",
                                                 [&] {
                                                     auto entries = std::make_shared<Entries>();
                                                     collect(widest(details), *entries);
                                                     return entries;
                                                 })),
      begin_(begin),
      span_(end - begin),
      order_(order),
      failed_(sizes, none) {}

void Calendar::collect(const SystemDetails& details, Entries& entries) {
    const System& system = details.system;
    Graph graph = system.graph;
    std::vector<std::vector<Question>> questions;
    for (const Shape& shape : system.shapes) {
        questions.emplace_back();
        std::vector<Expr> roots = shape.dynamics.values;
        roots.insert(roots.end(), shape.residuals.values.begin(), shape.residuals.values.end());
        roots.insert(roots.end(), shape.nonideal.values.begin(), shape.nonideal.values.end());
        const std::span parameters = std::span(system.p).first(shape.parameters);
        for (const Expr e : postorder(graph, roots)) {
            if (!depends_on(graph, e, {&system.t, 1})) continue;
            for (const Question& question : questions_of(graph, e)) {
                const std::vector<Expr> symbols = symbols_in(graph, {&question.operand, 1});
                const bool by_time_alone = std::all_of(symbols.begin(), symbols.end(), [&](Expr s) {
                    return s == system.t || std::find(parameters.begin(), parameters.end(), s) != parameters.end();
                });
                const std::vector<Expr> nodes = postorder(graph, {&question.operand, 1});
                if (std::any_of(nodes.begin(), nodes.end(), [&](Expr node) { return graph.op(node) == Op::data; }))
                    continue;  // knots are located by themselves
                if (by_time_alone && std::find(symbols.begin(), symbols.end(), system.t) != symbols.end())
                    questions.back().push_back(question);
            }
        }
    }
    std::vector<Element> elements = system.elements;
    for (const NonidealElement& nonideal : system.nonideal) elements.push_back(nonideal.element);
    std::map<std::pair<std::uint32_t, std::vector<double>>, bool> known;
    for (const Element& element : elements) {
        const Shape& shape = system.shapes[element.shape];
        if (questions[element.shape].empty()) continue;
        std::vector<Expr> inputs(system.p.begin(), system.p.begin() + static_cast<std::ptrdiff_t>(shape.parameters));
        inputs.push_back(system.t);
        std::vector<double> numbers;
        for (std::size_t i = 0; i < shape.parameters; ++i)
            numbers.push_back(details.parameters[system.leaves[element.leaves + shape.coordinates + i]]);
        if (!known.emplace(std::pair(element.shape, numbers), true).second) continue;
        numbers.push_back(0.0);
        for (const Question& q : questions[element.shape]) {
            const Expr wanted[] = {q.operand, derivative(graph, q.operand, system.t)};
            entries.push_back({Program(graph, inputs, wanted), numbers, q.is_decision, q.kind, q.exponent});
        }
    }
}

template <class T>
void Calendar::evaluate(const Entry& entry, const T& t, std::vector<T>& found) {
    std::vector<T> inputs(entry.parameters.begin(), entry.parameters.end()), slots(entry.program.slot_count());
    inputs.back() = t;
    found.resize(2);
    entry.program.run<T>(inputs, slots, found);
}

bool Calendar::is_plain(const Entry& entry, const Piece& piece) {
    std::vector<Interval> over, middle;
    evaluate(entry, Interval(piece.begin, piece.end), over);
    if (!over[0].is_defined()) return false;
    Interval range = over[0];
    const Interval& slope = over[1];
    if (entry.is_decision)
        return !range.contains_zero() || (slope.is_defined() && !slope.contains_zero() && slope.smoothness != Smoothness::broken);
    const double centre = 0.5 * (piece.begin + piece.end);
    if (slope.is_defined() && slope.smoothness != Smoothness::broken) {  // by the mean value theorem
        evaluate(entry, Interval(centre), middle);
        range = intersection(range, middle[0] + slope * (Interval(piece.begin, piece.end) - Interval(centre)));
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
    return std::all_of(entries_->begin(), entries_->end(), [&](const Entry& entry) { return is_plain(entry, piece); });
}

/// The piece that t lies in; at a border, the one behind it.
Calendar::Piece Calendar::piece_at(double t) {
    if (last_.begin <= t && t < last_.end) return last_;
    double length = span_;
    for (std::size_t size = 0;; ++size, length *= 0.5) {
        const auto number = static_cast<std::uint64_t>(std::max(0.0, std::floor((t - begin_) / length)));
        const Piece piece{begin_ + static_cast<double>(number) * length, begin_ + static_cast<double>(number + 1) * length};
        if (failed_[size] == number && size + 1 < sizes) continue;
        if (is_plain(piece) || size + 1 == sizes) return last_ = piece;
        failed_[size] = number;
    }
}

double Calendar::clear(double t, double wanted) {
    if (is_empty() || !(wanted > 0.0)) return wanted;
    constexpr double rounding = 1e-14;
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

}  // namespace lacon
