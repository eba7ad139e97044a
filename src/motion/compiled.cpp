#include "motion/compiled.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lacon {

namespace {

constexpr std::size_t most_unknowns = 200;       // n + m of straight-line code; beyond, its making takes too long
constexpr std::size_t most_operations = 25'000;  // and its running is slower than loops

kernel::Code code_of(const SystemDetails& details, const SmoothSystem& smooth, const CodeOptions& options) {
    const std::size_t size = details.system.coordinate_count + details.system.row_count();
    if (size > most_unknowns)
        throw std::runtime_error(
            fmt::format("{} coordinates and constraints: straight-line code is for {} at most", size, most_unknowns));
    kernel::Code code = acceleration_code(details, smooth, options);
    const std::size_t operations = code.order().size();
    if (operations > most_operations)
        throw std::runtime_error(fmt::format("{} operations: straight-line code is for {} at most", operations, most_operations));
    return code;
}

std::shared_ptr<kernel::Source> source_of(const SystemDetails& details, const SmoothSystem& smooth, const KernelChoice& choice,
                                          const FieldOptions& field, const kernel::CompileOptions& options) {
    const std::string key = fmt::format("acceleration {:a} {}", field.baumgarte, choice.key(field.solve.rank_tol, options));
    return details.memo.get<kernel::Source>(key, [&] {
        return std::make_shared<kernel::Source>(code_of(details, smooth, choice.code_options(details, field.solve.rank_tol)),
                                                options);
    });
}

}  // namespace

CodeOptions KernelChoice::code_options(const SystemDetails& details, double rank_tol) const {
    CodeOptions options;
    options.rank_tol = rank_tol;
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

std::vector<double> KernelChoice::inputs(const SystemDetails& details, const KernelInputs& at) const {
    std::vector<double> in(at.count, 0.0);
    std::copy(details.parameters.begin(), details.parameters.end(), in.begin() + static_cast<std::ptrdiff_t>(at.parameters));
    std::copy(floors.begin(), floors.end(), in.begin() + static_cast<std::ptrdiff_t>(at.floors));
    return in;
}

std::string KernelChoice::key(double rank_tol, const kernel::CompileOptions& compile) const {
    return fmt::format("{} {} {:a} {} {} {} {}", fmt::join(dependent, ","), refined, rank_tol, name_of(compile.isa),
                       compile.lanes, static_cast<int>(compile.effort), compile.cache);
}

CompiledAcceleration::CompiledAcceleration(const SystemDetails& details, const SmoothSystem& smooth, const KernelChoice& choice,
                                           const FieldOptions& field, const kernel::CompileOptions& options)
    : at_(details, smooth),
      n_(details.system.coordinate_count),
      m_(details.system.row_count()),
      in_(choice.inputs(details, at_)),
      kernel_(source_of(details, smooth, choice, field, options)) {
    out_.resize(kernel_.kernel().out_size());
}

CodeSummary summary_of(const kernel::Tiered& tiered) {
    const kernel::Kernel& kernel = tiered.kernel();
    CodeSummary summary;
    summary.tier = kernel.options().effort == kernel::Effort::quick ? "quick" : "full";
    summary.target = name_of(kernel.options().isa);
    summary.lanes = kernel.lanes();
    summary.operations = kernel.report().operations;
    summary.compile_seconds = tiered.seconds();
    summary.from_cache = !tiered.was_compiled();
    return summary;
}

void add(const CodeSummary& part, CodeSummary& all) {
    if (part.tier == "quick") all.tier = part.tier;
    all.operations += part.operations;
    all.compile_seconds += part.compile_seconds;
    all.from_cache = all.from_cache && part.from_cache;
}

bool CompiledAcceleration::run(const State& state, std::span<const double> modes, std::span<double> a) {
    at_.set_state(state, state.t, in_);
    at_.set_modes(modes, in_);
    kernel_.run(in_.data(), out_.data());
    if (out_[n_ + m_] != 1.0 || !kernel_.kernel().in_range(out_.data(), 0)) return false;
    std::copy_n(out_.begin(), n_, a.begin());
    return true;
}

}  // namespace lacon
