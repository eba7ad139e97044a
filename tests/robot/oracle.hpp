// An independent way from a robot's description to its accelerations: spatial vectors at the
// world's origin, dense matrices, 80-bit numbers. It shares no formula with the rooms that it
// checks.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "robot/robot.hpp"

namespace lacon::oracle {

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Column = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using Three = Eigen::Matrix<Real, 3, 1>;
using ThreeByThree = Eigen::Matrix<Real, 3, 3>;

/// Coordinates by joints: 1, ball 4 (w x y z), free 7 (place, w x y z). Velocities: 1; ball 3, in
/// the child's axes; free 6, linear and angular in the world's axes.
struct State {
    std::vector<std::vector<double>> q, v;
};

struct Motion {
    Matrix M;
    Column bias, passive, acceleration, free_acceleration;
    long rows = 0;
    Real position_residual = 0, velocity_residual = 0;  // of the constraints
    Real kinetic = 0, gravity_energy = 0, spring_energy = 0, mass = 0;
    std::vector<Three> origins, centers;  // of the links
};

/// Without friction, ranges and drives.
Motion motion_of(const Robot& robot, const State& state);

/// Where the velocities of a joint begin, and how many it has.
std::vector<std::size_t> velocity_starts(const Robot& robot);  // one more than joints

}  // namespace lacon::oracle
