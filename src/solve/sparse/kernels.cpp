// Dense blocks of L D Lᵀ. The tiles of C are kept in registers over the whole depth (Goto and van
// de Geijn 2008); vector types instead of intrinsics, so that one text serves all widths. Products
// are fused where the machine can: the only file that is compiled so.
#include "solve/sparse/kernels.hpp"

#include <algorithm>

namespace lacon::solving::inline sparse {

namespace {

#define LACON_INLINE [[gnu::always_inline]] static inline

constexpr std::size_t
    depth_block = 256,
    row_block = 192;  // of what is copied: X fits into the second cache, a strip into the first
constexpr std::size_t small_update = 3000;  // products below which copying does not pay

// Vectors of doubles at any address.
typedef double Vector2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double Vector4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double Vector8 __attribute__((vector_size(64), aligned(8), may_alias));

template <int lanes>
struct VectorOf;
template <>
struct VectorOf<2> {
    typedef Vector2 Type;
};
template <>
struct VectorOf<4> {
    typedef Vector4 Type;
};
template <>
struct VectorOf<8> {
    typedef Vector8 Type;
};

template <int lanes, int R, int C>
struct Bodies {
    typedef typename VectorOf<lanes>::Type Vector;
    static constexpr std::size_t tile_rows = static_cast<std::size_t>(lanes * R),
                                 tile_columns = static_cast<std::size_t>(C);

    // c −= x yᵀ over the depth; x in strips of tile_rows, y of tile_columns.
    LACON_INLINE void tile(const double* x, const double* y, std::size_t depth, double* c,
                           std::size_t ldc, std::size_t rows, std::size_t columns) {
        Vector sum[C][R];
#pragma GCC unroll 16
        for (int j = 0; j < C; ++j)
#pragma GCC unroll 16
            for (int r = 0; r < R; ++r) sum[j][r] = Vector{};
        for (std::size_t p = 0; p < depth; ++p) {
            Vector a[R];
#pragma GCC unroll 16
            for (int r = 0; r < R; ++r)
                a[r] = *reinterpret_cast<const Vector*>(x + p * tile_rows +
                                                        static_cast<std::size_t>(r * lanes));
#pragma GCC unroll 16
            for (int j = 0; j < C; ++j) {
                const double b = y[p * tile_columns + static_cast<std::size_t>(j)];
#pragma GCC unroll 16
                for (int r = 0; r < R; ++r) sum[j][r] += a[r] * b;
            }
        }
        if (rows == tile_rows && columns == tile_columns) {
#pragma GCC unroll 16
            for (int j = 0; j < C; ++j)
#pragma GCC unroll 16
                for (int r = 0; r < R; ++r)
                    *reinterpret_cast<Vector*>(c + static_cast<std::size_t>(j) * ldc +
                                               static_cast<std::size_t>(r * lanes)) -= sum[j][r];
            return;
        }
        double plain[tile_rows * tile_columns];
#pragma GCC unroll 16
        for (int j = 0; j < C; ++j)
#pragma GCC unroll 16
            for (int r = 0; r < R; ++r)
                *reinterpret_cast<Vector*>(plain + static_cast<std::size_t>(j) * tile_rows +
                                           static_cast<std::size_t>(r * lanes)) = sum[j][r];
        for (std::size_t j = 0; j < columns; ++j)
            for (std::size_t i = 0; i < rows; ++i) c[j * ldc + i] -= plain[j * tile_rows + i];
    }

    LACON_INLINE void subtract(const LowerUpdate& u, KernelSpace& space) {
        if (u.depth < 3 || u.rows * u.columns * u.depth < small_update) {
            for (std::size_t j = 0; j < u.columns; ++j)
                for (std::size_t p = 0; p < u.depth; ++p) {
                    const double factor = u.d[p] * u.X[p * u.ldx + j];
                    const double* x = u.X + p * u.ldx;
                    double* c = u.C + j * u.ldc;
                    for (std::size_t i = j; i < u.rows; ++i) c[i] -= x[i] * factor;
                }
            return;
        }
        const std::size_t strips = (u.columns + tile_columns - 1) / tile_columns;
        space.right.resize(strips * tile_columns * std::min(u.depth, depth_block));
        space.left.resize(row_block * std::min(u.depth, depth_block));
        for (std::size_t p0 = 0; p0 < u.depth; p0 += depth_block) {
            const std::size_t depth = std::min(depth_block, u.depth - p0);
            for (std::size_t s = 0; s < strips; ++s)
                for (std::size_t p = 0; p < depth; ++p)
                    for (std::size_t j = 0; j < tile_columns; ++j) {
                        const std::size_t column = s * tile_columns + j;
                        space.right[(s * depth + p) * tile_columns + j] =
                            column < u.columns ? u.d[p0 + p] * u.X[(p0 + p) * u.ldx + column] : 0.0;
                    }
            for (std::size_t i0 = 0; i0 < u.rows; i0 += row_block) {
                const std::size_t height = std::min(row_block, u.rows - i0);
                copy_rows(u.X + p0 * u.ldx + i0, u.ldx, height, depth, space.left.data());
                for (std::size_t s = 0; s < strips && s * tile_columns < i0 + height; ++s) {
                    const std::size_t j0 = s * tile_columns,
                                      columns = std::min(tile_columns, u.columns - j0);
                    std::size_t i = j0 > i0 ? (j0 - i0) / tile_rows * tile_rows : 0;
                    for (; i < height; i += tile_rows)
                        tile(space.left.data() + i * depth,
                             space.right.data() + s * depth * tile_columns, depth,
                             u.C + j0 * u.ldc + i0 + i, u.ldc, std::min(tile_rows, height - i),
                             columns);
                }
            }
        }
    }

    LACON_INLINE void copy_rows(const double* X, std::size_t ld, std::size_t height,
                                std::size_t depth, double* to) {
        for (std::size_t i = 0; i < height; i += tile_rows) {
            const std::size_t rows = std::min(tile_rows, height - i);
            double* strip = to + i * depth;
            if (rows == tile_rows) {
                for (std::size_t p = 0; p < depth; ++p)
                    for (std::size_t k = 0; k < tile_rows; ++k)
                        strip[p * tile_rows + k] = X[p * ld + i + k];
            } else {
                for (std::size_t p = 0; p < depth; ++p)
                    for (std::size_t k = 0; k < tile_rows; ++k)
                        strip[p * tile_rows + k] = k < rows ? X[p * ld + i + k] : 0.0;
            }
        }
    }

    LACON_INLINE void eliminate(const FrontColumns& f) {
        for (std::size_t k = 0; k < f.columns; ++k) {
            double* column = f.front + k * f.ld;
            const double d = column[k];
            const bool pair_row = f.is_row && f.is_row[k];
            const double reference = pair_row ? -f.gained[k] : f.diagonal[k];
            const double relative = reference == 0.0 ? 0.0 : d / reference;
            const bool kept = relative > (f.is_row && !pair_row ? f.drop_coordinate : f.drop_row);
            f.pivots[k] = relative;
            f.d[k] = kept ? d : 0.0;
            f.inverse[k] = kept ? 1.0 / d : 0.0;
            if (!kept) {
                for (std::size_t i = k + 1; i < f.rows; ++i) column[i] = 0.0;
                continue;
            }
            for (std::size_t i = k + 1; i < f.rows; ++i) column[i] *= f.inverse[k];
            if (f.gained && d > 0.0)
                for (std::size_t i = k + 1; i < f.rows; ++i)
                    f.gained[i] += column[i] * column[i] * d;
            for (std::size_t j = k + 1; j < f.columns; ++j) {
                const double factor = column[j] * d;
                double* other = f.front + j * f.ld;
                for (std::size_t i = j; i < f.rows; ++i) other[i] -= column[i] * factor;
            }
        }
    }

    LACON_INLINE void subtract_product(const double* X, std::size_t ld, std::size_t rows,
                                       std::size_t columns, const double* x, double* y) {
        std::size_t j = 0;
        for (; j + 4 <= columns; j += 4) {
            const double *a = X + j * ld, *b = a + ld, *c = b + ld, *d = c + ld;
            const double xa = x[j], xb = x[j + 1], xc = x[j + 2], xd = x[j + 3];
            for (std::size_t i = 0; i < rows; ++i)
                y[i] -= (a[i] * xa + b[i] * xb) + (c[i] * xc + d[i] * xd);
        }
        for (; j < columns; ++j)
            for (std::size_t i = 0; i < rows; ++i) y[i] -= X[j * ld + i] * x[j];
    }

    LACON_INLINE void subtract_transposed(const double* X, std::size_t ld, std::size_t rows,
                                          std::size_t columns, const double* y, double* x) {
        constexpr std::size_t width = static_cast<std::size_t>(lanes);
        std::size_t j = 0;
        for (; j + 2 <= columns; j += 2) {
            const double *a = X + j * ld, *b = a + ld;
            Vector first{}, second{};
            std::size_t i = 0;
            for (; i + width <= rows; i += width) {
                const Vector part = *reinterpret_cast<const Vector*>(y + i);
                first += *reinterpret_cast<const Vector*>(a + i) * part;
                second += *reinterpret_cast<const Vector*>(b + i) * part;
            }
            double sum_a = 0.0, sum_b = 0.0;
            for (std::size_t k = 0; k < width; ++k) {
                sum_a += first[k];
                sum_b += second[k];
            }
            for (; i < rows; ++i) {
                sum_a += a[i] * y[i];
                sum_b += b[i] * y[i];
            }
            x[j] -= sum_a;
            x[j + 1] -= sum_b;
        }
        for (; j < columns; ++j) {
            double sum = 0.0;
            for (std::size_t i = 0; i < rows; ++i) sum += X[j * ld + i] * y[i];
            x[j] -= sum;
        }
    }
};

#define LACON_KERNELS(name, attribute, lanes, R, C)                                         \
    struct name {                                                                           \
        using Body = Bodies<lanes, R, C>;                                                   \
        attribute static void subtract(const LowerUpdate& u, KernelSpace& space) {          \
            Body::subtract(u, space);                                                       \
        }                                                                                   \
        attribute static void eliminate(const FrontColumns& f) { Body::eliminate(f); }      \
        attribute static void product(const double* X, std::size_t ld, std::size_t rows,    \
                                      std::size_t columns, const double* x, double* y) {    \
            Body::subtract_product(X, ld, rows, columns, x, y);                             \
        }                                                                                   \
        attribute static void transposed(const double* X, std::size_t ld, std::size_t rows, \
                                         std::size_t columns, const double* y, double* x) { \
            Body::subtract_transposed(X, ld, rows, columns, y, x);                          \
        }                                                                                   \
        static constexpr Kernels table{subtract, eliminate, product, transposed};           \
    };

LACON_KERNELS(Plain, , 2, 2, 3)
#if defined(__x86_64__)
LACON_KERNELS(Avx2, __attribute__((target("avx2,fma"))), 4, 2, 6)
LACON_KERNELS(Avx512, __attribute__((target("avx512f,avx512vl,avx512dq,fma"))), 8, 2, 8)
#endif

}  // namespace

const Kernels& kernels() {
#if defined(__x86_64__)
    static const Kernels& best =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("fma")
            ? Avx512::table
        : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Avx2::table
                                                                          : Plain::table;
    return best;
#else
    return Plain::table;
#endif
}

}  // namespace lacon::solving::sparse
