// X = M⁻¹ − M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁺ A M⁻¹ is never formed: with B = A L⁻ᵀ = (its row space U) and the
// rows H L⁻ᵀ, what is left of them off U is Pᵀ, and H X Hᵀ = PᵀP.
#include "solve/contact/reduced/space.hpp"

#include <algorithm>

#include "solve/dense/constrained/parts.hpp"

namespace lacon::solving::inline contact {

namespace {

MatrixX rows_of_width(MatrixView A, Index n) {
    return A.rows() == 0 ? MatrixX(0, n) : to_eigen(A);
}

}  // namespace

ContactSpace::ContactSpace(const ContactProblem& problem, const SolveOptions& options)
    : rank_tol(options.rank_tol), consistency_tol(options.consistency_tol) {
    const ConstrainedSolution free =
        solve({problem.M, problem.Q, problem.A, problem.b, {}, problem.weight_A}, options);
    outcome = free.outcome;
    if (outcome != Outcome::ok) return;
    x0 = to_eigen(free.acceleration);
    lambda0 = to_eigen(free.multipliers);
    weight_A_ = to_eigen(problem.weight_A);
    gather(problem);
    eliminate(problem, options);
    g = goal - H * x0;
    length = P.colwise().norm();
    size = goal.cwiseAbs() + H.cwiseAbs() * x0.cwiseAbs();
    if (!free.a.empty()) size += H.cwiseAbs() * to_eigen(free.a).cwiseAbs();
}

void ContactSpace::gather(const ContactProblem& problem) {
    const Index n = x0.size();
    normals = static_cast<Index>(problem.N.rows());
    Index h = normals;
    for (const ContactFriction& friction : problem.friction) {
        first.push_back(h);
        h += static_cast<Index>(friction.W.rows());
    }
    first.push_back(h);
    H.resize(h, n);
    goal.resize(h);
    weight = VectorX::Ones(h);
    if (!problem.weight_N.empty()) weight.head(normals) = to_eigen(problem.weight_N);
    H.topRows(normals) = rows_of_width(problem.N, n);
    goal.head(normals) = to_eigen(problem.d);
    for (std::size_t k = 0; k < problem.friction.size(); ++k) {
        H.middleRows(first[k], dimension(k)) = rows_of_width(problem.friction[k].W, n);
        goal.segment(first[k], dimension(k)) = to_eigen(problem.friction[k].w);
        weight.segment(first[k], dimension(k)).setConstant(problem.friction[k].weight);
    }
}

void ContactSpace::eliminate(const ContactProblem& problem, const SolveOptions& options) {
    const MatrixX A = rows_of_width(problem.A, x0.size());
    const SolveOptions::Path path =
        options.path == SolveOptions::Path::ldlt ? SolveOptions::Path::automatic : options.path;
    mass_ = measure(to_eigen(problem.M));
    VectorX whole;  // lengths of the rows before A is taken out
    if (mass_.kind == MassMetric::Kind::semidefinite) {
        massless_.emplace(mass_, A, path, options.rank_tol);
        rows_ = massless_->rows;
        P = massless_->rows_off(H);
        whole = (H * massless_->d.asDiagonal()).rowwise().norm();
    } else {
        rank_tol = mass_.rank_tol(options.rank_tol);
        rows_ = decide_rank(mass_.rows(A), path, rank_tol);
        along_ = mass_.rows(H);
        whole = along_.colwise().norm();
        P = along_;
        if (rows_.rank > 0) {
            for (Index i = 0; i < P.cols(); ++i) P.col(i) = rows_.off_rows(along_.col(i));
        }
    }
    for (Index i = 0; i < P.cols(); ++i) {
        if (P.col(i).norm() <= rank_tol * whole(i)) P.col(i).setZero();
    }
    found_ = find_dependencies(A, massless_ ? massless_->d : mass_.d, rows_.unneeded);
    dependencies = found_.C;
}

std::size_t ContactSpace::friction_of(Index row) const {
    return static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), row) -
                                    first.begin()) -
           1;
}

VectorX ContactSpace::motion(const VectorX& y) const {
    return massless_ ? massless_->off_rows_motion(y) : mass_.acceleration(y);
}

VectorX ContactSpace::multipliers(const VectorX& f) const {
    if (massless_) {
        const VectorX& scale = massless_->d;
        const VectorX change = motion(P * f).cwiseQuotient(scale);
        return least_multipliers(
            rows_.multipliers(massless_->M * change - scale.cwiseProduct(H.transpose() * f)),
            found_, weight_A_);
    }
    return least_multipliers(rows_.multipliers(-along_ * f), found_, weight_A_);
}

VectorX ContactSpace::rest_multipliers(const VectorX& missing_force) const {
    const VectorX scaled = massless_ ? VectorX(massless_->d.cwiseProduct(missing_force))
                                     : mass_.scaled_force(missing_force);
    return least_multipliers(rows_.multipliers(scaled), found_, weight_A_);
}

}  // namespace lacon::solving::contact
