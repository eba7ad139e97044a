// One sparse system from assembly to solution, by S = A M⁻¹ Aᵀ or by [M Aᵀ; A 0].
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "lacon/solve.hpp"
#include "solve/sparse/kkt.hpp"
#include "solve/sparse/order.hpp"
#include "solve/sparse/schur.hpp"
#include "solve/sparse/simplicial.hpp"
#include "solve/sparse/supernodal.hpp"

namespace lacon::solving::inline sparse {

/// One road from M and A to a factorization: what is eliminated, in which order, in which form.
/// Vectors are in the scaled unknowns of the road: rows of about unit length, coordinates of about
/// unit mass.
class SparseSystem {
public:
    enum class Road {
        schur,
        kkt,
        squares
    };  // squares: kkt with M + AᵀA, for M that is not definite
    enum class Verdict { definite, not_definite, indefinite, undetermined };

    struct Given {
        std::shared_ptr<const SparsePattern> mass, rows;
    };
    SparseSystem(const Given& given, std::unique_ptr<SchurRoad> schur,
                 const SparseOptions& options);
    SparseSystem(const Given& given, Road road, const SparseOptions& options);

    struct Tolerances {
        double drop_row = 0.0;
        bool careful = false;  // in twice the digits
    };
    Verdict factor(std::span<const double> M, std::span<const double> A,
                   const Tolerances& tolerances);
    Place concerned() const { return concerned_; }
    void set_metric(std::span<const double> M) { schur_->mass().factor(*given_.mass, M); }
    /// As SparseFactor::turned, on the road of schur, in the metric of the mass factored last. Uses
    /// the factorization up.
    std::optional<Place> turned(const RowTurn& turn, const Tolerances& tolerances);
    bool can_be_careful() const;

    /// In the units of the problem; λ of dropped rows is 0 (on the road of squares: of an r that
    /// fits).
    void solve(std::span<const double> f, std::span<const double> r, std::span<double> x,
               std::span<double> lambda, int rounds);
    /// u ← S⁻ u and u ← S u for rows of unit length; on the roads of kkt in the metric of the
    /// diagonal of M, as an estimate.
    void solve_unit_rows(std::span<double> u);
    void multiply_unit_rows(std::span<double> u);

    const SparsePlan& plan() const { return plan_; }
    /// action(row, relative pivot before dropping, is it dropped), in the order of elimination.
    template <class Action>
    void each_row(Action action) const {
        with_form([&](const auto& form) {
            const std::vector<double>& pivots = form.pivots();
            for (std::size_t k = 0; k < pivots.size(); ++k)
                if (elimination_.order[k] >= row_from_)
                    action(static_cast<Place>(elimination_.order[k] - row_from_), pivots[k],
                           form.is_dropped(k));
        });
    }
    bool is_dropped(std::size_t row) const;
    double row_scale(std::size_t row) const;  // 0 for a row of zeros

    /// The factor itself, in the order of elimination.
    Place place_of(std::size_t row) const { return elimination_.place[row_from_ + row]; }
    /// The row eliminated k-th; `nowhere` for a coordinate.
    Place row_at(Place k) const;
    void factor_row(Place k, std::vector<RowEntry>& out) const;
    std::size_t unknowns() const { return elimination_.size(); }

private:
    void choose(const SparsePattern& graph, const SparseOptions& options);
    Assembly& below() { return schur_ ? below_ : kkt_->below(); }
    void eliminate(const PivotRule& rule);
    template <class T>
    void fill(const Assembly& below, std::span<T> values, std::span<T> diagonal) const;
    /// The factorization made last.
    template <class Action>
    decltype(auto) with_form(Action action) const {
        if (careful_) return action(*careful_form_);
        if (const auto* blocks = std::get_if<SupernodalLdlt>(&form_)) return action(*blocks);
        return action(std::get<SimplicialLdlt<double>>(form_));
    }
    void prepare_care();
    Verdict judge_coordinates();
    Verdict judge_diagonal(std::span<const double> M);
    const std::vector<double>& pivots() const;
    void fill_lengths();
    void apply(std::span<double> z);  // z ← K⁻ z, unknowns as given
    void solve_schur(std::span<const double> f, std::span<const double> r, std::span<double> x,
                     std::span<double> lambda, int rounds);
    void solve_kkt(std::span<const double> f, std::span<const double> r, std::span<double> x,
                   std::span<double> lambda, int rounds);
    void kkt_residual(std::span<const double> right, std::span<const double> z,
                      std::span<double> rest) const;

    using Form = std::variant<std::monostate, SimplicialLdlt<double>, SupernodalLdlt>;
    Given given_;
    Road road_;
    std::unique_ptr<SchurRoad> schur_;
    std::unique_ptr<KktRoad> kkt_;
    std::size_t row_from_ = 0;  // unknowns before the first row
    Elimination elimination_;
    bool natural_ = false;      // the order is the one given
    Assembly below_;            // schur
    std::vector<char> is_row_;  // kkt, in the order of elimination
    Form form_;
    std::optional<SimplicialLdlt<Twofold>> careful_form_;
    Assembly careful_below_;  // by rows, where the other is by columns
    bool careful_ = false;
    std::vector<double> values_, diagonal_;
    std::vector<Twofold> long_work_;
    std::vector<double> lengths_,
        weights_;  // kkt: of the scaled rows in the metric of the diagonal, and that metric
    std::vector<double> work_, y_, u_, rest_, right_;
    SparsePlan plan_;
    Place concerned_ = 0;
};

}  // namespace lacon::solving::sparse
