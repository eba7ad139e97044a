#include "motion/compiled.hpp"

#include <algorithm>

namespace lacon {

namespace {

/// Nothing for models that are too large: the code would take too long to make, and run slower than loops.
std::optional<kernel::Code> straight_code(const SystemDetails& details, const SmoothSystem& smooth, const CodeOptions& options) {
    constexpr std::size_t most_unknowns = 200;       // n + m
    constexpr std::size_t most_operations = 25'000;  // of the code …
    constexpr std::size_t most_nodes = 400'000;      // … and of what is written to find them
    if (details.system.coordinate_count + details.system.row_count() > most_unknowns) return std::nullopt;
    try {
        kernel::Code code = acceleration_code(details, smooth, options, most_nodes);
        if (code.order().size() <= most_operations) return code;
    } catch (const kernel::CodeFull&) {
        return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

CodeOptions KernelChoice::code_options(const SystemDetails& details) const {
    CodeOptions options;
    options.refined = refined;
    options.dependent.assign(details.system.row_count(), false);
    for (const std::size_t row : dependent) options.dependent[row] = true;
    return options;
}

KernelChoice choose_kernel(const Evaluation& at) {
    KernelChoice choice;
    choice.definite = at.solution.outcome == Outcome::ok && !at.solution.a.empty();
    if (!choice.definite) return choice;
    for (const DependentSet& set : at.solution.dependent) choice.dependent.push_back(set.rows.back());
    std::sort(choice.dependent.begin(), choice.dependent.end());
    // With all directions of B within a factor of 30 of each other, S squares that and leaves 13 digits without a refinement.
    const std::vector<double>& strengths = at.solution.singular;
    choice.refined = at.solution.rank > 0 && (strengths.size() < at.solution.rank || strengths[at.solution.rank - 1] < 0.03);
    constexpr double shrunk = 1e-16;  // a row 1e8 times smaller than at the start may be all rounding
    for (std::size_t i = 0; i < at.A.rows(); ++i) {
        double size = 0.0;
        for (std::size_t j = 0; j < at.A.cols(); ++j)
            if (at.M(j, j) > 0.0) size += at.A(i, j) * at.A(i, j) / at.M(j, j);
        choice.floors.push_back(shrunk * size);
    }
    return choice;
}

CompiledAcceleration::CompiledAcceleration(const SystemDetails& details, const SmoothSystem& smooth, const KernelChoice& choice,
                                           const Options& options)
    : at_(details, smooth),
      n_(details.system.coordinate_count),
      m_(details.system.row_count()),
      in_(at_.count, 0.0),
      compile_(options.compile) {
    CodeOptions code_options = choice.code_options(details);
    code_options.rank_tol = options.rank_tol;
    std::optional<kernel::Code> code;
    if (!options.always_loops) code = straight_code(details, smooth, code_options);
    if (code) {
        straight_.emplace(std::move(*code), compile_);
        out_.resize(straight_->kernel().out_size());
    } else {
        loops_.emplace(details, smooth, LoopedAcceleration::Options{code_options, choice.floors, compile_});
    }
    std::copy(details.parameters.begin(), details.parameters.end(), in_.begin() + static_cast<std::ptrdiff_t>(at_.parameters));
    std::copy(choice.floors.begin(), choice.floors.end(), in_.begin() + static_cast<std::ptrdiff_t>(at_.floors));
}

CodeSummary CompiledAcceleration::summary() const {
    CodeSummary summary;
    summary.target = name_of(compile_.isa);
    summary.lanes = 1;
    if (loops_) {
        summary.form = "loops";
        summary.tier = loops_->is_full() ? "full" : "quick";
        summary.operations = loops_->operations();
        summary.compile_seconds = loops_->seconds();
        summary.from_cache = loops_->from_cache();
        return summary;
    }
    const kernel::Kernel& kernel = straight_->kernel();
    summary.form = "straight";
    summary.tier = kernel.options().effort == kernel::Effort::quick ? "quick" : "full";
    summary.operations = kernel.report().operations;
    summary.compile_seconds = straight_->seconds();
    summary.from_cache = kernel.report().from_cache;
    return summary;
}

bool CompiledAcceleration::run(const State& state, std::span<const double> modes, std::span<double> a) {
    std::copy(state.q.begin(), state.q.end(), in_.begin() + static_cast<std::ptrdiff_t>(at_.q));
    std::copy(state.v.begin(), state.v.end(), in_.begin() + static_cast<std::ptrdiff_t>(at_.v));
    in_[at_.t] = state.t;
    std::copy(modes.begin(), modes.end(), in_.begin() + static_cast<std::ptrdiff_t>(at_.modes));
    if (loops_) return loops_->run(in_.data(), a);
    straight_->run(in_.data(), out_.data());
    if (out_[n_ + m_] != 1.0 || !straight_->kernel().in_range(out_.data(), 0)) return false;
    std::copy_n(out_.begin(), n_, a.begin());
    return true;
}

}  // namespace lacon
