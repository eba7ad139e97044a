// MuJoCo on the machines of robots.hpp: only those of its functions that forward dynamics, inverse
// dynamics and the mass matrix need.
#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>

#include "robots.hpp"

namespace {

using robots::Robot;

std::string text_of(const robots::Vector& v) {
    char text[100];
    std::snprintf(text, sizeof text, "%.17g %.17g %.17g", v[0], v[1], v[2]);
    return text;
}

std::string body(const Robot& robot, std::size_t number) {
    const robots::Body& b = robot.bodies[number];
    std::string text = "<body pos='" + text_of(b.at) + "'>";
    text += b.axis == robots::Vector{} ? "<freejoint/>" : "<joint axis='" + text_of(b.axis) + "'/>";
    char mass[40];
    std::snprintf(mass, sizeof mass, "%.17g", b.mass);
    return text + "<inertial pos='" + text_of(b.center) + "' mass='" + mass + "' diaginertia='" +
           text_of(b.moments) + "'/>";
}

/// Elements must not be nested more than a hundred deep in a file: a chain goes on in others.
constexpr std::size_t bodies_in_file = 60;
std::string file_name(std::size_t part) {
    return "part" + std::to_string(part) + ".xml";
}

std::string tree(const Robot& robot, std::size_t number) {
    std::string text = body(robot, number);
    for (std::size_t i = number + 1; i < robot.bodies.size(); ++i)
        if (robot.bodies[i].parent == static_cast<int>(number)) text += tree(robot, i);
    return text + "</body>";
}

/// The bodies of a machine in files; of a chain, so many in each.
std::vector<std::string> parts_of(const Robot& robot) {
    const std::size_t count = robot.bodies.size();
    if (count <= bodies_in_file) return {tree(robot, 0)};
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin < count; begin += bodies_in_file) {
        const std::size_t end = std::min(begin + bodies_in_file, count);
        std::string text, ends;
        for (std::size_t i = begin; i < end; ++i) text += body(robot, i), ends += "</body>";
        if (end < count) text += "<include file='" + file_name(parts.size() + 1) + "'/>";
        parts.push_back(text + ends);
    }
    return parts;
}

std::unique_ptr<mjModel, void (*)(mjModel*)> model_of(const Robot& robot) {
    const std::vector<std::string> parts = parts_of(robot);
    const std::string text =
        "<mujoco><compiler boundmass='0' boundinertia='0' balanceinertia='false' angle='radian'/>"
        "<option gravity='0 0 -9.81'/><worldbody>" +
        parts[0] + "</worldbody></mujoco>";
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    const auto add = [&](const std::string& name, const std::string& content) {
        mj_makeEmptyFileVFS(files.get(), name.c_str(), static_cast<int>(content.size()));
        std::memcpy(files->filedata[mj_findFileVFS(files.get(), name.c_str())], content.data(),
                    content.size());
    };
    add("model.xml", text);
    for (std::size_t i = 1; i < parts.size(); ++i)
        add(file_name(i), "<mujocoinclude>" + parts[i] + "</mujocoinclude>");
    char error[500] = "";
    mjModel* model = mj_loadXML("model.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (model == nullptr) throw std::runtime_error(error);
    return {model, mj_deleteModel};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const Robot robot = robots::named(argv[1]);
    const auto model = model_of(robot);
    mjModel* m = model.get();
    const std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(m), mj_deleteData);
    mjData* d = data.get();
    const int first_q = m->nq - static_cast<int>(robot.hinges()),
              first_v = m->nv - static_cast<int>(robot.hinges());
    for (std::size_t i = 0; i < robot.hinges(); ++i) {
        d->qpos[first_q + static_cast<int>(i)] = Robot::angle(i);
        d->qvel[first_v + static_cast<int>(i)] = Robot::rate(i);
    }
    std::vector<double> bias(static_cast<std::size_t>(m->nv)), full(bias.size() * bias.size());
    robots::Result result;
    result.forward = robots::best_ns([&] {
        mj_kinematics(m, d);
        mj_comPos(m, d);
        mj_crb(m, d);
        mj_factorM(m, d);
        mj_comVel(m, d);
        mj_rne(m, d, 0, bias.data());
        for (double& value : bias) value = -value;
        mj_solveM(m, d, d->qacc, bias.data(), 1);
    });
    result.a.assign(d->qacc + first_v, d->qacc + m->nv);
    result.inverse = robots::best_ns([&] {
        mj_kinematics(m, d);
        mj_comPos(m, d);
        mj_comVel(m, d);
        mj_rne(m, d, 1, bias.data());
    });
    result.mass = robots::best_ns([&] {
        mj_kinematics(m, d);
        mj_comPos(m, d);
        mj_crb(m, d);
        mj_fullM(m, full.data(), d->qM);
    });
    result.print();
}
