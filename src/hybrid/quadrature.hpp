// Integrals over a step, by Gauss's quadrature with five points.
#pragma once

#include "locate/watch.hpp"

namespace lacon::inline hybrid {

/// Over the first `length` of a step, by the quadrature of Gauss with five points: `take(state,
/// weight)` at each.
template <class Take>
void quadrature(const Monitors::Path& path, const Clock& begin, double length, const Take& take) {
    // The zeros of the Legendre polynomial of degree 5, on (0, 1), and their weights.
    constexpr double points[] = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052842,
                                 0.953089922969332};
    constexpr double weights[] = {0.118463442528095, 0.239314335249683, 0.284444444444444,
                                  0.239314335249683, 0.118463442528095};
    State state;
    for (int i = 0; i < 5; ++i) {
        const double tau = points[i] * length;
        path.at(tau, state);
        state.t = begin.after(tau).now();
        take(state, weights[i] * length);
    }
}

}  // namespace lacon::hybrid
