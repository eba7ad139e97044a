// Helpers of the motion tests: runs that must end well, events, columns.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "lacon/motion.hpp"

/// What the tests of motions share: runs by model text or file, values of a motion by name, and two
/// independent oracles in extended precision: Jacobi's elliptic functions and an extrapolation
/// integrator that knows nothing of Lacon.
namespace lacon::motions {

Mechanism load(const std::string& file, const Settings& settings = {});  ///< of the folder models/

/// A run that must end well; a failure is reported with its message.
Motion run_well(const Mechanism& mechanism, const RunOptions& options);

inline double near(long double x) {  ///< the nearest double
    return static_cast<double>(x);
}
double last(const Motion& motion, const std::string& column);
/// Largest |column − expected(t)| over all rows.
double worst_error(const Motion& motion, const std::string& column,
                   const std::function<long double(long double)>& expected);
std::vector<double> event_times(const Motion& motion, const std::string& kind,
                                const std::string& name = {});  ///< all names
double energy_error(const Motion& motion);                      ///< relative to its scale

// ---- elliptic functions by the arithmetic-geometric mean

struct Jacobi {
    long double sn, cn, dn;
};
Jacobi jacobi(long double u, long double k);  ///< modulus 0 ≤ k < 1
long double quarter_period(long double k);    ///< K(k)
/// Angle of a pendulum released at rest from `amplitude`, w² = g/L: sin(θ/2) = k sn(w t + K).
long double pendulum_angle(long double amplitude, long double w, long double t);

// ---- the extrapolation integrator (Gragg, Bulirsch, Stoer) in long double

using Vector = std::vector<long double>;
using Slope = std::function<Vector(long double t, const Vector& y)>;

/// y' = slope(t, y) from y at t = `from` to each of the increasing `times`, to about 1e-17 a step.
std::vector<Vector> reference_at(const Slope& slope, long double from, Vector y,
                                 const std::vector<double>& times);
/// The times in (from, to) at which `watch` changes its sign along the reference solution.
std::vector<double> reference_zeros(const Slope& slope, long double from, Vector y, long double to,
                                    const std::function<long double(const Vector&)>& watch);

}  // namespace lacon::motions
