// The code is compiled once for a model. A row counts only if all checks among its outputs hold;
// otherwise the driver computes it itself.
#include "code/fast_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "code/fast_steps.hpp"
#include "code/row_code.hpp"

namespace lacon::inline code {

namespace {

std::shared_ptr<kernel::Source> row_source(const DerivedModel& details, const SmoothSystem& smooth,
                                           const KernelChoice& choice, double rank_tol,
                                           const kernel::CompileOptions& compile,
                                           const Observables& observables) {
    return details.memo.get<kernel::Source>(
        fmt::format("rows {}", choice.key(rank_tol, compile)), [&] {
            return std::make_shared<kernel::Source>(
                row_code(details, smooth, choice.code_options(details, rank_tol), observables),
                compile);
        });
}

}  // namespace

FastRows::FastRows(const DerivedModel& details, const SmoothSystem& smooth,
                   const KernelChoice& choice, double rank_tol,
                   const kernel::CompileOptions& compile, const Observables& observables)
    : at_(details, smooth),
      n_(details.system.coordinate_count),
      in_(choice.inputs(details, at_)),
      kernel_(row_source(details, smooth, choice, rank_tol, compile, observables)) {
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
