// DART on the machines of robots.hpp. It is compiled as its package was: with the instruction set
// of this machine its vectors would be laid out otherwise.
#include <dart/dynamics/dynamics.hpp>

#include "robots.hpp"

namespace {

using namespace dart::dynamics;
using robots::Robot;

Eigen::Vector3d eigen(const robots::Vector& v) {
    return {v[0], v[1], v[2]};
}

SkeletonPtr skeleton_of(const Robot& robot) {
    SkeletonPtr skeleton = Skeleton::create();
    skeleton->setGravity({0.0, 0.0, -9.81});
    std::vector<BodyNode*> nodes;
    for (const robots::Body& body : robot.bodies) {
        BodyNode* parent = body.parent < 0 ? nullptr : nodes[static_cast<std::size_t>(body.parent)];
        BodyNode::Properties properties;
        properties.mName = "b" + std::to_string(nodes.size());
        const auto& I = body.moments;
        properties.mInertia.setMass(body.mass);
        properties.mInertia.setLocalCOM(eigen(body.center));
        properties.mInertia.setMoment(I[0], I[1], I[2], 0.0, 0.0, 0.0);
        if (body.axis == robots::Vector{}) {
            nodes.push_back(skeleton
                                ->createJointAndBodyNodePair<FreeJoint>(
                                    parent, FreeJoint::Properties(), properties)
                                .second);
            continue;
        }
        RevoluteJoint::Properties joint;
        joint.mName = "j" + std::to_string(nodes.size());
        joint.mAxis = eigen(body.axis);
        joint.mT_ParentBodyToJoint.translation() = eigen(body.at);
        nodes.push_back(
            skeleton->createJointAndBodyNodePair<RevoluteJoint>(parent, joint, properties).second);
    }
    return skeleton;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const Robot robot = robots::named(argv[1]);
    const SkeletonPtr skeleton = skeleton_of(robot);
    const auto n = static_cast<Eigen::Index>(skeleton->getNumDofs()),
               hinges = static_cast<Eigen::Index>(robot.hinges());
    Eigen::VectorXd q = Eigen::VectorXd::Zero(n), v = q;
    for (Eigen::Index i = 0; i < hinges; ++i) {
        q[n - hinges + i] = Robot::angle(static_cast<std::size_t>(i));
        v[n - hinges + i] = Robot::rate(static_cast<std::size_t>(i));
    }
    // Only other numbers than before are computed with anew: two states in turn.
    const Eigen::VectorXd beside_q = q.array() + 1e-9, beside_v = v.array() + 1e-9;
    bool beside = false;
    const auto set = [&] {
        beside = !beside;
        skeleton->setPositions(beside ? beside_q : q);
        skeleton->setVelocities(beside ? beside_v : v);
    };
    robots::Result result;
    result.forward = robots::best_ns([&] {
        set();
        skeleton->computeForwardDynamics();
    });
    beside = true;
    set();
    skeleton->computeForwardDynamics();
    const Eigen::VectorXd a = skeleton->getAccelerations();
    result.a.assign(a.data() + n - hinges, a.data() + n);
    result.inverse = robots::best_ns([&] {
        set();
        skeleton->setAccelerations(a);
        skeleton->computeInverseDynamics();
    });
    result.mass = robots::best_ns([&] {
        set();
        if (skeleton->getMassMatrix()(0, 0) < 0.0) std::abort();
    });
    result.print();
}
