// Sparse constrained problems with planted dependencies.
#pragma once

#include <map>
#include <memory>

#include "problems.hpp"
#include "solve/sparse/sparse.hpp"

/// Particles held by rods, as sparse and as dense problems, with dependent rows planted among them.
namespace lacon::testing {

using Row = std::map<std::uint32_t, double>;

/// Rows of entries as a pattern with values.
struct SparseRows {
    std::shared_ptr<SparsePattern> pattern = std::make_shared<SparsePattern>();
    std::vector<double> values;

    explicit SparseRows(std::size_t cols) { pattern->cols = cols; }
    void add(const Row& row) {
        for (const auto& [column, value] : row) {
            pattern->column.push_back(column);
            values.push_back(value);
        }
        ++pattern->rows;
        pattern->begin.push_back(pattern->column.size());
    }
    Matrix dense() const {
        Matrix result(pattern->rows, pattern->cols);
        for (std::size_t i = 0; i < pattern->rows; ++i)
            for (std::size_t e = pattern->begin[i]; e < pattern->begin[i + 1]; ++e)
                result(i, pattern->column[e]) = values[e];
        return result;
    }
};

enum class Shape { chain, ring, net, random };
enum class MassKind { diagonal, blocks, banded, massless };

struct SparseSample {
    SparseRows M, A;
    std::vector<double> Q, b;
    Matrix dense_M, dense_A;
    std::size_t planted = 0;  // rows that follow from others

    ConstrainedProblem problem() const { return {dense_M, Q, dense_A, b}; }
    SparseFactor factor(const SparseOptions& options = {}) const {
        return {M.pattern, A.pattern, options};
    }
};

inline std::vector<std::pair<std::uint32_t, std::uint32_t>> rods_of(Shape shape,
                                                                    std::uint32_t particles,
                                                                    Random& random) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> rods;
    const auto side = static_cast<std::uint32_t>(std::lround(std::sqrt(particles)));
    if (shape == Shape::net) {
        for (std::uint32_t i = 0; i < side; ++i)
            for (std::uint32_t j = 0; j < side; ++j) {
                if (i + 1 < side) rods.emplace_back(i * side + j, (i + 1) * side + j);
                if (j + 1 < side) rods.emplace_back(i * side + j, i * side + j + 1);
            }
        return rods;
    }
    if (shape == Shape::random) {  // fewer than would make it rigid
        for (std::uint32_t k = 0; k < particles + particles / 3; ++k) {
            const auto a = static_cast<std::uint32_t>(integer(random, 0, particles - 1));
            const auto c = static_cast<std::uint32_t>(integer(random, 0, particles - 1));
            const std::pair rod(std::min(a, c), std::max(a, c));
            if (a != c && std::find(rods.begin(), rods.end(), rod) == rods.end())
                rods.push_back(rod);
        }
        return rods;
    }
    for (std::uint32_t k = 0; k + 1 < particles; ++k) rods.emplace_back(k, k + 1);
    if (shape == Shape::ring && particles > 2) rods.emplace_back(0, particles - 1);
    return rods;
}

inline Row rod_row(const std::vector<double>& x, std::uint32_t a, std::uint32_t c) {
    Row row;
    for (std::uint32_t k = 0; k < 3; ++k) {
        row[3 * a + k] = x[3 * a + k] - x[3 * c + k];
        row[3 * c + k] = -row[3 * a + k];
    }
    return row;
}

inline std::vector<double> places(Shape shape, std::uint32_t particles, Random& random) {
    std::vector<double> x(3 * particles);
    const auto side = static_cast<std::uint32_t>(std::lround(std::sqrt(particles)));
    for (std::uint32_t k = 0; k < particles; ++k)
        for (std::uint32_t c = 0; c < 3; ++c) {
            const double base = shape != Shape::net ? 0.0
                                : c == 0            ? k / side
                                : c == 1            ? k % side
                                                    : 0.0;
            x[3 * k + c] = base + uniform(random, -0.3, 0.3) * (shape == Shape::net ? 1.0 : 4.0);
        }
    return x;
}

inline SparseRows mass_of(MassKind kind, std::uint32_t particles, Random& random) {
    const std::uint32_t n = 3 * particles;
    MatrixX M = MatrixX::Zero(n, n);
    for (std::uint32_t k = 0; k < particles; ++k) {
        const double m = uniform(random, 0.5, 2.0);
        M.diagonal().segment(3 * k, 3).array() += m;
        if (kind != MassKind::blocks) continue;
        const MatrixX X = normal(random, 3, 3);
        M.block(3 * k, 3 * k, 3, 3) += X * X.transpose();
    }
    for (std::uint32_t j = 0; kind == MassKind::banded && j + 4 < n;
         ++j) {  // springs of inertia between neighbours
        const double m = uniform(random, 0.0, 2.0);
        M(j, j) += m;
        M(j + 4, j + 4) += m;
        M(j, j + 4) -= m;
        M(j + 4, j) -= m;
    }
    SparseRows rows(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        Row row;
        for (std::uint32_t j = 0; j <= i; ++j)
            if (M(i, j) != 0.0 || i == j) row[j] = M(i, j);
        rows.add(row);
    }
    return rows;
}

/// A row that follows from others: a multiple of one, or a sum of two or three.
inline Row combination(const std::vector<Row>& rows, Random& random) {
    Row sum;
    const Index terms = std::min<Index>(integer(random, 1, 3), static_cast<Index>(rows.size()));
    for (Index t = 0; t < terms; ++t) {
        const double c = uniform(random, 0.5, 2.0) * (integer(random, 0, 1) ? 1.0 : -1.0);
        for (const auto& [column, value] : rows[static_cast<std::size_t>(
                 integer(random, 0, static_cast<Index>(rows.size()) - 1))])
            sum[column] += c * value;
    }
    return sum;
}

/// `planted` rows are put at random places among the others; b fits unless spoiled.
inline SparseSample make_sparse(Shape shape, MassKind kind, std::uint32_t particles,
                                std::size_t planted, Random& random) {
    if (shape == Shape::net)
        particles = static_cast<std::uint32_t>(std::pow(std::lround(std::sqrt(particles)), 2));
    const std::size_t n = 3 * particles;
    SparseSample s{mass_of(kind, particles, random), SparseRows(n), {}, {}, {}, {}, 0};
    const std::vector<double> x = places(shape, particles, random);
    std::vector<Row> rows;
    for (const auto& [a, c] : rods_of(shape, particles, random)) rows.push_back(rod_row(x, a, c));
    if (kind ==
        MassKind::massless) {  // a few coordinates without mass, each held by a row of its own
        for (std::uint32_t j = 1; j < n; j += 7) {
            s.M.values[s.M.pattern->begin[j + 1] - 1] = 0.0;
            rows.push_back(
                {{j, uniform(random, 0.5, 2.0)}, {(j + 5) % static_cast<std::uint32_t>(n), 0.3}});
        }
    }
    const std::vector<Row> independent = rows;
    for (std::size_t k = 0; k < planted && !independent.empty(); ++k) {
        rows.insert(rows.begin() + integer(random, 0, static_cast<Index>(rows.size())),
                    combination(independent, random));
        ++s.planted;
    }
    for (const Row& row : rows) s.A.add(row);
    s.dense_M = s.M.dense();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) s.dense_M(j, i) = s.dense_M(i, j);
    s.dense_A = s.A.dense();
    s.Q = to_std(normal(random, static_cast<Index>(n), 1));
    s.b.assign(rows.size(), 0.0);
    add_product(*s.A.pattern, s.A.values, 1.0, to_std(normal(random, static_cast<Index>(n), 1)),
                s.b);
    return s;
}

inline std::vector<SparseOptions> all_ways() {
    std::vector<SparseOptions> ways;
    using O = SparseOptions;
    for (const auto road : {O::Road::schur, O::Road::kkt})
        for (const auto form : {O::Form::simplicial, O::Form::supernodal})
            for (const auto order : {O::Order::natural, O::Order::degree, O::Order::dissection})
                ways.push_back({road, form, order, 1});
    ways.push_back({});
    return ways;
}

}  // namespace lacon::testing
