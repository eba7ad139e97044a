// From a file to the description of a robot.
#pragma once

#include "robot/import.hpp"
#include "robot/readers.hpp"

namespace lacon::inline robot {

/// As import_robot, but the description itself; none where there are errors. `read_files`: the
/// names of all files that were read.
std::optional<Robot> load_robot(const std::filesystem::path& file,
                                const std::filesystem::path& folder, RobotRoot root,
                                Diagnostics& diagnostics,
                                std::vector<std::string>* read_files = nullptr);

/// The same of a text that stands for a file.
std::optional<Robot> load_robot_text(const File& file, const std::filesystem::path& folder,
                                     RobotRoot root, Diagnostics& diagnostics);

}  // namespace lacon::robot
