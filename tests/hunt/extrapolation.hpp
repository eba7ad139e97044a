// The oracle's integrator: extrapolation in 256 bits.
#pragma once

#include <functional>

#include "hunt/tape.hpp"

/// One long step of q'' = slope(t, q, q') by Gragg's midpoint rule, extrapolated (Bulirsch and
/// Stoer).
namespace hunt {

using Slope = std::function<Reals(const Point&)>;  // q''

/// By Euler's rule.
Point moved(const Point& at, const Real& h, const Reals& a);
/// False where 15 columns do not agree to `tolerance`, relative above 1 and absolute below; else
/// `columns` is how many did.
bool extrapolate(const Slope& slope, const Point& from, const Real& h, double tolerance, Point& end,
                 int& columns);

}  // namespace hunt
