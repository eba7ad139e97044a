// A chain of links in angles, as the text of a model.
#pragma once

/// The chain of models/chain.lac in angles from the vertical: no constraints, other equations for
/// the same motion.
inline constexpr const char* chain_in_angles = R"(
param N = 2, l = 0.25, m = 0.1
coord q[1..N]
let P[0] = (0, 0)
let P[i] = P[i-1] + l*(sin(q[i]), -cos(q[i])) for i in 1..N
particle bead[i] at P[i] mass m for i in 1..N
gravity (0, -9.81)
start q[i] = pi/2 for i in 1..N
)";
