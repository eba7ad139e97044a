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

/// A tripod on a floor, pushed at one of its feet by 20 t beside its middle: a body in the plane
/// whose loads are those of the moments. By Runge–Kutta steps.
class PushedTripod {
public:
    using Vector = std::array<Real, 3>;

    /// At the limit the forces of sliding balance the push, for one time and one motion without
    /// size. By Newton's method, from near a solution.
    PushedTripod() {
        Vector x{0.3L, 1.5L, 1.0L};
        for (int round = 0; round < 40; ++round) {
            const Vector now = balance(x);
            std::array<Vector, 3> slope;
            for (int k = 0; k < 3; ++k) {
                constexpr Real d = 1e-9L;
                Vector beside = x;
                beside[k] += d;
                slope[k] = balance(beside);
                for (int i = 0; i < 3; ++i) slope[k][i] = (slope[k][i] - now[i]) / d;
            }
            const Vector step = solve(slope, now);
            for (int k = 0; k < 3; ++k) x[k] -= step[k];
        }
        t = begin = x[0];
        way = motion(x);
    }
    /// The first moment: the push grows along the motion, its direction does not change yet.
    void start(Real moment) {
        const Real power = 20 * (way[1] + foot[0] * way[2]);
        const Real size =
            power / (mass * (way[0] * way[0] + way[1] * way[1]) + by_axis * way[2] * way[2]);
        for (int k = 0; k < 3; ++k)
            v[k] = size * way[k] * moment * moment / 2, q[k] = v[k] * moment / 3;
        t += moment;
    }
    void step(Real h) {
        const Vector a = rates(t, q, v);
        const auto on = [](const Vector& x, const Vector& by, Real part) {
            return Vector{x[0] + part * by[0], x[1] + part * by[1], x[2] + part * by[2]};
        };
        const Vector v2 = on(v, a, h / 2), a2 = rates(t + h / 2, on(q, v, h / 2), v2);
        const Vector v3 = on(v, a2, h / 2), a3 = rates(t + h / 2, on(q, v2, h / 2), v3);
        const Vector v4 = on(v, a3, h), a4 = rates(t + h, on(q, v3, h), v4);
        for (int k = 0; k < 3; ++k) {
            q[k] += h / 6 * (v[k] + 2 * v2[k] + 2 * v3[k] + v4[k]);
            v[k] += h / 6 * (a[k] + 2 * a2[k] + 2 * a3[k] + a4[k]);
        }
        t += h;
    }
    /// Within the fast way in which the directions settle.
    Real shortest() const { return std::hypot(v[0], v[1]) / 40; }

    Real t = 0, begin = 0;
    Vector q{}, v{};  // x, y and the angle

private:
    static constexpr Real mass = 3, by_axis = 0.15L, mu = 0.3L, high = 0.05L, g = 9.81L;
    static constexpr std::array<std::array<Real, 2>, 3> feet{
        {{0.4L, 0}, {-0.2L, 0.35L}, {-0.2L, -0.35L}}};
    static constexpr std::array<Real, 2> foot{0.4L, 0.1L};  // where it is pushed

    static Vector motion(const Vector& x) {
        return {std::cos(x[1]) * std::cos(x[2]), std::sin(x[1]) * std::cos(x[2]),
                3 * std::sin(x[2])};
    }
    Vector balance(const Vector& x) const { return forces(x[0], {}, motion(x)); }
    /// Columns times the answer are b.
    static Vector solve(const std::array<Vector, 3>& c, const Vector& b) {
        const auto volume = [](const Vector& x, const Vector& y, const Vector& z) {
            return x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) +
                   x[2] * (y[0] * z[1] - y[1] * z[0]);
        };
        const Real whole = volume(c[0], c[1], c[2]);
        return {volume(b, c[1], c[2]) / whole, volume(c[0], b, c[2]) / whole,
                volume(c[0], c[1], b) / whole};
    }
    /// Along x, y and about the axis.
    static Vector forces(Real at, const Vector& q, const Vector& v) {
        const Real c = std::cos(q[2]), s = std::sin(q[2]);
        const auto turned = [&](const std::array<Real, 2>& p) {
            return std::array<Real, 2>{c * p[0] - s * p[1], s * p[0] + c * p[1]};
        };
        std::array<std::array<Real, 2>, 3> p, d;
        std::array<Vector, 3> moments;  // of each load: upwards, about x and about y
        for (int i = 0; i < 3; ++i) {
            p[i] = turned(feet[i]);
            const Real x = v[0] - v[2] * p[i][1], y = v[1] + v[2] * p[i][0],
                       size = std::hypot(x, y);
            d[i] = {x / size, y / size};
            moments[i] = {1, p[i][1] - mu * high * d[i][1], mu * high * d[i][0] - p[i][0]};
        }
        const Vector load = solve(moments, {mass * g, 0, 0});
        Vector all{0, 20 * at, turned(foot)[0] * 20 * at};
        for (int i = 0; i < 3; ++i) {
            all[0] -= mu * load[i] * d[i][0];
            all[1] -= mu * load[i] * d[i][1];
            all[2] -= mu * load[i] * (p[i][0] * d[i][1] - p[i][1] * d[i][0]);
        }
        return all;
    }
    static Vector rates(Real at, const Vector& q, const Vector& v) {
        const Vector f = forces(at, q, v);
        return {f[0] / mass, f[1] / mass, f[2] / by_axis};
    }

    Vector way{};
};

TEST(Rolling, ATripodPushedBesideItsMiddleTurnsAsItsThreeFeetSlide) {
    const Mechanism m = Mechanism::parse(R"(
        gravity (0, 0, -9.81)
        body top mass 3 inertia (0.1, 0.1, 0.15) shape sphere 0.05 at (0.4, 0, 0),
            sphere 0.05 at (-0.2, 0.35, 0), sphere 0.05 at (-0.2, -0.35, 0)
        body ground shape plane
        contact top with ground friction 0.3
        force top(0.4, 0.1, 0) = (0, 20*t, 0)
        start top.position = (0, 0, 0.05)
        output x = top.center.x, y = top.center.y, turn = top.omega.z)");
    PushedTripod tripod;
    const double begin = static_cast<double>(tripod.begin);
    tripod.start(3e-4L);
    while (tripod.t < 0.6L) tripod.step(std::min({tripod.shortest(), 1e-3L, 0.6L - tripod.t}));
    for (const double tolerance : {1e-6, 1e-9, 1e-11}) {
        SCOPED_TRACE(tolerance);
        const Motion motion = run_contacts(m, {.end = 0.6, .every = 0.1, .tolerance = tolerance});
        expect_times(event_times(motion, "slip"), {begin, begin, begin});
        const double error = 1e-8 + tolerance;
        EXPECT_NEAR(last(motion, "x"), static_cast<double>(tripod.q[0]), error);
        EXPECT_NEAR(last(motion, "y"), static_cast<double>(tripod.q[1]), error);
        EXPECT_NEAR(last(motion, "turn"), static_cast<double>(tripod.v[2]), error);
    }
}

/// The point of contact moves on both bodies, and the slip is far slower than they are.
TEST(Rolling, ARodThatBeginsToSlideOnARollingBallDoesNotDependOnTheTolerance) {
    const Mechanism m = Mechanism::parse(R"(
        gravity (0, 0, -9.81)
        body ball shape sphere 0.2 mass 3
        body rod shape capsule 0.02, 1 mass 0.5
        body ground shape plane
        contact ball with ground friction 0.4
        contact rod with ball friction 0.3
        start ball_z = 0.2, rod.position = (0.05, 0.03, 0.42)
        start rod.rotation = rotation((0, 1, 0), pi/2)
        output x = ball_x, y = rod_y, turn = rod.omega.z)");
    const Motion coarse = run_contacts(m, {.end = 0.36, .every = 0.36, .tolerance = 1e-8}),
                 fine = run_contacts(m, {.end = 0.36, .every = 0.36});
    const std::vector<double> begins = event_times(fine, "slip");
    ASSERT_EQ(begins.size(), 1u);
    expect_times(event_times(coarse, "slip"), {begins[0]}, 1e-9);
    EXPECT_LT(fine.summary.steps, 200u);
    for (const char* name : {"x", "y", "turn"})
        EXPECT_NEAR(last(coarse, name), last(fine, name), 1e-8) << name;
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
