// The code is compiled once for a model. A row counts only if all checks among its outputs hold;
// otherwise the driver computes it itself.
#include "code/fast_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

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

// ---- residuals

namespace {

/// Parameters that change from mode to mode are inputs.
std::shared_ptr<kernel::Source> residual_source(const DerivedModel& details,
                                                const SmoothSystem& smooth,
                                                const kernel::CompileOptions& compile) {
    if (smooth.branch_count > 0)
        throw std::runtime_error("the model has decisions (if, abs, sign, min, max, floor)");
    const std::string key =
        fmt::format("residuals {} {} {}", name_of(compile.isa), compile.cache, compile.walks_first);
    return details.memo.get<kernel::Source>(key, [&] {
        kernel::Code code;
        code.most_nodes = most_step_nodes;
        const CodeOptions options = KernelChoice().code_options(details, 0.0);
        ModelCode model(details, smooth, options, code);
        code.input_count = static_cast<std::uint32_t>(model.at.count);
        const ModelCode::Off off =
            model.residuals(input_state(model.at, details.system.coordinate_count, code));
        for (const auto* values : {&off.value, &off.velocity})
            for (const kernel::Value& value : *values) code.outputs.push_back(value.id_in(code));
        check_step_length(code.order().size());
        return std::make_shared<kernel::Source>(std::move(code), compile);
    });
}

}  // namespace

CompiledResiduals::CompiledResiduals(const DerivedModel& details, const SmoothSystem& smooth,
                                     const kernel::CompileOptions& compile)
    : at_(details, smooth),
      m_(details.system.row_count()),
      in_(KernelChoice().inputs(details, at_)),
      kernel_(residual_source(details, smooth, compile)) {
    out_.resize(kernel_.kernel().out_size());
}

bool CompiledResiduals::run(const State& state, Residuals& out) {
    at_.set_state(state, state.t, in_);
    kernel_.run(in_.data(), out_.data());
    if (!kernel_.kernel().in_range(out_.data(), 0)) return false;
    const auto velocities = out_.begin() + static_cast<std::ptrdiff_t>(m_);
    out.value.assign(out_.begin(), velocities);
    out.velocity.assign(velocities, velocities + static_cast<std::ptrdiff_t>(m_));
    return true;
}

}  // namespace lacon::code
