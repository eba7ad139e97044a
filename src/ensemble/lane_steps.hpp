// Compiled steps of several motions side by side.
#pragma once

#include <memory>

#include "code/step_code.hpp"
#include "code/taylor_kernel.hpp"
#include "kernel/kernel.hpp"

namespace lacon::inline ensemble {

/// Whole compiled steps in lanes, as code that all threads share. Item i of lane l stands at i *
/// lanes + l.
struct LaneCode {
    std::shared_ptr<const kernel::Kernel> runge_kutta;  // one of the two
    std::shared_ptr<const TaylorSource> taylor;
    int order = 8;  // of the error
    double tolerance = 0.0;
    std::size_t lanes = 1;

    double first_step(double span) const;  // for StepControl
};

/// The same with workspace, of one thread.
class LaneSteps {
public:
    virtual ~LaneSteps() = default;

    /// Steps from the states in `in` (KernelInputs); each is at most as long as `lengths` say, and
    /// they say how long it is.
    virtual void run(kernel::Buffer& in, std::vector<double>& lengths) = 0;
    /// To other places within the steps just taken.
    virtual void within(kernel::Buffer& in, const std::vector<double>& lengths) = 0;
    /// StepOutputs of the last call.
    virtual const kernel::Buffer& out() const = 0;
    virtual bool is_fine(std::size_t lane) const = 0;
    /// A step of some lane was not fine.
    virtual void forget() {}
};
std::unique_ptr<LaneSteps> make_lane_steps(const LaneCode& code, const KernelInputs& at,
                                           std::size_t n);

}  // namespace lacon::ensemble
