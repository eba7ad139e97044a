// Reads Model::joints, where lang noted what became of each.
#include "mechanics/explain/machine.hpp"

#include <fmt/format.h>

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
            return fmt::format("{} closes a loop from {} to {}: {}", head, first, second, rows);
        case Joint::Role::asked:
            return fmt::format("{} joins {} and {} by constraints, as requested: {}", head, first,
                               second, rows);
        case Joint::Role::coupling: break;
    }
    return fmt::format("{} couples motions: {}", head, rows);
}

}  // namespace

std::vector<std::string> joint_sentences(const Model& model) {
    std::vector<std::string> sentences;
    for (const Joint& joint : model.joints) sentences.push_back(sentence(model, joint));
    return sentences;
}

}  // namespace lacon::mechanics
