// A robot as its file describes it, in one form for all formats: links in a tree, the joints
// between them, and what couples, drives and starts them. SI units and radians throughout.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "robot/element.hpp"
#include "robot/geometry.hpp"
#include "shape/shape.hpp"

namespace lacon::inline robot {

inline constexpr std::size_t no_link = static_cast<std::size_t>(-1);  // the ground
inline constexpr std::size_t no_joint = no_link;

struct Bounds {
    double low = 0, high = 0;
};

/// Mass, centre of mass in the link's frame, inertia about it in the link's axes.
struct Inertia {
    double mass = 0;
    Vector center{};
    Tensor tensor;
};
Inertia operator+(const Inertia& a, const Inertia& b);

struct Shape {
    using Kind = shape::Kind;
    Kind kind = Kind::sphere;
    Vector size{};     // radius; full sizes; radius, length; radius, length; half axes
    Pose pose;         // in the link's frame; capsules and cylinders along its z, centred
    std::string file;  // of a mesh: as the model names it
    Vector scale{1, 1, 1};
    bool collides = true;  // else it is only drawn
    FilePlace place;
};

struct Link {
    std::string name;
    FilePlace place;
    std::size_t parent = no_link;          // before it in the list
    Pose pose;                             // of its frame in the parent's, as drawn
    std::optional<Vector> roll_pitch_yaw;  // of the pose, where the file gives it so
    std::vector<std::size_t> joints;       // from the parent to this link, in order; none: a weld
    std::string weld;                      // the name of that weld, where it has one
    Inertia inertia;
    double gravity_compensation = 0;  // the part of its weight that is held up
    std::vector<Shape> shapes;
};

/// a x + b x |x| … as MJCF has them: of a spring a x + b x² + c x³ = -force, of a damper
/// a v + b v|v| + c v³.
struct Polynomial3 {
    double a = 0, b = 0, c = 0;
    bool is_zero() const { return a == 0 && b == 0 && c == 0; }
    bool is_linear() const { return b == 0 && c == 0; }
};

struct Joint {
    enum class Kind { hinge, slide, ball, free, planar };
    std::string name;
    FilePlace place;
    Kind kind = Kind::hinge;
    Vector position{};     // of a hinge or ball, in the link's frame
    Vector axis{0, 0, 1};  // of length 1, in the link's axes; of planar: the normal
    double reference = 0;  // value in the drawn pose
    std::optional<Bounds> range;
    Polynomial3 damping, stiffness;
    double rest = 0;  // of the spring, as a value of the joint
    double armature = 0;
    double friction = 0;  // bound, force or torque
    std::string remark;   // said in the model's text

    bool is_single() const { return kind == Kind::hinge || kind == Kind::slide; }
};

/// coefficients[0] + Σ coefficients[i] x^i of joints or tendons: y - y0 = Σ aᵢ (x - x0)ⁱ.
struct Coupling {
    std::string name;
    FilePlace place;
    std::size_t follower = no_joint, leader = no_joint;  // no_joint as leader: y - y0 = a₀
    double follower_zero = 0, leader_zero = 0;
    std::vector<double> coefficients;
    bool of_tendons = false;
    bool is_mimic = false;  // of URDF: a₀ + a₁ x
};

/// A point of A on a point of B; a weld holds also the attitude.
struct Closure {
    std::string name;
    FilePlace place;
    std::size_t first = no_link, second = no_link;
    Pose in_first;       // of the second's frame where both are welded; else its place counts
    Vector in_second{};  // of a connect
    bool weld = false;
};

/// length = Σ factor q.
struct Tendon {
    struct Part {
        std::size_t joint = no_joint;
        double factor = 0;
    };
    std::string name;
    FilePlace place;
    std::vector<Part> parts;
    std::optional<Bounds> range;
    Polynomial3 damping, stiffness;
    Bounds rest;  // no spring force between these lengths
    double armature = 0;
    double friction = 0;
    bool needs_name = false;  // something refers to it
};

/// force along gear·x of a joint or tendon: gain(l, v) u + bias(l, v), where l = gear·x.
struct Drive {
    enum class On { joint, tendon, site };
    std::string name;
    FilePlace place;
    On on = On::joint;
    std::size_t target = no_joint;  // joint, tendon or link
    Pose site;
    std::vector<double> gear{1, 0, 0, 0, 0, 0};
    Vector gain{1, 0, 0}, bias{};  // constant, times length, times velocity
    std::optional<Bounds> control, force;
    std::string kind;  // as the file calls it
};

/// A start state; a value for each coordinate of each joint: hinge, slide 1; ball 4 (w x y z);
/// free 7.
struct Keyframe {
    std::string name;
    FilePlace place;
    std::vector<std::vector<double>> q,
        v;                         // by joints; v: of ball 3 and free 6, angular in own axes
    std::vector<double> controls;  // by drives
};

struct Robot {
    std::string name, format;  // "URDF", "MJCF"
    std::string path;
    Vector gravity{0, 0, -9.81};
    bool gravity_is_given = false;
    std::vector<Link> links;    // parents first
    std::vector<Shape> ground;  // shapes of the world
    std::vector<Joint> joints;
    std::vector<Coupling> couplings;
    std::vector<Closure> closures;
    std::vector<Tendon> tendons;
    std::vector<Drive> drives;
    std::vector<Keyframe> keyframes;
    std::vector<std::string> remarks;  // what the file has and the model leaves out, in sentences

    /// The link that a joint moves.
    std::size_t link_of(std::size_t joint) const;
};

/// The pose of a link in the world as drawn.
Pose drawn_pose(const Robot& robot, std::size_t link);

/// What cannot be a rigid body is warned of: moments that break the triangle inequality.
void check_inertias(const Robot& robot, Report& report);

}  // namespace lacon::robot
