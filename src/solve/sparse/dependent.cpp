// A dropped row i is a null vector: K z = 0 for Lᵀ z = e_i, as column i of L and its pivot have
// been dropped. From z_i = 1 down the tree: z_k = −Σ_{j > k} L_jk z_j. Only rows count: the
// coordinates' part of a null vector of [M Aᵀ; A 0] vanishes.
#include "solve/sparse/dependent.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <queue>

namespace lacon::solving::inline sparse {

namespace {

// Entries of z, for rows of unit length, at or below this times the largest are rounding; smaller
// ones where that leaves out what belongs to it.
constexpr double zero_sizes[] = {1e-9, 1e-11, 1e-13};
// Coefficients are found again by least squares over the rows of a circuit where these are no more
// than this.
constexpr std::size_t few_rows = 200;
constexpr std::size_t few_products = 4'000'000;

class CircuitFinder {
public:
    explicit CircuitFinder(const DependenceQuestion& question)
        : q_(question),
          z_(question.system.unknowns(), 0.0),
          sum_(question.rows.cols, 0.0),
          seen_(question.rows.cols, 0) {}

    SparseCircuit find(Place row) {
        SparseCircuit best;
        for (const double zero : zero_sizes) {
            SparseCircuit circuit = descend(row, zero);
            if (zero != zero_sizes[0] && circuit.rows.size() == best.rows.size()) continue;
            measure(circuit);
            if (circuit.residual > q_.exact) polish(circuit, row);
            if (best.rows.empty() || circuit.residual < best.residual) best = std::move(circuit);
            if (best.residual <= q_.exact) break;
        }
        return best;
    }

private:
    struct Found {
        Place row;
        double value;
    };

    SparseCircuit descend(Place row, double zero) {
        const Place start = q_.system.place_of(row);
        std::priority_queue<Place> open;
        std::vector<Found> found;
        double largest = 1.0;
        z_[start] = 1.0;
        open.push(start);
        while (!open.empty()) {
            const Place k = open.top();
            while (!open.empty() && open.top() == k) open.pop();
            const double z = z_[k];
            z_[k] = 0.0;
            if (std::abs(z) <= zero * largest) continue;
            largest = std::max(largest, std::abs(z));
            found.push_back({q_.system.row_at(k), z});
            q_.system.factor_row(k, entries_);
            for (const RowEntry& entry : entries_) {
                if (entry.value == 0.0 || q_.system.row_at(entry.column) == nowhere) continue;
                if (z_[entry.column] == 0.0) open.push(entry.column);
                z_[entry.column] -= entry.value * z;
            }
        }
        std::erase_if(found, [&](const Found& f) { return std::abs(f.value) <= zero * largest; });
        std::sort(found.begin(), found.end(),
                  [](const Found& a, const Found& b) { return a.row < b.row; });
        SparseCircuit circuit;
        for (const Found& f : found) {
            circuit.rows.push_back(f.row);
            circuit.coefficients.push_back(f.value * scale_of(f.row));
        }
        return circuit;
    }

    // A row of zero_sizes has no scale; it is a circuit by itself.
    double scale_of(Place row) const {
        const double scale = q_.system.row_scale(row);
        return scale > 0.0 ? scale : 1.0;
    }

    double length(Place row) const {
        double square = 0.0;
        for (std::size_t e = q_.rows.begin[row]; e < q_.rows.begin[row + 1]; ++e) {
            const double a = q_.A[e] * q_.d[q_.rows.column[e]];
            square += a * a;
        }
        return square > 0.0 ? std::sqrt(square) : 1.0;
    }

    // Scales the coefficients, and finds what the sum leaves.
    void measure(SparseCircuit& circuit) {
        double largest = 0.0, size = 0.0;
        for (std::size_t k = 0; k < circuit.rows.size(); ++k)
            largest =
                std::max(largest, std::abs(circuit.coefficients[k]) * length(circuit.rows[k]));
        touched_.clear();
        for (std::size_t k = 0; k < circuit.rows.size(); ++k) {
            const Place i = circuit.rows[k];
            circuit.coefficients[k] /= largest;
            size += std::abs(circuit.coefficients[k]) * length(i);
            for (std::size_t e = q_.rows.begin[i]; e < q_.rows.begin[i + 1]; ++e) {
                const Place j = q_.rows.column[e];
                if (!seen_[j]) touched_.push_back(j);
                seen_[j] = 1;
                sum_[j] += circuit.coefficients[k] * q_.A[e] * q_.d[j];
            }
        }
        double square = 0.0;
        for (const Place j : touched_) {
            square += sum_[j] * sum_[j];
            sum_[j] = 0.0;
            seen_[j] = 0;
        }
        circuit.residual = std::sqrt(square) / size;
    }

    // Coefficients by least squares over the rows found, taken where they leave less.
    void polish(SparseCircuit& circuit, Place row) {
        const std::size_t count = circuit.rows.size();
        if (count < 2 || count > few_rows) return;
        std::vector<Place> columns = touched_;
        std::sort(columns.begin(), columns.end());
        if (columns.size() * count * count > few_products || columns.size() + 1 < count) return;
        Eigen::MatrixXd others = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(columns.size()),
                                                       static_cast<Eigen::Index>(count - 1));
        Eigen::VectorXd right = Eigen::VectorXd::Zero(others.rows());
        Eigen::Index at = 0;
        for (const Place i : circuit.rows) {
            double* target = i == row ? right.data() : others.col(at).data();
            for (std::size_t e = q_.rows.begin[i]; e < q_.rows.begin[i + 1]; ++e) {
                const Place j = q_.rows.column[e];
                target[std::lower_bound(columns.begin(), columns.end(), j) - columns.begin()] =
                    q_.A[e] * q_.d[j] / length(i);
            }
            if (i != row) ++at;
        }
        const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(others);
        Eigen::VectorXd x = qr.solve(right);
        x += qr.solve(right - others * x);
        SparseCircuit again;
        again.rows = circuit.rows;
        at = 0;
        for (const Place i : circuit.rows)
            again.coefficients.push_back((i == row ? -1.0 : x(at++)) / length(i));
        measure(again);
        if (again.residual < circuit.residual) circuit = std::move(again);
    }

    const DependenceQuestion& q_;
    std::vector<double> z_, sum_;
    std::vector<char> seen_;
    std::vector<Place> touched_;
    std::vector<RowEntry> entries_;
};

}  // namespace

std::vector<SparseCircuit> find_circuits(const DependenceQuestion& question,
                                         std::span<const Place> dropped) {
    std::vector<SparseCircuit> circuits;
    if (dropped.empty()) return circuits;
    CircuitFinder finder(question);
    for (const Place row : dropped) circuits.push_back(finder.find(row));
    return circuits;
}

// As in solve/dense/rank/dependent_rows.cpp.
DependentSet set_of(const SparseCircuit& circuit, const SparseBalance& balance, double exact) {
    constexpr double doubt = 10.0;  // within this factor of the tolerance the verdict is not sure
    DependentSet set;
    double sum = 0.0, size = 0.0, given = 0.0, largest = 0.0;
    for (std::size_t k = 0; k < circuit.rows.size(); ++k) {
        const std::size_t i = circuit.rows[k];
        const double c = circuit.coefficients[k];
        set.rows.push_back(i);
        set.coefficients.push_back(c);
        sum += c * balance.b[i];
        size += std::abs(c) * balance.size[i];
        given += std::abs(c * balance.b[i]);
        largest = std::max(largest, std::abs(c));
    }
    const double unit = set.coefficients.front() < 0.0 ? -largest : largest;
    for (double& coefficient : set.coefficients) coefficient /= unit;
    set.asked = balance.b[set.rows.back()];
    for (std::size_t k = 0; k + 1 < set.rows.size(); ++k)
        set.fixed -= set.coefficients[k] * balance.b[set.rows[k]] / set.coefficients.back();
    set.mismatch = size > 0.0 ? std::abs(sum) / size : 0.0;
    set.conflict = set.mismatch > balance.tol;
    if (set.conflict) {
        set.undecided = set.mismatch < std::max(balance.tol, circuit.residual) * doubt;
    } else {
        const bool hidden = set.mismatch > exact && std::abs(sum) > balance.tol * given;
        set.undecided = set.mismatch > balance.tol / doubt || hidden;
    }
    if (circuit.residual > exact)
        set.undecided = true;  // whether these rows depend on each other at all is not sure
    return set;
}

}  // namespace lacon::solving::sparse
