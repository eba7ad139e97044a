// One test for each numbered statement of sections 2, 3 and 4 of the theory that is about numbers,
// on 200 moderate random problems each (conditions up to 1e2), and a closed form where the theory
// has one. How far conditions carry is in agreement.cpp.
#include <gtest/gtest.h>

#include <functional>

#include "lacon/reference.hpp"
#include "lacon/solve.hpp"
#include "solve/problems.hpp"

namespace lacon {
namespace {

using namespace testing;

// Conditions of M and B up to 1e2 each: errors of cond(M) + cond(L) cond(B) ≲ 1e3 rounding units of
// eps, in sums over n ≤ 15 terms, and the printed formulas multiply several of them. Sizes are near
// 1 to 1e2.
constexpr double moderate = 1e5 * eps * 40;

void on_samples(std::uint64_t seed, const std::function<void(const Sample&, Random&)>& claim) {
    Random random(seed);
    for (int trial = 0; trial < 200 && !::testing::Test::HasFailure(); ++trial) {
        claim(make_sample(random_plan(random, 1e2, 1e2, 15), random), random);
    }
}

double size_of(const std::vector<double>& x) {
    return 1.0 + to_eigen(x).norm();
}

void expect_same(const std::vector<double>& x, const std::vector<double>& y) {
    ASSERT_EQ(x.size(), y.size());
    EXPECT_LE(largest_difference(x, y), moderate * size_of(y));
}

VectorX feasible_direction(const Matrix& A, Random& random) {  // A v = 0
    const VectorX v = normal(random, static_cast<Index>(A.cols()), 1);
    return v - to_eigen(reference::pinv(A, 1e-10)) * (to_eigen(A) * v);
}

// D⁻ = D⁺ + (I − D⁺D) U + V (I − D D⁺): every g-inverse of D is of this form.
MatrixX random_g_inverse(const MatrixX& D, Random& random) {
    const MatrixX plus = to_eigen(reference::pinv(to_matrix(D), 1e-10));
    const MatrixX U = normal(random, D.cols(), D.rows()), V = normal(random, D.cols(), D.rows());
    return plus + U - plus * (D * U) + V - (V * D) * plus;
}

// H⁻ = H⁺ + (I − H⁺H) U: every least-squares g-inverse of H. The threshold for H⁺ is by the size of
// M^{1/2}, since H may be zero.
MatrixX random_least_squares_g_inverse(const MatrixX& H, double size, Random& random) {
    const double own = H.norm();
    const MatrixX plus =
        own > 1e-9 * size
            ? to_eigen(reference::pinv(to_matrix(H), 1e-10 * std::max(1.0, size / own)))
            : MatrixX::Zero(H.cols(), H.rows());
    const MatrixX U = normal(random, H.cols(), H.rows());
    return plus + U - plus * (H * U);
}

struct AnyInverses {
    Matrix D, H;
    AnyInverses(const Sample& s, Random& random) {
        const MatrixX A = to_eigen(s.A), root = to_eigen(reference::square_root(s.M));
        const MatrixX D_inverse = random_g_inverse(A, random);
        const MatrixX H_matrix = root * (MatrixX::Identity(A.cols(), A.cols()) - D_inverse * A);
        D = to_matrix(D_inverse);
        H = to_matrix(random_least_squares_g_inverse(H_matrix, root.norm(), random));
    }
};

// ---- section 2 ----

TEST(TheoryP1, Equation5aGivesTheAccelerationOfSolve) {
    on_samples(21, [](const Sample& s, Random&) {
        expect_same(solve(s.ideal()).acceleration, reference::acceleration_p1(s.printed()));
    });
}

TEST(TheoryP1, Equation5bGivesTheConstraintForceOfSolve) {
    on_samples(22, [](const Sample& s, Random&) {
        expect_same(solve(s.ideal()).constraint_force, reference::constraint_force_p1(s.printed()));
    });
}

TEST(TheoryP1, Equation5cGivesTheChangeOfAcceleration) {
    on_samples(23, [](const Sample& s, Random&) {
        const ConstrainedSolution solution = solve(s.ideal());
        expect_same(solution.a, reference::free_acceleration(s.printed()));
        expect_same(to_std(to_eigen(solution.acceleration) - to_eigen(solution.a)),
                    reference::acceleration_change_p1(s.printed()));
    });
}

TEST(TheoryP1, Equation6GaussFunctionIsLeastAtTheMotion) {
    on_samples(24, [](const Sample& s, Random& random) {
        const ConstrainedSolution solution = solve(s.ideal());
        const double least = reference::gaussian(s.M, solution.a, solution.acceleration);
        EXPECT_NEAR(solution.gaussian, least, moderate * (1.0 + least));
        for (int trial = 0; trial < 5; ++trial) {
            const VectorX v = feasible_direction(s.A, random);
            // G(q'' + v) = G(q'') + vᵀ M v: the cross term is the virtual work.
            const double more = v.dot(to_eigen(s.M) * v);
            const double at =
                reference::gaussian(s.M, solution.a, to_std(to_eigen(solution.acceleration) + v));
            EXPECT_NEAR(at, least + more, moderate * (1.0 + least + more));
        }
    });
}

TEST(TheoryP3, Equation5GivesTheScaledAcceleration) {
    on_samples(25, [](const Sample& s, Random&) {
        const MatrixX root = to_eigen(reference::square_root(s.M));
        expect_same(to_std(root * to_eigen(solve(s.ideal()).acceleration)),
                    reference::scaled_acceleration_p3(s.printed()));
    });
}

TEST(TheoryP3, Equation11ConstraintForceDoesNoVirtualWork) {
    on_samples(26, [](const Sample& s, Random& random) {
        const std::vector<double> force = solve(s.ideal()).constraint_force;
        const VectorX v = feasible_direction(s.A, random);
        EXPECT_LE(std::abs(v.dot(to_eigen(force))), moderate * size_of(force) * (1.0 + v.norm()));
    });
}

TEST(Theory2, Statement7AnySquareRootOfMGivesTheSameK1) {
    on_samples(27, [](const Sample& s, Random& random) {
        const MatrixX A = to_eigen(s.A),
                      inverse_root = to_eigen(reference::inverse_square_root(s.M));
        const MatrixX L = Eigen::LLT<MatrixX>(to_eigen(s.M)).matrixL();
        // Turned⁻¹ is another root.
        const MatrixX turned = L.inverse().transpose() * orthonormal(random, A.cols(), A.cols());
        const auto K1 = [&](const MatrixX& F) {
            return MatrixX(F * to_eigen(reference::pinv(to_matrix(A * F), 1e-10)));
        };
        const MatrixX symmetric = K1(inverse_root);
        const double tol = moderate * (1.0 + symmetric.norm());
        EXPECT_LE((K1(L.inverse().transpose()) - symmetric).norm(), tol);
        EXPECT_LE((K1(turned) - symmetric).norm(), tol);
    });
}

// ---- section 3 ----

TEST(TheoryP2, Equations1And10AFreeParticleInTurningPolarCoordinatesMovesStraight) {
    // T = ½ m (r'² + r² (θ' + Ω)²) has all three kinds of terms; f = (−m r (θ' + Ω)², 2 m r r' (θ'
    // + Ω)), Q = Q_given − f.
    const double m = 1.3, r = 0.7, vr = -0.4, turning = 2.0 + 0.9;  // θ' + Ω
    const Matrix M = to_matrix(VectorX{{m, m * r * r}}.asDiagonal());
    const std::vector<double> Q{m * r * turning * turning, -2 * m * r * vr * turning};
    const ConstrainedSolution s = solve({M, Q, Matrix(), {}});
    EXPECT_NEAR(s.acceleration[0] - r * turning * turning, 0.0,
                100 * eps);  // radial acceleration at rest
    EXPECT_NEAR(r * s.acceleration[1] + 2 * vr * turning, 0.0, 100 * eps);  // and across
}

TEST(TheoryP2, Equations16To19TheMotionSolvesTheQuadraticProgramme) {
    on_samples(32, [](const Sample& s,
                      Random&) {  // the Karush–Kuhn–Tucker system, by LU with full pivoting
        const Index n = s.plan.n, m = s.plan.m;
        MatrixX kkt = MatrixX::Zero(n + m, n + m);
        kkt.topLeftCorner(n, n) = to_eigen(s.M);
        kkt.topRightCorner(n, m) = -to_eigen(s.A).transpose();
        kkt.bottomLeftCorner(m, n) = to_eigen(s.A);
        VectorX right(n + m);
        right << to_eigen(s.Q), to_eigen(s.b);
        Eigen::CompleteOrthogonalDecomposition<MatrixX> cod;
        cod.setThreshold(1e-10);
        cod.compute(kkt);
        const VectorX solution = cod.solve(right);
        expect_same(solve(s.ideal()).acceleration, to_std(solution.head(n)));
    });
}

TEST(TheoryP2, Equation29HoldsForAnyGInverses) {
    on_samples(33, [](const Sample& s, Random& random) {
        const AnyInverses any(s, random);
        if (s.plan.m > 0) {
            EXPECT_LE(reference::penrose_residuals(s.A, any.D)[0], moderate);
        }
        expect_same(reference::acceleration_p2(s.printed(), any.D, any.H),
                    solve(s.ideal()).acceleration);
    });
}

TEST(TheoryP2, Equation30HoldsWithMoorePenroseInverses) {
    on_samples(34, [](const Sample& s, Random&) {
        expect_same(reference::acceleration_p2(s.printed()), solve(s.ideal()).acceleration);
    });
}

TEST(TheoryP2, Equation31WithoutConstraintsTheAccelerationIsFree) {
    Random random(35);
    for (Index n = 0; n < 10; ++n) {
        const Sample s = make_sample({.n = n, .cond_M = 100.0}, random);
        expect_same(solve(s.ideal()).acceleration, reference::free_acceleration(s.printed()));
        expect_same(reference::acceleration_p2(s.printed()),
                    reference::free_acceleration(s.printed()));
    }
}

TEST(TheoryP2, Equation33GivesTheConstraintForceForAnyGInverses) {
    on_samples(36, [](const Sample& s, Random& random) {
        const AnyInverses any(s, random);
        const std::vector<double> force = solve(s.ideal()).constraint_force;
        expect_same(reference::control_force_p2(s.printed(), any.D, any.H), force);
        expect_same(reference::control_force_p2(s.printed()), force);
    });
}

TEST(TheoryP2, Equation35MultipliersAreThoseOfLeastNorm) {
    on_samples(37, [](const Sample& s, Random&) {
        const ConstrainedSolution solution = solve(s.ideal());
        expect_same(to_std(to_eigen(s.A).transpose() * to_eigen(solution.multipliers)),
                    solution.constraint_force);
        const std::vector<double> printed = reference::multipliers_p2(s.printed());
        EXPECT_LE(largest_difference(solution.multipliers, printed),
                  moderate * 100 * size_of(printed));  // once more cond(A)
    });
}

TEST(TheoryP2, Equation35ForIndependentRowsIsTheNormalEquation) {
    Random random(38);
    for (int trial = 0; trial < 100; ++trial) {
        const Index n = integer(random, 2, 12), m = integer(random, 1, n);
        const Sample s = make_sample({n, m, m, 30.0, 30.0}, random);
        const MatrixX D = to_eigen(s.A);
        const VectorX lambda = (D * D.transpose())
                                   .ldlt()
                                   .solve(D * to_eigen(reference::control_force_p2(s.printed())));
        expect_same(solve(s.ideal()).multipliers, to_std(lambda));
    }
}

TEST(Theory3, Statement7RedundantConsistentRowsLeaveTheAccelerationUnchanged) {
    on_samples(39, [](const Sample& s, Random& random) {
        const MatrixX A = to_eigen(s.A), mix = normal(random, 3, s.plan.m);
        MatrixX more(s.plan.m + 3, s.plan.n);
        more << A, mix * A;
        VectorX b(s.plan.m + 3);
        b << to_eigen(s.b), mix * to_eigen(s.b);
        const Matrix A_more = to_matrix(more);
        const std::vector<double> b_more = to_std(b);
        const ConstrainedSolution solution = solve({s.M, s.Q, A_more, b_more});
        EXPECT_EQ(solution.rank, static_cast<std::size_t>(s.plan.rank));
        EXPECT_EQ(solution.dependent.size(), static_cast<std::size_t>(s.plan.m + 3 - s.plan.rank));
        expect_same(solution.acceleration, solve(s.ideal()).acceleration);
    });
}

// ---- section 4 ----

TEST(TheoryP5, Equation12ConstraintForcesDoTheVirtualWorkOfC) {
    on_samples(41, [](const Sample& s, Random& random) {
        const ConstrainedSolution solution = solve(s.nonideal());
        const VectorX v = feasible_direction(s.A, random);
        const VectorX force =
            to_eigen(solution.constraint_force) + to_eigen(solution.nonideal_force);
        EXPECT_LE(std::abs(v.dot(force) - v.dot(to_eigen(s.c))),
                  moderate * (1.0 + force.norm()) * (1.0 + v.norm()));
    });
}

TEST(TheoryP5, Equations33And44GiveTheAccelerationOfSolve) {
    on_samples(42, [](const Sample& s, Random&) {
        expect_same(solve(s.nonideal()).acceleration, reference::acceleration_p5(s.printed(), s.c));
    });
}

TEST(TheoryP5, Equation31HasOrthogonalTermsAndGivesTheScaledAcceleration) {
    on_samples(43, [](const Sample& s, Random&) {
        const reference::ScaledParts parts = reference::scaled_parts_p5(s.printed(), s.c);
        const VectorX required = to_eigen(parts.required), free = to_eigen(parts.free);
        EXPECT_LE(std::abs(required.dot(free)),
                  moderate * (1.0 + required.norm()) * (1.0 + free.norm()));
        const MatrixX root = to_eigen(reference::square_root(s.M));
        expect_same(to_std(root * to_eigen(solve(s.nonideal()).acceleration)),
                    reference::scaled_acceleration_p5(s.printed(), s.c));
    });
}

TEST(TheoryP5, Equation34ExtendedGaussFunctionIsLeastAtTheMotion) {
    on_samples(44, [](const Sample& s, Random& random) {
        const VectorX q = to_eigen(solve(s.nonideal()).acceleration);
        const double least = reference::gaussian_p5(s.printed(), s.c, to_std(q));
        const VectorX v = feasible_direction(s.A, random);
        const double more = v.dot(to_eigen(s.M) * v);
        EXPECT_NEAR(reference::gaussian_p5(s.printed(), s.c, to_std(q + v)), least + more,
                    moderate * (1.0 + least + more));
    });
}

TEST(TheoryP5, Equations42And43SplitTheForceIntoIdealAndNonIdealPart) {
    on_samples(45, [](const Sample& s, Random&) {
        const ConstrainedSolution solution = solve(s.nonideal());
        expect_same(solution.nonideal_force, reference::nonideal_force_p5(s.printed(), s.c));
        expect_same(solution.constraint_force, reference::constraint_force_p1(s.printed()));
        const VectorX total =
            to_eigen(solution.constraint_force) + to_eigen(solution.nonideal_force);
        expect_same(to_std(total), reference::total_constraint_force_p5(s.printed(), s.c));
        expect_same(to_std(to_eigen(s.M) * to_eigen(solution.acceleration) - to_eigen(s.Q)),
                    to_std(total));
    });
}

TEST(Theory4, Statement5ABlockSlidingDownAnInclineIsSlowedByCoulombFriction) {
    const double m = 2.0, g = 9.81, mu = 0.3, slope = 0.5, s = std::sin(slope), c = std::cos(slope);
    const Matrix M = to_matrix(m * MatrixX::Identity(2, 2));
    Matrix A(1, 2);
    A(0, 0) = s, A(0, 1) = c;  // x sin + y cos = 0: downhill is (cos, −sin)
    const std::vector<double> Q{0.0, -m * g}, b{0.0};
    const VectorX ideal = to_eigen(solve({M, Q, A, b}).constraint_force);
    EXPECT_NEAR(ideal.norm(), m * g * c, 100 * eps * m * g);
    const std::vector<double> friction{-mu * ideal.norm() * c, mu * ideal.norm() * s};
    const ConstrainedSolution solution = solve({M, Q, A, b, friction});
    const double downhill = g * (s - mu * c);
    EXPECT_NEAR(solution.acceleration[0], downhill * c, 100 * eps * g);
    EXPECT_NEAR(solution.acceleration[1], -downhill * s, 100 * eps * g);
    EXPECT_NEAR(to_eigen(solution.nonideal_force).norm(), mu * m * g * c, 100 * eps * m * g);
}

TEST(TheoryPenrose, PinvMeetsTheFourConditions) {
    on_samples(46, [](const Sample& s, Random&) {
        const Matrix X = reference::pinv(s.A, 1e-10);
        const double size = 1.0 + to_eigen(X).norm();
        for (const double residual : reference::penrose_residuals(s.A, X))
            EXPECT_LE(residual, moderate * size);
    });
}

}  // namespace
}  // namespace lacon
