// Random states of a model.
#pragma once

#include <random>

#include "lacon/mechanism.hpp"

namespace lacon {

/// Time, coordinates and velocities of size 1, as a rule off the constraints.
inline State random_state(std::size_t n, std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(-1.2, 1.2);
    State s{uniform(random), std::vector<double>(n), std::vector<double>(n)};
    for (double& x : s.q) x = uniform(random);
    for (double& x : s.v) x = uniform(random);
    return s;
}

}  // namespace lacon
