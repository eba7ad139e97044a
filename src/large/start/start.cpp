// How one level is searched with sparse matrices. If rows with `stabilize` prevent a start, it
// tries without them. A failure names the rows that conflict or nearly depend on each other.
#include "large/start/start.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "large/elements/decisions.hpp"
#include "large/start/level_search.hpp"
#include "state/family_names.hpp"

namespace lacon::inline large {

namespace {

/// Of a start that was not found: rows that all but depend on each other, which may be why; empty
/// where there are none.
std::string near_dependence_text(const DerivedModel& details, LevelSearch& best,
                                 const SolveOptions& options) {
    constexpr double near = 1e-4;
    const std::vector<DependentSet> sets = best.nearly_dependent(options, near);
    if (sets.empty()) return {};
    std::vector<std::string> names;
    for (const std::size_t i : sets.front().rows) names.push_back(details.constraint_names[i]);
    return fmt::format(
        "; {}{} differ by less than {} (relative): --rank-tol {} treats such constraints as "
        "dependent",
        ranges_text(names),
        sets.size() > 1 ? fmt::format(", and {} more sets,", sets.size() - 1) : "", near, near);
}

/// Of a search that never came to where all is defined.
Status undefined(const DerivedModel& details, const LevelSearch& best) {
    Status status{Outcome::undefined, {}, {}};
    for (const std::uint32_t row : best.undefined_rows())
        status.names.push_back(details.constraint_names[row]);
    if (!status.names.empty()) {
        status.message = fmt::format(
            "{} {} no finite value, or no finite derivatives, at the initial guess or any {} tried "
            "near it",
            ranges_text(status.names), status.names.size() > 1 ? "have" : "has",
            best.is_velocity() ? "velocities" : "positions");
    } else if (const auto coordinate = best.undefined_mass()) {
        status.names.push_back(details.coordinate_names[*coordinate]);
        status.message = fmt::format(
            "the mass matrix has no finite value at '{}', at the initial guess or any {} tried "
            "near it",
            status.names.back(), best.is_velocity() ? "velocities" : "positions");
    }
    return status;
}

/// The searches with sparse matrices.
class SparseSearches final : public LevelSearches {
public:
    SparseSearches(SparseAssembler& assembler, const SolveOptions& options)
        : assembler_(assembler), details_(assembler.system().details), options_(options) {}

    bool find(bool velocity, StatedStart& now) override {
        const std::vector<bool>& stabilized = details_.system.stabilized;
        const bool any_stabilized =
            std::find(stabilized.begin(), stabilized.end(), true) != stabilized.end();
        last_.emplace(assembler_, velocity, now, true);
        bool met = last_->run(options_);
        std::vector<double> found = last_->found();
        if (!met && any_stabilized) {
            LevelSearch without(assembler_, velocity, now, false);
            met = without.run(options_);
            if (met) found = without.found();
        }
        (velocity ? now.state.v : now.state.q) = std::move(found);
        return met;
    }
    void residuals(const State& state, Residuals& out) override {
        assembler_.residuals(state, out);
    }

    Status hindrance() override {
        if (!last_->is_defined()) return undefined(details_, *last_);
        if (last_->outcome() != Outcome::indefinite) return {};
        const std::string& name = details_.coordinate_names[last_->concerned()];
        return {Outcome::indefinite,
                fmt::format("the mass matrix has a negative direction at '{}'", name),
                {name}};
    }
    std::vector<std::size_t> rows() override {
        return {last_->rows().begin(), last_->rows().end()};
    }
    std::vector<double> residuals_left() override { return last_->residuals(); }
    std::vector<std::vector<std::size_t>> conflicts() override {
        std::vector<std::vector<std::size_t>> sets;
        for (const DependentSet& set : last_->conflicts()) sets.push_back(set.rows);
        return sets;
    }
    bool proves_conflicts() const override { return false; }
    Tried tried() override { return {"", near_dependence_text(details_, *last_, options_)}; }

private:
    SparseAssembler& assembler_;
    const DerivedModel& details_;
    const SolveOptions& options_;
    std::optional<LevelSearch> last_;
};

}  // namespace

Start consistent_start(SparseAssembler& assembler, const std::vector<StartOverride>& overrides,
                       const SolveOptions& options, std::optional<double> begin) {
    const DerivedModel& details = assembler.system().details;
    const StatedStart guessed = stated(details, overrides, begin);
    SparseDecisions(assembler).settle(guessed.state);  // none of them is about constraints
    SparseSearches searches(assembler, options);
    return find_start(details, guessed, searches);
}

}  // namespace lacon::large
