// MJCF: the tree of bodies with their joints and sites, frames and repetitions.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "base/text.hpp"
#include "robot/mjcf.hpp"

namespace lacon::inline robot {

void MjcfReader::count(const Element& element) {
    static constexpr ReadLimits limits;
    if (++count_ <= limits.elements) return;
    report_.error(element.place, fmt::format("the robot has more than {} parts", limits.elements));
    throw GaveUp{};
}

std::string MjcfReader::class_of(const Element& element, const Scope& scope) {
    for (const char* name : {"class", "childclass"})
        if (const Attribute* given = element.attribute(name);
            given != nullptr && !defaults_.knows(given->value)) {
            const auto near = nearest_name(given->value, defaults_.names());
            report_.error(given->place, fmt::format("there is no default class '{}'", given->value),
                          near ? fmt::format("did you mean '{}'?", *near) : "");
        }
    return element.has("childclass") ? std::string(element.text("childclass")) : scope.child_class;
}

std::string MjcfReader::name_of(const Element& element, const Scope& scope) {
    const std::string_view name = element.text("name");
    return name.empty() ? std::string() : std::string(name) + scope.suffix;
}

void MjcfReader::content(const Element& element, const Scope& scope) {
    static constexpr ReadLimits limits;
    if (scope.depth > limits.depth) {
        report_.error(element.place,
                      fmt::format("bodies are nested more than {} deep", limits.depth));
        throw GaveUp{};
    }
    const auto is_joint = [](const Element& child) {
        return child.name == "joint" || child.name == "freejoint";
    };
    // The joints of a body come before those of its children, whatever the order of the text.
    for (const Element& child : element.children)
        if (is_joint(child)) joint(child, scope);
    for (const Element& child : element.children) {
        count(child);
        if (is_joint(child)) continue;
        if (child.name == "inertial") inertial(child, scope);
        else if (child.name == "geom") geom(child, scope);
        else if (child.name == "site") site(child, scope);
        else if (child.name == "body") body(child, scope);
        else if (child.name == "frame") frame(child, scope);
        else if (child.name == "replicate") replicate(child, scope);
        else if (child.name != "camera" && child.name != "light")
            report_.error(child.place, fmt::format("<{}> in a body is not supported", child.name));
    }
}

void MjcfReader::body(const Element& given, const Scope& scope) {
    attributes_.check(given);
    Scope inner;
    inner.child_class = class_of(given, scope);
    inner.suffix = scope.suffix;
    inner.depth = scope.depth + 1;
    inner.link = robot_.links.size();
    Link link;
    link.place = given.place;
    link.name = name_of(given, scope);
    link.parent = scope.link;
    link.pose = scope.frame * Pose{values_.vector(given, "pos", {}), orientation(given)};
    link.gravity_compensation = values_.number(given, "gravcomp", 0);
    if (!link.name.empty() && !links_.emplace(link.name, inner.link).second)
        report_.error(given.place_of("name"), fmt::format("there are two bodies '{}'", link.name));
    if (values_.truth(given, "mocap").value_or(false))
        report_.warning(
            given.place_of("mocap"),
            fmt::format("the body '{}' is moved from outside in MuJoCo: here it rests", link.name));
    robot_.links.push_back(std::move(link));
    content(given, inner);
}

void MjcfReader::frame(const Element& given, const Scope& scope) {
    attributes_.check(given);
    Scope inner = scope;
    inner.child_class = class_of(given, scope);
    ++inner.depth;
    inner.frame = scope.frame * Pose{values_.vector(given, "pos", {}), orientation(given)};
    content(given, inner);
}

/// Copies one behind the other, each moved and turned on from the last; names get the number.
void MjcfReader::replicate(const Element& element, const Scope& scope) {
    attributes_.check(element);
    const double number = values_.number(element, "count", 0);
    if (!(number >= 1 && number <= 1e6) ||
        number != static_cast<double>(static_cast<int>(number))) {
        report_.error(element.place_of("count"), "'count' is a number of copies, 1 or more");
        return;
    }
    const Pose step{values_.vector(element, "offset", {}), orientation(element)};
    const int copies = static_cast<int>(number);
    const std::size_t digits = std::to_string(copies).size();
    Scope inner = scope;
    ++inner.depth;
    for (int i = 0; i < copies; ++i) {
        count(element);
        inner.suffix = fmt::format("{}{:0{}}", element.text("sep"), i, digits) + scope.suffix;
        content(element, inner);
        inner.frame = inner.frame * step;
    }
}

std::optional<Bounds> MjcfReader::range(const Element& element, std::string_view limited,
                                        std::string_view range, double scale) {
    const auto given = values_.numbers(element, range, 2, 2);
    const auto asked = values_.truth(element, limited);
    if (!given) {
        if (asked.value_or(false) && !element.has(range))
            report_.error(element.place_of(limited),
                          fmt::format("'{}' is true, but there is no '{}'", limited, range));
        return std::nullopt;
    }
    if (!asked.value_or(compiler_.autolimits)) {
        if (!asked)
            report_.warning(element.place_of(range),
                            fmt::format("'{}' does not count: autolimits is false, and '{}' is not "
                                        "given",
                                        range, limited));
        return std::nullopt;
    }
    const Bounds bounds{(*given)[0] * scale, (*given)[1] * scale};
    if (bounds.low < bounds.high) return bounds;
    report_.error(element.place_of(range), fmt::format("'{}' is empty: {} is not below {}", range,
                                                       rounded((*given)[0]), rounded((*given)[1])));
    return std::nullopt;
}

/// One to three coefficients.
Polynomial3 MjcfReader::polynomial(const Element& element, std::string_view name) {
    const auto given = values_.numbers(element, name, 1, 3);
    Polynomial3 result;
    if (!given) return result;
    result.a = (*given)[0];
    if (given->size() > 1) result.b = (*given)[1];
    if (given->size() > 2) result.c = (*given)[2];
    if (result.a < 0)
        report_.error(element.place_of(name), fmt::format("'{}' cannot be negative", name));
    return result;
}

void MjcfReader::joint_kind(const Element& element, Joint& joint) {
    static const std::map<std::string, Joint::Kind, std::less<>> kinds = {
        {"hinge", Joint::Kind::hinge},
        {"slide", Joint::Kind::slide},
        {"ball", Joint::Kind::ball},
        {"free", Joint::Kind::free}};
    if (!element.has("type")) return;
    if (const auto found = kinds.find(element.text("type")); found != kinds.end())
        joint.kind = found->second;
    else
        report_.error(element.place_of("type"),
                      fmt::format("there is no joint of type '{}'", element.text("type")),
                      "there are hinge, slide, ball and free");
}

void MjcfReader::joint(const Element& given, const Scope& scope) {
    if (scope.link == no_link) {
        report_.error(given.place, "the world cannot have joints");
        return;
    }
    attributes_.check(given);
    class_of(given, scope);
    const bool only_free = given.name == "freejoint";  // takes no defaults
    const Element element = only_free ? given : defaults_.complete(given, scope.child_class);
    Link& link = robot_.links[scope.link];
    Joint joint;
    joint.place = given.place;
    joint.name = name_of(given, scope);
    if (only_free) joint.kind = Joint::Kind::free;
    else joint_kind(element, joint);
    if (joint.kind == Joint::Kind::free) {
        if (link.parent != no_link)
            report_.error(given.place,
                          fmt::format("the body '{}' cannot be free: it is not a child "
                                      "of the world",
                                      link.name));
        if (!link.joints.empty())
            report_.error(given.place, "a free joint must be the only one of its body");
    } else {
        for (const std::size_t other : link.joints)
            if (robot_.joints[other].kind == Joint::Kind::free)
                report_.error(given.place, "a free joint must be the only one of its body");
        joint.position = scope.frame * values_.vector(element, "pos", {});
        joint.axis = scope.frame.turn * values_.direction(element, "axis", {0, 0, 1});
    }
    if (!only_free) joint_values(element, joint);
    if (given.text("align") == "true")
        report_.warning(given.place_of("align"),
                        "'align' is not imported: coordinates are those of the body's own frame");
    const std::size_t number = robot_.joints.size();
    if (!joint.name.empty() && !joints_.emplace(joint.name, number).second)
        report_.error(given.place_of("name"), fmt::format("there are two joints '{}'", joint.name));
    link.joints.push_back(number);
    robot_.joints.push_back(std::move(joint));
}

void MjcfReader::joint_values(const Element& element, Joint& joint) {
    const double scale =
        compiler_.degrees && joint.kind != Joint::Kind::slide ? std::numbers::pi / 180 : 1;
    if (joint.is_single()) {
        joint.reference = values_.number(element, "ref", 0) * scale;
        joint.rest = values_.number(element, "springref", 0) * scale;
    }
    joint.damping = polynomial(element, "damping");
    joint.stiffness = polynomial(element, "stiffness");
    joint.armature = values_.number(element, "armature", 0);
    joint.friction = values_.number(element, "frictionloss", 0);
    for (const char* name : {"armature", "frictionloss"})
        if (values_.number(element, name, 0) < 0)
            report_.error(element.place_of(name), fmt::format("'{}' cannot be negative", name));
    if (joint.is_single()) joint.range = range(element, "limited", "range", scale);
    else if (joint.kind == Joint::Kind::ball && element.has("range") &&
             values_.truth(element, "limited").value_or(compiler_.autolimits))
        if (const auto given = values_.numbers(element, "range", 2, 2); given && (*given)[1] > 0)
            joint.range = Bounds{0, (*given)[1] * scale};
    if (const auto given = values_.numbers(element, "springdamper", 2, 2);
        given && (*given)[0] > 0 && (*given)[1] > 0)
        report_.warning(element.place_of("springdamper"),
                        "'springdamper' is not imported: this joint has no such spring",
                        "give 'stiffness' and 'damping'");
    if (element.has("actuatorfrcrange"))
        report_.warning(element.place_of("actuatorfrcrange"),
                        "the limit of the actuators' total force is not imported");
}

void MjcfReader::site(const Element& given, const Scope& scope) {
    attributes_.check(given);
    class_of(given, scope);
    const Element element = defaults_.complete(given, scope.child_class);
    const std::string name = name_of(given, scope);
    Pose pose{values_.vector(element, "pos", {}), {}};
    if (const auto ends = values_.numbers(element, "fromto", 6, 6)) {
        const Vector a{(*ends)[0], (*ends)[1], (*ends)[2]}, b{(*ends)[3], (*ends)[4], (*ends)[5]};
        pose = {0.5 * (a + b), turn_of_z(a - b)};
    } else {
        pose.turn = orientation(element);
    }
    if (!name.empty()) sites_[name] = {scope.link, scope.frame * pose};
}

}  // namespace lacon::robot
