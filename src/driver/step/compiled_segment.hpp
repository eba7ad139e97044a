// Compiled segments: parts of a run that go by whole compiled steps.
#pragma once

#include <optional>

#include "code/fast_steps.hpp"
#include "driver/step/rows.hpp"
#include "driver/step/steppers.hpp"

namespace lacon::inline driver {

/// Far from singular positions, events and the borders of decisions a run goes by whole compiled
/// steps. What they refuse is done by careful steps until the motion is regular again.
class CompiledSegments {
public:
    /// The parts of the run that a segment works with.
    struct Parts {
        Steppers& steppers;
        StepLimits& limits;
        SingularGuard& guard;
        RowWriter& rows;
        Watch& watch;
        Monitors* monitors = nullptr;
        ConditionWatch* diagnosis = nullptr;
    };
    CompiledSegments(RunContext& run, const Parts& parts) : run_(run), parts_(parts) {}

    /// Machine code for accelerations, whole steps and rows, of a start or of what an earlier run
    /// decided; what cannot be compiled is interpreted, and the summary says why.
    void choose_code(const State& start);
    void recall_code(const Snapshot& snapshot);
    void compile();
    bool exists() const { return steps_ != nullptr; }
    bool is_active() const { return is_active_; }

    /// From careful steps to a segment, where the weakest direction of the constraints is as strong
    /// as usual.
    void begin_where_regular();
    /// One step of the segment; nothing where it is for a careful step.
    enum class Went { on, to_the_end, stopped };
    std::optional<Went> step();
    /// Back to careful steps, at the same state. False where they cannot begin there.
    bool end();

    /// As FastSteps::set_noise.
    void take_noise();
    std::size_t rejected() const { return steps_ ? steps_->rejected : 0; }
    void add_to(MotionSummary& summary) const;
    /// True where the segment goes on: then the run needs nothing else.
    bool recall(const Snapshot& snapshot);
    void keep(Snapshot& snapshot) const;

private:
    std::string why_none() const;
    void note_interpreted(const std::string& what, const std::string& why);
    void compile_watch(const kernel::CompileOptions& compile);
    void compile_steps(const kernel::CompileOptions& compile);
    void take(const std::vector<double>& memory);
    bool sees_features(const FastSteps::StepEnd& end);
    bool keeps_energy(const FastSteps::StepEnd& end) const;
    bool give_rows(double tau);
    void follow_diagnosis(double tau);

    RunContext& run_;
    Parts parts_;
    KernelChoice kernel_;
    std::unique_ptr<FastSteps> steps_;  // none where every step is a careful one
    std::unique_ptr<FastRows> rows_;    // of rows within them
    bool is_active_ = false;
    bool was_interrupted_ = false;  // by something within the step, not by trouble
    Pause pause_;
    std::vector<State> trail_;  // states of the segment's last steps, the oldest first
};

}  // namespace lacon::driver
