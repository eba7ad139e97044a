// Round bodies that roll, slip and leave, against closed forms.
#include "contact/contact_tests.hpp"

namespace lacon::contacts {
namespace {

double output(const Evaluation& at, const std::string& name) {
    for (const auto& [known, value] : at.outputs)
        if (known == name) return value;
    ADD_FAILURE() << "no output " << name;
    return NAN;
}

/// The run up to the first release.
Motion until_release(const Mechanism& m) {
    const Motion whole = run_contacts(m, {.end = 3.0, .every = 0.1});
    const std::vector<double> times = event_times(whole, "release");
    if (times.empty()) {
        ADD_FAILURE() << "nothing is released";
        return whole;
    }
    return run_contacts(m, {.end = times[0], .every = times[0]});
}

/// A ball let go on an incline; R > 0, so it stands beside the origin of the plane.
const std::string incline = R"(
    param R = 0.1, mu = 0.3, slope = 0.3, g = 10
    gravity (0, 0, -g)
    body ball shape sphere R density 1000
    body ground shape plane turned rotation((0, 1, 0), slope)
    contact ball with ground friction mu
    start ball_x = R*sin(slope), ball_y = 0, ball_z = R*cos(slope)
    start ball_x' = 0, ball_y' = 0, ball_z' = 0
    output speed = norm(ball.center'), spin = norm(ball.omega), mass = ball.mass
    output press = ball_on_ground.multiplier)";

TEST(Rolling, ABallRollsDownWithFiveSevenths) {
    const Motion motion = run_contacts(Mechanism::parse(incline), {.end = 1.0, .every = 0.1});
    const Real a = 5.0L / 7.0L * 10.0L * std::sin(0.3L);
    EXPECT_LE(worst_error(motion, "speed", [&](Real t) { return a * t; }), exact);
    EXPECT_LE(worst_error(motion, "spin", [&](Real t) { return a * t / 0.1L; }), 10 * exact);
    const Real weight = 10.0L * 4.0L / 3.0L * std::acos(-1.0L);  // ρ R³ = 1
    EXPECT_LE(worst_error(motion, "press", [&](Real) { return weight * std::cos(0.3L); }), exact);
}

TEST(Rolling, ABallSlipsWhereFrictionIsLessThanTwoSeventhsOfTheTangent) {
    const double slope = 0.9, mu = 0.2;  // 2/7 tan 0.9 = 0.36
    const Mechanism m = Mechanism::parse(incline, "incline", {{"slope", slope}, {"mu", mu}});
    const Motion motion = run_contacts(m, {.end = 1.0, .every = 0.1});
    const Real s = std::sin(0.9L), c = std::cos(0.9L), k = mu;
    EXPECT_LE(worst_error(motion, "speed", [&](Real t) { return 10 * (s - k * c) * t; }), exact);
    EXPECT_LE(worst_error(motion, "spin", [&](Real t) { return 2.5L * k * 10 * c * t / 0.1L; }),
              100 * exact);
}

TEST(Rolling, ABallThatSlidesOnAFloorRollsAfterTwoSeventhsOfItsSpeed) {
    const Motion motion = run_contacts(Mechanism::parse(R"(
        gravity (0, 0, -10)
        body ball shape sphere 0.1 density 1000
        body ground shape plane
        contact ball with ground friction 0.2
        start ball_x' = 0.6, ball_y' = 0.8, ball_z = 0.1, ball_x = 0, ball_y = 0
        output speed = norm(ball.center'))"),
                                       {.end = 0.5, .every = 0.1});
    expect_times(event_times(motion, "stick"), {2.0L / 7.0L / (0.2L * 10.0L)});
    EXPECT_NEAR(last(motion, "speed"), 5.0 / 7.0, exact);
}

/// The slip s of a rolling ball that its torque tears loose: s' = g(t) − 3.5 μ g s/|s| with the
/// torque's part g(t) = (−τy, τx) R/I, as a speed in a direction. By Runge–Kutta steps.
class TornLoose {
public:
    /// The sticking ball needs 2/7 of the drive as friction.
    TornLoose() {
        Real high = 2;
        while (high - t > 1e-18L) {
            const Real middle = (t + high) / 2;
            (drive(middle) < full ? t : high) = middle;
        }
    }
    /// For a moment the direction is that of the drive.
    void begin() {
        constexpr Real h = 1e-4L;
        speed = h / 6 * (4 * drive(t + h / 2) + drive(t) + drive(t + h) - 6 * full);
        t += h, way = std::atan2(across(t), along(t));
    }
    void step(Real h) {
        const auto k = rates(t, speed, way);
        const auto m = rates(t + h / 2, speed + h / 2 * k[0], way + h / 2 * k[1]);
        const auto n = rates(t + h / 2, speed + h / 2 * m[0], way + h / 2 * m[1]);
        const auto e = rates(t + h, speed + h * n[0], way + h * n[1]);
        t += h;
        speed += h / 6 * (k[0] + 2 * m[0] + 2 * n[0] + e[0]);
        way += h / 6 * (k[1] + 2 * m[1] + 2 * n[1] + e[1]);
    }

    Real t = 0, speed = 0, way = 0;

private:
    static constexpr Real full = 3.5L * 0.4L * 9.81L, by_torque = 1 / (0.4L * 3 * 0.2L);  // R/I
    static Real along(Real at) { return -(2 * at + 0.3L * at * at) * by_torque; }
    static Real across(Real at) { return at * by_torque; }
    static Real drive(Real at) { return std::hypot(along(at), across(at)); }
    static std::array<Real, 2> rates(Real at, Real v, Real angle) {
        const Real x = along(at), y = across(at), c = std::cos(angle), s = std::sin(angle);
        return {x * c + y * s - full, (y * c - x * s) / v};
    }
};

TEST(Rolling, ABallThatItsTorqueTearsLooseSlidesAsItsSlipSays) {
    const Motion motion = run_contacts(Mechanism::parse(R"(
        gravity (0, 0, -9.81)
        body ball shape sphere 0.2 mass 3
        body ground shape plane
        contact ball with ground friction 0.4
        torque ball = (t, 2*t + 0.3*t^2, 0)
        start ball_z = 0.2, ball_x = 0, ball_y = 0
        output slip = norm(ball.center' + cross(ball.omega, (0, 0, -0.2))))"),
                                       {.end = 1.6, .every = 0.1});
    TornLoose ball;
    expect_times(event_times(motion, "slip"), {ball.t});
    ball.begin();  // the steps are within the fast way in which the direction settles
    while (ball.t < 1.6L) ball.step(std::min({ball.speed / 40, 1e-4L, 1.6L - ball.t}));
    EXPECT_NEAR(last(motion, "slip"), static_cast<double>(ball.speed), 1e-8);
}

TEST(Rolling, ABallBouncesWithItsRestitution) {
    const Motion motion = run_contacts(Mechanism::parse(R"(
        gravity (0, 0, -10)
        body ball shape sphere 0.5 density 1
        body ground shape plane at (0, 0, -1)
        contact ball with ground restitution 0.5
        start ball_z = 0.75)"),
                                       {.end = 1.2, .every = 0.1});
    const Real fall = std::sqrt(2.0L * 1.25L / 10.0L);
    expect_times(event_times(motion, "impact"), {fall, 2 * fall});
}

/// A point that slides on a sphere of radius ρ from height h above the middle with the speed v
/// leaves where v² = g h, so cos θ = (2 + v²/(g ρ))/3.
TEST(Rolling, ASmoothBallLeavesASphereWhereItsForceIsZero) {
    const double v = 0.7;
    const Motion motion = until_release(Mechanism::parse(R"(
        gravity (0, 0, -10)
        body ball shape sphere 0.5 density 1
        body ground shape sphere 1.5 at (1, 2, 3)
        contact touch: ball with ground
        start ball_x = 1, ball_y = 2, ball_z = 5, ball_x' = 0.7, ball_y' = 0
        output height = ball.center.z - 3)"));
    EXPECT_NEAR(last(motion, "height") / 2, (2 + v * v / 20) / 3, exact);
}

TEST(Rolling, ABallRollsOffASphereWithFiveSeventhsOfItsWeightAcross) {
    const Mechanism m = Mechanism::parse(R"(
        param angle = 0.4
        gravity (0, 0, -10)
        body ball shape sphere 0.5 density 1
        body ground shape sphere 1.5
        contact ball with ground friction 5
        start ball_x = 2*sin(angle), ball_y = 0, ball_z = 2*cos(angle)
        start ball_x' = 0, ball_y' = 0, ball_z' = 0
        output pull = norm(ball.center''))");
    const Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    EXPECT_NEAR(output(at, "pull"), 50.0 / 7 * std::sin(0.4), exact);
    EXPECT_EQ(row(at, "ball_on_ground").friction_state, "sticks");
}

/// The centre stays above the edge as a point on a circle around it, after the ball has slid off
/// the face; it leaves where cos θ = (2 + v²/(g r))/3.
TEST(Rolling, ASmoothBallTurnsAroundTheEdgeOfABoxAndLeavesIt) {
    const Motion motion = until_release(Mechanism::parse(R"(
        gravity (0, 0, -10)
        body ball shape sphere 0.5 density 1
        body ground shape box (2, 4, 6) at (-1, 0, -3)
        contact ball with ground
        start ball_x = -0.3, ball_y = 0, ball_z = 0.5, ball_x' = 0.6, ball_y' = 0.1
        output height = ball.center.z, side = ball.center.y)"));
    EXPECT_NEAR(last(motion, "height") / 0.5, (2 + 0.36 / 5) / 3, exact);
    EXPECT_NEAR(last(motion, "side"), 0.1 * last(motion, "t"), exact);
}

/// A half axis c up, radius of curvature a²/c below: ω² = g (a²/c − c)/((a² + c²)/5 + c²).
TEST(Rolling, AnEllipsoidRocksWithItsFrequency) {
    const double a = 0.3, c = 0.2, tilt = 1e-5;
    const Mechanism m = Mechanism::parse(R"(
        param tilt = 1e-5
        gravity (0, 0, -10)
        body egg shape ellipsoid (0.3, 0.25, 0.2) density 1000
        body ground shape plane
        contact egg with ground friction 1
        start egg_qw = cos(tilt/2), egg_qx = 0, egg_qy = sin(tilt/2), egg_qz = 0
        start egg_x = 0, egg_y = 0, egg_z = norm((0.3*sin(tilt), 0.2*cos(tilt)))
        start egg_x' = 0, egg_y' = 0, egg_z' = 0
        output turning = egg.omega.y')");
    const Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    const double square = 10 * (a * a / c - c) / ((a * a + c * c) / 5 + c * c);
    EXPECT_NEAR(output(at, "turning") / -tilt, square, 1e-6 * square);  // tilt² is 1e-10
    EXPECT_EQ(row(at, "egg_on_ground").friction_state, "sticks");
}

/// The lean stays, the track turns with Omega; axle.x is sin(lean) sin(Omega t).
TEST(Rolling, ACoinRollsAroundItsCircle) {
    const Mechanism m = motions::load("bodies/rolling_coin.lac");
    const Motion motion = run_contacts(m, {.end = 3.0, .every = 0.1});
    EXPECT_LE(worst_error(motion, "tilt", [](Real) { return 1.2L; }), exact);
    EXPECT_LE(
        worst_error(motion, "across", [](Real t) { return std::sin(1.2L) * std::sin(-2.0L * t); }),
        exact);
    const Real weight = Real(m.parameter("m")) * Real(m.parameter("g"));
    EXPECT_LE(worst_error(motion, "coin_on_ground[1].multiplier", [&](Real) { return weight; }),
              exact);
}

TEST(Rolling, ADiskRollsDownALineInThePlane) {
    const Motion motion = run_contacts(Mechanism::parse(R"(
        param slope = 0.2
        gravity (0, -10)
        body wheel planar shape disk 0.25 density 3
        body ground shape line turned -slope
        contact wheel with ground friction 0.5
        start wheel_x = 0.25*sin(slope), wheel_y = 0.25*cos(slope)
        start wheel_x' = 0, wheel_y' = 0, wheel_angle' = 0
        output speed = norm(wheel.center'))"),
                                       {.end = 1.0, .every = 0.1});
    const Real a = 2.0L / 3.0L * 10.0L * std::sin(0.2L);
    EXPECT_LE(worst_error(motion, "speed", [&](Real t) { return a * t; }), exact);
}

}  // namespace
}  // namespace lacon::contacts
