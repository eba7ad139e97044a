// Conditions of the least point: Eᵀ (E x − f) = Gᵀ μ along N, μ ≥ 0, and μ_i = 0 where G_i x > g_i.
// The working rows of G N are independent as each one taken on stops a step along which the others
// do not change.
#include "solve/dense/matrix/bounded_least_squares.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

namespace lacon::solving::inline dense {

namespace {

constexpr double least_gain = 1e-13;  // of |E x| + |f|: a step that changes E x by less is none
// Of |E| (|E x| + |f|): a force of a bound of unit length within this is rounding.
constexpr double force_tol = 1e-12;
constexpr double constant_row = 1e-9;  // a row of G N of this length does not change along N
// Of |G_i N| |step|: a bound that is neared by less is not neared.
constexpr double crossing_tol = 1e-13;
constexpr int patience = 10;  // passes without a way made before the order decides

class ActiveSet {
public:
    explicit ActiveSet(const BoundedLeastSquares& problem)
        : problem_(problem),
          E_(problem.E * problem.N),
          G_(problem.G * problem.N),
          x_(problem.start),
          norm_(problem.E.norm()) {}

    BoundedSolution run();

private:
    const BoundedLeastSquares& problem_;
    MatrixX E_, G_;  // along N
    VectorX x_;
    double norm_;
    std::vector<Index> working_;
    MatrixX Q_;  // its first columns span the working rows
    MatrixX R_;  // their triangle
    int idle_passes_ = 0;

    double size() const { return (problem_.E * x_).norm() + problem_.f.norm(); }
    void factor_working();
    VectorX step() const;
    bool advance(const VectorX& t);
    VectorX forces() const;
    bool release(const VectorX& mu);
};

void ActiveSet::factor_working() {
    const Index n = G_.cols(), w = static_cast<Index>(working_.size());
    Q_ = MatrixX::Identity(n, n);
    R_ = MatrixX(0, 0);
    if (w == 0) return;
    const Eigen::HouseholderQR<MatrixX> qr(MatrixX(G_(working_, Eigen::all).transpose()));
    Q_ = qr.householderQ() * MatrixX::Identity(n, n);
    R_ = qr.matrixQR().topRows(w).triangularView<Eigen::Upper>();
}

VectorX ActiveSet::step() const {
    const Index w = static_cast<Index>(working_.size()), n = G_.cols();
    const MatrixX Z = Q_.rightCols(n - w);
    const MatrixX along = E_ * Z;
    const double largest = along.norm();
    if (Z.cols() == 0 || along.rows() == 0 || largest <= problem_.rank_tol * norm_)
        return VectorX::Zero(n);
    Eigen::CompleteOrthogonalDecomposition<MatrixX> cod;
    cod.setThreshold(problem_.rank_tol * norm_ / largest);
    cod.compute(along);
    return Z * cod.solve(problem_.f - problem_.E * x_);
}

// Goes along t (over N) until a bound stops it. Returns whether the end was reached.
bool ActiveSet::advance(const VectorX& t) {
    double reach = 1.0;
    Index stop = -1;
    const VectorX nearing = G_ * t;
    const double length = t.norm();
    for (Index i = 0; i < nearing.size(); ++i) {
        const double row = G_.row(i).norm();
        if (row <= constant_row || nearing(i) >= -crossing_tol * row * length) continue;
        if (std::find(working_.begin(), working_.end(), i) != working_.end()) continue;
        const double way = std::max(0.0, (problem_.g(i) - problem_.G.row(i).dot(x_)) / nearing(i));
        if (way < reach) {
            reach = way;
            stop = i;
        }
    }
    x_ += reach * (problem_.N * t);
    idle_passes_ = reach > 0.0 ? 0 : idle_passes_ + 1;
    if (stop >= 0) working_.push_back(stop);
    return stop < 0;
}

VectorX ActiveSet::forces() const {
    const Index w = static_cast<Index>(working_.size());
    if (w == 0) return VectorX(0);
    const VectorX gradient = E_.transpose() * (problem_.E * x_ - problem_.f);
    return R_.triangularView<Eigen::Upper>().solve(Q_.leftCols(w).transpose() * gradient);
}

// Leaves the bound that pulls most, or the first of those that pull; returns whether there was one.
bool ActiveSet::release(const VectorX& mu) {
    const double tol = force_tol * norm_ * size();
    Index worst = -1;
    for (Index i = 0; i < mu.size(); ++i) {
        if (mu(i) >= -tol) continue;
        const bool first = idle_passes_ > patience;
        const auto row = [&](Index at) { return working_[static_cast<std::size_t>(at)]; };
        if (worst < 0 || (first ? row(i) < row(worst) : mu(i) < mu(worst))) worst = i;
    }
    if (worst < 0) return false;
    working_.erase(working_.begin() + worst);
    return true;
}

BoundedSolution ActiveSet::run() {
    BoundedSolution solution;
    const Index passes = 50 * (problem_.N.cols() + G_.rows()) + 100;
    for (Index pass = 0; pass < passes; ++pass) {
        factor_working();
        const VectorX t = step();
        const bool moves = (E_ * t).norm() > least_gain * size();
        if (moves && !advance(t)) continue;
        const VectorX mu = forces();
        if (release(mu)) {
            if (!moves) ++idle_passes_;
            continue;
        }
        solution.converged = true;
        solution.push.assign(static_cast<std::size_t>(G_.rows()), false);
        for (Index i = 0; i < mu.size(); ++i) {
            const std::size_t row = static_cast<std::size_t>(working_[static_cast<std::size_t>(i)]);
            solution.push[row] = mu(i) > force_tol * norm_ * size();
        }
        break;
    }
    solution.x = x_;
    return solution;
}

}  // namespace

BoundedSolution least_squares_within(const BoundedLeastSquares& problem) {
    return ActiveSet(problem).run();
}

}  // namespace lacon::solving::dense
