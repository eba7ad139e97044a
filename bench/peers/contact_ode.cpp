// Three motions with contact by the Open Dynamics Engine, for bench/contact_peers.py. One line of
// JSON says how it went.
//
//     peer_contact_ode STEP END EVERY MODE block HALF_WIDTH HALF_HEIGHT MASS MU TILT
//     peer_contact_ode STEP END EVERY MODE belt STIFFNESS MASS DAMPING MU SPEED X
//     peer_contact_ode STEP END EVERY MODE pile RADIUS MASS MU WIDTH X Y [X Y...]
//
// EVERY is the time between rows. MODE is one of
//
//     default     dWorldStep, whose solver is direct, with the engine's own settings
//     careful     bodies that overlap part at g STEP at most. By default they part at up to a fifth
//                 of the speed of their impact, however short the step is
//     iterated    the same with dWorldQuickStep. dWorldStep takes the bound of friction from the
//                 forces that there would be without friction, dWorldQuickStep from those there are
//
// Contacts lie and rub in the plane, so nothing leaves it.

#include <ode/ode.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

static_assert(sizeof(dReal) == sizeof(double));

namespace {

constexpr double gravity = 9.81;
long complaints = 0;  // of the engine's solver

struct Task {
    double step, end, every;
    std::string mode, motion;
    std::vector<double> numbers;
};

/// A contact of the last step; the force on `first`, along a direction.
struct Contact {
    dContact law;
    dBodyID first, second;
    dJointFeedback feedback;
    double along(const double* d) const { return feedback.f1[0] * d[0] + feedback.f1[1] * d[1]; }
    double pressing() const { return along(law.geom.normal); }
    double rubbing() const { return along(law.fdir1); }
};

class World {
public:
    World(const Task& task, double mu) : step_(task.step), mu_(mu) {
        dWorldSetGravity(world_, 0, -gravity, 0);
        if (task.mode == "default") return;
        dWorldSetContactMaxCorrectingVel(world_, gravity * step_);
        if (task.mode != "iterated") return;
        take_step_ = dWorldQuickStep;
        dWorldSetQuickStepNumIterations(world_, 100);
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() {
        dJointGroupDestroy(joints_);
        dSpaceDestroy(space_);
        dWorldDestroy(world_);
    }

    dBodyID body(double x, double y, double mass, double inertia) {
        dMass m;
        dMassSetParameters(&m, mass, 0, 0, 0, inertia, inertia, inertia, 0, 0, 0);
        const dBodyID made = dBodyCreate(world_);
        dBodySetMass(made, &m);
        dBodySetPosition(made, x, y, 0);
        bodies_.push_back(made);
        return made;
    }
    void wall(double nx, double ny, double offset) { dCreatePlane(space_, nx, ny, 0, offset); }
    dSpaceID space() const { return space_; }

    /// A contact for the next step. `speed`: of the surface under `first`.
    void touch(dContactGeom geometry, dBodyID first, dBodyID second, double speed) {
        if (first == nullptr) {
            std::swap(first, second);
            for (double& part : geometry.normal) part = -part;
        }
        Contact made{{}, first, second, {}};
        made.law.surface.mode = dContactMu2 | dContactFDir1 | dContactApprox1 | dContactMotion1;
        made.law.surface.mu = mu_;
        made.law.surface.motion1 = speed;
        made.law.geom = geometry;
        made.law.geom.pos[2] = 0.0;
        made.law.fdir1[0] = geometry.normal[1];
        made.law.fdir1[1] = -geometry.normal[0];
        contacts_.push_back(made);
        worst_depth_ = std::max(worst_depth_, geometry.depth);
    }

    /// The contacts of all shapes.
    void collide() {
        dSpaceCollide(space_, this, [](void* self, dGeomID one, dGeomID other) {
            dContactGeom found[8];
            const int count = dCollide(one, other, 8, found, sizeof(dContactGeom));
            const dBodyID first = dGeomGetBody(one), second = dGeomGetBody(other);
            for (int i = 0; i < count; ++i)
                if (found[i].pos[2] >= 0.0)  // a box has each corner twice
                    static_cast<World*>(self)->touch(found[i], first, second, 0.0);
        });
    }

    /// Sets the contacts by `meet()`, and takes a step.
    template <class Meet>
    void advance(const Meet& meet) {
        contacts_.clear();
        meet();
        for (Contact& contact : contacts_) {
            const dJointID joint = dJointCreateContact(world_, joints_, &contact.law);
            dJointAttach(joint, contact.first, contact.second);
            dJointSetFeedback(joint, &contact.feedback);
        }
        take_step_(world_, step_);
        dJointGroupEmpty(joints_);
    }

    const std::vector<Contact>& contacts() const { return contacts_; }
    double worst_depth() const { return worst_depth_; }

    /// Kinetic and potential energy.
    std::pair<double, double> energies() const {
        double kinetic = 0.0, potential = 0.0;
        for (const dBodyID body : bodies_) {
            dMass m;
            dBodyGetMass(body, &m);
            const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
            kinetic += m.mass * (v[0] * v[0] + v[1] * v[1]) / 2 + m.I[10] * w[2] * w[2] / 2;
            potential += m.mass * gravity * dBodyGetPosition(body)[1];
        }
        return {kinetic, potential};
    }

private:
    dWorldID world_ = dWorldCreate();
    dSpaceID space_ = dSimpleSpaceCreate(nullptr);
    dJointGroupID joints_ = dJointGroupCreate(0);
    int (*take_step_)(dWorldID, dReal) = dWorldStep;
    double step_, mu_, worst_depth_ = 0.0;
    std::vector<dBodyID> bodies_;
    std::vector<Contact> contacts_;
};

/// Takes all steps: `step(t)`, with the time at its end, and `row()` every now and then.
template <class Step, class Row>
void run(const Task& task, const Step& step, const Row& row) {
    const long steps = std::lround(task.end / task.step);
    const long stride = std::max(1L, std::lround(task.every / task.step));
    std::printf("{\"rows\": [");
    for (long i = 1; i <= steps; ++i) {
        const double t = static_cast<double>(i) * task.step;
        step(t);
        if (i % stride != 0) continue;
        std::printf("%s[%.17g", i > stride ? ", " : "", t);
        for (const double value : row()) std::printf(", %.17g", value);
        std::printf("]");
    }
    std::printf("]");
}

void print_pairs(const char* name, const std::vector<std::pair<double, double>>& pairs) {
    std::printf(", \"%s\": [", name);
    for (const auto& pair : pairs) {
        std::printf("%s[%.17g, ", &pair != pairs.data() ? ", " : "", pair.first);
        std::printf(std::isnan(pair.second) ? "null]" : "%.17g]", pair.second);
    }
    std::printf("]");
}

/// Rows of the angle; each passage through upright, with the energy where the block turns after it.
void block(const Task& task) {
    const double b = task.numbers[0], h = task.numbers[1], mass = task.numbers[2];
    const double tilt = task.numbers[4], sin = std::sin(tilt), cos = std::cos(tilt);
    World world(task, task.numbers[3]);
    world.wall(0, 1, 0);
    const double inertia = mass * (b * b + h * h) / 3;
    const dBodyID body = world.body(b * cos - h * sin, b * sin + h * cos, mass, inertia);
    dMatrix3 turned;
    dRFromAxisAndAngle(turned, 0, 0, 1, tilt);
    dBodySetRotation(body, turned);
    dGeomSetBody(dCreateBox(world.space(), 2 * b, 2 * h, 1.0), body);
    std::vector<std::pair<double, double>> impacts;
    double angle = tilt, rate = 0.0;
    const auto step = [&](double t) {
        world.advance([&] { world.collide(); });
        const dReal* R = dBodyGetRotation(body);
        const double next = std::atan2(R[4], R[0]), next_rate = dBodyGetAngularVel(body)[2];
        const auto [kinetic, potential] = world.energies();
        if (angle * next < 0.0) impacts.emplace_back(t - task.step * next / (next - angle), NAN);
        if (rate * next_rate < 0.0 && !impacts.empty()) impacts.back().second = kinetic + potential;
        angle = next, rate = next_rate;
    };
    run(task, step, [&] { return std::vector{angle}; });
    print_pairs("impacts", impacts);
    std::printf(", \"depth\": %.9g}\n", world.worst_depth());
}

/// Rows of x and x'; when friction came to one end of its cone (1, -1) or between them (0). The
/// block is a point: the contact is at its centre and turns nothing.
void belt(const Task& task) {
    const double stiffness = task.numbers[0], mass = task.numbers[1], damping = task.numbers[2];
    const double mu = task.numbers[3], speed = task.numbers[4];
    World world(task, mu);
    const dBodyID body = world.body(task.numbers[5], 0, mass, mass);
    const dReal *q = dBodyGetPosition(body), *v = dBodyGetLinearVel(body);
    std::vector<std::pair<double, double>> grips;
    const auto meet = [&] {
        dBodyAddForce(body, -stiffness * q[0] - damping * v[0], 0, 0);
        if (q[1] > 0.0) return;
        dContactGeom place{{q[0], q[1], 0}, {0, 1, 0}, -q[1], nullptr, nullptr, 0, 0};
        world.touch(place, body, nullptr, speed);
    };
    const auto step = [&](double t) {
        world.advance(meet);
        if (world.contacts().empty()) return;
        const Contact& contact = world.contacts()[0];
        const double part = contact.rubbing() / (mu * contact.pressing());
        const double grip = std::abs(part) < 1 - 1e-9 ? 0.0 : std::copysign(1.0, part);
        if (grips.empty() || grips.back().second != grip) grips.emplace_back(t - task.step, grip);
    };
    run(task, step, [&] { return std::vector{q[0], v[0]}; });
    print_pairs("grips", grips);
    std::printf(", \"depth\": %.9g}\n", world.worst_depth());
}

/// The length of what all contacts and its weight do to a disk.
double force_on(dBodyID disk, const World& world, double weight) {
    double x = 0.0, y = -weight;
    for (const Contact& contact : world.contacts()) {
        const double sign = contact.first == disk ? 1.0 : contact.second == disk ? -1.0 : 0.0;
        x += sign * contact.feedback.f1[0];
        y += sign * contact.feedback.f1[1];
    }
    return std::hypot(x, y);
}

/// Rows of all x and y, kinetic and potential energy. At the end, by the weight of a disk:
/// `unbalanced`, the largest force that is left on one; `outside`, the largest |T| - mu N.
void pile(const Task& task) {
    const double radius = task.numbers[0], mass = task.numbers[1], mu = task.numbers[2];
    World world(task, mu);
    world.wall(0, 1, 0);
    world.wall(1, 0, 0);
    world.wall(-1, 0, -task.numbers[3]);
    std::vector<dBodyID> disks;
    const double inertia = mass * radius * radius / 2, weight = mass * gravity;
    for (std::size_t i = 4; i + 1 < task.numbers.size(); i += 2) {
        disks.push_back(world.body(task.numbers[i], task.numbers[i + 1], mass, inertia));
        dGeomSetBody(dCreateSphere(world.space(), radius), disks.back());
    }
    const auto step = [&](double) { world.advance([&] { world.collide(); }); };
    const auto row = [&] {
        std::vector<double> values;
        for (const dBodyID disk : disks) {
            const dReal* q = dBodyGetPosition(disk);
            values.insert(values.end(), {q[0], q[1]});
        }
        const auto [kinetic, potential] = world.energies();
        values.insert(values.end(), {kinetic, potential});
        return values;
    };
    run(task, step, row);
    double unbalanced = 0.0, outside = 0.0;
    for (const Contact& contact : world.contacts())
        outside = std::max(outside, std::abs(contact.rubbing()) - mu * contact.pressing());
    for (const dBodyID disk : disks) {
        unbalanced = std::max(unbalanced, force_on(disk, world, weight));
    }
    std::printf(", \"unbalanced\": %.9g, \"outside\": %.9g", unbalanced / weight, outside / weight);
    std::printf(", \"complaints\": %ld", complaints);
    std::printf(", \"depth\": %.9g}\n", world.worst_depth());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 11) {
        std::fprintf(stderr, "usage: %s STEP END EVERY MODE MOTION NUMBER...\n", argv[0]);
        return 2;
    }
    Task task{std::atof(argv[1]), std::atof(argv[2]), std::atof(argv[3]), argv[4], argv[5], {}};
    for (int i = 6; i < argc; ++i) task.numbers.push_back(std::atof(argv[i]));
    dInitODE2(0);
    dSetMessageHandler([](int, const char*, va_list) { ++complaints; });
    (task.motion == "block" ? block : task.motion == "belt" ? belt : pile)(task);
    dCloseODE();
    return 0;
}
