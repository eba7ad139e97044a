// The code is compiled once for a model. Its values count only if the solve behind them succeeded
// and every sin and cos stayed within the range of the code.
#include "code/fast_watch.hpp"

#include "code/kept_source.hpp"
#include "code/watch_code.hpp"

namespace lacon::inline code {

FastWatch::FastWatch(const DerivedModel& details, const SmoothSystem& smooth,
                     const KernelChoice& choice, double rank_tol,
                     const kernel::CompileOptions& compile, const Observables& events)
    : at_(details, smooth),
      in_(choice.inputs(details, at_)),
      kernel_(kept_source<kernel::Source>(
          "watch", details, choice, {rank_tol, compile},
          [&](const CodeOptions& code) { return watch_code(details, smooth, code, events); })) {
    out_.resize(kernel_.kernel().out_size());
}

bool FastWatch::values(const State& state, std::span<const double> branches,
                       std::span<Rounded> out) {
    at_.set_state(state, state.t, in_);
    at_.set_branches(branches, in_);
    kernel_.run(in_.data(), out_.data());
    if (out_[2 * out.size()] != 1.0 || !kernel_.kernel().in_range(out_.data(), 0)) return false;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = {out_[2 * i], out_[2 * i + 1]};
    return true;
}

}  // namespace lacon::code
