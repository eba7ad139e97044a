// Writes bodies and joints. A joint of Lacon has its axis in the first body's axes and turns behind
// it; a value that is not 0 in the drawn pose is turned, or moved, back there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "robot/writer.hpp"

namespace lacon::inline robot {

namespace {

/// What rounding leaves of 0 and 1 in products of unit quaternions and unit vectors.
constexpr double rounding = 4e-16;

double settled(double x) {
    for (const double exact : {0.0, 1.0, -1.0})
        if (std::abs(x - exact) < rounding) return exact;
    return x;
}

Vector settled(const Vector& v) {
    return {settled(v[0]), settled(v[1]), settled(v[2])};
}

std::string turn_text(const Turn& turn) {
    return fmt::format("quaternion({}, {}, {}, {})", number_text(settled(turn.w)),
                       number_text(settled(turn.x)), number_text(settled(turn.y)),
                       number_text(settled(turn.z)));
}

}  // namespace

std::string number_text(double value) {
    return value == 0 ? "0" : shortest(value);
}

std::string vector_text(const Vector& v) {
    return fmt::format("({}, {}, {})", number_text(v[0]), number_text(v[1]), number_text(v[2]));
}

Vector without_rounding(const Vector& v) {
    Vector result = v;
    for (double& x : result)
        if (std::abs(x) < rounding * length(v)) x = 0;
    return result;
}

SumText& SumText::add(double factor, std::string_view symbol) {
    if (factor == 0) return *this;
    std::string term = number_text(std::abs(factor));
    if (!symbol.empty())
        term = std::abs(factor) == 1 ? std::string(symbol) : fmt::format("{}*{}", term, symbol);
    if (empty_) text_ = (factor < 0 ? "-" : "") + term;
    else text_ += (factor < 0 ? " - " : " + ") + term;
    empty_ = false;
    return *this;
}

void ModelWriter::line(const FilePlace& place, const std::string& text) {
    const auto begin = static_cast<std::uint32_t>(result_.text.size());
    const std::string from = origin_of(place);
    result_.text += text;
    if (place.file)
        result_.origins.push_back(
            {{begin, static_cast<std::uint32_t>(result_.text.size())}, place.file, place.span});
    if (!from.empty()) result_.text += "  # " + from;
    result_.text += '\n';
}

/// Texts of the file, in comments and the title: what a model cannot hold (control characters,
/// bytes that are no UTF-8) becomes a blank or a question mark.
std::string plain_text(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size();) {
        const Character next = read_character(text, at);
        const bool control = next.code < 0x20 || (next.code >= 0x7F && next.code < 0xA0);
        if (!next.valid) plain += '?';
        else if (control) plain += ' ';
        else plain += text.substr(at, next.length);
        at += next.length;
    }
    return plain;
}

void ModelWriter::comment(const std::string& text) {
    result_.text += "# " + plain_text(text) + '\n';
}

void ModelWriter::gap() {
    if (!result_.text.empty() && !result_.text.ends_with("\n\n")) result_.text += '\n';
}

/// "line 12"; of an included file with its name.
std::string ModelWriter::origin_of(const FilePlace& place) const {
    if (!place.file) return {};
    const std::size_t number = place.file->place(place.span.begin).line;
    if (place.file->name() == robot_.path) return fmt::format("line {}", number);
    std::string name = place.file->name().substr(place.file->name().find_last_of('/') + 1);
    std::erase_if(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    return fmt::format("{}, line {}", name, number);
}

std::string ModelWriter::body_name(std::size_t link) const {
    return link == no_link ? "ground" : names_.links[link];
}

void ModelWriter::links() {
    for (const Shape& shape : robot_.ground)
        line(shape.place, "body ground" + shapes_text({shape}));
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
        gap();
        link(i);
    }
}

void ModelWriter::link(std::size_t number) {
    const Link& link = robot_.links[number];
    if (!names_.frames[number].empty()) {
        const std::string& frame = names_.frames[number];
        line(link.place, "body " + frame);
        line(link.place,
             fmt::format("joint {}: weld {} to {}{}", names_.welds[number], body_name(link.parent),
                         frame, placed(link.pose, link.roll_pitch_yaw)));
    }
    for (const std::string& between : names_.between[number]) line(link.place, "body " + between);
    body(number);
    hang(number);
    if (link.gravity_compensation != 0 && link.inertia.mass != 0 && robot_.gravity != Vector{})
        line(link.place, fmt::format("force {} = {}", names_.links[number],
                                     vector_text((-link.gravity_compensation * link.inertia.mass) *
                                                 robot_.gravity)));
}

/// The first in the line of the body, more in lines of their own; they change no mass.
std::string ModelWriter::shapes_text(const std::vector<Shape>& shapes) const {
    std::string text;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        text += (i == 0 ? " shape " : ",\n    ") + shape_text(shapes[i]);
    return text;
}

std::string ModelWriter::shape_text(const Shape& shape) const {
    const shape::KindFacts& facts = shape::facts_of(shape.kind);
    std::string text(facts.name);
    if (facts.sizes == 1) text += " " + number_text(shape.size[0]);
    if (facts.sizes == 2)
        text += fmt::format(" {}, {}", number_text(shape.size[0]), number_text(shape.size[1]));
    if (facts.sizes == 3) text += " " + vector_text(shape.size);
    if (shape.kind == Shape::Kind::mesh) {
        text += fmt::format(" \"{}\"", shape.file);
        const Vector& s = shape.scale;
        if (s[0] != s[1] || s[1] != s[2]) text += " scale " + vector_text(s);
        else if (s[0] != 1) text += " scale " + number_text(s[0]);
    }
    text += placed(shape.pose, std::nullopt);
    return shape.collides ? text : text + " drawn";
}

void ModelWriter::body(std::size_t number) {
    const Link& link = robot_.links[number];
    const Inertia& inertia = link.inertia;
    const std::string shapes = shapes_text(link.shapes);
    std::string text = "body " + names_.links[number];
    Tensor t = inertia.tensor;
    const Vector off = without_rounding({t.xx + t.yy + t.zz, t.xy, 0});
    const Vector more = without_rounding({t.xx + t.yy + t.zz, t.xz, t.yz});
    t.xy = off[1], t.xz = more[1], t.yz = more[2];
    if (inertia.mass != 0) text += " mass " + number_text(inertia.mass);
    if (inertia.center != Vector{} && inertia.mass != 0)
        text += " center " + vector_text(inertia.center);
    if (t.xy != 0 || t.xz != 0 || t.yz != 0)
        text +=
            fmt::format(" inertia ({}, {}, {}, {}, {}, {})", number_text(t.xx), number_text(t.yy),
                        number_text(t.zz), number_text(t.xy), number_text(t.xz), number_text(t.yz));
    else if (t.xx != 0 || t.yy != 0 || t.zz != 0)
        text += " inertia " + vector_text({t.xx, t.yy, t.zz});
    else if (inertia.mass != 0 && !shapes.empty()) text += " inertia (0, 0, 0)";  // not its shapes'
    line(link.place, text + shapes);
}

std::string ModelWriter::placed(const Pose& pose,
                                const std::optional<Vector>& roll_pitch_yaw) const {
    std::string text;
    if (pose.place != Vector{}) text += " at " + vector_text(pose.place);
    if (is_identity(pose.turn)) return text;
    if (roll_pitch_yaw) return text + fmt::format(" turned rpy{}", vector_text(*roll_pitch_yaw));
    return text + " turned " + turn_text(pose.turn);
}

/// The joints of a link in their order, over massless bodies between them.
void ModelWriter::hang(std::size_t number) {
    const Link& link = robot_.links[number];
    if (link.joints.empty()) {
        line(link.place,
             fmt::format("joint {}: weld {} to {}{}", names_.welds[number], body_name(link.parent),
                         names_.links[number], placed(link.pose, link.roll_pitch_yaw)));
        return;
    }
    if (is_free_body(robot_, link)) return;
    const bool framed = !names_.frames[number].empty();
    std::string first = framed ? names_.frames[number] : body_name(link.parent);
    for (std::size_t k = 0; k < link.joints.size(); ++k) {
        const Joint& joint = robot_.joints[link.joints[k]];
        const bool drawn = k == 0 && !framed && joint.kind != Joint::Kind::free;
        const std::string& second =
            k + 1 < link.joints.size() ? names_.between[number][k] : names_.links[number];
        const Pose from = drawn ? link.pose : Pose{};
        std::string text = joint_text(joint, from, drawn ? &link : nullptr);
        text = fmt::format("joint {}: {} {} to {}{}{}", names_.joints[link.joints[k]],
                           text.substr(0, text.find(' ')), first, second,
                           text.substr(std::min(text.find(' '), text.size())),
                           properties(link.joints[k]));
        line(joint.place, text);
        joint_forces(link.joints[k]);
        first = second;
    }
}

/// The kind, then place, axis and attitude. `from`: the link's frame in the first body as drawn.
std::string ModelWriter::joint_text(const Joint& joint, const Pose& from, const Link* link) const {
    const std::optional<Vector> rpy = link != nullptr ? link->roll_pitch_yaw : std::nullopt;
    const Vector axis = settled(from.turn * joint.axis);
    switch (joint.kind) {
        case Joint::Kind::free: return "free";
        case Joint::Kind::planar:
            return fmt::format("planar{} axis {}{}", placed({from.place, {}}, {}),
                               vector_text(axis), placed({{}, from.turn}, rpy));
        case Joint::Kind::slide: {
            const Pose zero{from.place - joint.reference * axis, from.turn};
            return fmt::format("prismatic{} axis {}{}", placed({zero.place, {}}, {}),
                               vector_text(axis), placed({{}, zero.turn}, rpy));
        }
        default: break;
    }
    const bool ball = joint.kind == Joint::Kind::ball;
    const bool turned_back = !ball && joint.reference != 0;
    const Pose zero{from * joint.position,
                    turned_back ? from.turn * turn_about(joint.axis, -joint.reference) : from.turn};
    std::string text = ball ? "spherical" : joint.range ? "revolute" : "continuous";
    if (joint.position != Vector{})
        text += fmt::format(" at {}, {}", vector_text(zero.place), vector_text(joint.position));
    else if (zero.place != Vector{}) text += " at " + vector_text(zero.place);
    if (!ball) text += " axis " + vector_text(axis);
    return text + placed({{}, zero.turn}, turned_back ? std::nullopt : rpy);
}

/// Of joints with one coordinate; those of others are written as energies.
std::string ModelWriter::properties(std::size_t number) const {
    const Joint& joint = robot_.joints[number];
    if (!joint.is_single()) return {};
    std::string text;
    if (joint.range)
        text += fmt::format(" range {}..{}", number_text(joint.range->low),
                            number_text(joint.range->high));
    if (joint.damping.is_linear() && joint.damping.a != 0)
        text += " damping " + number_text(joint.damping.a);
    if (joint.stiffness.is_linear() && joint.stiffness.a != 0) {
        text += " stiffness " + number_text(joint.stiffness.a);
        if (joint.rest != 0) text += " rest " + number_text(joint.rest);
    }
    if (joint.armature != 0) text += " armature " + number_text(joint.armature);
    if (joint.friction != 0) text += " friction " + number_text(joint.friction);
    if (const Coupling* mimic = mimic_of_joint_[number]) {
        text += " mimic " + names_.joints[mimic->leader];
        if (mimic->coefficients[1] != 1) text += " ratio " + number_text(mimic->coefficients[1]);
        if (mimic->coefficients[0] != 0) text += " offset " + number_text(mimic->coefficients[0]);
    }
    return text;
}

/// What no property says: curved springs and dampers, and all of joints with several coordinates.
void ModelWriter::joint_forces(std::size_t number) {
    const Joint& joint = robot_.joints[number];
    const std::string& name = names_.joints[number];
    if (!joint.remark.empty()) comment(fmt::format("{}: {}", name, joint.remark));
    if (!joint.is_single()) {
        several_coordinates(joint, name);
        if (joint.friction != 0)
            comment(fmt::format("{}: its friction {} is left out: it has no single coordinate",
                                name, number_text(joint.friction)));
        return;
    }
    if (!joint.stiffness.is_linear()) {
        const std::string x =
            joint.rest == 0 ? name
                            : fmt::format("({})", SumText().add(1, name).add(-joint.rest).text());
        line(joint.place, "potential " + SumText()
                                             .add(joint.stiffness.a / 2, x + "^2")
                                             .add(joint.stiffness.b / 3, x + "^3")
                                             .add(joint.stiffness.c / 4, x + "^4")
                                             .text());
    }
    if (!joint.damping.is_linear())
        line(joint.place,
             fmt::format("force {} = {}", name,
                         SumText()
                             .add(-joint.damping.a, name + "'")
                             .add(-joint.damping.b, fmt::format("{0}'*abs({0}')", name))
                             .add(-joint.damping.c, name + "'^3")
                             .text()));
}

/// A unit quaternion p has |ω|² = 4 |p'|², whichever axes ω is given in.
void ModelWriter::several_coordinates(const Joint& joint, const std::string& name) {
    if (joint.kind == Joint::Kind::planar) {
        if (joint.damping.a != 0)
            line(joint.place, fmt::format("dissipation {}*({}_x'^2 + {}_y'^2 + {}_angle'^2)",
                                          number_text(joint.damping.a / 2), name, name, name));
        return;
    }
    const bool free = joint.kind == Joint::Kind::free;
    const std::string sign = free ? "q" : "";
    const std::string turning =
        fmt::format("({0}_{1}w'^2 + {0}_{1}x'^2 + {0}_{1}y'^2 + {0}_{1}z'^2)", name, sign);
    const auto half_squares = [&](double factor) {
        if (!free) return fmt::format("{}*{}", number_text(2 * factor), turning);
        return fmt::format("{0}*({1}_x'^2 + {1}_y'^2 + {1}_z'^2 + 4*{2})", number_text(factor / 2),
                           name, turning);
    };
    if (joint.damping.a != 0) line(joint.place, "dissipation " + half_squares(joint.damping.a));
    if (joint.armature != 0) line(joint.place, "kinetic " + half_squares(joint.armature));
    if (!joint.damping.is_linear())
        comment(fmt::format("{}: its damping beyond the linear part is left out", name));
    if (joint.stiffness.a != 0 && !free) ball_spring(joint, name);
    if (!free && joint.range)
        line(joint.place, fmt::format("constraint {0}_range: {0}_w^2 >= {1}", name,
                                      number_text(std::pow(std::cos(joint.range->high / 2), 2))));
}

/// The potential k θ²/2 of the angle θ of a unit quaternion. With s = sin(θ/2)², (θ/2)² is
/// asin(√s)², which cannot be differentiated as it is written at s = 0. Below 0.01 stands its
/// series s + s²/3 + 8 s³/45 + …: the terms up to s⁹ leave less than 1e-19 of it.
void ModelWriter::ball_spring(const Joint& joint, const std::string& name) {
    line(joint.place, fmt::format("let {0}_bend = {0}_x^2 + {0}_y^2 + {0}_z^2", name));
    std::string series;
    double factor = 1;  // of asin(√s)² = Σ factor s^n: 1, 1/3, 8/45, 4/35, …
    for (int n = 1; n <= 9; ++n) {
        series += n == 1 ? fmt::format("{}_bend", name)
                         : fmt::format(" + {}*{}_bend^{}", number_text(factor), name, n);
        factor *= 2.0 * n * n / ((2.0 * n + 1) * (n + 1));
    }
    line(joint.place,
         fmt::format("potential {}*if({}_bend < 0.01, {}, atan2(sqrt({}_bend), abs({}_w))^2)",
                     number_text(2 * joint.stiffness.a), name, series, name, name));
}

}  // namespace lacon::robot
