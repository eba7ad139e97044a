// MJCF: included files, <compiler>, <option>, default classes, orientations, and what is not read.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "base/text.hpp"
#include "robot/mjcf.hpp"

namespace lacon::inline robot {

namespace {

class Includes {
public:
    Includes(std::filesystem::path folder, Files& files, Report& report)
        : folder_(std::move(folder)), files_(files), report_(report) {}

    void seen(const std::filesystem::path& file) { seen_.insert(key(file)); }

    void expand(Element& element, std::size_t depth) {
        std::vector<Element> expanded;
        for (Element& child : element.children) {
            if (child.name != "include") {
                expand(child, depth);
                expanded.push_back(std::move(child));
                continue;
            }
            for (Element& part : included(child, depth)) expanded.push_back(std::move(part));
        }
        element.children = std::move(expanded);
    }

private:
    static std::string key(const std::filesystem::path& file) {
        std::error_code problem;
        return std::filesystem::weakly_canonical(file, problem).string();
    }

    /// The top element of an included file is stripped; paths are relative to the main file.
    std::vector<Element> included(const Element& include, std::size_t depth) {
        const FilePlace place = include.place_of("file");
        const std::string file(include.text("file"));
        if (file.empty()) {
            report_.error(include.place, "an <include> names its file: file=\"...\"");
            throw GaveUp{};
        }
        const std::filesystem::path path = folder_ / file;
        if (!seen_.insert(key(path)).second) {
            report_.error(place, fmt::format("'{}' is included twice, or includes itself", file),
                          "each file can be included once");
            throw GaveUp{};
        }
        if (depth > 100) {
            report_.error(place, "files include each other more than 100 deep");
            throw GaveUp{};
        }
        Element root = parse_xml(files_.read(path, &place), report_);
        expand(root, depth + 1);
        return std::move(root.children);
    }

    std::filesystem::path folder_;
    Files& files_;
    Report& report_;
    std::set<std::string> seen_;
};

/// Elements of one kind share their defaults.
std::string kind_of(const std::string& name) {
    static const std::set<std::string, std::less<>> drives = {
        "general", "motor",    "position", "velocity", "intvelocity", "damper",     "cylinder",
        "muscle",  "adhesion", "dcmotor",  "pid",      "orientation", "plugindrive"};
    if (drives.contains(name)) return "general";
    if (name == "fixed" || name == "spatial") return "tendon";
    return name;
}

}  // namespace

void expand_includes(Element& root, const std::filesystem::path& main_file, Files& files,
                     Report& report) {
    Includes includes(main_file.parent_path(), files, report);
    includes.seen(main_file);
    includes.expand(root, 1);
}

void MjcfDefaults::read(const Element& section, bool is_top, const std::string& parent) {
    std::string name(section.text("class"));
    if (is_top && name.empty()) name = "main";
    if (name.empty()) {
        report_.error(section.place, "a default class within another needs a name: class=\"...\"");
        return;
    }
    if (is_top && name != "main") {
        report_.error(section.place_of("class"), "the outermost default class is 'main'");
        return;
    }
    Class& own = classes_[name];
    if (!is_top) own.parent = parent;
    for (const Element& element : section.children) {
        if (element.name == "default") {
            if (classes_.contains(std::string(element.text("class"))))
                report_.error(
                    element.place_of("class"),
                    fmt::format("there are two default classes '{}'", element.text("class")));
            else read(element, false, name);
            continue;
        }
        auto& attributes = classes_[name].attributes[kind_of(element.name)];
        for (const Attribute& attribute : element.attributes) {
            const auto old =
                std::find_if(attributes.begin(), attributes.end(),
                             [&](const Attribute& a) { return a.name == attribute.name; });
            if (old != attributes.end()) *old = attribute;
            else attributes.push_back(attribute);
        }
    }
}

Element MjcfDefaults::complete(const Element& element, const std::string& child_class) const {
    Element result;
    result.name = element.name;
    result.place = element.place;
    result.attributes = element.attributes;
    // An orientation of its own, of any form, goes before that of the class.
    static const std::set<std::string, std::less<>> orientations = {"quat", "axisangle", "euler",
                                                                    "xyaxes", "zaxis"};
    const bool has_turn =
        std::any_of(element.attributes.begin(), element.attributes.end(),
                    [](const Attribute& a) { return orientations.contains(a.name); });
    const std::string_view own = element.text("class");
    std::string name = !own.empty() ? std::string(own) : child_class.empty() ? "main" : child_class;
    while (!name.empty()) {
        const auto found = classes_.find(name);
        if (found == classes_.end()) break;  // reported where it was named
        if (const auto given = found->second.attributes.find(kind_of(element.name));
            given != found->second.attributes.end())
            for (const Attribute& attribute : given->second) {
                if (result.has(attribute.name)) continue;
                const bool hidden = has_turn && orientations.contains(attribute.name);
                if (!hidden) result.attributes.push_back(attribute);
                else if (element.has("quat"))  // other readers may take that of the class
                    report_.warning(element.place_of("quat"),
                                    fmt::format("this 'quat' goes before the '{}' of the class",
                                                attribute.name));
            }
        name = name == "main" ? "" : found->second.parent;
    }
    return result;
}

std::vector<std::string> MjcfDefaults::names() const {
    std::vector<std::string> all;
    for (const auto& [name, unused] : classes_) all.push_back(name);
    return all;
}

void MjcfReader::compiler(const Element& element) {
    attributes_.check(element);
    if (element.has("angle")) {
        compiler_.degrees = element.text("angle") == "degree";
        if (!compiler_.degrees && element.text("angle") != "radian")
            report_.error(element.place_of("angle"), "'angle' is 'degree' or 'radian'");
    }
    if (element.has("eulerseq")) {
        compiler_.euler_axes = element.text("eulerseq");
        if (compiler_.euler_axes.size() != 3 ||
            compiler_.euler_axes.find_first_not_of("xyzXYZ") != std::string::npos) {
            report_.error(element.place_of("eulerseq"),
                          "'eulerseq' has three of the letters x, y, z, X, Y, Z");
            compiler_.euler_axes = "xyz";
        }
    }
    if (const auto given = values_.truth(element, "autolimits")) compiler_.autolimits = *given;
    if (element.has("inertiafromgeom")) {
        using From = MjcfCompiler::FromGeoms;
        const auto given = values_.truth(element, "inertiafromgeom");
        compiler_.inertia_from_geoms = !given   ? From::where_missing
                                       : *given ? From::always
                                                : From::never;
    }
    if (const auto groups = values_.numbers(element, "inertiagrouprange", 2, 2))
        compiler_.inertia_groups = {(*groups)[0], (*groups)[1]};
    compiler_.least_mass = values_.number(element, "boundmass", compiler_.least_mass);
    compiler_.least_inertia = values_.number(element, "boundinertia", compiler_.least_inertia);
    if (const auto given = values_.truth(element, "balanceinertia"))
        compiler_.balance_inertia = *given;
    compiler_.total_mass = values_.number(element, "settotalmass", compiler_.total_mass);
    if (element.has("meshdir")) compiler_.mesh_folder = element.text("meshdir");
    else if (element.has("assetdir")) compiler_.mesh_folder = element.text("assetdir");
    compiler_.strips_folders =
        values_.truth(element, "strippath").value_or(compiler_.strips_folders);
    if (element.text("coordinate") == "global")
        report_.error(element.place_of("coordinate"), "global coordinates are not read",
                      "MuJoCo gave them up too, in version 2.3.4");
}

void MjcfReader::option(const Element& element) {
    attributes_.check(element);
    if (element.has("gravity")) {
        robot_.gravity = values_.vector(element, "gravity", robot_.gravity);
        robot_.gravity_is_given = true;
    }
    for (const char* name : {"wind", "density", "viscosity"})
        if (const auto given = values_.numbers(element, name, 1, 3);
            given && std::any_of(given->begin(), given->end(), [](double x) { return x != 0; }))
            report_.warning(element.place_of(name), "the forces of a fluid are not imported");
    const Element* flag = element.child("flag");
    if (flag == nullptr) return;
    for (const Attribute& attribute : flag->attributes) {
        static const std::set<std::string, std::less<>> numerical = {
            "contact",  "energy",    "warmstart", "filterparent", "refsafe",    "sensor",
            "midphase", "nativeccd", "eulerdamp", "autoreset",    "fwdinv",     "invdiscrete",
            "multiccd", "island",    "override",  "sleep",        "sensornoise"};
        const bool off = attribute.value == "disable";
        if (attribute.name == "gravity" && off) {
            robot_.gravity = {};
            robot_.gravity_is_given = true;
        } else if (off && !numerical.contains(attribute.name)) {
            report_.warning(attribute.place,
                            fmt::format("'{}' cannot be switched off: it is imported all the same",
                                        attribute.name));
        }
    }
}

/// What has a meaning for the motion and is not read; what is for the eye, or for sensors, needs no
/// word.
void MjcfReader::unknown_sections() {
    static const std::set<std::string, std::less<>> read_or_silent = {
        "compiler", "option",  "size",      "statistic", "visual",
        "asset",    "default", "worldbody", "equality",  "tendon",
        "actuator", "sensor",  "contact",   "keyframe",  "custom"};
    for (const Element& section : root_.children) {
        if (section.name == "extension" || section.name == "deformable")
            report_.error(section.place, fmt::format("<{}> is not supported", section.name));
        else if (!read_or_silent.contains(section.name))
            report_.warning(section.place, fmt::format("<{}> is not imported", section.name));
        if (section.name == "contact")
            for (const Element& pair : section.children) contacts_ |= pair.name == "pair";
        if (section.name == "asset")
            for (const Element& asset : section.children)
                if (asset.name == "model")
                    report_.error(asset.place, "models of other files cannot be attached");
    }
}

double MjcfReader::angle(double given) const {
    return compiler_.degrees ? given * (std::numbers::pi / 180) : given;
}

/// quat, axisangle, euler, xyaxes or zaxis: at most one of them.
Turn MjcfReader::orientation(const Element& element) {
    const Attribute* given = nullptr;
    for (const char* name : {"quat", "axisangle", "euler", "xyaxes", "zaxis"})
        if (const Attribute* one = element.attribute(name)) {
            if (given != nullptr)
                report_.error(one->place, fmt::format("the orientation is given twice: by '{}' and "
                                                      "by '{}'",
                                                      given->name, name));
            given = one;
        }
    if (given == nullptr) return {};
    const auto zero = [&] {
        report_.error(given->place, fmt::format("'{}' has no direction: it is zero", given->name));
        return Turn{};
    };
    const std::size_t size = given->name == "xyaxes"                            ? 6
                             : given->name == "euler" || given->name == "zaxis" ? 3
                                                                                : 4;
    const auto numbers = values_.numbers(element, given->name, size, size);
    if (!numbers) return {};
    const auto& n = *numbers;
    if (given->name == "quat")
        return n[0] == 0 && n[1] == 0 && n[2] == 0 && n[3] == 0 ? zero()
                                                                : unit(n[0], n[1], n[2], n[3]);
    if (given->name == "euler") return euler(element, n);
    const Vector first{n[0], n[1], n[2]};
    if (length(first) == 0) return zero();
    if (given->name == "axisangle") return turn_about(first, angle(n[3]));
    if (given->name == "zaxis") return turn_of_z(first);
    const Vector x = (1 / length(first)) * first, second{n[3], n[4], n[5]};
    const Vector y = second - dot(second, x) * x;  // as far as it is not along x
    if (length(y) == 0) return zero();
    const Vector v = (1 / length(y)) * y, z = cross(x, v);
    return turn_of({{{x[0], v[0], z[0]}, {x[1], v[1], z[1]}, {x[2], v[2], z[2]}}});
}

/// Small letters: about the axes as they have been turned; capitals: about fixed ones.
Turn MjcfReader::euler(const Element&, const std::vector<double>& angles) {
    Turn turn;
    for (std::size_t i = 0; i < 3; ++i) {
        const char letter = compiler_.euler_axes[i];
        Vector axis{};
        axis[static_cast<std::size_t>(letter >= 'x' ? letter - 'x' : letter - 'X')] = 1;
        const Turn next = turn_about(axis, angle(angles[i]));
        turn = letter >= 'x' ? turn * next : next * turn;
    }
    return turn;
}

}  // namespace lacon::robot
