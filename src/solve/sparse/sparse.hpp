// Interface of the sparse solver: patterns, options, the plan, and the factorization itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lacon/solve.hpp"

namespace lacon::solving::inline sparse {

/// Where a sparse matrix may have entries, by rows: those of row i are numbered begin[i] … begin[i
/// + 1] − 1, in columns that increase. Values are kept apart, in the order of the entries.
struct SparsePattern {
    std::size_t rows = 0, cols = 0;
    std::vector<std::size_t> begin{0};  // (rows + 1)
    std::vector<std::uint32_t> column;  // of each entry

    std::size_t entries() const { return column.size(); }
};

/// y += k X x (rows), y += k Xᵀ x (cols).
void add_product(const SparsePattern& X, std::span<const double> values, double k,
                 std::span<const double> x, std::span<double> y);
void add_transposed(const SparsePattern& X, std::span<const double> values, double k,
                    std::span<const double> x, std::span<double> y);
/// y += k M x for a symmetric M given by its lower triangle.
void add_symmetric(const SparsePattern& M, std::span<const double> values, double k,
                   std::span<const double> x, std::span<double> y);

/// What is decided from the patterns; `automatic` chooses by what is estimated to cost least.
struct SparseOptions {
    enum class Road {
        automatic,
        schur,
        kkt
    };  // S = A M⁻¹ Aᵀ, M of small blocks; [M Aᵀ; A 0], any M
    enum class Form {
        automatic,
        simplicial,
        supernodal
    };  // columns one by one; dense blocks of columns
    enum class Order { automatic, natural, degree, dissection };
    Road road = Road::automatic;
    Form form = Form::automatic;
    Order order = Order::automatic;
    std::size_t threads = 0;  // 0: as many as the machine has
};

/// How a system is solved, for people who want to know.
struct SparsePlan {
    std::string road, form,
        order;  // "schur", "kkt"; "simplicial", "supernodal"; "natural", "degree", "dissection"
    std::size_t unknowns = 0;  // rows of what is factored
    std::size_t islands = 0,
                largest = 0;  // parts that do not touch each other, and the unknowns of the largest
    std::size_t entries = 0;  // of the factor L
    double operations = 0.0;  // multiplications and additions of one factorization
    std::size_t threads = 1;
    std::string why;  // a sentence: the figures that decided
};

/// Rows on their way from one place to another.
struct RowTurn {
    std::span<const double> before, behind;  // the entries of A at both
    std::span<const std::uint32_t> without;  // rows that are left out, increasing
    bool careful = false;                    // decided in twice the digits, as the rank was
};

/// M and A of fixed patterns, factored again and again at other values: ConstrainedFactor for large
/// systems.
///     M x = f + Aᵀ λ,   A x = r
/// Rows that follow from others are found by pivots that vanish, and dropped; x does not depend on
/// which. Not for several threads at once: also what is const works in memory of its own.
class SparseFactor {
public:
    /// The symbolic part. `mass`: the lower triangle of M (n × n) with its whole diagonal; `rows`:
    /// A (m × n). Both are shared.
    SparseFactor(std::shared_ptr<const SparsePattern> mass,
                 std::shared_ptr<const SparsePattern> rows, const SparseOptions& options = {});
    ~SparseFactor();
    SparseFactor(SparseFactor&&) noexcept;
    SparseFactor& operator=(SparseFactor&&) noexcept;

    const SparsePlan& plan() const;

    /// ok; undefined; indefinite or undetermined: concerned() is a coordinate. Conflicts depend on
    /// r and are not seen here.
    Outcome factor(std::span<const double> M, std::span<const double> A,
                   const SolveOptions& options = {});
    std::size_t concerned() const;

    /// As ConstrainedFactor::solve. λ of dropped rows is 0.
    void solve(std::span<const double> f, std::span<const double> r, std::span<double> x,
               std::span<double> lambda) const;
    /// The same for values that differ a little from those factored, by `corrections` rounds of
    /// refinement. Returns the largest |r − A x|_i relative to |r_i| + Σ_j |A_ij x_j|.
    struct Nearby {
        std::span<const double> M, A;
        int corrections = 1;
        double enough = 0.0;  // residual at which there are no more of them
    };
    double solve(const Nearby& exact, std::span<const double> f, std::span<const double> r,
                 std::span<double> x, std::span<double> lambda) const;

    std::size_t rank() const;
    const std::vector<std::uint32_t>& dropped() const;  // rows, increasing
    /// Pivots are squared lengths that rows of unit length (of B = A L⁻ᵀ) keep off the span of
    /// those eliminated before them.
    double smallest_kept() const;    // 1 where there is none
    double largest_dropped() const;  // 0 where there is none
    /// Whether no pivot lies so near the tolerance that rounding could have decided.
    bool is_decided() const;
    /// Whether the last factorization had pivots in doubt and was made again in twice the digits,
    /// against rank_tol itself (up to 2e9 operations: beyond, doubt stays).
    bool was_careful() const;
    /// Smallest singular value of the row-scaled B that was kept, relative to the largest:
    /// estimated by a few steps of inverse iteration. The weakest direction itself in `u`, for rows
    /// of unit length (m), a unit vector.
    double weakest(std::vector<double>* u = nullptr) const;

    /// Whether rows (the kept ones, where others are left out) stay independent all along the
    /// straight way from A₀ to A₁: they do where the symmetric part of A₁ W A₀ᵀ is positive
    /// definite, whatever definite W is; here that of the M factored last, or of its diagonal.
    /// Nothing where it is; else a row that shows that it is not: there is a singular position on
    /// the way, or the way is too long to say. Uses the factorization up: after it, `factor` comes
    /// first.
    std::optional<std::size_t> turned(const RowTurn& turn);
    /// Pivot, where it is not careful: rounding leaves some 1e-15 of none.
    static constexpr double least_turned = 1e-12;
    /// Whether that can be told at all: not where A Aᵀ is much fuller than A.
    bool tells_turns();

    /// The dependency of each dropped row, minimal, with what b makes of it: as
    /// ConstrainedSolution::dependent.
    std::vector<DependentSet> dependent(std::span<const double> b, double consistency_tol) const;
    /// Multipliers of the same force with least Σ weight_i λ_i² (all 1 where empty), as `solve` for
    /// small systems gives them.
    void share(std::span<const DependentSet> sets, std::span<const double> weight,
               std::span<double> lambda) const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace lacon::solving::sparse

namespace lacon {
using solving::add_product;
using solving::add_symmetric;
using solving::add_transposed;
using solving::RowTurn;
using solving::SparseFactor;
using solving::SparseOptions;
using solving::SparsePattern;
using solving::SparsePlan;
}  // namespace lacon
