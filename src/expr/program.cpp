// Lists the nodes of expressions in postorder: each becomes one instruction with a slot of its own.
#include "expr/program.hpp"

#include <stdexcept>

#include "expr/traverse.hpp"

namespace lacon::inline expr {

Program::Program(const Graph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs)
    : input_count_(inputs.size()) {
    ExprMap<std::uint32_t> slot_of;
    std::uint32_t next = 0;
    for (const Expr input : inputs) slot_of.insert(input, next++);
    for (const Expr e : postorder(graph, outputs)) {
        if (graph.is_symbol(e)) {
            if (!slot_of.contains(e))
                throw std::logic_error("Program: symbol '" + graph.name(e) + "' is not an input");
            continue;
        }
        const auto args = graph.args(e);
        const auto first = static_cast<std::uint32_t>(operands_.size());
        for (const Arg& arg : args) operands_.push_back({slot_of.at(arg.expr), arg.k});
        Instruction in{graph.op(e), first, static_cast<std::uint32_t>(args.size()), next,
                       graph.value(e)};
        if (in.op == Op::data) {
            in.value = graph.curve_order(e);
            in.curve = static_cast<std::uint32_t>(curves_.size());
            curves_.push_back(graph.curve(e));
        }
        instructions_.push_back(in);
        slot_of.insert(e, next++);
    }
    for (const Expr output : outputs) outputs_.push_back(slot_of.at(output));
    slot_count_ = next;
}

}  // namespace lacon::expr
