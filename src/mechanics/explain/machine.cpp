// Reads Model::joints, where lang noted what became of each.
#include "mechanics/explain/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"

namespace lacon::inline mechanics {

namespace {

std::string body_name(const Model& model, std::ptrdiff_t body) {
    return body < 0 ? std::string("the ground")
                    : fmt::format("'{}'", model.bodies[static_cast<std::size_t>(body)].name);
}

std::string coordinates_text(const Model& model, const Joint& joint) {
    std::string names;
    for (const std::size_t number : joint.coordinates)
        names += (names.empty() ? "" : ", ") + model.coordinates[number].name;
    return fmt::format("{} {}", joint.coordinates.size() == 1 ? "coordinate" : "coordinates",
                       names);
}

std::string sentence(const Model& model, const Joint& joint) {
    if (joint.kind.empty())
        return fmt::format("{} is free: {}", body_name(model, joint.second),
                           coordinates_text(model, joint));
    const std::string first = body_name(model, joint.first),
                      second = body_name(model, joint.second);
    const std::string head = fmt::format("'{}' ({})", joint.name, joint.kind);
    const std::string rows = counted(joint.rows.size(), "constraint row");
    const std::string own = joint.coordinates.empty() ? "" : ", " + coordinates_text(model, joint);
    switch (joint.role) {
        case Joint::Role::tree:
        case Joint::Role::reversed: {
            const bool forward = joint.role == Joint::Role::tree;
            const std::string carries = fmt::format(
                "{} carries {} on {}", head, forward ? second : first, forward ? first : second);
            return joint.coordinates.empty()
                       ? carries
                       : fmt::format("{}: {}", carries, coordinates_text(model, joint));
        }
        case Joint::Role::loop:
            return fmt::format("{} closes a loop from {} to {}: {}{}", head, first, second, rows,
                               own);
        case Joint::Role::asked:
            return fmt::format("{} joins {} and {} by constraints, as requested: {}{}", head, first,
                               second, rows, own);
        case Joint::Role::coupling: break;
    }
    return fmt::format("{} couples {}: {}{}", head, quoted_list(joint.coupled), rows, own);
}

/// What the step of a body moves: it turns, slides, or both.
bool coordinate_slides(const Body& body, std::size_t coordinate) {
    for (const JointStep& step : body.steps)
        if (std::find(step.coordinates.begin(), step.coordinates.end(), coordinate) !=
            step.coordinates.end())
            return step.kind == JointStep::Kind::slide || step.kind == JointStep::Kind::move;
    return false;
}

}  // namespace

std::string rows_in_words(const Joint& joint) {
    static const std::map<std::string, std::string, std::less<>> words = {
        {"rolling",
         "n.c = height, (c' - R w x m) = 0 across n: c the centre, R m from the contact "
         "to it, n the normal"},
        {"distance", "(d.d - L^2)/(2 L) = 0: d from point to point"},
        {"parallel", "2 tan(angle/2) = 0 between the axes, in two directions"},
        {"point_on_line", "e.d = 0 across the line: d from its point to that of the second body"},
        {"point_on_plane", "n.d = 0: d from the plane's point to that of the second body"},
        {"point_on_curve", "d - C(s) = 0: d the point in the axes of the first body"},
        {"gear", "b - k a = 0 for the turns a, b of the two, or their speeds"},
        {"belt", "b - k a = 0 for the turns a, b of the two, or their speeds"},
        {"rack", "b - k a = 0 for the turn a and the way b, or their speeds"}};
    const auto found = words.find(joint.kind);
    if (found != words.end()) return found->second;
    return fmt::format("of the {} joint: d = 0 along what it locks, 2 tan(angle/2) = 0 about it",
                       joint.kind);
}

std::string lack_of_inertia(const Model& model, const std::vector<std::size_t>& coordinates) {
    std::vector<std::string> reasons;
    for (const Joint& joint : model.joints) {
        const bool tree = joint.role == Joint::Role::tree || joint.role == Joint::Role::reversed;
        const auto lacking = std::find_first_of(joint.coordinates.begin(), joint.coordinates.end(),
                                                coordinates.begin(), coordinates.end());
        if (!tree || lacking == joint.coordinates.end()) continue;
        const auto number =
            static_cast<std::size_t>(joint.role == Joint::Role::tree ? joint.second : joint.first);
        const Body& body = model.bodies[number];
        const bool carries = std::any_of(
            model.bodies.begin(), model.bodies.end(),
            [&](const Body& other) { return other.parent == static_cast<std::ptrdiff_t>(number); });
        const bool slides = coordinate_slides(body, *lacking), free = joint.kind.empty();
        const std::string who =
            fmt::format("'{}'{} no {}", body.name, carries ? " and what it carries have" : " has",
                        slides ? "mass" : "inertia");
        reasons.push_back(free     ? who
                          : slides ? fmt::format("{} to slide in '{}'", who, joint.name)
                                   : fmt::format("{} about the axis of '{}'", who, joint.name));
    }
    if (reasons.empty()) return {};
    const std::size_t shown = std::min<std::size_t>(reasons.size(), 4);
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + reasons[i];
    if (reasons.size() > shown) text += fmt::format(", and {} more", reasons.size() - shown);
    return text + "; give the body mass and inertia, or the joint an 'armature'";
}

std::vector<std::string> joint_sentences(const Model& model) {
    std::vector<std::string> sentences;
    for (const Joint& joint : model.joints) sentences.push_back(sentence(model, joint));
    return sentences;
}

}  // namespace lacon::mechanics
