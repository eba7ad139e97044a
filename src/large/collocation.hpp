// Steps of a large system from states at which the motion has no power series.
#pragma once

#include "large/field.hpp"

namespace lacon {

/// A short step from where there is no power series, though there is an acceleration: drag at rest,
/// a root or a power that begins at zero. There the accelerations along the step are a polynomial
/// through their own values at some places within it (collocation at Chebyshev's points), found by
/// going over it again and again (Picard).
class LargeCollocation {
public:
    /// `degree` of the polynomial: 2 at least.
    LargeCollocation(LargeField& field, std::size_t degree, double tolerance);

    /// From a state with this acceleration: finds the step, no longer than `limit`, and its length;
    /// false where no step is short enough. Uses the factorization up.
    bool find(const State& begin, const std::vector<double>& acceleration, double limit);
    double length() const { return h_; }
    /// Coefficient k ≤ degree of the accelerations, by powers of the time since the begin.
    void coefficient(std::size_t k, std::vector<double>& out) const;

private:
    void state_at(const State& begin, double part, State& out) const;
    bool evaluate(const State& begin);
    double fit();
    double error(const State& begin) const;
    bool converges(const State& begin);

    LargeField& field_;
    std::size_t degree_;
    double tolerance_;
    std::vector<double> nodes_;  // parts of the step, the first 0
    std::vector<std::vector<double>>
        inverse_;  // from values at the nodes to coefficients in parts of the step
    std::vector<std::vector<double>> values_, coefficients_;  // (degree + 1) × n
    double h_ = 0.0, last_ = 0.0;
    LargeSolution solution_;
    State state_;
};

}  // namespace lacon
