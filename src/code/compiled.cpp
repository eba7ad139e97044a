// Small models get straight-line code, larger ones loops. Dependent rows, refinement and row floors
// are chosen from the solve at the start state. A model whose masses differ too much within a row
// is not compiled, because the code forms M⁻¹ Q.
#include "code/compiled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "code/singular_mass.hpp"
#include "code/tree_code.hpp"

namespace lacon::inline code {

namespace {

/// Nothing for models that are too large: the code would take too long to make, and run slower than
/// loops.
std::optional<kernel::Code> straight_code(const DerivedModel& details, const SmoothSystem& smooth,
                                          const CodeOptions& options) {
    // Body by body the code grows with the number of bodies, and loops with its cube.
    const std::vector<bool> trees = articulated_elements(details.system, smooth);
    const bool grows_slowly = std::find(trees.begin(), trees.end(), true) != trees.end();
    const std::size_t most_unknowns = grows_slowly ? 400 : 200;           // n + m
    const std::size_t most_operations = grows_slowly ? 100'000 : 25'000;  // of the code …
    constexpr std::size_t most_nodes = 400'000;  // … and of what is written to find them
    if (details.system.coordinate_count + details.system.row_count() > most_unknowns)
        return std::nullopt;
    try {
        kernel::Code code = acceleration_code(details, smooth, options, most_nodes);
        if (code.order().size() <= most_operations) return code;
    } catch (const kernel::CodeFull&) {
        return std::nullopt;
    }
    return std::nullopt;
}

/// The smallest ratio of two masses that a row joins, of those that differ in M⁻¹ as the row sees
/// it (A_ij / √M_jj) too.
double lightest(const Matrix& M, const Matrix& A) {
    constexpr double unequal = 100.0, rounding = 1e-14;
    double smallest = 1.0;
    for (std::size_t i = 0; i < A.rows(); ++i) {
        const auto strength = [&](std::size_t j) {
            return M(j, j) > 0.0 ? std::abs(A(i, j)) / std::sqrt(M(j, j)) : 0.0;
        };
        std::size_t j = 0;
        for (std::size_t k = 1; k < A.cols(); ++k)
            if (strength(k) > strength(j)) j = k;
        for (std::size_t k = 0; k < A.cols(); ++k) {
            const double other = strength(k);
            if (other * unequal < strength(j) && std::abs(A(i, k)) > rounding * std::abs(A(i, j)) &&
                other > 0.0)
                smallest = std::min(smallest, M(j, j) / M(k, k));
        }
    }
    return smallest;
}

}  // namespace

CodeOptions KernelChoice::code_options(const DerivedModel& details, double rank_tol) const {
    CodeOptions options;
    options.rank_tol = rank_tol;
    options.refined = refined;
    options.weight = weight;
    options.clear_of_steps = clear;
    options.lasting = lasting;
    options.dependent.assign(details.system.row_count(), false);
    for (const std::size_t row : dependent) options.dependent[row] = true;
    return options;
}

namespace {

/// A linkage may have small pivots wherever it is. Where its weakest direction is half as strong as
/// at the start a singular position may be near; below 1/30 it may be near at any strength, as the
/// careful path measures strength by what is usual (CrossingGuard::is_weak) along the way.
double clear_of(const ConstrainedSolution& start) {
    constexpr double part = 0.5, least = 1.0 / 30.0;
    if (start.rank == 0 || start.singular.size() < start.rank) return clear_of_singular;
    const double weakest = std::max(part * start.singular[start.rank - 1], least);
    return std::min(clear_of_singular, weakest * weakest);
}

}  // namespace

KernelChoice choose_kernel(const Evaluation& at) {
    KernelChoice choice;
    choice.definite = at.solution.outcome == Outcome::ok;
    Matrix M = at.M;
    if (choice.definite && at.solution.a.empty()) {
        choice.weight = weights_of_rows(at);
        choice.definite = !choice.weight.empty();
        add_rows(at.A, choice.weight, M);
    }
    // A mass far below one that a row joins it with: no digits may go into M⁻¹ Q, which the code
    // forms. Above that a refinement gives the light coordinate back what it loses there.
    constexpr double too_light = 1e-6, light = 1e-2;
    const double ratio = choice.definite ? lightest(M, at.A) : 1.0;
    if (ratio < too_light) choice.definite = false;
    if (!choice.definite) return choice;
    choice.dependent = at.solution.unneeded;
    // With all directions of B within a factor of 30 of each other, S squares that and leaves 13
    // digits without a refinement.
    const std::vector<double>& strengths = at.solution.singular;
    choice.refined = at.solution.rank > 0 && (strengths.size() < at.solution.rank ||
                                              strengths[at.solution.rank - 1] < 0.03);
    choice.clear = clear_of(at.solution);
    choice.refined = choice.refined || ratio < light || !choice.weight.empty();
    // A row 1e8 times smaller than at the start may be all rounding.
    constexpr double shrunk = 1e-16;
    for (std::size_t i = 0; i < at.A.rows(); ++i) {
        double size = 0.0;
        for (std::size_t j = 0; j < at.A.cols(); ++j)
            if (M(j, j) > 0.0) size += at.A(i, j) * at.A(i, j) / M(j, j);
        choice.floors.push_back(shrunk * size);
    }
    for (double& floor : choice.floors)
        if (floor == 0.0) floor = *std::max_element(choice.floors.begin(), choice.floors.end());
    return choice;
}

std::vector<double> KernelChoice::inputs(const DerivedModel& details,
                                         const KernelInputs& at) const {
    std::vector<double> in(at.count, 0.0);
    std::copy(details.parameters.begin(), details.parameters.end(),
              in.begin() + static_cast<std::ptrdiff_t>(at.parameters));
    std::copy(floors.begin(), floors.end(), in.begin() + static_cast<std::ptrdiff_t>(at.floors));
    return in;
}

std::string KernelChoice::key(double rank_tol, const kernel::CompileOptions& compile) const {
    return fmt::format("{} {} {} {:a} {:a} {:a} {} {} {} {}", fmt::join(dependent, ","), lasting,
                       refined, fmt::join(weight, ","), clear, rank_tol, name_of(compile.isa),
                       compile.lanes, static_cast<int>(compile.effort), compile.cache);
}

/// One of the two.
struct CompiledAcceleration::Source {
    std::shared_ptr<kernel::Source> straight;
    std::shared_ptr<const LoopedSource> loops;
};

CompiledAcceleration::CompiledAcceleration(const DerivedModel& details, const SmoothSystem& smooth,
                                           const KernelChoice& choice, const Options& options)
    : at_(details, smooth),
      n_(details.system.coordinate_count),
      m_(details.system.row_count()),
      in_(choice.inputs(details, at_)),
      compile_(options.compile) {
    const CodeOptions code_options = choice.code_options(details, options.rank_tol);
    const std::string key = fmt::format("acceleration {} {:a} {}", options.always_loops,
                                        options.baumgarte, choice.key(options.rank_tol, compile_));
    bool is_first = false;
    const auto source = details.memo.get<Source>(key, [&] {
        is_first = true;
        auto made = std::make_shared<Source>();
        if (!options.always_loops)
            if (auto code = straight_code(details, smooth, code_options))
                made->straight = std::make_shared<kernel::Source>(std::move(*code), compile_);
        if (!made->straight && !choice.weight.empty())
            throw std::runtime_error("a large mass matrix is singular");
        if (!made->straight)
            made->loops = std::make_shared<const LoopedSource>(details, smooth, compile_);
        return made;
    });
    if (source->straight) {
        straight_.emplace(source->straight);
        out_.resize(straight_->kernel().out_size());
    } else {
        loops_.emplace(details, source->loops,
                       LoopedAcceleration::Options{code_options, choice.floors, is_first});
    }
}

CodeSummary CompiledAcceleration::summary() const {
    if (straight_) return summary_of(*straight_);
    CodeSummary summary;
    summary.form = "loops";
    summary.target = name_of(compile_.isa);
    summary.lanes = 1;
    summary.tier = loops_->is_full() ? "full" : "quick";
    summary.operations = loops_->operations();
    summary.compile_seconds = loops_->seconds();
    summary.from_cache = loops_->from_cache();
    return summary;
}

CodeSummary summary_of(const kernel::Tiered& tiered) {
    const kernel::Kernel& kernel = tiered.kernel();
    CodeSummary summary;
    summary.form = "straight";
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

bool CompiledAcceleration::run(const State& state, std::span<const double> branches,
                               std::span<double> a) {
    at_.set_state(state, state.t, in_);
    at_.set_branches(branches, in_);
    if (loops_) return loops_->run(in_.data(), a);
    straight_->run(in_.data(), out_.data());
    if (out_[n_ + m_] != 1.0 || !straight_->kernel().in_range(out_.data(), 0)) return false;
    std::copy_n(out_.begin(), n_, a.begin());
    return true;
}

}  // namespace lacon::code
