// A pole on a cart with one actuator, and a pendulum whose motor is too weak.

#include <algorithm>

#include "control_tests.hpp"

namespace lacon::controls {
namespace {

struct CartPole {
    double M, m, l, g;
    explicit CartPole(const Mechanism& mechanism)
        : M(mechanism.parameter("M")),
          m(mechanism.parameter("m")),
          l(mechanism.parameter("l")),
          g(mechanism.parameter("g")) {}
    /// Of the cart, when the pole is accelerated so.
    double cart(double th, double th2) const { return (g * std::sin(th) - l * th2) / std::cos(th); }
    double push(double th, double rate, double th2) const {
        return (M + m) * cart(th, th2) + m * l * (std::cos(th) * th2 - std::sin(th) * rate * rate);
    }
};

void expect_pushed(const Mechanism& m, const State& state, double th2) {
    const CartPole body(m);
    const double th = state.q[1], rate = state.v[1],
                 scale = (std::abs(th2) + body.g) / std::abs(std::cos(th));
    const Evaluation at = evaluate_well(m, state);
    expect_forces(at.solution.acceleration, {body.cart(th, th2), th2}, scale, "q''");
    expect_forces(at.control_force, {body.push(th, rate, th2), 0.0}, scale + rate * rate, "push");
}

TEST(CartPole, ThePushIsThatWhichTurnsThePoleAsRequired) {
    const Mechanism m = load("control/cart_pole.lac");
    const double w = m.parameter("w");
    Random random(11);
    for (int i = 0; i < 20; ++i) {
        const double th = random(-1.2, 1.2), rate = random(-3, 3);
        expect_pushed(
            m,
            state_of(m, {{"x", random(-1, 1)}, {"th", th}, {"x'", random(-2, 2)}, {"th'", rate}}),
            -2 * w * rate - w * w * th);
    }
}

TEST(CartPole, ThePoleComesUpAndTheCartDriftsAway) {
    const Mechanism m = load("control/cart_pole.lac");
    const CartPole body(m);
    const double w = m.parameter("w"), th0 = m.parameter("th0"), end = 4.0;
    const Motion motion = motions::run_well(m, {.tolerance = 1e-12});
    const auto lean = [&](double t) { return entry(th0, 0, w, t); };
    EXPECT_LE(motions::worst_error(motion, "th",
                                   [&](long double t) { return lean(static_cast<double>(t)); }),
              1e-10);
    // The speed of the cart by Simpson's rule over its acceleration along the known lean.
    const auto acceleration = [&](double t) {
        const double th = lean(t), rate = -w * w * th0 * t * std::exp(-w * t);
        return body.cart(th, -2 * w * rate - w * w * th);
    };
    const int pieces = 4000;
    double speed = 0.0;
    for (int i = 0; i < pieces; ++i) {
        const double t = i * end / pieces, h = end / pieces;
        speed += h / 6 * (acceleration(t) + 4 * acceleration(t + h / 2) + acceleration(t + h));
    }
    EXPECT_NEAR(motions::last(motion, "x'"), speed, 1e-10);
    EXPECT_GT(speed, 0.9 * 2 * body.g * th0 / w)
        << "about 2 g th0/w, a little more as th0 is not small";
}

TEST(CartPole, WithThePoleLevelTheRequirementIsOutOfReach) {
    const Mechanism m = load("control/cart_pole.lac");
    const Evaluation at = m.evaluate(state_of(m, {{"th", std::acos(0.0)}, {"th'", 1.0}}));
    EXPECT_EQ(name_of(at.status.outcome), "unreachable");
    EXPECT_NE(at.status.message.find("upright"), std::string::npos) << at.status.message;
}

TEST(CartPole, InCartesianCoordinatesTheRodHoldsAndThePushIsTheSame) {
    const Mechanism angle = load("control/cart_pole.lac");
    const Mechanism m = Mechanism::parse(R"(
        param M = 1, m = 0.2, l = 0.6, g = 9.81, w = 5
        coord x, bx, by
        particle cart at (x, 0) mass M
        particle bob at (bx, by) mass m
        gravity (0, -g)
        constraint rod: norm(bob - cart) = l
        control upright: atan2(bx - x, by) = 0 by x gain 2*w
        start x = 0, bx = l*sin(0.3), by ~ l
        simulate 0..4 every 0.01
    )");
    const Motion one = motions::run_well(angle, {.tolerance = 1e-12}),
                 two = motions::run_well(m, {.tolerance = 1e-12});
    const auto &push = one.column("effort.x"), &same = two.column("effort.x");
    ASSERT_EQ(push.size(), same.size());
    for (std::size_t i = 0; i < push.size(); ++i)
        ASSERT_NEAR(push[i], same[i], 1e-9) << "row " << i;
    EXPECT_LE(two.summary.worst.position, 1e-12);
    EXPECT_LE(two.summary.worst.velocity, 1e-12);
}

TEST(CartPoleBalanced, TheRequiredAccelerationIsReached) {
    const Mechanism m = load("control/cart_pole_balanced.lac");
    const double l = m.parameter("l"), g = m.parameter("g"), w = m.parameter("w");
    Random random(12);
    for (int i = 0; i < 20; ++i) {
        const double x = random(-1, 1), th = random(-1, 1), vx = random(-2, 2),
                     rate = random(-3, 3);
        const double w3 = w * w * w, w4 = w3 * w;
        expect_pushed(m, state_of(m, {{"x", x}, {"th", th}, {"x'", vx}, {"th'", rate}}),
                      -(6 * w * w + l * w4 / g) * th - (4 * w + 4 * l * w3 / g) * rate -
                          w4 / g * x - 4 * w3 / g * vx);
    }
}

TEST(CartPoleBalanced, SmallMotionsHaveAllTheirPolesWhereTheyWerePlaced) {
    const double small = 1e-4;
    const Mechanism m =
        load("control/cart_pole_balanced.lac", {{"x0", small}, {"th0", -2 * small}});
    const double l = m.parameter("l"), g = m.parameter("g"), w = m.parameter("w"), w3 = w * w * w,
                 w4 = w3 * w;
    // x exp(w t) is a polynomial of degree 3; its coefficients come from the first derivatives of
    // x.
    const double th0 = -2 * small, th2 = -(6 * w * w + l * w4 / g) * th0 - w4 / g * small,
                 x2 = g * th0 - l * th2;
    const double th3 = -(4 * w + 4 * l * w3 / g) * th2 - 4 * w3 / g * x2, x3 = -l * th3;
    const std::array c = {small, w * small, (x2 + w * w * small) / 2,
                          (x3 + 3 * w * x2 + w3 * small) / 6};
    const Motion motion = motions::run_well(m, {.tolerance = 1e-14});
    const double left_out = motions::worst_error(motion, "x", [&](long double t) {
        const double s = static_cast<double>(t);
        return (c[0] + s * (c[1] + s * (c[2] + s * c[3]))) * std::exp(-w * s);
    });
    EXPECT_LE(left_out, 1e3 * small * small * small) << "what is not linear is of third order";
}

TEST(CartPoleBalanced, PoleAndCartComeToRestFromAfar) {
    const Motion motion = motions::run_well(load("control/cart_pole_balanced.lac"), {});
    for (const char* name : {"x", "th", "x'", "th'"}) {
        const double left = motions::last(motion, name);
        // w t = 16: (w t)³/6 exp(-w t) = 8e-5, times coefficients of a few units.
        EXPECT_LE(std::abs(left), 1e-3) << name;
    }
}

// ---- limits

double asked_torque(const Mechanism& m, double t, double th, double rate) {
    const double A = m.parameter("A"), w = m.parameter("w"),
                 inertia = m.parameter("m") * squared(m.parameter("l"));
    const double c = A * std::sin(w * t), c1 = A * w * std::cos(w * t);
    return inertia * (-w * w * c - 20 * (rate - c1) - 100 * (th - c)) +
           m.parameter("m") * m.parameter("g") * m.parameter("l") * std::sin(th);
}

TEST(Limited, TheTorqueIsWhatIsAskedForCutAtTheLimits) {
    const Mechanism m = load("control/limited.lac");
    const double strength = m.parameter("strength");
    Random random(13);
    int cut = 0;
    for (int i = 0; i < 40; ++i) {
        const double t = random(0, 8), w = m.parameter("w"), A = m.parameter("A");
        const double th = A * std::sin(w * t) + random(-0.05, 0.05),
                     rate = A * w * std::cos(w * t) + random(-0.2, 0.2);
        const double asked = asked_torque(m, t, th, rate),
                     given = std::clamp(asked, -strength, strength);
        const Evaluation at = evaluate_well(m, state_of(m, {{"t", t}, {"th", th}, {"th'", rate}}));
        expect_close(effort_of(m, at, "th"), given, 10.0);
        const double inertia = m.parameter("m") * squared(m.parameter("l"));
        const auto& report = control_of(at, "swing");
        expect_close(report.rows.at(0).missed, (given - asked) / inertia, 100.0);
        EXPECT_EQ(report.efforts.at(0).limit, asked > strength    ? "high"
                                              : asked < -strength ? "low"
                                                                  : "");
        if (given != asked) ++cut;
    }
    EXPECT_GE(std::min(cut, 40 - cut), 5) << "both cases must occur";
}

TEST(Limited, TheMotorNeverGivesMoreThanItCanAndSaysWhenItIsAtItsLimit) {
    const Mechanism m = load("control/limited.lac");
    const double strength = m.parameter("strength"), A = m.parameter("A"), w = m.parameter("w");
    const Motion motion = motions::run_well(m, {.tolerance = 1e-12});
    for (const double effort : motion.column("effort.th"))
        ASSERT_LE(std::abs(effort), strength * (1 + 1e-12));

    // Until the first limit the requirement is met, so that the torque is a function of time, and
    // the limit's time its root.
    double low = 0.0, high = std::acos(0.0) / w;
    for (int i = 0; i < 100; ++i) {
        const double t = (low + high) / 2;
        (asked_torque(m, t, A * std::sin(w * t), A * w * std::cos(w * t)) < strength ? low : high) =
            t;
    }
    std::vector<MotionEvent> events;
    for (const MotionEvent& event : motion.summary.events)
        if (event.kind == "saturation") events.push_back(event);
    ASSERT_GE(events.size(), 4U);
    EXPECT_NEAR(events[0].t, low, 1e-9);
    EXPECT_EQ(events[0].name, "swing");
    EXPECT_EQ(events[0].actuator, "th");
    const std::vector<std::string> order = {"high", "free", "low", "free"};
    for (std::size_t i = 0; i < events.size(); ++i)
        EXPECT_EQ(events[i].limit, order[i % 4]) << "event " << i;
}

}  // namespace
}  // namespace lacon::controls
