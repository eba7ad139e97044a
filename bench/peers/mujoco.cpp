// MuJoCo: hinges and its RK4 at a fixed step. A body must have some inertia beside its
// mass: 1.1e-15 kg m², the least it takes. The loop of the four-bar is an equality `connect`, which
// is soft by design; here it is as stiff as the step allows.

#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>
#include <stdexcept>

#include "peer.hpp"

static_assert(sizeof(mjtNum) == sizeof(double));

namespace {

using peer::Task;

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

/// A body along its x axis, hinged at (at, 0) of the body around it. Its centre of mass is at
/// `centre`, its inertia there.
std::string body(const std::string& name, double at, double centre, double mass, double inertia) {
    const std::string i = number(std::max(inertia, 1.1e-15));
    return "<body name='" + name + "' pos='" + number(at) +
           " 0 0'><joint axis='0 0 1'/><inertial pos='" + number(centre) + " 0 0' mass='" +
           number(mass) + "' diaginertia='" + i + " " + i + " " + i + "'/>";
}

/// Elements must not be nested more than a hundred deep in a file: a long chain goes on in others,
/// which are put in one another.
constexpr std::size_t bodies_in_file = 60;
std::string file_name(std::size_t part) {
    return "part" + std::to_string(part) + ".xml";
}
std::vector<std::string> chain_of(const Task& task) {
    std::vector<std::string> parts;
    const std::size_t count = task.masses.size();
    for (std::size_t begin = 0; begin < count; begin += bodies_in_file) {
        std::string text, ends;
        const std::size_t end = std::min(begin + bodies_in_file, count);
        for (std::size_t i = begin; i < end; ++i) {
            text += body("b" + std::to_string(i), i > 0 ? task.lengths[i - 1] : 0.0,
                         task.lengths[i], task.masses[i], 0.0);
            ends += "</body>";
        }
        if (end < count) text += "<include file='" + file_name(parts.size() + 1) + "'/>";
        parts.push_back(text + ends);
    }
    return parts;
}

std::string linkage_of(const Task::FourBar& l, double step) {
    const auto bar = [&](const char* name, double at, double length) {
        return body(name, at, length / 2, l.density * length,
                    l.density * length * length * length / 12);
    };
    return "<worldbody>" + bar("crank", 0, l.crank) + bar("coupler", l.crank, l.coupler) +
           "</body></body>" + bar("rocker", l.ground, l.rocker) +
           "</body></worldbody><equality><connect body1='coupler' body2='rocker' anchor='" +
           number(l.coupler) + " 0 0' solref='" + number(step) +
           " 1' solimp='0.9999 0.9999 1'/></equality>";
}

std::shared_ptr<mjModel> model_of(const Task& task, double step) {
    const std::vector<std::string> parts =
        task.is_chain ? chain_of(task) : std::vector<std::string>{};
    const std::string text =
        "<mujoco><compiler boundmass='0' boundinertia='0' balanceinertia='false' angle='radian'/>"
        "<option integrator='RK4' solver='Newton' iterations='1' tolerance='0' gravity='0 -" +
        number(peer::gravity) + " 0' timestep='" + number(step) +
        "'><flag contact='disable' limit='disable' passive='disable' frictionloss='disable' "
        "actuation='disable' refsafe='disable'/></option>" +
        (task.is_chain ? "<worldbody>" + parts[0] + "</worldbody>" : linkage_of(task.bars, step)) +
        "</mujoco>";
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
    if (!task.is_chain)
        model->eq_data[3] = task.bars.rocker,
        model->eq_data[4] = 0.0;  // the compiler has closed another loop
    return {model, mj_deleteModel};
}

}  // namespace

int main(int argc, char** argv) {
    mju_user_warning = [](const char*) {};  // or it writes a file
    return peer::report(argc, argv, [](const Task& task) {
        const long steps = std::lround(std::ceil(task.end / task.value));
        const auto model = model_of(task, task.end / static_cast<double>(steps));
        const std::shared_ptr<mjData> data(mj_makeData(model.get()), mj_deleteData);
        peer::Angles start = task.start();
        if (!task.is_chain)
            start.q[1] -= start.q[0], start.v[1] -= start.v[0];  // from angles to hinges
        return [=, &task] {
            mj_resetData(model.get(), data.get());
            std::copy(start.q.begin(), start.q.end(), data->qpos);
            std::copy(start.v.begin(), start.v.end(), data->qvel);
            for (long i = 0; i < steps; ++i) mj_step(model.get(), data.get());
            // What does not stay finite MuJoCo sets back to the start, and notes.
            for (const mjWarningStat& warning : data->warning)
                if (warning.number > 0) throw std::runtime_error("the simulation is unstable");
            const auto n = model->nv;
            const auto end = peer::from_hinges(
                task, {{data->qpos, data->qpos + n}, {data->qvel, data->qvel + n}});
            return peer::joints(task, end.q, end.v);
        };
    });
}
