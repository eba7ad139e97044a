// The equations of a trial, linear in z at a point of the τ, ν and directions of loads that are not
// (see trial.hpp).
#include "solve/contact/friction/equations.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace lacon::solving::inline contact {

namespace {

constexpr double singular = 1e-14;  // reciprocal condition of the scaled equations

}  // namespace

Equations::Equations(const FrictionProblem& problem, Trial& trial, Balanced& balanced)
    : problem_(problem), trial_(trial), out_(balanced) {
    lay_out();
}

// The unknown that a friction's load is, −1 where that load is zero: its row is closed but idle.
Index Equations::load_unknown(std::size_t k) const {
    if (!problem_.is_one_sided(k)) return out_.own_load[k];
    const std::vector<Index>& members = out_.set.members();
    const auto place = std::find(members.begin(), members.end(), problem_.row(k));
    return place == members.end() ? -1 : static_cast<Index>(place - members.begin());
}

void Equations::lay_out() {
    const ContactSpace& space = problem_.space;
    Index count = out_.set.count();
    out_.own_load.assign(problem_.count(), -1);
    std::vector<std::size_t> slipping;
    for (std::size_t k = 0; k < problem_.count(); ++k) {
        if (trial_.friction_states[k] != FrictionState::slips || !trial_.touches(problem_, k))
            continue;
        slipping.push_back(k);
        if (!problem_.is_one_sided(k)) {
            out_.own_load[k] = count++;
            linear_ = linear_ && problem_.constant[k].size() == 1;
        }
        if (!problem_.is_free(k) || load_unknown(k) < 0) continue;
        const Index dimension = space.dimension(k);
        free_.push_back(
            {k, count, count + dimension, load_unknown(k), VectorX::Zero(dimension), 0.0});
        count += dimension + 1;
        linear_ = false;
    }
    out_.E = MatrixX::Zero(space.count(), count);
    for (Index j = 0; j < out_.set.count(); ++j) out_.E(out_.set.members()[j], j) = 1.0;
    for (const std::size_t k : slipping) {
        const Index load = load_unknown(k);
        if (load < 0 || problem_.is_free(k) || trial_.direction[k].size() == 0) continue;
        const double per_unknown = problem_.friction(k).kinetic *
                                   (problem_.is_one_sided(k) ? problem_.friction(k).scale : 1.0);
        out_.E.col(load).segment(space.first[k], space.dimension(k)) -=
            per_unknown * trial_.direction[k];
    }
    out_.slip_row.assign(static_cast<std::size_t>(count), -1);
    for (Free& each : free_) {
        const Index dimension = space.dimension(each.k);
        out_.E.block(space.first[each.k], each.tau, dimension, dimension).setIdentity();
        for (Index i = 0; i < dimension; ++i) out_.slip_row[each.tau + i] = space.first[each.k] + i;
        if (!(trial_.resistance[each.k] > 0.0))
            trial_.resistance[each.k] = problem_.slip_columns(each.k).squaredNorm();
    }
    z_ = VectorX::Zero(count);
}

void Equations::assemble(bool hold, MatrixX& J, VectorX& right) const {
    const ContactSpace& space = problem_.space;
    const Index w = out_.set.count(), count = z_.size();
    const MatrixX effect = space.P * out_.E;
    J = MatrixX::Zero(count, count);
    right = VectorX::Zero(count);
    VectorX goals(w);
    for (Index j = 0; j < w; ++j) goals(j) = space.g(out_.set.members()[j]);
    J.topRows(w) = out_.set.onto(effect);
    right.head(w) = out_.set.reach(goals);
    for (std::size_t k = 0; k < problem_.count(); ++k) {
        const Index own = out_.own_load[k];
        if (own < 0) continue;
        J.row(own) = -trial_.pressing[k].transpose() * problem_.slope[k] * out_.E;
        J(own, own) += 1.0;
        right(own) = trial_.pressing[k].dot(problem_.constant[k]);
    }
    for (const Free& each : free_) {
        const Index dimension = space.dimension(each.k);
        const double nu = trial_.resistance[each.k];
        J.middleRows(each.tau, dimension) = problem_.slip_columns(each.k).transpose() * effect;
        J.block(each.tau, each.tau, dimension, dimension).diagonal().array() += nu;
        right.segment(each.tau, dimension) = space.g.segment(space.first[each.k], dimension);
        if (hold) {
            J(each.nu, each.nu) = 1.0;
            right(each.nu) = nu;
            continue;
        }
        J.block(each.tau, each.nu, dimension, 1) = each.at;
        right.segment(each.tau, dimension) += nu * each.at;
        const double scale = problem_.is_one_sided(each.k) ? problem_.friction(each.k).scale : 1.0;
        J(each.nu, each.load) = problem_.friction(each.k).kinetic * scale;
        J.block(each.nu, each.tau, 1, dimension) = -each.at.normalized().transpose();
    }
}

bool solve_scaled(MatrixX J, const VectorX& right, VectorX& z) {
    if (J.size() == 0) return true;
    const MatrixX plain = J;
    VectorX rows = J.cwiseAbs().rowwise().maxCoeff();
    if (!(rows.minCoeff() > 0.0) || !J.allFinite()) return false;
    J = rows.cwiseInverse().asDiagonal() * J;
    const VectorX columns = J.cwiseAbs().colwise().maxCoeff();
    if (!(columns.minCoeff() > 0.0)) return false;
    J = J * columns.cwiseInverse().asDiagonal();
    const Eigen::PartialPivLU<MatrixX> lu(J);
    if (!(lu.rcond() > singular)) return false;
    z = lu.solve(right.cwiseQuotient(rows)).cwiseQuotient(columns);
    const VectorX rest = right - plain * z;
    z += lu.solve(rest.cwiseQuotient(rows)).cwiseQuotient(columns);
    return z.allFinite();
}

bool Equations::step(bool hold) {
    VectorX right, z;
    assemble(hold, out_.equations, right);
    z = VectorX::Zero(z_.size());
    if (!solve_scaled(out_.equations, right, z)) return false;
    take(z);
    return true;
}

void Equations::take(const VectorX& z) {
    const VectorX before = out_.f;
    z_ = z;
    out_.f = out_.E * z;
    out_.y = problem_.space.P * out_.f;
    const double size = out_.f.cwiseAbs().maxCoeff();
    change_ = before.size() == 0 ? 1.0
              : size > 0.0       ? (out_.f - before).cwiseAbs().maxCoeff() / size
                                 : 0.0;
    for (Free& each : free_) {
        each.at = z.segment(each.tau, each.at.size());
        const double nu = z(each.nu), inertia = problem_.slip_columns(each.k).squaredNorm();
        change_ =
            std::max(change_, std::abs(nu - trial_.resistance[each.k]) / (std::abs(nu) + inertia));
        trial_.resistance[each.k] = nu;
        if (each.at.norm() > 0.0) trial_.direction[each.k] = -each.at.normalized();
    }
    for (std::size_t k = 0; k < problem_.count(); ++k) {
        if (problem_.is_one_sided(k) || problem_.constant[k].size() == 1) continue;
        const VectorX load = problem_.load_vector(k, out_.f);
        if (load.norm() > 0.0) trial_.pressing[k] = load.normalized();
    }
}

bool Equations::meets_limits() const {
    // As the tolerance of forces (lacon/contact.hpp).
    constexpr double tol = 1e-10;
    for (const Free& each : free_) {
        const double limit = problem_.friction(each.k).kinetic * problem_.load(each.k, out_.f);
        if (!(trial_.resistance[each.k] > 0.0) ||
            std::abs(each.at.norm() - limit) > tol * out_.f.cwiseAbs().maxCoeff())
            return false;
    }
    return true;
}

void Equations::return_to_creeping() {
    for (const Free& each : free_) trial_.resistance[each.k] = each.crept;
}

double Equations::creep() {
    // A resistance changes by this factor at once at most; it finds its size in a few rounds from
    // any start. Not critical.
    constexpr double most = 1e3;
    // For loads that are negative on the way.
    const double floor = 1e-6 * out_.f.cwiseAbs().maxCoeff();
    double largest = 0.0;
    for (Free& each : free_) {
        const double limit =
            std::max(problem_.friction(each.k).kinetic * problem_.load(each.k, out_.f), floor);
        const double factor = std::clamp(each.at.norm() / limit, 1.0 / most, most);
        each.crept = trial_.resistance[each.k] *= factor;
        largest = std::max(largest, std::abs(std::log(factor)));
    }
    return largest;
}

}  // namespace lacon::solving::contact
