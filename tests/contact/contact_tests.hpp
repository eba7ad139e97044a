// Helpers of the contact tests: runs, rows of reports, checks of certificates.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "motion/motion_tests.hpp"

/// What the tests of contacts and friction share, on top of those of motions. All closed forms are
/// worked out in extended precision.
namespace lacon::contacts {

using motions::event_times;
using motions::last;
using motions::load;
using motions::near;
using motions::worst_error;
using Real = long double;

/// Of positions, velocities, times and forces of motions at tolerance 1e-12, relative to their
/// size: the rounding of some hundred steps leaves less than 1e-12, and a moment found from a gap
/// is as exact as the gap.
inline constexpr double exact = 1e-10;

/// A run at tolerance 1e-12 that must end well and lawfully.
Motion run_contacts(const Mechanism& mechanism, RunOptions options);

/// Certificates below 1e-12, events of known kinds in order of time.
void expect_lawful(const Motion& motion);

/// Largest |column − expected(t)| over all rows but those at one of the times `but`: there a jump
/// has two values.
double worst_between(const Motion& motion, const std::string& column,
                     const std::function<Real(Real)>& expected, const std::vector<double>& but);

void expect_times(const std::vector<double>& actual, const std::vector<Real>& expected,
                  double tolerance = exact);

/// "impact floor", "settled floor", …: without the times.
std::vector<std::string> story(const Motion& motion);

/// ∫ f from a to b of a smooth function, by the rule of Gauss with ten points on 64 pieces.
Real integral(const std::function<Real(Real)>& f, Real a, Real b);

State state_of(const Mechanism& mechanism, const std::vector<std::pair<std::string, Real>>& values);
const ConstraintReport& row(const Evaluation& at, const std::string& name);

}  // namespace lacon::contacts
