// The sparse factorization against the dense one.
#include "solve/sparse/sparse.hpp"

#include <gtest/gtest.h>

#include "sparse_problems.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;

struct Answer {
    std::vector<double> x, lambda;
};

Answer answer(const SparseFactor& factor, const SparseSample& s) {
    Answer a{std::vector<double>(s.Q.size()), std::vector<double>(s.b.size())};
    factor.solve(s.Q, s.b, a.x, a.lambda);
    return a;
}

std::string text_of(const SparsePlan& plan) {
    return plan.road + " " + plan.form + " " + plan.order;
}

constexpr Shape shapes[] = {Shape::chain, Shape::ring, Shape::net, Shape::random};
constexpr MassKind masses[] = {MassKind::diagonal, MassKind::blocks, MassKind::banded,
                               MassKind::massless};

TEST(SparseFactor, GivesTheRankMotionAndMultipliersOfTheDenseSolve) {
    Random random(1);
    int compared = 0;
    for (int trial = 0; trial < 240; ++trial) {
        const Shape shape = shapes[trial % 4];
        const MassKind mass = masses[trial / 4 % 4];
        const SparseSample s =
            make_sparse(shape, mass, static_cast<std::uint32_t>(integer(random, 3, 14)),
                        static_cast<std::size_t>(integer(random, 0, 4)), random);
        const ConstrainedSolution dense = solve(s.problem());
        if (dense.outcome != Outcome::ok || !dense.rank_decided ||
            dense.singular[dense.rank - 1] < 1e-3)
            continue;
        const double condition = 1.0 / dense.singular[dense.rank - 1];
        for (const SparseOptions& way : all_ways()) {
            SparseFactor factor = s.factor(way);
            ASSERT_EQ(factor.factor(s.M.values, s.A.values), Outcome::ok)
                << trial << " " << text_of(factor.plan());
            SCOPED_TRACE(text_of(factor.plan()) + " trial " + std::to_string(trial));
            ASSERT_EQ(factor.rank(), dense.rank);
            ASSERT_EQ(factor.dropped().size(), s.b.size() - dense.rank);
            ASSERT_TRUE(factor.is_decided());
            Answer a = answer(factor, s);
            const double size = to_eigen(dense.acceleration).norm() + 1.0;
            ASSERT_LE(largest_difference(a.x, dense.acceleration),
                      1e-13 * size * condition * condition);
            const std::vector<DependentSet> sets = factor.dependent(s.b, 1e-8);
            factor.share(sets, {}, a.lambda);
            const double force = to_eigen(dense.multipliers).norm() + 1.0;
            ASSERT_LE(largest_difference(a.lambda, dense.multipliers),
                      1e-12 * force * condition * condition);
            const double residual =
                factor.solve({s.M.values, s.A.values, 1}, s.Q, s.b, a.x, a.lambda);
            ASSERT_LE(residual, 1e-13 * condition);
            ++compared;
        }
    }
    EXPECT_GE(compared, 1500);
}

TEST(SparseFactor, WeakestAgreesWithTheSingularValues) {
    Random random(2);
    for (int trial = 0; trial < 40; ++trial) {
        const SparseSample s = make_sparse(shapes[trial % 4], MassKind::diagonal, 12, 2, random);
        const ConstrainedSolution dense = solve(s.problem());
        SparseFactor factor = s.factor();
        ASSERT_EQ(factor.factor(s.M.values, s.A.values), Outcome::ok);
        std::vector<double> u;
        const double weakest = factor.weakest(&u);
        // Over the kept rows only: between the smallest of all rows and some more.
        std::vector<Index> kept;
        for (std::size_t i = 0; i < s.b.size(); ++i)
            if (!std::binary_search(factor.dropped().begin(), factor.dropped().end(), i))
                kept.push_back(static_cast<Index>(i));
        MatrixX B = to_eigen(s.dense_A)(kept, Eigen::all);
        for (Index j = 0; j < B.cols(); ++j) B.col(j) /= std::sqrt(s.dense_M(j, j));
        for (Index i = 0; i < B.rows(); ++i) B.row(i).normalize();
        const VectorX singular = B.jacobiSvd().singularValues();
        const double right = singular(singular.size() - 1) / singular(0);
        EXPECT_LE(weakest, 1.5 * right);
        EXPECT_GE(weakest, 0.99 * right);
        EXPECT_NEAR(to_eigen(u).norm(), 1.0, 1e-12);
    }
}

TEST(SparseFactor, NearbyMatricesAreReachedByCorrections) {
    Random random(3);
    for (const SparseOptions& way : all_ways()) {
        const SparseSample s = make_sparse(Shape::net, MassKind::blocks, 16, 0, random);
        SparseFactor factor = s.factor(way);
        ASSERT_EQ(factor.factor(s.M.values, s.A.values), Outcome::ok);
        std::vector<double> A = s.A.values;
        for (double& a : A) a += 1e-4 * uniform(random, -1.0, 1.0);
        SparseFactor exact = s.factor(way);
        ASSERT_EQ(exact.factor(s.M.values, A), Outcome::ok);
        const Answer right = answer(exact, s);
        double before = 1.0;
        for (int corrections = 0; corrections <= 4; ++corrections) {
            Answer a = right;
            const double residual =
                factor.solve({s.M.values, A, corrections}, s.Q, s.b, a.x, a.lambda);
            const double error = largest_difference(a.x, right.x) / to_eigen(right.x).norm();
            EXPECT_LE(error, std::max(1e-12, 0.05 * before))
                << text_of(factor.plan()) << " " << corrections;
            EXPECT_LE(residual, std::max(1e-13, 10.0 * error + 1e-15) * 100.0);
            before = error;
        }
    }
}

TEST(SparseFactor, SaysWhatIsWrongWithAMass) {
    auto mass = std::make_shared<SparsePattern>(), rows = std::make_shared<SparsePattern>();
    *mass = {3, 3, {0, 1, 3, 4}, {0, 0, 1, 2}};
    *rows = {1, 3, {0, 2}, {0, 1}};
    for (const SparseOptions& way : all_ways()) {
        SparseFactor factor(mass, rows, way);
        const double A[] = {1.0, 1.0};
        EXPECT_EQ(factor.factor(std::vector{1.0, 0.5, 1.0, 1.0}, A), Outcome::ok);
        EXPECT_EQ(factor.factor(std::vector{1.0, 0.5, 1.0, -1.0}, A), Outcome::indefinite);
        EXPECT_EQ(factor.concerned(), 2u);
        EXPECT_EQ(factor.factor(std::vector{1.0, 2.0, 1.0, 1.0}, A),
                  Outcome::indefinite);  // 1·1 < 2·2
        EXPECT_LE(factor.concerned(), 1u);
        EXPECT_EQ(factor.factor(std::vector{1.0, 0.5, 1.0, 0.0}, A), Outcome::undetermined);
        EXPECT_EQ(factor.concerned(), 2u);
        EXPECT_EQ(factor.factor(std::vector{1.0, 0.0, 0.0, 1.0}, A),
                  Outcome::ok);  // without mass, but held
        const double f[] = {3.0, 1.0, 2.0}, r[] = {4.0};
        std::vector<double> x(3), lambda(1);
        factor.solve(f, r, x, lambda);  // x₀ = 3 + λ, 0 = 1 + λ, x₀ + x₁ = 4
        EXPECT_NEAR(lambda[0], -1.0, 1e-13);
        EXPECT_NEAR(x[0], 2.0, 1e-13);
        EXPECT_NEAR(x[1], 2.0, 1e-13);
        EXPECT_NEAR(x[2], 2.0, 1e-13);
        EXPECT_EQ(factor.factor(std::vector{1.0, std::nan(""), 1.0, 1.0}, A), Outcome::undefined);
    }
}

TEST(SparseFactor, WithoutRowsOrCoordinatesThereIsStillAnAnswer) {
    for (const SparseOptions& way : all_ways()) {
        SparseRows mass(2), rows(2);
        mass.add({{0, 2.0}});
        mass.add({{1, 4.0}});
        SparseFactor factor(mass.pattern, rows.pattern, way);
        ASSERT_EQ(factor.factor(mass.values, {}), Outcome::ok);
        std::vector<double> x(2);
        factor.solve(std::vector{2.0, 2.0}, {}, x, {});
        EXPECT_LE(largest_difference(x, std::vector{1.0, 0.5}), 1e-15);
        EXPECT_EQ(factor.rank(), 0u);
        EXPECT_EQ(factor.weakest(), 1.0);
        EXPECT_TRUE(factor.dependent({}, 1e-8).empty());
    }
}

// Two rows at a small angle: kept or dropped as their distance is to the tolerance, in twice the
// digits where doubles cannot tell.
TEST(SparseFactor, PivotsInDoubtAreDecidedInTwiceTheDigits) {
    for (const SparseOptions& way : all_ways()) {
        SparseRows mass(2), rows(2);
        mass.add({{0, 1.0}});
        mass.add({{1, 1.0}});
        rows.add({{0, 1.0}, {1, 0.0}});
        rows.add({{0, 1.0}, {1, 1.0}});
        SparseFactor factor(mass.pattern, rows.pattern, way);
        const auto at = [&](double angle) {
            return factor.factor(mass.values, std::vector{1.0, 0.0, 1.0, angle});
        };
        ASSERT_EQ(at(1e-2), Outcome::ok);
        EXPECT_EQ(factor.rank(), 2u);
        EXPECT_FALSE(factor.was_careful());
        EXPECT_TRUE(factor.is_decided());
        for (const double angle : {1e-4, 1e-5, 1e-6}) {
            ASSERT_EQ(at(angle), Outcome::ok);
            EXPECT_EQ(factor.rank(), 2u) << angle;
            EXPECT_TRUE(factor.was_careful());
            EXPECT_TRUE(factor.is_decided());
            std::vector<double> x(2), lambda(2);
            factor.solve(std::vector{1.0, 2.0}, std::vector{0.5, 0.5 + 0.25 * angle}, x, lambda);
            EXPECT_NEAR(x[0], 0.5, 1e-14);
            EXPECT_NEAR(x[1], 0.25, 1e-15 / angle);
        }
        ASSERT_EQ(at(3e-9), Outcome::ok);  // beyond what squares show, yet above rank_tol: not sure
        ASSERT_EQ(at(0.0), Outcome::ok);
        EXPECT_EQ(factor.rank(), 1u);
        EXPECT_TRUE(factor.is_decided());
        SolveOptions coarse;
        coarse.rank_tol = 1e-3;
        EXPECT_EQ(factor.factor(mass.values, std::vector{1.0, 0.0, 1.0, 1e-5}, coarse),
                  Outcome::ok);
        EXPECT_EQ(factor.rank(), 1u);
        EXPECT_EQ(factor.factor(mass.values, std::vector{1.0, 0.0, 1.0, 2e-3}, coarse),
                  Outcome::ok);
        EXPECT_EQ(factor.rank(), 2u);
        EXPECT_FALSE(factor.is_decided());
    }
}

}  // namespace
}  // namespace lacon
