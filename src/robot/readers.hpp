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

/// Reads a robot from the text of a URDF file. Without `floating` its root is welded to the ground.
Robot read_urdf(const Element& root, bool floating, Report& report);

/// Reads a robot from MJCF; included files go by paths relative to `file`.
Robot read_mjcf(Element root, const std::filesystem::path& file, Files& files, Report& report);

}  // namespace lacon::robot
