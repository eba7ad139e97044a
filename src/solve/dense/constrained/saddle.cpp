// M x = f + Aᵀ λ, A x = r (theory 1, with theory 7 for what it asks of M), as one symmetric system
// in (x, λ):
//     [M  −Aᵀ] [x]   [f]
//     [A    0] [λ] = [r]
// Complete pivoting, after a symmetric scaling in which every row has a largest entry of 1 and
// coordinates whose mass is small beside their entries of A stand half-way (in powers) between the
// scale of their mass and that of A. Large pivots are then taken first: masses, then the entries of
// A that hold light coordinates; a light mass is left to the end and is not added to anything
// larger.
#include "solve/dense/constrained/saddle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/dense/matrix/twofold.hpp"

namespace lacon::solving::inline dense {

namespace {

/// 2 to the power that is next: scaling by it rounds nothing.
double power_of_two(double x) {
    return std::isfinite(x) && x > 0.0 ? std::ldexp(1.0, std::ilogb(x)) : 1.0;
}

}  // namespace

Saddle::Saddle(const MatrixX& M, const MatrixX& A, std::vector<Index> kept)
    : M_(M), A_(A(kept, Eigen::all)), rows_(A.rows()), kept_(std::move(kept)) {
    equilibrate();
    const Index n = M_.rows(), k = A_.rows();
    MatrixX K = MatrixX::Zero(n + k, n + k);
    K.topLeftCorner(n, n) = M_;
    K.bottomLeftCorner(k, n) = A_;
    K.topRightCorner(n, k) = -A_.transpose();
    K = scale_.asDiagonal() * K * scale_.asDiagonal();
    factor_.setThreshold(0.0);  // small pivots are light masses, not zeros
    factor_.compute(K);
    regular_ = factor_.isInvertible();
}

void Saddle::equilibrate() {
    const Index n = M_.rows(), k = A_.rows();
    scale_ = VectorX::Ones(n + k);
    constexpr int sweeps = 12;  // halve the powers by which rows differ (Ruiz 2001)
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        VectorX largest = VectorX::Zero(n + k);
        const auto note = [&](Index i, Index j, double entry) {
            const double size = std::abs(entry) * scale_(i) * scale_(j);
            largest(i) = std::max(largest(i), size);
            largest(j) = std::max(largest(j), size);
        };
        for (Index j = 0; j < n; ++j) {
            for (Index i = j; i < n; ++i) note(i, j, M_(i, j));
            for (Index i = 0; i < k; ++i) note(n + i, j, A_(i, j));
        }
        for (Index i = 0; i < n + k; ++i)
            if (largest(i) > 0.0) scale_(i) /= std::sqrt(largest(i));
    }
    for (Index j = 0; j < n; ++j) {
        const double mass = M_(j, j) * scale_(j) * scale_(j);
        if (mass > 0.0 && mass < 1.0) scale_(j) /= std::sqrt(std::sqrt(mass));
    }
    for (Index i = 0; i < k; ++i) {
        double largest = 0.0;
        for (Index j = 0; j < n; ++j) largest = std::max(largest, std::abs(A_(i, j)) * scale_(j));
        if (largest > 0.0) scale_(n + i) = 1.0 / largest;
    }
    for (double& s : scale_) s = power_of_two(s);
}

VectorX Saddle::rest(const VectorX& f, const VectorX& r, const VectorX& z) const {
    const Index n = M_.rows(), k = A_.rows();
    VectorX left(n + k);
    for (Index i = 0; i < n; ++i) {
        Twofold sum(f(i));
        for (Index j = 0; j < n; ++j)
            if (M_(j, i) != 0.0) sum -= twofold::product(M_(j, i), z(j));
        for (Index j = 0; j < k; ++j)
            if (A_(j, i) != 0.0) sum += twofold::product(A_(j, i), z(n + j));
        left(i) = static_cast<double>(sum);
    }
    for (Index i = 0; i < k; ++i) {
        Twofold sum(r(kept_[static_cast<std::size_t>(i)]));
        for (Index j = 0; j < n; ++j)
            if (A_(i, j) != 0.0) sum -= twofold::product(A_(i, j), z(j));
        left(n + i) = static_cast<double>(sum);
    }
    return left;
}

VectorX Saddle::once(const VectorX& right) const {
    const VectorX scaled = scale_.cwiseProduct(right);
    return scale_.cwiseProduct(VectorX(factor_.solve(scaled)));
}

Saddle::Answer Saddle::solve(const VectorX& f, const VectorX& r) const {
    const Index n = M_.rows();
    constexpr int most_rounds = 6;
    VectorX z = once(rest(f, r, VectorX::Zero(scale_.size())));
    double before = std::numeric_limits<double>::infinity();
    for (int round = 0; round < most_rounds; ++round) {
        const VectorX change = once(rest(f, r, z));
        if (!change.allFinite()) break;
        double part = 0.0;
        for (Index i = 0; i < z.size(); ++i)
            if (change(i) != 0.0)
                part = std::max(part, std::abs(change(i)) / (std::abs(z(i)) + std::abs(change(i))));
        z += change;
        if (part <= eps || (round > 1 && part > 0.5 * before)) break;
        before = part;
    }
    Answer answer{z.head(n), VectorX::Zero(rows_)};
    for (std::size_t i = 0; i < kept_.size(); ++i)
        answer.lambda(kept_[i]) = z(n + static_cast<Index>(i));
    return answer;
}

VectorX Saddle::force(const Answer& answer, const VectorX& f) const {
    VectorX result(M_.rows());
    for (Index j = 0; j < M_.rows(); ++j) {
        Twofold by_rows, by_motion(-f(j));
        double rows = 0.0, motion = std::abs(f(j));
        for (std::size_t i = 0; i < kept_.size(); ++i) {
            const double lambda = answer.lambda(kept_[i]), entry = A_(static_cast<Index>(i), j);
            by_rows += twofold::product(entry, lambda);
            rows += std::abs(entry * lambda);
        }
        for (Index i = 0; i < M_.rows(); ++i) {
            by_motion += twofold::product(M_(i, j), answer.x(i));
            motion += std::abs(M_(i, j) * answer.x(i));
        }
        result(j) = static_cast<double>(rows <= motion ? by_rows : by_motion);
    }
    return result;
}

}  // namespace lacon::solving::dense
