#include "mechanics/assemble.hpp"

#include <algorithm>
#include <cmath>

namespace lacon {

using Target = Entry::Target;

Assembler::Assembler(const System& system, std::span<const double> parameters) : system_(system), parameters_(parameters) {}

Assembler::Assembler(const System& system, std::span<const double> parameters, const SmoothSystem& smooth)
    : modes(smooth.mode_count, 1.0), system_(system), parameters_(parameters), smooth_(&smooth) {}

/// The element's leaves as inputs: q, q', then p and t, or t, p and the modes for a smooth system.
void Assembler::gather(std::size_t number, const State& state, bool by_modes) {
    const Element& element = system_.elements[number];
    const Shape& shape = system_.shapes[element.shape];
    const std::uint32_t* leaf = system_.leaves.data() + element.leaves;
    const std::size_t k = shape.coordinates;
    inputs_.clear();
    for (std::size_t i = 0; i < k; ++i) inputs_.push_back(state.q[leaf[i]]);
    for (std::size_t i = 0; i < k; ++i) inputs_.push_back(state.v[leaf[i]]);
    if (by_modes) inputs_.push_back(state.t);
    for (std::size_t i = 0; i < shape.parameters; ++i) inputs_.push_back(parameters_[leaf[k + i]]);
    if (!by_modes) inputs_.push_back(state.t);
    if (!by_modes) return;
    const std::size_t first = smooth_->first_mode[number], count = smooth_->shapes[element.shape].decisions.size();
    for (std::size_t i = 0; i < count; ++i) inputs_.push_back(modes[first + i]);
}

/// Runs one program of every element with the element's leaves as inputs, and hands the numbers on. Without a smooth program
/// the decisions are taken by values.
template <class Scatter>
void Assembler::each(const Program Shape::*program, const Program SmoothShape::*smooth_program, const State& state,
                     const Scatter& scatter) {
    not_finite_.reset();
    for (std::size_t number = 0; number < system_.elements.size(); ++number) {
        const Element& element = system_.elements[number];
        const Shape& shape = system_.shapes[element.shape];
        const bool by_modes = smooth_ && smooth_program;
        const Program& code = by_modes ? smooth_->shapes[element.shape].*smooth_program : shape.*program;
        if (code.output_count() == 0) continue;
        gather(number, state, by_modes);
        run(code, zeroes_rounding && element.row >= 0 && program == &Shape::dynamics_program);
        const bool finite = std::all_of(outputs_.begin(), outputs_.end(), [](double x) { return std::isfinite(x); });
        if (!finite && !not_finite_) not_finite_ = element.origin;
        scatter(element, shape, system_.leaves.data() + element.leaves);
    }
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
    out.M = Matrix(n, n);
    out.A = Matrix(m, n);
    out.Q.assign(n, 0.0);
    out.b.assign(m, 0.0);
    each(&Shape::dynamics_program, &SmoothShape::dynamics, state,
         [&](const Element& element, const Shape& shape, const std::uint32_t* leaf) {
             const auto row = static_cast<std::size_t>(element.row);
             const std::vector<Entry>& entries = smooth_ ? smooth_->shapes[element.shape].entries : shape.dynamics.entries;
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
        const std::vector<Entry>& entries = smooth_ ? smooth_->shapes[element.shape].entries : shape.dynamics.entries;
        const std::uint32_t* leaf = system_.leaves.data() + element.leaves;
        for (std::size_t o = 0; o < outputs_.size(); ++o)
            if (entries[o].target == Target::row) A(static_cast<std::size_t>(element.row), leaf[entries[o].j]) += outputs_[o];
    }
}

void Assembler::residuals(const State& state, Residuals& out) {
    out.value.assign(system_.row_count(), 0.0);
    out.velocity.assign(system_.row_count(), 0.0);
    each(&Shape::residuals_program, &SmoothShape::residuals, state,
         [&](const Element& element, const Shape& shape, const std::uint32_t*) {
             const auto row = static_cast<std::size_t>(element.row);
             for (std::size_t o = 0; o < outputs_.size(); ++o)
                 (shape.residuals.entries[o].target == Target::residual ? out.value : out.velocity)[row] += outputs_[o];
         });
}

Energies Assembler::energies(const State& state) {
    Energies total;
    each(&Shape::energies_program, nullptr, state, [&](const Element&, const Shape& shape, const std::uint32_t*) {
        for (std::size_t o = 0; o < outputs_.size(); ++o)
            (shape.energies.entries[o].target == Target::kinetic ? total.kinetic : total.potential) += outputs_[o];
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

}  // namespace lacon
