// Chains of bobs and rods in a vertical plane: the double pendulum twice, and N links.

#include "model_tests.hpp"

namespace lacon::models {
namespace {

/// The double pendulum in its angles, by the formulas of the textbooks.
struct DoubleSwing {
    double L1, L2, m1, m2, g;
    double a, b, a1, b1;  // angles from the downward vertical, and their rates
    double a2 = 0.0, b2 = 0.0;

    DoubleSwing(const Mechanism& m, const std::array<double, 4>& s)
        : L1(m.parameter("L1")),
          L2(m.parameter("L2")),
          m1(m.parameter("m1")),
          m2(m.parameter("m2")),
          g(m.parameter("g")),
          a(s[0]),
          b(s[1]),
          a1(s[2]),
          b1(s[3]) {
        const double d = a - b, D = 2 * m1 + m2 - m2 * std::cos(2 * d);
        a2 = (-g * (2 * m1 + m2) * std::sin(a) - m2 * g * std::sin(a - 2 * b) -
              2 * m2 * std::sin(d) * (b1 * b1 * L2 + a1 * a1 * L1 * std::cos(d))) /
             (L1 * D);
        b2 = 2 * std::sin(d) *
             (a1 * a1 * L1 * (m1 + m2) + g * (m1 + m2) * std::cos(a) +
              b1 * b1 * L2 * m2 * std::cos(d)) /
             (L2 * D);
    }
};

/// Velocity and acceleration of the end of a rod of length L relative to its beginning.
Plane rod_velocity(double L, double angle, double rate) {
    return {L * rate * std::cos(angle), L * rate * std::sin(angle)};
}
Plane rod_acceleration(double L, double angle, double rate, double growth) {
    return {L * (growth * std::cos(angle) - rate * rate * std::sin(angle)),
            L * (growth * std::sin(angle) + rate * rate * std::cos(angle))};
}

const std::vector<std::array<double, 4>> double_swings = {
    {1.2, -0.5, 2.0, -3.0}, {0.1, 0.1, 0.0, 0.0}, {3.0, 1.6, -4.0, 5.0}, {-2.0, 0.7, 0.3, 1.0}};

TEST(DoublePendulumAnglesModel, AnglesObeyTheTextbookEquations) {
    for (const Settings& settings : {Settings{}, Settings{{"m1", 3.0}, {"m2", 0.2}, {"L2", 1.9}}}) {
        const Mechanism m = load("double_pendulum_angles.lac", settings);
        for (const auto& values : double_swings) {
            const DoubleSwing s(m, values);
            expect_accelerations(m,
                                 state_of(m, {{"a", s.a}, {"b", s.b}, {"a'", s.a1}, {"b'", s.b1}}),
                                 {{"a", s.a2}, {"b", s.b2}});
        }
    }
}

TEST(DoublePendulumModel, BobsMoveAsTheAnglesSayAndRodsPullAsNewtonAsks) {
    const Mechanism m = load("double_pendulum.lac");
    for (const auto& values : double_swings) {
        const DoubleSwing s(m, values);
        const Plane u1 = {std::sin(s.a), -std::cos(s.a)}, u2 = {std::sin(s.b), -std::cos(s.b)};
        const Plane v1 = rod_velocity(s.L1, s.a, s.a1), v2 = rod_velocity(s.L2, s.b, s.b1);
        const Plane w1 = rod_acceleration(s.L1, s.a, s.a1, s.a2),
                    w2 = rod_acceleration(s.L2, s.b, s.b1, s.b2);
        const State state = state_of(m, {{"x1", s.L1 * u1[0]},
                                         {"y1", s.L1 * u1[1]},
                                         {"x2", s.L1 * u1[0] + s.L2 * u2[0]},
                                         {"y2", s.L1 * u1[1] + s.L2 * u2[1]},
                                         {"x1'", v1[0]},
                                         {"y1'", v1[1]},
                                         {"x2'", v1[0] + v2[0]},
                                         {"y2'", v1[1] + v2[1]}});
        const Plane far = {w1[0] + w2[0], w1[1] + w2[1]};
        const Evaluation at = expect_accelerations(
            m, state, {{"x1", w1[0]}, {"y1", w1[1]}, {"x2", far[0]}, {"y2", far[1]}});
        // Newton's law for the far bob along its rod, then for both bobs together along the upper
        // rod
        const double lower = -s.m2 * dot({far[0], far[1] + s.g}, u2);
        const Plane both = {s.m1 * w1[0] + s.m2 * far[0],
                            s.m1 * (w1[1] + s.g) + s.m2 * (far[1] + s.g)};
        expect_multiplier(at, "lower", -lower);
        expect_multiplier(at, "upper", dot(both, u1));
    }
}

/// Solves S x = r by elimination without pivoting (S is symmetric, positive definite).
std::vector<double> solved(std::vector<std::vector<double>> S, std::vector<double> r) {
    const std::size_t n = r.size();
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = k + 1; i < n; ++i) {
            const double f = S[i][k] / S[k][k];
            for (std::size_t j = k; j < n; ++j) S[i][j] -= f * S[k][j];
            r[i] -= f * r[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t j = k + 1; j < n; ++j) r[k] -= S[k][j] * r[j];
        r[k] /= S[k][k];
    }
    return r;
}

/// A chain of N links in its angles: Lagrange's equations written out.
std::vector<double> angular_accelerations(const Mechanism& m, const std::vector<double>& angle,
                                          const std::vector<double>& rate) {
    const std::size_t N = angle.size();
    const double g = m.parameter("g"), l = m.parameter("l");
    std::vector<std::vector<double>> S(N, std::vector<double>(N));
    std::vector<double> r(N);
    for (std::size_t i = 0; i < N; ++i) {
        r[i] = -g / l * static_cast<double>(N - i) * std::sin(angle[i]);
        for (std::size_t j = 0; j < N; ++j) {
            const auto carried = static_cast<double>(N - std::max(i, j));
            S[i][j] = carried * std::cos(angle[i] - angle[j]);
            r[i] -= carried * std::sin(angle[i] - angle[j]) * rate[j] * rate[j];
        }
    }
    return solved(std::move(S), std::move(r));
}

std::string member(const char* family, std::size_t i) {
    return std::string(family) + "[" + std::to_string(i) + "]";
}

/// The state of a chain with these angles and rates, and, given angular accelerations, the
/// accelerations of its beads.
struct ChainMotion {
    Values state, accelerations;
    ChainMotion(double l, const std::vector<double>& angle, const std::vector<double>& rate,
                const std::vector<double>& growth) {
        Plane place{}, velocity{}, acceleration{};
        for (std::size_t i = 0; i < angle.size(); ++i) {
            const Plane dv = rod_velocity(l, angle[i], rate[i]),
                        da = rod_acceleration(l, angle[i], rate[i], growth[i]);
            place = {place[0] + l * std::sin(angle[i]), place[1] - l * std::cos(angle[i])};
            velocity = {velocity[0] + dv[0], velocity[1] + dv[1]};
            acceleration = {acceleration[0] + da[0], acceleration[1] + da[1]};
            for (std::size_t k = 0; k < 2; ++k) {
                const std::string name = member(k == 0 ? "x" : "y", i + 1);
                state.emplace_back(name, place[k]);
                state.emplace_back(name + "'", velocity[k]);
                accelerations.emplace_back(name, acceleration[k]);
            }
        }
    }
};

TEST(ChainModel, AnyStateMovesAsTheEquationsOfTheAnglesSay) {
    for (const std::size_t N : {1U, 2U, 6U, 15U}) {
        const Mechanism m = load("chain.lac", {{"N", static_cast<double>(N)}});
        ASSERT_EQ(m.coordinates().size(), 2 * N);
        std::vector<double> angle(N), rate(N);
        for (std::size_t i = 0; i < N; ++i) {
            angle[i] = 0.4 + 0.9 * std::sin(1.7 * static_cast<double>(i));
            rate[i] = std::cos(2.3 * static_cast<double>(i));
        }
        const ChainMotion motion(m.parameter("l"), angle, rate,
                                 angular_accelerations(m, angle, rate));
        expect_accelerations(m, state_of(m, motion.state), motion.accelerations);
    }
}

TEST(ChainModel, LetGoStraightAndLevelEveryBeadFallsFreely) {
    const Mechanism m = load("chain.lac");
    const Start start = m.start();
    ASSERT_TRUE(start.status) << start.status.message;
    Values fall;
    for (std::size_t i = 1; i <= 8; ++i) {
        fall.emplace_back(member("x", i), 0.0);
        fall.emplace_back(member("y", i), -m.parameter("g"));
    }
    const Evaluation at = expect_accelerations(m, start.state, fall);
    for (std::size_t i = 1; i <= 8; ++i) expect_multiplier(at, member("link", i), 0.0);
}

TEST(ChainModel, LinksOfAStraightTurningChainCarryWhatHangsBelowThem) {
    const std::size_t N = 40;
    const Mechanism m = load("chain.lac", {{"N", 40.0}});
    const double l = m.parameter("l"), g = m.parameter("g"), mass = m.parameter("m"), w = 0.8;
    const ChainMotion motion(l, std::vector<double>(N, 0.0), std::vector<double>(N, w),
                             std::vector<double>(N, 0.0));
    const Evaluation at = expect_accelerations(m, state_of(m, motion.state), motion.accelerations);
    double pull = 0.0;
    for (std::size_t i = N; i >= 1; --i) {
        pull += mass * (g + w * w * static_cast<double>(i) * l);
        expect_multiplier(at, member("link", i), -pull);
    }
}

}  // namespace
}  // namespace lacon::models
