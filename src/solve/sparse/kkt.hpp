// Assembles the whole system [M Aᵀ; A 0], for any M; with M + AᵀA where M is singular (theory 7).
#pragma once

#include <memory>

#include "solve/sparse/assembly.hpp"

namespace lacon::solving::inline sparse {

/// K = [M + γ Aᵀ A, Aᵀ; A, 0], unknowns: n coordinates, then m rows. γ is 0, or 1 where M alone is
/// not definite. All of it is scaled by powers of two (coordinates to diagonals of 1 … 4, rows to
/// lengths near 1), which rounds nothing.
class KktRoad {
public:
    KktRoad(std::shared_ptr<const SparsePattern> mass, std::shared_ptr<const SparsePattern> rows,
            bool with_squares);

    std::size_t coordinates() const { return mass_->rows; }
    std::size_t unknowns() const { return mass_->rows + rows_->rows; }
    double products() const;  ///< of Aᵀ A
    SparsePattern graph() const;
    void assemble(const Elimination&
                      elimination);  ///< the lists for this order, entries as elimination.lower

    Assembly& below() { return below_; }
    const Assembly& below() const { return below_; }
    const Assembly& diagonal() const { return diagonal_; }
    std::span<const double> base() const { return base_; }  // scaled M, then A
    std::span<const double> factor() const {
        return std::span(base_).subspan(mass_->entries());
    }  // scaled A

    void scale(std::span<const double> M, std::span<const double> A);
    double scale(std::size_t unknown) const { return scale_[unknown]; }
    bool with_squares() const { return with_squares_; }

private:
    std::shared_ptr<const SparsePattern> mass_, rows_;
    bool with_squares_;
    Transposed columns_;  // of A
    Assembly below_, diagonal_;
    std::vector<double> base_, scale_;
};

}  // namespace lacon::solving::sparse
