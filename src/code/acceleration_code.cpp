// Runs each element's program on kernel::Value, which records operations instead of doing them, and
// adds the results up. Parameters that do not vary become constants in the code.
#include "code/acceleration_code.hpp"

#include <algorithm>

#include "code/tree_code.hpp"
#include "mechanics/system/inputs.hpp"

namespace lacon::inline code {

using kernel::Code;
using kernel::Value;

KernelInputs::KernelInputs(const DerivedModel& details, const SmoothSystem& smooth) {
    const std::size_t n = details.system.coordinate_count;
    v = n;
    t = 2 * n;
    parameters = t + 1;
    branches = parameters + details.parameters.size();
    floors = branches + smooth.branch_count;
    count = floors + details.system.row_count();
}

void KernelInputs::set_state(const State& state, double time, std::vector<double>& in) const {
    std::copy(state.q.begin(), state.q.end(), in.begin() + static_cast<std::ptrdiff_t>(q));
    std::copy(state.v.begin(), state.v.end(), in.begin() + static_cast<std::ptrdiff_t>(v));
    in[t] = time;
}

void KernelInputs::set_branches(std::span<const double> of_decisions,
                                std::vector<double>& in) const {
    std::copy(of_decisions.begin(), of_decisions.end(),
              in.begin() + static_cast<std::ptrdiff_t>(branches));
}

StateValues input_state(const KernelInputs& at, std::size_t n, Code& code) {
    const auto input = [&](std::size_t i) {
        return Value(code, code.input(static_cast<std::uint32_t>(i)));
    };
    StateValues state;
    for (std::size_t i = 0; i < n; ++i) state.q.push_back(input(at.q + i));
    for (std::size_t i = 0; i < n; ++i) state.v.push_back(input(at.v + i));
    state.t = input(at.t);
    return state;
}

ModelCode::ModelCode(const DerivedModel& details, const SmoothSystem& smooth,
                     const CodeOptions& options, Code& code)
    : at(details, smooth),
      details_(details),
      smooth_(smooth),
      options_(options),
      code_(code),
      articulated_(options.by_entries || !options.weight.empty()
                       ? std::vector<bool>(details.system.elements.size(), false)
                       : articulated_elements(details.system, smooth)) {}

/// Visits every element, with its inputs in inputs_.
template <class Visit>
void ModelCode::each_element(bool by_branches, const StateValues& state, const Visit& visit) {
    const auto input = [&](std::size_t i) {
        return Value(code_, code_.input(static_cast<std::uint32_t>(i)));
    };
    const System& system = details_.system;
    for (std::size_t number = 0; number < system.elements.size(); ++number) {
        number_ = number;
        const Element& element = system.elements[number];
        const Shape& shape = system.shapes[element.shape];
        const SmoothShape& smooth = smooth_.shapes[element.shape];
        const std::uint32_t* leaf = system.leaves.data() + element.leaves;
        const auto parameter = [&](std::size_t p) {
            const bool varies = !options_.varies.empty() && options_.varies[p];
            return varies ? input(at.parameters + p) : Value(details_.parameters[p]);
        };
        inputs_.clear();
        append_inputs(inputs_, shape, leaf,
                      by_branches ? TimeInput::before_parameters : TimeInput::last,
                      InputValues{[&](std::size_t i) { return state.q[i]; },
                                  [&](std::size_t i) { return state.v[i]; }, state.t, parameter});
        for (std::size_t i = 0; by_branches && i < smooth.decisions.size(); ++i)
            inputs_.push_back(input(at.branches + smooth_.first_branch[number] + i));
        visit(element, shape, smooth, leaf);
    }
}

/// Runs one program of every element on values, and hands the results on.
template <class Choose, class Take>
void ModelCode::each(const Choose& program, bool by_branches, const StateValues& state,
                     const Take& take) {
    each_element(by_branches, state,
                 [&](const Element& element, const Shape& shape, const SmoothShape& smooth,
                     const std::uint32_t* leaf) {
                     const Program& run = program(shape, smooth);
                     if (run.output_count() == 0) return;
                     slots_.assign(run.slot_count(), Value());
                     outputs_.assign(run.output_count(), Value());
                     run.run<Value>(inputs_, slots_, outputs_);
                     take(element, shape, smooth, leaf);
                 });
}

std::vector<BasicRounded<Value>> ModelCode::surfaces(const StateValues& state) {
    using RoundedValue = BasicRounded<Value>;
    std::vector<RoundedValue> all;
    each_element(
        true, state,
        [&](const Element&, const Shape&, const SmoothShape& smooth, const std::uint32_t*) {
            std::vector<RoundedValue> inputs, slots(smooth.surfaces.slot_count()),
                outputs(smooth.surfaces.output_count());
            for (const Value& value : inputs_) inputs.push_back(RoundedValue::input(value));
            smooth.surfaces.run<RoundedValue>(inputs, slots, outputs);
            all.insert(all.end(), outputs.begin(), outputs.end());
        });
    return all;
}

kernel::Problem ModelCode::problem(const StateValues& state) {
    const std::size_t n = details_.system.coordinate_count, m = details_.system.row_count();
    kernel::Problem p{n, m, {}, {}, {}, {}, {}, {}, options_.weight};
    p.M.resize(n * n);
    p.Q.resize(n);
    p.A.resize(m * n);
    p.b.resize(m);
    for (std::size_t i = 0; i < m; ++i)
        p.floor.emplace_back(code_, code_.input(static_cast<std::uint32_t>(at.floors + i)));
    const auto program = [&](const Shape&, const SmoothShape& s) -> const Program& {
        return articulated_[number_] ? s.articulation : s.dynamics;
    };
    each(program, true, state,
         [&](const Element& element, const Shape& shape, const SmoothShape& smooth,
             const std::uint32_t* leaf) {
             if (articulated_[number_]) {
                 p.trees.push_back(body_tree(shape.articulation, leaf, state.q, outputs_));
                 return;
             }
             const auto row = static_cast<std::size_t>(element.row);
             for (std::size_t o = 0; o < outputs_.size(); ++o) {
                 const Entry entry = smooth.entries[o];
                 switch (entry.target) {
                     case Entry::Target::mass:
                         p.M[leaf[entry.i] * n + leaf[entry.j]] += outputs_[o];
                         if (entry.i != entry.j)
                             p.M[leaf[entry.j] * n + leaf[entry.i]] += outputs_[o];
                         break;
                     case Entry::Target::mass_single:
                         p.M[leaf[entry.i] * n + leaf[entry.j]] += outputs_[o];
                         break;
                     case Entry::Target::force: p.Q[leaf[entry.i]] += outputs_[o]; break;
                     case Entry::Target::row: p.A[row * n + leaf[entry.j]] += outputs_[o]; break;
                     case Entry::Target::right: p.b[row] += outputs_[o]; break;
                     default: break;
                 }
             }
         });
    return p;
}

ModelCode::Off ModelCode::residuals(const StateValues& state) {
    const std::size_t m = details_.system.row_count();
    Off off{std::vector<Value>(m), std::vector<Value>(m)};
    each([](const Shape&, const SmoothShape& s) -> const Program& { return s.residuals; }, true,
         state,
         [&](const Element& element, const Shape& shape, const SmoothShape&, const std::uint32_t*) {
             const auto row = static_cast<std::size_t>(element.row);
             for (std::size_t o = 0; o < outputs_.size(); ++o)
                 (shape.residuals.entries[o].target == Entry::Target::residual
                      ? off.value
                      : off.velocity)[row] += outputs_[o];
         });
    return off;
}

ModelCode::Energy ModelCode::energies(const StateValues& state) {
    Energy total;
    each([](const Shape& s, const SmoothShape&) -> const Program& { return s.energies_program; },
         false, state,
         [&](const Element&, const Shape& shape, const SmoothShape&, const std::uint32_t*) {
             for (std::size_t o = 0; o < outputs_.size(); ++o)
                 (shape.energies.entries[o].target == Entry::Target::kinetic ? total.kinetic
                                                                             : total.potential) +=
                     outputs_[o];
         });
    return total;
}

kernel::Factored ModelCode::factored(const kernel::Problem& problem, bool beside) {
    if (!elimination_) {
        const std::vector<bool> dependent =
            options_.dependent.empty() ? std::vector<bool>(problem.m, false) : options_.dependent;
        elimination_ = choose_elimination(problem, dependent, options_.refined);
        elimination_->clear = options_.clear;
    }
    elimination_->beside = beside && options_.lasting;
    return {problem, *elimination_, options_.rank_tol};
}

Code acceleration_code(const DerivedModel& details, const SmoothSystem& smooth,
                       const CodeOptions& options, std::size_t most_nodes) {
    Code code;
    code.most_nodes = most_nodes;
    ModelCode model(details, smooth, options, code);
    code.input_count = static_cast<std::uint32_t>(model.at.count);
    const kernel::Solved solved = model.solve(
        model.problem(input_state(model.at, details.system.coordinate_count, code)), true);
    for (const auto* values : {&solved.x, &solved.lambda})
        for (const Value& value : *values) code.outputs.push_back(value.id_in(code));
    code.outputs.push_back(solved.fine.id_in(code));
    return code;
}

}  // namespace lacon::code
