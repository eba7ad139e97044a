// Dense inner loops of the sparse factorization, chosen for the processor at run time.
#pragma once

#include <cstddef>
#include <vector>

namespace lacon::solving::inline sparse {

/// Columns of a dense front, column-major, that are eliminated; what is known of each is in arrays
/// that run along them.
struct FrontColumns {
    double* front;        // at the diagonal of the first column
    std::size_t ld;       // distance of columns
    std::size_t rows;     // from the first column's diagonal down
    std::size_t columns;  // to be eliminated
    const double* diagonal;
    const char* is_row;  // nullptr: positive semidefinite, every unknown a row
    double drop_row, drop_coordinate;
    /// nullptr, or for each of `rows`: what coordinates have added to the square of its length.
    double* gained;
    double* pivots;   // relative: see PivotRule
    double* d;        // 0 where dropped
    double* inverse;  // 1 / d, 0 where dropped
};

/// Memory that blocks are copied to.
struct KernelSpace {
    std::vector<double> left, right;
};

/// C −= X D Xᵀ for a lower triangle or a lower trapezoid C (rows × columns): X (rows × depth), both
/// column-major. What lies above the diagonal of C is not kept.
struct LowerUpdate {
    double* C;
    std::size_t ldc, rows, columns;
    const double* X;
    std::size_t ldx, depth;
    const double* d;
};

/// Loops over dense blocks, made for the widest vectors that the machine has. Sums run in the same
/// order in all of them; where products are fused, their last bits differ.
struct Kernels {
    void (*subtract)(const LowerUpdate&, KernelSpace&);
    void (*eliminate)(const FrontColumns&);  // one column after the other
    /// y −= X x, and x −= Xᵀ y: X (rows × columns), column-major with distance ld.
    void (*subtract_product)(const double* X, std::size_t ld, std::size_t rows, std::size_t columns,
                             const double* x, double* y);
    void (*subtract_transposed)(const double* X, std::size_t ld, std::size_t rows,
                                std::size_t columns, const double* y, double* x);
};
const Kernels& kernels();

}  // namespace lacon::solving::sparse
