// Twists and wrenches are (angular, linear) at the origin of the world: a rigid motion is the same
// six numbers for every point. M = Σ Jᵀ I J, the bias Σ Jᵀ (I A + V ×* I V) with q'' = 0.
#include "robot/oracle.hpp"

#include <cmath>

namespace lacon::oracle {

namespace {

using Six = Eigen::Matrix<Real, 6, 1>;
using SixBySix = Eigen::Matrix<Real, 6, 6>;

Three three(const Vector& v) {
    return {v[0], v[1], v[2]};
}

ThreeByThree hat(const Three& v) {
    ThreeByThree m;
    m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
    return m;
}

ThreeByThree rotation(Real w, Real x, Real y, Real z) {
    const Real n = std::sqrt(w * w + x * x + y * y + z * z);
    const Three u{x / n, y / n, z / n};
    w /= n;
    const ThreeByThree h = hat(u);
    return ThreeByThree::Identity() + 2 * w * h + 2 * h * h;
}

ThreeByThree rotation(const Three& axis, Real angle) {
    const ThreeByThree h = hat(axis.normalized());
    return ThreeByThree::Identity() + std::sin(angle) * h + (1 - std::cos(angle)) * h * h;
}

/// The frame of a link, and how it moves.
struct Frame {
    ThreeByThree R = ThreeByThree::Identity();
    Three p = Three::Zero();
    Matrix J;                // 6 × n
    Six V = Six::Zero();     // = J v
    Six bias = Six::Zero();  // J' v
};

Six twist_cross(const Six& V, const Six& S) {
    Six result;
    const Three w = V.head<3>(), v = V.tail<3>(), sw = S.head<3>(), sv = S.tail<3>();
    result << w.cross(sw), w.cross(sv) + v.cross(sw);
    return result;
}

class Walk {
public:
    Walk(const Robot& robot, const State& state)
        : robot_(robot), state_(state), starts_(velocity_starts(robot)) {
        n_ = static_cast<long>(starts_.back());
        v_ = Column::Zero(n_);
        for (std::size_t i = 0; i < robot.joints.size(); ++i)
            for (std::size_t k = 0; k < state.v[i].size(); ++k)
                v_(static_cast<long>(starts_[i] + k)) = state.v[i][k];
        for (const Link& link : robot.links) frames_.push_back(frame_of(link));
    }

    Frame ground() const {
        Frame frame;
        frame.J = Matrix::Zero(6, n_);
        return frame;
    }
    const Frame& frame(std::size_t link) const { return link == no_link ? ground_ : frames_[link]; }
    Real q(std::size_t joint) const { return state_.q[joint][0]; }
    Real v(std::size_t joint) const { return v_(at(joint)); }
    long at(std::size_t joint) const { return static_cast<long>(starts_[joint]); }
    long n() const { return n_; }
    const Column& v() const { return v_; }

private:
    Frame frame_of(const Link& link) {
        ground_ = ground();
        Frame frame = this->frame(link.parent);
        const bool absolute = !link.joints.empty() && link.parent == no_link &&
                              robot_.joints[link.joints.front()].kind == robot::Joint::Kind::free;
        if (!absolute) {
            frame.p += frame.R * three(link.pose.place);
            const Turn& t = link.pose.turn;
            frame.R = frame.R * rotation(t.w, t.x, t.y, t.z);
        }
        for (const std::size_t joint : link.joints) pass(joint, frame);
        return frame;
    }

    /// Joins one column: a twist that is fixed in the frame before it.
    void join(Frame& frame, long column, const Three& angular, const Three& linear) const {
        Six S;
        S << angular, linear;
        const Six before = frame.V;
        frame.J.col(column) = S;
        frame.V += S * v_(column);
        frame.bias += twist_cross(before, S) * v_(column);
    }

    void pass(std::size_t number, Frame& frame) {
        const robot::Joint& joint = robot_.joints[number];
        const std::vector<double>& q = state_.q[number];
        const Three anchor = frame.p + frame.R * three(joint.position);
        const Three axis = frame.R * three(joint.axis);
        switch (joint.kind) {
            case robot::Joint::Kind::hinge: {
                join(frame, at(number), axis, anchor.cross(axis));
                const Real angle = static_cast<Real>(q[0]) - joint.reference;
                frame.R = frame.R * rotation(three(joint.axis), angle);
                frame.p = anchor - frame.R * three(joint.position);
                break;
            }
            case robot::Joint::Kind::slide:
                join(frame, at(number), Three::Zero(), axis);
                frame.p += axis * (static_cast<Real>(q[0]) - joint.reference);
                break;
            case robot::Joint::Kind::ball: {
                frame.R = frame.R * rotation(q[0], q[1], q[2], q[3]);
                frame.p = anchor - frame.R * three(joint.position);
                // All three twists act at once: the bias of their sum by the motion before.
                const Six before = frame.V;
                Six sum = Six::Zero();
                for (long k = 0; k < 3; ++k) {
                    const Three a = frame.R.col(k);
                    Six S;
                    S << a, anchor.cross(a);
                    frame.J.col(at(number) + k) = S;
                    sum += S * v_(at(number) + k);
                }
                frame.bias += twist_cross(before, sum);
                frame.V += sum;
                break;
            }
            default: {
                const Three o{q[0], q[1], q[2]};
                frame.p = frame.p + frame.R * o;
                frame.R = frame.R * rotation(q[3], q[4], q[5], q[6]);
                for (long k = 0; k < 3; ++k) {
                    const Three e = Three::Unit(k);
                    frame.J.col(at(number) + k) << Three::Zero(), e;
                    frame.J.col(at(number) + 3 + k) << e, frame.p.cross(e);
                }
                const auto linear = v_.segment(at(number), 3),
                           angular = v_.segment(at(number) + 3, 3);
                frame.V += frame.J.middleCols(at(number), 6) * v_.segment(at(number), 6);
                frame.bias.tail<3>() += Three(linear).cross(Three(angular));
            }
        }
    }

    const Robot& robot_;
    const State& state_;
    std::vector<std::size_t> starts_;
    long n_ = 0;
    Column v_;
    Frame ground_;
    std::vector<Frame> frames_;
};

/// Rows J a = b, with the residuals of place and velocity.
struct Rows {
    Matrix J;
    Column b, residual;
    void add(const Matrix& rows, const Column& right, const Column& place) {
        const long m = J.rows();
        J.conservativeResize(m + rows.rows(), rows.cols());
        J.bottomRows(rows.rows()) = rows;
        b.conservativeResize(m + rows.rows());
        b.tail(rows.rows()) = right;
        residual.conservativeResize(m + rows.rows());
        residual.tail(rows.rows()) = place;
    }
};

Rows rows_of(const Robot& robot, const Walk& walk) {
    Rows rows;
    rows.J.resize(0, walk.n());
    const auto value = [&](std::size_t number, bool tendon, Real& q, Real& v, Matrix& J) {
        J = Matrix::Zero(1, walk.n());
        q = v = 0;
        if (number == no_joint) return;
        std::vector<Tendon::Part> parts{{number, 1.0}};
        if (tendon) parts = robot.tendons[number].parts;
        for (const auto& part : parts) {
            q += part.factor * walk.q(part.joint);
            v += part.factor * walk.v(part.joint);
            J(0, walk.at(part.joint)) += part.factor;
        }
    };
    for (const Coupling& c : robot.couplings) {
        Real y, vy, x, vx;
        Matrix Jy, Jx;
        value(c.follower, c.of_tendons, y, vy, Jy);
        value(c.leader, c.of_tendons, x, vx, Jx);
        const Real d = x - c.leader_zero;
        Real sum = 0, slope = 0, curve = 0;
        for (std::size_t k = c.coefficients.size(); k-- > 0;) {
            curve = curve * d + 2 * slope;
            slope = slope * d + sum;
            sum = sum * d + c.coefficients[k];
        }
        rows.add(Jy - slope * Jx, Column::Constant(1, curve * vx * vx),
                 Column::Constant(1, y - c.follower_zero - sum));
    }
    for (const Closure& c : robot.closures) {
        const Frame &a = walk.frame(c.first), &b = walk.frame(c.second);
        const Three pa = a.p + a.R * three(c.in_first.place);
        const Three pb = b.p + b.R * three(c.in_second);
        const auto point = [](const Frame& f, const Three& p, Matrix& J, Column& bias) {
            J = f.J.bottomRows(3) - hat(p) * f.J.topRows(3);
            const Three w = f.V.head<3>(), v = f.V.tail<3>() + w.cross(p);
            // The acceleration of a point: what the twist's own rate gives, and ω × its velocity.
            bias = f.bias.tail<3>() + Three(f.bias.head<3>()).cross(p) + w.cross(v);
        };
        Matrix Ja, Jb;
        Column ba, bb;
        point(a, pa, Ja, ba);
        point(b, pb, Jb, bb);
        rows.add(Ja - Jb, bb - ba, pa - pb);
        if (!c.weld) continue;
        const Turn& t = c.in_first.turn;
        const ThreeByThree error = (a.R * rotation(t.w, t.x, t.y, t.z)).transpose() * b.R;
        rows.add(a.J.topRows(3) - b.J.topRows(3), b.bias.head<3>() - a.bias.head<3>(),
                 Three(error(2, 1), error(0, 2), error(1, 0)));
    }
    return rows;
}

void springs(const Robot& robot, const Walk& walk, const State& state, Motion& motion) {
    for (std::size_t i = 0; i < robot.joints.size(); ++i) {
        const robot::Joint& joint = robot.joints[i];
        const long at = walk.at(i), count = static_cast<long>(state.v[i].size());
        motion.passive.segment(at, count) -= joint.damping.a * walk.v().segment(at, count);
        for (long k = 0; k < count; ++k) motion.M(at + k, at + k) += joint.armature;
        if (joint.is_single()) {
            const Real x = walk.q(i) - joint.rest;
            motion.passive(at) -= joint.stiffness.a * x;
            motion.spring_energy += joint.stiffness.a * x * x / 2;
        } else if (joint.kind == robot::Joint::Kind::ball) {
            const auto& q = state.q[i];
            const Three u{q[1], q[2], q[3]};
            const Real s = u.norm(), half = std::atan2(s, std::abs(static_cast<Real>(q[0])));
            if (s == 0) continue;
            const Real angle = q[0] < 0 ? -2 * half : 2 * half;
            motion.passive.segment(at, 3) -= joint.stiffness.a * angle / s * u;
            motion.spring_energy += joint.stiffness.a * angle * angle / 2;
        }
    }
    for (const Tendon& tendon : robot.tendons) {
        Real length = 0, rate = 0;
        for (const auto& part : tendon.parts) {
            length += part.factor * walk.q(part.joint);
            rate += part.factor * walk.v(part.joint);
        }
        const Real x = length > tendon.rest.high  ? length - tendon.rest.high
                       : length < tendon.rest.low ? length - tendon.rest.low
                                                  : 0;
        for (const auto& part : tendon.parts)
            motion.passive(walk.at(part.joint)) -=
                part.factor * (tendon.stiffness.a * x + tendon.damping.a * rate);
        motion.spring_energy += tendon.stiffness.a * x * x / 2;
    }
}

}  // namespace

std::vector<std::size_t> velocity_starts(const Robot& robot) {
    std::vector<std::size_t> starts{0};
    for (const robot::Joint& joint : robot.joints)
        starts.push_back(starts.back() + (joint.kind == robot::Joint::Kind::free   ? 6u
                                          : joint.kind == robot::Joint::Kind::ball ? 3u
                                                                                   : 1u));
    return starts;
}

Motion motion_of(const Robot& robot, const State& state) {
    const Walk walk(robot, state);
    Motion motion;
    motion.M = Matrix::Zero(walk.n(), walk.n());
    motion.bias = motion.passive = Column::Zero(walk.n());
    const Three g = three(robot.gravity);
    for (std::size_t i = 0; i < robot.links.size(); ++i) {
        const Frame& f = walk.frame(i);
        const Inertia& inertia = robot.links[i].inertia;
        const Three c = f.p + f.R * three(inertia.center);
        const Tensor& t = inertia.tensor;
        ThreeByThree I;
        I << t.xx, t.xy, t.xz, t.xy, t.yy, t.yz, t.xz, t.yz, t.zz;
        I = (f.R * I * f.R.transpose()).eval();
        const Real m = inertia.mass;
        SixBySix S;
        S << I - m * hat(c) * hat(c), m * hat(c), -m * hat(c), m * ThreeByThree::Identity();
        motion.M += f.J.transpose() * S * f.J;
        Six A = f.bias;
        A.tail<3>() -= g;
        const Six P = S * f.V;
        Six wrench = S * A;
        const Three w = f.V.head<3>(), v = f.V.tail<3>(), l = P.head<3>(), p = P.tail<3>();
        wrench.head<3>() += w.cross(l) + v.cross(p);
        wrench.tail<3>() += w.cross(p);
        motion.bias += f.J.transpose() * wrench;
        motion.kinetic += f.V.dot(P) / 2;
        motion.gravity_energy -= m * g.dot(c);
        motion.mass += m;
        motion.origins.push_back(f.p);
        motion.centers.push_back(m > 0 ? c : f.p);
    }
    springs(robot, walk, state, motion);
    const Eigen::LLT<Matrix> factor(motion.M);
    motion.free_acceleration = factor.solve(motion.passive - motion.bias);
    motion.acceleration = motion.free_acceleration;
    const Rows rows = rows_of(robot, walk);
    motion.rows = rows.J.rows();
    if (motion.rows == 0) return motion;
    motion.position_residual = rows.residual.cwiseAbs().maxCoeff();
    motion.velocity_residual = (rows.J * walk.v()).cwiseAbs().maxCoeff();
    const Matrix B = factor.matrixL().solve(rows.J.transpose()).transpose();
    Eigen::CompleteOrthogonalDecomposition<Matrix> pseudo;
    pseudo.setThreshold(1e-9L);  // dependent rows come from files in double
    pseudo.compute(B);
    const Column z = pseudo.solve(rows.b - rows.J * motion.free_acceleration);
    motion.acceleration += factor.matrixU().solve(z);
    return motion;
}

}  // namespace lacon::oracle
