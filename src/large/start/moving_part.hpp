// What a start search of a large system moves at a time.
#pragma once

#include <memory>
#include <optional>

#include "large/elements/assembly.hpp"
#include "large/start/islands.hpp"
#include "solve/sparse/sparse.hpp"

namespace lacon::inline large {

/// The islands that a start search moves at a time, all together: their values and rows, and M and
/// A of these.
class MovingPart {
public:
    /// `rows`: those that take part in the search, of which the islands are; `fixed`: of each
    /// value. All must outlive it.
    MovingPart(const SparseSystem& system, const std::vector<std::uint32_t>& rows,
               const Islands& islands, const std::vector<bool>& fixed)
        : system_(system), all_rows_(rows), islands_(islands), fixed_(fixed) {}

    /// From now on these islands move; behind them, whether the values in none do.
    void take(std::vector<bool> islands);
    bool has(std::size_t island) const { return taken_[island]; }
    const std::vector<std::uint32_t>& values() const { return values_; }
    const std::vector<std::uint32_t>& rows() const { return rows_; }  ///< places in all rows

    /// Factors M and A of these equations. What kept it from that, and the coordinate concerned,
    /// stay known until the next time.
    bool factor(const SparseEquations& at, const SolveOptions& options);
    Outcome outcome() const { return outcome_; }
    void forget_outcome() { outcome_ = Outcome::ok; }
    std::size_t concerned() const { return concerned_; }

    /// Of the M and A factored last, M x = f + Aᵀ λ, A x = r. Returns x.
    std::vector<double> solve(std::span<const double> f, std::span<const double> r);
    /// sum += scale × M x.
    void add_mass_times(double scale, const std::vector<double>& x, std::vector<double>& sum) const;
    /// Rows left out as dependent, and the sets that depend on each other: as SparseFactor, of
    /// rows().
    const std::vector<std::uint32_t>& dropped() const { return factor_->dropped(); }
    std::vector<DependentSet> dependent(const std::vector<double>& b,
                                        double consistency_tol) const {
        return factor_->dependent(b, consistency_tol);
    }

private:
    const SparseSystem& system_;
    const std::vector<std::uint32_t>& all_rows_;
    const Islands& islands_;
    const std::vector<bool>& fixed_;
    std::vector<bool> taken_;
    std::vector<std::uint32_t> values_, rows_;
    std::vector<std::size_t> mass_entries_, row_entries_;  // in M and A of the system
    std::shared_ptr<const SparsePattern> mass_;
    std::optional<SparseFactor> factor_;
    std::vector<double> M_, A_;
    Outcome outcome_ = Outcome::ok;
    std::size_t concerned_ = 0;
};

}  // namespace lacon::large
