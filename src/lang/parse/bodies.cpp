// Parses bodies and joints, and makes the names of the coordinates and constraints that they may
// bring.
#include <fmt/format.h>

#include <set>

#include "lang/parse/parser.hpp"
#include "model/joints.hpp"

namespace lacon::lang {

namespace {

/// The couplings: constraints between what other joints made.
constexpr std::string_view couplings[] = {"gear",          "rack",           "belt",
                                          "rolling",       "parallel",       "distance",
                                          "point_on_line", "point_on_plane", "cam"};

}  // namespace

/// NAME [planar] [mass M] [inertia (…)] [center VECTOR], in any order
BodyStatement Parser::body() {
    BodyStatement result;
    result.target = target("a body");
    no_primes(result.target, "a body");
    while (kind() == TokenKind::name) {
        const TokenId here = at_;
        if (result.planar == none && accept_word("planar")) result.planar = here;
        else if (result.mass == none && accept_word("mass")) result.mass = sum();
        else if (result.inertia == none && accept_word("inertia")) result.inertia = sum();
        else if (result.center == none && accept_word("center")) result.center = sum();
        else if (result.density == none && accept_word("density")) result.density = sum();
        else if (word() == "shape") result.shapes.push_back(shape_clause());
        else break;
    }
    if (syntax_.names[result.target.name] == "ground" && result.shapes.empty())
        fail(syntax_.span(result.target.tokens), "'ground' is built in and has no mass",
             "use it like any other body; it may have shapes");
    if (word() == "at")
        fail(now().span, "a body has no place of its own: its joint gives the place",
             "write 'start NAME.position = ...' for a free body");
    for (const std::string_view twice : {"planar", "mass", "density", "inertia", "center"})
        if (word() == twice) fail(now().span, fmt::format("'{}' appears here twice", twice));
    return result;
}

/// NAME: KIND A to B {MODIFIER}
JointStatement Parser::joint() {
    JointStatement result;
    result.target = declared_target("a joint");
    if (kind() != TokenKind::colon)
        fail(syntax_.span(result.target.tokens), "a joint needs a name and a colon before its kind",
             "write joint hinge: revolute ground to arm axis (0, 0, 1)");
    take();
    if (kind() != TokenKind::name) fail_expecting("the kind of joint, such as 'revolute',");
    result.kind = at_;
    std::vector<std::string> kinds = joint_kind_names();
    kinds.insert(kinds.end(), std::begin(couplings), std::end(couplings));
    if (std::find(kinds.begin(), kinds.end(), word()) == kinds.end()) {
        refuse_near_modifier(kinds);
        fail(now().span, fmt::format("there is no kind of joint '{}'", word()),
             "the kinds are revolute, continuous, prismatic, screw, cylindrical, universal, "
             "planar, spherical, free, weld, pin and slider");
    }
    take(Role::word);
    result.first = declared_target("a body");
    if (syntax_.text(result.kind) == "rolling") expect_word("on", "what it rolls on");
    else expect_word("to", "the second body");
    result.second = declared_target("a body");
    std::set<std::string_view> given;
    while (kind() == TokenKind::name && word() != "for") {
        const std::string_view modifier = word();
        if (given.contains(modifier))
            fail(now().span, fmt::format("'{}' appears here twice", modifier));
        if (!joint_modifier(result, modifier)) break;
        given.insert(modifier);
    }
    return result;
}

/// Takes a modifier with its values; false for another word.
bool Parser::joint_modifier(JointStatement& joint, std::string_view modifier) {
    const auto value = [&](std::string_view name, NodeId& node) {
        if (modifier != name) return false;
        take(Role::word);
        node = sum();
        return true;
    };
    const auto pair = [&](std::string_view name, NodeId& first, NodeId& second) {
        if (!value(name, first)) return false;
        if (accept(TokenKind::comma)) second = sum();
        return true;
    };
    if (pair("at", joint.at, joint.at_second) || pair("axis", joint.axis, joint.axis_second) ||
        pair("radius", joint.radius, joint.radius_second) || value("turned", joint.turned) ||
        value("pitch", joint.pitch) || value("ratio", joint.ratio) ||
        value("offset", joint.offset) || value("length", joint.length) ||
        value("restitution", joint.restitution) || value("damping", joint.damping) ||
        value("armature", joint.armature) || value("friction", joint.friction))
        return true;
    if (value("stiffness", joint.stiffness)) {
        if (accept_word("rest")) joint.rest = sum();
        return true;
    }
    if (modifier == "range") {
        take(Role::word);
        std::tie(joint.low, joint.high) = range("the joint's range, as in 0..pi/2,");
        return true;
    }
    if (modifier == "mimic") {
        take(Role::word);
        joint.mimic = declared_target("a joint");
        for (bool more = true; more;) {
            if (joint.mimic_ratio == none && accept_word("ratio")) joint.mimic_ratio = sum();
            else if (joint.mimic_offset == none && accept_word("offset"))
                joint.mimic_offset = sum();
            else more = false;
        }
        return true;
    }
    if (modifier == "motor") {
        joint_motor(joint);
        return true;
    }
    if (modifier == "by") {
        joint.by_constraints = take(Role::word);
        if (!accept_word("constraints")) fail_expecting("'constraints'");
        return true;
    }
    return false;
}

/// motor angle|position|speed|torque|force EXPR
void Parser::joint_motor(JointStatement& joint) {
    take(Role::word);
    for (const std::string_view what : {"angle", "position", "speed", "torque", "force"})
        if (word() == what) {
            joint.motor = take(Role::word);
            joint.motor_value = sum();
            return;
        }
    fail_expecting("what the motor gives, 'angle', 'position', 'speed', 'torque' or 'force',");
}

void Parser::make_name(NameId name, std::string_view ending) {
    std::string text = std::string(syntax_.names[name]) + std::string(ending);
    const auto known = name_ids_.find(text);
    NameId made = known == name_ids_.end() ? none : known->second;
    if (made == none) {
        syntax_.made_texts.push_back(std::move(text));
        made = static_cast<NameId>(syntax_.names.size());
        syntax_.names.push_back(syntax_.made_texts.back());
        name_ids_.emplace(syntax_.made_texts.back(), made);
    }
    syntax_.made_names[{name, std::string(ending)}] = made;
}

/// Which of these there are is known later; the names must be known before.
void Parser::make_names() {
    for (const Statement& statement : syntax_.statements) {
        if (const auto* body = std::get_if<BodyStatement>(&statement.content)) {
            for (const std::string_view ending :
                 {"_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz", "_angle", "_unit"})
                make_name(body->target.name, ending);
        } else if (const auto* joint = std::get_if<JointStatement>(&statement.content)) {
            for (const bool planar : {false, true})
                if (const auto* kind = find_joint_kind(syntax_.text(joint->kind), planar))
                    for (const std::string_view ending : kind->suffixes)
                        if (!ending.empty()) make_name(joint->target.name, ending);
            for (const std::string_view ending :
                 {"_unit", "_low", "_high", "_motor", "_mimic", "_lock", "_play_1", "_play_2",
                  "_play_3", "_play_4", "_play_5", "_play_6"})
                make_name(joint->target.name, ending);
        }
    }
}

}  // namespace lacon::lang
