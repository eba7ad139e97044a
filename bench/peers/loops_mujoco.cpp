// MuJoCo on the linkages of linkages.hpp: hinges and slides with its RK4 at a fixed step, closed by
// `connect`, which is soft by design and here as stiff as the step allows.
// usage: peer_loops_mujoco RK4 STEP END LINKAGE
#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>

#include "linkages.hpp"

namespace {

using linkages::Linkage;

std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}
std::string text_of(const robots::Vector& v) {
    return number(v[0]) + " " + number(v[1]) + " " + number(v[2]);
}
std::string name_of(int body) {
    return body < 0 ? "world" : "b" + std::to_string(body);
}

std::string tree(const Linkage& linkage, int number_of_body) {
    const linkages::Body& b = linkage.bodies[static_cast<std::size_t>(number_of_body)];
    std::string text = "<body name='" + name_of(number_of_body) + "' pos='" + text_of(b.at) +
                       "'><joint type='" + (b.slides ? "slide" : "hinge") + "' axis='" +
                       text_of(b.axis) + "'/><inertial pos='" + text_of(b.center) + "' mass='" +
                       number(b.mass) + "' diaginertia='" + text_of(b.moments) + "'/>";
    for (std::size_t i = 0; i < linkage.bodies.size(); ++i)
        if (linkage.bodies[i].parent == number_of_body) text += tree(linkage, static_cast<int>(i));
    return text + "</body>";
}

std::unique_ptr<mjModel, void (*)(mjModel*)> model_of(const Linkage& linkage, double step) {
    std::string text =
        "<mujoco><compiler boundmass='0' boundinertia='0' balanceinertia='false' angle='radian'/>"
        "<option integrator='RK4' solver='Newton' iterations='1' tolerance='0' gravity='" +
        text_of(linkage.gravity) + "' timestep='" + number(step) +
        "'><flag contact='disable' limit='disable' passive='disable' frictionloss='disable' "
        "actuation='disable' refsafe='disable'/></option><worldbody>";
    for (std::size_t i = 0; i < linkage.bodies.size(); ++i)
        if (linkage.bodies[i].parent < 0) text += tree(linkage, static_cast<int>(i));
    text += "</worldbody><equality>";
    for (const linkages::Closure& c : linkage.closures)
        text += "<connect body1='" + name_of(c.first) + "' body2='" + name_of(c.second) +
                "' anchor='" + text_of(c.in_first) + "' solref='" + number(step) +
                " 1' solimp='0.9999 0.9999 1'/>";
    text += "</equality></mujoco>";
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[0], text.data(), text.size());
    char error[500] = "";
    mjModel* model = mj_loadXML("model.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (model == nullptr) throw std::runtime_error(error);
    for (std::size_t i = 0; i < linkage.closures.size(); ++i)  // its compiler finds them by itself
        for (std::size_t k = 0; k < 3; ++k)
            model->eq_data[mjNEQDATA * i + 3 + k] = linkage.closures[i].in_second[k];
    return {model, mj_deleteModel};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    mju_user_warning = [](const char*) {};
    try {
        const double end = std::atof(argv[3]);
        const long steps = std::lround(std::ceil(end / std::atof(argv[2])));
        const auto model = model_of(linkages::named(argv[4]), end / static_cast<double>(steps));
        const std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(model.get()),
                                                              mj_deleteData);
        std::vector<int> order;  // of the joints: MuJoCo numbers bodies depth first
        for (std::size_t i = 0; i < linkages::named(argv[4]).bodies.size(); ++i) {
            const int body =
                mj_name2id(model.get(), mjOBJ_BODY, name_of(static_cast<int>(i)).c_str());
            order.push_back(model->jnt_qposadr[model->body_jntadr[body]]);
        }
        return linkages::report([&] {
            mj_resetData(model.get(), data.get());
            for (long i = 0; i < steps; ++i) mj_step(model.get(), data.get());
            for (const mjWarningStat& warning : data->warning)
                if (warning.number > 0) throw std::runtime_error("the simulation is unstable");
            std::vector<double> q;
            for (const int at : order) q.push_back(data->qpos[at]);
            return q;
        });
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::printf("{\"outcome\": \"failed\"}\n");
        return 0;
    }
}
