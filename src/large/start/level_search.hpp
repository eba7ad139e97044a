// The start search of a large system on positions or on velocities.
#pragma once

#include <optional>

#include "large/start/moving_part.hpp"
#include "state/residual_size.hpp"
#include "state/start_search.hpp"

namespace lacon::inline large {

/// The search for a start at one level: the values on the rows φ(x) = 0 that take part, nearest to
/// the guesses in the metric of M. Only M, A and φ need to be finite, and that only where it goes:
/// no force is asked for.
class LevelSearch {
public:
    LevelSearch(SparseAssembler& assembler, bool velocity, const StatedStart& start,
                bool with_stabilized);
    LevelSearch(const LevelSearch&) = delete;
    LevelSearch& operator=(const LevelSearch&) = delete;

    bool run(const SolveOptions& options);

    /// What kept the search from going on, and the coordinate concerned: indefinite, or ok.
    Outcome outcome() const { return moving_.outcome(); }
    std::size_t concerned() const { return moving_.concerned(); }

    bool is_velocity() const { return velocity_; }
    bool is_defined() const;
    /// Where it is not: the rows that are not finite, or whose derivatives are not, and the first
    /// coordinate in rows whose mass is not.
    std::vector<std::uint32_t> undefined_rows() const;
    std::optional<std::size_t> undefined_mass() const;
    const std::vector<double>& found() const { return velocity_ ? state_.v : state_.q; }
    const std::vector<std::uint32_t>& rows() const { return rows_; }
    const std::vector<double>& residuals() const { return r_; }

    /// At the best point, the sets of rows (of the system) that contradict each other: among those
    /// left unmet.
    std::vector<DependentSet> conflicts();
    /// At the best point, the sets of rows that the rank tolerance keeps apart, though they differ
    /// by less than `near` of their length: what little they differ in asks for steps much longer
    /// than the rest.
    std::vector<DependentSet> nearly_dependent(const SolveOptions& options, double near);

private:
    static constexpr double met_tol = ResidualSize::met_tol;

    std::vector<double>& x() { return velocity_ ? state_.v : state_.q; }
    void evaluate();
    void note_undefined();
    void note_sizes();
    void compare_with_terms(const std::vector<double>& sums, const std::vector<double>& extents);
    bool row_is_finite(std::size_t i) const;
    bool is_met(std::size_t island) const;
    bool is_met() const;
    void take_all();
    void take_unmet();
    bool factor(const SolveOptions& options) { return moving_.factor(equations_, options); }
    void to_system(std::vector<DependentSet>& sets) const;

    void go(const std::vector<double>& from, const std::vector<double>& step,
            const std::vector<double>& parts);
    std::vector<double> row_lengths() const;
    std::vector<double> measures(const std::vector<double>& lengths) const;
    std::vector<double> residuals_to_remove() const;
    void meet(const SolveOptions& options);
    std::vector<bool> helps_a_row(const std::vector<double>& before) const;
    bool line_search(const std::vector<double>& step, std::vector<bool>& ended);

    struct Best;
    void restart(const SolveOptions& options);
    void keep_better(Best& best);
    std::vector<double> extents(const std::vector<double>& values, double least) const;
    std::vector<double> island_distances() const;

    Islands groups() const;
    std::vector<double> inners(const Islands& groups, const std::vector<double>& a,
                               const std::vector<double>& b) const;
    std::vector<double> lengths(const Islands& groups, const std::vector<double>& d) const;
    std::vector<double> displacement() const;
    std::vector<double> way_back(const SolveOptions& options);
    void walk_on(const Islands& groups, std::vector<Walk>& walks, const std::vector<double>& back,
                 const SolveOptions& options);
    void approach(const SolveOptions& options);

    SparseAssembler& assembler_;
    const SparseSystem& system_;
    bool velocity_;
    const std::vector<bool>& fixed_;
    const std::vector<double> wanted_;
    State state_;
    SparseEquations equations_;
    Residuals residuals_, rounding_;
    std::vector<std::uint32_t> rows_;  // that take part
    Islands islands_;
    std::vector<double> r_;          // of rows_
    std::vector<double> sizes_;      // of each island, and last of the values in none: the largest
                                     // scaled residual; ∞: not defined
    std::vector<double> own_sizes_;  // the same, scaled by the island's own values instead of all
    MovingPart moving_;
};

}  // namespace lacon::large
