// Splits the constrained problem where parts of it have nothing to do with each other.
#pragma once

#include <vector>

#include "solve/dense/constrained/constrained_factor.hpp"

namespace lacon::solving::inline dense {

/// Coordinates that neither M nor a row joins are solved apart: bodies that do not touch, as most
/// of a heap that falls. The work is that of the sum of the cubes, not of the cube of the sum.
class Blocks {
public:
    /// Finds them. False where there is only one, or the problem is too small to gain.
    bool split(MatrixView M, MatrixView A);
    bool is_empty() const { return blocks_.empty(); }

    // As those of ConstrainedFactor, by the same matrices as `split`.
    Outcome factor(MatrixView M, MatrixView A, const SolveOptions& options);
    void solve(std::span<const double> f, std::span<const double> r, std::span<double> x,
               std::span<double> lambda) const;
    void push(std::span<const double> lambda, std::span<double> x) const;
    std::size_t rank() const;
    double gap() const;
    double weakest() const;
    ConstrainedFactor::Direction weakest_direction() const;
    /// Each relative to the largest of its block.
    std::vector<double> singular() const;

private:
    struct Block {
        std::vector<std::size_t> coordinates, rows;
        Matrix M, A;
        ConstrainedFactor factor;
        std::vector<double> f, r, x, lambda;
    };
    const Block& weakest_block() const;

    std::size_t n_ = 0, m_ = 0;
    mutable std::vector<Block> blocks_;  // with workspace
};

}  // namespace lacon::solving::dense
