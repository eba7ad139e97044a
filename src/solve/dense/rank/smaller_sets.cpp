// A basis of the dependencies with few rows in each. Circuits are the vectors of least support in
// the left null space, and a basis of least total support is found greedily among all of them, as
// in any matroid; where they are too many to be listed, among those that come up by cancelling a
// common row of two.
#include "solve/dense/rank/smaller_sets.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace lacon::solving::inline dense {

namespace {

constexpr std::size_t most_circuits = 64, most_rows = 256;
constexpr double most_listed = 400.0;            // leaves of the enumeration of a block
constexpr std::size_t most_combinations = 1000;  // of two circuits, in a block
constexpr std::size_t most_refused = 64;  // candidates that turn out to be no circuits, in a block
constexpr int most_rounds = 8;

// Where rounding hides coefficients up to this, the numbers are not good enough to combine
// circuits.
constexpr double coarsest_zero = 1e-5;

// Directions, of unit length, nearer to the span of others than this count as in it.
constexpr double span_tol = 1e-7;

/// Rows that hang together, and the given circuits among them.
struct Block {
    std::vector<Index> rows;  // increasing
    std::vector<Circuit> circuits;
};

std::vector<Block> blocks_of(const std::vector<Circuit>& circuits, Index m) {
    std::vector<Index> root(static_cast<std::size_t>(m));
    std::iota(root.begin(), root.end(), Index{0});
    const auto find = [&](Index i) {
        while (root[i] != i) i = root[i] = root[root[i]];
        return i;
    };
    for (const Circuit& circuit : circuits)
        for (const Index row : circuit.rows) root[find(row)] = find(circuit.rows.front());
    std::map<Index, Block> blocks;
    for (const Circuit& circuit : circuits)
        blocks[find(circuit.rows.front())].circuits.push_back(circuit);
    std::vector<Block> result;
    for (auto& [at, block] : blocks) {
        std::set<Index> rows;
        for (const Circuit& circuit : block.circuits)
            rows.insert(circuit.rows.begin(), circuit.rows.end());
        block.rows.assign(rows.begin(), rows.end());
        result.push_back(std::move(block));
    }
    return result;
}

/// The circuits of one block, as they come up, and the best basis among them.
class Pool {
public:
    Pool(const Block& block, const Dependencies& dependencies, const Balance& balance)
        : block_(block), dependencies_(dependencies), balance_(balance) {
        const Index m = static_cast<Index>(block.rows.size()),
                    k = static_cast<Index>(block.circuits.size());
        given_ = MatrixX::Zero(m, k);
        for (Index u = 0; u < k; ++u) {
            const Circuit& circuit = block.circuits[u];
            for (std::size_t j = 0; j < circuit.rows.size(); ++j)
                given_(place(circuit.rows[j]), u) = circuit.coefficients(static_cast<Index>(j));
        }
        coordinates_ = given_.completeOrthogonalDecomposition();
        for (Index u = 0; u < k; ++u) add(given_.col(u), true);
        in_conflict_ = std::count_if(pool_.begin(), pool_.end(),
                                     [](auto& entry) { return entry.second.conflict; });
    }

    bool is_best_already() const {
        const bool small = std::all_of(block_.circuits.begin(), block_.circuits.end(),
                                       [](const Circuit& c) { return c.rows.size() <= 2; });
        return block_.circuits.size() == 1 || (small && in_conflict_ <= 1);
    }

    bool can_list_all() const {
        double leaves = 1.0;  // one for each choice of k − 1 rows that are to vanish
        const auto k = static_cast<double>(given_.cols()), m = static_cast<double>(given_.rows());
        for (double j = 1.0; j < k; j += 1.0) leaves *= (m - j + 1.0) / j;
        return leaves <= most_listed;
    }

    void list_all() { let_vanish(given_, 0); }

    void combine(const std::vector<Circuit>& circuits) {
        for (std::size_t i = 0; i < circuits.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const VectorX x = local(circuits[i]), y = local(circuits[j]);
                const std::size_t most = std::max(circuits[i].rows.size(), circuits[j].rows.size());
                for (Index e = 0; e < x.size() && combinations_ < most_combinations; ++e) {
                    if (x(e) == 0.0 || y(e) == 0.0) continue;
                    ++combinations_;
                    VectorX v = x - (x(e) / y(e)) * y;
                    v(e) = 0.0;
                    if (!tidy(v)) continue;
                    const std::size_t size = static_cast<std::size_t>((v.array() != 0.0).count());
                    // A basis row exchanged: in a conflict worth having at any size, if it is
                    // consistent.
                    if (size < most || (in_conflict_ > 0 && !conflicts(v))) add(v, false);
                }
            }
        }
    }

    /// The given circuits where no basis with the same rows is found.
    std::vector<Circuit> best();

private:
    struct Candidate {
        VectorX v;  // (rows of the block)
        bool given = false, conflict = false, refused = false;
    };
    using Entry = std::pair<const std::vector<Index>, Candidate>;  // by its places in the block

    Index place(Index row) const {
        return std::lower_bound(block_.rows.begin(), block_.rows.end(), row) - block_.rows.begin();
    }

    VectorX local(const Circuit& circuit) const {
        VectorX v = VectorX::Zero(given_.rows());
        for (std::size_t j = 0; j < circuit.rows.size(); ++j)
            v(place(circuit.rows[j])) = circuit.coefficients(static_cast<Index>(j));
        return v;
    }

    // Sets what is rounding to zero and the largest entry to 1; false where nothing is left.
    bool tidy(Eigen::Ref<VectorX> v) const {
        const double largest = v.cwiseAbs().maxCoeff();
        if (!(largest > dependencies_.zero)) return false;
        v /= largest;
        for (double& x : v)
            if (std::abs(x) <= dependencies_.zero) x = 0.0;
        return true;
    }

    bool conflicts(const VectorX& v) const {
        double sum = 0.0, size = 0.0;
        for (Index i = 0; i < v.size(); ++i) {
            const Index row = block_.rows[i];
            sum += v(i) / dependencies_.length(row) * balance_.b(row);
            size += std::abs(v(i)) / dependencies_.length(row) * balance_.size(row);
        }
        return std::abs(sum) > balance_.tol * size;
    }

    void add(VectorX v, bool given) {
        if (!tidy(v)) return;
        std::vector<Index> places;
        for (Index i = 0; i < v.size(); ++i)
            if (v(i) != 0.0) places.push_back(i);
        pool_.try_emplace(std::move(places), Candidate{v, given, conflicts(v), false});
    }

    // The null vectors spanned by V in which some rows from `row` on vanish, until one is left:
    // every circuit comes up so.
    void let_vanish(const MatrixX& V, Index row) {
        if (V.cols() == 1) return add(V.col(0), false);
        for (Index e = row; e < V.rows(); ++e) {
            Index pivot = 0;
            if (V.row(e).cwiseAbs().maxCoeff(&pivot) == 0.0) continue;
            MatrixX left(V.rows(), V.cols() - 1);
            bool sound = true;
            for (Index u = 0, at = 0; u < V.cols(); ++u) {
                if (u == pivot) continue;
                left.col(at) = V.col(u) - (V(e, u) / V(e, pivot)) * V.col(pivot);
                left(e, at) = 0.0;
                sound = sound && tidy(left.col(at++));
            }
            if (sound) let_vanish(left, e + 1);
        }
    }

    std::vector<Entry*> in_order() {
        std::vector<Entry*> order;
        for (Entry& entry : pool_) order.push_back(&entry);
        const auto rank = [this](const Entry* entry) {
            const Candidate& c = entry->second;
            return std::tuple(in_conflict_ > 0 && c.conflict, entry->first.size(), !c.given);
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](auto* x, auto* y) { return rank(x) < rank(y); });
        return order;
    }

    std::optional<Circuit> circuit_at(const Entry& entry) const {
        const auto& [places, candidate] = entry;
        if (candidate.given)
            for (const Circuit& circuit : block_.circuits)
                if (std::equal(circuit.rows.begin(), circuit.rows.end(), places.begin(),
                               places.end(),
                               [&](Index row, Index at) { return row == block_.rows[at]; }))
                    return circuit;
        std::vector<Index> rows;
        for (const Index at : places) rows.push_back(block_.rows[at]);
        Index first = 0;
        candidate.v(places).cwiseAbs().maxCoeff(&first);
        return circuit_of(dependencies_, std::move(rows), static_cast<std::size_t>(first));
    }

    const Block& block_;
    const Dependencies& dependencies_;
    const Balance& balance_;
    MatrixX given_;  // (rows of the block × its circuits)
    Eigen::CompleteOrthogonalDecomposition<MatrixX> coordinates_;
    std::map<std::vector<Index>, Candidate> pool_;
    std::ptrdiff_t in_conflict_ = 0;
    std::size_t combinations_ = 0, refused_ = 0;
};

std::vector<Circuit> Pool::best() {
    const Index k = given_.cols();
    MatrixX basis(k, k);  // orthonormal, of the coordinates of the chosen
    std::vector<Circuit> chosen;
    std::vector<bool> covered(block_.rows.size(), false);
    for (Entry* entry : in_order()) {
        const Index found = static_cast<Index>(chosen.size());
        if (found == k) break;
        if (entry->second.refused) continue;
        VectorX y = coordinates_.solve(entry->second.v).normalized();
        for (int twice = 0; twice < 2; ++twice)
            y -= basis.leftCols(found) * (basis.leftCols(found).transpose() * y);
        if (!(y.norm() > span_tol)) continue;
        std::optional<Circuit> circuit = circuit_at(*entry);
        if (!circuit) {
            entry->second.refused = true;
            if (++refused_ > most_refused) break;
            continue;
        }
        basis.col(found) = y.normalized();
        for (const Index at : entry->first) covered[at] = true;
        chosen.push_back(std::move(*circuit));
    }
    const bool whole = static_cast<Index>(chosen.size()) == k &&
                       std::find(covered.begin(), covered.end(), false) == covered.end();
    return whole ? chosen : block_.circuits;
}

std::vector<Circuit> best_of(const Block& block, const Dependencies& dependencies,
                             const Balance& balance) {
    const auto inexact = [&](const Circuit& circuit) {
        return circuit.residual > dependencies.exact;
    };
    if (block.rows.size() > most_rows || dependencies.zero > coarsest_zero ||
        std::any_of(block.circuits.begin(), block.circuits.end(), inexact))
        return block.circuits;
    Pool pool(block, dependencies, balance);
    if (pool.is_best_already()) return block.circuits;
    if (pool.can_list_all()) {
        pool.list_all();
        return pool.best();
    }
    std::vector<Circuit> circuits = block.circuits;
    for (int round = 0; round < most_rounds; ++round) {
        pool.combine(circuits);
        std::vector<Circuit> better = pool.best();
        const bool same =
            std::equal(better.begin(), better.end(), circuits.begin(), circuits.end(),
                       [](const Circuit& x, const Circuit& y) { return x.rows == y.rows; });
        circuits = std::move(better);
        if (same) break;
    }
    return circuits;
}

}  // namespace

std::vector<Circuit> smaller_circuits(std::vector<Circuit> given, const Dependencies& dependencies,
                                      const Balance& balance) {
    if (given.size() > 1 && given.size() <= most_circuits) {
        std::vector<Circuit> all;
        for (const Block& block : blocks_of(given, dependencies.C.rows()))
            for (Circuit& circuit : best_of(block, dependencies, balance))
                all.push_back(std::move(circuit));
        given = std::move(all);
    }
    std::stable_sort(given.begin(), given.end(), [](const Circuit& x, const Circuit& y) {
        return std::tie(x.rows.back(), x.rows) < std::tie(y.rows.back(), y.rows);
    });
    return given;
}

}  // namespace lacon::solving::dense
