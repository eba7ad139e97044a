// Bounds and enclosures against what the ordinary solver gives at sampled states.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "exists/bound.hpp"
#include "exists/constancy.hpp"
#include "lacon/exists.hpp"
#include "mechanics/numbers/assemble.hpp"

namespace lacon {
namespace {

struct Sampled {
    const char* file;
    double radius;
};

class EnclosuresOfModels : public testing::TestWithParam<Sampled> {};

/// 10,000 states of the box: the acceleration of the ordinary solver lies in the enclosure, up to
/// its own rounding.
TEST_P(EnclosuresOfModels, ContainEverySampledAcceleration) {
    const Mechanism mechanism =
        Mechanism::load(std::string(LACON_SOURCE_DIR) + "/models/" + GetParam().file);
    const DerivedModel& details = mechanism.details();
    const State centre = mechanism.start().state;
    const Evaluation at = mechanism.evaluate(centre);
    ASSERT_TRUE(at.status) << at.status.message;
    const NeededRows rows =
        needed_rows(details.system.row_count(), at.solution.dependent, at.solution.unneeded);
    BoxField field(details, rows.needed);
    const double radius = GetParam().radius;
    const Box box = box_around(centre, radius, radius);
    const Enclosure enclosure = field.over(box);
    ASSERT_EQ(enclosure.verdict, Enclosure::Verdict::proven);
    const Bound bound = bound_over(field, box, {});
    ASSERT_TRUE(bound.proven);
    EXPECT_LE(bound.reached, bound.mu);

    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(-radius, radius);
    const std::size_t n = centre.q.size();
    Assembler assembler(details.system, details.parameters);
    Equations equations;
    double largest = 0.0;
    for (int i = 0; i < 10000; ++i) {
        State state = centre;
        for (double& q : state.q) q += uniform(random);
        for (double& v : state.v) v += uniform(random);
        state.t += uniform(random);
        assembler.equations(state, equations);
        Matrix A(rows.needed.size(), n);
        std::vector<double> b;
        for (std::size_t r = 0; r < rows.needed.size(); ++r) {
            b.push_back(equations.b[rows.needed[r]]);
            for (std::size_t j = 0; j < n; ++j) A(r, j) = equations.A(rows.needed[r], j);
        }
        const ConstrainedSolution solution =
            solve(ConstrainedProblem{equations.M, equations.Q, A, b});
        ASSERT_EQ(solution.outcome, Outcome::ok);
        double size = 1.0;
        for (const double a : solution.acceleration) size = std::max(size, std::abs(a));
        for (std::size_t j = 0; j < n; ++j) {
            const double a = solution.acceleration[j], rounding = 1e-10 * size;
            EXPECT_GE(a, enclosure.acceleration[j].low - rounding);
            EXPECT_LE(a, enclosure.acceleration[j].high + rounding);
            EXPECT_LE(std::abs(a), bound.largest[n + j] + rounding);
            largest = std::max(largest, std::abs(a));
        }
    }
    EXPECT_LE(bound.mu, 2.0 * std::max(largest, bound.reached)) << "a bound that says little";
}

INSTANTIATE_TEST_SUITE_P(
    Models, EnclosuresOfModels,
    testing::Values(Sampled{"pendulum.lac", 0.1}, Sampled{"pendulum_angle.lac", 0.5},
                    Sampled{"double_pendulum.lac", 0.05},
                    Sampled{"double_pendulum_angles.lac", 0.1},
                    Sampled{"nonholonomic_particle.lac", 0.2}, Sampled{"guided_particle.lac", 0.2},
                    Sampled{"four_bar.lac", 0.01}, Sampled{"parallelogram.lac", 0.02},
                    Sampled{"quaternion_body.lac", 0.05}, Sampled{"spinning_wire.lac", 0.05},
                    Sampled{"rolling_disk.lac", 0.02}, Sampled{"appell_hamel.lac", 0.05}),
    [](const auto& model) {
        std::string name = model.param.file;
        name.resize(name.size() - 4);
        return name;
    });

TEST(NeededRows, AreIndependentAndExpressTheOthers) {
    // Rows 0 … 4: 2 = 0 + 1, 4 = 2·3.
    const std::vector<DependentSet> sets{{{0, 1, 2}, {1.0, 1.0, -1.0}}, {{3, 4}, {1.0, -0.5}}};
    const NeededRows rows = needed_rows(5, sets, {2, 4});
    EXPECT_EQ(rows.needed, (std::vector<std::size_t>{0, 1, 3}));
    ASSERT_EQ(rows.dropped.size(), 2u);
    EXPECT_EQ(rows.dropped[0].dropped, 2u);
    EXPECT_EQ(rows.dropped[0].rows, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(rows.dropped[1].dropped, 4u);
    EXPECT_DOUBLE_EQ(rows.dropped[1].coefficients[0], 2.0);
}

TEST(Bound, TheBudgetIsKept) {
    const Mechanism mechanism =
        Mechanism::load(std::string(LACON_SOURCE_DIR) + "/models/double_pendulum.lac");
    BoxField field(mechanism.details(), {0, 1});
    const Bound bound = bound_over(field, box_around(mechanism.start().state, 0.3, 0.3),
                                   {.budget = 50, .tightness = 1e-6});
    EXPECT_LE(bound.boxes, 52u);
    EXPECT_TRUE(bound.exhausted);
}

}  // namespace
}  // namespace lacon
