// Machines of bodies, joints and couplings, each against equations found in another way.

#include <sstream>

#include "model_tests.hpp"

namespace lacon::models {
namespace {

constexpr double pi = 3.14159265358979323846;

double output_of(const Evaluation& at, std::string_view name) {
    for (const auto& [one, value] : at.outputs)
        if (one == name) return value;
    ADD_FAILURE() << "no output " << name;
    return NAN;
}

Evaluation at_start(const Mechanism& m) {
    const Start start = m.start();
    EXPECT_TRUE(start.status) << start.status.message;
    Evaluation at = m.evaluate(start.state);
    EXPECT_TRUE(at.status) << at.status.message;
    return at;
}

TEST(PlanetaryGearModel, TurnsAsWillisSays) {
    const Mechanism m = load("bodies/planetary_gear.lac", {{"load", 0.0}});
    const Evaluation at = at_start(m);
    const double r = 0.03, p = 0.02, k = r / (2 * (r + p)), n = r / (2 * p);
    const double I = 0.0002 + 0.001 * k * k + 3 * (0.1 * squared((r + p) * k) + 0.00004 * n * n);
    expect_close(acceleration_of(m, at, "S"), 2 / I, 2 / I);
    expect_close(acceleration_of(m, at, "C"), k * 2 / I, 2 / I);
    expect_close(acceleration_of(m, at, "P[2]"), -(n + k) * 2 / I, 2 / I);
    EXPECT_EQ(at.solution.rank, 4U);
    EXPECT_EQ(at.constraints.size(), 6U);
}

TEST(CamAndFollowerModel, TurnsByItsEffectiveInertia) {
    const Mechanism m = load("bodies/cam_and_follower.lac");
    for (const auto& [s, w] : {Plane{0.4, 40.0}, Plane{2.0, -10.0}, Plane{4.5, 0.0}}) {
        const double h = 0.01, y = h * (1 - std::cos(2 * s)) / 2, y1 = h * std::sin(2 * s),
                     y2 = 2 * h * std::cos(2 * s), push = 0.2 * 9.81 + 5000 * (y + 0.02);
        const double turn = (-0.2 * y1 * y2 * w * w - push * y1) / (0.002 + 0.2 * y1 * y1);
        const Evaluation at =
            m.evaluate(state_of(m, {{"shaft", s}, {"stem", y}, {"shaft'", w}, {"stem'", y1 * w}}));
        expect_close(acceleration_of(m, at, "shaft"), turn, 1e3);
        expect_close(output_of(at, "push.force.z"), 0.2 * (y1 * turn + y2 * w * w) + push, 1e3);
    }
}

TEST(GenevaDriveModel, TurnsItsWheelByTheClassicalFormula) {
    const Mechanism m = load("bodies/geneva_drive.lac");
    const double k = std::sin(pi / 4), w = 10;
    for (const double a : {-0.7, -0.2, 0.0, 0.5}) {
        const double b = std::atan2(k * std::sin(a), 1 - k * std::cos(a));
        const double D = 1 + k * k - 2 * k * std::cos(a);
        const double slope = k * (std::cos(a) - k) / D;
        const double curve = -k * (1 - k * k) * std::sin(a) / (D * D);
        State state = state_of(m, {{"t", (a + pi / 4) / w},
                                   {"motor", a},
                                   {"motor'", w},
                                   {"axle", -b},
                                   {"axle'", -slope * w}});
        const Evaluation at = m.evaluate(state);
        expect_close(acceleration_of(m, at, "axle"), -curve * w * w, 1e3);
        // The pin pushes across the slot with the torque I b'' over the radius.
        const double radius = std::hypot(0.1 - 0.1 * k * std::cos(a), 0.1 * k * std::sin(a));
        expect_close(std::abs(output_of(at, "slot.local_force.y")),
                     std::abs(0.001 * curve * w * w / radius), 1e3);
    }
}

/// Where a distance pulls: the arm of its line about a pin.
double arm_about(const Plane& pin, const Plane& from, const Plane& to) {
    const Plane u = {to[0] - from[0], to[1] - from[1]};
    const double length = std::hypot(u[0], u[1]);
    return ((from[0] - pin[0]) * u[1] - (from[1] - pin[1]) * u[0]) / length;
}

TEST(ExcavatorModel, ItsCylindersHoldTheMomentsOfTheWeights) {
    const Mechanism m = load("bodies/excavator.lac");
    const Evaluation at = at_start(m);
    const auto coordinate = [&](std::string_view name) {
        return at.state.q[*m.coordinate_index(name)];
    };
    struct Place {
        Plane p;
        double angle;
        Plane point(double x, double y) const {
            const double c = std::cos(angle), s = std::sin(angle);
            return {p[0] + c * x - s * y, p[1] + s * x + c * y};
        }
    };
    const Place boom{{0, 0}, coordinate("foot")};
    const Place stick{boom.point(5, 0), boom.angle + coordinate("elbow")};
    const Place bucket{stick.point(2.5, 0), stick.angle + coordinate("wrist")};
    const Place rocker{stick.point(2, 0), stick.angle + coordinate("R")};
    const Place link{rocker.point(0.5, 0), rocker.angle + coordinate("L")};
    const std::vector<std::pair<double, Plane>> weights = {{900, boom.point(2.4, 0.3)},
                                                           {450, stick.point(0.9, 0.1)},
                                                           {850, bucket.point(0.6, -0.2)},
                                                           {20, rocker.point(0.25, 0)},
                                                           {25, link.point(0.3, 0)}};
    const auto moment = [&](const Plane& pin, std::size_t first) {
        double sum = 0.0;
        for (std::size_t i = first; i < weights.size(); ++i)
            sum -= weights[i].first * 9.81 * (weights[i].second[0] - pin[0]);
        return sum;
    };
    const double boom_force =
        moment(boom.p, 0) / arm_about(boom.p, {0.6, -0.5}, boom.point(2.2, 0.6));
    const double stick_force =
        moment(stick.p, 1) / arm_about(stick.p, boom.point(3, 0.9), stick.point(-0.6, 0.3));
    const auto size = [&](const std::string& name) {
        return std::hypot(output_of(at, name + ".force.x"), output_of(at, name + ".force.y"));
    };
    expect_close(size("boom_cylinder"), std::abs(boom_force), 1e6);
    expect_close(size("stick_cylinder"), std::abs(stick_force), 1e6);
    EXPECT_EQ(at.solution.rank, at.constraints.size());
}

TEST(SpatialSliderCrankModel, TurnsByOneEffectiveInertia) {
    const Mechanism m = load("bodies/spatial_slider_crank.lac");
    const double r = 0.08, l = 0.3, y0 = 0.1, z0 = 0.12, g = 9.81;
    const auto x_of = [&](double a) {
        return std::sqrt(l * l - squared(y0 - r * std::sin(a)) - squared(z0 + r * std::cos(a)));
    };
    // Of T = ½ I(a) a'²: I'/2 by central differences, of fourth order.
    const auto inertia = [&](double a) {
        const double y = y0 - r * std::sin(a), z = z0 + r * std::cos(a), x = x_of(a);
        const Space pin = {0, -r * std::cos(a), -r * std::sin(a)};
        const Space slider = {-(y * pin[1] + z * pin[2]) / x, 0, 0};
        double rod = 0.0;
        for (int i = 0; i < 3; ++i)
            rod += pin[i] * pin[i] + pin[i] * slider[i] + slider[i] * slider[i];
        return 0.0001 + 2 * squared(slider[0]) + 0.5 / 3 * rod;
    };
    const Evaluation at = at_start(m);
    const double a = at.state.q[*m.coordinate_index("A")], w = at.state.v[*m.coordinate_index("A")],
                 h = 1e-3;
    const double slope =
        (8 * (inertia(a + h) - inertia(a - h)) - (inertia(a + 2 * h) - inertia(a - 2 * h))) /
        (12 * h);
    // Gravity turns the pin and half of the rod.
    const double torque = 0.5 * 0.5 * g * r * std::sin(a);
    const double turn = (torque - 0.5 * slope * w * w) / inertia(a);
    EXPECT_NEAR(acceleration_of(m, at, "A"), turn, 1e-8 * (1 + std::abs(turn)));
    expect_close(output_of(at, "x"), x_of(a));
}

TEST(SarrusModel, LeadsItsPlatformStraightByOneEffectiveInertia) {
    const Mechanism m = load("bodies/sarrus.lac");
    const double L = 0.5, g = 9.81, platform = 2, link = 1;
    for (const auto& [s, w] : {Plane{1.2, 0.0}, Plane{0.6, -3.0}, Plane{0.9, 2.0}}) {
        const double c = std::cos(s);
        const double inertia = 4 * L * L * (platform * c * c + link * (1.0 / 3 + c * c));
        const double half_slope = -4 * L * L * (platform + link) * c * std::sin(s);
        const double turn = (-half_slope * w * w - (2 * platform + 4 * link) * g * L * c) / inertia;
        const Evaluation at = m.evaluate(state_of(m, {{"A1", s},
                                                      {"A2", pi - 2 * s},
                                                      {"A3", s - pi},
                                                      {"B1", s},
                                                      {"B2", pi - 2 * s},
                                                      {"A1'", w},
                                                      {"A2'", -2 * w},
                                                      {"A3'", w},
                                                      {"B1'", w},
                                                      {"B2'", -2 * w}}));
        EXPECT_TRUE(at.status) << at.status.message;
        EXPECT_EQ(at.solution.rank, 4U);
        expect_close(acceleration_of(m, at, "A1"), turn, 1e2);
        expect_close(acceleration_of(m, at, "B2"), -2 * turn, 1e2);
        expect_close(output_of(at, "z"), 2 * L * std::sin(s));
        expect_close(output_of(at, "x"), 0.0);
    }
}

TEST(StewartPlatformModel, ItsLegsShareTheWeightAlike) {
    const Mechanism m = load("bodies/stewart_platform.lac");
    State state = m.start().state;
    for (const double t : {0.0, 0.3, 1.1}) {
        state.t = t;
        const double z = 0.8 + 0.1 * std::sin(3 * t), a = -0.9 * std::sin(3 * t);
        state.q[*m.coordinate_index("top_z")] = z;
        state.v[*m.coordinate_index("top_z")] = 0.3 * std::cos(3 * t);
        const Evaluation at = m.evaluate(state);
        ASSERT_TRUE(at.status) << at.status.message;
        const double length = output_of(at, "leg[1]");
        for (const double effort : at.efforts)
            expect_close(effort, 40 * (9.81 + a) / (6 * z / length), 1e3);
    }
}

TEST(BicycleModel, LeansAndSteersByThePublishedMatrices) {
    const double M[2][2] = {{80.81722, 2.31941332208709}, {2.31941332208709, 0.29784188199686}},
                 K0[2][2] = {{-80.95, -2.59951685249872}, {-2.59951685249872, -0.80329488458618}},
                 K2[2][2] = {{0, 76.59734589573222}, {0, 2.65431523794604}},
                 C1[2][2] = {{0, 33.86641391492494}, {-0.85035641456978, 1.68540397397560}};
    const double v = 4.0, g = 9.81, small = 1e-4;
    const double determinant = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    const char* names[] = {"lean", "steering", "lean_rate", "steer_rate"};
    for (std::size_t k = 0; k < 4; ++k) {
        // Accelerations by the k-th state, by a central difference.
        double got[2] = {0, 0};
        for (const double sign : {1.0, -1.0}) {
            const Mechanism m = load("bodies/bicycle.lac",
                                     {{"v", v}, {"lean_rate", 0.0}, {names[k], sign * small}});
            const Evaluation at = at_start(m);
            got[0] += sign * 2 * acceleration_of(m, at, "frame_qx") / (2 * small);
            got[1] += sign * acceleration_of(m, at, "steer") / (2 * small);
        }
        const std::size_t j = k % 2;
        double Q[2];
        for (std::size_t i = 0; i < 2; ++i)
            Q[i] = k < 2 ? -(g * K0[i][j] + v * v * K2[i][j]) : -v * C1[i][j];
        // The error of the difference is of second order in 1e-4.
        EXPECT_NEAR(got[0], (M[1][1] * Q[0] - M[0][1] * Q[1]) / determinant, 1e-4) << names[k];
        EXPECT_NEAR(got[1], (M[0][0] * Q[1] - M[1][0] * Q[0]) / determinant, 1e-4) << names[k];
    }
}

TEST(BicycleModel, ExplainsItselfInLinesThatCanBeRead) {
    const std::string text = load("bodies/bicycle.lac").explain(false);
    EXPECT_NE(text.find("follow by recursion"), std::string::npos);
    EXPECT_NE(text.find("(c' - R w x m) = 0 across n"), std::string::npos);
    EXPECT_NE(text.find("λ[front_tyre.y]*A[front_tyre.y, steer]"), std::string::npos) << text;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LT(line.size(), 1000U) << line;
}

// ---- six axes: the Jacobian form

struct Solid {
    double m;
    Space c;  // in its own axes
    double I[3];
    double turned = 0.0;  // of the axes of the inertia, about z
};
using Rows = std::array<Space, 3>;

Rows times(const Rows& A, const Rows& B) {
    Rows C{};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) C[i][j] += A[i][k] * B[k][j];
    return C;
}
Space times(const Rows& A, const Space& x) {
    Space y{};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) y[i] += A[i][j] * x[j];
    return y;
}
Rows turned(int axis, double angle) {
    Rows R = {Space{1, 0, 0}, Space{0, 1, 0}, Space{0, 0, 1}};
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    R[a][a] = R[b][b] = std::cos(angle);
    R[b][a] = std::sin(angle);
    R[a][b] = -R[b][a];
    return R;
}
Space cross(const Space& u, const Space& v) {
    return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}

TEST(SixAxisArmModel, HasTheMassesAndTorquesOfItsJacobians) {
    const Mechanism m = load("bodies/six_axis_arm.lac");
    const int axes[] = {2, 1, 1, 0, 1, 0};
    const Space places[] = {{0, 0, 0.2}, {0.05, 0, 0.2}, {0.4, 0, 0},
                            {0.3, 0, 0}, {0.1, 0, 0},    {0.06, 0, 0}};
    const Solid solids[] = {{8, {0, 0, 0.1}, {0.06, 0.06, 0.04}},
                            {6, {0.2, 0.02, 0}, {0.02, 0.12, 0.12}},
                            {4, {0.15, 0, 0.01}, {0.01, 0.05, 0.05}, 0.1},
                            {1.5, {0.05, 0, 0}, {0.003, 0.004, 0.004}},
                            {1, {0.03, 0, 0}, {0.001, 0.002, 0.002}},
                            {0.5, {0.04, 0.01, 0}, {0.0005, 0.0006, 0.0006}}};
    const State state = m.start().state;
    const Evaluation at = m.evaluate(state);
    Rows R = turned(0, 0.0);
    Space p{};
    std::vector<Space> u, from;
    double M[6][6] = {}, Q[6] = {};
    for (std::size_t i = 0; i < 6; ++i) {
        const Space step = times(R, places[i]);
        for (int k = 0; k < 3; ++k) p[k] += step[k];
        Space own{};
        own[axes[i]] = 1;
        u.push_back(times(R, own));
        from.push_back(p);
        R = times(R, turned(axes[i], state.q[i]));
        const Space offset = times(R, solids[i].c);
        const Rows principal = times(R, turned(2, solids[i].turned));
        std::vector<Space> Jv, Jw;  // Jw in the principal axes
        for (std::size_t j = 0; j <= i; ++j) {
            Space arm;
            for (int k = 0; k < 3; ++k) arm[k] = p[k] + offset[k] - from[j][k];
            Jv.push_back(cross(u[j], arm));
            Space w{};
            for (int k = 0; k < 3; ++k)
                for (int n = 0; n < 3; ++n) w[k] += principal[n][k] * u[j][n];
            Jw.push_back(w);
            Q[j] -= solids[i].m * 9.81 * Jv[j][2];
        }
        for (std::size_t a = 0; a <= i; ++a)
            for (std::size_t b = 0; b <= i; ++b)
                for (int k = 0; k < 3; ++k)
                    M[a][b] +=
                        solids[i].m * Jv[a][k] * Jv[b][k] + solids[i].I[k] * Jw[a][k] * Jw[b][k];
    }
    for (std::size_t a = 0; a < 6; ++a) {
        expect_close(at.Q[a], Q[a], 100);
        for (std::size_t b = 0; b < 6; ++b) expect_close(at.M(a, b), M[a][b], 10);
    }
}

}  // namespace
}  // namespace lacon::models
