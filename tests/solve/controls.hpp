// Control problems, for the tests of the control solver.
#pragma once

#include <memory>
#include <optional>

#include "lacon/control.hpp"
#include "problems.hpp"

namespace lacon::testing {

/// A control problem that owns its numbers, in Eigen's forms: free coordinates of mass 1, all
/// actuated, nothing required.
struct Controls {
    explicit Controls(Index n)
        : M(MatrixX::Identity(n, n)),
          Q(VectorX::Zero(n)),
          A(0, n),
          b(0),
          C(0, n),
          d(0),
          F(MatrixX::Identity(n, n)) {}

    MatrixX M;
    VectorX Q;
    MatrixX A;
    VectorX b;
    MatrixX C;
    VectorX d;
    MatrixX F;
    std::vector<int> sense;
    std::optional<MatrixX> N;
    std::vector<char> gauss;
    VectorX low, high;
    bool nearest = false;

    void constrain(const VectorX& row, double value) { append(A, b, row, value); }
    void require(const VectorX& row, double value, int side = 0) {
        append(C, d, row, value);
        sense.push_back(side);
    }

    ControlSolution solved(const ControlSet* set = nullptr,
                           const SolveOptions& options = {}) const {
        const Matrix m = to_matrix(M), a = to_matrix(A), c = to_matrix(C), f = to_matrix(F);
        const Matrix n = N ? to_matrix(*N) : Matrix();
        const std::vector<double> q = to_std(Q), right = to_std(b), asked = to_std(d),
                                  least = to_std(low), most = to_std(high);
        const auto own = std::make_unique<bool[]>(gauss.size());
        std::copy(gauss.begin(), gauss.end(), own.get());
        ControlProblem problem{m, q, a, right, c, asked, f};
        problem.sense = sense;
        problem.N = N ? &n : nullptr;
        problem.gauss = {own.get(), gauss.size()};
        problem.low = least;
        problem.high = most;
        problem.nearest = nearest;
        problem.set = set;
        return solve(problem, options);
    }

    /// How far q'', λ and u are from M q'' = Q + Aᵀ λ + F u and A q'' = b, relative to the sizes of
    /// the terms.
    double imbalance(const ControlSolution& solution) const {
        const VectorX q = to_eigen(solution.acceleration), u = to_eigen(solution.effort),
                      lambda = to_eigen(solution.multipliers);
        const VectorX forces = M * q - Q - A.transpose() * lambda - F * u;
        const double size =
            M.norm() * q.norm() + Q.norm() + A.norm() * lambda.norm() + F.norm() * u.norm();
        const double rows = (A * q - b).norm() / std::max(A.norm() * q.norm() + b.norm(),
                                                          std::numeric_limits<double>::min());
        return std::max(forces.norm() / std::max(size, std::numeric_limits<double>::min()), rows);
    }

private:
    static void append(MatrixX& rows, VectorX& values, const VectorX& row, double value) {
        rows.conservativeResize(rows.rows() + 1, Eigen::NoChange);
        rows.row(rows.rows() - 1) = row.transpose();
        values.conservativeResize(values.size() + 1);
        values(values.size() - 1) = value;
    }
};

inline MatrixX random_definite(Index n, Random& random) {
    const MatrixX G = normal(random, n, n);
    return G * G.transpose() + 0.1 * MatrixX::Identity(n, n);
}

inline Controls random_body(Index n, Random& random) {
    Controls body(n);
    body.M = random_definite(n, random);
    body.Q = normal(random, n, 1);
    return body;
}

}  // namespace lacon::testing
