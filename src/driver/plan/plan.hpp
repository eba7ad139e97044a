// The plan of a run: RunOptions with everything decided.
#pragma once

#include <cmath>
#include <string>

#include "lacon/motion.hpp"
#include "mechanics/system/derived_model.hpp"
#include "methods/field.hpp"

namespace lacon::inline driver {

/// RunOptions with everything decided.
struct RunPlan {
    double begin = 0.0, end = 0.0, every = 0.0, tolerance = 0.0, step = 0.0, max_step = INFINITY;
    bool tolerance_given = true;  // where not, each method has its own (default_tolerance)
    MethodKind method = MethodKind::automatic;
    ImpactLaw impacts = ImpactLaw::simultaneous;
    RunOptions options;
    /// Of the second motion of a verification: the order of series is that of this tolerance, so
    /// that they are compiled once, and the values of the start are moved by a unit in the last
    /// place.
    double series_tolerance = 0.0;
    bool is_second = false;

    /// Whether steps are brought back to the constraints by projection.
    bool projects() const { return options.stabilize == Stabilize::project; }
};

/// Throws std::invalid_argument with a sentence for what makes no sense.
RunPlan plan_run(const DerivedModel& details, const RunOptions& options);

FieldOptions field_options(const RunPlan& plan);

/// Whether this machine has the instructions that the run was planned for.
bool runs_here(const RunPlan& plan);

/// Whether the equations change on the way, by contacts, friction, loads or limits of controls:
/// backward differentiation and Adams, which live on what was before, are not for that.
bool changes_on_the_way(const DerivedModel& details);

}  // namespace lacon::driver
