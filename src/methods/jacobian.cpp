// One factorization, then one solve for each of the 2n directions, with derivatives of M, Q, A, b
// on the right. With controls the columns are central differences, because efforts have no
// derivatives of their own.
#include "methods/jacobian.hpp"

#include <algorithm>
#include <cmath>

#include "solve/dense/matrix/spectrum.hpp"

namespace lacon::inline methods {

namespace {

/// By differences: what efforts do to the acceleration has no derivatives of its own.
bool jacobian_by_differences(DenseField& field, const State& state, Matrix& J) {
    const std::size_t n = field.n();
    constexpr double relative = 6e-6;  // about the cube root of a rounding unit
    std::vector<double> above(n), below(n);
    J = Matrix(n, 2 * n);
    for (std::size_t column = 0; column < 2 * n; ++column) {
        State moved = state;
        double& x = column < n ? moved.q[column] : moved.v[column - n];
        const double middle = x, h = relative * std::max(1.0, std::abs(middle));
        x = middle + h;
        if (!field.acceleration(moved, above)) return false;
        x = middle - h;
        if (!field.acceleration(moved, below)) return false;
        for (std::size_t i = 0; i < n; ++i) J(i, column) = (above[i] - below[i]) / (2.0 * h);
    }
    return true;
}

}  // namespace

bool acceleration_jacobian(DenseField& field, const State& state, Matrix& J) {
    if (field.controller) return jacobian_by_differences(field, state, J);
    const std::size_t n = field.n(), m = field.m();
    Equations eq;
    ConstrainedFactor factor;
    if (!field.equations(state, eq)) return false;
    ++field.counters.factorizations;
    if (field.factor(factor, eq.M, eq.A, field.options.solve) != Outcome::ok) return false;
    std::vector<double> a(n), lambda(m);
    factor.solve({eq.M, eq.A, 1}, eq.Q, eq.b, a, lambda);

    Matrix f(2 * n, n), r(2 * n, m);  // right-hand sides, one row a direction
    field.assembler.rates(state, [&](const Assembler::Rates& rates) {
        const auto row = static_cast<std::size_t>(rates.element.row);
        for (std::size_t o = 0; o < rates.values.size(); ++o) {
            const double d = rates.values[o];
            if (d == 0.0) continue;
            const Entry entry = rates.entries[o];
            const std::size_t i = rates.leaf[entry.i], j = rates.leaf[entry.j];
            switch (entry.target) {
                case Entry::Target::mass:
                    f(rates.column, i) -= d * a[j];
                    if (i != j) f(rates.column, j) -= d * a[i];
                    break;
                case Entry::Target::mass_single: f(rates.column, i) -= d * a[j]; break;
                case Entry::Target::force: f(rates.column, i) += d; break;
                case Entry::Target::row:
                    f(rates.column, j) += d * lambda[row];
                    r(rates.column, row) -= d * a[j];
                    break;
                case Entry::Target::right: r(rates.column, row) += d; break;
                default: break;
            }
        }
    });
    J = Matrix(n, 2 * n);
    std::vector<double> x(n), ignored(m);
    for (std::size_t column = 0; column < 2 * n; ++column) {
        factor.solve(f.row(column), r.row(column), x, ignored);
        for (std::size_t i = 0; i < n; ++i) {
            J(i, column) = x[i];
            if (!std::isfinite(x[i])) return false;
        }
    }
    return true;
}

void own_resistance(DenseField& field, const State& state, Resistance& out) {
    const std::size_t n = field.n();
    out.stiffness.assign(n, 0.0);
    out.damping.assign(n, 0.0);
    field.assembler.rates(state, [&](const Assembler::Rates& rates) {
        for (std::size_t o = 0; o < rates.values.size(); ++o) {
            if (rates.entries[o].target != Entry::Target::force) continue;
            const std::size_t i = rates.leaf[rates.entries[o].i];
            if (rates.column == i) out.stiffness[i] -= rates.values[o];
            if (rates.column == n + i) out.damping[i] -= rates.values[o];
        }
    });
}

bool fastest_rates(DenseField& field, const State& state, Rates& rates) {
    const std::size_t n = field.n();
    Matrix J;
    if (!acceleration_jacobian(field, state, J)) return false;
    Matrix whole(2 * n, 2 * n);
    for (std::size_t i = 0; i < n; ++i) {
        whole(i, n + i) = 1.0;
        for (std::size_t j = 0; j < 2 * n; ++j) whole(n + i, j) = J(i, j);
    }
    rates = {};
    for (const auto& value : eigenvalues(whole)) {
        const bool decays = -value.real() > 0.5 * std::abs(value);  // at least as much as it swings
        double& rate = decays ? rates.decay : rates.other;
        rate = std::max(rate, std::abs(value));
    }
    return true;
}

}  // namespace lacon::methods
