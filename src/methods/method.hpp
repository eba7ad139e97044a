// Interface of all integration methods.
#pragma once

#include <span>
#include <vector>

#include "methods/clock.hpp"
#include "methods/projection.hpp"

namespace lacon::inline methods {

/// Where a step begins: a state that meets the constraints, with the factorization there.
struct Base {
    Clock time;
    State state;  // state.t is time.now()
    const Projector& projector;
};

/// A way to go on from a state by one step, and to tell every state within the step. It knows the
/// smooth field only; the constraints, events, singular positions and outputs are the driver's
/// (driver/integrate.cpp).
class Method {
public:
    virtual ~Method() = default;

    /// Takes its stand at `base`. `fresh`: the motion before does not continue smoothly into it
    /// (start, switch, cut step). False where the method cannot stand here, or the last step was
    /// not good enough after all: then `at` still tells the last step, and a nearer base may be
    /// tried.
    virtual bool begin(const Base& base, bool fresh) = 0;
    /// Finds a step of at most `limit`. False where no step is short enough.
    virtual bool advance(double limit) = 0;
    /// Of the last step, until `advance` finds another.
    double length() const { return length_; }
    /// How far the step may go where what is lost is lost across the constraints only, and
    /// projection brings it back: over a singular position. At least length().
    virtual double reach() const { return length_; }
    /// Makes the step end elsewhere: 0 < tau ≤ reach().
    void set_length(double tau) { length_ = tau; }
    /// The state within the last step, 0 ≤ tau ≤ reach(); `out.t` is not set.
    virtual void at(double tau, State& out) const = 0;

    /// How far within the step nothing narrow can hide from the method, by what it knows itself
    /// (expr/feature.hpp); 0 where it does not know.
    virtual double clear() const { return 0.0; }
    /// Whether the last `begin` failed because there is no power series at its base.
    virtual bool lacks_series() const { return false; }
    /// Whether `advance` may be called again, for a shorter step from the same place.
    virtual bool can_retake() const { return false; }
    /// The order by which its steps adapt to the motion; 0 for fixed steps.
    virtual std::size_t adaptive_order() const { return 0; }

    /// Of an implicit method: how many times shorter its last step would have had to be for an
    /// explicit one, about.
    virtual double stiffness() const { return 0.0; }

    /// Takes the step of this length from `base` once more, whatever its error, so that `at` tells
    /// the states within it. False for methods that cannot.
    virtual bool retrace(const Base&, double) { return false; }

    /// Projector::added_mass for rows within the step.
    virtual const std::vector<double>& added_mass() const {
        static const std::vector<double> none;
        return none;
    }

    /// What rounding alone does to (q, q') (2n) where the method projects, of which it takes no
    /// notice; empty where that does not matter.
    virtual std::span<const double> jitter() const { return {}; }

    /// What must be kept, beside base and branches, to go on with the same bits; and how to take it
    /// up.
    virtual std::vector<double> memory() const { return {}; }
    virtual void recall(const std::vector<double>&) {}
    /// Whether the next step begins with nothing but base and memory(): a place for a checkpoint.
    virtual bool is_resumable() const { return true; }
    std::size_t rejected = 0;

protected:
    double length_ = 0.0;
};

struct MethodOptions {
    double tolerance = 1e-10;
    double step = 0.0;              // of methods with a fixed step
    double series_tolerance = 0.0;  // that the order of series is for; 0: the tolerance
    /// Where friction begins to slide, how accelerations change at first: a row of n, the rate
    /// along it; then, if known, velocities that slide along and across the direction (n, n).
    std::vector<std::vector<double>> still = {};
    /// Or how they change at first (n), where that is known.
    std::vector<double> rate = {};
};

/// Error weight of a value: relative above 1, absolute below.
inline double error_scale(double x) {
    return x < -1.0 ? -x : x > 1.0 ? x : 1.0;
}

}  // namespace lacon::methods
