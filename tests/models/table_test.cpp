// A table on four elastic legs: weights 1/k give the forces of springs.

#include "lacon/solve.hpp"
#include "model_tests.hpp"

namespace lacon::models {
namespace {

constexpr int side[] = {1, -1, -1, 1}, front[] = {1, 1, -1, -1}, null[] = {1, -1, 1, -1};

/// Castigliano: what is free in the forces makes Σ f²/(2 k) least.
std::array<double, 4> least_work(const Mechanism& m, const std::array<double, 4>& k) {
    const double F = m.parameter("F"), d = m.parameter("d"), px = m.parameter("px"),
                 py = m.parameter("py");
    std::array<double, 4> f{};
    double excess = 0.0, give = 0.0;
    for (int i = 0; i < 4; ++i) {
        f[i] = F / 4 * (1 + side[i] * px / d + front[i] * py / d);
        excess += null[i] * f[i] / k[i];
        give += 1 / k[i];
    }
    for (int i = 0; i < 4; ++i) f[i] -= null[i] * excess / give;
    return f;
}

/// Springs under a rigid table: Σ k_i h_i h_iᵀ u = F (1, px, py), f_i = k_i h_i·u with h_i = (1,
/// ±d, ±d).
std::array<double, 4> spring_forces(const Mechanism& m, const std::array<double, 4>& k) {
    const double F = m.parameter("F"), d = m.parameter("d");
    Matrix K(3, 3);
    for (int i = 0; i < 4; ++i) {
        const double h[] = {1.0, side[i] * d, front[i] * d};
        for (std::size_t r = 0; r < 3; ++r)
            for (std::size_t c = 0; c < 3; ++c) K(r, c) += k[i] * h[r] * h[c];
    }
    const std::vector<double> load{F, F * m.parameter("px"), F * m.parameter("py")};
    const Matrix none(0, 3);
    const std::vector<double> u = solve({K, load, none, {}}).acceleration;
    std::array<double, 4> f{};
    for (int i = 0; i < 4; ++i) f[i] = k[i] * (u[0] + side[i] * d * u[1] + front[i] * d * u[2]);
    return f;
}

TEST(TableStiffnessModel, TheLegsCarryWhatSpringsOfTheirStiffnessWould) {
    const std::array<double, 4> stiffnesses[] = {
        {5e4, 2e5, 2e5, 2e5}, {1e5, 1e5, 1e5, 1e5}, {1e3, 1e7, 3e4, 2e6}, {4e5, 1e4, 7e5, 3e4}};
    for (const auto& k : stiffnesses) {
        for (const auto& [px, py] : {Plane{0.1, 0.05}, Plane{-0.3, 0.2}, Plane{0.45, 0.45}}) {
            Settings settings{{"px", px}, {"py", py}};
            for (int i = 0; i < 4; ++i)
                settings.emplace_back("k[" + std::to_string(i + 1) + "]", k[i]);
            const Mechanism m = load("table_stiffness.lac", settings);
            const Evaluation at =
                expect_accelerations(m, m.start().state, {{"z", 0.0}, {"a", 0.0}, {"b", 0.0}});
            const auto work = least_work(m, k), springs = spring_forces(m, k);
            for (int i = 0; i < 4; ++i) {
                const std::string leg = "leg[" + std::to_string(i + 1) + "]";
                expect_close(constraint_of(at, leg).multiplier, work[i], 100.0, leg);
                // K is of condition 1e4.
                EXPECT_NEAR(constraint_of(at, leg).multiplier, springs[i], 1e-9) << leg;
                EXPECT_TRUE(constraint_of(at, leg).redundant);
                EXPECT_EQ(constraint_of(at, leg).weight, 1 / k[i]);
            }
        }
    }
}

TEST(TableStiffnessModel, TheTotalForceIsThatOfAnyWeights) {
    const Mechanism soft = load("table_stiffness.lac"),
                    even = load("table_stiffness.lac", {{"k[1]", 2e5}});
    const Evaluation a = soft.evaluate(soft.start().state), b = even.evaluate(even.start().state);
    EXPECT_GT(std::abs(a.constraints[0].multiplier - b.constraints[0].multiplier), 1.0);
    for (std::size_t i = 0; i < 3; ++i)
        expect_close(a.solution.constraint_force[i], b.solution.constraint_force[i], 100.0);
}

TEST(TableStiffnessModel, ExplainTellsTheWeights) {
    const std::string text = load("table_stiffness.lac").explain(false),
                      latex = load("table_stiffness.lac").explain(true);
    EXPECT_NE(text.find("    weight 1/k[1] when its force is shared\n"), std::string::npos) << text;
    EXPECT_NE(latex.find("% weight"), std::string::npos) << latex;
}

}  // namespace
}  // namespace lacon::models
