// Couplings against closed forms: one line each in the language, and the force or torque they say.
#include "two_roads.hpp"

namespace lacon {
namespace {

const std::string two_shafts =
    "body a mass 1 inertia (1, 1, 0.3)\nbody b mass 2 inertia (1, 1, 0.7)\n"
    "joint A: revolute ground to a motor torque 5\n"
    "joint B: revolute ground to b at (1, 0, 0)\n";

TEST(Couplings, AGearSharesTheTorqueAsItsRatioSays) {
    // I1 x'' = 5 − k τ, I2 y'' = τ, y = k x
    const double k = -0.4, x = 5 / (0.3 + k * k * 0.7);
    for (const std::string gear : {"ratio -0.4", "radius 0.2, 0.5"}) {
        const auto m = Mechanism::parse(two_shafts + "joint G: gear A to B " + gear +
                                        "\noutput e = A'', T = G.torque, L = G.local_torque");
        EXPECT_NEAR(at_start(m, "e"), x, 1e-12 * x);
        EXPECT_NEAR(at_start(m, "T.z"), 0.7 * k * x, 1e-12 * x);
        EXPECT_NEAR(at_start(m, "L.z"), 0.7 * k * x, 1e-12 * x);
        EXPECT_EQ(at_start(m, "T.x"), 0.0);
    }
}

TEST(Couplings, ABeltTurnsBothTheSameWay) {
    const double k = 0.5, x = 5 / (0.3 + k * k * 0.7);
    const auto m = Mechanism::parse(
        two_shafts + "joint G: belt A to B radius 0.1, 0.2 offset 0.3\noutput e = B'', y = B");
    EXPECT_NEAR(at_start(m, "e"), k * x, 1e-12 * x);
    EXPECT_NEAR(at_start(m, "y"), 0.3 + k * m.start().state.q[0], 1e-12);
}

TEST(Couplings, ARackPushesWithTheTorqueOverTheRadius) {
    // m r² and the inertia of the pinion share the torque.
    const auto m = Mechanism::parse(
        "body pinion mass 1 inertia (1, 1, 0.02)\nbody bar mass 3\n"
        "joint P: revolute ground to pinion motor torque 0.5\n"
        "joint S: prismatic ground to bar axis (1, 0, 0)\n"
        "joint G: rack P to S radius 0.1\noutput e = S'', F = G.force");
    const double turn = 0.5 / (0.02 + 3 * 0.01);
    EXPECT_NEAR(at_start(m, "e"), 0.1 * turn, 1e-12);
    EXPECT_NEAR(at_start(m, "F.x"), 3 * 0.1 * turn, 1e-12);
}

TEST(Couplings, APlanetaryGearTurnsItsCarrierAsWillisSays) {
    // ring fixed: carrier = sun r/(2 (r + p)) with r of the sun and p of the planet
    for (const bool planar : {true, false}) {
        const std::string kind =
            planar ? " planar mass 1 inertia 0.1" : " mass 1 inertia (1, 1, 0.1)";
        const std::string pin = planar ? "pin" : "revolute";
        const std::string at = planar ? "(0.5, 0)" : "(0.5, 0, 0)";
        const auto m = Mechanism::parse(
            "body sun" + kind + "\nbody carrier" + kind + "\nbody planet" + kind +
            "\njoint S: " + pin + " ground to sun\njoint C: " + pin + " ground to carrier\n" +
            "joint P: " + pin + " carrier to planet at " + at +
            "\njoint inner: gear sun to planet on carrier radius 0.3, 0.2\n"
            "joint outer: gear planet to ground on carrier radius 0.2, -0.7\n"
            "start S = 1, S' = 2\noutput c = C', p = P', way = C");
        EXPECT_NEAR(at_start(m, "c"), 2 * 0.3 / (2 * 0.5), 1e-12) << planar;
        EXPECT_NEAR(at_start(m, "way"), 0.3, 1e-12) << "positions are coupled, not only speeds";
        EXPECT_NEAR(at_start(m, "p"), -0.3 / 0.2 * (2 - 0.6), 1e-12);
    }
}

TEST(Couplings, BevelGearsTurnAboutAxesThatMeet) {
    const auto m = Mechanism::parse(
        "body a mass 1 inertia (1, 1, 0.3)\nbody b mass 2 inertia (0.7, 1, 1)\n"
        "joint A: revolute ground to a motor torque 5\n"
        "joint B: revolute ground to b axis (1, 0, 0)\n"
        "joint G: gear a to b radius 0.2, 0.5 axis (0, 0, 1), (1, 0, 0)\noutput y = B'', T = "
        "G.torque");
    const double k = -0.4, x = 5 / (0.3 + k * k * 0.7);
    EXPECT_NEAR(at_start(m, "y"), k * x, 1e-12 * x);
    EXPECT_NEAR(at_start(m, "T.x"), 0.7 * k * x, 1e-12 * x);
}

TEST(Couplings, ACamLiftsItsFollower) {
    // y = h (1 − cos x), y'' = h (x'' sin x + x'² cos x) with a steady shaft
    const auto m = Mechanism::parse(
        "body disc mass 1 inertia (1, 1, 0.1)\nbody valve mass 0.5\n"
        "joint shaft: revolute ground to disc motor speed 20\n"
        "joint stem: prismatic ground to valve\n"
        "joint push: cam shaft to stem lift 0.01*(1 - cos(shaft))\ngravity (0, 0, -9.81)\n"
        "start shaft = 0.7, shaft' = 20\noutput F = push.force, y = stem");
    EXPECT_NEAR(at_start(m, "y"), 0.01 * (1 - std::cos(0.7)), 1e-14);
    EXPECT_NEAR(at_start(m, "F.z"), 0.5 * (g + 0.01 * 400 * std::cos(0.7)), 1e-11);
}

TEST(Couplings, ADiscRollsDownAnInclineOfThePlane) {
    // x'' = g sin/(1 + I/(m R²)), friction m (g sin − x''), normal force m g cos; line at 0.3 rad
    const auto m = Mechanism::parse(
        "param s = 0.3\nbody disc planar mass 2 inertia 0.09\n"
        "joint roll: rolling disc on ground radius 0.3 axis (cos(s), -sin(s))\n"
        "gravity (0, -9.81)\nstart disc_x = 0.3*sin(s), disc_y = 0.3*cos(s)\n"
        "output a = disc_x'', F = roll.force");
    const double s = 0.3, a = g * std::sin(s) / (1 + 0.09 / (2 * 0.09));
    EXPECT_NEAR(at_start(m, "a"), a * std::cos(s), 1e-12);
    EXPECT_NEAR(at_start(m, "F.x"), 2 * a * std::cos(s), 1e-11);
    EXPECT_NEAR(at_start(m, "F.y"), 2 * (g - a * std::sin(s)), 1e-11);
}

TEST(Couplings, ADiscRollsInARing) {
    // 3/2 m (B − R) angle'' = −m g sin(angle) for a full disc of radius R in a ring of radius B
    const auto m = Mechanism::parse(
        "param th = 0.5\nbody disc planar mass 2 inertia 0.04\n"
        "joint roll: rolling disc on ground radius 0.2, -1\ngravity (0, -9.81)\n"
        "start disc_x = 0.8*sin(th), disc_y = -0.8*cos(th)\n"
        "output along = disc_x''*cos(th) + disc_y''*sin(th), spin = disc_angle''");
    const double along = -2.0 / 3.0 * g * std::sin(0.5);
    EXPECT_NEAR(at_start(m, "along"), along, 1e-12);
    EXPECT_NEAR(at_start(m, "spin"), -along / 0.2, 1e-11);
}

TEST(Couplings, ABallRollsDownWithFiveSeventhsOfGravity) {
    const auto m = Mechanism::parse(
        "body ball shape sphere 0.1 mass 0.4\n"
        "joint roll: rolling ball on ground radius 0.1\ngravity (3, 0, -9)\n"
        "start ball_z = 0.1, ball.omega = (1, 2, 3), ball_x ~ 0, ball_x' ~ 0, ball_y' ~ 0\n"
        "output a = ball_x'', F = roll.force, v = ball_x'");
    EXPECT_NEAR(at_start(m, "a"), 5.0 / 7.0 * 3, 1e-12);
    EXPECT_NEAR(at_start(m, "F.z"), 0.4 * 9, 1e-12);
    EXPECT_NEAR(at_start(m, "F.x"), -0.4 * 2.0 / 7.0 * 3, 1e-12);
    EXPECT_NEAR(at_start(m, "v"), 0.2, 1e-12) << "v = ω × R n";
}

TEST(Couplings, AThinWheelRollsInASteadyCircle) {
    // Routh: with lean θ, precession W and spin n about the axle, for A = m R²/4, C = 2 A:
    // n W (C + m R²) sin θ = A W² sin θ cos θ − m g R cos θ, and the centre has the speed −n R.
    const auto m = Mechanism::parse(
        "param m = 2, R = 0.3, th = 1.2, W = -2, g = 9.81, A = m*R^2/4\n"
        "param s = sin(th), c = cos(th), n = (A*W^2*s*c - m*g*R*c)/(W*s*(2*A + m*R^2))\n"
        "body coin mass m inertia (A, A, 2*A)\ngravity (0, 0, -g)\n"
        "joint roll: rolling coin on ground radius R axis (0, 0, 1)\n"
        "start coin.position = (0, 0, R*s), coin.rotation = rotation((1, 0, 0), th)\n"
        "start coin.omega = (0, -(n - W*c)*s, W + (n - W*c)*c), coin_x' ~ 0, coin_y' ~ 0\n"
        "let axle = coin.direction(0, 0, 1)\n"
        "output v = coin_x', tilt = axle.z'', turn = norm(coin.center'') - abs(n*R*W), "
        "n = n, F = roll.force");
    EXPECT_NEAR(at_start(m, "v"), -at_start(m, "n") * 0.3, 1e-11);
    EXPECT_NEAR(at_start(m, "tilt"), 0.0, 1e-11);
    EXPECT_NEAR(at_start(m, "turn"), 0.0, 1e-11);
    EXPECT_NEAR(at_start(m, "F.z"), 2 * g, 1e-11);
}

TEST(Couplings, ARodOfFixedLengthPullsAsAPendulumDoes) {
    // tension = m (v²/L + g cos)
    const auto m = Mechanism::parse(
        "body bob mass 3 inertia (1, 1, 1)\njoint rod: distance ground to bob length 2\n"
        "gravity (0, 0, -9.81)\nparam s = 0.4\n"
        "start bob.position = (2*sin(s), 0, -2*cos(s)), bob.velocity = (cos(s), 0, sin(s))\n"
        "output F = rod.force");
    const double pull = 3 * (1.0 / 2 + g * std::cos(0.4));
    EXPECT_NEAR(at_start(m, "F.x"), -pull * std::sin(0.4), 1e-11);
    EXPECT_NEAR(at_start(m, "F.z"), pull * std::cos(0.4), 1e-11);
}

TEST(Couplings, ParallelAxesTakeTheTorqueAcrossThem) {
    const auto m = Mechanism::parse(
        "body tray mass 3 inertia (1, 2, 4)\njoint level: parallel ground to tray\n"
        "torque tray = (5, 6, 8)\noutput T = level.torque, e = tray.omega'");
    EXPECT_NEAR(at_start(m, "T.x"), -5.0, 1e-12);
    EXPECT_NEAR(at_start(m, "T.y"), -6.0, 1e-12);
    EXPECT_NEAR(at_start(m, "T.z"), 0.0, 1e-12);
    EXPECT_NEAR(at_start(m, "e.z"), 2.0, 1e-12);
    const auto planar = Mechanism::parse(
        "body tray planar mass 3 inertia 2\njoint level: parallel ground to tray axis (1, 0), "
        "(0, 1)\nstart tray_angle ~ -1\ntorque tray = 5\noutput T = level.torque, a = tray_angle");
    EXPECT_NEAR(at_start(planar, "T"), -5.0, 1e-12);
    EXPECT_NEAR(at_start(planar, "a"), -std::acos(-1.0) / 2, 1e-12);
}

TEST(Couplings, APointSlidesOnALineAndAPlane) {
    const std::string bead =
        "body bead mass 2 inertia (1, 1, 1)\ngravity (0, 0, -9.81)\nparam s = 0.3\n";
    const auto line =
        Mechanism::parse(bead +
                         "joint wire: point_on_line ground to bead axis (cos(s), 0, -sin(s))\n"
                         "output a = bead_x'', F = wire.force");
    EXPECT_NEAR(at_start(line, "a"), g * std::sin(0.3) * std::cos(0.3), 1e-12);
    EXPECT_NEAR(at_start(line, "F.x"), 2 * g * std::cos(0.3) * std::sin(0.3), 1e-11);
    EXPECT_NEAR(at_start(line, "F.z"), 2 * g * std::cos(0.3) * std::cos(0.3), 1e-11);
    const auto plane =
        Mechanism::parse(bead +
                         "joint floor: point_on_plane ground to bead axis (sin(s), 0, cos(s))\n"
                         "output a = bead_x'', F = floor.force");
    EXPECT_NEAR(at_start(plane, "a"), g * std::sin(0.3) * std::cos(0.3), 1e-12);
    EXPECT_NEAR(at_start(plane, "F.z"), 2 * g * std::cos(0.3) * std::cos(0.3), 1e-11);
}

TEST(Couplings, APointSlidesOnACurve) {
    // z = x²/2 at its lowest point with speed 3: m (g + v² κ), κ = 1
    const auto m = Mechanism::parse(
        "body bead mass 2 inertia (1, 1, 1)\ngravity (0, 0, -9.81)\n"
        "joint rail: point_on_curve ground to bead curve (rail, 0, rail^2/2)\n"
        "start bead_x = 0, bead_x' = 3\noutput F = rail.force, s = rail'");
    EXPECT_NEAR(at_start(m, "F.z"), 2 * (g + 9), 1e-11);
    EXPECT_NEAR(at_start(m, "s"), 3.0, 1e-12);
}

TEST(Couplings, ComeInFamilies) {
    // Eight equal wheels in mesh turn against each other with the torque over all their inertia.
    const auto m = Mechanism::parse(
        "param N = 8\nbody w[i] mass 1 inertia (1, 1, 0.5) for i in 1..N\n"
        "joint j[i]: revolute ground to w[i] at (i, 0, 0) for i in 1..N\n"
        "joint mesh[i]: gear j[i] to j[i+1] ratio -1 for i in 1..N-1\n"
        "force j[1] = 3\noutput e = j[8]'', T = mesh[7].torque");
    EXPECT_NEAR(at_start(m, "e"), -3 / (8 * 0.5), 1e-12);
    EXPECT_NEAR(at_start(m, "T.z"), -0.5 * 3 / (8 * 0.5), 1e-12);
}

}  // namespace
}  // namespace lacon
