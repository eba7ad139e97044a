// Complete orthogonal decomposition of the row-scaled B of theory 2 (B = A L⁻ᵀ, theory 2.7), and
// with it B⁺ of P1 5, P3 5, P5 33. Bᵀ rather than B is decomposed, because its column pivots are
// then rows of A: Bᵀ P = Q R, R cut to its first r rows, and those turned by a second QR into Rᵀ =
// W Tᵀ. So B⁺ = U T⁻ᵀ Vᵀ with U = Q₁, V = P W₁, and P W₂ spans the left null space.
#include "solve/dense/rank/row_space.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/dense/rank/dependent_rows.hpp"

namespace lacon::solving::inline dense {

namespace {

using Path = SolveOptions::Path;

// Pivots of the decomposition follow singular values within about this factor; one that lies nearer
// to the threshold than that on either side (a gap below 1e3 around it) leaves the rank in doubt.
const double doubt = std::sqrt(1e3);

void finish(RowSpace& space, const MatrixX& N, double tol) {
    space.unneeded = unneeded_rows(N);
    std::sort(space.singular.begin(), space.singular.end(), std::greater<>());
    const double largest = space.singular.empty() ? 0.0 : space.singular.front();
    if (largest > 0.0) {
        for (double& value : space.singular) value /= largest;
    }
    space.gap = gap_of(space.singular, space.rank, tol);
}

// Returns false, and leaves the work, where the pivots leave the rank in doubt and `decide` is not
// set.
bool decompose_orthogonally(RowSpace& space, const MatrixX& Bt, double tol, bool decide) {
    const Index n = Bt.rows(), m = Bt.cols(), k = std::min(n, m);
    Eigen::ColPivHouseholderQR<MatrixX> qr(Bt);
    const MatrixX R = qr.matrixQR().topRows(k).triangularView<Eigen::Upper>();
    const VectorX pivots = R.diagonal().cwiseAbs();
    const double threshold =
        tol *
        R.row(0).norm();  // the first row of R is the better estimate of the largest singular value
    const auto in_doubt = [&](double pivot) {
        return pivot > threshold / doubt && pivot < threshold * doubt;
    };
    Index r = 0;
    while (r < k && pivots(r) > threshold) ++r;
    if (!decide && std::any_of(pivots.begin(), pivots.end(), in_doubt)) return false;

    Eigen::HouseholderQR<MatrixX> second(R.topRows(r).transpose());
    const MatrixX T =
        MatrixX(second.matrixQR().topRows(r).triangularView<Eigen::Upper>()).transpose();
    // The diagonal of T follows the singular values more closely than that of R (Stewart's QLP) and
    // may see a doubt that R hides.
    if (!decide && r > 0 && T.diagonal().cwiseAbs().minCoeff() < threshold * doubt) return false;
    const MatrixX W =
        qr.colsPermutation() * MatrixX(second.householderQ() * MatrixX::Identity(m, m));
    space.rank = space.uncut_rank = r;
    space.U = qr.householderQ() * MatrixX::Identity(n, r);
    space.T = T;
    space.V = W.leftCols(r);
    space.path = Path::cod;
    for (Index i = 0; i < k; ++i) space.singular.push_back(i < r ? std::abs(T(i, i)) : pivots(i));
    finish(space, W.rightCols(m - r), tol);
    return true;
}

template <class Decomposition>
void take_singular_values(RowSpace& space, const Decomposition& svd, double tol, std::size_t most) {
    const VectorX& values = svd.singularValues();
    Index r = 0;
    while (r < values.size() && values(r) > tol * values(0)) ++r;
    space.uncut_rank = r;
    if (static_cast<std::size_t>(r) > most) r = static_cast<Index>(most);
    space.rank = r;
    space.U = svd.matrixU().leftCols(r);
    space.T = values.head(r).asDiagonal();
    space.V = svd.matrixV().leftCols(r);
    space.path = Path::svd;
    space.singular.assign(values.begin(), values.end());
    finish(space, svd.matrixV().rightCols(svd.matrixV().cols() - r), tol);
}

void decompose_by_singular_values(RowSpace& space, const MatrixX& Bt, double tol,
                                  std::size_t most) {
    constexpr Index jacobi_limit = 100;  // above it divide and conquer is faster and good enough
    constexpr unsigned vectors = Eigen::ComputeThinU | Eigen::ComputeFullV;
    if (std::min(Bt.rows(), Bt.cols()) <= jacobi_limit) {
        take_singular_values(space, Eigen::JacobiSVD<MatrixX>(Bt, vectors), tol, most);
    } else {
        take_singular_values(space, Eigen::BDCSVD<MatrixX>(Bt, vectors), tol, most);
    }
}

}  // namespace

VectorX scale_rows(MatrixX& Bt) {
    VectorX s = VectorX::Ones(Bt.cols());
    for (Index i = 0; i < Bt.cols(); ++i) {
        const double length = Bt.col(i).stableNorm();
        if (!(length > 0.0)) continue;
        s(i) = 1.0 / length;
        Bt.col(i) /= length;
    }
    return s;
}

std::vector<double> singular_values_of(MatrixX Bt) {
    scale_rows(Bt);
    const VectorX found = Eigen::BDCSVD<MatrixX>(Bt).singularValues();
    std::vector<double> values(found.begin(), found.end());
    const double most = values.empty() ? 0.0 : values.front();
    for (double& value : values) value = most > 0.0 ? value / most : 0.0;
    return values;
}

double gap_of(const std::vector<double>& singular, Index rank, double tol) {
    if (rank == 0) return 0.0;
    const std::size_t r = static_cast<std::size_t>(rank);
    return singular[r - 1] / (r < singular.size() ? std::max(singular[r], eps) : tol);
}

bool smallest_exceeds(const MatrixX& kept, double inverse_norm, double limit) {
    if (1.0 >= limit * inverse_norm * kept.norm()) return true;
    constexpr Index jacobi_limit = 100;
    const VectorX values = kept.cols() <= jacobi_limit
                               ? VectorX(Eigen::JacobiSVD<MatrixX>(kept).singularValues())
                               : VectorX(Eigen::BDCSVD<MatrixX>(kept).singularValues());
    return values(values.size() - 1) >= limit * values(0);
}

RowSpace decide_rank(MatrixX Bt, SolveOptions::Path path, double tol, std::size_t most) {
    VectorX s = scale_rows(Bt);
    return decide_rank_of_scaled(Bt, std::move(s), path, tol, most);
}

RowSpace decide_rank_of_scaled(const MatrixX& Bt, VectorX s, SolveOptions::Path path, double tol,
                               std::size_t most) {
    RowSpace space;
    space.s = std::move(s);
    if (path == Path::svd) space.path = Path::svd;
    if (Bt.size() == 0 || Bt.isZero(0.0)) {
        space.U = MatrixX(Bt.rows(), 0);
        space.T = MatrixX(0, 0);
        space.V = MatrixX(Bt.cols(), 0);
        space.singular.assign(static_cast<std::size_t>(std::min(Bt.rows(), Bt.cols())), 0.0);
        for (Index i = 0; i < Bt.cols(); ++i) space.unneeded.push_back(i);
        return space;
    }
    if (path == Path::svd || !decompose_orthogonally(space, Bt, tol, path == Path::cod) ||
        static_cast<std::size_t>(space.rank) > most) {
        decompose_by_singular_values(space, Bt, tol, most);
    }
    return space;
}

bool RowSpace::weakest_exceeds(double limit) const {
    if (rank == 0) return true;
    const MatrixX inverse = T.triangularView<Eigen::Lower>().solve(MatrixX::Identity(rank, rank));
    return smallest_exceeds(T, inverse.norm(), limit);
}

VectorX RowSpace::least_norm(const VectorX& r) const {
    if (rank == 0) return VectorX::Zero(U.rows());
    VectorX w = V.transpose() * s.cwiseProduct(r);
    T.triangularView<Eigen::Lower>().transpose().solveInPlace(w);
    return U * w;
}

VectorX RowSpace::off_rows(const VectorX& x) const {
    if (rank == 0) return x;
    const VectorX once = x - U * (U.transpose() * x);
    return once -
           U * (U.transpose() * once);  // twice is enough, where x lies almost in the row space
}

VectorX RowSpace::multipliers(const VectorX& x) const {
    if (rank == 0) return VectorX::Zero(s.size());
    VectorX w = U.transpose() * x;
    T.triangularView<Eigen::Lower>().solveInPlace(w);
    return s.cwiseProduct(V * w);
}

MatrixX RowSpace::null_space() const {
    const Index n = U.rows();
    if (rank == 0) return MatrixX::Identity(n, n);
    const Eigen::HouseholderQR<MatrixX> qr(U);
    return MatrixX(qr.householderQ() * MatrixX::Identity(n, n)).rightCols(n - rank);
}

Reaction RowSpace::reaction(const VectorX& r) const {
    if (rank == 0) return {VectorX::Zero(U.rows()), VectorX::Zero(s.size())};
    VectorX w = V.transpose() * s.cwiseProduct(r);
    T.triangularView<Eigen::Lower>().transpose().solveInPlace(w);
    VectorX x = U * w;
    T.triangularView<Eigen::Lower>().solveInPlace(w);
    return {std::move(x), s.cwiseProduct(V * w)};
}

}  // namespace lacon::solving::dense
