// The readers of the formats, and what they share: files, numbers and turns of elements.
#pragma once

#include <filesystem>
#include <map>
#include <set>

#include "robot/robot.hpp"

namespace lacon::inline robot {

/// Reads the files of a robot: its own, those it includes. None may lie outside of `folder`, also
/// where links lead.
class Files {
public:
    Files(std::filesystem::path folder, Report& report)
        : folder_(std::move(folder)), report_(report) {}

    /// Reports what is wrong at `asked`, and throws GaveUp; without a place throws
    /// std::runtime_error with a sentence.
    File read(const std::filesystem::path& path, const FilePlace* asked);
    /// Where a file lies, relative to `folder`; none where there is no such file in it or below.
    std::optional<std::string> inside(const std::filesystem::path& path) const;
    const std::filesystem::path& folder() const { return folder_; }
    const std::vector<std::string>& names() const { return names_; }

private:
    std::vector<std::string> names_;
    std::filesystem::path folder_;
    Report& report_;
};

/// Reads the values of attributes and reports what is wrong with them.
class Values {
public:
    explicit Values(Report& where) : report(where) {}

    double number(const Element& element, std::string_view name, double otherwise);
    std::optional<double> number(const Element& element, std::string_view name);
    Vector vector(const Element& element, std::string_view name, const Vector& otherwise);
    /// Exactly `count` numbers; none where the attribute is missing or wrong.
    std::optional<std::vector<double>> numbers(const Element& element, std::string_view name,
                                               std::size_t least, std::size_t most);
    std::optional<bool> truth(const Element& element, std::string_view name);
    /// A vector of length 1.
    Vector direction(const Element& element, std::string_view name, const Vector& otherwise);

    Report& report;
};

/// Finds the meshes of a robot's shapes, and reports those that are left out.
class Meshes {
public:
    Meshes(std::filesystem::path robot_file, Files& files, Report& report)
        : robot_file_(std::move(robot_file)), files_(files), report_(report) {}

    /// The name of a mesh in the model, relative to its folder. `name` is a path beside the robot's
    /// file, or package://PACKAGE/PATH: PACKAGE is then a folder above the robot's file, or in one
    /// above, within the model's. Empty where there is none that can be read.
    std::string find(std::string_view name, const FilePlace& place);
    void leave_out(std::string_view name, const std::string& why, const FilePlace& place);
    /// One warning, at the first mesh left out; and a remark for each.
    void report(Robot& robot) const;

private:
    struct LeftOut {
        std::string name, why;
        FilePlace place;
    };
    std::optional<std::string> in_package(std::string_view rest) const;

    std::filesystem::path robot_file_;
    Files& files_;
    Report& report_;
    std::vector<LeftOut> left_out_;
};

/// Reads a robot from URDF. Without `floating` its root is welded to the ground.
Robot read_urdf(const Element& root, const std::filesystem::path& file, bool floating, Files& files,
                Report& report);

/// Reads a robot from MJCF; included files go by paths relative to `file`.
Robot read_mjcf(Element root, const std::filesystem::path& file, Files& files, Report& report);

}  // namespace lacon::robot
