// Robots as texts of tests, and a robot's model evaluated by the whole program.
#pragma once

#include <string>
#include <string_view>

#include "robot/load.hpp"
#include "robot/oracle.hpp"
#include "robot/write_model.hpp"

namespace lacon::oracle {

/// A robot that was read from a text, and all that was said about it, rendered.
struct Reading {
    std::optional<Robot> robot;
    std::string said;
    std::string model;  // as text; empty where there are errors

    bool says(std::string_view part) const { return said.find(part) != std::string::npos; }
    bool writes(std::string_view part) const { return model.find(part) != std::string::npos; }
};

/// Reads a text as the file `name`, in the folder tests/robot/files: what it includes is there.
Reading read_text(const std::string& text, RobotRoot root = RobotRoot::as_usual,
                  const std::string& name = "robot");
/// The same of <robot name="r">…</robot> and of <mujoco>…</mujoco>.
Reading urdf(const std::string& content, RobotRoot root = RobotRoot::as_usual);
Reading mjcf(const std::string& content);

/// The robot's model, with all that it has.
std::string whole_model(const Robot& robot);

/// The acceleration by the program of the robot's model at a state, as the oracle has it.
Column program_acceleration(const Robot& robot, const State& state);

/// The robot without what the oracle does not compute: friction, ranges and drives.
Robot smooth(Robot robot);

/// A state that is not special: values of some tenths from the drawn pose.
State some_state(const Robot& robot, unsigned seed);

}  // namespace lacon::oracle
