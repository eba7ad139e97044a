// Collects the decisions in gaps and events and evaluates their operands with bounds on rounding.
#include "locate/switching.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "contact/modes.hpp"
#include "expr/traverse.hpp"
#include "locate/features.hpp"
#include "mechanics/system/inputs.hpp"

namespace lacon::inline locate {

SwitchingFunctions::SwitchingFunctions(const DerivedModel& details)
    : leaves_(widest(details).system.leaves), parameters_(widest(details).parameters) {
    add_gaps(widest(details));
    std::vector<Expr> operands;
    event_functions_ = find(details.model.graph, values_of(details.model.events), operands);
    if (!event_functions_.empty())
        event_operands_ = std::make_unique<DenseObservables>(details, operands);
    count_ += event_functions_.size();
}

/// The decisions within some expressions; their operands are appended to `operands`.
std::vector<SwitchingFunctions::Operands> SwitchingFunctions::find(const Graph& graph,
                                                                   std::span<const Expr> roots,
                                                                   std::vector<Expr>& operands) {
    std::vector<Operands> found;
    for (const Expr e : postorder(graph, roots)) {
        const Op op = graph.op(e);
        if (!is_decision(op) && op != Op::atan2) continue;
        const std::size_t first = operands.size();
        for (const Arg& arg : graph.args(e)) operands.push_back(arg.expr);
        found.push_back({op, first, operands.size() - 1});
    }
    return found;
}

void SwitchingFunctions::add_gaps(const DerivedModel& whole) {
    const System& system = whole.system;
    std::vector<std::size_t> source_of(system.shapes.size(), ~std::size_t{0});
    for (const Element& element : system.elements) {
        const auto row = static_cast<std::size_t>(element.row);
        if (element.row < 0 || row >= whole.model.constraints.size() ||
            side_of(whole.model.constraints[row]) == 0)
            continue;
        const Shape& shape = system.shapes[element.shape];
        std::size_t& source = source_of[element.shape];
        if (source > sources_.size()) {
            Source made;
            std::vector<Expr> operands;
            made.functions = find(system.graph, shape.residuals.values, operands);
            made.coordinates = shape.coordinates;
            made.parameters = shape.parameters;
            made.program = Program(system.graph, inputs_of(system, shape), operands);
            source = sources_.size();
            sources_.push_back(std::move(made));
        }
        if (sources_[source].functions.empty()) continue;
        members_.push_back({source, element.leaves});
        count_ += sources_[source].functions.size();
    }
}

Rounded SwitchingFunctions::value(const Operands& function, std::span<const Rounded> operands) {
    const Rounded &a = operands[function.first], &b = operands[function.second];
    switch (function.op) {
        case Op::abs:
        case Op::sign:
        case Op::atan2: return a;
        case Op::floor:  // a remainder is exact, and sin(π a) too large an argument's only by its
                         // last place
            return {std::sin(std::numbers::pi * std::remainder(a.value, 2.0)),
                    std::numbers::pi * a.error + Rounded::unit};
        default: return b + Rounded(-a.value, a.error);
    }
}

void SwitchingFunctions::values(const State& state, const SolveOptions& options,
                                std::span<Rounded> out) {
    std::size_t next = 0;
    for (const Member& member : members_) {
        const Source& source = sources_[member.source];
        const std::uint32_t* leaf = leaves_.data() + member.leaves;
        inputs_.clear();
        for (std::size_t i = 0; i < source.coordinates; ++i)
            inputs_.push_back(Rounded::input(state.q[leaf[i]]));
        for (std::size_t i = 0; i < source.coordinates; ++i)
            inputs_.push_back(Rounded::input(state.v[leaf[i]]));
        inputs_.push_back(Rounded::input(state.t));
        for (std::size_t i = 0; i < source.parameters; ++i)
            inputs_.push_back(Rounded::input(parameters_[leaf[source.coordinates + i]]));
        slots_.resize(std::max(slots_.size(), source.program.slot_count()));
        operands_.resize(source.program.output_count());
        source.program.run<Rounded>(inputs_, slots_, operands_);
        for (const Operands& function : source.functions) out[next++] = value(function, operands_);
    }
    if (!event_operands_) return;
    operands_.resize(event_operands_->count());
    event_operands_->values(state, options, operands_);
    for (const Operands& function : event_functions_) out[next++] = value(function, operands_);
}

}  // namespace lacon::locate
