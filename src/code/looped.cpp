// Runs the codes of the elements, adds their results into the dense problem and solves that. It is
// known beforehand which result begins a sum, so no matrix has to be cleared between states.
#include "code/looped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace lacon::inline code {

namespace {

std::shared_ptr<const kernel::DenseKernel> dense_kernel(const DerivedModel& details,
                                                        const kernel::CompileOptions& options) {
    constexpr std::size_t most_unknowns = 6'000;  // n + m: 600 MB
    const std::size_t size = details.system.coordinate_count + details.system.row_count();
    if (size > most_unknowns)
        throw std::runtime_error(fmt::format(
            "{} coordinates and constraints: compiled loops take at most {}", size, most_unknowns));
    kernel::CompileOptions one = options;
    one.lanes = 1;
    return std::make_shared<const kernel::DenseKernel>(one);
}

}  // namespace

kernel::DensePlan LoopedAcceleration::plan_of(const DerivedModel& details,
                                              const std::vector<ElementCode>& codes,
                                              const Options& options) {
    kernel::DensePlan plan;
    plan.n = details.system.coordinate_count;
    plan.m = details.system.row_count();
    for (std::size_t i = 0; i < options.code.dependent.size(); ++i)
        if (options.code.dependent[i]) plan.dropped.push_back(i);
    plan.floor = options.floors;
    plan.refined = options.code.refined;
    plan.clear = options.code.clear;
    plan.rank_tol = options.code.rank_tol;
    plan.beside = options.code.lasting;
    for (const ElementCode& code : codes)
        for (const ElementCode::Output& output : code.outputs) {
            if (output.item.target == Entry::Target::mass)
                plan.mass.push_back({output.item.i, output.item.j});
            if (output.item.target == Entry::Target::row)
                plan.rows.push_back({output.item.i, output.item.j});
        }
    return plan;
}

std::size_t LoopedAcceleration::place_of(const Item& item) const {
    switch (item.target) {
        case Entry::Target::mass: return dense_.mass_at(item.i, item.j);
        case Entry::Target::force: return dense_.force_at(item.i);
        case Entry::Target::row: return dense_.row_at(item.i, item.j);
        default: return dense_.right_at(item.i);
    }
}

LoopedSource::LoopedSource(const DerivedModel& details, const SmoothSystem& smooth,
                           const kernel::CompileOptions& options)
    : elements(element_codes(details, smooth, kernel::native_lanes(options.isa))),
      dense(dense_kernel(details, options)) {
    for (ElementCode& code : elements) {
        kernel::CompileOptions compile = options;
        compile.lanes = code.lanes;
        sources.push_back(std::make_shared<kernel::Source>(std::move(code.code), compile));
    }
}

LoopedAcceleration::LoopedAcceleration(const DerivedModel& details,
                                       std::shared_ptr<const LoopedSource> source,
                                       const Options& options)
    : source_(std::move(source)),
      dense_(plan_of(details, source_->elements, options), source_->dense),
      is_first_(options.is_first) {
    std::set<std::uint32_t> begun;
    for (std::size_t i = 0; i < source_->elements.size(); ++i) {
        const ElementCode& code = source_->elements[i];
        std::vector<Batch::Run> runs(code.runs);
        for (const ElementCode::Output& output : code.outputs) {
            const auto from = static_cast<std::uint32_t>(output.output * code.lanes + output.lane);
            const auto to = static_cast<std::uint32_t>(place_of(output.item));
            Batch::Run& run = runs[output.run];
            (begun.insert(to).second ? run.first : run.more).push_back({from, to});
            run.used = std::max(run.used, output.lane + 1);
        }
        Batch& batch = batches_.emplace_back(
            Batch{kernel::Tiered(source_->sources[i]), code.inputs, std::move(runs), {}, {}});
        batch.in.resize(batch.kernel.kernel().input_count() * code.lanes);
        batch.out.resize(batch.kernel.kernel().out_size());
    }
}

bool LoopedAcceleration::run(Batch& batch, const double* in) {
    double* numbers = dense_.numbers();
    const std::uint32_t* input = batch.inputs.data();
    bool in_range = true;
    for (const Batch::Run& run : batch.runs) {
        for (double& x : batch.in) x = in[*input++];
        batch.kernel.run(batch.in.data(), batch.out.data());
        for (const Batch::Move& move : run.first) numbers[move.to] = batch.out[move.from];
        for (const Batch::Move& move : run.more) numbers[move.to] += batch.out[move.from];
        for (std::size_t l = 0; l < run.used; ++l)
            in_range = in_range && batch.kernel.kernel().in_range(batch.out.data(), l);
    }
    return in_range;
}

bool LoopedAcceleration::run(const double* in, std::span<double> a) {
    for (Batch& batch : batches_)
        if (!run(batch, in)) return false;
    dense_.run();
    if (!dense_.fine()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = dense_.x(i);
    return true;
}

std::size_t LoopedAcceleration::operations() const {
    std::size_t sum = 0;
    for (const Batch& batch : batches_) sum += batch.kernel.kernel().report().operations;
    return sum;
}

double LoopedAcceleration::seconds() const {
    double sum = is_first_ ? dense_.kernel().report().seconds : 0.0;
    for (const Batch& batch : batches_) sum += batch.kernel.seconds();
    return sum;
}

bool LoopedAcceleration::from_cache() const {
    return (!is_first_ || dense_.kernel().report().from_cache) &&
           std::none_of(batches_.begin(), batches_.end(),
                        [](const Batch& batch) { return batch.kernel.was_compiled(); });
}

bool LoopedAcceleration::is_full() const {
    return std::all_of(batches_.begin(), batches_.end(), [](const Batch& batch) {
        return batch.kernel.kernel().options().effort == kernel::Effort::full;
    });
}

}  // namespace lacon::code
