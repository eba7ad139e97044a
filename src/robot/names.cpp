// Chooses names. A joint with several coordinates takes names behind its own (`J_x`), which must be
// free as well.
#include "robot/names.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <map>

namespace lacon::inline robot {

namespace {

class Namer {
public:
    explicit Namer(const WriteOptions& options) : options_(options) {}

    /// The first free one of `wish`, `wish` + `other_ending`, and `wish` with numbers; so that it
    /// is free with each of the endings, too.
    std::string take(std::string_view wish, std::string_view other_ending,
                     std::initializer_list<std::string_view> endings = {}) {
        const std::string base = options_.prefix + plain_name(wish);
        for (const std::string& name : {base, base + std::string(other_ending)})
            if (claim(name, endings)) return name;
        while (true) {  // numbers that were tried in vain are not tried again
            const std::string name = fmt::format("{}_{}", base, ++numbers_[base] + 1);
            if (claim(name, endings)) return name;
        }
    }

    std::set<std::string> taken;

private:
    bool claim(const std::string& name, std::initializer_list<std::string_view> endings) {
        if (taken.contains(name) || (options_.is_reserved && options_.is_reserved(name)))
            return false;
        for (const std::string_view ending : endings)
            if (taken.contains(name + std::string(ending))) return false;
        taken.insert(name);
        for (const std::string_view ending : endings) taken.insert(name + std::string(ending));
        return true;
    }

    const WriteOptions& options_;
    std::map<std::string, std::size_t> numbers_;
};

std::string take_joint(Namer& namer, const Joint& joint, std::string_view wish) {
    switch (joint.kind) {
        case Joint::Kind::ball:
            return namer.take(wish, "_joint", {"_w", "_x", "_y", "_z", "_unit"});
        case Joint::Kind::free:
            return namer.take(wish, "_joint",
                              {"_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz", "_unit"});
        case Joint::Kind::planar: return namer.take(wish, "_joint", {"_x", "_y", "_angle"});
        default: return namer.take(wish, "_joint", {"_low", "_high", "_mimic"});
    }
}

}  // namespace

std::string plain_name(std::string_view name) {
    std::string result;
    for (const char c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const bool digit = c >= '0' && c <= '9';
        const bool inner_byte = (static_cast<unsigned char>(c) & 0xC0) == 0x80;  // of UTF-8
        if (digit && result.empty()) result += '_';
        if (letter || digit) result += c;
        else if (!inner_byte) result += '_';
    }
    if (result.empty()) return "part";
    // `_` alone, or in front, reads badly but is a name.
    return result;
}

bool is_free_body(const Robot& robot, const Link& link) {
    if (link.joints.size() != 1 || link.parent != no_link) return false;
    const Joint& joint = robot.joints[link.joints.front()];
    return joint.kind == Joint::Kind::free && joint.damping.is_zero() && joint.armature == 0 &&
           joint.stiffness.is_zero() && (joint.name.empty() || joint.name == link.name);
}

bool needs_frame(const Robot& robot, const Link& link) {
    if (link.joints.empty()) return false;
    const Joint& first = robot.joints[link.joints.front()];
    if (first.kind == Joint::Kind::free) return link.parent != no_link && !is_identity(link.pose);
    return first.kind == Joint::Kind::ball && !is_identity(link.pose.turn);
}

ModelNames name_parts(const Robot& robot, const WriteOptions& options) {
    ModelNames names;
    Namer namer(options);
    names.joints.resize(robot.joints.size());
    names.links.resize(robot.links.size());
    names.welds.resize(robot.links.size());
    names.frames.resize(robot.links.size());
    names.between.resize(robot.links.size());
    const auto name_joints = [&](bool single) {
        for (const Link& link : robot.links)
            for (const std::size_t i : link.joints) {
                const Joint& joint = robot.joints[i];
                if (joint.is_single() != single || is_free_body(robot, link)) continue;
                const std::string& wish = !joint.name.empty() ? joint.name : link.name;
                names.joints[i] = take_joint(namer, joint, wish.empty() ? "joint" : wish);
            }
    };
    name_joints(true);
    name_joints(false);
    for (std::size_t i = 0; i < robot.links.size(); ++i) {
        const Link& link = robot.links[i];
        const std::string wish = link.name.empty() ? "body" : link.name;
        if (is_free_body(robot, link)) {
            names.links[i] =
                namer.take(wish, "_body", {"_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz", "_unit"});
            names.joints[link.joints.front()] = names.links[i];
        } else {
            names.links[i] = namer.take(wish, "_body");
        }
    }
    for (std::size_t i = 0; i < robot.links.size(); ++i) {
        const Link& link = robot.links[i];
        const std::string wish = link.name.empty() ? "body" : link.name;
        if (link.joints.empty())
            names.welds[i] = namer.take(link.weld.empty() ? wish + "_mount" : link.weld, "_mount");
        if (needs_frame(robot, link)) {
            names.frames[i] = namer.take(wish + "_frame", "");
            names.welds[i] = namer.take(wish + "_mount", "");
        }
        for (std::size_t k = 0; k + 1 < link.joints.size(); ++k)
            names.between[i].push_back(namer.take(fmt::format("{}_{}", wish, k + 1), ""));
    }
    for (const Closure& closure : robot.closures)
        names.closures.push_back(namer.take(closure.name.empty() ? "loop" : closure.name, "_loop"));
    for (const Coupling& coupling : robot.couplings)
        names.couplings.push_back(
            coupling.is_mimic
                ? std::string()
                : namer.take(coupling.name.empty() ? "coupling" : coupling.name, "_coupling"));
    for (const Tendon& tendon : robot.tendons)
        names.tendons.push_back(
            namer.take(tendon.name.empty() ? "tendon" : tendon.name, "_tendon", {"_low", "_high"}));
    for (const Drive& drive : robot.drives) {
        std::string wish = drive.name;
        if (wish.empty() && drive.target != no_joint)
            wish = (drive.on == Drive::On::joint    ? robot.joints[drive.target].name
                    : drive.on == Drive::On::tendon ? robot.tendons[drive.target].name
                                                    : robot.links[drive.target].name) +
                   "_" + drive.kind;
        names.drives.push_back(
            namer.take(wish.empty() ? "drive" : wish, "_" + drive.kind, {"_force"}));
    }
    names.taken = std::move(namer.taken);
    return names;
}

}  // namespace lacon::robot
