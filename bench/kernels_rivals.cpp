// Compiled for this very machine (-march=native -O3): the others at their best.
#include "kernels_rivals.hpp"

#include <Eigen/Dense>
#include <array>
#include <cmath>

namespace {

/// By hand: S = A M⁻¹ Aᵀ is tridiagonal, and elimination without pivoting is O(N).
template <int N>
void by_hand(const double* q, const double* v, double* a) {
    constexpr double w = 1.0 / rival_mass;
    std::array<double, N> dx, dy, right, pivot;
    std::array<double, N> lambda;
    for (int i = 0; i < N; ++i) {
        dx[i] = q[i] - (i ? q[i - 1] : 0.0);
        dy[i] = q[N + i] - (i ? q[N + i - 1] : 0.0);
        const double ux = v[i] - (i ? v[i - 1] : 0.0), uy = v[N + i] - (i ? v[N + i - 1] : 0.0);
        right[i] = -(ux * ux + uy * uy) + (i ? 0.0 : dy[0] * rival_gravity);
        pivot[i] = (dx[i] * dx[i] + dy[i] * dy[i]) * (i ? 2.0 * w : w);
    }
    for (int i = 1; i < N; ++i) {
        const double side = -(dx[i] * dx[i - 1] + dy[i] * dy[i - 1]) * w, l = side / pivot[i - 1];
        pivot[i] -= l * side;
        right[i] -= l * right[i - 1];
        lambda[i - 1] = side;
    }
    double next = 0.0;
    for (int i = N - 1; i >= 0; --i) {
        const double side = i + 1 < N ? lambda[i] : 0.0;
        next = lambda[i] = (right[i] - side * next) / pivot[i];
    }
    for (int i = 0; i < N; ++i) {
        const double below = i + 1 < N ? lambda[i + 1] : 0.0;
        a[i] = (dx[i] * lambda[i] - (i + 1 < N ? dx[i + 1] : 0.0) * below) * w;
        a[N + i] = (dy[i] * lambda[i] - (i + 1 < N ? dy[i + 1] : 0.0) * below) * w - rival_gravity;
    }
}

/// A and b as a user of a matrix library fills them; M is a multiple of the identity.
template <class MatrixA, class VectorB>
void fill(int N, const double* q, const double* v, MatrixA& A, VectorB& b) {
    A.setZero();
    for (int i = 0; i < N; ++i) {
        const double dx = q[i] - (i ? q[i - 1] : 0.0), dy = q[N + i] - (i ? q[N + i - 1] : 0.0);
        const double ux = v[i] - (i ? v[i - 1] : 0.0), uy = v[N + i] - (i ? v[N + i - 1] : 0.0);
        A(i, i) = dx;
        A(i, N + i) = dy;
        if (i) A(i, i - 1) = -dx, A(i, N + i - 1) = -dy;
        b(i) = -(ux * ux + uy * uy);
    }
}

template <class MatrixA, class VectorB, class VectorQ, class Solve>
void constrained(int N, const double* q, const double* v, double* a, MatrixA& A, VectorB& b,
                 VectorQ& free, const Solve& solve) {
    fill(N, q, v, A, b);
    for (int i = 0; i < N; ++i) free(i) = 0.0, free(N + i) = -rival_gravity;
    const VectorQ x = free + solve(A, VectorB(b - A * free));
    for (int i = 0; i < 2 * N; ++i) a[i] = x(i);
}

template <int N>
void fixed_cholesky(const double* q, const double* v, double* a) {
    Eigen::Matrix<double, N, 2 * N> A;
    Eigen::Matrix<double, N, 1> b;
    Eigen::Matrix<double, 2 * N, 1> free;
    constrained(N, q, v, a, A, b, free, [](const auto& rows, const auto& rest) {
        const Eigen::Matrix<double, N, N> S = rows * rows.transpose();
        return Eigen::Matrix<double, 2 * N, 1>(rows.transpose() * S.llt().solve(rest));
    });
}

template <int N, class Solve>
void dynamic(const double* q, const double* v, double* a, const Solve& solve) {
    Eigen::MatrixXd A(N, 2 * N);
    Eigen::VectorXd b(N), free(2 * N);
    constrained(N, q, v, a, A, b, free, solve);
}

template <int N>
void dynamic_cholesky(const double* q, const double* v, double* a) {
    dynamic<N>(q, v, a, [](const auto& A, const auto& rest) {
        const Eigen::MatrixXd S = A * A.transpose();
        return Eigen::VectorXd(A.transpose() * S.llt().solve(rest));
    });
}

template <int N>
void orthogonal(const double* q, const double* v, double* a) {
    dynamic<N>(q, v, a, [](const auto& A, const auto& rest) {
        return Eigen::VectorXd(A.completeOrthogonalDecomposition().solve(rest));
    });
}

template <int N>
void pseudoinverse(const double* q, const double* v, double* a) {
    dynamic<N>(q, v, a, [](const auto& A, const auto& rest) {
        const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
        return Eigen::VectorXd(svd.solve(rest));
    });
}

template <int N>
std::vector<Rival> all() {
    return {{"by hand", by_hand<N>},
            {"Eigen fixed LLT", fixed_cholesky<N>},
            {"Eigen LLT", dynamic_cholesky<N>},
            {"Eigen COD", orthogonal<N>},
            {"Eigen SVD", pseudoinverse<N>}};
}

/// The equations of the chain in angles, known in closed form, and Cholesky's factor of M.
template <int N>
void angles(const double* q, const double* v, double* a) {
    Eigen::MatrixXd M(N, N);
    Eigen::VectorXd Q(N), s(N), c(N);
    for (int j = 0; j < N; ++j) s(j) = std::sin(q[j]), c(j) = std::cos(q[j]);
    for (int k = 0; k < N; ++k) Q(k) = -rival_mass * rival_gravity * rival_length * (N - k) * s(k);
    for (int k = 0; k < N; ++k)
        for (int j = k; j < N; ++j) {
            const double share = rival_mass * rival_length * rival_length * (N - j);
            M(j, k) = share * (c(j) * c(k) + s(j) * s(k));
            const double turn = share * (s(j) * c(k) - c(j) * s(k));
            Q(j) -= turn * v[k] * v[k];
            Q(k) += turn * v[j] * v[j];
        }
    Eigen::Map<Eigen::VectorXd>(a, N) = M.selfadjointView<Eigen::Lower>().llt().solve(Q);
}

}  // namespace

std::vector<Rival> rivals_in_angles(int links) {
    switch (links) {
        case 20: return {{"Eigen LLT", angles<20>}};
        case 40: return {{"Eigen LLT", angles<40>}};
        case 80: return {{"Eigen LLT", angles<80>}};
        default: return {};
    }
}

std::vector<Rival> rivals(int links) {
    switch (links) {
        case 2: return all<2>();
        case 5: return all<5>();
        case 10: return all<10>();
        case 20: return all<20>();
        case 100: return {{"Eigen LLT", dynamic_cholesky<100>}, {"by hand", by_hand<100>}};
        default: return {};
    }
}
