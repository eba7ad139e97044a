// The memory layout that the host and the compiled dense solve share. Both sides must agree on it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/target.hpp"

namespace lacon::kernel {

/// The argument of a dense kernel,  void kernel(const DenseCall*):  a constrained problem as
/// matrices in memory, in blocks of dense_block() rows and columns. The rows of P and F are those
/// of M, then the kept and the dropped rows of A, each part filled up to whole blocks: with ones on
/// the diagonal of M, minus ones on that of the kept rows, zeros elsewhere. Item (i, j) of lane l
/// stands at (j stride + i) lanes + l; of a vector, at i lanes + l.
struct DenseCall {
    std::int64_t stride = 0;                   // of columns
    std::int64_t mass = 0, kept = 0, all = 0;  // blocks up to the end of each part
    std::int64_t dropped = 0;                  // dropped rows, without filling
    std::int64_t refined = 0;                  // Elimination::refined
    const std::int64_t* below =
        nullptr;  // rows at which the blocks of a column of blocks stand, below the diagonal …
    const std::int64_t* below_begin =
        nullptr;  // … from here in the list, for each column of blocks, and one more for the end
    const std::int64_t* below_kept = nullptr;     // … those of the kept rows from here
    const std::int64_t* below_dropped = nullptr;  // … those of the dropped rows from here
    const std::int64_t* above = nullptr;          // the same above the diagonal
    const std::int64_t* above_begin = nullptr;
    const double* P = nullptr;      // [M, 0; A, 0] (all × kept), of M its lower half
    const double* right = nullptr;  // Q, b (all)
    const double* floor = nullptr;  // Problem::floor (all); −1 where filled up
    double* F = nullptr;  // the factor (all × all): L below, D Lᵀ on and above the diagonal
    double* diagonal = nullptr;  // of P (kept)
    double* pivot = nullptr;     // D (kept)
    double* inverse = nullptr;   // 1 / D (kept)
    double* size = nullptr;      // A M⁻¹ Aᵀ of each row (all)
    double* z = nullptr;         // x, −λ (all)
    double* rest = nullptr;      // (all)
    double* change = nullptr;    // (all)
    double* fine = nullptr;      // 1 or 0 (1)
    double definite = 0.0, wide = 0.0,
           narrow = 0.0;  // pivots of M and S, and what is left of a dropped row, beside its size
    double met = 0.0, met_dropped = 0.0;  // squares of what may be left of A x = b
};

/// Rows and columns in a block: what is kept in registers at a time. No result depends on it.
inline std::size_t dense_block(Isa isa, std::size_t lanes) {
    if (lanes > native_lanes(isa)) return 2;
    return lanes == 1 && isa == Isa::avx512 ? 8 : 4;
}

}  // namespace lacon::kernel
