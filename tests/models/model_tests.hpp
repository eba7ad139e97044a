// Helpers of the tests of the models in models/.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lacon/mechanism.hpp"

/// The models of models/ against their closed forms. A test writes a state by names, and the
/// accelerations it expects by names.
namespace lacon::models {

using Values = std::vector<std::pair<std::string, double>>;
using Plane = std::array<double, 2>;
using Space = std::array<double, 3>;

/// A model of the folder models/.
Mechanism load(const std::string& file, const Settings& settings = {});

/// The state with these values of "t", "x", "x'", …; what is not named is 0. An unknown name fails
/// the test.
State state_of(const Mechanism& mechanism, const Values& values);

double acceleration_of(const Mechanism& mechanism, const Evaluation& at,
                       std::string_view coordinate);
double force_on(const Mechanism& mechanism, const Evaluation& at,
                std::string_view coordinate);  ///< of all constraints together
const ConstraintReport& constraint_of(const Evaluation& at, std::string_view name);

/// The tolerance of these tests, relative to the largest value compared (absolute below 1): both
/// sides are a few dozen operations on well-conditioned numbers, so rounding leaves less than this.
inline constexpr double tolerance = 1e-12;

/// Expects `actual` within the tolerance of `expected`; `scale` is the size of what was added up to
/// it.
void expect_close(double actual, double expected, double scale = 1.0, const std::string& what = {});

/// Evaluates at a state that meets the constraints, and expects these accelerations. Every
/// coordinate must be named.
Evaluation expect_accelerations(const Mechanism& mechanism, const State& state,
                                const Values& expected);
/// The same at any state, whether it meets the constraints or not.
Evaluation expect_accelerations_off_constraint(const Mechanism& mechanism, const State& state,
                                               const Values& expected);

void expect_multiplier(const Evaluation& at, std::string_view constraint, double expected);

inline double dot(const Plane& u, const Plane& v) {
    return u[0] * v[0] + u[1] * v[1];
}
inline double squared(double x) {
    return x * x;
}

}  // namespace lacon::models
