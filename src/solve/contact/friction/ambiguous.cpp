// Where rows depend on each other, forces can be shared out in other ways: f + F c, with a column
// of F for each dependent row, its force and the response to it. They change y by R c. The motion
// is not determined if some small c with R c ≠ 0 keeps to the law, that is, to those of its
// inequalities that are tight: T c ≥ 0. For an axis p of what R sees, the c of the cone T c ≥ 0
// that is nearest to p is zero if and only if no c of the cone has p·c > 0; and that is a problem
// of least distance.
#include "solve/contact/friction/ambiguous.hpp"

#include <Eigen/SVD>
#include <algorithm>

#include "solve/contact/friction/sticking.hpp"

namespace lacon::solving::inline contact {

namespace {

// Of what a force does by itself; of the largest push, for what is tight: another share of less
// than that has no effect that is worth a word.
constexpr double ambiguous_tol = 1e-8;

class OtherShares {
public:
    OtherShares(const FrictionProblem& problem, const Trial& trial, const Settled& motion)
        : problem_(problem),
          space_(problem.space),
          trial_(trial),
          motion_(motion),
          sharing_(problem, trial, motion.balanced) {
        find_directions();
    }

    bool move_otherwise();

private:
    void find_directions();
    void find_tight();
    void add_tight_cone(std::size_t k, double least);
    void add_tight_rates();
    void add(const Eigen::RowVectorXd& row);
    bool allow(const VectorX& axis) const;

    const FrictionProblem& problem_;
    const ContactSpace& space_;
    const Trial& trial_;  // every row that touches is closed: it could press
    const Settled& motion_;
    StickingShare sharing_;
    MatrixX F_;  // (h × c)
    MatrixX R_;  // (k × c)
    MatrixX T_;  // (c × tight): the transpose of T
};

void OtherShares::find_directions() {
    const Balanced& balanced = motion_.balanced;
    F_.resize(space_.count(), 0);
    R_.resize(space_.P.rows(), 0);
    for (Index j = 0; j < static_cast<Index>(sharing_.rows().size()); ++j) {
        const Index row = sharing_.rows()[j];
        if (balanced.set.has(row) || !balanced.set.parts(space_.P.col(row)).depends) continue;
        const VectorX force = sharing_.force_of(j);
        const double alone = space_.length.cwiseProduct(force.cwiseAbs()).sum();
        if (alone == 0.0) continue;
        const Response all = response(problem_, motion_.trial, balanced, force);
        F_.conservativeResize(Eigen::NoChange, F_.cols() + 1);
        R_.conservativeResize(Eigen::NoChange, R_.cols() + 1);
        F_.rightCols(1) = all.f / alone;
        R_.rightCols(1) = all.y / alone;
    }
}

void OtherShares::add(const Eigen::RowVectorXd& row) {
    const double size = row.norm();
    if (!(size > ambiguous_tol)) return;  // what no direction changes
    T_.conservativeResize(Eigen::NoChange, T_.cols() + 1);
    T_.rightCols(1) = row.transpose() / size;
}

// |τ| ≤ limit where it is tight; at the tip of a cone each component counts for itself.
void OtherShares::add_tight_cone(std::size_t k, double least) {
    const Index first = space_.first[k], count = space_.dimension(k);
    const double length = space_.length.segment(first, count).maxCoeff();
    const VectorX tau = motion_.judged.f.segment(first, count);
    const VectorX load = problem_.load_vector(k, motion_.judged.f);
    const double at_rest = problem_.friction(k).at_rest, limit = at_rest * load.norm();
    if ((limit - tau.norm()) * length > least) return;
    const VectorX pressing = problem_.is_one_sided(k) || load.norm() == 0.0
                                 ? VectorX(VectorX::Unit(load.size(), 0))
                                 : VectorX(load.normalized());
    const Eigen::RowVectorXd widens = at_rest * pressing.transpose() * problem_.slope[k] * F_;
    if (tau.norm() * length > least) {
        add(length * (widens - tau.normalized().transpose() * F_.middleRows(first, count)));
        return;
    }
    for (Index i = 0; i < count; ++i) {
        add(length * (widens - F_.row(first + i)));
        add(length * (widens + F_.row(first + i)));
    }
}

void OtherShares::add_tight_rates() {
    for (Index i = 0; i < space_.normals; ++i)
        if (problem_.normals.touches(motion_.balanced.y, i) && !motion_.balanced.set.has(i))
            add(space_.P.col(i).transpose() * R_);
    for (std::size_t k = 0; k < problem_.count(); ++k) {
        if (problem_.slides(k) || trial_.friction_states[k] != FrictionState::slips ||
            !trial_.touches(problem_, k))
            continue;
        const VectorX& y = motion_.balanced.y;
        const double rate = trial_.direction[k].dot(problem_.slip_rate(k, y));
        if (rate <= ambiguous_tol * problem_.rate_size(k, y))
            add(trial_.direction[k].transpose() * problem_.slip_columns(k).transpose() * R_);
    }
}

void OtherShares::find_tight() {
    const VectorX& f = motion_.judged.f;
    double largest = problem_.largest_push(f);
    // Where nothing pushes but rounding: what the rounding of the rates comes from.
    for (Index i = 0; i < space_.normals; ++i)
        if (space_.length(i) > 0.0) largest = std::max(largest, space_.size(i) / space_.length(i));
    const double least = ambiguous_tol * largest;
    T_.resize(F_.cols(), 0);
    for (const Index i : sharing_.rows())
        if (i < space_.normals && f(i) * space_.length(i) <= least)
            add(space_.length(i) * F_.row(i));
    for (const std::size_t k : sharing_.stuck()) add_tight_cone(k, least);
    add_tight_rates();
}

bool OtherShares::allow(const VectorX& axis) const {
    const VectorX goal = -T_.transpose() * axis, size = VectorX::Zero(T_.cols());
    const DistanceSolution nearest = least_distance({T_, goal, size});
    // 1e-6: beside an axis of length 1, far above the rounding of the solve. Not critical.
    return (axis + nearest.y).norm() > 1e-6;
}

bool OtherShares::move_otherwise() {
    if (R_.cols() == 0) return false;
    const Eigen::JacobiSVD<MatrixX> svd(R_, Eigen::ComputeThinV);
    if (svd.singularValues()(0) <= ambiguous_tol) return false;
    find_tight();
    for (Index i = 0; i < svd.singularValues().size(); ++i) {
        if (svd.singularValues()(i) <= ambiguous_tol) break;
        const VectorX axis = svd.matrixV().col(i);
        if (allow(axis) || allow(-axis)) return true;
    }
    return false;
}

}  // namespace

std::vector<std::size_t> ambiguous(const FrictionProblem& problem, const Settled& motion) {
    // A row that only touches counts as well: it could press.
    Trial touching = motion.trial;
    for (Index i = 0; i < problem.space.normals; ++i) {
        if (problem.normals.touches(motion.balanced.y, i))
            touching.closed[static_cast<std::size_t>(i)] = true;
    }
    std::vector<std::size_t> slipping, concerned;
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (touching.friction_states[k] != FrictionState::slips || !touching.touches(problem, k) ||
            problem.friction(k).kinetic == 0.0 || problem.is_fixed(k))
            continue;
        const VectorX effect = problem.slip_columns(k) * touching.direction[k];
        if (effect.norm() > 0.0) slipping.push_back(k);
        if (effect.norm() > 0.0 && !problem.load_unique[k]) concerned.push_back(k);
    }
    if (slipping.empty() || !concerned.empty()) return concerned;
    return OtherShares(problem, touching, motion).move_otherwise() ? slipping : concerned;
}

}  // namespace lacon::solving::contact
