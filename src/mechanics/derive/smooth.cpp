// Replaces each decision by a branch symbol and keeps its surface. abs, min and max become products
// or choices by branch, floor a counter, atan2 an angle measured from another axis near its cut.
// Adds Baumgarte's terms where asked for: φ'' + 2αφ' + α²φ = 0 (as in theory 7).
#include "mechanics/derive/smooth.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "expr/print.hpp"
#include "expr/traverse.hpp"

namespace lacon::inline mechanics {

namespace {

/// Rewrites the expressions of one shape with a branch symbol for every decision.
class DecisionRemoval {
public:
    DecisionRemoval(Graph& graph, std::vector<Expr>& branches, std::span<const Expr> changing)
        : graph_(graph), branches_(branches), changing_(changing) {}

    std::vector<Expr> run(std::span<const Expr> roots) {
        for (const Expr e : postorder(graph_, roots))
            if (!built_.contains(e)) built_.insert(e, rebuild(e));
        std::vector<Expr> result;
        for (const Expr root : roots) result.push_back(built_.at(root));
        return result;
    }

    std::vector<Decision> decisions;

private:
    Expr rebuild(Expr e) {
        const Op op = graph_.op(e);
        if (op == Op::symbol || op == Op::constant) return e;
        std::vector<Arg> args(graph_.args(e).begin(), graph_.args(e).end());
        std::vector<Expr> operands;
        for (Arg& arg : args) operands.push_back(arg.expr = built_.at(arg.expr));
        if (is_decision(op) && changes(operands))
            return op == Op::floor ? count(e, operands[0]) : decide(e, op, operands);
        if (op == Op::atan2 && changes(operands)) return unwind(e, operands[0], operands[1]);
        return graph_.rebuilt(graph_, e, args);
    }

    /// A decision about nothing but branches and parameters, as floor(t) > 3, is known as long as
    /// they are: no surface tells it.
    bool changes(const std::vector<Expr>& operands) const {
        return std::any_of(operands.begin(), operands.end(),
                           [&](Expr e) { return depends_on(graph_, e, changing_); });
    }

    Expr new_mode(std::size_t number) {
        if (number == branches_.size()) branches_.push_back(graph_.symbol("branch"));
        return branches_[number];
    }

    Expr count(Expr e, Expr x) {
        const Expr up = new_mode(decisions.size()), down = new_mode(decisions.size() + 1),
                   value = graph_.sub(up, down);
        decisions.push_back({e, graph_.sub(graph_.add(value, graph_.one()), x), 1.0, 1.0});
        decisions.push_back({e, graph_.sub(x, value), -1.0, -1.0});
        return value;
    }

    /// atan2(y, x). Its branch is 1 until x < −0.8 ρ (an angle of 143 degrees), and 0 until x > 0.3
    /// ρ: any two numbers with room between them, and both with room to where the angle of the
    /// branch has a cut of its own (180, and 90 degrees on the far side).
    Expr unwind(Expr e, Expr y, Expr x) {
        constexpr double leaves = 0.8, returns = 0.3;
        const Expr right = new_mode(decisions.size()), above = new_mode(decisions.size() + 1);
        const Expr radius = graph_.apply(Op::hypot, x, y);
        const Expr guard = graph_.add(x, graph_.scale(leaves, radius)),
                   back = graph_.sub(x, graph_.scale(returns, radius));
        decisions.push_back({e, graph_.select(right, guard, back), 0.0, 1.0, true, false});
        decisions.push_back({e, graph_.select(right, graph_.one(), y), 0.0, 1.0});
        const Expr quarter = graph_.constant(0.5 * std::numbers::pi);
        const Expr from_above = graph_.add(graph_.apply(Op::atan2, graph_.neg(x), y), quarter);
        const Expr from_below = graph_.sub(graph_.apply(Op::atan2, x, graph_.neg(y)), quarter);
        return graph_.select(right, graph_.apply(Op::atan2, y, x),
                             graph_.select(above, from_above, from_below));
    }

    Expr decide(Expr e, Op op, const std::vector<Expr>& x) {
        const Expr branch = new_mode(decisions.size());
        const bool one_sided = op == Op::abs || op == Op::sign;
        decisions.push_back(
            {e, one_sided ? x[0] : graph_.sub(x[1], x[0]), one_sided ? -1.0 : 0.0, 1.0});
        switch (op) {
            case Op::abs: return graph_.mul(branch, x[0]);
            case Op::min: return graph_.select(branch, x[0], x[1]);
            case Op::max: return graph_.select(branch, x[1], x[0]);
            default: return branch;
        }
    }

    Graph& graph_;
    std::vector<Expr>& branches_;
    std::span<const Expr> changing_;
    ExprMap<Expr> built_;
};

std::vector<Expr> first(const std::vector<Expr>& symbols, std::size_t count) {
    return {symbols.begin(), symbols.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// b of a row with Baumgarte's terms.
void add_baumgarte(Graph& graph, const Shape& shape, double alpha, Derived& dynamics) {
    if (shape.residuals.values.empty()) return;
    const Expr phi = shape.residuals.values[0], rate = shape.residuals.values[1];
    const Expr pull = shape.level == Level::position ? graph.add(graph.scale(-2.0 * alpha, rate),
                                                                 graph.scale(-alpha * alpha, phi))
                                                     : graph.scale(-alpha, phi);
    for (std::size_t o = 0; o < dynamics.entries.size(); ++o) {
        if (dynamics.entries[o].target != Entry::Target::right) continue;
        dynamics.values[o] = graph.add(dynamics.values[o], pull);
        return;
    }
    dynamics.put({Entry::Target::right, 0, 0}, pull);
}

class ShapeSmoothing {
public:
    ShapeSmoothing(const System& system, Graph& graph, std::vector<Expr>& branches)
        : system_(system), graph_(graph), branches_(branches) {}

    SmoothShape run(const Shape& shape, bool stabilized, double alpha) {
        Derived dynamics = shape.dynamics;
        if (alpha > 0.0 && !stabilized) add_baumgarte(graph_, shape, alpha, dynamics);

        std::vector<Expr> inputs = first(system_.q, shape.coordinates);
        const std::vector<Expr> v = first(system_.v, shape.coordinates),
                                p = first(system_.p, shape.parameters);
        inputs.insert(inputs.end(), v.begin(), v.end());
        inputs.push_back(system_.t);
        const std::vector<Expr> changing = inputs;

        SmoothShape result;
        DecisionRemoval removal(graph_, branches_, changing);
        dynamics.values = removal.run(dynamics.values);
        const std::vector<Expr> residuals = removal.run(shape.residuals.values);
        result.decisions = removal.decisions;
        for (std::size_t d = 0; d < result.decisions.size();
             ++d)  // a cut that only other decisions see is theirs to tell
            if (graph_.op(result.decisions[d].node) == Op::atan2 && result.decisions[d].is_told)
                result.decisions[d].is_told =
                    uses(dynamics.values, branches_[d]) || uses(residuals, branches_[d]);
        std::vector<Expr> surfaces;
        for (const Decision& d : result.decisions) surfaces.push_back(d.surface);

        inputs.insert(inputs.end(), p.begin(), p.end());
        inputs.insert(inputs.end(), branches_.begin(),
                      branches_.begin() + static_cast<std::ptrdiff_t>(result.decisions.size()));
        result.entries = dynamics.entries;
        result.dynamics = Program(graph_, inputs, dynamics.values);
        result.residuals = Program(graph_, inputs, residuals);
        result.surfaces = Program(graph_, inputs, surfaces);
        if (result.decisions.empty())
            result.articulation = Program(graph_, inputs, shape.articulation.values);

        const std::size_t constants = p.size() + result.decisions.size();
        result.own_order = !(alpha > 0.0) && !stabilized && !residuals.empty();
        Derived kept;
        for (std::size_t o = 0; o < dynamics.values.size(); ++o)
            if (!result.own_order || dynamics.entries[o].target != Entry::Target::right)
                kept.put(dynamics.entries[o], dynamics.values[o]);
        result.series_entries = kept.entries;
        result.dynamics_series = SeriesProgram(graph_, inputs, kept.values, constants);
        if (result.own_order)  // the first residual is φ
            result.residual_series =
                SeriesProgram(graph_, inputs, std::span(residuals).first(1), constants);
        return result;
    }

private:
    bool uses(const std::vector<Expr>& values, Expr symbol) const {
        return std::any_of(values.begin(), values.end(), [&](Expr e) {
            return depends_on(graph_, e, {&symbol, 1});
        });
    }

    const System& system_;
    Graph& graph_;
    std::vector<Expr>& branches_;
};

}  // namespace

double Decision::settled(double value) const {
    if (!counts()) return value < 0.0 ? low : high;
    return std::max(0.0, counts_down() ? -std::floor(value) : std::floor(1.0 - value));
}

double Decision::counted(double branch, double value) const {
    return branch + std::max(1.0, counts_down() ? std::ceil(-value) : std::floor(-value) + 1.0);
}

SmoothSystem smooth(const System& system, double alpha) {
    SmoothSystem result;
    Graph graph = system.graph;
    std::vector<Expr> branches;
    ShapeSmoothing smoothing(system, graph, branches);
    std::vector<bool> stabilized(system.shapes.size(), false);
    for (const Element& element : system.elements)
        if (element.row >= 0 && system.stabilized[static_cast<std::size_t>(element.row)])
            stabilized[element.shape] = true;
    for (std::size_t s = 0; s < system.shapes.size(); ++s)
        result.shapes.push_back(smoothing.run(system.shapes[s], stabilized[s], alpha));
    for (const Element& element : system.elements) {
        result.first_branch.push_back(static_cast<std::uint32_t>(result.branch_count));
        result.branch_count += result.shapes[element.shape].decisions.size();
    }
    return result;
}

std::size_t SmoothSystem::element_of(std::size_t branch) const {
    // Of elements that begin at the same branch only the last has any.
    const auto next = std::upper_bound(first_branch.begin(), first_branch.end(), branch);
    return static_cast<std::size_t>(next - first_branch.begin()) - 1;
}

SmoothSystem::Owner SmoothSystem::owner_of(std::size_t branch, const System& system) const {
    const std::size_t e = element_of(branch);
    const Element& element = system.elements[e];
    return {element, shapes[element.shape].decisions[branch - first_branch[e]]};
}

std::string text_of(const DerivedModel& details, const Element& element, const Decision& decision) {
    const System& system = details.system;
    const std::uint32_t* leaf = system.leaves.data() + element.leaves;
    const Shape& shape = system.shapes[element.shape];
    Graph named;
    ExprMap<Expr> names;
    names.insert(system.t, named.symbol("t"));
    for (std::size_t i = 0; i < shape.coordinates; ++i) {
        const std::string& name = details.coordinate_names[leaf[i]];
        names.insert(system.q[i], named.symbol(name));
        names.insert(system.v[i], named.symbol(name + "'"));
    }
    for (std::size_t i = 0; i < shape.parameters; ++i) {
        const std::uint32_t number = leaf[shape.coordinates + i];
        const bool is_parameter = number < details.model.parameters.size();
        names.insert(system.p[i], is_parameter ? named.symbol(details.model.parameters[number].name)
                                               : named.constant(details.parameters[number]));
    }
    const Expr node = decision.node;
    return to_text(named, substitute(system.graph, named, {&node, 1}, names)[0]);
}

}  // namespace lacon::mechanics
