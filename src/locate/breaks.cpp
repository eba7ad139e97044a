// Finds signals whose argument is scale · t + offset and turns their knots into times. Stops lie a
// few rounding units behind a knot and, where the equations jump, also before it.
#include "locate/breaks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "expr/derivative.hpp"
#include "expr/traverse.hpp"

namespace lacon::inline locate {

namespace {

/// What the equations of a shape use of one signal.
struct Use {
    std::shared_ptr<const Curve> curve;
    Expr argument, rate;  // and its time derivative
    bool jumps;
};

/// The signals of a shape whose argument is linear in time; another one is put into `unforeseen`.
std::vector<Use> uses_of(const Shape& shape, const System& system, Graph& graph,
                         std::shared_ptr<const Curve>& unforeseen) {
    std::vector<Expr> roots = shape.dynamics.values;
    roots.insert(roots.end(), shape.residuals.values.begin(), shape.residuals.values.end());
    roots.insert(roots.end(), shape.nonideal.values.begin(), shape.nonideal.values.end());
    const std::span parameters = std::span(system.p).first(shape.parameters);
    std::vector<Use> uses;
    for (const Expr e : postorder(graph, roots)) {
        if (graph.op(e) != Op::data) continue;
        Use use{graph.curve(e), graph.args(e)[0].expr, graph.zero(), false};
        use.jumps = !use.curve->is_continuous(graph.curve_order(e));
        const std::vector<Expr> symbols = symbols_in(graph, {&use.argument, 1});
        const bool rests = std::all_of(symbols.begin(), symbols.end(), [&](Expr s) {
            return s == system.t ||
                   std::find(parameters.begin(), parameters.end(), s) != parameters.end();
        });
        if (rests) use.rate = derivative(graph, use.argument, system.t);
        if (rests && !depends_on(graph, use.rate, {&system.t, 1})) uses.push_back(std::move(use));
        else unforeseen = use.curve;
    }
    return uses;
}

}  // namespace

Breaks::Breaks(const DerivedModel& details) {
    const DerivedModel& all =
        details.servo ? *details.servo : details;  // with what is required of controls
    if (all.system.graph.has_data()) collect(all);
}

void Breaks::collect(const DerivedModel& details) {
    const System& system = details.system;
    Graph graph = system.graph;
    std::vector<std::vector<Use>> uses;
    for (const Shape& shape : system.shapes)
        uses.push_back(uses_of(shape, system, graph, unforeseen_));
    std::vector<Element> elements = system.elements;
    for (const NonidealElement& nonideal : system.nonideal) elements.push_back(nonideal.element);
    for (const NonidealElement& bound : system.dry_bounds) elements.push_back(bound.element);
    for (const Element& element : elements) {
        const Shape& shape = system.shapes[element.shape];
        std::vector<Expr> inputs(system.p.begin(),
                                 system.p.begin() + static_cast<std::ptrdiff_t>(shape.parameters));
        inputs.push_back(system.t);
        std::vector<double> numbers(inputs.size(), 0.0);  // t = 0
        for (std::size_t i = 0; i < shape.parameters; ++i)
            numbers[i] = details.parameters[system.leaves[element.leaves + shape.coordinates + i]];
        for (const Use& use : uses[element.shape]) {
            const Expr wanted[] = {use.rate, use.argument};
            const Program program(graph, inputs, wanted);
            std::vector<double> slots(program.slot_count()), found(2);
            program.run<double>(numbers, slots, found);
            const bool moves =
                std::isfinite(found[0]) && std::isfinite(found[1]) && found[0] != 0.0;
            const auto same = std::find_if(signals_.begin(), signals_.end(), [&](const Signal& s) {
                return s.curve == use.curve && s.scale == found[0] && s.offset == found[1];
            });
            if (same != signals_.end()) same->jumps = same->jumps || use.jumps;
            else if (moves) signals_.push_back({use.curve, found[0], found[1], use.jumps});
        }
    }
}

/// How far the time at which an argument is computed to reach a knot may be off, with room to
/// spare.
double Breaks::Signal::rounding(double time) const {
    constexpr double units = 16.0 * std::numeric_limits<double>::epsilon();
    return units * (2.0 * std::abs(time) + std::abs(offset / scale));
}

Breaks::Stop Breaks::after(double t, bool both_sides) const {
    Stop next;
    const auto offer = [&](double time, double rounding, bool jumps) {
        // `rounding` has room to spare; the time itself is known to a quarter of it.
        if (!(time > t + 0.25 * rounding) || time > next.time) return;
        next = {time, jumps || (time == next.time && next.jumps)};
    };
    for (const Signal& signal : signals_) {
        const auto [below, above] = signal.curve->knots_around(signal.scale * t + signal.offset);
        for (const double knot : {below, above}) {
            if (!std::isfinite(knot)) continue;
            const double time = signal.time_of(knot), rounding = signal.rounding(time);
            if (both_sides && signal.jumps) offer(time - rounding, rounding, false);
            offer(time + rounding, rounding, signal.jumps);
        }
    }
    return next;
}

std::string Breaks::ended(double t, double end) const {
    for (const Signal& signal : signals_) {
        const Curve& curve = *signal.curve;
        if (curve.beyond() != Curve::Beyond::refuse) continue;
        const double time = signal.time_of(signal.scale > 0.0 ? curve.last() : curve.first()),
                     rounding = signal.rounding(time);
        if (t > time - 0.5 * rounding && end > time + 2.0 * rounding)
            return fmt::format("data '{}' has no value after t = {}: it goes from {} to {}",
                               curve.name(), rounded(time, 12), shortest(curve.first()),
                               shortest(curve.last()));
    }
    return {};
}

}  // namespace lacon::locate
