// Simbody on the machines of robots.hpp.
#include <Simbody.h>

#include "robots.hpp"

namespace {

using namespace SimTK;
using robots::Robot;

Vec3 vec(const robots::Vector& v) {
    return {v[0], v[1], v[2]};
}

/// A frame at a place whose z axis is that of a hinge.
Transform frame(const robots::Vector& axis, const robots::Vector& at) {
    return {Rotation(UnitVec3(vec(axis)), ZAxis), vec(at)};
}

struct Machine {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    std::vector<MobilizedBody> hinges;

    explicit Machine(const Robot& robot) {
        Force::UniformGravity(forces, matter, Vec3(0, 0, -9.81));
        std::vector<MobilizedBody> made;
        for (const robots::Body& body : robot.bodies) {
            const Vec3 center = vec(body.center);
            const Inertia about_origin =
                Inertia(vec(body.moments)).shiftFromMassCenter(center, body.mass);
            const Body::Rigid rigid(MassProperties(body.mass, center, about_origin));
            MobilizedBody parent = matter.Ground();
            if (body.parent >= 0) parent = made[static_cast<std::size_t>(body.parent)];
            if (body.axis == robots::Vector{}) {
                made.push_back(MobilizedBody::Free(parent, rigid));
                continue;
            }
            made.push_back(
                MobilizedBody::Pin(parent, frame(body.axis, body.at), rigid, frame(body.axis, {})));
            hinges.push_back(made.back());
        }
    }
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const Robot robot = robots::named(argv[1]);
    Machine machine(robot);
    State state = machine.system.realizeTopology();
    machine.system.realizeModel(state);
    for (std::size_t i = 0; i < machine.hinges.size(); ++i) {
        machine.hinges[i].setOneQ(state, 0, Robot::angle(i));
        machine.hinges[i].setOneU(state, 0, Robot::rate(i));
    }
    // A change of q makes everything to be computed anew.
    const auto renew = [&] { state.updQ()[0] = state.getQ()[0]; };
    robots::Result result;
    result.forward = robots::best_ns([&] {
        renew();
        machine.system.realize(state, Stage::Acceleration);
    });
    for (const MobilizedBody& hinge : machine.hinges)
        result.a.push_back(hinge.getOneUDot(state, 0));
    const Vector a = state.getUDot();
    result.inverse = robots::best_ns([&] {
        renew();
        machine.system.realize(state, Stage::Velocity);
        Vector needed;
        machine.matter.calcResidualForceIgnoringConstraints(state, Vector(), Vector_<SpatialVec>(),
                                                            a, needed);
    });
    result.mass = robots::best_ns([&] {
        renew();
        machine.system.realize(state, Stage::Position);
        Matrix M;
        machine.matter.calcM(state, M);
    });
    result.print();
}
