// The truss of models/large, whose joints and bars are lists in files.

#include <cmath>

#include "model_tests.hpp"

namespace lacon::models {
namespace {

constexpr std::size_t joints = 9;

/// Where joint n (from 1) lies on the level truss: above at whole numbers, 0.75 m below at the
/// halves between.
Plane place_of(std::size_t n) {
    const double x = 0.5 * static_cast<double>(n - 1);
    return {x, n % 2 == 1 ? 0.0 : -0.75};
}

std::string member(const std::string& name, std::size_t n) {
    return name + "[" + std::to_string(n) + "]";
}

struct TrussSwing {
    double angle, rate;
};

TEST(TrussModel, SwingsAsOneRigidBody) {
    const Mechanism m = load("large/truss.lac");
    ASSERT_EQ(m.constraints().size(), 2 + 15U);
    const double g = m.parameter("g"), mass = m.parameter("m");
    for (const TrussSwing& at : {TrussSwing{0.0, 0.0}, TrussSwing{-0.4, 1.5},
                                 TrussSwing{-2.0, -0.7}, TrussSwing{1.1, 2.2}}) {
        const double c = std::cos(at.angle), s = std::sin(at.angle);
        std::vector<Plane> r(joints + 1);
        double moment = 0.0, inertia = 0.0;
        for (std::size_t n = 1; n <= joints; ++n) {
            const Plane p = place_of(n);
            r[n] = {c * p[0] - s * p[1], s * p[0] + c * p[1]};
            moment += r[n][0];
            inertia += dot(r[n], r[n]);
        }
        const double turn = -g * moment / inertia;
        Values state, expected;
        for (std::size_t n = 1; n <= joints; ++n) {
            const auto [x, y] = r[n];
            state.insert(state.end(), {{member("x", n), x},
                                       {member("y", n), y},
                                       {member("x", n) + "'", -at.rate * y},
                                       {member("y", n) + "'", at.rate * x}});
            expected.insert(expected.end(), {{member("x", n), -turn * y - at.rate * at.rate * x},
                                             {member("y", n), turn * x - at.rate * at.rate * y}});
        }
        const Evaluation result = expect_accelerations(m, state_of(m, state), expected);

        // Joint 9 hangs on bar 8, from joint 8, and bar 15, from joint 7: m a = m g + λ8 e8 + λ15
        // e15, e away from the others.
        const Plane need = {mass * (-turn * r[9][1] - at.rate * at.rate * r[9][0]),
                            mass * (turn * r[9][0] - at.rate * at.rate * r[9][1] + g)};
        const auto along = [&](std::size_t from) {
            const Plane d = {r[9][0] - r[from][0], r[9][1] - r[from][1]};
            const double length = std::sqrt(dot(d, d));
            return Plane{d[0] / length, d[1] / length};
        };
        const Plane e8 = along(8), e15 = along(7);
        const double det = e8[0] * e15[1] - e8[1] * e15[0];
        expect_multiplier(result, "bar[8]", (need[0] * e15[1] - need[1] * e15[0]) / det);
        expect_multiplier(result, "bar[15]", (e8[0] * need[1] - e8[1] * need[0]) / det);
    }
}

}  // namespace
}  // namespace lacon::models
