// The code is compiled once for a model. A row counts only if all checks among its outputs hold;
// otherwise the driver computes it itself.
#include "code/fast_rows.hpp"

#include <algorithm>

#include "code/fast_steps.hpp"
#include "code/kept_source.hpp"
#include "code/row_code.hpp"

namespace lacon::inline code {

FastRows::FastRows(const DerivedModel& details, const SmoothSystem& smooth,
                   const KernelChoice& choice, double rank_tol,
                   const kernel::CompileOptions& compile, const Observables& observables)
    : at_(details, smooth),
      n_(details.system.coordinate_count),
      in_(choice.inputs(details, at_)),
      kernel_(kept_source<kernel::Source>(
          "rows", details, choice, {rank_tol, compile},
          [&](const CodeOptions& code) { return row_code(details, smooth, code, observables); })) {
    out_.resize(kernel_.kernel().out_size());
}

bool FastRows::run(State& state, std::span<double> observed) {
    at_.set_state(state, state.t, in_);
    kernel_.run(in_.data(), out_.data());
    const StepOutputs at(n_);
    if (out_[at.fine] != 1.0 || out_[at.count + observed.size()] != 1.0 ||
        !kernel_.kernel().in_range(out_.data(), 0))
        return false;
    std::copy_n(out_.begin(), n_, state.q.begin());
    std::copy_n(out_.begin() + static_cast<std::ptrdiff_t>(n_), n_, state.v.begin());
    left_ = left_of(out_, at);
    std::copy_n(out_.begin() + static_cast<std::ptrdiff_t>(at.count), observed.size(),
                observed.begin());
    return true;
}

}  // namespace lacon::code
