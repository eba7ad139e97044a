// Writes a robot as a model: text in the language of bodies and joints.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "robot/robot.hpp"

namespace lacon::inline robot {

struct WriteOptions {
    std::string prefix;  // of all names, with the `_` behind it
    bool whole = true;   // a model of its own, with title and time span
    bool gravity = true;
    /// Names that a model cannot declare.
    std::function<bool(std::string_view)> is_reserved;
    /// Coordinates and bodies whose start state is given elsewhere.
    std::function<bool(std::string_view)> has_start;
};

/// The text, and from which places of the robot's files its stretches were made, in order.
struct ModelText {
    std::string text;
    std::vector<MadeFrom> origins;
};

ModelText write_model(const Robot& robot, const WriteOptions& options);

}  // namespace lacon::robot
