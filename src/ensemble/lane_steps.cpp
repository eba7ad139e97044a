// Runge–Kutta steps are one kernel that gets the step length as an input. Taylor steps expand the
// series first and choose each lane's step length from it.
#include "ensemble/lane_steps.hpp"

#include <algorithm>
#include <limits>

namespace lacon::inline ensemble {

double LaneCode::first_step(double span) const {
    constexpr double careful = 1e-4;  // of the span; it grows sixfold a step
    return taylor ? std::numeric_limits<double>::infinity() : careful * span;
}

namespace {

class RungeKuttaLanes : public LaneSteps {
public:
    RungeKuttaLanes(const kernel::Kernel& kernel, const KernelInputs& at, std::size_t n)
        : kernel_(kernel),
          at_(at),
          outputs_(n),
          out_(kernel.out_size()),
          work_(kernel.work_size()) {}

    void run(kernel::Buffer& in, std::vector<double>& lengths) override { within(in, lengths); }
    void within(kernel::Buffer& in, const std::vector<double>& lengths) override {
        std::copy(lengths.begin(), lengths.end(),
                  in.begin() + static_cast<std::ptrdiff_t>(at_.count * lengths.size()));
        kernel_.run(in.data(), out_.data(), work_.data());
    }
    const kernel::Buffer& out() const override { return out_; }
    bool is_fine(std::size_t lane) const override {
        return out_[outputs_.fine * kernel_.lanes() + lane] == 1.0 &&
               kernel_.in_range(out_.data(), lane);
    }

private:
    const kernel::Kernel& kernel_;
    const KernelInputs& at_;
    StepOutputs outputs_;
    kernel::Buffer out_, work_;
};

class TaylorLanes : public LaneSteps {
public:
    TaylorLanes(const TaylorSource& source, const KernelInputs& at, double tolerance)
        : control_(tolerance),
          kernel_(source, at),
          sizes_(control_.order + 1 - control_.first_size()) {}

    void run(kernel::Buffer& in, std::vector<double>& lengths) override {
        kernel_.expand(in.data());
        for (std::size_t l = 0; l < lengths.size(); ++l) {
            kernel_.sizes_of(l, sizes_);
            lengths[l] = kernel_.clear_length(l, std::min(lengths[l], control_.length(sizes_)));
        }
        kernel_.finish(lengths);
    }
    void within(kernel::Buffer&, const std::vector<double>& lengths) override {
        kernel_.finish(lengths);
    }
    const kernel::Buffer& out() const override { return kernel_.out(); }
    bool is_fine(std::size_t lane) const override { return kernel_.is_fine(lane); }
    void forget() override { kernel_.forget(); }

private:
    TaylorControl control_;
    TaylorKernel kernel_;
    std::vector<double> sizes_;
};

}  // namespace

std::unique_ptr<LaneSteps> make_lane_steps(const LaneCode& code, const KernelInputs& at,
                                           std::size_t n) {
    if (code.taylor) return std::make_unique<TaylorLanes>(*code.taylor, at, code.tolerance);
    return std::make_unique<RungeKuttaLanes>(*code.runge_kutta, at, n);
}

}  // namespace lacon::ensemble
