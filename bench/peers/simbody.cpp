// Simbody: pins, Runge–Kutta–Merson and CPodes. The loop of the four-bar is closed by two planes
// fixed to the rocker in which the coupler's end stays: as many equations as are needed, where
// `Ball` has one too many for a planar loop.

#include <Simbody.h>

#include <memory>
#include <stdexcept>

#include "peer.hpp"

namespace {

using namespace SimTK;
using peer::Task;

struct Pinned {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    std::vector<MobilizedBody::Pin> pins;
    State start;

    MobilizedBody::Pin pin(MobilizedBody& to, double at, const MassProperties& properties) {
        return pins.emplace_back(to, Transform(Vec3(at, 0, 0)), Body::Rigid(properties),
                                 Transform());
    }

    explicit Pinned(const Task& task) {
        Force::UniformGravity(forces, matter, Vec3(0, -peer::gravity, 0));
        if (task.is_chain) {
            MobilizedBody above = matter.Ground();
            for (std::size_t i = 0; i < task.masses.size(); ++i) {
                const Vec3 bead(task.lengths[i], 0, 0);
                above = pin(above, i > 0 ? task.lengths[i - 1] : 0.0,
                            {task.masses[i], bead, UnitInertia::pointMassAt(bead)});
            }
        } else {
            const auto bar = [&](double length) {
                const double square = length * length / 3;  // about its end
                return MassProperties(task.bars.density * length, Vec3(length / 2, 0, 0),
                                      UnitInertia(0, square, square));
            };
            auto crank = pin(matter.Ground(), 0, bar(task.bars.crank));
            auto coupler = pin(crank, task.bars.crank, bar(task.bars.coupler));
            auto rocker = pin(matter.Ground(), task.bars.ground, bar(task.bars.rocker));
            const Vec3 end(task.bars.coupler, 0, 0);
            Constraint::PointInPlane(rocker, UnitVec3(XAxis), task.bars.rocker, coupler, end);
            Constraint::PointInPlane(rocker, UnitVec3(YAxis), 0, coupler, end);
        }
        start = system.realizeTopology();
        system.realizeModel(start);
        peer::Angles angles = task.start();
        if (!task.is_chain)
            angles.q[1] -= angles.q[0], angles.v[1] -= angles.v[0];  // from angles to hinges
        for (std::size_t i = 0; i < pins.size(); ++i) {
            pins[i].setOneQ(start, 0, angles.q[i]);
            pins[i].setOneU(start, 0, angles.v[i]);
        }
    }
};

std::unique_ptr<Integrator> integrator_of(const Task& task, const MultibodySystem& system) {
    if (task.method == "Merson") return std::make_unique<RungeKuttaMersonIntegrator>(system);
    if (task.method == "CPodes-BDF") return std::make_unique<CPodesIntegrator>(system, CPodes::BDF);
    if (task.method == "CPodes-Adams")
        return std::make_unique<CPodesIntegrator>(system, CPodes::Adams);
    throw std::invalid_argument("Merson, CPodes-BDF or CPodes-Adams");
}

}  // namespace

int main(int argc, char** argv) {
    return peer::report(argc, argv, [](const Task& task) {
        const auto model = std::make_shared<Pinned>(task);
        return [model, &task] {
            const auto integrator = integrator_of(task, model->system);
            integrator->setAccuracy(task.value);
            integrator->setFinalTime(task.end);
            integrator->setInternalStepLimit(10'000'000);
            integrator->initialize(model->start);
            while (integrator->getState().getTime() < task.end) integrator->stepTo(task.end);
            peer::Angles hinges;
            for (const auto& pin : model->pins) {
                hinges.q.push_back(pin.getOneQ(integrator->getState(), 0));
                hinges.v.push_back(pin.getOneU(integrator->getState(), 0));
            }
            const auto end = peer::from_hinges(task, hinges);
            return peer::joints(task, end.q, end.v);
        };
    });
}
