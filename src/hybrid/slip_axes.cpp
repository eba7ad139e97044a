// The velocities of least size that slide by given amounts along all axes: w = Bᵀ (B Bᵀ)⁻¹ s, with
// the rows B of slip along the axes.
#include "hybrid/slip_axes.hpp"

#include <algorithm>
#include <cmath>

#include "solve/dense/matrix/square.hpp"

namespace lacon::inline hybrid {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// The direction itself, and unit vectors across it.
std::vector<std::vector<double>> basis(std::span<const double> d) {
    std::vector<std::vector<double>> all{{d.begin(), d.end()}};
    for (std::size_t i = 0; i < d.size() && all.size() < d.size(); ++i) {
        std::vector<double> e(d.size(), 0.0);
        e[i] = 1.0;
        for (const std::vector<double>& other : all) {
            const double share = other[i];
            for (std::size_t k = 0; k < e.size(); ++k) e[k] -= share * other[k];
        }
        const double length = std::sqrt(dot(e, e));
        // Less is an axis that lies along the others; of three orthogonal ones two have more.
        if (length < 0.5) continue;
        for (double& x : e) x /= length;
        all.push_back(std::move(e));
    }
    return all;
}

}  // namespace

void SlipAxes::add(std::span<const double> d, const Matrix& W, std::size_t row,
                   std::span<const double> rates) {
    double largest = 0.0;
    for (const std::vector<double>& e : basis(d)) {
        Axis axis{std::vector<double>(W.cols(), 0.0), 0.0, largest == 0.0};
        for (std::size_t k = 0; k < e.size(); ++k) {
            axis.rate += e[k] * rates[row + k];
            for (std::size_t j = 0; j < W.cols(); ++j) axis.row[j] += e[k] * W(row + k, j);
        }
        const double size = std::sqrt(dot(axis.row, axis.row));
        // The slip has no such component, but for rounding: it is the normal of a contact.
        constexpr double nothing = 1e-9;
        if (size <= nothing * largest) continue;
        largest = std::max(largest, size);
        axes_.push_back(std::move(axis));
    }
}

/// Empty where the slips depend on each other.
std::vector<double> SlipAxes::velocities(std::span<const double> slips) const {
    Matrix products(axes_.size(), axes_.size());
    for (std::size_t i = 0; i < axes_.size(); ++i)
        for (std::size_t k = 0; k < axes_.size(); ++k)
            products(i, k) = dot(axes_[i].row, axes_[k].row);
    const SquareSolution solution = solve_square(products, slips);
    if (solution.determinant == 0.0) return {};
    std::vector<double> w(axes_.front().row.size(), 0.0);
    for (std::size_t i = 0; i < axes_.size(); ++i)
        for (std::size_t j = 0; j < w.size(); ++j) w[j] += solution.x[i] * axes_[i].row[j];
    constexpr double met = 1e-6;  // far above rounding, far below 1
    for (std::size_t i = 0; i < axes_.size(); ++i)
        if (!(std::abs(dot(axes_[i].row, w) - slips[i]) <= met)) return {};
    return w;
}

std::vector<std::vector<double>> SlipAxes::slopes() const {
    std::vector<double> slips;
    for (const Axis& axis : axes_) slips.push_back(axis.is_along ? 1.0 : 0.0);
    if (axes_.empty()) return {};
    const std::vector<double> along = velocities(slips);
    std::vector<std::vector<double>> all;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        if (axes_[i].is_along) continue;
        std::vector<double> slope = axes_[i].row;
        slope.push_back(axes_[i].rate);
        if (!along.empty()) {
            std::vector<double> only(axes_.size(), 0.0);
            only[i] = 1.0;
            const std::vector<double> across = velocities(only);
            if (!across.empty()) {
                slope.insert(slope.end(), along.begin(), along.end());
                slope.insert(slope.end(), across.begin(), across.end());
            }
        }
        all.push_back(std::move(slope));
    }
    return all;
}

}  // namespace lacon::hybrid
