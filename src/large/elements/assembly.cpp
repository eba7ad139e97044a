// Gathers eight elements at a time, runs their program or kernel and adds the results to the sparse
// matrices. A kernel that leaves its range is repeated by the interpreter.
#include "large/elements/assembly.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline large {

using Target = Entry::Target;

namespace {

/// Whether all are finite: a sum of products with zero is, or is not, whatever the signs.
bool is_finite(std::span<const Lanes> values) {
    Lanes sum(0.0);
    for (const Lanes& value : values) sum = sum + value * Lanes(0.0);
    double total = 0.0;
    for (const double x : sum.x) total += x;
    return total == 0.0;
}

}  // namespace

SparseAssembler::SparseAssembler(const SparseSystem& system)
    : branches(system.smooth->branch_count, 1.0), system_(system), longest_(system.m, 0.0) {}

/// What is the same for all packs of a batch.
void SparseAssembler::prepare(const Batch& batch, const State& state, bool by_branches) {
    const Shape& shape = system_.details.system.shapes[batch.shape];
    const std::size_t k = shape.coordinates, p = shape.parameters;
    const std::size_t decisions =
        by_branches ? system_.smooth->shapes[batch.shape].decisions.size() : 0;
    inputs_.resize(2 * k + 1 + p + decisions);
    inputs_[by_branches ? 2 * k : 2 * k + p] = Lanes(state.t);
    const std::size_t first = by_branches ? 2 * k + 1 : 2 * k;
    const Element& element = system_.details.system.elements[batch.elements[0]];
    const std::uint32_t* leaf = system_.details.system.leaves.data() + element.leaves;
    for (std::size_t i = 0; i < p; ++i)
        inputs_[first + i] = Lanes(system_.details.parameters[leaf[k + i]]);
}

void SparseAssembler::gather(const Batch& batch, std::size_t pack, const State& state,
                             bool by_branches) {
    if (pack == 0) prepare(batch, state, by_branches);
    const System& system = system_.details.system;
    const Shape& shape = system.shapes[batch.shape];
    const std::size_t k = shape.coordinates, p = shape.parameters;
    const std::uint32_t* coordinate = batch.coordinates.data() + pack * k * lane_count;
    for (std::size_t i = 0; i < k; ++i)
        for (std::size_t l = 0; l < lane_count; ++l)
            inputs_[i][l] = state.q[coordinate[i * lane_count + l]];
    for (std::size_t i = 0; i < k; ++i)
        for (std::size_t l = 0; l < lane_count; ++l)
            inputs_[k + i][l] = state.v[coordinate[i * lane_count + l]];
    const std::uint32_t* element = batch.elements.data() + pack * lane_count;
    const std::size_t first = by_branches ? 2 * k + 1 : 2 * k;
    for (std::size_t i = 0; i < p; ++i) {
        if (batch.uniform[i]) continue;
        for (std::size_t l = 0; l < lane_count; ++l)
            inputs_[first + i][l] =
                system_.details
                    .parameters[system.leaves[system.elements[element[l]].leaves + k + i]];
    }
    if (!by_branches) return;
    const std::size_t decisions = system_.smooth->shapes[batch.shape].decisions.size();
    for (std::size_t i = 0; i < decisions; ++i)
        for (std::size_t l = 0; l < lane_count; ++l)
            inputs_[first + p + i][l] = branches[system_.smooth->first_branch[element[l]] + i];
}

void SparseAssembler::run(const Program& program) {
    slots_.resize(program.slot_count());
    outputs_.resize(program.output_count());
    program.run<Lanes>(inputs_, slots_, outputs_);
}

void SparseAssembler::run(const Program& program, std::optional<kernel::Tiered>& compiled) {
    if (!compiled) return run(program);
    outputs_.resize(program.output_count() + 1);  // and whether it is in range
    compiled->run(inputs_[0].x.data(), outputs_[0].x.data());
    const Lanes in_range = outputs_.back();
    outputs_.pop_back();
    for (const double flag : in_range.x)
        if (flag != 0.0) return run(program);
}

std::optional<kernel::Tiered>& SparseAssembler::kernel_of(
    const Batch& batch, std::optional<kernel::Tiered> Compiled::*which) {
    return compiled_.empty()
               ? none_
               : compiled_[static_cast<std::size_t>(&batch - system_.batches.data())].*which;
}

void SparseAssembler::compile(const SparseKernels& kernels) {
    compiled_.clear();
    for (std::size_t b = 0; b < system_.batches.size(); ++b) {
        Compiled& compiled = compiled_.emplace_back();
        if (kernels.dynamics[b]) compiled.dynamics.emplace(kernels.dynamics[b]);
        if (kernels.residuals[b]) compiled.residuals.emplace(kernels.residuals[b]);
    }
}

double SparseAssembler::compile_seconds() const {
    double sum = 0.0;
    for (const Compiled& compiled : compiled_)
        for (const auto* one : {&compiled.dynamics, &compiled.residuals})
            if (*one) sum += (*one)->seconds();
    return sum;
}

void SparseAssembler::note_not_finite(const Batch& batch, std::size_t pack,
                                      const Program& program) {
    const auto& elements = system_.details.system.elements;
    for (std::size_t l = 0; l < lane_count; ++l)
        for (std::size_t o = 0; o < program.output_count(); ++o) {
            if (std::isfinite(outputs_[o][l])) continue;
            const Element& element = elements[batch.elements[pack * lane_count + l]];
            if (!not_finite_ || element.origin < *not_finite_) not_finite_ = element.origin;
        }
}

void SparseAssembler::equations(const State& state, SparseEquations& out) {
    not_finite_.reset();
    std::fill(out.numbers.begin(), out.numbers.end(), 0.0);
    double* numbers = out.numbers.data();
    for (const Batch& batch : system_.batches) {
        const Program& program = system_.smooth->shapes[batch.shape].dynamics;
        const std::size_t outputs = program.output_count();
        if (outputs == 0) continue;
        const std::uint32_t* target = batch.targets.data();
        auto& compiled = kernel_of(batch, &Compiled::dynamics);
        for (std::size_t pack = 0; pack < batch.packs; ++pack) {
            gather(batch, pack, state, true);
            run(program, compiled);
            if (!is_finite(outputs_)) note_not_finite(batch, pack, program);
            for (std::size_t o = 0; o < outputs; ++o)
                for (std::size_t l = 0; l < lane_count; ++l) numbers[*target++] += outputs_[o][l];
        }
    }
}

void SparseAssembler::residuals(const State& state, Residuals& out) {
    not_finite_.reset();
    out.value.assign(system_.m + 1, 0.0);
    out.velocity.assign(system_.m + 1, 0.0);
    for (const Batch& batch : system_.batches) {
        const Program& program = system_.smooth->shapes[batch.shape].residuals;
        if (program.output_count() == 0) continue;
        auto& compiled = kernel_of(batch, &Compiled::residuals);
        for (std::size_t pack = 0; pack < batch.packs; ++pack) {
            gather(batch, pack, state, true);
            run(program, compiled);
            if (!is_finite(outputs_)) note_not_finite(batch, pack, program);
            const std::uint32_t* row = batch.rows.data() + pack * lane_count;
            for (std::size_t l = 0; l < lane_count; ++l) {  // φ, then φ' or φ again
                out.value[row[l]] = outputs_[0][l];
                out.velocity[row[l]] = outputs_[1][l];
            }
        }
    }
    out.value.pop_back();
    out.velocity.pop_back();
}

Energies SparseAssembler::energies(const State& state) {
    not_finite_.reset();
    Energies total;
    for (const Batch& batch : system_.batches) {
        const Shape& shape = system_.details.system.shapes[batch.shape];
        const Program& program = shape.energies_program;
        if (program.output_count() == 0) continue;
        for (std::size_t pack = 0; pack < batch.packs; ++pack) {
            gather(batch, pack, state, false);
            run(program);
            if (!is_finite(outputs_)) note_not_finite(batch, pack, program);
            const std::size_t used = std::min(lane_count, batch.size - pack * lane_count);
            for (std::size_t o = 0; o < program.output_count(); ++o) {
                double sum = 0.0;
                for (std::size_t l = 0; l < used; ++l) sum += outputs_[o][l];
                (shape.energies.entries[o].target == Target::kinetic ? total.kinetic
                                                                     : total.potential) += sum;
            }
        }
    }
    return total;
}

void SparseAssembler::zero_rounding(const State& state, SparseEquations& out) {
    // Of the longest that a row has been: a shorter one may be rounding, and is compared with its
    // bound. As SingularSearch::singular_tol, with room.
    constexpr double short_beside = 1e-6;
    const SparsePattern& rows = *system_.rows;
    const auto A = out.A();
    for (const Batch& batch : system_.batches) {
        if (batch.rows.empty()) continue;
        for (std::size_t at = 0; at < batch.size; ++at) {
            const std::size_t row = batch.rows[at];
            double largest = 0.0;
            for (std::size_t e = rows.begin[row]; e < rows.begin[row + 1]; ++e)
                largest = std::max(largest, std::abs(A[e]));
            if (largest > short_beside * longest_[row] && longest_[row] > 0.0) {
                longest_[row] = std::max(longest_[row], largest);
                continue;
            }
            zero_rounding(state, batch, at, out);
            longest_[row] = std::max(longest_[row], largest);
        }
    }
}

void SparseAssembler::zero_rounding(const State& state, const Batch& batch, std::size_t at,
                                    SparseEquations& out) {
    const std::size_t pack = at / lane_count, lane = at % lane_count;
    prepare(batch, state, true);
    gather(batch, pack, state, true);
    const Program& program = system_.smooth->shapes[batch.shape].dynamics;
    rounded_inputs_.clear();
    for (const Lanes& input : inputs_) rounded_inputs_.push_back(Rounded::input(input[lane]));
    rounded_slots_.resize(program.slot_count());
    rounded_outputs_.resize(program.output_count());
    program.run<Rounded>(rounded_inputs_, rounded_slots_, rounded_outputs_);
    for (std::size_t o = 0; o < program.output_count(); ++o)
        if (rounded_outputs_[o].is_rounding())
            out.numbers[batch.targets[(pack * program.output_count() + o) * lane_count + lane]] =
                0.0;
}

}  // namespace lacon::large
