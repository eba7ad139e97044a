// Whether rows that turn stay independent on their way.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "sparse_problems.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;
using Dense = Eigen::MatrixXd;

Dense eigen_of(const Matrix& X) {
    Dense result(X.rows(), X.cols());
    for (std::size_t i = 0; i < X.rows(); ++i)
        for (std::size_t j = 0; j < X.cols(); ++j)
            result(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = X(i, j);
    return result;
}

/// The rows that a factor kept, of unit length in the metric of W.
Dense kept_rows(const SparseRows& A, const SparseFactor& factor, const Dense& W) {
    const Dense all = eigen_of(A.dense());
    std::vector<Eigen::Index> kept;
    for (std::size_t i = 0; i < A.pattern->rows; ++i)
        if (!std::binary_search(factor.dropped().begin(), factor.dropped().end(), i))
            kept.push_back(static_cast<Eigen::Index>(i));
    Dense rows = all(kept, Eigen::all);
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
        rows.row(i) /= std::sqrt(rows.row(i).dot(rows.row(i) * W));
    return rows;
}

/// Rows moved at random and against their weakest direction, by up to so much that it is turned
/// round.
SparseRows turned_rows(const SparseRows& A, Random& random) {
    SparseRows behind = A;
    const Eigen::JacobiSVD<Dense> svd(eigen_of(A.dense()),
                                      Eigen::ComputeThinU | Eigen::ComputeThinV);
    Eigen::Index last = svd.singularValues().size() - 1;
    while (last > 0 && svd.singularValues()(last) < 1e-9) --last;
    const double size = uniform(random, 0.0, 6.0) * svd.singularValues()(last);
    for (std::size_t i = 0; i < A.pattern->rows; ++i)
        for (std::size_t e = A.pattern->begin[i]; e < A.pattern->begin[i + 1]; ++e)
            behind.values[e] += 0.01 * uniform(random, -1.0, 1.0) -
                                size * svd.matrixU()(static_cast<Eigen::Index>(i), last) *
                                    svd.matrixV()(A.pattern->column[e], last);
    return behind;
}

TEST(SparseTurn, IsDecidedAsByTheEigenvaluesOfTheSymmetricPart) {
    Random random(3);
    int positive = 0, negative = 0;
    for (int trial = 0; trial < 160; ++trial) {
        constexpr Shape forms[] = {Shape::chain, Shape::ring, Shape::net, Shape::random};
        constexpr MassKind kinds[] = {MassKind::diagonal, MassKind::blocks, MassKind::banded};
        const SparseSample s = make_sparse(forms[trial % 4], kinds[trial / 4 % 3],
                                           static_cast<std::uint32_t>(integer(random, 3, 12)),
                                           static_cast<std::size_t>(integer(random, 0, 3)), random);
        const SparseRows behind = turned_rows(s.A, random);
        for (const SparseOptions& way : all_ways()) {
            SparseFactor factor = s.factor(way);
            if (factor.factor(s.M.values, s.A.values) != Outcome::ok || !factor.is_decided())
                continue;
            Dense W = eigen_of(s.dense_M).inverse();
            if (factor.plan().road == "kkt")
                W = Dense(eigen_of(s.dense_M).diagonal().cwiseInverse().asDiagonal());
            const Dense x = kept_rows(s.A, factor, W), y = kept_rows(behind, factor, W),
                        C = x * W * y.transpose();
            if (C.diagonal().minCoeff() < 0.5) continue;  // too far in any case
            const Dense scale = C.diagonal().cwiseSqrt().cwiseInverse().asDiagonal();
            const double least =
                Eigen::SelfAdjointEigenSolver<Dense>(scale * (C + C.transpose()) * scale * 0.5)
                    .eigenvalues()
                    .minCoeff();
            if (std::abs(least) < 1e-10) continue;
            const std::vector<std::uint32_t> dropped = factor.dropped();
            EXPECT_EQ(factor.turned({s.A.values, behind.values, dropped, false}).has_value(),
                      least < 0.0)
                << trial << " " << factor.plan().road << " " << factor.plan().form << " " << least;
            EXPECT_EQ(factor.turned({s.A.values, behind.values, dropped, true}).has_value(),
                      least < 0.0);
            ++(least < 0.0 ? negative : positive);
        }
    }
    EXPECT_GT(positive, 100);
    EXPECT_GT(negative, 100);
}

// Two rows in the plane at angles ±α to the x-axis fall together at α = 0; each passes through it
// turning by a little.
TEST(SparseTurn, RowsThatPassThroughEachOtherAreSeenHoweverLittleTheyTurn) {
    SparseRows M(2);
    M.add({{0, 1.0}});
    M.add({{1, 1.0}});
    for (const double half : {0.4, 1e-2, 1e-4}) {
        SparseRows before(2), beyond(2), wider(2);
        for (const double side : {1.0, -1.0}) {
            before.add({{0, std::cos(half)}, {1, side * std::sin(half)}});
            beyond.add({{0, std::cos(half)}, {1, -side * std::sin(half)}});
            wider.add({{0, std::cos(1.5 * half)}, {1, side * std::sin(1.5 * half)}});
        }
        SparseFactor factor(M.pattern, before.pattern);
        ASSERT_EQ(factor.factor(M.values, before.values), Outcome::ok);
        EXPECT_TRUE(factor.turned({before.values, beyond.values, {}, false}));
        EXPECT_FALSE(factor.turned({before.values, wider.values, {}, false}));
        EXPECT_FALSE(factor.turned({before.values, before.values, {}, false}));
    }
}

// The second of two rows has 1e-8 of another direction in it: its pivot is 1e-16, which is there in
// twice the digits only.
TEST(SparseTurn, RowsThatAreNearlyOneAndTurnTogetherAreToldFromThoseThatPass) {
    const auto rows = [](double angle, double off) {
        SparseRows result(3);
        for (const double third : {0.0, off})
            result.add({{0, 1.7 * std::cos(angle)}, {1, 1.7 * std::sin(angle)}, {2, third}});
        return result;
    };
    SparseRows M(3);
    for (const std::uint32_t j : {0U, 1U, 2U}) M.add({{j, 0.3 + j}});
    const SparseRows before = rows(0.2, 1e-8), with = rows(0.6, 1e-8), against = rows(0.6, -1e-8);
    SparseFactor factor(M.pattern, before.pattern);
    ASSERT_EQ(factor.factor(M.values, before.values), Outcome::ok);
    ASSERT_EQ(factor.rank(), 2U);
    ASSERT_TRUE(factor.was_careful());
    EXPECT_FALSE(factor.turned({before.values, with.values, {}, true}));
    EXPECT_TRUE(factor.turned({before.values, against.values, {}, true}));
}

TEST(SparseTurn, ARowThatComesBackTurnedRoundIsSeen) {
    SparseRows M(2), before(2), behind(2);
    M.add({{0, 1.0}});
    M.add({{1, 1.0}});
    before.add({{0, 1e-3}});
    behind.add({{0, -1e-3}});
    SparseFactor factor(M.pattern, before.pattern);
    ASSERT_EQ(factor.factor(M.values, before.values), Outcome::ok);
    EXPECT_EQ(factor.turned({before.values, behind.values, {}, false}), 0U);
}

}  // namespace
}  // namespace lacon
