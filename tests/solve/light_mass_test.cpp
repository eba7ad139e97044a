// Masses that are small beside others which constraints join them with: the answers against [M −Aᵀ;
// A 0] eliminated in 400 bits.
#include <gtest/gtest.h>

#include <cmath>

#include "../interval/numbers.hpp"
#include "problems.hpp"
#include "solve/dense/constrained/constrained_factor.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;

/// x (n), then λ of the rows used.
std::vector<double> exact(const Sample& s, const std::vector<std::size_t>& rows) {
    const std::size_t n = s.M.rows(), N = n + rows.size();
    std::vector<std::vector<Wide>> K(N, std::vector<Wide>(N + 1));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) K[i][j] = Wide(s.M(i, j));
        K[i][N] = Wide(s.Q[i]);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            K[i][n + r] = Wide(-s.A(rows[r], i));
            K[n + r][i] = Wide(s.A(rows[r], i));
        }
    }
    for (std::size_t r = 0; r < rows.size(); ++r) K[n + r][N] = Wide(s.b[rows[r]]);
    const Wide minus(-1.0);
    for (std::size_t k = 0; k < N; ++k) {
        std::size_t best = k;
        for (std::size_t i = k + 1; i < N; ++i)
            if (std::abs(K[i][k].near()) > std::abs(K[best][k].near())) best = i;
        std::swap(K[k], K[best]);
        for (std::size_t i = 0; i < N; ++i) {
            if (i == k || K[i][k] == Wide(0.0)) continue;
            const Wide factor = minus * (K[i][k] / K[k][k]);
            for (std::size_t j = k; j <= N; ++j) K[i][j] = K[i][j] + factor * K[k][j];
        }
    }
    std::vector<double> result;
    for (std::size_t k = 0; k < N; ++k) result.push_back((K[k][N] / K[k][k]).near());
    return result;
}

std::vector<std::size_t> first_rows(std::size_t count) {
    std::vector<std::size_t> rows(count);
    for (std::size_t i = 0; i < count; ++i) rows[i] = i;
    return rows;
}

Sample sample(Matrix M, std::vector<double> Q, Matrix A, std::vector<double> b) {
    Sample s;
    s.plan.n = static_cast<Index>(M.rows());
    s.plan.m = static_cast<Index>(A.rows());
    s.M = std::move(M);
    s.Q = std::move(Q);
    s.A = std::move(A);
    s.b = std::move(b);
    s.c.assign(s.Q.size(), 0.0);
    return s;
}

Matrix diagonal(const std::vector<double>& masses) {
    Matrix M(masses.size(), masses.size());
    for (std::size_t i = 0; i < masses.size(); ++i) M(i, i) = masses[i];
    return M;
}

Matrix matrix(const std::vector<std::vector<double>>& rows) {
    Matrix A(rows.size(), rows[0].size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < rows[i].size(); ++j) A(i, j) = rows[i][j];
    return A;
}

/// Accelerations and multipliers of every road against the exact ones of `rows`, each to
/// `tolerance` of itself plus `floor`.
void expect_exact(const Sample& s, const std::vector<std::size_t>& rows, double tolerance = 1e-12,
                  double floor = 1e-12) {
    const std::vector<double> truth = exact(s, rows);
    const std::size_t n = s.M.rows();
    for (const SolveOptions::Path path :
         {SolveOptions::Path::automatic, SolveOptions::Path::ldlt, SolveOptions::Path::svd}) {
        const ConstrainedSolution found = solve(s.ideal(), {path});
        ASSERT_EQ(found.outcome, Outcome::ok);
        ASSERT_EQ(found.rank, rows.size());
        ConstrainedFactor factor;
        ASSERT_EQ(factor.factor(s.M, s.A, {path}), Outcome::ok);
        std::vector<double> x(n), lambda(s.b.size());
        factor.solve({s.M, s.A, 1}, s.Q, s.b, x, lambda);
        for (std::size_t j = 0; j < n; ++j) {
            const double room = tolerance * std::abs(truth[j]) + floor;
            ASSERT_NEAR(found.acceleration[j], truth[j], room) << "coordinate " << j;
            ASSERT_NEAR(x[j], truth[j], room) << "coordinate " << j << " of ConstrainedFactor";
        }
        if (rows.size() < s.b.size()) continue;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double room = tolerance * std::abs(truth[n + i]) + floor;
            ASSERT_NEAR(found.multipliers[i], truth[n + i], room) << "row " << i;
            ASSERT_NEAR(lambda[i], truth[n + i], room) << "row " << i << " of ConstrainedFactor";
        }
    }
}

const std::vector<double> ratios{1e-3, 1e-6, 3e-7, 1e-9, 1e-12, 2e-16, 1e-20, 1e-24, 1e-30, 1e-60};

TEST(LightMass, APulleyOfLittleMassLeavesTheLoadsTheirAccelerations) {
    // Two loads on a rope over a pulley y that a rope to a third load holds: x1 + x2 = 2 y, y + x3
    // = 0.
    for (const double m : ratios) {
        SCOPED_TRACE(m);
        expect_exact(sample(diagonal({2.0, 3.0, m, 1.5}), {-19.6, -29.4, 7.3, -14.7},
                            matrix({{1, 1, -2, 0}, {0, 0, 1, 1}}), {0.0, 0.0}),
                     first_rows(2));
    }
}

TEST(LightMass, TwoRodsThatMeetInALightPointStayTwo) {
    for (const double m : ratios) {
        SCOPED_TRACE(m);
        // Heavy points at both ends, a light one between: tangents are held by both rods together.
        expect_exact(sample(diagonal({1.0, 2.0, m, m, 3.0, 0.5}), {1.0, -9.8, 2.0, 0.7, 0.3, -4.9},
                            matrix({{-0.6, -0.8, 0.6, 0.8, 0, 0}, {0, 0, -0.8, 0.6, 0.8, -0.6}}),
                            {-0.4, 1.3}),
                     first_rows(2));
    }
}

TEST(LightMass, ALightEndThatIsFreeAcrossItsRodKeepsItsOwnAcceleration) {
    for (const double m : ratios) {
        SCOPED_TRACE(m);
        const Sample s = sample(diagonal({1.0, 2.0, m, m}), {1.0, -9.8, 2.0, 0.7},
                                matrix({{-0.6, -0.8, 0.6, 0.8}}), {-0.4});
        expect_exact(s, first_rows(1));
    }
}

TEST(LightMass, ALightDirectionThatNoCoordinateNamesIsHeldAsWell) {
    for (const double m : {1e-4, 1e-7, 1e-10}) {
        SCOPED_TRACE(m);  // M = uuᵀ + m wwᵀ beside a third mass; the row holds w
        const double c = 0.8, d = 0.6;
        Matrix M(3, 3);
        M(0, 0) = c * c + m * d * d;
        M(1, 1) = d * d + m * c * c;
        M(0, 1) = M(1, 0) = c * d * (1.0 - m);
        M(2, 2) = 1.0;
        // What is left of M in w is known to 1e-16 / m only: it is the row that says what happens
        // there.
        expect_exact(sample(M, {1.0, 5.0, -2.0}, matrix({{d, -c, 1.0}}), {0.25}), first_rows(1),
                     1e-12, 1e-12);
    }
}

TEST(LightMass, RepeatedAndScaledRowsChangeNothing) {
    for (const double m : ratios) {
        SCOPED_TRACE(m);
        const Sample s =
            sample(diagonal({2.0, 3.0, m, 1.5}), {-19.6, -29.4, 7.3, -14.7},
                   matrix({{1, 1, -2, 0}, {1e6, 1e6, -2e6, 0}, {0, 0, 1e-5, 1e-5}, {1, 1, -1, 1}}),
                   {0.5, 0.5e6, 0.3e-5, 0.8});
        expect_exact(s, {0, 2}, 1e-12, 1e-12);
    }
}

TEST(LightMass, RandomProblemsAreExactInEveryCoordinate) {
    Random random(5);
    for (int trial = 0; trial < 150; ++trial) {
        SCOPED_TRACE(trial);
        const auto n = static_cast<std::size_t>(integer(random, 2, 7)),
                   m = static_cast<std::size_t>(integer(random, 1, 3));
        if (m >= n) continue;
        std::vector<double> masses, Q, b;
        for (std::size_t j = 0; j < n; ++j) masses.push_back(uniform(random, 0.5, 2.0));
        const double small = std::pow(10.0, uniform(random, -30.0, -3.0));
        const auto lights =
            std::min<std::size_t>(m, static_cast<std::size_t>(integer(random, 1, 2)));
        for (std::size_t j = 0; j < lights; ++j)
            masses[j] *= small;  // as many as rows at most: they are held
        Matrix A(m, n);
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) A(i, j) = uniform(random, -1.0, 1.0);
        for (std::size_t j = 0; j < n; ++j) Q.push_back(uniform(random, -10.0, 10.0));
        for (std::size_t i = 0; i < m; ++i) b.push_back(uniform(random, -10.0, 10.0));
        const Sample s = sample(diagonal(masses), Q, A, b);
        const std::vector<double> truth = exact(s, first_rows(m));
        double size = 0.0;
        for (const double z : truth) size = std::max(size, std::abs(z));
        expect_exact(s, first_rows(m), 0.0, 1e-12 * size);
    }
}

TEST(LightMass, UnitsOfCoordinatesAndRowsDoNotMatter) {
    for (const double m : {1e-8, 1e-14, 1e-22})
        for (const double unit : {1e-4, 1.0, 1e3}) {
            SCOPED_TRACE(m);
            SCOPED_TRACE(unit);
            const std::vector<double> u{1.0, 10.0 * unit, unit,
                                        0.1};  // q_j = u_j × what is counted
            Matrix M = diagonal({2.0, 3.0, m, 1.5}), A = matrix({{1, 1, -2, 0}, {0, 0, 1, 1}});
            std::vector<double> Q{-19.6, -29.4, 7.3, -14.7};
            for (std::size_t j = 0; j < 4; ++j) {
                M(j, j) *= u[j] * u[j];
                Q[j] *= u[j];
                for (std::size_t i = 0; i < 2; ++i) A(i, j) *= u[j] * (i == 0 ? 1e5 : 1e-3);
            }
            expect_exact(sample(M, Q, A, {0.0, 0.0}), first_rows(2), 1e-12, 1e-16);
        }
}

TEST(LightMass, ConflictsAreSeenBesideHugeFreeAccelerations) {
    for (const double m : ratios) {
        const Sample s =
            sample(diagonal({1.0, m}), {3.0, 5.0}, matrix({{1, 1}, {2, 2}}), {1.0, 2.1});
        EXPECT_EQ(solve(s.ideal()).outcome, Outcome::conflict) << m;
    }
}

TEST(LightMass, ForcesThatAreNotIdealAreSharedExactly) {
    // x1 = x2 joined, c on both: together they move as one mass 2 + m, and c moves that.
    for (const double m : ratios) {
        Sample s = sample(diagonal({2.0, m}), {3.0, 5.0}, matrix({{1, -1}}), {0.0});
        s.c = {0.25, -4.0};
        const ConstrainedSolution found = solve(s.nonideal());
        ASSERT_EQ(found.outcome, Outcome::ok) << m;
        EXPECT_NEAR(found.acceleration[0], (8.0 - 3.75) / (2.0 + m), 1e-13) << m;
        EXPECT_NEAR(found.acceleration[1], (8.0 - 3.75) / (2.0 + m), 1e-13) << m;
        EXPECT_NEAR(found.nonideal_force[0], -3.75 * 2.0 / (2.0 + m), 1e-13) << m;
        EXPECT_NEAR(found.constraint_force[0], 8.0 * 2.0 / (2.0 + m) - 3.0, 1e-13) << m;
    }
}

TEST(LightMass, WithoutMassAtAllTheLimitIsReached) {
    for (const double m : {1e-12, 1e-24, 0.0}) {
        const Sample s = sample(diagonal({2.0, m, 1e-20}), {3.0, 5.0, -1.0},
                                matrix({{1, -1, 0}, {0, 1, -1}}), {0.0, 0.0});
        const ConstrainedSolution found = solve(s.ideal());
        ASSERT_EQ(found.outcome, Outcome::ok) << m;
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(found.acceleration[j], 3.5, 1e-11) << m;
    }
}

}  // namespace
}  // namespace lacon
