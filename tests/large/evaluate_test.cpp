// The sparse way at one state against the dense one, which has its own proofs.
#include <random>

#include "../agree/random_mechanism.hpp"
#include "large/elements/assembly.hpp"
#include "large/motion/field.hpp"
#include "large_tests.hpp"

namespace lacon::large_tests {
namespace {

void expect_like_dense(const Mechanism& mechanism, const State& state) {
    const Evaluation dense = mechanism.evaluate(state);
    const Evaluation sparse = evaluated(mechanism, state);
    const auto full = [](const SparseMatrix& X, bool symmetric) {
        Matrix result(X.rows, X.cols);
        for (std::size_t i = 0; i < X.rows; ++i)
            for (std::size_t e = X.begin[i]; e < X.begin[i + 1]; ++e) {
                result(i, X.column[e]) = X.value[e];
                if (symmetric) result(X.column[e], i) = X.value[e];
            }
        return result;
    };
    const auto near = [](const Matrix& a, const Matrix& b, const char* what) {
        ASSERT_EQ(a.rows(), b.rows());
        double most = 0.0, size = 0.0;
        for (std::size_t k = 0; k < a.rows() * a.cols(); ++k) {
            most = std::max(most, std::abs(a.data()[k] - b.data()[k]));
            size = std::max(size, std::abs(b.data()[k]));
        }
        EXPECT_LE(most, 1e-14 * size) << what;
    };
    near(full(sparse.sparse_M, true), dense.M, "M");
    near(full(sparse.sparse_A, false), dense.A, "A");
    EXPECT_LE(largest_difference(sparse.Q, dense.Q), 1e-14 * (1.0 + largest(dense.Q)));
    EXPECT_LE(largest_difference(sparse.b, dense.b), 1e-14 * (1.0 + largest(dense.b)));
    ASSERT_EQ(name_of(sparse.status.outcome), name_of(dense.status.outcome))
        << sparse.status.message;
    EXPECT_EQ(sparse.solution.rank, dense.solution.rank);
    if (!dense.status) return;
    const double size = 1.0 + largest(dense.solution.acceleration);
    EXPECT_LE(largest_difference(sparse.solution.acceleration, dense.solution.acceleration),
              1e-9 * size);
    EXPECT_LE(largest_difference(sparse.solution.constraint_force, dense.solution.constraint_force),
              1e-9 * (1.0 + largest(dense.solution.constraint_force)));
    EXPECT_LE(largest_difference(sparse.solution.multipliers, dense.solution.multipliers),
              1e-8 * (1.0 + largest(dense.solution.multipliers)))
        << "shared by least norm";
    EXPECT_NEAR(sparse.kinetic, dense.kinetic, 1e-13 * (1.0 + std::abs(dense.kinetic)));
    EXPECT_NEAR(sparse.potential, dense.potential, 1e-13 * (1.0 + std::abs(dense.potential)));
    ASSERT_EQ(sparse.outputs.size(), dense.outputs.size());
    for (std::size_t i = 0; i < dense.outputs.size(); ++i) {
        EXPECT_EQ(sparse.outputs[i].first, dense.outputs[i].first);
        EXPECT_NEAR(sparse.outputs[i].second, dense.outputs[i].second,
                    1e-8 * (1.0 + std::abs(dense.outputs[i].second)))
            << dense.outputs[i].first;
    }
}

TEST(LargeEvaluation, AgreesWithTheDenseOneOnAllModelsThatSuit) {
    const auto models = suitable_models();
    EXPECT_GE(models.size(), 20U);
    for (const std::string& file : models) {
        SCOPED_TRACE(file);
        const Mechanism mechanism = Mechanism::load(file);
        State state = mechanism.start().state;
        expect_like_dense(mechanism, state);
    }
}

TEST(LargeEvaluation, AgreesWithTheDenseOneOnRandomMechanisms) {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        const Mechanism mechanism = Mechanism::parse(random_mechanism(seed));
        if (!why_not_large(mechanism.details()).empty()) continue;
        const Start start = mechanism.start();
        if (start.status) expect_like_dense(mechanism, start.state);
    }
}

TEST(LargeEvaluation, AgreesWithTheDenseOneOnChainsAndNetsWithRowsSaidTwice) {
    for (const std::string& text : {chain(40), chain(40, 5), net(6)}) {
        const Mechanism mechanism = Mechanism::parse(text);
        State state = mechanism.start().state;
        std::mt19937 random(3);
        std::normal_distribution<double> number(0.0, 0.3);
        for (double& v : state.v) v = number(random);
        expect_like_dense(mechanism, state);
    }
}

TEST(LargeEvaluation, CountsDependentRowsExactlyAndNamesThemByRanges) {
    const Mechanism mechanism = Mechanism::parse(chain(1000, 10));
    const Evaluation at = evaluated(mechanism, mechanism.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_EQ(at.solution.rank, 1000U);
    ASSERT_EQ(at.solution.dependent.size(), 100U);
    for (const DependentSet& set : at.solution.dependent) {
        ASSERT_EQ(set.rows.size(), 2U);
        EXPECT_EQ(mechanism.constraints()[set.rows[0]],
                  "link[" + std::to_string(10 * (set.rows[1] - 999)) + "]");
        EXPECT_FALSE(set.conflict);
    }
}

TEST(LargeEvaluation, SetsThatDifferByAnIndexAreToldTogether) {
    const Mechanism mechanism = Mechanism::parse(
        chain(60) + "constraint again[i]: norm(P[i] - P[i-1])^2 = l^2 for i in 11..30\n");
    const Evaluation at = evaluated(mechanism, mechanism.start().state);
    const auto groups = group_sets(mechanism.details(), at.solution.dependent);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].sets.size(), 20U);
    EXPECT_EQ(groups[0].text, "'link[i]' and 'again[i]' are equivalent, 20 sets: i = 11..30");
}

TEST(LargeEvaluation, MassesThatAreNextToNothingTakeTheAccelerationThatTheRowsLeaveThem) {
    // 1.3 x'' − 0.7 y'' + 1.9 z'' = b and 0.3 x'' + 1.1 y'' + 0.2 z'' = d. Without masses the
    // forces on y and z are those of the rows, which fix both multipliers; then x'' follows, and
    // the rows give y'' and z''.
    const auto expect = [](const std::string& light, double Y, double Z, double b) {
        const Evaluation at = evaluated(
            Mechanism::parse("coord x, y, z\nequation x: 3*x'' = 5\nequation y: " + light +
                             "*y'' = " + std::to_string(Y) + "\nequation z: " + light +
                             "*z'' = " + std::to_string(Z) +
                             "\nconstraint c: 1.3*x'' - 0.7*y'' + 1.9*z'' = " + std::to_string(b) +
                             "\nconstraint d: 0.3*x'' + 1.1*y'' + 0.2*z'' = 0.1\n"),
            {0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
        ASSERT_TRUE(at.status) << light << at.status.message;
        const double rows = -0.7 * 0.2 - 1.1 * 1.9;  // of (−0.7, 1.1) and (1.9, 0.2)
        const double l1 = (-Y * 0.2 + Z * 1.1) / rows, l2 = (0.7 * Z + Y * 1.9) / rows;
        const double x = (5.0 + 1.3 * l1 + 0.3 * l2) / 3.0;
        const double c = b - 1.3 * x, d = 0.1 - 0.3 * x;
        const double y = (0.2 * c - 1.9 * d) / rows, z = (-0.7 * d - 1.1 * c) / rows;
        EXPECT_NEAR(at.solution.acceleration[0], x, 1e-9 * std::abs(x)) << light;
        EXPECT_NEAR(at.solution.acceleration[1], y, 1e-9 * std::abs(x)) << light;
        EXPECT_NEAR(at.solution.acceleration[2], z, 1e-9 * std::abs(x)) << light;
    };
    for (const char* light : {"1e-15", "1e-20", "1e-27", "1e-40"}) {
        expect(light, -700.0, 9000.0, 0.4);
        expect(light, 20.0, -3.5, -2.0);
        expect(light, 1e6, 1e-3, 0.0);
    }
}

TEST(LargeEvaluation, AConflictIsNamedWithWhatItAsksFor) {
    const std::string text =
        chain(400) +
        "constraint odd: (x[200] - x[199])*(x[200]'' - x[199]'') + (y[200] - y[199])*(y[200]'' - "
        "y[199]'') = 3\n";
    const Mechanism mechanism = Mechanism::parse(text);
    const Evaluation at = evaluated(mechanism, mechanism.start().state);
    EXPECT_EQ(name_of(at.status.outcome), "conflict");
    EXPECT_EQ(at.status.names, (std::vector<std::string>{"link[200]", "odd"}));
    EXPECT_TRUE(at.solution.acceleration.empty());
}

TEST(LargeEvaluation, AMasslessCoordinateThatNothingHoldsIsNamed) {
    const Mechanism mechanism = Mechanism::parse(chain(30) + "coord loose\n");
    const Evaluation at = evaluated(mechanism, mechanism.start().state);
    EXPECT_EQ(name_of(at.status.outcome), "undetermined");
    EXPECT_EQ(at.status.names, (std::vector<std::string>{"loose"}));
}

TEST(LargeEvaluation, RefusesWhatItCannotHave) {
    EXPECT_EQ(why_not_large(Mechanism::parse(
                                "coord x\nkinetic x'^2/2\nconstraint floor: x >= 0\nstart x = 1\n")
                                .details()),
              "one-sided constraints and friction");
    EXPECT_EQ(why_not_large(Mechanism::parse(
                                "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: y = abs(x)\n")
                                .details()),
              "decisions (if, abs, min, max) within constraints");
}

}  // namespace
}  // namespace lacon::large_tests
