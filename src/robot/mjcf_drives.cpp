// MJCF: actuators without dynamics of their own, and keyframes.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "robot/mjcf.hpp"

namespace lacon::inline robot {

namespace {

std::size_t coordinates_of(const Joint& joint) {
    return joint.kind == Joint::Kind::free ? 7 : joint.kind == Joint::Kind::ball ? 4 : 1;
}

std::size_t velocities_of(const Joint& joint) {
    return joint.kind == Joint::Kind::free ? 6 : joint.kind == Joint::Kind::ball ? 3 : 1;
}

}  // namespace

void MjcfReader::drive(const Element& given) {
    attributes_.check(given);
    class_of(given, {});
    const Element element = defaults_.complete(given, {});
    Drive drive;
    drive.name = element.text("name");
    drive.place = given.place;
    drive.kind = given.name;
    const auto leave_out = [&](std::string why) {
        report_.warning(given.place,
                        fmt::format("the actuator '{}' is not imported: {}", drive.name, why));
        robot_.remarks.push_back(fmt::format("the actuator '{}' is left out", drive.name));
        // Its control keeps its place in keyframes.
        drive.target = no_joint;
        robot_.drives.push_back(drive);
    };
    if (!drive_law(element, drive))
        return leave_out(fmt::format("'{}' is not supported as it is given here", given.name));
    if (!drive_target(element, drive)) return leave_out("what it acts on is not supported");
    if (const auto gear = values_.numbers(element, "gear", 1, 6))
        std::copy(gear->begin(), gear->end(), drive.gear.begin());
    drive.control = range(element, "ctrllimited", "ctrlrange", 1);
    drive.force = range(element, "forcelimited", "forcerange", 1);
    if (const double part = values_.number(element, "inheritrange", 0);
        part > 0 && drive.on == Drive::On::joint && robot_.joints[drive.target].range) {
        const Bounds bounds = *robot_.joints[drive.target].range;
        const double middle = (bounds.low + bounds.high) / 2;
        const double half = part * (bounds.high - bounds.low) / 2;
        drive.control = Bounds{middle - half, middle + half};
    }
    robot_.drives.push_back(std::move(drive));
}

bool MjcfReader::drive_target(const Element& element, Drive& drive) {
    for (const char* name : {"joint", "jointinparent"})
        if (element.has(name)) {
            drive.target = joint_named(element, name);
            return drive.target != no_joint && robot_.joints[drive.target].is_single();
        }
    if (element.has("tendon")) {
        drive.on = Drive::On::tendon;
        if (!tendons_.contains(std::string(element.text("tendon")))) return false;  // a spatial one
        drive.target = tendon_named(element, "tendon");
        robot_.tendons[drive.target].needs_name = true;
        return true;
    }
    if (element.has("site") && !element.has("refsite")) {
        const auto site = sites_.find(std::string(element.text("site")));
        // Its length is 0: only a force that does not depend on it makes sense.
        if (site == sites_.end() || site->second.link == no_link || drive.bias[1] != 0 ||
            drive.bias[2] != 0 || drive.gain[1] != 0 || drive.gain[2] != 0)
            return false;
        drive.on = Drive::On::site;
        drive.target = site->second.link;
        drive.site = site->second.pose;
        return true;
    }
    return false;
}

bool MjcfReader::drive_law(const Element& element, Drive& drive) {
    const auto number = [&](const char* name, double otherwise) {
        return values_.number(element, name, otherwise);
    };
    if (element.name == "motor") return true;
    if (element.name == "position") {
        const double kp = number("kp", 1);
        drive.gain = {kp, 0, 0};
        drive.bias = {0, -kp, -number("kv", 0)};
        return number("dampratio", 0) == 0 && number("timeconst", 0) == 0;
    }
    if (element.name == "velocity") {
        const double kv = number("kv", 1);
        drive.gain = {kv, 0, 0};
        drive.bias = {0, 0, -kv};
        return true;
    }
    if (element.name == "damper") {
        drive.gain = {0, 0, -number("kv", 1)};
        return true;
    }
    return element.name == "general" && general_law(element, drive);
}

/// gain and bias, fixed or affine; without activation.
bool MjcfReader::general_law(const Element& element, Drive& drive) {
    const auto parameters = [&](const char* type, const char* name, Vector& target,
                                const Vector& otherwise, std::string_view kind) {
        target = otherwise;
        const auto given = values_.numbers(element, name, 1, 100);
        if (given) {
            target = {};
            std::copy_n(given->begin(), std::min<std::size_t>(given->size(), 3), target.begin());
        }
        const std::string_view chosen = element.has(type) ? element.text(type) : kind;
        if (chosen == "none") target = {};
        if (chosen == "fixed") target = {target[0], 0, 0};
        return chosen == "none" || chosen == "fixed" || chosen == "affine";
    };
    const std::string_view dynamics = element.text("dyntype");
    const bool known = parameters("gaintype", "gainprm", drive.gain, {1, 0, 0}, "fixed");
    return parameters("biastype", "biasprm", drive.bias, {}, "none") && known &&
           (dynamics.empty() || dynamics == "none");
}

/// Values go by joints in the order of the tree.
void MjcfReader::keyframe(const Element& element) {
    attributes_.check(element);
    Keyframe frame;
    frame.name = element.text("name");
    frame.place = element.place;
    std::size_t q = 0, v = 0;
    for (const Joint& joint : robot_.joints) {
        q += coordinates_of(joint);
        v += velocities_of(joint);
    }
    const auto split = [&](const char* name, std::size_t count, auto size_of,
                           std::vector<std::vector<double>>& parts) {
        const auto given = values_.numbers(element, name, count, count);
        if (!given) return;
        auto at = given->begin();
        for (const Joint& joint : robot_.joints) {
            const auto end = at + static_cast<std::ptrdiff_t>(size_of(joint));
            parts.emplace_back(at, end);
            at = end;
        }
    };
    split("qpos", q, coordinates_of, frame.q);
    split("qvel", v, velocities_of, frame.v);
    if (const auto given =
            values_.numbers(element, "ctrl", robot_.drives.size(), robot_.drives.size()))
        frame.controls = *given;
    robot_.keyframes.push_back(std::move(frame));
}

}  // namespace lacon::robot
