// Step size control for methods with an error estimate.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace lacon::inline methods {

/// An estimate may be so many times what rounding alone may make of it: then a step that is all
/// rounding may grow, and it settles where the method's own error begins to show.
constexpr double noise_share = 2.0;

/// The length of the next step from the error of the last: a proportional-integral rule (Hairer,
/// Nørsett, Wanner I, II.4; Gustafsson).
struct StepControl {
    double step = 0.0, last_error = 1.0;
    bool was_rejected = false;

    /// A step of this length had an error of `error` tolerances, at most 1.
    void accept(double length, double error, int order) {
        // beta is Gustafsson's; 0.9, 0.2 and 6 are usual values of such rules (safety, and how much
        // a step may shrink or grow). 1e-10 and 1e-4 keep the powers finite where the error is
        // zero.
        const double p = order, beta = 0.4 / p;
        const double raw = 0.9 * std::pow(std::max(error, 1e-10), -1.0 / p + 0.75 * beta) *
                           std::pow(last_error, beta);
        const double factor = std::clamp(raw, 0.2, was_rejected ? 1.0 : 6.0);
        last_error = std::max(error, 1e-4);
        if (!(length < step)) step = length * factor;  // cut by the end of the run: kept
        was_rejected = false;
    }
    /// It failed another check than that of the error.
    void refuse(double length) { step = 0.3 * length; }
    /// It had a larger one, or none that is a number.
    void reject(double length, double error, int order) {
        // Not below a tenth at once, and not by less than a tenth.
        step = length * (std::isfinite(error)
                             ? std::clamp(0.9 * std::pow(error, -1.0 / order), 0.1, 0.9)
                             : 0.1);
        was_rejected = true;
    }

    /// For checkpoints (Method::memory).
    std::vector<double> memory() const { return {step, last_error, was_rejected ? 1.0 : 0.0}; }
    static StepControl recalled(const std::vector<double>& memory) {
        return {memory.at(0), memory.at(1), memory.at(2) != 0.0};
    }
};

}  // namespace lacon::methods
