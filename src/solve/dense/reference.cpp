// The papers' formulas, literally. Every function is headed by its key in theory.md. M^{1/2} is the
// symmetric square root, by the eigenvalues of M; ⁺ is by singular values. D and g of P2 are A and
// b; f − Q_given of P2 is −Q.
#include "lacon/reference.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <cassert>

#include "solve/dense/matrix/eigen_forms.hpp"

namespace lacon::reference {

namespace {

using solving::Index;
using solving::MatrixX;
using solving::to_eigen;
using solving::to_matrix;
using solving::to_std;
using solving::VectorX;

// Singular values at or below tol times `scale`, or times the largest one where no scale is given,
// count as zero.
MatrixX moore_penrose(const MatrixX& A, double tol, double scale = 0.0) {
    if (A.size() == 0) return MatrixX::Zero(A.cols(), A.rows());
    const Eigen::JacobiSVD<MatrixX> svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
    VectorX inverse = svd.singularValues();
    const double threshold = tol * (scale > 0.0 ? scale : inverse(0));
    for (double& value : inverse) value = value > threshold ? 1.0 / value : 0.0;
    return svd.matrixV() * inverse.asDiagonal() * svd.matrixU().transpose();
}

MatrixX root(const MatrixX& M) {
    return M.size() == 0 ? M : Eigen::SelfAdjointEigenSolver<MatrixX>(M).operatorSqrt();
}

MatrixX inverse_root(const MatrixX& M) {
    return M.size() == 0 ? M : Eigen::SelfAdjointEigenSolver<MatrixX>(M).operatorInverseSqrt();
}

VectorX inverse_times(const MatrixX& M, const VectorX& Q) {
    return M.size() == 0 ? Q : VectorX(M.llt().solve(Q));
}

// What the formulas of P1, P3 and P5 share.
struct Terms {
    MatrixX M, A, root, inverse_root;
    VectorX Q, b;
    MatrixX B;       // A M^{-1/2}
    MatrixX B_plus;  // B⁺

    explicit Terms(const Problem& p)
        : M(to_eigen(p.M)),
          A(p.A.rows() == 0 ? MatrixX(0, M.cols()) : to_eigen(p.A)),
          root(reference::root(M)),
          inverse_root(reference::inverse_root(M)),
          Q(to_eigen(p.Q)),
          b(to_eigen(p.b)),
          B(A * inverse_root),
          B_plus(moore_penrose(B, p.tol)) {}

    VectorX a() const { return inverse_times(M, Q); }
    VectorX e() const { return b - A * a(); }
    VectorX off_rows(const VectorX& x) const { return x - B_plus * (B * x); }  // (I − B⁺B) x
};

// What the formulas of P2 share: for any D⁻ and H⁻, P = I − D⁻D and X = P H⁻ M^{1/2}.
struct Programme {
    MatrixX M, D, root, D_inverse, P, H_inverse, X;
    VectorX Q, g;

    explicit Programme(const Problem& p, const MatrixX* given_D = nullptr,
                       const MatrixX* given_H = nullptr)
        : M(to_eigen(p.M)),
          D(p.A.rows() == 0 ? MatrixX(0, M.cols()) : to_eigen(p.A)),
          root(reference::root(M)) {
        D_inverse = given_D ? *given_D : moore_penrose(D, p.tol);
        P = MatrixX::Identity(M.rows(), M.cols()) - D_inverse * D;
        H_inverse = given_H ? *given_H
                            : moore_penrose(root * P, p.tol,
                                            root.norm());  // H is all rounding where rank D = n
        X = P * H_inverse * root;
        Q = to_eigen(p.Q);
        g = to_eigen(p.b);
    }

    // P2 29: {D⁻ − P H⁻ M^{1/2} D⁻} g + P H⁻ M^{-1/2} (Q_given − f)
    VectorX acceleration() const {
        return D_inverse * g - X * (D_inverse * g) +
               P * (H_inverse * (reference::inverse_root(M) * Q));
    }

    // P2 33: (I − M X M⁻¹)(f − Q_given) + M (I − X) D⁻ g
    VectorX control_force() const {
        const VectorX particular = D_inverse * g;
        return M * (X * inverse_times(M, Q)) - Q + M * (particular - X * particular);
    }
};

}  // namespace

Matrix pinv(const Matrix& A, double tol) {
    return to_matrix(moore_penrose(to_eigen(A), tol));
}

Matrix square_root(const Matrix& M) {
    return to_matrix(root(to_eigen(M)));
}

Matrix inverse_square_root(const Matrix& M) {
    return to_matrix(inverse_root(to_eigen(M)));
}

// theory 1: a = M⁻¹ Q
Vector free_acceleration(const Problem& p) {
    return to_std(inverse_times(to_eigen(p.M), to_eigen(p.Q)));
}

// P1 5a: M q'' = Q + K (b − A M⁻¹ Q), K = M^{1/2} B⁺
Vector acceleration_p1(const Problem& p) {
    const Terms t(p);
    const MatrixX K = t.root * t.B_plus;
    return to_std(inverse_times(t.M, t.Q + K * t.e()));
}

// P1 5b: Qc = K (b − A a)
Vector constraint_force_p1(const Problem& p) {
    const Terms t(p);
    const MatrixX K = t.root * t.B_plus;
    return to_std(K * t.e());
}

// P1 5c: Δa = K₁ e, K₁ = M^{-1/2} B⁺
Vector acceleration_change_p1(const Problem& p) {
    const Terms t(p);
    const MatrixX K1 = t.inverse_root * t.B_plus;
    return to_std(K1 * t.e());
}

// P1 6: G = (x − a)ᵀ M (x − a)
double gaussian(const Matrix& M, std::span<const double> a, std::span<const double> x) {
    const VectorX difference = to_eigen(x) - to_eigen(a);
    return difference.dot(to_eigen(M) * difference);
}

// P3 5: r'' = a_s + B⁺ (b − B a_s), a_s = M^{1/2} a
Vector scaled_acceleration_p3(const Problem& p) {
    const Terms t(p);
    const VectorX a_s = t.root * t.a();
    return to_std(a_s + t.B_plus * (t.b - t.B * a_s));
}

// P2 29
Vector acceleration_p2(const Problem& p, const Matrix& D_inverse, const Matrix& H_inverse) {
    const MatrixX D = to_eigen(D_inverse), H = to_eigen(H_inverse);
    return to_std(Programme(p, &D, &H).acceleration());
}

// P2 30; without constraints P2 31
Vector acceleration_p2(const Problem& p) {
    return to_std(Programme(p).acceleration());
}

// P2 33
Vector control_force_p2(const Problem& p, const Matrix& D_inverse, const Matrix& H_inverse) {
    const MatrixX D = to_eigen(D_inverse), H = to_eigen(H_inverse);
    return to_std(Programme(p, &D, &H).control_force());
}

Vector control_force_p2(const Problem& p) {
    return to_std(Programme(p).control_force());
}

// P2 35: λ = (Dᵀ)⁺ Q'
Vector multipliers_p2(const Problem& p) {
    const Programme programme(p);
    return to_std(moore_penrose(programme.D.transpose(), p.tol) * programme.control_force());
}

// P5 33, 44: q'' = a + M^{-1/2} B⁺ (b − A a) + M^{-1/2} (I − B⁺B) M^{-1/2} c
Vector acceleration_p5(const Problem& p, std::span<const double> c) {
    const Terms t(p);
    return to_std(t.a() +
                  t.inverse_root * (t.B_plus * t.e() + t.off_rows(t.inverse_root * to_eigen(c))));
}

// P5 31: r'' = B⁺ b + (I − B⁺B)(M^{-1/2} Q + M^{-1/2} c)
ScaledParts scaled_parts_p5(const Problem& p, std::span<const double> c) {
    const Terms t(p);
    return {to_std(t.B_plus * t.b),
            to_std(t.off_rows(t.inverse_root * t.Q + t.inverse_root * to_eigen(c)))};
}

Vector scaled_acceleration_p5(const Problem& p, std::span<const double> c) {
    ScaledParts parts = scaled_parts_p5(p, c);
    for (std::size_t j = 0; j < parts.required.size(); ++j) parts.required[j] += parts.free[j];
    return parts.required;
}

// P5 42: M q'' = Q + M^{1/2} B⁺ (b − A a) + M^{1/2} (I − B⁺B) M^{-1/2} c
Vector total_constraint_force_p5(const Problem& p, std::span<const double> c) {
    const Terms t(p);
    return to_std(t.root * (t.B_plus * t.e()) + t.root * t.off_rows(t.inverse_root * to_eigen(c)));
}

// P5 43: M^{1/2} (I − B⁺B) M^{-1/2} c
Vector nonideal_force_p5(const Problem& p, std::span<const double> c) {
    const Terms t(p);
    return to_std(t.root * t.off_rows(t.inverse_root * to_eigen(c)));
}

// P5 34: (x − a − M⁻¹c)ᵀ M (x − a − M⁻¹c)
double gaussian_p5(const Problem& p, std::span<const double> c, std::span<const double> x) {
    const MatrixX M = to_eigen(p.M);
    const VectorX difference =
        to_eigen(x) - inverse_times(M, to_eigen(p.Q)) - inverse_times(M, to_eigen(c));
    return difference.dot(M * difference);
}

std::array<double, 4> penrose_residuals(const Matrix& A, const Matrix& X) {
    const MatrixX a = to_eigen(A), x = to_eigen(X);
    const auto largest = [](const MatrixX& R) {
        return R.size() == 0 ? 0.0 : R.cwiseAbs().maxCoeff();
    };
    const MatrixX ax = a * x, xa = x * a;
    return {largest(ax * a - a), largest(xa * x - x), largest(ax - ax.transpose()),
            largest(xa - xa.transpose())};
}

}  // namespace lacon::reference
