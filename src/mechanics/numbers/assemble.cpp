// Runs the program of each element on its leaves and scatters the numbers into M, Q, A and b.
// Constraint rows run on Rounded numbers, so that an entry that is only rounding becomes zero.
// Derivatives (∂c/∂λ, and the rates of the equations) come from dual numbers.
#include "mechanics/numbers/assemble.hpp"
#include "mechanics/system/inputs.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline mechanics {

using Target = Entry::Target;

Assembler::Assembler(const System& system, std::span<const double> parameters)
    : system_(system), parameters_(parameters) {}

Assembler::Assembler(const System& system, std::span<const double> parameters,
                     const SmoothSystem& smooth)
    : branches(smooth.branch_count, 1.0),
      system_(system),
      parameters_(parameters),
      smooth_(&smooth) {}

/// The element's leaves as inputs: q, q', then p and t, or t, p and the branches for a smooth
/// system.
void Assembler::gather(std::size_t number, const State& state, bool by_branches) {
    const Element& element = system_.elements[number];
    gather(element, state, by_branches);
    if (!by_branches) return;
    const std::size_t first = smooth_->first_branch[number],
                      count = smooth_->shapes[element.shape].decisions.size();
    for (std::size_t i = 0; i < count; ++i) inputs_.push_back(branches[first + i]);
}

void Assembler::gather(const Element& element, const State& state, bool by_branches) {
    const Shape& shape = system_.shapes[element.shape];
    const std::uint32_t* leaf = system_.leaves.data() + element.leaves;
    inputs_.clear();
    append_inputs(inputs_, shape, leaf,
                  by_branches ? TimeInput::before_parameters : TimeInput::last,
                  InputValues{[&](std::size_t i) { return state.q[i]; },
                              [&](std::size_t i) { return state.v[i]; }, state.t,
                              [&](std::size_t i) { return parameters_[i]; }});
}

/// Behind the leaves of any element, its multipliers.
void Assembler::gather(const NonidealElement& element, const State& state,
                       std::span<const double> multipliers) {
    gather(element.element, state, false);
    const Shape& shape = system_.shapes[element.element.shape];
    const std::uint32_t* row =
        system_.leaves.data() + element.element.leaves + shape.coordinates + shape.parameters;
    for (std::size_t i = 0; i < shape.multipliers; ++i)
        inputs_.push_back(row[i] == NonidealElement::no_row ? 0.0 : multipliers[row[i]]);
}

void Assembler::nonideal(const State& state, std::span<const double> multipliers,
                         std::vector<double>& c, Part part) {
    c.assign(system_.coordinate_count, 0.0);
    each_nonideal(
        state, multipliers,
        [&](const NonidealElement& e, const std::uint32_t* leaf, std::span<const double> values) {
            if (e.in_force && part == Part::beside_force) return;
            for (std::size_t i = 0; i < values.size(); ++i) c[leaf[i]] += values[i];
        });
}

void Assembler::nonideal_rate(const State& state, std::span<const double> multipliers,
                              std::size_t row, std::vector<double>& rate) {
    rate.assign(system_.coordinate_count, 0.0);
    for (const NonidealElement& element : system_.nonideal) {
        const Shape& shape = system_.shapes[element.element.shape];
        const std::uint32_t* leaf = system_.leaves.data() + element.element.leaves;
        const std::uint32_t* rows = leaf + shape.coordinates + shape.parameters;
        const std::uint32_t* found =
            std::find(rows, rows + shape.multipliers, static_cast<std::uint32_t>(row));
        if (found == rows + shape.multipliers) continue;
        gather(element, state, multipliers);
        const Program& code = shape.nonideal_program;
        dual_inputs_.assign(inputs_.begin(), inputs_.end());
        dual_slots_.resize(code.slot_count());
        dual_outputs_.resize(code.output_count());
        dual_inputs_[shape.input_count() + static_cast<std::size_t>(found - rows)].rate = 1.0;
        code.run<Dual>(dual_inputs_, dual_slots_, dual_outputs_);
        for (std::size_t i = 0; i < dual_outputs_.size(); ++i)
            if (std::isfinite(dual_outputs_[i].rate))
                rate[leaf[i]] += dual_outputs_[i].rate;  // a norm at zero has no slope
    }
}

double Assembler::watched(std::size_t element, const State& state) {
    gather(element, state, true);
    run(smooth_->shapes[system_.elements[element].shape].dynamics, false);
    return outputs_[0];
}

/// Runs one program of every element with the element's leaves as inputs, and hands the numbers on.
/// Without a smooth program the decisions are taken by values.
template <class Scatter>
void Assembler::each(const Program Shape::*program, const Program SmoothShape::*smooth_program,
                     const State& state, const Scatter& scatter) {
    not_finite_.reset();
    for (std::size_t number = 0; number < system_.elements.size(); ++number)
        one(number, program, smooth_program, state, scatter);
}

template <class Scatter>
void Assembler::one(std::size_t number, const Program Shape::*program,
                    const Program SmoothShape::*smooth_program, const State& state,
                    const Scatter& scatter) {
    const Element& element = system_.elements[number];
    const Shape& shape = system_.shapes[element.shape];
    const bool by_branches = smooth_ && smooth_program;
    const Program& code =
        by_branches ? smooth_->shapes[element.shape].*smooth_program : shape.*program;
    if (code.output_count() == 0) return;
    gather(number, state, by_branches);
    run(code, zeroes_rounding && element.row >= 0 && program == &Shape::dynamics_program);
    const bool finite =
        std::all_of(outputs_.begin(), outputs_.end(), [](double x) { return std::isfinite(x); });
    if (!finite && !not_finite_) not_finite_ = element.origin;
    scatter(element, shape, system_.leaves.data() + element.leaves);
}

/// Runs a program on inputs_; of a constraint row, numbers that are all rounding become zero.
void Assembler::run(const Program& code, bool is_row) {
    outputs_.resize(code.output_count());
    if (!is_row) {
        slots_.resize(code.slot_count());
        code.run<double>(inputs_, slots_, outputs_);
        return;
    }
    run_rounded(code);
    for (std::size_t o = 0; o < outputs_.size(); ++o)
        outputs_[o] = rounded_outputs_[o].is_rounding() ? 0.0 : rounded_outputs_[o].value;
}

void Assembler::run_rounded(const Program& code) {
    rounded_inputs_.clear();
    for (const double x : inputs_) rounded_inputs_.push_back(Rounded::input(x));
    rounded_slots_.resize(code.slot_count());
    rounded_outputs_.resize(code.output_count());
    code.run<Rounded>(rounded_inputs_, rounded_slots_, rounded_outputs_);
}

void Assembler::equations(const State& state, Equations& out) {
    const std::size_t n = system_.coordinate_count, m = system_.row_count();
    out.M.reset(n, n);
    out.A.reset(m, n);
    out.Q.assign(n, 0.0);
    out.b.assign(m, 0.0);
    each(&Shape::dynamics_program, &SmoothShape::dynamics, state,
         [&](const Element& element, const Shape& shape, const std::uint32_t* leaf) {
             const auto row = static_cast<std::size_t>(element.row);
             const std::vector<Entry>& entries =
                 smooth_ ? smooth_->shapes[element.shape].entries : shape.dynamics.entries;
             for (std::size_t o = 0; o < outputs_.size(); ++o) {
                 const Entry entry = entries[o];
                 const double value = outputs_[o];
                 switch (entry.target) {
                     case Target::mass:
                         out.M(leaf[entry.i], leaf[entry.j]) += value;
                         if (entry.i != entry.j) out.M(leaf[entry.j], leaf[entry.i]) += value;
                         break;
                     case Target::mass_single: out.M(leaf[entry.i], leaf[entry.j]) += value; break;
                     case Target::force: out.Q[leaf[entry.i]] += value; break;
                     case Target::row: out.A(row, leaf[entry.j]) += value; break;
                     case Target::right: out.b[row] += value; break;
                     default: break;
                 }
             }
         });
}

void Assembler::rows(const State& state, Matrix& A) {
    A = Matrix(system_.row_count(), system_.coordinate_count);
    for (std::size_t number = 0; number < system_.elements.size(); ++number) {
        const Element& element = system_.elements[number];
        if (element.row < 0) continue;
        const Shape& shape = system_.shapes[element.shape];
        gather(number, state, smooth_ != nullptr);
        run(smooth_ ? smooth_->shapes[element.shape].dynamics : shape.dynamics_program, false);
        const std::vector<Entry>& entries =
            smooth_ ? smooth_->shapes[element.shape].entries : shape.dynamics.entries;
        const std::uint32_t* leaf = system_.leaves.data() + element.leaves;
        for (std::size_t o = 0; o < outputs_.size(); ++o)
            if (entries[o].target == Target::row)
                A(static_cast<std::size_t>(element.row), leaf[entries[o].j]) += outputs_[o];
    }
}

void Assembler::add_residuals(const Element& element, const Shape& shape, Residuals& out) const {
    const auto row = static_cast<std::size_t>(element.row);
    for (std::size_t o = 0; o < outputs_.size(); ++o)
        (shape.residuals.entries[o].target == Target::residual ? out.value : out.velocity)[row] +=
            outputs_[o];
}

void Assembler::residuals(const State& state, Residuals& out) {
    out.value.assign(system_.row_count(), 0.0);
    out.velocity.assign(system_.row_count(), 0.0);
    each(&Shape::residuals_program, &SmoothShape::residuals, state,
         [&](const Element& element, const Shape& shape, const std::uint32_t*) {
             add_residuals(element, shape, out);
         });
}

void Assembler::residuals(const State& state, const std::vector<std::size_t>& elements,
                          Residuals& out) {
    out.value.assign(system_.row_count(), 0.0);
    out.velocity.assign(system_.row_count(), 0.0);
    not_finite_.reset();
    for (const std::size_t number : elements)
        one(number, &Shape::residuals_program, &SmoothShape::residuals, state,
            [&](const Element& element, const Shape& shape, const std::uint32_t*) {
                add_residuals(element, shape, out);
            });
}

void Assembler::row_sums(const State& state, const std::vector<std::size_t>& elements,
                         std::vector<double>& sums) {
    sums.assign(system_.row_count(), 0.0);
    for (const std::size_t number : elements) {
        const Element& element = system_.elements[number];
        if (element.row < 0) continue;
        const SmoothShape* smooth = smooth_ ? &smooth_->shapes[element.shape] : nullptr;
        const Shape& shape = system_.shapes[element.shape];
        gather(number, state, smooth != nullptr);
        run(smooth ? smooth->dynamics : shape.dynamics_program, false);
        const std::vector<Entry>& entries = smooth ? smooth->entries : shape.dynamics.entries;
        for (std::size_t o = 0; o < outputs_.size(); ++o)
            if (entries[o].target == Target::row)
                sums[static_cast<std::size_t>(element.row)] += std::abs(outputs_[o]);
    }
}

Energies Assembler::energies(const State& state) {
    Energies total;
    each(&Shape::energies_program, nullptr, state,
         [&](const Element&, const Shape& shape, const std::uint32_t*) {
             for (std::size_t o = 0; o < outputs_.size(); ++o)
                 (shape.energies.entries[o].target == Target::kinetic ? total.kinetic
                                                                      : total.potential) +=
                     outputs_[o];
         });
    return total;
}

void Assembler::surfaces(const State& state, std::vector<Rounded>& out) {
    out.clear();
    for (std::size_t number = 0; number < system_.elements.size(); ++number) {
        const Program& code = smooth_->shapes[system_.elements[number].shape].surfaces;
        if (code.output_count() == 0) continue;
        gather(number, state, true);
        run_rounded(code);
        out.insert(out.end(), rounded_outputs_.begin(), rounded_outputs_.end());
    }
}

/// Decisions inside others come first: each branch is set before the surfaces that need it are
/// taken.
void Assembler::settle(const State& state) {
    for (std::size_t number = 0; number < system_.elements.size(); ++number) {
        const SmoothShape& shape = smooth_->shapes[system_.elements[number].shape];
        const std::size_t first = smooth_->first_branch[number];
        settle_element(
            *smooth_, system_, number, branches,
            [&](std::size_t branch) {
                gather(number, state, true);
                run_rounded(shape.surfaces);
                return rounded_outputs_[branch - first].value;
            },
            [](std::size_t, const Decision&, double) {}, smooth_->branch_count);
    }
}

}  // namespace lacon::mechanics
