// Motions with closed forms.
#pragma once

#include "motion_tests.hpp"

/// Motions whose end is known by a closed form, for tests of what a run claims about its errors.
namespace lacon::motions {

struct Known {
    std::string name;
    std::string text;  // of the model
    double end;
    std::vector<std::pair<std::string, long double>> values;  // columns at the end
};

inline std::vector<Known> known_motions() {
    using Real = long double;
    std::vector<Known> all;
    {
        const Real w = 1.3L, T = 40.0L;
        all.push_back({"oscillator",
                       "param w = 1.3\ncoord x\nparticle p at (x, 0) mass 2\nforce x = "
                       "-2*w^2*x\nstart x = 1.5, x' = 0\n",
                       40.0,
                       {{"x", 1.5L * std::cos(Real(1.3) * T)},
                        {"x'", -1.5L * Real(1.3) * std::sin(Real(1.3) * T)}}});
        (void)w;
    }
    {
        const Real g = 9.81, L = 0.8, T = 25.0L, a = pendulum_angle(1.0L, std::sqrt(g / L), T);
        all.push_back({"pendulum in an angle",
                       "param g = 9.81, L = 0.8\ncoord a\nkinetic 0.5*L^2*a'^2\npotential "
                       "-g*L*cos(a)\nstart a = 1, a' = 0\n",
                       25.0,
                       {{"a", a}}});
        all.push_back({"pendulum on a rod",
                       "coord x, y\nparticle p at (x, y) mass 1\ngravity (0, -9.81)\nconstraint "
                       "rod: x^2 + y^2 = 0.64\n"
                       "start x = 0.8*sin(1), y = -0.8*cos(1), x' = 0, y' = 0\n",
                       25.0,
                       {{"x", Real(0.8) * std::sin(a)}, {"y", -Real(0.8) * std::cos(a)}}});
    }
    {
        // Kepler's ellipse, e = 0.5, from its pericentre: eccentric anomaly by Newton's method.
        const Real e = 0.5L, T = 50.0L;
        Real E = T;
        for (int i = 0; i < 60; ++i) E -= (E - e * std::sin(E) - T) / (1.0L - e * std::cos(E));
        all.push_back({"ellipse",
                       "coord x, y\nparticle p at (x, y) mass 1\npotential -1/hypot(x, y)\n"
                       "start x = 0.5, y = 0, x' = 0, y' = sqrt(3)\n",
                       50.0,
                       {{"x", std::cos(E) - e}, {"y", std::sqrt(1.0L - e * e) * std::sin(E)}}});
    }
    {
        const Real c = 0.3L, k = 4.0L, w = std::sqrt(k - 0.25L * Real(0.3) * Real(0.3)), T = 12.0L,
                   d = Real(0.3) / 2.0L;
        all.push_back({"damped and driven by nothing",
                       "coord x\nparticle p at (x, 0) mass 1\nforce x = -4*x - 0.3*x'\nstart x = "
                       "2, x' = -1\n",
                       12.0,
                       {{"x", std::exp(-d * T) * (2.0L * std::cos(w * T) +
                                                  (-1.0L + 2.0L * d) / w * std::sin(w * T))}}});
        (void)c;
    }
    {
        const Real T = 3.0L;
        all.push_back(
            {"falling away from a top",
             "coord x\nparticle p at (x, 0) mass 1\nforce x = 9*x\nstart x = 0.01, x' = 0\n",
             3.0,
             {{"x", Real(0.01) * std::cosh(3.0L * T)},
              {"x'", 3.0L * Real(0.01) * std::sinh(3.0L * T)}}});
    }
    {
        const Real T = 30.0L, w = 1.7;
        all.push_back({"driven",
                       "coord x\nparticle p at (x, 0) mass 1\nforce x = -x + sin(1.7*t)\nstart x = "
                       "0, x' = 0\n",
                       30.0,
                       {{"x", (std::sin(w * T) - w * std::sin(T)) / (1.0L - w * w)}}});
    }
    return all;
}

}  // namespace lacon::motions
