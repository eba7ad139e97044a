// Writes the head of a model and its start state: the first keyframe, or else the drawn pose.
#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "robot/writer.hpp"

namespace lacon::inline robot {

namespace {

/// A text in quotes of the language has no quotes and no line breaks within.
std::string quoted(std::string text) {
    for (char& c : text)
        if (c == '"' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
    return '"' + text + '"';
}

}  // namespace

void ModelWriter::head() {
    const std::string file = robot_.path.substr(robot_.path.find_last_of('/') + 1);
    comment(fmt::format("From {} ({}): {}, {}. Nothing is approximated.", file, robot_.format,
                        counted(robot_.links.size(), "link"),
                        counted(robot_.joints.size(), "joint")));
    for (const std::string& remark : robot_.remarks) comment("Note: " + remark + ".");
    if (options_.whole) {
        gap();
        result_.text += "model " + quoted(robot_.name.empty() ? file : robot_.name) + "\n";
    }
    if (options_.gravity) {
        if (!options_.whole) gap();
        result_.text += "gravity " + vector_text(robot_.gravity) + "\n";
    }
}

/// The coordinates in the drawn pose.
std::vector<double> ModelWriter::drawn_values(std::size_t number) const {
    const Joint& joint = robot_.joints[number];
    const Link& link = robot_.links[link_of_joint_[number]];
    switch (joint.kind) {
        case Joint::Kind::ball: return {1, 0, 0, 0};
        case Joint::Kind::planar: return {0, 0, 0};
        case Joint::Kind::free: {
            const Pose pose = names_.frames[link_of_joint_[number]].empty() ? link.pose : Pose{};
            return {pose.place[0], pose.place[1], pose.place[2], pose.turn.w,
                    pose.turn.x,   pose.turn.y,   pose.turn.z};
        }
        default: return {joint.reference};
    }
}

/// Guesses, so that what closes a loop may move them. Angular velocities of keyframes are in the
/// axes of the body: p' = p ω / 2.
void ModelWriter::start_of(std::size_t number, const std::vector<double>& given,
                           const std::vector<double>& v, const FilePlace& place) {
    const Joint& joint = robot_.joints[number];
    const std::string& name = names_.joints[number];
    if (options_.has_start && options_.has_start(name)) return;
    std::vector<double> q = given;
    std::vector<double> rates = v;
    std::vector<std::string> endings{""};
    const bool free = joint.kind == Joint::Kind::free;
    if (joint.kind == Joint::Kind::planar) endings = {"_x", "_y", "_angle"};
    if (free) endings = {"_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz"};
    if (joint.kind == Joint::Kind::ball) endings = {"_w", "_x", "_y", "_z"};
    if (free || joint.kind == Joint::Kind::ball) {
        const std::size_t at = free ? 3 : 0;
        if (q[at] == 0 && q[at + 1] == 0 && q[at + 2] == 0 && q[at + 3] == 0) q[at] = 1;
        const Turn p = unit(q[at], q[at + 1], q[at + 2], q[at + 3]);
        q[at] = p.w, q[at + 1] = p.x, q[at + 2] = p.y, q[at + 3] = p.z;
        if (!v.empty()) {
            const Turn rate = p * Turn{0, v[at] / 2, v[at + 1] / 2, v[at + 2] / 2};
            rates.resize(at);
            for (const double one : {rate.w, rate.x, rate.y, rate.z}) rates.push_back(one);
        }
    }
    std::string items;
    const auto add = [&](const std::string& symbol, double value, double otherwise) {
        if (value == otherwise || (options_.has_start && options_.has_start(symbol))) return;
        items += fmt::format("{}{} ~ {}", items.empty() ? "" : ", ", symbol, number_text(value));
    };
    for (std::size_t i = 0; i < endings.size(); ++i) {
        const std::string symbol = name + endings[i];
        const bool real = endings[i] == "_w" || endings[i] == "_qw";
        // A quaternion is given whole or not at all.
        const bool turned = (free ? i >= 3 : endings.size() == 4) && q[free ? 3 : 0] != 1;
        add(symbol, q[i], turned ? nan : real ? 1.0 : 0.0);
    }
    for (std::size_t i = 0; i < rates.size(); ++i) add(name + endings[i] + "'", rates[i], 0.0);
    if (!items.empty()) line(place, "start " + items);
}

void ModelWriter::start() {
    const Keyframe* frame = robot_.keyframes.empty() ? nullptr : &robot_.keyframes.front();
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
        const bool given = frame != nullptr && !frame->q.empty();
        const std::vector<double> none;
        start_of(i, given ? frame->q[i] : drawn_values(i),
                 frame != nullptr && !frame->v.empty() ? frame->v[i] : none,
                 given ? frame->place : robot_.joints[i].place);
    }
    for (std::size_t i = 1; i < robot_.keyframes.size(); ++i)
        comment(fmt::format("The keyframe '{}' ({}) is another state to start from.",
                            robot_.keyframes[i].name, origin_of(robot_.keyframes[i].place)));
}

ModelText ModelWriter::write() {
    link_of_joint_.assign(robot_.joints.size(), no_link);
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
        for (const std::size_t joint : robot_.links[i].joints) link_of_joint_[joint] = i;
    mimic_of_joint_.assign(robot_.joints.size(), nullptr);
    for (const Coupling& coupling : robot_.couplings)
        if (coupling.is_mimic) mimic_of_joint_[coupling.follower] = &coupling;
    head();
    links();
    ground();
    gap();
    closures();
    tendons();
    couplings();
    drives();
    gap();
    start();
    if (options_.whole) {
        gap();
        result_.text += "simulate 0..10\n";
    }
    return std::move(result_);
}

ModelText write_model(const Robot& robot, const WriteOptions& options) {
    return ModelWriter(robot, options).write();
}

}  // namespace lacon::robot
