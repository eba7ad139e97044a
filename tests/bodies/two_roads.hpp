// Two roads to the mechanics of bodies: by their own recursion, and by energies written out with
// points and angular velocities.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "lacon/mechanism.hpp"

namespace lacon {

constexpr double g = 9.81;

/// An output at the model's start.
inline double at_start(const Mechanism& m, const std::string& output) {
    const Start start = m.start();
    EXPECT_TRUE(start.status) << start.status.message;
    const Evaluation at = m.evaluate(start.state);
    EXPECT_TRUE(at.status) << at.status.message;
    for (const auto& one : at.outputs)
        if (one.first == output) return one.second;
    ADD_FAILURE() << "no output " << output;
    return NAN;
}

struct TestBody {
    std::string name, mass, center;
    std::vector<std::string> inertia;  // Ixx, Iyy, Izz, Ixy, Ixz, Iyz
};

/// The bodies with their mass and inertia, under gravity.
inline std::string as_bodies(const std::vector<TestBody>& bodies, const std::string& gravity) {
    std::string text;
    for (const TestBody& b : bodies) {
        text += "body " + b.name + " mass " + b.mass + " center " + b.center + " inertia (";
        for (std::size_t i = 0; i < 6; ++i) text += (i ? ", " : "") + b.inertia[i];
        text += ")\n";
    }
    return text + "gravity " + gravity + "\n";
}

/// The same bodies without mass, and their energies: T = ½ m |c'|² + ½ ω·I ω, V = −m g·c.
inline std::string as_energies(const std::vector<TestBody>& bodies, const std::string& gravity) {
    std::string text;
    for (const TestBody& b : bodies) {
        const std::string c = b.name + b.center, w = "w_" + b.name;
        const auto along = [&](const std::string& axis) {
            return "dot(" + b.name + ".omega, " + b.name + ".direction(" + axis + "))";
        };
        text += "body " + b.name + "\nlet " + w + " = (" + along("1, 0, 0") + ", " +
                along("0, 1, 0") + ", " + along("0, 0, 1") + ")\n";
        text += "kinetic (" + b.mass + ")/2*dot(" + c + "', " + c + "')\n";
        text += "kinetic ((" + b.inertia[0] + ")*" + w + ".x^2 + (" + b.inertia[1] + ")*" + w +
                ".y^2 + (" + b.inertia[2] + ")*" + w + ".z^2)/2 + (" + b.inertia[3] + ")*" + w +
                ".x*" + w + ".y + (" + b.inertia[4] + ")*" + w + ".x*" + w + ".z + (" +
                b.inertia[5] + ")*" + w + ".y*" + w + ".z\n";
        text += "potential -(" + b.mass + ")*dot(" + gravity + ", " + c + ")\n";
    }
    return text;
}

inline State random_motion(std::size_t n, std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    State s{0.0, std::vector<double>(n), std::vector<double>(n)};
    for (double& x : s.q) x = uniform(random);
    for (double& x : s.v) x = uniform(random);
    return s;
}

/// M, Q and the energies agree at random states.
inline void expect_alike(const Mechanism& a, const Mechanism& b, double tolerance) {
    std::mt19937_64 random(7);
    ASSERT_EQ(a.coordinates(), b.coordinates());
    for (int trial = 0; trial < 8; ++trial) {
        const State s = random_motion(a.coordinates().size(), random);
        const Evaluation left = a.evaluate(s), right = b.evaluate(s);
        for (std::size_t i = 0; i < s.q.size(); ++i) {
            EXPECT_NEAR(left.Q[i], right.Q[i], tolerance * (1.0 + std::abs(right.Q[i])));
            for (std::size_t j = 0; j < s.q.size(); ++j)
                EXPECT_NEAR(left.M(i, j), right.M(i, j),
                            tolerance * (1.0 + std::abs(right.M(i, j))));
        }
        EXPECT_NEAR(left.kinetic, right.kinetic, tolerance * (1.0 + right.kinetic));
        EXPECT_NEAR(left.potential, right.potential, tolerance * (1.0 + std::abs(right.potential)));
    }
}

}  // namespace lacon
