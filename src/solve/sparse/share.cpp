// Multipliers of least weighted norm for dependent rows (P2 35), λ − N (Nᵀ W N)⁻¹ Nᵀ W λ, by sparse
// normal equations over columns of unit length.
#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cmath>

#include "solve/sparse/dependent.hpp"

namespace lacon::solving::inline sparse {

void share_multipliers(std::span<const DependentSet> sets, std::span<const double> weight,
                       std::span<double> lambda) {
    if (sets.empty()) return;
    using Sparse = Eigen::SparseMatrix<double>;
    const Eigen::Index m = static_cast<Eigen::Index>(lambda.size()),
                       d = static_cast<Eigen::Index>(sets.size());
    const auto root_of = [&](std::size_t i) { return weight.empty() ? 1.0 : std::sqrt(weight[i]); };
    // Columns of √W N, of unit length; the change is N δ.
    std::vector<Eigen::Triplet<double>> triplets;
    std::vector<double> unit;
    for (std::size_t s = 0; s < sets.size(); ++s) {
        double square = 0.0;
        for (std::size_t k = 0; k < sets[s].rows.size(); ++k)
            square += std::pow(sets[s].coefficients[k] * root_of(sets[s].rows[k]), 2);
        unit.push_back(1.0 / std::sqrt(square));
        for (std::size_t k = 0; k < sets[s].rows.size(); ++k)
            triplets.emplace_back(static_cast<int>(sets[s].rows[k]), static_cast<int>(s),
                                  sets[s].coefficients[k] * root_of(sets[s].rows[k]) * unit[s]);
    }
    Sparse N(m, d);
    N.setFromTriplets(triplets.begin(), triplets.end());
    const Sparse square = Sparse(N.transpose()) * N;
    const Eigen::SimplicialLDLT<Sparse> ldlt(square);
    // Twice: the second time takes away what rounding of the squared form left.
    for (int round = 0; round < 2; ++round) {
        Eigen::VectorXd weighted(m);
        for (std::size_t i = 0; i < lambda.size(); ++i)
            weighted(static_cast<Eigen::Index>(i)) = root_of(i) * lambda[i];
        const Eigen::VectorXd delta = ldlt.solve(N.transpose() * weighted);
        for (std::size_t s = 0; s < sets.size(); ++s)
            for (std::size_t k = 0; k < sets[s].rows.size(); ++k)
                lambda[sets[s].rows[k]] -=
                    sets[s].coefficients[k] * unit[s] * delta(static_cast<Eigen::Index>(s));
    }
}

}  // namespace lacon::solving::sparse
