// The table of joints, and how its rows become steps between frames. Constant axes and attitudes
// that are numbers are arranged so that axes of motion fall on axes of frames, where that is exact
// to rounding: then most products vanish.
#include "model/joints.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline model {

namespace {

using StepKind = JointStep::Kind;

const std::vector<JointKind>& joint_kinds() {
    static const std::vector<JointKind> kinds = {
        {"revolute", false, true, 1, {""}, {{StepKind::turn, 0}}, {0, 2, 3}, {2, 3}},
        {"continuous", false, true, 1, {""}, {{StepKind::turn, 0}}, {0, 2, 3}, {2, 3}},
        {"prismatic", false, true, 1, {""}, {{StepKind::slide, 0}}, {2, 3}, {0, 2, 3}},
        {"screw", false, true, 1, {""}, {{StepKind::screw, 0}}, {2, 3}, {2, 3}, false, true},
        {"cylindrical",
         false,
         true,
         1,
         {"_slide", "_angle"},
         {{StepKind::slide, 0}, {StepKind::turn, 0}},
         {2, 3},
         {2, 3}},
        {"universal",
         false,
         true,
         2,
         {"_1", "_2"},
         {{StepKind::turn, 0}, {StepKind::turn, 1}},
         {0, 2, 3},
         {},
         true},
        {"planar",
         false,
         true,
         1,
         {"_x", "_y", "_angle"},
         {{StepKind::slide, 2}, {StepKind::slide, 3}, {StepKind::turn, 0}},
         {0},
         {2, 3}},
        {"spherical",
         false,
         true,
         0,
         {"_w", "_x", "_y", "_z"},
         {{StepKind::quaternion, 0}},
         {0, 2, 3},
         {}},
        {"free",
         false,
         true,
         0,
         {"_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz"},
         {{StepKind::move, 0}, {StepKind::quaternion, 0}},
         {},
         {}},
        {"weld", false, true, 0, {}, {}, {0, 2, 3}, {0, 2, 3}},
        {"pin", true, false, 0, {""}, {{StepKind::turn, 0}}, {2, 3}, {}},
        {"revolute", true, false, 0, {""}, {{StepKind::turn, 0}}, {2, 3}, {}},
        {"slider", true, false, 1, {""}, {{StepKind::slide, 0}}, {3}, {0}},
        {"prismatic", true, false, 1, {""}, {{StepKind::slide, 0}}, {3}, {0}},
        {"weld", true, false, 0, {}, {}, {2, 3}, {0}},
        {"free",
         true,
         false,
         0,
         {"_x", "_y", "_angle"},
         {{StepKind::slide, 2}, {StepKind::slide, 3}, {StepKind::turn, 0}},
         {},
         {}},
    };
    return kinds;
}

/// The axis of the frame, 0 to 2, that the vector lies along, either way; −1 for others.
int aligned(const Graph& g, const Vector3& u) {
    int found = -1;
    for (int i = 0; i < 3; ++i) {
        if (g.is_zero(u[static_cast<std::size_t>(i)])) continue;
        if (found >= 0 || !g.is_constant(u[static_cast<std::size_t>(i)])) return -1;
        found = i;
    }
    return found;
}

bool is_known(const Graph& g, const Vector3& u) {
    return std::all_of(u.begin(), u.end(), [&](Expr e) { return g.is_constant(e); });
}

bool is_known(const Graph& g, const Matrix3& R) {
    return std::all_of(R.begin(), R.end(), [&](const Vector3& row) { return is_known(g, row); });
}

Expr settled(Graph& g, Expr e) {
    // Of entries of rotation matrices, which are sums of few products of numbers up to 1.
    constexpr double rounding = 8 * 0x1p-53;
    if (!g.is_constant(e)) return e;
    for (const double whole : {-1.0, 0.0, 1.0})
        if (std::abs(g.value(e) - whole) <= rounding) return g.constant(whole);
    return e;
}

/// Collects steps with their constants, leaving out those that do nothing.
class Steps {
public:
    explicit Steps(Spatial& space) : space_(space) {}

    void shift(const Vector3& by) {
        if (!space_.is_zero(by)) put({StepKind::shift, false, {}}, by);
    }
    void rotate(const Matrix3& R) {
        if (R == space_.identity()) return;
        put({StepKind::rotate, false, {}}, {});
        for (const Vector3& row : R)
            made.constants.insert(made.constants.end(), row.begin(), row.end());
    }
    void tilt(Expr angle) {
        if (space_.graph().is_zero(angle)) return;
        const Expr one[] = {angle};
        put({StepKind::tilt, false, {}}, one);
    }
    void put(JointStep step, std::span<const Expr> constants) {
        made.steps.push_back(std::move(step));
        made.constants.insert(made.constants.end(), constants.begin(), constants.end());
    }

    JointSteps made;

private:
    Spatial& space_;
};

}  // namespace

std::size_t constant_count(StepKind kind) {
    switch (kind) {
        case StepKind::rotate: return 9;
        case StepKind::tilt: return 1;
        case StepKind::screw: return 4;
        case StepKind::move:
        case StepKind::quaternion: return 0;
        default: return 3;
    }
}

std::size_t coordinate_count(StepKind kind) {
    switch (kind) {
        case StepKind::shift:
        case StepKind::rotate:
        case StepKind::tilt: return 0;
        case StepKind::move: return 3;
        case StepKind::quaternion: return 4;
        default: return 1;
    }
}

std::size_t JointKind::coordinate_count() const {
    std::size_t count = 0;
    for (const Motion& motion : motions) count += model::coordinate_count(motion.kind);
    return count;
}

std::vector<std::size_t> played_shifts(const JointKind& kind) {
    std::vector<std::size_t> axes = kind.locked_shifts;
    if (kind.advances) axes.insert(axes.begin(), 0);
    return axes;
}

std::size_t play_count(const JointKind& kind) {
    return played_shifts(kind).size() + kind.locked_turns.size() + (kind.keeps_angle ? 1 : 0);
}

const JointKind* find_joint_kind(std::string_view word, bool planar) {
    for (const JointKind& kind : joint_kinds())
        if (kind.word == word && (planar ? kind.in_plane : kind.in_space)) return &kind;
    return nullptr;
}

std::vector<std::string> joint_kind_names() {
    std::vector<std::string> names;
    for (const JointKind& kind : joint_kinds())
        if (std::find(names.begin(), names.end(), kind.word) == names.end())
            names.emplace_back(kind.word);
    return names;
}

Matrix3 settled(Graph& graph, const Matrix3& R) {
    Matrix3 result = R;
    for (Vector3& row : result)
        for (Expr& entry : row) entry = settled(graph, entry);
    return result;
}

std::array<Vector3, 4> joint_directions(Spatial& space, std::span<const Vector3> axes,
                                        const std::function<double(Expr)>& known) {
    Graph& g = space.graph();
    const Vector3 z = {g.zero(), g.zero(), g.one()};
    const Vector3 u = axes.empty() ? z : axes[0];
    std::size_t largest = 0;
    for (std::size_t i = 1; i < 3; ++i)
        if (std::abs(known(u[i])) > std::abs(known(u[largest])) + 1e-12) largest = i;
    Vector3 next = space.zero();
    next[(largest + 1) % 3] = g.one();
    const Vector3 across = space.sub(next, space.scale(space.dot(next, u), u));
    const Expr length = g.apply(Op::sqrt, space.dot(across, across));
    const Vector3 e2 = space.scale(g.div(g.one(), length), across);
    return {u, axes.size() > 1 ? axes[1] : u, e2, space.cross(u, e2)};
}

JointSteps joint_steps(Spatial& space, const JointKind& kind, const JointPlace& place,
                       const std::array<Vector3, 4>& directions,
                       std::span<const std::size_t> coordinates, std::span<const std::size_t> plays,
                       bool reversed) {
    Graph& g = space.graph();
    // Axes of motion are given in the frame C, as far as that is a matter of numbers.
    Matrix3 C = space.identity();
    const auto along_C = [&](const Vector3& u) { return space.transposed_mul(C, u); };
    if (!kind.in_plane && !kind.motions.empty() && kind.axes > 0 && is_known(g, directions[0]) &&
        aligned(g, directions[0]) < 0) {
        if (is_known(g, place.attitude)) C = place.attitude;
        Vector3 u = along_C(directions[0]);
        for (Expr& e : u) e = settled(g, e);
        if (aligned(g, u) < 0) C = space.transpose({directions[2], directions[3], directions[0]});
    }
    const Matrix3 rest = settled(g, space.mul(Matrix3(space.transpose(C)), place.attitude));

    // Along the way from the first body to the second, in the axes of C. Plays come before what
    // turns, so that their multipliers are forces and torques in the axes of the first body.
    struct Elementary {
        StepKind kind;
        Vector3 axis;
        std::span<const std::size_t> coordinates;
    };
    std::vector<Elementary> forward;
    const auto direction = [&](std::size_t axis) {
        Vector3 u = along_C(directions[axis]);
        for (Expr& e : u) e = settled(g, e);
        return u;
    };
    const Vector3 z = {g.zero(), g.zero(), g.one()};
    const auto play = [&](StepKind step, const Vector3& axis) {
        if (plays.empty()) return;
        forward.push_back({step, axis, plays.first(1)});
        plays = plays.subspan(1);
    };
    for (const std::size_t axis : played_shifts(kind)) play(StepKind::slide, direction(axis));
    bool turned = false;
    const auto play_turns = [&] {
        turned = true;
        for (const std::size_t axis : kind.locked_turns)
            play(StepKind::turn, kind.in_plane ? z : direction(axis));
    };
    for (const auto& motion : kind.motions) {
        const bool turns = motion.kind != StepKind::slide && motion.kind != StepKind::move;
        if (turns && !turned) play_turns();
        const std::size_t count = coordinate_count(motion.kind);
        const bool about_z = kind.in_plane && motion.kind == StepKind::turn;
        forward.push_back(
            {motion.kind, about_z ? z : direction(motion.axis), coordinates.first(count)});
        coordinates = coordinates.subspan(count);
        if (!kind.keeps_angle || plays.empty()) continue;
        const Vector3 across = space.cross(direction(0), direction(1));
        const Expr length = g.apply(Op::sqrt, space.dot(across, across));
        play(StepKind::turn, space.scale(g.div(g.one(), length), across));
    }
    if (!turned) play_turns();

    Steps steps(space);
    const auto put = [&](const Elementary& one) {
        std::vector<std::size_t> own(one.coordinates.begin(), one.coordinates.end());
        if (one.kind == StepKind::move || one.kind == StepKind::quaternion)
            return steps.put({one.kind, reversed, std::move(own)}, {});
        const Vector3 u = reversed ? space.neg(one.axis) : one.axis;
        std::vector<Expr> constants(u.begin(), u.end());
        if (one.kind == StepKind::screw) constants.push_back(place.advance);
        steps.put({one.kind, false, std::move(own)}, constants);
    };
    if (reversed) {
        steps.shift(place.second);
        if (place.planar_angle) steps.tilt(g.neg(*place.planar_angle));
        else steps.rotate(space.transpose(rest));
        for (auto one = forward.rbegin(); one != forward.rend(); ++one) put(*one);
        steps.rotate(space.transpose(C));
        steps.shift(space.neg(place.first));
    } else {
        steps.shift(place.first);
        steps.rotate(C);
        for (const Elementary& one : forward) put(one);
        if (place.planar_angle) steps.tilt(*place.planar_angle);
        else steps.rotate(rest);
        steps.shift(space.neg(place.second));
    }
    return std::move(steps.made);
}

Motion walk(Spatial& space, Motion from, std::span<const JointStep> steps,
            std::span<const Expr> constants, const std::function<Expr(std::size_t)>& q,
            const std::function<Expr(std::size_t)>& v) {
    Graph& g = space.graph();
    Motion at = std::move(from);
    Frame& frame = at.frame;
    const Vector3 z = {g.zero(), g.zero(), g.one()};
    const auto turn = [&](const Vector3& axis, Expr angle) {
        const bool about_z = g.is_zero(axis[0]) && g.is_zero(axis[1]) && g.is_constant(axis[2]);
        if (frame.angle && about_z) {
            frame.angle = g.add(*frame.angle, g.mul(axis[2], angle));
            frame.R = space.rotation(z, *frame.angle);
            return;
        }
        frame.angle = std::nullopt;
        frame.R = space.mul(frame.R, space.rotation(axis, angle));
    };
    for (const JointStep& step : steps) {
        const auto own = constants.first(constant_count(step.kind));
        constants = constants.subspan(own.size());
        const auto move = [&](const Vector3& by) {
            frame.p = space.add(frame.p, space.mul(frame.R, by));
        };
        const auto spin = [&](const Vector3& u) {
            at.omega = space.add(at.omega, space.mul(frame.R, u));
        };
        const double sign = step.inverse ? -1.0 : 1.0;
        switch (step.kind) {
            case StepKind::shift: move(space.vector(own)); break;
            case StepKind::rotate:
                frame.angle = std::nullopt;
                frame.R = space.mul(frame.R, {space.vector(own), space.vector(own.subspan(3)),
                                              space.vector(own.subspan(6))});
                break;
            case StepKind::tilt: turn(z, own[0]); break;
            case StepKind::turn:
                spin(space.scale(v(step.coordinates[0]), space.vector(own)));
                turn(space.vector(own), q(step.coordinates[0]));
                break;
            case StepKind::slide:
                move(space.scale(q(step.coordinates[0]), space.vector(own)));
                break;
            case StepKind::screw:
                move(space.scale(g.mul(own[3], q(step.coordinates[0])), space.vector(own)));
                spin(space.scale(v(step.coordinates[0]), space.vector(own)));
                turn(space.vector(own), q(step.coordinates[0]));
                break;
            case StepKind::move:
                move({g.scale(sign, q(step.coordinates[0])), g.scale(sign, q(step.coordinates[1])),
                      g.scale(sign, q(step.coordinates[2]))});
                break;
            case StepKind::quaternion: {
                std::array<Expr, 4> p, rate;
                for (std::size_t i = 0; i < 4; ++i) {
                    p[i] = g.scale(i == 0 ? 1.0 : sign, q(step.coordinates[i]));
                    rate[i] = g.scale(i == 0 ? 1.0 : sign, v(step.coordinates[i]));
                }
                frame.angle = std::nullopt;
                frame.R = space.mul(frame.R, space.rotation(p));
                const auto E = space.quaternion_rates(p);
                for (std::size_t i = 0; i < 4; ++i) spin(space.scale(rate[i], E[i]));
                break;
            }
        }
    }
    return at;
}

}  // namespace lacon::model
