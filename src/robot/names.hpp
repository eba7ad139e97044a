// Names of a robot's parts in a model: letters, digits and `_`, each of one part only.
#pragma once

#include <set>

#include "robot/write_model.hpp"

namespace lacon::inline robot {

/// All names in the order of the robot's lists. Joints keep theirs; what comes after them gives
/// way.
struct ModelNames {
    std::vector<std::string> joints, links, closures, couplings, tendons, drives;
    std::vector<std::string> welds;  // by links; of those without joints
    /// By links and joints: the massless body behind each joint but the last, and the frame before
    /// the first where one is needed.
    std::vector<std::vector<std::string>> between;
    std::vector<std::string> frames;

    std::set<std::string> taken;
};

ModelNames name_parts(const Robot& robot, const WriteOptions& options);

/// Other characters than letters, digits and `_` become `_`.
std::string plain_name(std::string_view name);

/// Whether the link hangs by a free joint alone that needs no statement of its own.
bool is_free_body(const Robot& robot, const Link& link);

/// Whether a frame is needed between the parent and the first joint, as the joint's coordinates
/// begin in the drawn pose.
bool needs_frame(const Robot& robot, const Link& link);

}  // namespace lacon::robot
