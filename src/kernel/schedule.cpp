// Orders the operations depth first, fuses products into sums where the target has an fma, and
// notes which values cross from one part to a later one.
#include "kernel/schedule.hpp"

#include <algorithm>

namespace lacon::kernel {

namespace {

Step plain_step(const Code& code, std::uint32_t id) {
    const Node& node = code[id];
    return {id,
            node.op,
            node.function,
            {node.a, node.b, node.c},
            static_cast<std::uint8_t>(operand_count(node))};
}

/// A sum with one of its operands, a product, taken in.
Step fused_step(const Code& code, std::uint32_t id, bool second) {
    const Node& sum = code[id];
    const Node& product = code[second ? sum.b : sum.a];
    Step step{id, Do::fma, Function::none, {product.a, product.b, second ? sum.a : sum.b}, 3};
    if (sum.op == Do::sub) (second ? step.minus_product : step.minus_addend) = true;
    return step;
}

}  // namespace

Code share_reciprocals(const Code& code) {
    const std::vector<std::uint32_t> order = code.order();
    std::vector<std::uint32_t> divided_by(code.size(), 0), now(code.size(), 0);
    for (const std::uint32_t id : order)
        if (code[id].op == Do::div) ++divided_by[code[id].b];
    Code result;
    result.input_count = code.input_count;
    for (const std::uint32_t id : order) {
        Node node = code[id];
        const std::size_t count = operand_count(node);
        if (count > 0) node.a = now[node.a];
        if (count > 1) node.b = now[node.b];
        if (count > 2) node.c = now[node.c];
        if (node.op == Do::input) now[id] = result.input(node.a);
        else if (node.op == Do::order) now[id] = result.order_number(node.a);
        else if (node.op == Do::coefficient) now[id] = result.coefficient(node.a, node.b);
        else if (node.op == Do::inner) now[id] = result.inner(node.a, node.b, node.c);
        else if (node.op == Do::weighted) now[id] = result.weighted(node.a, node.b, node.c);
        else if (node.op == Do::item) now[id] = result.item(node.a);
        else if (node.op == Do::constant) now[id] = result.constant(node.value);
        else if (node.op == Do::div && divided_by[code[id].b] > 1) {
            const std::uint32_t reciprocal =
                result.make({Do::div, Function::none, result.constant(1.0), node.b, 0, 0.0});
            now[id] = result.make({Do::mul, Function::none, node.a, reciprocal, 0, 0.0});
        } else {
            now[id] = result.make(node);
        }
    }
    for (const std::uint32_t output : code.outputs) result.outputs.push_back(now[output]);
    result.series = code.series;
    for (Series::Store& store : result.series.stores) store.value = now[store.value];
    return result;
}

Schedule schedule(const Code& code, bool fuse, std::size_t longest_part) {
    const std::vector<std::uint32_t> order = code.order();
    std::vector<std::uint32_t> uses(code.size(), 0);
    for (const std::uint32_t id : order) {
        const Step step = plain_step(code, id);
        for (std::size_t i = 0; i < step.count; ++i) ++uses[step.operands[i]];
    }
    for (const std::uint32_t root : code.roots()) ++uses[root];

    std::vector<char> taken(code.size(),
                            0);  // products inside an fma; 2: the sum takes its second operand
    if (fuse) {
        for (const std::uint32_t id : order) {
            const Node& node = code[id];
            if (node.op != Do::add && node.op != Do::sub) continue;
            const auto may = [&](std::uint32_t x) {
                return code[x].op == Do::mul && uses[x] == 1 && node.a != node.b;
            };
            if (may(node.b)) taken[node.b] = 1, taken[id] = 3;
            else if (may(node.a)) taken[node.a] = 1, taken[id] = 2;
        }
    }

    Schedule result;
    result.kept.assign(code.size(), -1);
    std::vector<std::uint32_t> part_of(code.size(), 0);
    for (const std::uint32_t id : order) {
        if (is_leaf(code[id].op) || taken[id] == 1) continue;
        if (result.parts.empty() || result.parts.back().size() >= longest_part)
            result.parts.emplace_back();
        const Step step =
            taken[id] >= 2 ? fused_step(code, id, taken[id] == 3) : plain_step(code, id);
        const auto part = static_cast<std::uint32_t>(result.parts.size() - 1);
        part_of[id] = part;
        for (std::size_t i = 0; i < step.count; ++i) {
            const std::uint32_t x = step.operands[i];
            if (is_leaf(code[x].op) || part_of[x] == part || result.kept[x] >= 0) continue;
            result.kept[x] = static_cast<std::int32_t>(result.work++);
        }
        result.parts.back().push_back(step);
    }
    if (result.parts.empty()) result.parts.emplace_back();
    return result;
}

}  // namespace lacon::kernel
