// Square root of a mass matrix that consists of small blocks (theory 2.7).
#pragma once

#include <span>
#include <vector>

#include "solve/sparse/pattern.hpp"

namespace lacon::solving::inline sparse {

/// A mass matrix of small blocks, M = L Lᵀ block by block. Coordinates are lined up block by block:
/// position p holds coordinate coordinate[p]. Factored again only where its values change.
class BlockMass {
public:
    static constexpr std::size_t largest_block = 16;
    enum class Kind { definite, semidefinite, indefinite };

    explicit BlockMass(const SparsePattern& mass);

    bool is_small() const {
        return small_;
    }  // whether no block exceeds largest_block: else nothing below may be called
    bool is_diagonal() const {
        return diagonal_;
    }  // every block is one coordinate: positions are coordinates
    std::size_t blocks() const { return begin_.size() - 1; }
    std::size_t size(std::size_t block) const { return begin_[block + 1] - begin_[block]; }
    Place block_of(Place coordinate) const { return block_[coordinate]; }
    Place position_of(Place coordinate) const { return position_[coordinate]; }
    std::size_t first_of(std::size_t block) const { return begin_[block]; }

    Kind factor(const SparsePattern& mass, std::span<const double> values);
    Place concerned() const { return concerned_; }  // not definite: a coordinate that shows it
    double least_pivot() const {
        return least_;
    }  // relative to the diagonal: 1/√ of it estimates the condition of L

    void into_block(std::size_t block, double* x) const;  ///< x ← L⁻¹ x for one block
    void scaled(std::span<const double> f,
                std::span<double> y) const;  ///< y = L⁻¹ f, y by positions
    void acceleration(std::span<const double> y, std::span<double> x) const;  ///< x = L⁻ᵀ y
    double inverse_root(std::size_t coordinate) const {
        return inverse_[coordinate];
    }  // is_diagonal: 1/√M_jj

private:
    Kind factor_block(std::size_t block);
    bool small_ = false, diagonal_ = false;
    std::vector<std::size_t> begin_;  // of the blocks, in positions
    std::vector<Place> coordinate_, position_, block_;
    std::vector<std::size_t> factor_at_;  // of each block: its L, full square by rows
    std::vector<double> L_;
    std::vector<double> inverse_;  // 1 / L_pp (n)
    std::vector<double> last_;     // the values that L belongs to
    Kind kind_ = Kind::definite;
    Place concerned_ = 0;
    double least_ = 1.0;
};

}  // namespace lacon::solving::sparse
