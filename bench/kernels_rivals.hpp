// Equations of motion written by hand in C++, which the kernel benchmark compares with.
#pragma once

#include <string>
#include <vector>

/// The constrained acceleration of a hanging chain as others would write it. State: x (N), y (N),
/// their velocities; beads of mass m on links of length l from the origin down, each link as a
/// constraint on the squared distance.
struct Rival {
    std::string name;
    void (*run)(const double* q, const double* v, double* a);
};
/// N = 2, 5, 10 or 20; of N = 100 by hand and with matrices of any size.
__attribute__((visibility("default"))) std::vector<Rival> rivals(int links);
/// The same chain in angles (chain_in_angles.hpp): N = 20, 40 or 80.
__attribute__((visibility("default"))) std::vector<Rival> rivals_in_angles(int links);

constexpr double rival_mass = 0.1, rival_gravity = 9.81, rival_length = 0.25;
