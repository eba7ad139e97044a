// Writes what holds between joints and bodies, tendons, and actuators as forces of controls.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "robot/writer.hpp"

namespace lacon::inline robot {

namespace {

/// "x", "(x - 0.3)".
std::string moved(const std::string& name, double zero) {
    return zero == 0 ? name : fmt::format("({})", SumText().add(1, name).add(-zero).text());
}

}  // namespace

void ModelWriter::couplings() {
    for (std::size_t i = 0; i < robot_.couplings.size(); ++i) {
        const Coupling& coupling = robot_.couplings[i];
        if (coupling.is_mimic) continue;  // a property of the joint
        const auto name = [&](std::size_t number) {
            return coupling.of_tendons ? names_.tendons[number] : names_.joints[number];
        };
        const std::string follower =
            SumText().add(1, name(coupling.follower)).add(-coupling.follower_zero).text();
        SumText value;
        value.add(coupling.coefficients[0]);
        for (std::size_t k = 1; k < coupling.coefficients.size(); ++k) {
            const std::string x = moved(name(coupling.leader), coupling.leader_zero);
            value.add(coupling.coefficients[k], k == 1 ? x : fmt::format("{}^{}", x, k));
        }
        line(coupling.place,
             fmt::format("constraint {}: {} = {}", names_.couplings[i], follower, value.text()));
    }
}

void ModelWriter::closures() {
    for (std::size_t i = 0; i < robot_.closures.size(); ++i) {
        const Closure& closure = robot_.closures[i];
        const auto point = [&](std::size_t link, const Vector& p) {
            return (link == no_link ? "" : names_.links[link]) + vector_text(without_rounding(p));
        };
        if (closure.weld)
            line(closure.place,
                 fmt::format("joint {}: weld {} to {}{} by constraints", names_.closures[i],
                             body_name(closure.first), body_name(closure.second),
                             placed(closure.in_first, std::nullopt)));
        else
            line(closure.place, fmt::format("constraint {}: {} = {}", names_.closures[i],
                                            point(closure.first, closure.in_first.place),
                                            point(closure.second, closure.in_second)));
    }
}

std::string ModelWriter::tendon_text(const Tendon& tendon) const {
    SumText sum;
    for (const Tendon::Part& part : tendon.parts) sum.add(part.factor, names_.joints[part.joint]);
    return sum.text();
}

void ModelWriter::tendons() {
    for (std::size_t i = 0; i < robot_.tendons.size(); ++i) {
        const Tendon& tendon = robot_.tendons[i];
        const bool acts = tendon.needs_name || tendon.range || !tendon.damping.is_zero() ||
                          !tendon.stiffness.is_zero() || tendon.armature != 0;
        if (!acts) {
            comment(fmt::format("{} = {}: a tendon on which nothing acts", names_.tendons[i],
                                tendon_text(tendon)));
            continue;
        }
        line(tendon.place, fmt::format("let {} = {}", names_.tendons[i], tendon_text(tendon)));
        this->tendon(i);
    }
}

void ModelWriter::tendon(std::size_t number) {
    const Tendon& tendon = robot_.tendons[number];
    const std::string& name = names_.tendons[number];
    const Polynomial3 &k = tendon.stiffness, &d = tendon.damping;
    const auto spring = [&](const std::string& x) {
        return SumText().add(k.a / 2, x + "^2").add(k.b / 3, x + "^3").add(k.c / 4, x + "^4");
    };
    if (!k.is_zero() && tendon.rest.low == tendon.rest.high)
        line(tendon.place, "potential " + spring(moved(name, tendon.rest.low)).text());
    else if (!k.is_zero())
        line(tendon.place,
             fmt::format("potential {}*(max(0, {})^2 + max(0, {})^2)", number_text(k.a / 2),
                         SumText().add(1, name).add(-tendon.rest.high).text(),
                         SumText().add(tendon.rest.low).add(-1, name).text()));
    if (!d.is_zero() && d.is_linear())
        line(tendon.place, fmt::format("dissipation {}*{}'^2", number_text(d.a / 2), name));
    else if (!d.is_zero())
        for (const Tendon::Part& part : tendon.parts)
            line(tendon.place,
                 fmt::format("force {} = {}", names_.joints[part.joint],
                             SumText()
                                 .add(-part.factor * d.a, name + "'")
                                 .add(-part.factor * d.b, fmt::format("{0}'*abs({0}')", name))
                                 .add(-part.factor * d.c, name + "'^3")
                                 .text()));
    if (tendon.armature != 0)
        line(tendon.place, fmt::format("kinetic {}*{}'^2", number_text(tendon.armature / 2), name));
    if (tendon.range) {
        line(tendon.place,
             fmt::format("constraint {0}_low: {0} >= {1}", name, number_text(tendon.range->low)));
        line(tendon.place,
             fmt::format("constraint {0}_high: {0} <= {1}", name, number_text(tendon.range->high)));
    }
}

/// gain u + bias, both affine in the length l = gear x and its rate, within the bounds.
std::string ModelWriter::drive_force(const Drive& drive, const std::string& control,
                                     const std::string& length) const {
    const double gear = drive.gear.front();
    SumText gain, force;
    gain.add(drive.gain[0])
        .add(drive.gain[1] * gear, length)
        .add(drive.gain[2] * gear, length + "'");
    if (drive.gain[1] == 0 && drive.gain[2] == 0) force.add(drive.gain[0], control);
    else force.add(1, fmt::format("({})*{}", gain.text(), control));
    force.add(drive.bias[0])
        .add(drive.bias[1] * gear, length)
        .add(drive.bias[2] * gear, length + "'");
    if (!drive.force) return force.text();
    return fmt::format("max({}, min({}, {}))", number_text(drive.force->low),
                       number_text(drive.force->high), force.text());
}

void ModelWriter::drives() {
    for (std::size_t i = 0; i < robot_.drives.size(); ++i)
        if (robot_.drives[i].target != no_joint) drive(i);
}

void ModelWriter::drive(std::size_t number) {
    const Drive& drive = robot_.drives[number];
    const std::string& name = names_.drives[number];
    double control = 0;
    if (!robot_.keyframes.empty() && !robot_.keyframes.front().controls.empty())
        control = robot_.keyframes.front().controls[number];
    if (drive.control && drive.control->low <= drive.control->high) {
        const double within = std::clamp(control, drive.control->low, drive.control->high);
        if (within != control)
            comment(fmt::format("{}: the control {} is outside its range and is clamped to {}",
                                name, number_text(control), number_text(within)));
        control = within;
    }
    std::string text = fmt::format("param {} = {}", name, number_text(control));
    if (drive.control)
        text += fmt::format(" in {}..{}", number_text(drive.control->low),
                            number_text(drive.control->high));
    line(drive.place, fmt::format("{} \"control of the {} actuator\"", text, drive.kind));
    const auto times = [](double factor, const std::string& force) {
        const bool product = force.find(' ') == std::string::npos || force.starts_with("max(");
        return SumText().add(factor, product ? force : "(" + force + ")").text();
    };
    if (drive.on == Drive::On::joint) {
        const std::string& joint = names_.joints[drive.target];
        line(drive.place, fmt::format("force {} = {}", joint,
                                      times(drive.gear.front(), drive_force(drive, name, joint))));
    } else if (drive.on == Drive::On::tendon) {
        line(drive.place,
             fmt::format("let {}_force = {}", name,
                         times(drive.gear.front(),
                               drive_force(drive, name, names_.tendons[drive.target]))));
        for (const Tendon::Part& part : robot_.tendons[drive.target].parts)
            line(drive.place, fmt::format("force {} = {}", names_.joints[part.joint],
                                          SumText().add(part.factor, name + "_force").text()));
    } else {
        const std::string& link = names_.links[drive.target];
        const auto& g = drive.gear;
        const Vector force = drive.site.turn * Vector{g[0], g[1], g[2]};
        const Vector torque = drive.site.turn * Vector{g[3], g[4], g[5]};
        Drive plain = drive;
        plain.gear.front() = 1;
        line(drive.place, fmt::format("let {}_force = {}", name, drive_force(plain, name, "0")));
        if (force != Vector{})
            line(drive.place,
                 fmt::format("force {}{} = {}_force*{}.direction{}", link,
                             vector_text(drive.site.place), name, link, vector_text(force)));
        if (torque != Vector{})
            line(drive.place, fmt::format("torque {} = {}_force*{}.direction{}", link, name, link,
                                          vector_text(torque)));
    }
}

}  // namespace lacon::robot
