// Gram–Schmidt with the longest vector as pivot. Bases for display are reduced to echelon form, and
// their entries rounded to fractions with denominators up to 12.
#include "diagnosis/subspace.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"

namespace lacon::diagnosis {

namespace {

void remove_part(Vector& x, const Vector& unit) {
    const double along = inner(x, unit);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= along * unit[i];
}

/// The nearest fraction with a denominator of at most 12, where it is as near as the noise.
double nearest_fraction(double x, double noise) {
    for (int denominator = 1; denominator <= 12; ++denominator) {
        const double fraction = std::round(x * denominator) / denominator;
        if (std::abs(x - fraction) <= noise) return fraction + 0.0;
    }
    return x;
}

}  // namespace

double inner(std::span<const double> a, std::span<const double> b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

Vectors orthonormal(Vectors vectors, std::size_t most, double tol) {
    Vectors basis;
    double longest = 0.0;
    for (const Vector& x : vectors) longest = std::max(longest, std::sqrt(inner(x, x)));
    while (basis.size() < most && !vectors.empty()) {
        const auto next = std::max_element(
            vectors.begin(), vectors.end(),
            [](const Vector& a, const Vector& b) { return inner(a, a) < inner(b, b); });
        const double length = std::sqrt(inner(*next, *next));
        if (!(length > tol * longest) || length == 0.0) break;
        Vector unit = std::move(*next);
        vectors.erase(next);
        for (double& x : unit) x /= length;
        for (const Vector& before : basis)
            remove_part(unit, before);  // a second time, for what rounding left
        const double left = std::sqrt(inner(unit, unit));
        for (double& x : unit) x /= left;
        for (Vector& x : vectors) remove_part(x, unit);
        basis.push_back(std::move(unit));
    }
    return basis;
}

Vectors complement(const Vectors& basis, std::size_t n) {
    Vectors units;
    for (std::size_t i = 0; i < n; ++i) {
        Vector unit(n, 0.0);
        unit[i] = 1.0;
        for (int twice = 0; twice < 2; ++twice)
            for (const Vector& b : basis) remove_part(unit, b);
        units.push_back(std::move(unit));
    }
    return orthonormal(std::move(units), n - basis.size(), 0.0);
}

Vectors null_space(const Matrix& A, std::size_t rank) {
    Vectors rows;
    for (std::size_t i = 0; i < A.rows(); ++i) {
        Vector row(A.row(i).begin(), A.row(i).end());
        const double length = std::sqrt(inner(row, row));
        if (length == 0.0) continue;
        for (double& x : row) x /= length;
        rows.push_back(std::move(row));
    }
    return complement(orthonormal(std::move(rows), rank, 0.0), A.cols());
}

Vectors coordinates_in(const Vectors& basis, const Vectors& vectors) {
    Vectors result;
    for (const Vector& x : vectors) {
        Vector coordinates;
        for (const Vector& b : basis) coordinates.push_back(inner(b, x));
        result.push_back(std::move(coordinates));
    }
    return result;
}

Vectors expanded(const Vectors& basis, const Vectors& coordinates) {
    Vectors result;
    for (const Vector& c : coordinates) {
        Vector x(basis.empty() ? 0 : basis[0].size(), 0.0);
        for (std::size_t k = 0; k < c.size(); ++k)
            for (std::size_t i = 0; i < x.size(); ++i) x[i] += c[k] * basis[k][i];
        result.push_back(std::move(x));
    }
    return result;
}

double angle(const Vectors& a, const Vectors& b) {
    double largest = 0.0;
    for (Vector x : a) {
        for (const Vector& unit : b) remove_part(x, unit);
        largest = std::max(largest, std::sqrt(inner(x, x)));
    }
    return largest;
}

Vectors tidy_basis(Vectors basis, double noise) {
    std::vector<bool> done(basis.size(), false);
    for (std::size_t step = 0; step < basis.size(); ++step) {
        std::size_t row = 0, column = 0;
        double largest = 0.0;
        for (std::size_t i = 0; i < basis.size(); ++i)
            for (std::size_t j = 0; !done[i] && j < basis[i].size(); ++j)
                if (std::abs(basis[i][j]) > (1.0 + 1e-6) * largest) {
                    largest = std::abs(basis[i][j]);
                    row = i;
                    column = j;
                }
        if (largest == 0.0) break;
        done[row] = true;
        const double pivot = basis[row][column];
        for (double& x : basis[row]) x /= pivot;
        for (std::size_t i = 0; i < basis.size(); ++i) {
            if (i == row) continue;
            const double factor = basis[i][column];
            for (std::size_t j = 0; j < basis[i].size(); ++j) basis[i][j] -= factor * basis[row][j];
        }
    }
    for (Vector& x : basis) {
        const auto largest = std::max_element(x.begin(), x.end(), [](double a, double b) {
            return std::abs(a) < std::abs(b) * (1.0 - 1e-6);
        });
        const double unit = *largest;
        for (double& entry : x) entry = nearest_fraction(entry / unit, noise);
    }
    std::sort(basis.begin(), basis.end(),
              [](const Vector& a, const Vector& b) {  // by the first coordinate that moves
                  const auto first = [](const Vector& x) {
                      return std::find_if(x.begin(), x.end(), [](double e) { return e != 0.0; }) -
                             x.begin();
                  };
                  return first(a) < first(b);
              });
    return basis;
}

}  // namespace lacon::diagnosis
