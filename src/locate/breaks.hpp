// Times at which steps must end because a measured signal has a knot there.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechanics/system/derived_model.hpp"

namespace lacon::inline locate {

/// The times at which a motion meets the knots of measured signals: between two of them every
/// signal is one polynomial. A step that goes over a knot would lose its order, and a Taylor series
/// goes on with the polynomial it began with. So steps end just behind each knot, by some units of
/// rounding, where every way to compute the argument is beyond it; and just before it too where the
/// equations jump there.
///
/// Knots are known beforehand where the argument of a signal is linear in time (t, t − t0, 2 t).
class Breaks {
public:
    explicit Breaks(const DerivedModel& details);

    struct Stop {
        double time = std::numeric_limits<double>::infinity();
        bool jumps = false;  // the equations may be others behind it
    };
    /// The next place where a step should end. `both_sides`: also before a jump.
    Stop after(double t, bool both_sides) const;

    /// Why a motion that goes on from t to `end` has no equations: a signal that ends; empty where
    /// there are some.
    std::string ended(double t, double end) const;
    /// A signal in the equations whose knots are not known beforehand; none where there is none.
    const Curve* unforeseen() const { return unforeseen_.get(); }

private:
    struct Signal {
        std::shared_ptr<const Curve> curve;
        double scale, offset;  // its argument is scale t + offset
        bool jumps;
        double time_of(double x) const { return (x - offset) / scale; }
        double rounding(double time) const;
    };

    void collect(const DerivedModel& details);

    std::vector<Signal> signals_;
    std::shared_ptr<const Curve> unforeseen_;
};

}  // namespace lacon::locate
