// Explicit Runge–Kutta methods as tables: interpreter and compiled steps read the same numbers.
#pragma once

#include <span>
#include <string_view>

namespace lacon::inline methods {

/// An explicit Runge–Kutta method as data.
struct Tableau {
    std::string_view name;
    int order;           // p
    std::size_t stages;  // s that make the step
    /// With the slope at the end and those of the interpolant; stage s is the slope at the end.
    std::size_t all_stages;
    std::size_t degree;  // d of the interpolant
    /// Rows 1, 2, … of the strictly lower triangle (all stages), one after the other.
    std::span<const double> a;
    std::span<const double> c;  // times of the stages
    std::span<const double> b;  // weights of the step (s)
    /// Error estimate (s + 1): of order p − 1 in general; empty for fixed steps.
    std::span<const double> e;
    /// Second estimate (s + 1), of order 3, that damps the first (dop853); empty for none.
    std::span<const double> e3;
    /// Interpolant: y(θ) = y₀ + h Σ_i K_i Σ_j p_ij θ^j, j = 1 … d (all stages × d).
    std::span<const double> p;

    /// The most that slopes which are all wrong by 1 add to the error estimate, or to the step
    /// itself, by h: an estimate of less is not worth a shorter step.
    double noise_gain() const {
        double sum = 0.0;
        for (const double weight : e) sum += weight < 0.0 ? -weight : weight;
        constexpr double least = 2.0;  // the step itself has 1; twice that gains steps of 1.2 times
        return sum > least ? sum : least;
    }
    double a_at(std::size_t i, std::size_t j) const { return a[i * (i - 1) / 2 + j]; }
};

const Tableau& dop853();
const Tableau& dopri5();
const Tableau& rk4();

}  // namespace lacon::methods
