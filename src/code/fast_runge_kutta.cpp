// Compiled Runge–Kutta steps, and what all FastSteps share. The step control is the one of the
// interpreted method, so each can continue the other's run. A step that fails its checks three
// times goes back to the driver.
#include <fmt/format.h>

#include <algorithm>

#include "code/fast_steps.hpp"
#include "code/step_code.hpp"
#include "methods/step_control.hpp"

namespace lacon::inline code {

FastSteps::FastSteps(std::size_t n) {
    step_end_.state.q.resize(n);
    step_end_.state.v.resize(n);
}

/// Takes up what StepOutputs tell.
void FastSteps::land(std::span<const double> out, double length) {
    const std::size_t n = step_end_.state.q.size();
    const StepOutputs at(n);
    step_end_.length = length;
    std::copy_n(out.begin(), n, step_end_.state.q.begin());
    std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(n), n, step_end_.state.v.begin());
    step_end_.left = left_of(out, at);
    step_end_.kinetic = out[at.kinetic];
    step_end_.potential = out[at.potential];
}

namespace {

std::shared_ptr<kernel::Source> step_source(const DerivedModel& details, const SmoothSystem& smooth,
                                            const KernelChoice& choice, const Tableau& tableau,
                                            const FastSteps::Options& options) {
    const CodeOptions code = choice.code_options(details, options.rank_tol);
    return details.memo.get<kernel::Source>(
        fmt::format("steps {} {}", tableau.stages, choice.key(options.rank_tol, options.compile)),
        [&] {
            return std::make_shared<kernel::Source>(step_code(details, smooth, code, tableau),
                                                    options.compile);
        });
}

class FastRungeKutta : public FastSteps {
public:
    FastRungeKutta(const DerivedModel& details, const SmoothSystem& smooth,
                   const KernelChoice& choice, const Tableau& tableau, const Options& options)
        : FastSteps(details.system.coordinate_count),
          tableau_(tableau),
          at_(details, smooth),
          outputs_(details.system.coordinate_count),
          kernel_(step_source(details, smooth, choice, tableau, options)),
          in_(choice.inputs(details, at_)),
          out_(kernel_.kernel().out_size()) {
        in_.resize(step_inputs(at_, details.system.coordinate_count));
        in_[at_.count + 1] = options.tolerance;
    }

    bool advance(const Clock& time, const State& from, double limit, double shortest) override;
    void set_branches(std::span<const double> branches) override {
        at_.set_branches(branches, in_);
    }
    void set_noise(const std::vector<double>& noise) override {
        for (std::size_t i = at_.count + 2; i < in_.size(); ++i)
            in_[i] = noise.empty() ? 0.0 : tableau_.noise_gain() * noise[i - at_.count - 2];
    }
    std::vector<double> memory() const override { return control_.memory(); }
    void recall(const std::vector<double>& memory) override {
        control_ = StepControl::recalled(memory);
    }
    CodeSummary summary() const override { return summary_of(kernel_); }

private:
    /// A step with too large an error, as it has come out.
    bool asks_for_noise(const Clock& time, const State& from, double length) {
        land(out_, length);
        step_end_.state.t = time.after(length).now();
        return noise_asked(from, step_end_.state);
    }

    const Tableau& tableau_;
    KernelInputs at_;
    StepOutputs outputs_;
    kernel::Tiered kernel_;
    std::vector<double> in_, out_;
    StepControl control_;
};

bool FastRungeKutta::advance(const Clock& time, const State& from, double limit, double shortest) {
    at_.set_state(from, time.now(), in_);
    const StepControl before = control_;
    int refusals = 0;
    for (;;) {
        const double length = std::min(control_.step, limit);
        if (length < shortest && length < limit) {
            control_ = before;
            return false;
        }
        in_[at_.count] = length;
        kernel_.run(in_.data(), out_.data());
        evaluations += tableau_.stages + 1;
        const double error = out_[outputs_.error];
        const bool fine = out_[outputs_.fine] == 1.0 && kernel_.kernel().in_range(out_.data(), 0);
        if (!fine) {  // too long a step may fail every check; what fails again is not regular
            constexpr int most_refusals = 2;
            if (++refusals > most_refusals) {
                control_ = before;
                return false;
            }
            control_.refuse(length);
            continue;
        }
        if (!(error <= 1.0)) {
            if (noise_asked && asks_for_noise(time, from, length)) continue;
            ++rejected;
            control_.reject(length, error, tableau_.order);
            continue;
        }
        control_.accept(length, error, tableau_.order);
        land(out_, length);
        const auto a = out_.begin() + static_cast<std::ptrdiff_t>(outputs_.count);
        const auto n = static_cast<std::ptrdiff_t>(step_end_.state.q.size());
        step_end_.a_begin.assign(a, a + n);
        step_end_.a_end.assign(a + n, a + 2 * n);
        return true;
    }
}

}  // namespace

std::unique_ptr<FastSteps> make_fast_runge_kutta(const DerivedModel& details,
                                                 const SmoothSystem& smooth,
                                                 const KernelChoice& choice, const Tableau& tableau,
                                                 const FastSteps::Options& options) {
    return std::make_unique<FastRungeKutta>(details, smooth, choice, tableau, options);
}

}  // namespace lacon::code
