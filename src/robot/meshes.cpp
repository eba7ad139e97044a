// Where the meshes of a robot lie: only within the model's folder.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/text.hpp"
#include "robot/readers.hpp"

namespace lacon::inline robot {

namespace {

namespace fs = std::filesystem;

/// Names that would not survive in the quotes of a model.
bool is_plain(std::string_view name) {
    return std::none_of(name.begin(), name.end(), [](char c) {
        return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    });
}

bool is_readable(std::string_view name) {
    std::string ending(name.substr(std::min(name.rfind('.'), name.size())));
    for (char& c : ending)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return ending == ".stl" || ending == ".obj";
}

/// What the package.xml of a folder calls its package: the text of <name>; empty without one.
std::string package_name(const fs::path& folder) {
    std::ifstream file(folder / "package.xml");
    std::string text(std::size_t{1} << 16, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    const std::string_view opening = "<name>", blank = " \t\r\n";
    const std::size_t at = text.find(opening);
    if (at == text.npos) return {};
    const std::size_t begin = text.find_first_not_of(blank, at + opening.size());
    const std::size_t end = text.find_first_of(" \t\r\n<", begin);
    return end == text.npos ? std::string() : text.substr(begin, end - begin);
}

}  // namespace

std::optional<std::string> Files::inside(const fs::path& path) const {
    std::error_code problem;
    const fs::path folder = fs::canonical(folder_.empty() ? fs::path(".") : folder_, problem);
    const fs::path real = problem ? fs::path() : fs::canonical(path, problem);
    if (problem || !fs::is_regular_file(real, problem)) return std::nullopt;
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), real.begin(), real.end());
    if (end != folder.end()) return std::nullopt;
    return real.lexically_relative(folder).generic_string();
}

/// From the robot's folder upwards to the model's: PACKAGE/PATH in it, or PATH where the folder
/// itself is the package, by its name or by its package.xml.
std::optional<std::string> Meshes::in_package(std::string_view rest) const {
    const std::size_t slash = rest.find('/');
    if (slash == rest.npos) return std::nullopt;
    const fs::path package(rest.substr(0, slash)), path(rest.substr(slash + 1));
    std::error_code problem;
    fs::path at = fs::weakly_canonical(robot_file_, problem).parent_path();
    const fs::path end =
        fs::canonical(files_.folder().empty() ? fs::path(".") : files_.folder(), problem);
    for (; !problem; at = at.parent_path()) {
        if (auto found = files_.inside(at / package / path)) return found;
        if (at.filename() == package || package_name(at) == package)
            if (auto found = files_.inside(at / path)) return found;
        if (at == end || at == at.parent_path()) break;
    }
    return std::nullopt;
}

std::string Meshes::find(std::string_view name, const FilePlace& place) {
    std::optional<std::string> found;
    const std::string_view package = "package://", model = "model://", file = "file://";
    if (!is_readable(name)) {
        leave_out(name, "only STL and OBJ files are read", place);
        return {};
    }
    if (name.starts_with(package)) found = in_package(name.substr(package.size()));
    else if (name.starts_with(model)) found = in_package(name.substr(model.size()));
    else if (name.starts_with(file)) found = files_.inside(name.substr(file.size()));
    else found = files_.inside(robot_file_.parent_path() / name);
    if (found && is_plain(*found)) return *found;
    leave_out(name, "there is no such file in the model's folder or below", place);
    return {};
}

void Meshes::leave_out(std::string_view name, const std::string& why, const FilePlace& place) {
    const auto is_known = [&](const LeftOut& one) { return one.name == name; };
    if (std::none_of(left_out_.begin(), left_out_.end(), is_known))
        left_out_.push_back({std::string(name), why, place});
}

void Meshes::report(Robot& robot) const {
    if (left_out_.empty()) return;
    for (const LeftOut& one : left_out_)
        robot.remarks.push_back(fmt::format("the mesh '{}' is left out: {}", one.name, one.why));
    const LeftOut& first = left_out_.front();
    const std::size_t more = left_out_.size() - 1;
    const std::string others = more == 0   ? ""
                               : more == 1 ? ", as is one more"
                                           : fmt::format(", as are {} more", more);
    report_.warning(first.place,
                    fmt::format("the mesh '{}' is left out{}: {}", first.name, others, first.why));
}

}  // namespace lacon::robot
