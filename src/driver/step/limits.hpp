// How long a step may be.
#pragma once

#include <optional>

#include "driver/step/run_context.hpp"
#include "locate/breaks.hpp"
#include "locate/calendar.hpp"
#include "locate/features.hpp"
#include "locate/knots.hpp"

namespace lacon::inline driver {

class Steppers;

/// How long a step may be, but for singular positions and what is located within it: to the end of
/// the run, to the knots of measured signals, within what the user allows, a bounded factor longer
/// than the last, and no longer than what is narrow allows.
class StepLimits {
public:
    explicit StepLimits(RunContext& run);

    /// Why there are no equations from the base on: a signal that ends; empty where there are some.
    std::string ended() const;
    /// To the end of the run, or to where a measured signal goes over into its next piece.
    /// `both_sides`: also before a jump.
    double by_breaks(bool both_sides);
    /// What the user allows, and some times the last one. Where nothing happens a step could span
    /// the rest of the run, and what its ends do not show would not be seen.
    double longest(const Steppers& steppers);
    /// A step could have been so long, whatever cuts it short.
    void note_length(double length);

    /// Ends a step before what it may not have seen: where features of the equations leave the
    /// reach of what the step knows of them, and the equations do not agree with it there.
    bool bound_by_features(Steppers& steppers);
    /// Ends a step where the argument of a measured signal passes a knot. The method begins anew
    /// behind it.
    bool end_at_knot(Steppers& steppers);
    bool has_knots() const { return knots_ && !knots_->is_empty(); }
    /// Whether the method has to begin anew after so much: the equations jump there.
    bool jumps_at(double tau) const { return tau == jump_at_; }
    bool has_unforeseen() const { return breaks_->unforeseen() != nullptr; }

    std::unique_ptr<FeatureCheck> features;  // none where the backend has none
    double first_step = INFINITY;            // the most that the next step may be
    double growth = INFINITY;                // the same, as steps grow by a bounded factor

private:
    RunContext& run_;
    std::shared_ptr<const Breaks> breaks_;
    std::unique_ptr<KnotSearch> knots_;
    std::optional<Calendar> calendar_;
    double jump_at_ = INFINITY;  // where in the step the equations jump
};

}  // namespace lacon::driver
