// What of a run is compiled: accelerations for the methods that ask for them, whole steps, rows,
// decisions and events. Without machine code they are interpreted, and the summary says why.
#include <fmt/format.h>

#include <algorithm>

#include "driver/step/compiled_segment.hpp"
#include "kernel/target.hpp"
#include "methods/methods.hpp"
#include "state/evaluate.hpp"

namespace lacon::inline driver {

void CompiledSegments::choose_code(const State& start) {
    if (!run_.backend.can(Capability::compiled_segments) || run_.plan.options.interpret) return;
    kernel_ = choose_kernel(evaluate_without_outputs(run_.details, start, run_.plan.options.solve));
    kernel_.lasting = !kernel_.dependent.empty() && run_.field.depends_where_met(start);
}

void CompiledSegments::recall_code(const Snapshot& snapshot) {
    kernel_ = snapshot.kernel;
}

void CompiledSegments::compile() {
    if (!run_.backend.can(Capability::compiled_segments)) return;  // its code belongs to itself
    Field& field = run_.field;
    run_.account.summary.code = {};
    std::string& why = run_.account.summary.code.why;
    if (run_.plan.options.interpret) why = "as requested";
    else if (!kernel_.definite)
        why = "the mass matrix is singular, or constrained masses differ too much";
    else if (field.has_loads()) why = "forces depend on constraint loads";
    else if (field.has_efforts()) why = "control efforts are not compiled";
    if (!why.empty()) return;
    kernel::CompileOptions options;
    options.isa = *kernel::isa_named(run_.plan.options.target);
    options.cache = run_.plan.options.cache;
    try {
        if (!parts_.steppers.traits().by_series)
            field.compiled = std::make_unique<CompiledAcceleration>(
                run_.details, field.smooth, kernel_,
                CompiledAcceleration::Options{run_.plan.options.solve.rank_tol, options,
                                              field.options.baumgarte});
    } catch (const std::runtime_error& reason) {
        why = reason.what();
    }
    compile_watch(options);
    compile_steps(options);
}

/// Slower, the same but for rounding. What stands in the way of all of it is said once.
void CompiledSegments::note_interpreted(const std::string& what, const std::string& why) {
    std::string& told = run_.account.summary.code.why;
    if (told.find(why) != std::string::npos) return;
    told += fmt::format("{}{}: {}", told.empty() ? "" : "; ", what, why);
}

void CompiledSegments::compile_watch(const kernel::CompileOptions& compile) {
    if (parts_.watch.is_empty()) return;
    try {
        parts_.watch.compiled = std::make_unique<FastWatch>(
            run_.details, run_.field.smooth, kernel_, run_.plan.options.solve.rank_tol, compile,
            parts_.watch.events());
    } catch (const std::runtime_error& reason) {
        note_interpreted("events and decisions are interpreted", reason.what());
    }
}

/// For methods with step control, constraints by projection, and nothing to be located within a
/// step that cannot tell its states.
std::string CompiledSegments::why_none() const {
    const MethodTraits& method = parts_.steppers.traits();
    const auto& stabilized = run_.details.system.stabilized;
    const bool by_series = method.by_series;
    if (!method.has_compiled_steps) return "only dop853, dopri5 and taylor have them";
    if (!by_series && run_.field.smooth.branch_count > 0)
        return "the model has decisions (if, abs, sign, min, max, floor)";
    if (!by_series && !run_.details.model.events.empty()) return "the model has events";
    if (!by_series && parts_.monitors) return "contacts interrupt the steps";
    if (std::find(stabilized.begin(), stabilized.end(), true) != stabilized.end())
        return "constraints have `stabilize`";
    if (!run_.plan.projects()) return "constraints are not met by projection";
    if (run_.plan.options.strict) return "--strict needs every change of rank";
    return {};
}

void CompiledSegments::compile_steps(const kernel::CompileOptions& compile) {
    const auto none = [&](const std::string& why) {
        note_interpreted("steps are not compiled as a whole", why);
    };
    if (const std::string why = why_none(); !why.empty()) return none(why);
    const Field& field = run_.field;
    if (field.compiled && field.compiled->in_loops())
        return none("the accelerations alone are too long for straight-line code");
    FastSteps::Options options;
    options.rank_tol = run_.plan.options.solve.rank_tol;
    options.tolerance = run_.plan.tolerance;
    options.series_tolerance = run_.plan.series_tolerance;
    options.compile = compile;
    const MethodTraits& method = parts_.steppers.traits();
    try {
        steps_ = method.by_series ? make_fast_taylor(run_.details, field.smooth, kernel_, options)
                                  : make_fast_runge_kutta(run_.details, field.smooth, kernel_,
                                                          method.tableau(), options);
    } catch (const std::runtime_error& reason) {
        return none(reason.what());
    }
    try {
        if (parts_.rows.has_sink())
            rows_ = std::make_unique<FastRows>(run_.details, field.smooth, kernel_,
                                               options.rank_tol, compile, parts_.rows.outputs());
    } catch (const std::runtime_error& reason) {
        note_interpreted("rows are interpreted", reason.what());
    }
}

/// What the code of a run came to.
void CompiledSegments::add_to(MotionSummary& summary) const {
    if (!run_.backend.can(Capability::compiled_segments)) return;
    const CompiledField* accelerations = run_.field.compiled.get();
    const std::string why = summary.code.why;
    if (accelerations) summary.code = accelerations->summary();
    if (steps_) {
        if (accelerations) add(steps_->summary(), summary.code);
        else summary.code = steps_->summary();
        if (rows_) add(rows_->summary(), summary.code);
        summary.code.whole_steps = true;
        summary.evaluations += steps_->evaluations;
        summary.factorizations += steps_->evaluations;
        summary.rejected += steps_->rejected;
    }
    if (parts_.watch.compiled && (steps_ || accelerations))
        add(parts_.watch.compiled->summary(), summary.code);
    summary.code.why = why;
}

}  // namespace lacon::driver
