// Simbody on the linkages of linkages.hpp: pins and sliders, closed by balls.
// usage: peer_loops_simbody METHOD ACCURACY END LINKAGE
#include <Simbody.h>

#include <memory>

#include "linkages.hpp"

namespace {

using namespace SimTK;
using linkages::Linkage;

Vec3 vec(const robots::Vector& v) {
    return {v[0], v[1], v[2]};
}

struct Machine {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    std::vector<MobilizedBody> bodies;

    explicit Machine(const Linkage& linkage) {
        Force::UniformGravity(forces, matter, vec(linkage.gravity));
        const auto body = [&](int number) -> MobilizedBody {
            if (number < 0) return matter.Ground();
            return bodies[static_cast<std::size_t>(number)];
        };
        for (const linkages::Body& b : linkage.bodies) {
            const Vec3 center = vec(b.center);
            const Inertia about_origin =
                Inertia(vec(b.moments)).shiftFromMassCenter(center, b.mass);
            const Body::Rigid rigid(MassProperties(b.mass, center, about_origin));
            // A slider moves along its x axis, a pin turns about its z axis.
            const CoordinateAxis own = b.slides ? CoordinateAxis(XAxis) : CoordinateAxis(ZAxis);
            const Rotation axis(UnitVec3(vec(b.axis)), own);
            MobilizedBody parent = body(b.parent);
            const Transform out(axis, vec(b.at)), in(axis, Vec3(0));
            if (b.slides) bodies.push_back(MobilizedBody::Slider(parent, out, rigid, in));
            else bodies.push_back(MobilizedBody::Pin(parent, out, rigid, in));
        }
        for (const linkages::Closure& c : linkage.closures) {
            MobilizedBody first = body(c.first), second = body(c.second);
            Constraint::Ball(first, vec(c.in_first), second, vec(c.in_second));
        }
    }
};

std::unique_ptr<Integrator> integrator_of(const std::string& method,
                                          const MultibodySystem& system) {
    if (method == "Merson") return std::make_unique<RungeKuttaMersonIntegrator>(system);
    if (method == "CPodes-BDF") return std::make_unique<CPodesIntegrator>(system, CPodes::BDF);
    if (method == "CPodes-Adams") return std::make_unique<CPodesIntegrator>(system, CPodes::Adams);
    throw std::invalid_argument("Merson, CPodes-BDF or CPodes-Adams");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    try {
        Machine machine(linkages::named(argv[4]));
        const State start = [&] {
            State state = machine.system.realizeTopology();
            machine.system.realizeModel(state);
            return state;
        }();
        const double accuracy = std::atof(argv[2]), end = std::atof(argv[3]);
        return linkages::report([&] {
            const auto integrator = integrator_of(argv[1], machine.system);
            integrator->setAccuracy(accuracy);
            integrator->setFinalTime(end);
            integrator->setInternalStepLimit(10'000'000);
            integrator->initialize(start);
            while (integrator->getState().getTime() < end) integrator->stepTo(end);
            std::vector<double> q;
            for (const MobilizedBody& body : machine.bodies)
                q.push_back(body.getOneQ(integrator->getState(), 0));
            return q;
        });
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::printf("{\"outcome\": \"failed\"}\n");
        return 0;
    }
}
