#include "motion/fast_steps.hpp"

#include <algorithm>

namespace lacon {

namespace {

kernel::Code code_of(const SystemDetails& details, const SmoothSystem& smooth, const KernelChoice& choice, const Tableau& tableau,
                     double rank_tol) {
    CodeOptions options = choice.code_options(details);
    options.rank_tol = rank_tol;
    return step_code(details, smooth, options, tableau);
}

}  // namespace

FastSteps::FastSteps(const SystemDetails& details, const SmoothSystem& smooth, const KernelChoice& choice, const Tableau& tableau,
                     const Options& options)
    : tableau_(tableau),
      n_(details.system.coordinate_count),
      at_(details, smooth),
      outputs_(n_),
      in_(at_.count + 2, 0.0),
      kernel_(code_of(details, smooth, choice, tableau, options.rank_tol), options.compile) {
    out_.resize(kernel_.kernel().out_size());
    std::copy(details.parameters.begin(), details.parameters.end(), in_.begin() + static_cast<std::ptrdiff_t>(at_.parameters));
    std::copy(choice.floors.begin(), choice.floors.end(), in_.begin() + static_cast<std::ptrdiff_t>(at_.floors));
    in_[at_.count + 1] = options.tolerance;
    landing_.state.q.resize(n_);
    landing_.state.v.resize(n_);
}

bool FastSteps::advance(const Clock& time, const State& from, double limit, double shortest) {
    std::copy(from.q.begin(), from.q.end(), in_.begin() + static_cast<std::ptrdiff_t>(at_.q));
    std::copy(from.v.begin(), from.v.end(), in_.begin() + static_cast<std::ptrdiff_t>(at_.v));
    in_[at_.t] = time.now();
    const StepControl before = control;
    int refusals = 0;
    for (;;) {
        const double length = std::min(control.step, limit);
        if (length < shortest && length < limit) {
            control = before;
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
                control = before;
                return false;
            }
            control.refuse(length);
            continue;
        }
        if (!(error <= 1.0)) {
            ++rejected;
            control.reject(length, error, tableau_.order);
            continue;
        }
        control.accept(length, error, tableau_.order);
        landing_.length = length;
        std::copy_n(out_.begin(), n_, landing_.state.q.begin());
        std::copy_n(out_.begin() + static_cast<std::ptrdiff_t>(n_), n_, landing_.state.v.begin());
        landing_.position = out_[outputs_.position];
        landing_.velocity = out_[outputs_.velocity];
        landing_.position_absolute = out_[outputs_.position_absolute];
        landing_.velocity_absolute = out_[outputs_.velocity_absolute];
        landing_.kinetic = out_[outputs_.kinetic];
        landing_.potential = out_[outputs_.potential];
        return true;
    }
}

}  // namespace lacon
