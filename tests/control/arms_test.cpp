// Arms that trace a figure: with as many motors as requirements, and with one more.

#include <array>

#include "control_tests.hpp"
#include "lacon/reference.hpp"

namespace lacon::controls {
namespace {

/// A planar arm of uniform links in their absolute angles, by hand: M q'' = Q + F u, and the
/// acceleration of the tip J q'' + bend.
struct Arm {
    std::size_t n;
    std::vector<double> l, m, rotor;
    double g = 0, c = 0, k = 0;
    std::vector<double> posture;

    Matrix M = {}, F = {}, J = {};
    std::vector<double> Q = {};
    Plane tip{}, tip1{}, bend{};

    void put(const std::vector<double>& th, const std::vector<double>& v) {
        M = Matrix(n, n);
        F = Matrix(n, n);
        J = Matrix(2, n);
        Q.assign(n, 0.0);
        tip = tip1 = bend = {0.0, 0.0};
        for (std::size_t i = 0; i < n; ++i) {
            F(i, i) = 1.0;
            if (i + 1 < n) F(i, i + 1) = -1.0;
            add_link(i, th, v);
            J(0, i) = -l[i] * std::sin(th[i]);
            J(1, i) = l[i] * std::cos(th[i]);
            tip[0] += J(1, i);
            tip[1] -= J(0, i);
            for (const std::size_t j : {0U, 1U}) tip1[j] += J(j, i) * v[i];
            bend[0] -= J(1, i) * v[i] * v[i];
            bend[1] += J(0, i) * v[i] * v[i];
        }
        for (std::size_t i = 0; i < n; ++i) add_joint(i, th, v);
    }

private:
    /// The middle of link i is Σ_j reach_j (cos th_j, sin th_j).
    void add_link(std::size_t i, const std::vector<double>& th, const std::vector<double>& v) {
        const auto reach = [&](std::size_t j) { return j < i ? l[j] : l[i] / 2; };
        M(i, i) += m[i] * l[i] * l[i] / 12;
        for (std::size_t a = 0; a <= i; ++a) {
            Q[a] -= m[i] * g * reach(a) * std::cos(th[a]);
            for (std::size_t b = 0; b <= i; ++b) {
                M(a, b) += m[i] * reach(a) * reach(b) * std::cos(th[a] - th[b]);
                Q[a] -= m[i] * reach(a) * reach(b) * std::sin(th[a] - th[b]) * v[b] * v[b];
            }
        }
    }
    /// Rotor, oil and spring between link i − 1 and link i.
    void add_joint(std::size_t i, const std::vector<double>& th, const std::vector<double>& v) {
        const double turn = th[i] - (i > 0 ? th[i - 1] : 0.0),
                     rate = v[i] - (i > 0 ? v[i - 1] : 0.0);
        const double torque = -c * rate - k * (turn - posture[i]);
        for (std::size_t a = 0; a < n; ++a) {
            Q[a] += F(a, i) * torque;
            for (std::size_t b = 0; b < n; ++b) M(a, b) += rotor[i] * F(a, i) * F(b, i);
        }
    }
};

Arm arm_two(const Mechanism& m) {
    Arm arm{.n = 2,
            .l = {m.parameter("l1"), m.parameter("l2")},
            .m = {m.parameter("m1"), m.parameter("m2")},
            .rotor = {0, 0},
            .g = m.parameter("g"),
            .posture = {0, 0}};
    return arm;
}

Arm arm_three(const Mechanism& m) {
    Arm arm{.n = 3,
            .l = {m.parameter("l1"), m.parameter("l2"), m.parameter("l3")},
            .m = {m.parameter("m1"), m.parameter("m2"), m.parameter("m3")},
            .rotor = {m.parameter("J1"), m.parameter("J2"), m.parameter("J3")},
            .c = m.parameter("c"),
            .k = m.parameter("k"),
            .posture = {1.3, -1.2, -1.3}};
    return arm;
}

/// What the tip is to do: φ'' + 20 φ' + 100 φ = 0.
Plane demand(const Arm& arm, const Plane& c, const Plane& c1, const Plane& c2) {
    Plane d;
    for (const std::size_t j : {0U, 1U})
        d[j] = c2[j] - 20 * (arm.tip1[j] - c1[j]) - 100 * (arm.tip[j] - c[j]);
    return d;
}

Matrix product(const Matrix& A, const Matrix& B) {
    Matrix result(A.rows(), B.cols());
    for (std::size_t i = 0; i < A.rows(); ++i)
        for (std::size_t k = 0; k < A.cols(); ++k)
            for (std::size_t j = 0; j < B.cols(); ++j) result(i, j) += A(i, k) * B(k, j);
    return result;
}

std::vector<double> product(const Matrix& A, const std::vector<double>& x) {
    std::vector<double> result(A.rows());
    for (std::size_t i = 0; i < A.rows(); ++i)
        for (std::size_t j = 0; j < A.cols(); ++j) result[i] += A(i, j) * x[j];
    return result;
}

TEST(ArmTwo, TorquesAreThoseOfInverseKinematicsInTheEquationsOfMotion) {
    const Mechanism m = load("control/arm_two.lac");
    const double w = m.parameter("w");
    Arm arm = arm_two(m);
    Random random(21);
    for (int i = 0; i < 20; ++i) {
        const double t = random(0, 10), bent = random(0.4, 2.5), th1 = random(-3, 3);
        const std::vector<double> th = {th1, th1 + (i % 2 == 0 ? bent : -bent)},
                                  v = {random(-2, 2), random(-2, 2)};
        arm.put(th, v);
        const Plane d =
            demand(arm, {0.5 + 0.1 * std::sin(2 * w * t), 0.1 + 0.25 * std::cos(w * t)},
                   {0.2 * w * std::cos(2 * w * t), -0.25 * w * std::sin(w * t)},
                   {-0.4 * w * w * std::sin(2 * w * t), -0.25 * w * w * std::cos(w * t)});
        const double sx = d[0] - arm.bend[0], sy = d[1] - arm.bend[1];
        const double determinant = arm.J(0, 0) * arm.J(1, 1) - arm.J(0, 1) * arm.J(1, 0);
        const std::vector<double> a = {(sx * arm.J(1, 1) - sy * arm.J(0, 1)) / determinant,
                                       (sy * arm.J(0, 0) - sx * arm.J(1, 0)) / determinant};
        std::vector<double> force = product(arm.M, a);
        for (std::size_t j = 0; j < 2; ++j) force[j] -= arm.Q[j];

        const Evaluation at = evaluate_well(m, State{.t = t, .q = th, .v = v});
        const double scale = (std::abs(sx) + std::abs(sy)) / std::abs(determinant);
        expect_forces(at.solution.acceleration, a, scale, "q''");
        expect_forces(at.control_force, force, 2 * scale, "force");
        expect_close(effort_of(m, at, "elbow"), force[1], 2 * scale);
        expect_close(effort_of(m, at, "shoulder"), force[0] + force[1], 2 * scale);
    }
}

TEST(ArmTwo, TheTipComesToTheFigureAsTheGainSaysAndStaysOnIt) {
    const Mechanism m = load("control/arm_two.lac");
    const Motion motion = motions::run_well(m, {.tolerance = 1e-12});
    const double w = m.parameter("w"), x0 = motion.column("tip_x")[0],
                 y0 = motion.column("tip_y")[0];
    EXPECT_LE(motions::worst_error(motion, "tip_x",
                                   [&](long double at) {
                                       const double t = static_cast<double>(at);
                                       return 0.5 + 0.1 * std::sin(2 * w * t) +
                                              entry(x0 - 0.5, -0.2 * w, 10, t);
                                   }),
              1e-10);
    EXPECT_LE(motions::worst_error(motion, "tip_y",
                                   [&](long double at) {
                                       const double t = static_cast<double>(at);
                                       return 0.1 + 0.25 * std::cos(w * t) +
                                              entry(y0 - 0.35, 0.0, 10, t);
                                   }),
              1e-10);
}

/// The weighted pseudo-inverse: u = N^{-1/2} (G N^{-1/2})⁺ s, G = J M⁻¹ F, s = d − bend − J M⁻¹ Q.
struct LeastEffort {
    Matrix G;
    std::vector<double> u;
    double scale = 0.0;  // of what is added up in u

    LeastEffort(const Arm& arm, const Plane& d, const Matrix& N) {
        const Matrix inverse = reference::pinv(arm.M), root = reference::inverse_square_root(N);
        G = product(arm.J, product(inverse, arm.F));
        const std::vector<double> fall = product(arm.J, product(inverse, arm.Q));
        const Matrix map = product(root, reference::pinv(product(G, root)));
        u = product(map, std::vector{d[0] - arm.bend[0] - fall[0], d[1] - arm.bend[1] - fall[1]});
        for (std::size_t i = 0; i < 3; ++i)
            for (const std::size_t j : {0U, 1U})
                scale += std::abs(map(i, j)) *
                         (std::abs(d[j]) + std::abs(arm.bend[j]) + std::abs(fall[j]));
    }
};

void expect_least_effort(const Mechanism& m, const Matrix& N, unsigned seed) {
    Arm arm = arm_three(m);
    Random random(seed);
    for (int i = 0; i < 20; ++i) {
        const double t = random(0, 6), th1 = random(0.5, 1.5);
        const double th2 = th1 - random(0.6, 2.0), th3 = th2 - random(0.6, 2.0);
        const std::vector<double> th = {th1, th2, th3},
                                  v = {random(-1, 1), random(-1, 1), random(-1, 1)};
        arm.put(th, v);
        const Plane d = demand(arm, {0.6 + 0.15 * std::cos(t), 0.2 + 0.25 * std::sin(2 * t)},
                               {-0.15 * std::sin(t), 0.5 * std::cos(2 * t)},
                               {-0.15 * std::cos(t), -std::sin(2 * t)});
        const LeastEffort least(arm, d, N);
        const Evaluation at = evaluate_well(m, State{.t = t, .q = th, .v = v});
        const std::vector<double> u = {effort_of(m, at, "shoulder"), effort_of(m, at, "elbow"),
                                       effort_of(m, at, "wrist")};
        // Condition numbers of M and G, some tens each, multiply what rounding leaves.
        expect_forces(u, least.u, 100 * least.scale, "effort");

        // Efforts that move the tip not at all lie across both rows of G; along them the cost is
        // stationary, so it is least.
        const Matrix& G = least.G;
        const Space none = {G(0, 1) * G(1, 2) - G(0, 2) * G(1, 1),
                            G(0, 2) * G(1, 0) - G(0, 0) * G(1, 2),
                            G(0, 0) * G(1, 1) - G(0, 1) * G(1, 0)};
        const double length = std::hypot(none[0], none[1], none[2]);
        double slope = 0.0, cost = 0.0;
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b) {
                slope += none[a] / length * N(a, b) * u[b];
                cost += u[a] * N(a, b) * u[b];
            }
        expect_close(slope, 0.0, 1000 * least.scale, "slope of the cost");
        expect_close(control_of(at, "trace").cost, cost, cost);
    }
}

TEST(ArmThree, EffortIsTheWeightedPseudoInverseAndNoneIsCheaper) {
    const Mechanism m = load("control/arm_three.lac");
    Matrix N(3, 3);
    for (const std::size_t i : {0U, 1U, 2U}) N(i, i) = m.parameter("n" + std::to_string(i + 1));
    expect_least_effort(m, N, 22);
}

TEST(ArmThree, TheCostMayBeAnyPositiveDefiniteMatrix) {
    const Mechanism m = Mechanism::parse(text_with(
        "arm_three.lac", "weight n1, n2, n3", "weight (2, 0.5, -0.3), (0.5, 3, 1), (-0.3, 1, 4)"));
    Matrix N(3, 3);
    const std::array rows = {Space{2, 0.5, -0.3}, Space{0.5, 3, 1}, Space{-0.3, 1, 4}};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) N(i, j) = rows[i][j];
    expect_least_effort(m, N, 23);
}

TEST(ArmThree, WithoutWeightsTheCostIsGausssMeasure) {
    const Mechanism m = Mechanism::parse(text_with("arm_three.lac", " weight n1, n2, n3", ""));
    const State state{.t = 0.4, .q = {1.2, -0.1, -1.3}, .v = {0.3, -0.5, 0.2}};
    Arm arm = arm_three(m);
    arm.put(state.q, state.v);
    const Matrix inverse = reference::pinv(arm.M);
    Matrix N(3, 3);
    const Matrix half = product(inverse, arm.F);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 3; ++k) N(i, j) += arm.F(k, i) * half(k, j);
    const Plane d = demand(arm, {0.6 + 0.15 * std::cos(0.4), 0.2 + 0.25 * std::sin(0.8)},
                           {-0.15 * std::sin(0.4), 0.5 * std::cos(0.8)},
                           {-0.15 * std::cos(0.4), -std::sin(0.8)});
    const LeastEffort least(arm, d, N);
    expect_forces(evaluate_well(m, state).efforts, least.u, 100 * least.scale, "effort");
}

TEST(ArmThree, TheTipFollowsWhateverThePosture) {
    const Mechanism m = load("control/arm_three.lac");
    const Motion motion = motions::run_well(m, {.tolerance = 1e-12});
    const double x0 = motion.column("tip_x")[0], y0 = motion.column("tip_y")[0];
    EXPECT_LE(motions::worst_error(motion, "trace.error",
                                   [&](long double at) {
                                       const double t = static_cast<double>(at);
                                       return std::hypot(entry(x0 - 0.75, 0.0, 10, t),
                                                         entry(y0 - 0.2, -0.5, 10, t));
                                   }),
              1e-10);
}

}  // namespace
}  // namespace lacon::controls
