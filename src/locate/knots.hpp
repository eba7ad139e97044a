// Knots of measured signals whose argument depends on the motion.
#pragma once

#include "locate/features.hpp"

namespace lacon::inline locate {

/// Where a motion meets the knots of measured signals whose argument moves with it, as `road(x)`:
/// steps end there, as they do where decisions turn. Arguments that are linear in time are left to
/// Breaks.
class KnotSearch {
public:
    explicit KnotSearch(const DerivedModel& details);

    bool is_empty() const { return which_.empty(); }
    /// The first place in the step where an argument passes a knot; the step's length where none
    /// does.
    double first(const StepPath& path, const Clock& begin);

private:
    double value_at(const StepPath& path, const Clock& begin, double tau, std::size_t feature);
    double leaves(const StepPath& path, const Clock& begin, std::size_t feature, double until);

    FeatureSet set_;
    std::vector<std::size_t> which_;  // of the features
    State state_;
    std::vector<double> operands_, exponents_;
};

}  // namespace lacon::locate
