// Entries of M grow with the square of the depth of a tree and their elimination with its cube;
// body by body both grow with the number of bodies.
#include "code/tree_code.hpp"

namespace lacon::inline code {

using kernel::BodyTree;
using kernel::Value;

std::vector<bool> articulated_elements(const System& system, const SmoothSystem& smooth) {
    constexpr std::size_t fewest = 4;  // coordinates; below, entries take fewer operations
    constexpr std::size_t none = ~std::size_t{0};
    std::vector<bool> result(system.elements.size(), false);
    std::vector<std::size_t> tree_of(system.coordinate_count, none);
    for (std::size_t e = 0; e < system.elements.size(); ++e) {
        const Element& element = system.elements[e];
        const std::size_t count = system.shapes[element.shape].coordinates;
        if (smooth.shapes[element.shape].articulation.output_count() == 0 || count < fewest)
            continue;
        result[e] = true;
        for (std::size_t i = 0; i < count; ++i) tree_of[system.leaves[element.leaves + i]] = e;
    }
    for (std::size_t e = 0; e < system.elements.size(); ++e) {
        const Element& element = system.elements[e];
        for (const Entry& entry : smooth.shapes[element.shape].entries) {
            if (entry.target != Entry::Target::mass && entry.target != Entry::Target::mass_single)
                continue;
            const std::uint32_t* leaf = system.leaves.data() + element.leaves;
            if (leaf[entry.i] == leaf[entry.j]) continue;
            for (const std::uint32_t coordinate : {leaf[entry.i], leaf[entry.j]})
                if (tree_of[coordinate] != none && tree_of[coordinate] != e)
                    result[tree_of[coordinate]] = false;
        }
    }
    return result;
}

BodyTree body_tree(const Articulation& articulation, const std::uint32_t* leaf,
                   const std::vector<Value>& q, std::span<const Value> values) {
    BodyTree tree;
    const Value* next = values.data();
    const auto three = [&] {
        next += 3;
        return BodyTree::Vector3{next[-3], next[-2], next[-1]};
    };
    for (const Articulation::Unit& from : articulation.units) {
        BodyTree::Unit unit;
        unit.parent = from.parent;
        for (auto& row : unit.R) row = three();
        unit.r = three();
        unit.m = *next++;
        unit.h = three();
        const BodyTree::Vector3 own = three(), mixed = three();  // xx, yy, zz; xy, xz, yz
        unit.I = {{{own[0], mixed[0], mixed[1]},
                   {mixed[0], own[1], mixed[2]},
                   {mixed[1], mixed[2], own[2]}}};
        unit.f = three();
        unit.n = three();
        for (const std::uint32_t coordinate : from.coordinates) {
            const BodyTree::Vector3 turning = three(), sliding = three();
            unit.axes.push_back({leaf[coordinate], turning, sliding, Value(), Value()});
        }
        if (from.quaternion) {
            const Value length = sqrt(*next++) * 2.0;  // 4 c p pᵀ = s sᵀ
            for (BodyTree::Axis& axis : unit.axes) {
                axis.along = length * q[axis.coordinate];
                axis.force = *next++;
            }
        }
        tree.units.push_back(std::move(unit));
    }
    return tree;
}

}  // namespace lacon::code
