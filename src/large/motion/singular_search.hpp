// The search for singular positions within the steps of a large system (theory 5.3).
#pragma once

#include <optional>

#include "large/motion/field.hpp"
#include "methods/method.hpp"

namespace lacon::inline large {

/// Looks within the steps of a large system for positions at which the rank of the constraints
/// falls. Where a row combination vanishes and comes back turned round, A(t₁) W A(t₀)ᵀ is not
/// positive definite for any t₀ before and t₁ behind, however near they are; elsewhere it is for
/// short pieces of the way (SparseFactor::turned). So a step is gone over in pieces as long as can
/// be, mostly one, and a piece that cannot be made short enough is a singular position. A row that
/// vanishes and comes back as it was is found by its length. Another direction that vanishes twice
/// within a piece is not seen.
class SparseSingularSearch {
public:
    explicit SparseSingularSearch(SparseField& field) : field_(field) {}

    /// How strong the weakest pivot has been at best, for a run that goes on elsewhere.
    double usual() const { return usual_; }
    void recall(double usual) { usual_ = usual; }
    /// Whether the next step begins where the constraints are about as strong as usual. (Pivots are
    /// squares: a reciprocal condition of a third.)
    bool is_strong() const { return begin_.weakest >= 0.1 * usual_; }

    /// A step ends at the state last factored and expanded.
    void land();
    /// The next one begins there.
    void take() { std::swap(begin_, end_); }
    /// Where the step, which ended after h, may pass some; it began where the rank was the same.
    /// Uses the factorization up. `method` has taken it.
    struct Place {
        double tau;
        std::size_t row;  // that shows it
    };
    std::vector<Place> search(const Method& method, const Clock& time, double h);

    /// What is the case there: the rank, and the sets that depend on each other only there; nothing
    /// where the rank is what it was: of rows that depend on each other, others take the place of
    /// those that do now. Rounding keeps a motion some 1e-6 off the singular position itself.
    struct Position {
        double t = 0.0;
        std::size_t rank = 0;
        std::vector<DependentSet> sets;
    };
    std::optional<Position> look(const Clock& time, const Place& place);

private:
    struct Stand {
        std::vector<double> A;
        std::vector<std::uint32_t> dropped;
        std::size_t rank = 0;
        bool careful = false;
        double weakest = 1.0;  // pivot
    };
    static constexpr double shortest = 1e-12;  // piece, of the step
    std::optional<std::size_t> turned(std::span<const double> before,
                                      std::span<const double> behind);
    double leave(const Clock& time, double h, double from);
    void search_vanishing_rows(const Clock& time, double h, std::vector<Place>& found);
    std::optional<double> vanishes(const Clock& time, std::size_t row, double from, double to);
    double length_of(std::span<const double> A, std::size_t row) const;
    void rows_at(const Clock& time, double tau, std::vector<double>& A);
    std::vector<DependentSet> vanished(std::span<const double> A) const;

    SparseField& field_;
    const Method* method_ = nullptr;  // that has taken the step searched last
    Stand begin_, end_;
    double usual_ = 0.0;
    std::vector<double> from_, to_;  // A around a piece
    State state_;
    SparseEquations between_;
};

}  // namespace lacon::large
