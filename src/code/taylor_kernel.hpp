// Taylor steps compiled and ready to run, one at a time or many in lanes.
#pragma once

#include <memory>
#include <span>

#include "code/taylor_code.hpp"
#include "kernel/tiered.hpp"

namespace lacon::inline code {

/// TaylorCode compiled, for all who run it.
struct TaylorSource {
    TaylorSource(TaylorCode code, const kernel::CompileOptions& options);

    std::size_t order, slots, lanes;
    kernel::Series series;
    std::vector<std::uint32_t> q, v;
    std::vector<TaylorCode::PlacedFeature> features;
    std::shared_ptr<kernel::Source> begin, next, sizes, end;
};

/// Taylor steps of one state, or of many in lanes: item i of lane l stands at i * lanes + l. Holds
/// workspace.
class TaylorKernel {
public:
    TaylorKernel(const TaylorSource& source, const KernelInputs& at);

    /// The series at the states that the inputs give (KernelInputs, a length that is not read, the
    /// tolerance).
    void expand(const double* in);
    /// TaylorControl::length's sizes of a lane.
    void sizes_of(std::size_t lane, std::span<double> sizes) const;
    /// As much of a step of this length as features of the equations allow (expr/feature.hpp); 0
    /// where that is little, and a careful step should look.
    double clear_length(std::size_t lane, double length) const;
    /// The steps of these lengths: StepOutputs in out(), each as `is_fine` says.
    void finish(std::span<const double> lengths);
    const kernel::Buffer& out() const { return out_; }
    bool is_fine(std::size_t lane) const;
    /// Clears the memory of series, after coefficients that are not finite.
    void forget();

    /// The state at `tau` in a step.
    void at(double tau, std::size_t lane, State& state) const;
    const std::vector<const kernel::Tiered*>& kernels() const { return kernels_; }

private:
    const TaylorSource& source_;
    std::size_t lanes_, length_cell_;
    StepOutputs outputs_;
    kernel::Tiered begin_, next_, sizes_, end_;
    std::vector<const kernel::Tiered*> kernels_{&begin_, &next_, &sizes_, &end_};
    kernel::Buffer middle_, size_out_, next_out_, out_, series_;
};

}  // namespace lacon::code
