// How far rounding goes: every path and every printed formula against long double, over thousands
// of random problems with n up to 40, m beyond n, dependent rows, and conditions of B and of M up
// to 1e8 each.
#include <gtest/gtest.h>

#include <ostream>

#include "lacon/reference.hpp"
#include "lacon/solve.hpp"
#include "solve/problems.hpp"

namespace lacon {
namespace {

using namespace testing;
using Path = SolveOptions::Path;

// Errors are in the metric of M relative to |a_s| + |y| + |z| (Oracle::size) and in units of
//     eps · (cond(L)² + cond(L) · cond(B)):
// solving with M = L Lᵀ costs cond(M) = cond(L)², and B = A L⁻ᵀ is known to cond(L) eps, which B⁺
// multiplies by cond(B). The worst case over n ≤ 40 of the backward-stable paths has a factor of
// order 1; twice that is allowed.
constexpr double orthogonal_units = 2.0;
// L D Lᵀ squares cond(B), is refined once, and is used only where no pivot lies below 1e-6: a few
// units more.
constexpr double ldlt_units = 20.0;
// The printed formulas form M^{1/2}, M^{-1/2} and B⁺ without scaling (conditions of M itself, not
// of the scaled M, count) and are not refined: two digits more.
constexpr double printed_units = 200.0;

double unit_of(const Oracle& oracle) {
    return eps * (oracle.cond_L * oracle.cond_L + oracle.cond_L * oracle.cond_B);
}

struct Hardness {
    double cond_B, cond_M;
};

void PrintTo(const Hardness& hardness, std::ostream* out) {
    *out << "condition of B up to " << hardness.cond_B << ", of M up to " << hardness.cond_M;
}

class Agreement : public ::testing::TestWithParam<Hardness> {};

INSTANTIATE_TEST_SUITE_P(Conditions, Agreement,
                         ::testing::Values(Hardness{1e1, 1e1}, Hardness{1e4, 1e2},
                                           Hardness{1e8, 1e1}, Hardness{1e2, 1e8},
                                           Hardness{1e8, 1e8}));

constexpr int trials = 500;

TEST_P(Agreement, AllPathsGiveTheMotionAndTheForces) {
    Random random(100);
    double worst[2] = {0.0, 0.0};
    int squared = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const Sample s =
            make_sample(random_plan(random, GetParam().cond_B, GetParam().cond_M), random);
        const Oracle oracle = consult(s, true);
        for (const Path path : {Path::automatic, Path::cod, Path::svd, Path::ldlt}) {
            const ConstrainedSolution solution = solve(s.nonideal(), {path});
            ASSERT_EQ(solution.outcome, Outcome::ok)
                << "trial " << trial << ", residual " << solution.residual;
            ASSERT_EQ(solution.rank, static_cast<std::size_t>(s.plan.rank))
                << "trial " << trial << ", gap " << solution.gap;
            const double error = std::max({oracle.error(solution.acceleration, oracle.q),
                                           oracle.force_error(solution.constraint_force, oracle.y),
                                           oracle.force_error(solution.nonideal_force, oracle.z)}) /
                                 unit_of(oracle);
            ASSERT_LE(error, solution.path == Path::ldlt ? ldlt_units : orthogonal_units)
                << "trial " << trial;
            worst[solution.path == Path::ldlt] =
                std::max(worst[solution.path == Path::ldlt], error);
            squared += solution.path == Path::ldlt;
        }
    }
    RecordProperty("orthogonal_units", std::to_string(worst[0]));
    RecordProperty("ldlt_units", std::to_string(worst[1]));
    EXPECT_GT(squared, trials / 3) << "the fast path must be taken where it can be";
}

TEST_P(Agreement, PrintedFormulasOfP1P3AndP5GiveTheSameMotion) {
    Random random(200);
    double worst = 0.0;
    for (int trial = 0; trial < trials; ++trial) {
        const Sample s =
            make_sample(random_plan(random, GetParam().cond_B, GetParam().cond_M), random);
        const Oracle ideal = consult(s, false), nonideal = consult(s, true);
        const reference::Problem p = s.printed();
        const MatrixX inverse_root = to_eigen(reference::inverse_square_root(s.M));
        const auto unscaled = [&](const reference::Vector& r) {
            return to_std(inverse_root * to_eigen(r));
        };
        const VectorX change = to_eigen(reference::acceleration_change_p1(p));
        const double error =
            std::max({
                ideal.error(reference::acceleration_p1(p), ideal.q),            // P1 5a
                ideal.force_error(reference::constraint_force_p1(p), ideal.y),  // P1 5b
                ideal.error(to_std(to_eigen(reference::free_acceleration(p)) + change),
                            ideal.q),                                                  // P1 5c
                ideal.error(unscaled(reference::scaled_acceleration_p3(p)), ideal.q),  // P3 5
                nonideal.error(reference::acceleration_p5(p, s.c), nonideal.q),        // P5 33, 44
                nonideal.error(unscaled(reference::scaled_acceleration_p5(p, s.c)),
                               nonideal.q),                                              // P5 31
                nonideal.force_error(reference::nonideal_force_p5(p, s.c), nonideal.z),  // P5 43
                nonideal.force_error(reference::total_constraint_force_p5(p, s.c),
                                     nonideal.y + nonideal.z),  // P5 42
            }) /
            unit_of(nonideal);
        ASSERT_LE(error, printed_units) << "trial " << trial;
        worst = std::max(worst, error);
    }
    RecordProperty("printed_units", std::to_string(worst));
}

TEST_P(Agreement, MultipliersAreTheShortestOnesThatGiveTheForce) {
    // Aᵀ λ = Qc in units of the force; and no part of λ in the left null space of A, which singular
    // values in long double give. Null vectors are known to eps · cond(A), and cond(A) ≤ cond(L)
    // cond(B) up to the spread of row lengths; cond(A) is measured.
    constexpr double units = 50.0;
    Random random(300);
    for (int trial = 0; trial < trials / 2; ++trial) {
        const Sample s =
            make_sample(random_plan(random, GetParam().cond_B, GetParam().cond_M), random);
        const Oracle oracle = consult(s, false);
        const LongMatrix At = to_eigen(s.A).cast<long double>().transpose();
        for (const Path path : {Path::automatic, Path::svd, Path::ldlt}) {
            const LongVector lambda =
                to_eigen(solve(s.ideal(), {path}).multipliers).cast<long double>();
            ASSERT_LE(oracle.force_error(to_std((At * lambda).cast<double>()), oracle.y),
                      units * unit_of(oracle))
                << "trial " << trial;
            if (s.plan.rank == 0) continue;
            const LongVector off = lambda - truncated_pinv(At, s.plan.rank) * (At * lambda);
            ASSERT_LE(static_cast<double>(off.norm()), units * eps * condition_of(At, s.plan.rank) *
                                                           static_cast<double>(lambda.norm()))
                << "trial " << trial << ", path " << static_cast<int>(path);
        }
    }
}

TEST(AgreementOfP2, FormulasOfP2GiveTheSameMotionWhereTheirProjectionsAreKnown) {
    // P2 29 to 33 form I − D⁺D, known to eps · cond(D) only, and lose cond(M^{1/2}) on top in H⁺:
    // beyond cond(D) = 1e4 its zero singular values drown the others. Within, one more factor
    // cond(L) on the unit above bounds them.
    Random random(400);
    double worst = 0.0;
    for (int trial = 0; trial < 1000; ++trial) {
        const Sample s = make_sample(random_plan(random, 1e2, 1e3), random);
        const Oracle oracle = consult(s, false);
        const reference::Problem p = s.printed();
        const double error =
            std::max(oracle.error(reference::acceleration_p2(p), oracle.q),
                     oracle.force_error(reference::control_force_p2(p), oracle.y)) /
            (unit_of(oracle) * oracle.cond_L);
        ASSERT_LE(error, printed_units) << "trial " << trial;
        worst = std::max(worst, error);
    }
    RecordProperty("printed_units", std::to_string(worst));
}

TEST(SolveLarge, ALargeProblemTakesTheDivideAndConquerPath) {
    Random random(500);
    const Sample s = make_sample({150, 170, 120, 1e3, 1e3}, random);
    const ConstrainedSolution cod = solve(s.ideal(), {Path::cod}),
                              svd = solve(s.ideal(), {Path::svd});
    EXPECT_EQ(svd.path, Path::svd);
    EXPECT_EQ(cod.rank, 120u);
    EXPECT_EQ(svd.rank, 120u);
    EXPECT_EQ(svd.singular.size(), 150u);
    const double size = to_eigen(cod.acceleration).norm();
    EXPECT_LE(largest_difference(cod.acceleration, svd.acceleration),
              1e3 * 1e3 * 10 * eps * size);  // cond(M) + cond(L) cond(B), and n
}

}  // namespace
}  // namespace lacon
