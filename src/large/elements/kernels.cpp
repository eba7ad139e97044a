// Records each shape's program as code for eight lanes, with shared parameters as constants.
// Batches of fewer than 64 elements are not compiled.
#include "large/elements/kernels.hpp"

#include <stdexcept>

namespace lacon::inline large {

namespace {

using kernel::Code;
using kernel::Value;

/// A shape's program as code; parameters that all elements share are numbers in it.
std::shared_ptr<kernel::Source> source_of(const SparseSystem& system, const Batch& batch,
                                          const Program& program,
                                          const kernel::CompileOptions& options) {
    const System& all = system.details.system;
    const Shape& shape = all.shapes[batch.shape];
    const std::uint32_t* leaf = all.leaves.data() + all.elements[batch.elements[0]].leaves;
    const std::size_t k = shape.coordinates;
    Code code;
    std::vector<Value> inputs, slots(program.slot_count()), outputs(program.output_count());
    for (std::size_t i = 0; i < program.input_count(); ++i) {
        const std::size_t parameter = i - (2 * k + 1);
        if (i > 2 * k && parameter < shape.parameters && batch.uniform[parameter])
            inputs.emplace_back(system.details.parameters[leaf[k + parameter]]);
        else inputs.emplace_back(code, code.input(static_cast<std::uint32_t>(i)));
    }
    program.run<Value>(inputs, slots, outputs);
    for (const Value& output : outputs) code.outputs.push_back(output.id_in(code));
    code.input_count = static_cast<std::uint32_t>(program.input_count());
    return std::make_shared<kernel::Source>(std::move(code), options);
}

std::shared_ptr<const SparseKernels::Series> series_of(const SparseSystem& system,
                                                       const Batch& batch,
                                                       const kernel::CompileOptions& options) {
    const ShapeSeries shape(system, batch);
    if (!shape.varies && !shape.smooth.own_order)
        return nullptr;  // nothing is asked of it beyond order 0
    SeriesCodes codes(shape);
    auto result = std::make_shared<SparseKernels::Series>();
    result->known_outputs = codes.known_outputs;
    result->sums_outputs = codes.sums_outputs;
    result->inputs = codes.inputs;
    result->known = std::make_shared<kernel::Source>(std::move(codes.known), options);
    if (!codes.sums.outputs.empty())
        result->sums = std::make_shared<kernel::Source>(std::move(codes.sums), options);
    return result;
}

}  // namespace

SparseKernels::SparseKernels(const SparseSystem& system, const kernel::CompileOptions& options)
    : dynamics(system.batches.size()),
      residuals(system.batches.size()),
      series(system.batches.size()) {
    constexpr std::size_t fewest =
        8 * Lanes::count;  // elements: with fewer there is nothing to gain
    kernel::CompileOptions side_by_side = options;
    side_by_side.lanes = Lanes::count;
    for (std::size_t b = 0; b < system.batches.size(); ++b) {
        const Batch& batch = system.batches[b];
        const SmoothShape& shape = system.smooth->shapes[batch.shape];
        if (batch.size < fewest) continue;
        try {
            if (shape.dynamics.output_count() > 0)
                dynamics[b] = source_of(system, batch, shape.dynamics, side_by_side);
            if (shape.residuals.output_count() > 0)
                residuals[b] = source_of(system, batch, shape.residuals, side_by_side);
            series[b] = series_of(system, batch, side_by_side);
        } catch (const std::runtime_error& reason) {
            why = reason.what();
        }
    }
}

}  // namespace lacon::large
