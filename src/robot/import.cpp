// From a file to the text of a model: which format it is, reading, checking, writing.
#include "robot/import.hpp"

#include <fmt/format.h>

#include "robot/load.hpp"
#include "robot/write_model.hpp"

namespace lacon::inline robot {

namespace {

Robot read_any(const Element& root, const std::filesystem::path& path, RobotRoot given,
               Files& files, Report& report) {
    if (root.name == "mujoco") {
        if (given != RobotRoot::as_usual)
            report.error(root.place,
                         "'fixed' and 'floating' are for URDF: in MJCF each body has "
                         "its joints");
        return read_mjcf(root, path, files, report);
    }
    if (root.name == "sdf")
        report.error(root.place, "SDF is not read", "convert the robot to URDF or MJCF");
    else if (root.name != "robot")
        report.error(root.place,
                     fmt::format("<{}> is neither a URDF file, <robot>, nor an MJCF file, <mujoco>",
                                 root.name));
    else return read_urdf(root, path, given == RobotRoot::floating, files, report);
    throw GaveUp{};
}

std::optional<Robot> load(const File& source, RobotRoot root, Files& files, Report& report) {
    try {
        Robot robot = read_any(parse_xml(source, report), source->name(), root, files, report);
        robot.path = source->name();
        check_inertias(robot, report);
        if (!report.has_errors()) return robot;
    } catch (const GaveUp&) {
        // what there is to say is in the report
    }
    return std::nullopt;
}

}  // namespace

std::optional<Robot> load_robot(const std::filesystem::path& file,
                                const std::filesystem::path& folder, RobotRoot root,
                                Diagnostics& diagnostics, std::vector<std::string>* read_files) {
    Report report(diagnostics);
    Files files(folder, report);
    auto robot = load(files.read(file, nullptr), root, files, report);
    if (read_files != nullptr) *read_files = files.names();
    return robot;
}

std::optional<Robot> load_robot_text(const File& file, const std::filesystem::path& folder,
                                     RobotRoot root, Diagnostics& diagnostics) {
    Report report(diagnostics);
    Files files(folder, report);
    return load(file, root, files, report);
}

ImportedText import_robot(const std::filesystem::path& file, const std::filesystem::path& folder,
                          const ImportOptions& options, Diagnostics& diagnostics) {
    ImportedText result;
    const auto robot = load_robot(file, folder, options.root, diagnostics, &result.files);
    if (!robot) return result;
    WriteOptions write;
    if (!options.name.empty()) write.prefix = options.name + "_";
    write.whole = options.whole;
    write.gravity = options.gravity;
    write.is_reserved = options.is_reserved;
    write.has_start = options.has_start;
    ModelText text = write_model(*robot, write);
    result.text = std::move(text.text);
    result.origins = std::move(text.origins);
    return result;
}

}  // namespace lacon::robot
