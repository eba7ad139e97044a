// Compiled Taylor steps: expand the series, choose the length from its last orders, land. A step
// that fails a check is not tried again but left to the driver.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "code/fast_steps.hpp"
#include "code/kept_source.hpp"
#include "code/taylor_kernel.hpp"
#include "methods/noise.hpp"
#include "methods/taylor_control.hpp"

namespace lacon::inline code {

namespace {

std::shared_ptr<TaylorSource> series_source(const DerivedModel& details, const SmoothSystem& smooth,
                                            const KernelChoice& choice, std::size_t order,
                                            const FastSteps::Options& options) {
    return kept_source<TaylorSource>(
        fmt::format("taylor {}", order), details, choice, {options.rank_tol, options.compile},
        [&](const CodeOptions& code) { return taylor_code(details, smooth, code, order); });
}

class FastTaylor : public FastSteps {
public:
    FastTaylor(const DerivedModel& details, const SmoothSystem& smooth, const KernelChoice& choice,
               const Options& options)
        : FastSteps(details.system.coordinate_count),
          control_(options.tolerance, options.series_tolerance),
          at_(details, smooth),
          source_(series_source(details, smooth, choice, control_.order, options)),
          kernel_(*source_, at_),
          in_(choice.inputs(details, at_)),
          sizes_(control_.order + 1 - control_.first_size()) {
        in_.resize(at_.count + 2);
        in_[at_.count + 1] = control_.tolerance;
    }

    bool advance(const Clock& time, const State& from, double limit, double shortest) override {
        at_.set_state(from, time.now(), in_);
        in_[at_.count + 1] = promised_to(from);
        kernel_.expand(in_.data());
        kernel_.sizes_of(0, sizes_);
        evaluations += 3;  // at the begin, amid, at the end
        const double chosen = control_.length(sizes_),
                     length = kernel_.clear_length(0, std::min(chosen, limit));
        if (length > 0.0 && (length >= shortest || length >= limit)) {
            kernel_.finish({&length, 1});
            if (kernel_.is_fine(0)) {
                land(kernel_.out(), length);
                return true;
            }
        }
        kernel_.forget();
        return false;
    }
    void set_branches(std::span<const double> branches) override {
        at_.set_branches(branches, in_);
    }
    void set_noise(const std::vector<double>& noise) override { noise_ = noise; }
    bool tells_states() const override { return true; }
    void at(double tau, State& state) const override { kernel_.at(tau, 0, state); }
    CodeSummary summary() const override {
        CodeSummary all = summary_of(*kernel_.kernels().front());
        for (const kernel::Tiered* kernel : std::span(kernel_.kernels()).subspan(1))
            add(summary_of(*kernel), all);
        return all;
    }

private:
    /// The tolerance that the promise of a step is held to: that of its error, or what leaves room
    /// for noise.
    double promised_to(const State& from) const {
        if (noise_.empty()) return control_.tolerance;
        const double next = 2.0 * step_end_.length;  // the most that the step will be, about
        const double over = noise_over_tolerance(noise_, from, next, control_.tolerance);
        return control_.tolerance *
               std::max(1.0, over * TaylorControl::noise_slack / TaylorControl::promise_slack);
    }

    TaylorControl control_;
    KernelInputs at_;
    std::shared_ptr<TaylorSource> source_;
    TaylorKernel kernel_;
    std::vector<double> in_, sizes_, noise_;
};

}  // namespace

std::unique_ptr<FastSteps> make_fast_taylor(const DerivedModel& details, const SmoothSystem& smooth,
                                            const KernelChoice& choice,
                                            const FastSteps::Options& options) {
    return std::make_unique<FastTaylor>(details, smooth, choice, options);
}

}  // namespace lacon::code
