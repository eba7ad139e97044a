// A platform on six struts: what is required is met, though nothing of it may be left to see beside
// the weight that is carried.

#include <array>

#include "control_tests.hpp"
#include "lacon/reference.hpp"

namespace lacon::controls {
namespace {

struct Pose {
    double x, y, z, roll;
};

/// Of the platform's centre and its turn about the x axis, a sine each of its own size and rate;
/// the other angles are 0.
struct Figure {
    double ax = 0.1, ay = 0.1, az = 0.05, roll = 0.15, w = 1.5, h = 0.8;
    Pose at(double t) const {
        return {ax * std::sin(w * t), ay * (1 - std::cos(w * t)), h + az * std::sin(2 * w * t),
                roll * std::sin(w * t)};
    }
    Pose bend(double t) const {
        return {-ax * w * w * std::sin(w * t), ay * w * w * std::cos(w * t),
                -4 * az * w * w * std::sin(2 * w * t), -roll * w * w * std::sin(w * t)};
    }
};

constexpr double mass = 40, inertia = 2.1, g = 9.81, base = 0.9, top = 0.45;

std::string text(const Figure& figure, bool quaternion) {
    std::string model = "param m = 40, g = 9.81, w = " + std::to_string(figure.w) + "\n";
    model += quaternion ? R"(coord x, y, z, e0, e1, e2, e3
        let c1 = (e0^2 + e1^2 - e2^2 - e3^2, 2*(e1*e2 + e0*e3), 2*(e1*e3 - e0*e2))
        let c2 = (2*(e1*e2 - e0*e3), e0^2 - e1^2 + e2^2 - e3^2, 2*(e2*e3 + e0*e1))
        let wx = 2*(e0*e1' - e1*e0' - e2*e3' + e3*e2')
        let wy = 2*(e0*e2' + e1*e3' - e2*e0' - e3*e1')
        let wz = 2*(e0*e3' - e1*e2' + e2*e1' - e3*e0')
        constraint unit: e0^2 + e1^2 + e2^2 + e3^2 = 1
)"
                        : R"(coord x, y, z, a, b, c
        let c1 = (cos(b)*cos(c), cos(a)*sin(c) + sin(a)*sin(b)*cos(c), sin(a)*sin(c) - cos(a)*sin(b)*cos(c))
        let c2 = (-cos(b)*sin(c), cos(a)*cos(c) - sin(a)*sin(b)*sin(c), sin(a)*cos(c) + cos(a)*sin(b)*sin(c))
        let wx = a'*cos(b)*cos(c) + b'*sin(c)
        let wy = -a'*cos(b)*sin(c) + b'*cos(c)
        let wz = a'*sin(b) + c'
)";
    model +=
        "kinetic m*(x'^2 + y'^2 + z'^2)/2 + 2.1*(wx^2 + wy^2)/2 + 3.9*wz^2/2\npotential m*g*z\n";
    for (int i = 0; i < 6; ++i) {
        const std::string n = std::to_string(i), third = "2*pi/3*" + std::to_string(i / 2),
                          side = i % 2 == 0 ? "-" : "+";
        model += "let A" + n + " = 0.9*(cos(" + third + side + "0.2), sin(" + third + side +
                 "0.2), 0)\n";
        model += "let B" + n + " = (x, y, z) + 0.45*(cos(" + third + side + "0.8)*c1 + sin(" +
                 third + side + "0.8)*c2)\n";
        model += "let s" + n + " = norm(B" + n + " - A" + n + ")\n";
    }
    const auto number = [](double x) { return std::to_string(x); };
    const std::string by = " by s0, s1, s2, s3, s4, s5\n";
    model +=
        "control px: x = " + number(figure.ax) + "*sin(w*t) by s0, s1, s2, s3, s4, s5 weight 1\n";
    model += "control py: y = " + number(figure.ay) + "*(1 - cos(w*t))" + by;
    model += "control pz: z = " + number(figure.h) + " + " + number(figure.az) + "*sin(2*w*t)" + by;
    const std::string roll = number(figure.roll) + "*sin(w*t)";
    model += quaternion ? "control pr: e1 = sin(" + roll + "/2)" + by + "control pp: e2 = 0" + by +
                              "control pq: e3 = 0" + by
                        : "control pr: a = " + roll + by + "control pp: b = 0" + by +
                              "control pq: c = 0" + by;
    model += "start x' = " + number(figure.ax) + "*w, z = " + number(figure.h) + ", z' = 2*w*" +
             number(figure.az) + (quaternion ? ", e0 = 1, e1' = w/2*" : ", a' = w*") +
             number(figure.roll) + "\n";
    return model + "simulate 0..10 every 0.05\n";
}

/// By hand: forces along the struts carry weight and inertia, their moments about the centre turn
/// the platform.
std::vector<double> strut_forces(const Figure& figure, double t) {
    const Pose at = figure.at(t), bend = figure.bend(t);
    Matrix wrench(6, 6);
    for (std::size_t i = 0; i < 6; ++i) {
        const double third = 2 * std::acos(-1.0) / 3 * static_cast<double>(i / 2),
                     side = i % 2 == 0 ? -1 : 1;
        const double p = top * std::cos(third + side * 0.8), q = top * std::sin(third + side * 0.8);
        const Space arm = {p, q * std::cos(at.roll), q * std::sin(at.roll)};
        Space along = {at.x + arm[0] - base * std::cos(third + side * 0.2),
                       at.y + arm[1] - base * std::sin(third + side * 0.2), at.z + arm[2]};
        const double length = std::hypot(along[0], along[1], along[2]);
        for (double& x : along) x /= length;
        for (std::size_t j = 0; j < 3; ++j) {
            const std::size_t k = (j + 1) % 3, l = (j + 2) % 3;
            wrench(j, i) = along[j];
            wrench(3 + j, i) = arm[k] * along[l] - arm[l] * along[k];
        }
    }
    const std::vector<double> needed = {
        mass * bend.x, mass * bend.y, mass * (bend.z + g), inertia * bend.roll, 0, 0};
    const Matrix inverse = reference::pinv(wrench);
    std::vector<double> forces(6, 0.0);
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 6; ++j) forces[i] += inverse(i, j) * needed[j];
    return forces;
}

void expect_carried(const Figure& figure, bool quaternion) {
    const Mechanism m = Mechanism::parse(text(figure, quaternion));
    const Motion motion = motions::run_well(m, {.tolerance = 1e-11});
    for (std::size_t row = 0; row < motion.column("t").size(); ++row) {
        const std::vector<double> expected = strut_forces(figure, motion.column("t")[row]);
        for (std::size_t i = 0; i < 6; ++i)
            ASSERT_NEAR(motion.column("effort.s" + std::to_string(i))[row], expected[i], 1e-5)
                << "row " << row;
    }
}

TEST(Stewart, StrutsCarryThePlatformAlongItsFigureInEulerAngles) {
    expect_carried({}, false);
}

TEST(Stewart, StrutsCarryThePlatformAlongItsFigureAsAQuaternion) {
    expect_carried({}, true);
    expect_carried({.ax = 0.02, .ay = 0.2, .az = 0.1, .roll = 0.3, .w = 2.2, .h = 1.1}, true);
}

TEST(Stewart, APlatformThatStandsStillIsHeld) {
    const Figure still{.ax = 0, .ay = 0, .az = 0, .roll = 0, .w = 1, .h = 0.7};
    expect_carried(still, false);
    expect_carried(still, true);
}

TEST(Stewart, InverseDynamicsMissNothing) {
    for (const bool quaternion : {false, true}) {
        const Mechanism m = Mechanism::parse(text({.ax = 0, .ay = 0, .roll = 0}, quaternion));
        const InverseMotion motion = inverse_dynamics(m, {});
        EXPECT_TRUE(motion.status) << motion.status.message;
        EXPECT_TRUE(motion.unreachable.empty());
    }
}

/// With feet and heads at the same angles the struts of a platform that stands straight cannot
/// shift it apart from turning it.
TEST(Stewart, ASingularPlatformIsFoundOutOfReach) {
    std::string singular = text({}, false);
    for (std::size_t at = singular.find("0.2)"); at != std::string::npos;
         at = singular.find("0.2)"))
        singular.replace(at, 3, "0.8");
    const Mechanism m = Mechanism::parse(singular);
    EXPECT_EQ(m.evaluate(m.start().state).status.outcome, Outcome::unreachable);
}

}  // namespace
}  // namespace lacon::controls
