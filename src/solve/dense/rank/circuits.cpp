// Coefficients come from a pivoted QR of the rows of the set, refined once. If one of them is mere
// rounding, a smaller set is dependent and this one is rejected. Sets that are not exact take in
// rows with smaller coefficients until they are.
#include "solve/dense/rank/circuits.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

namespace lacon::solving::inline dense {

namespace {

// Pivots of unit rows at or below this, relative to the first, are rounding: the rows themselves
// are dependent.
constexpr double pivot_tol = 1e-14;

void measure_residual(Circuit& circuit, const MatrixX& unit) {
    VectorX sum = VectorX::Zero(unit.rows());
    for (std::size_t k = 0; k < circuit.rows.size(); ++k)
        sum += circuit.coefficients(static_cast<Index>(k)) * unit.col(circuit.rows[k]);
    circuit.residual = sum.stableNorm() / circuit.coefficients.cwiseAbs().sum();
}

// The rows of a null vector v (m) whose entries exceed `zero` times the largest.
Circuit support_of(const VectorX& v, double zero, const MatrixX& unit) {
    const double largest = v.cwiseAbs().maxCoeff();
    Circuit circuit;
    for (Index i = 0; i < v.size(); ++i)
        if (std::abs(v(i)) > zero * largest) circuit.rows.push_back(i);
    circuit.coefficients = v(circuit.rows) / largest;
    measure_residual(circuit, unit);
    return circuit;
}

}  // namespace

std::optional<Circuit> circuit_of(const Dependencies& dependencies, std::vector<Index> rows,
                                  std::size_t first) {
    const MatrixX& unit = dependencies.unit;
    const Index others = static_cast<Index>(rows.size()) - 1;
    Circuit circuit;
    circuit.rows = std::move(rows);
    circuit.coefficients = VectorX::Ones(1);
    if (others > unit.rows())
        return std::nullopt;  // more rows than dimensions: a proper subset is dependent
    if (others > 0) {
        std::vector<Index> rest = circuit.rows;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(first));
        const MatrixX independent = unit(Eigen::all, rest);
        const Eigen::ColPivHouseholderQR<MatrixX> qr(independent);
        const VectorX pivots = qr.matrixQR().diagonal().cwiseAbs();
        if (!(pivots(others - 1) > pivot_tol * pivots(0))) return std::nullopt;
        const VectorX right = unit.col(circuit.rows[first]);
        VectorX x = qr.solve(right);
        x += qr.solve(right - independent * x);
        const double largest = std::max(1.0, x.cwiseAbs().maxCoeff());
        // What rounding makes of a coefficient that ought to vanish.
        const double noise = 10.0 * eps * pivots(0) / pivots(others - 1);
        if (x.cwiseAbs().minCoeff() <= noise * largest || 1.0 <= noise * largest)
            return std::nullopt;
        circuit.coefficients.resize(others + 1);
        const Index at = static_cast<Index>(first);
        circuit.coefficients.head(at) = x.head(at);
        circuit.coefficients(at) = -1.0;
        circuit.coefficients.tail(others - at) = x.tail(others - at);
        circuit.coefficients /= largest;
    }
    measure_residual(circuit, unit);
    if (!(circuit.residual <= dependencies.exact)) return std::nullopt;
    return circuit;
}

std::vector<Circuit> fundamental_circuits(const Dependencies& dependencies) {
    // Below the last places nothing is left out.
    constexpr double finest = 1e-15;
    std::vector<Circuit> circuits;
    for (Index u = 0; u < dependencies.C.cols(); ++u) {
        const VectorX v = dependencies.C.col(u).cwiseProduct(dependencies.length);
        std::optional<Circuit> found;
        std::size_t tried = 0;
        for (double zero = dependencies.zero; !found && zero >= finest; zero /= 10.0) {
            Circuit rough = support_of(v, zero, dependencies.unit);
            if (rough.rows.size() == tried) continue;
            tried = rough.rows.size();
            if (rough.residual <= dependencies.exact) {
                found = std::move(rough);
                break;
            }
            Index first = 0;
            rough.coefficients.cwiseAbs().maxCoeff(&first);
            found = circuit_of(dependencies, rough.rows, static_cast<std::size_t>(first));
        }
        circuits.push_back(found ? std::move(*found)
                                 : support_of(v, dependencies.zero, dependencies.unit));
    }
    return circuits;
}

}  // namespace lacon::solving::dense
