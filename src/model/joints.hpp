// The table of joints: which steps a joint of each kind makes, and what it locks. A new joint is a
// new row in it.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "expr/spatial.hpp"
#include "model/bodies.hpp"

namespace lacon::inline model {

/// A row of the table.
struct JointKind {
    std::string_view word;         // "revolute"
    bool in_plane, in_space;       // for which bodies it is made
    std::size_t axes;              // most that may be given
    std::string_view suffixes[7];  // of its coordinates' names: "" is the joint's own; null ends
    struct Motion {
        JointStep::Kind kind;
        std::size_t axis;  // 0, 1: as given; 2, 3: across the first; `turn` in the plane is about z
    };
    std::vector<Motion> motions;
    /// What it locks, for constraints: translations along these axes, rotations about these (0:
    /// the first axis, 2 and 3 across it); and special rows.
    std::vector<std::size_t> locked_shifts, locked_turns;
    bool keeps_angle = false;  // universal: the angle between its axes
    bool advances = false;     // screw

    std::size_t coordinate_count() const;
};
const JointKind* find_joint_kind(std::string_view word, bool planar);
std::vector<std::string> joint_kind_names();
/// The directions in which a joint's force is found by what it locks; along a screw's axis too,
/// where the force goes with a torque.
std::vector<std::size_t> played_shifts(const JointKind& kind);
/// How many coordinates play in what it locks, where its force is asked for.
std::size_t play_count(const JointKind& kind);

/// Where a joint sits: places in the axes of either body, axes and attitude in those of the first.
struct JointPlace {
    Vector3 first, second;
    std::vector<Vector3> axes;         // unit vectors, as many as the kind has
    Matrix3 attitude;                  // of the second body where the coordinates are zero
    std::optional<Expr> planar_angle;  // of the attitude, in the plane
    Expr advance;                      // of a screw, per radian
};

/// A frame in the world.
struct Frame {
    Matrix3 R;  // its columns are the axes
    Vector3 p;
    std::optional<Expr> angle;  // about z, of a frame that only turned so
};

/// Four directions that belong to an axis u: u itself, the second axis if there is one (else u
/// again), and two unit vectors e2, e3 with u = e2 × e3. `known` gives the value of an expression
/// of parameters: e2 follows the axis of the frame that comes after the largest component of u.
std::array<Vector3, 4> joint_directions(Spatial& space, std::span<const Vector3> axes,
                                        const std::function<double(Expr)>& known);

/// The steps of a tree joint from its first body's frame to the second's, or the other way
/// (`reversed`), and their constants. `coordinates` are numbers in the model; `plays` too: of what
/// it locks, first played_shifts, then turns; or none.
struct JointSteps {
    std::vector<JointStep> steps;
    std::vector<Expr> constants;
};
JointSteps joint_steps(Spatial& space, const JointKind& kind, const JointPlace& place,
                       const std::array<Vector3, 4>& directions,
                       std::span<const std::size_t> coordinates, std::span<const std::size_t> plays,
                       bool reversed);

/// The frame behind the steps, and the angular velocity in the world on the way. `q` and `v` give
/// the symbols of a coordinate.
struct Motion {
    Frame frame;
    Vector3 omega;
};
Motion walk(Spatial& space, Motion from, std::span<const JointStep> steps,
            std::span<const Expr> constants, const std::function<Expr(std::size_t)>& q,
            const std::function<Expr(std::size_t)>& v);

/// The rotation matrix rounded where its entries are 0, 1 or −1 but for rounding.
Matrix3 settled(Graph& graph, const Matrix3& R);

}  // namespace lacon::model
