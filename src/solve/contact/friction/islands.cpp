// Which contacts act on each other, and where friction is too weak to matter for how many motions
// there are.
#include "solve/contact/friction/islands.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "solve/dense/matrix/joined.hpp"

namespace lacon::solving::inline contact {

namespace {

constexpr double coupled = 1e-12;  // cosine of two rows, above rounding

Joined joined_rows(const FrictionProblem& problem) {
    const ContactSpace& space = problem.space;
    Joined rows(static_cast<std::size_t>(space.count()));
    const auto join = [&](Index i, Index j) {
        rows.join(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
    };
    const MatrixX products = space.P.transpose() * space.P;
    for (Index i = 0; i < space.count(); ++i) {
        for (Index j = 0; j < i; ++j) {
            if (std::abs(products(i, j)) > coupled * space.length(i) * space.length(j)) join(i, j);
        }
    }
    for (std::size_t k = 0; k < problem.count(); ++k) {
        for (Index i = space.first[k]; i < space.first[k + 1]; ++i) join(i, space.first[k]);
        for (Index j = 0; j < space.count();
             ++j) {  // what its load depends on: of a one-sided one its own row
            if (problem.slope[k].col(j).norm() > coupled * problem.slope[k].norm())
                join(j, space.first[k]);
        }
    }
    return rows;
}

}  // namespace

std::vector<Index> Island::rows(const ContactSpace& space) const {
    std::vector<Index> all = normals;
    for (const std::size_t k : frictions) {
        for (Index i = space.first[k]; i < space.first[k + 1]; ++i) all.push_back(i);
    }
    return all;
}

std::vector<Island> islands_of(const FrictionProblem& problem) {
    const ContactSpace& space = problem.space;
    Joined rows = joined_rows(problem);
    std::vector<Island> islands;
    std::vector<Index> number(static_cast<std::size_t>(space.count()), -1);
    const auto island_with = [&](Index row) -> Island& {
        Index& which = number[rows.root(static_cast<std::size_t>(row))];
        if (which < 0) {
            which = static_cast<Index>(islands.size());
            islands.emplace_back();
        }
        return islands[static_cast<std::size_t>(which)];
    };
    for (Index i = 0; i < space.normals; ++i) island_with(i).normals.push_back(i);
    for (std::size_t k = 0; k < problem.count(); ++k)
        island_with(space.first[k]).frictions.push_back(k);
    std::erase_if(islands, [](const Island& island) { return island.frictions.empty(); });
    return islands;
}

bool has_weak_friction(const FrictionProblem& problem, const Island& island) {
    const ContactSpace& space = problem.space;
    std::vector<double> strength(static_cast<std::size_t>(space.count()),
                                 0.0);  // μ |P_W| of each normal
    for (const std::size_t k : island.frictions) {
        const ContactFriction& friction = problem.friction(k);
        if (friction.at_rest > friction.kinetic) return false;
        if (problem.is_fixed(k)) continue;
        if (!problem.is_one_sided(k)) return false;
        strength[static_cast<std::size_t>(problem.row(k))] +=
            friction.kinetic * friction.scale * problem.slip_columns(k).norm();
    }
    if (std::all_of(island.frictions.begin(), island.frictions.end(),
                    [&](std::size_t k) { return problem.is_fixed(k); }))
        return true;
    const std::vector<Index> rows = island.rows(space);
    const Index count = static_cast<Index>(rows.size());
    if (count > space.P.rows() || !(space.length(rows).minCoeff() > 0.0)) return false;
    const VectorX inverse = space.length(rows).cwiseInverse();
    Eigen::CompleteOrthogonalDecomposition<MatrixX> unit(space.P(Eigen::all, rows) *
                                                         inverse.asDiagonal());
    unit.setThreshold(space.rank_tol);
    if (unit.rank() < count) return false;
    const MatrixX dual = unit.pseudoInverse();  // D, by the lengths
    std::vector<VectorX> squares;               // columns whose products are the matrix of the sum
    for (Index i = 0; i < static_cast<Index>(island.normals.size()); ++i) {
        const double along = dual.row(i).norm() * inverse(i);
        const double half = 0.5 * strength[static_cast<std::size_t>(rows[i])] * along;
        if (half == 0.0) continue;
        squares.push_back(std::sqrt(half) * dual.row(i).transpose().normalized());
        for (const std::size_t k : island.frictions) {
            if (problem.is_fixed(k) || problem.row(k) != rows[i]) continue;
            const MatrixX slip = problem.slip_columns(k);
            for (Index c = 0; c < slip.cols(); ++c)
                squares.push_back(std::sqrt(half) / slip.norm() * slip.col(c));
        }
    }
    if (squares.empty()) return true;
    MatrixX B(space.P.rows(), static_cast<Index>(squares.size()));
    for (std::size_t c = 0; c < squares.size(); ++c) B.col(static_cast<Index>(c)) = squares[c];
    const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(B.transpose() * B, Eigen::EigenvaluesOnly);
    // Not quite 1: at 1 friction could just balance itself, and rounding would decide.
    return eigen.eigenvalues().maxCoeff() < 1.0 - 1e-6;
}

}  // namespace lacon::solving::contact
