// The minimum of a function of one variable, by golden section, and whether it lies within a step.
#pragma once

#include "locate/roots.hpp"

namespace lacon::inline locate {

/// Where a function of one variable is lowest between a and b, by golden section: a corner is found
/// to `enough`, a smooth minimum to the root of what the values can tell apart.
template <class Function>
double lowest_place(Function value, double a, double b, double enough) {
    constexpr double ratio = 0.6180339887498949;
    constexpr int most_rounds = 100;
    double x = b - ratio * (b - a), y = a + ratio * (b - a);
    double fx = value(x), fy = value(y);
    for (int round = 0; round < most_rounds && b - a > enough; ++round) {
        if (fx <= fy) {
            b = y;
            y = x;
            fy = fx;
            fx = value(x = b - ratio * (b - a));
        } else {
            a = x;
            x = y;
            fx = fy;
            fy = value(y = a + ratio * (b - a));
        }
    }
    return fx <= fy ? x : y;
}

/// Whether a place lies within a step of this length: what is found at an end of it belongs to the
/// step beside it.
inline bool is_amid(double tau, double length) {
    return tau > BeginBorder::part * length && tau < length * (1.0 - BeginBorder::part);
}

}  // namespace lacon::locate
