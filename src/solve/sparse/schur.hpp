// Assembles S = A M⁻¹ Aᵀ for M of small blocks; its g-inverse gives the multipliers (P1 5a).
#pragma once

#include <memory>
#include <optional>

#include "solve/dense/matrix/twofold.hpp"
#include "solve/sparse/assembly.hpp"
#include "solve/sparse/mass.hpp"
#include "solve/sparse/sparse.hpp"

namespace lacon::solving::inline sparse {

/// S = B Bᵀ of the rows of B = A L⁻ᵀ, M = L Lᵀ of small blocks, each row scaled to unit length: S
/// has ones on its diagonal, and an entry where two rows share a block.
class SchurRoad {
public:
    SchurRoad(std::shared_ptr<const SparsePattern> mass, std::shared_ptr<const SparsePattern> rows);

    /// Whether blocks are small and S costs no more than a few times the entries of A.
    bool is_fit() const {
        return mass_.is_small() &&
               products_ <= 64.0 * (1.0 + static_cast<double>(rows_->entries()));
    }
    // 2e9: places are counted in 32 bits.
    bool is_possible() const { return mass_.is_small() && products_ < 2e9; }
    double products() const { return products_; }

    SparsePattern graph() const;  ///< of S: both triangles, no diagonal
    Assembly assembly(
        const Elimination& elimination) const;  ///< entries of S in the order of elimination.lower

    BlockMass& mass() { return mass_; }
    const BlockMass& mass() const { return mass_; }
    /// B and its scale at new values; the mass has been factored.
    void scale_rows(std::span<const double> A);
    std::span<const double> B() const { return B_; }
    /// B at two values of A, each row scaled so that its two have the product 1: then behind() is
    /// the second. `without`: rows that are left out, as zeros. A row that has turned too far for
    /// that; then the rest is not made.
    std::optional<Place> pair_rows(const RowTurn& turn);
    std::span<const double> behind() const { return behind_; }
    /// That product, as the rounded entries make it; 1 for a row that is left out.
    Twofold paired(std::size_t row) const;
    double scale(std::size_t row) const {
        return scale_[row];
    }  // 1 / its length in B; 0 for a row of zeros

    /// The square of its length in B once scaled: 1, 0 for a row of zeros; Twofold: as its rounded
    /// entries make it.
    template <class T>
    T square(std::size_t row) const;

    /// y += Bᵀ u and u −= B y, rows of unit length; y by positions of the mass.
    void push(std::span<const double> u, std::span<double> y) const;
    void take(std::span<const double> y, std::span<double> u) const;

private:
    std::size_t segments() const { return touched_.entries(); }
    const SparsePattern& layout() const { return mass_.is_diagonal() ? *rows_ : expanded_; }

    std::shared_ptr<const SparsePattern> rows_;
    BlockMass mass_;
    SparsePattern touched_;      // rows × blocks: the blocks that each row touches
    SparsePattern touching_;     // blocks × rows
    std::vector<Place> offset_;  // of each entry of touched_: where its part of the row starts in B
    std::vector<Place> touching_offset_;  // of each entry of touching_
    /// A block with the same rows as the one before it: their parts lie side by side.
    std::vector<char> joins_;
    /// Of B, columns are positions of the mass; empty where it is that of A.
    SparsePattern expanded_;
    std::vector<Place> slot_;  // of each entry of A in B; empty where it is the same
    void make_rows(std::span<const double> A, std::span<double> B) const;

    std::vector<double> B_, scale_;
    std::vector<double> behind_;
    double products_ = 0.0;
};

template <>
double SchurRoad::square(std::size_t row) const;
template <>
Twofold SchurRoad::square(std::size_t row) const;

}  // namespace lacon::solving::sparse
