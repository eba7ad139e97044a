#include "motion/acceleration_code.hpp"

namespace lacon {

using kernel::Code;
using kernel::Value;

KernelInputs::KernelInputs(const SystemDetails& details, const SmoothSystem& smooth) {
    const std::size_t n = details.system.coordinate_count;
    v = n;
    t = 2 * n;
    parameters = t + 1;
    modes = parameters + details.parameters.size();
    floors = modes + smooth.mode_count;
    count = floors + details.system.row_count();
}

kernel::Problem problem_code(const SystemDetails& details, const SmoothSystem& smooth, const CodeOptions& options, Code& code) {
    const System& system = details.system;
    const KernelInputs at(details, smooth);
    const std::size_t n = system.coordinate_count, m = system.row_count();
    kernel::Problem p{n, m, {}, {}, {}, {}, {}};
    p.M.resize(n * n);
    p.Q.resize(n);
    p.A.resize(m * n);
    p.b.resize(m);
    const auto input = [&](std::size_t i) { return Value(code, code.input(static_cast<std::uint32_t>(i))); };
    const auto parameter = [&](std::size_t i) {
        return !options.varies.empty() && options.varies[i] ? input(at.parameters + i) : Value(details.parameters[i]);
    };
    for (std::size_t i = 0; i < m; ++i) p.floor.push_back(input(at.floors + i));

    std::vector<Value> inputs, slots, outputs;
    for (std::size_t number = 0; number < system.elements.size(); ++number) {
        const Element& element = system.elements[number];
        const Shape& shape = system.shapes[element.shape];
        const SmoothShape& smooth_shape = smooth.shapes[element.shape];
        const Program& program = smooth_shape.dynamics;
        const std::uint32_t* leaf = system.leaves.data() + element.leaves;
        const std::size_t k = shape.coordinates, row = static_cast<std::size_t>(element.row);
        inputs.clear();
        for (std::size_t i = 0; i < k; ++i) inputs.push_back(input(at.q + leaf[i]));
        for (std::size_t i = 0; i < k; ++i) inputs.push_back(input(at.v + leaf[i]));
        inputs.push_back(input(at.t));
        for (std::size_t i = 0; i < shape.parameters; ++i) inputs.push_back(parameter(leaf[k + i]));
        for (std::size_t i = 0; i < smooth_shape.decisions.size(); ++i)
            inputs.push_back(input(at.modes + smooth.first_mode[number] + i));
        slots.assign(program.slot_count(), Value());
        outputs.assign(program.output_count(), Value());
        program.run<Value>(inputs, slots, outputs);
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            const Entry entry = smooth_shape.entries[o];
            switch (entry.target) {
                case Entry::Target::mass:
                    p.M[leaf[entry.i] * n + leaf[entry.j]] += outputs[o];
                    if (entry.i != entry.j) p.M[leaf[entry.j] * n + leaf[entry.i]] += outputs[o];
                    break;
                case Entry::Target::mass_single: p.M[leaf[entry.i] * n + leaf[entry.j]] += outputs[o]; break;
                case Entry::Target::force: p.Q[leaf[entry.i]] += outputs[o]; break;
                case Entry::Target::row: p.A[row * n + leaf[entry.j]] += outputs[o]; break;
                case Entry::Target::right: p.b[row] += outputs[o]; break;
                default: break;
            }
        }
    }
    return p;
}

Code acceleration_code(const SystemDetails& details, const SmoothSystem& smooth, const CodeOptions& options) {
    Code code;
    code.input_count = static_cast<std::uint32_t>(KernelInputs(details, smooth).count);
    const kernel::Problem problem = problem_code(details, smooth, options, code);
    const std::vector<bool> dependent = options.dependent.empty() ? std::vector<bool>(problem.m, false) : options.dependent;
    const kernel::Solved solved = solve(problem, choose_elimination(problem, dependent, options.refined), options.rank_tol);
    for (const auto* values : {&solved.x, &solved.lambda})
        for (const Value& value : *values) code.outputs.push_back(value.id_in(code));
    code.outputs.push_back(solved.fine.id_in(code));
    return code;
}

}  // namespace lacon
