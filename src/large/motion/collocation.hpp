// Steps of a large system from states at which the motion has no power series.
#pragma once

#include <optional>

#include "large/motion/field.hpp"
#include "locate/features.hpp"
#include "methods/method.hpp"

namespace lacon::inline large {

/// A short step from where there is no power series, though there is an acceleration: drag at rest,
/// a root or a power that begins at zero. There the accelerations along the step are a polynomial
/// through their own values at some places within it (collocation at Chebyshev's points), found by
/// going over it again and again (Picard). Where a cosh overflows, series end too: so a step goes
/// no further than the features of the equations can be told from it (locate/features.hpp).
class SparseCollocation final : public Method {
public:
    /// `degree` of the polynomial: 2 at least.
    SparseCollocation(SparseField& field, std::size_t degree, double tolerance);

    bool begin(const Base& base, bool fresh) override;
    bool advance(double limit) override;
    void at(double tau, State& out) const override;
    std::size_t adaptive_order() const override { return degree_; }

private:
    void state_at(double part, State& out) const;
    bool evaluate();
    double fit();
    double error() const;
    bool converges();
    bool tells_features();

    SparseField& field_;
    std::size_t degree_;
    double tolerance_;
    std::vector<double> nodes_;  // parts of the step, the first 0
    std::vector<std::vector<double>>
        inverse_;  // from values at the nodes to coefficients in parts of the step
    std::vector<std::vector<double>> values_, coefficients_;  // (degree + 1) × n
    double h_ = 0.0, last_ = 0.0;  // lengths: that the coefficients are for, that found last
    State begin_;                  // of the last step
    struct {
        State state;
        std::vector<double> acceleration;
    } next_;  // where the one to come begins
    bool taken_up_ = true;
    SparseSolution solution_;
    State state_;
    struct {
        std::optional<FeatureSet> set;  // from the first step on
        std::vector<FeatureSet::Sample> samples;
        std::vector<double> middle, exponents;
    } features_;
};

}  // namespace lacon::large
