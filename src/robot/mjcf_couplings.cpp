// MJCF: what holds between bodies and joints: equalities and fixed tendons.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "robot/mjcf.hpp"

namespace lacon::inline robot {

std::size_t MjcfReader::found(const std::map<std::string, std::size_t>& all, const Element& element,
                              std::string_view attribute, std::string_view what) {
    const std::string name(element.text(attribute));
    if (!element.has(attribute)) {
        report_.error(element.place, fmt::format("'{}' is missing here", attribute));
        return no_link;
    }
    if (const auto one = all.find(name); one != all.end()) return one->second;
    std::vector<std::string> names;
    for (const auto& [known, number] : all) names.push_back(known);
    const auto near = nearest_name(name, names);
    report_.error(element.place_of(attribute), fmt::format("there is no {} '{}'", what, name),
                  near ? fmt::format("did you mean '{}'?", *near) : "");
    return no_link;
}

std::size_t MjcfReader::joint_named(const Element& element, std::string_view attribute) {
    return found(joints_, element, attribute, "joint");
}

std::size_t MjcfReader::tendon_named(const Element& element, std::string_view attribute) {
    return found(tendons_, element, attribute, "fixed tendon");
}

std::size_t MjcfReader::link_named(const Element& element, std::string_view attribute) {
    if (element.text(attribute) == "world") return no_link;
    return found(links_, element, attribute, "body");
}

void MjcfReader::equality(const Element& given) {
    attributes_.check(given);
    class_of(given, {});
    Element element = defaults_.complete(given, {});
    Element common;  // <equality> of the defaults goes to all kinds
    common.name = "equality";
    for (const Attribute& attribute : defaults_.complete(common, {}).attributes)
        if (!element.has(attribute.name)) element.attributes.push_back(attribute);
    if (!values_.truth(element, "active").value_or(true)) {
        robot_.remarks.push_back(
            fmt::format("the equality '{}' is not active, and left out", element.text("name")));
        return;
    }
    if (given.name == "connect") connect(element);
    else if (given.name == "weld") weld(element);
    else if (given.name == "joint") couple(element, false);
    else if (given.name == "tendon") couple(element, true);
    else
        report_.warning(given.place,
                        fmt::format("equalities of type '{}' are not imported", given.name));
}

/// The two ends of a closure: bodies, or sites on them.
bool MjcfReader::ends(const Element& element, Closure& closure, Pose& first, Pose& second,
                      bool& by_sites) {
    closure.name = element.text("name");
    closure.place = element.place;
    by_sites = element.has("site1") || element.has("site2");
    if (by_sites) {
        for (const auto& [attribute, link, pose] :
             {std::tuple{"site1", &closure.first, &first},
              std::tuple{"site2", &closure.second, &second}}) {
            const auto site = sites_.find(std::string(element.text(attribute)));
            if (site == sites_.end()) {
                report_.error(element.place_of(attribute),
                              fmt::format("there is no site '{}'", element.text(attribute)));
                return false;
            }
            *link = site->second.link;
            *pose = site->second.pose;
        }
    } else {
        if (!element.has("body1")) {
            report_.error(element.place, "'body1' is missing here");
            return false;
        }
        const bool failed_before = report_.has_errors();
        closure.first = link_named(element, "body1");
        closure.second = element.has("body2") ? link_named(element, "body2") : no_link;
        if (report_.has_errors() && !failed_before) return false;
    }
    if (closure.first != closure.second) return true;
    report_.error(element.place, "a body cannot be tied to itself");
    return false;
}

/// `anchor` is in body1; the point of body2 is the one that lies there in the drawn pose.
void MjcfReader::connect(const Element& element) {
    Closure closure;
    Pose first, second;
    bool by_sites = false;
    if (!ends(element, closure, first, second, by_sites)) return;
    if (by_sites) {
        closure.in_first = {first.place, {}};
        closure.in_second = second.place;
    } else {
        if (!element.has("anchor")) {
            report_.error(element.place, "'anchor' is missing here");
            return;
        }
        closure.in_first = {values_.vector(element, "anchor", {}), {}};
        const Vector world = drawn_pose(robot_, closure.first) * closure.in_first.place;
        closure.in_second = inverse(drawn_pose(robot_, closure.second)) * world;
    }
    robot_.closures.push_back(std::move(closure));
}

/// `relpose` is the pose of body2 in body1; a quaternion of zeros means: as drawn. Held exactly,
/// the weld does not depend on its anchor.
void MjcfReader::weld(const Element& element) {
    Closure closure;
    Pose first, second;
    bool by_sites = false;
    if (!ends(element, closure, first, second, by_sites)) return;
    closure.weld = true;
    const auto given = values_.numbers(element, "relpose", 7, 7);
    if (by_sites) {
        closure.in_first = first * inverse(second);
    } else if (given &&
               ((*given)[3] != 0 || (*given)[4] != 0 || (*given)[5] != 0 || (*given)[6] != 0)) {
        const auto& n = *given;
        closure.in_first = {{n[0], n[1], n[2]}, unit(n[3], n[4], n[5], n[6])};
    } else {
        closure.in_first =
            inverse(drawn_pose(robot_, closure.first)) * drawn_pose(robot_, closure.second);
    }
    robot_.closures.push_back(std::move(closure));
}

/// y - y0 = Σ aᵢ (x - x0)ⁱ, where y0 and x0 are the values in the drawn pose.
void MjcfReader::couple(const Element& element, bool tendons) {
    const char *first = tendons ? "tendon1" : "joint1", *second = tendons ? "tendon2" : "joint2";
    Coupling coupling;
    coupling.name = element.text("name");
    coupling.place = element.place;
    coupling.of_tendons = tendons;
    const auto one = [&](const char* attribute, std::size_t& number, double& zero) {
        number = tendons ? tendon_named(element, attribute) : joint_named(element, attribute);
        if (number == no_joint) return false;
        if (tendons) {
            robot_.tendons[number].needs_name = true;
            for (const Tendon::Part& part : robot_.tendons[number].parts)
                zero += part.factor * robot_.joints[part.joint].reference;
            return true;
        }
        zero = robot_.joints[number].reference;
        if (robot_.joints[number].is_single()) return true;
        report_.error(
            element.place_of(attribute),
            fmt::format("'{}' has more than one coordinate: only hinges and slides can be "
                        "coupled",
                        element.text(attribute)));
        return false;
    };
    if (!one(first, coupling.follower, coupling.follower_zero)) return;
    if (element.has(second) && !one(second, coupling.leader, coupling.leader_zero)) return;
    const auto given = values_.numbers(element, "polycoef", 1, 5);
    if (!given && element.has("polycoef")) return;
    coupling.coefficients = {0, 1, 0, 0, 0};
    if (given) std::copy(given->begin(), given->end(), coupling.coefficients.begin());
    if (coupling.leader == no_joint) coupling.coefficients.resize(1);
    while (coupling.coefficients.size() > 1 && coupling.coefficients.back() == 0)
        coupling.coefficients.pop_back();
    robot_.couplings.push_back(std::move(coupling));
}

void MjcfReader::tendon(const Element& given) {
    attributes_.check(given);
    class_of(given, {});
    if (given.name != "fixed") {
        report_.warning(given.place,
                        fmt::format("tendons of type '{}' are not imported", given.name));
        return;
    }
    const Element element = defaults_.complete(given, {});
    Tendon tendon;
    tendon.name = element.text("name");
    tendon.place = given.place;
    double rest = 0;
    for (const Element& part : given.children) {
        const std::size_t joint = joint_named(part, "joint");
        if (joint == no_joint) return;
        const double factor = values_.number(part, "coef", 0);
        if (!robot_.joints[joint].is_single()) {
            report_.error(part.place_of("joint"),
                          "a fixed tendon runs over hinges and slides only");
            return;
        }
        tendon.parts.push_back({joint, factor});
        rest += factor * robot_.joints[joint].rest;
    }
    tendon.range = range(element, "limited", "range", 1);
    tendon.stiffness = polynomial(element, "stiffness");
    tendon.damping = polynomial(element, "damping");
    tendon.armature = values_.number(element, "armature", 0);
    tendon.friction = values_.number(element, "frictionloss", 0);
    // Where it is not given, or -1, the rest length is that of the joints' springs at rest.
    tendon.rest = {rest, rest};
    if (const auto lengths = values_.numbers(element, "springlength", 1, 2);
        lengths && lengths->front() != -1)
        tendon.rest = {lengths->front(), lengths->back()};
    if (!tendon.name.empty() && !tendons_.emplace(tendon.name, robot_.tendons.size()).second)
        report_.error(given.place_of("name"),
                      fmt::format("there are two tendons '{}'", tendon.name));
    robot_.tendons.push_back(std::move(tendon));
}

}  // namespace lacon::robot
