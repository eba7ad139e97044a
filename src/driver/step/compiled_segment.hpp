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
    /// Not before the run has taken `code_at` steps: a mode that is over soon is not worth it.
    void wait_until(std::size_t code_at) { code_at_ = code_at; }
    void choose_code(const State& start);
    void recall_code(const Snapshot& snapshot);
    void compile();
    /// Where that has been waited for.
    void compile_when_due();
    bool exists() const { return steps_ != nullptr; }
    bool is_active() const { return is_active_; }

    /// From careful steps to a segment, where the weakest direction of the constraints is as strong
    /// as usual.
    void begin_where_regular();
    /// One step of the segment; nothing where it is for a careful step. At a cut the mode is over:
    /// `crossings` tells by what.
    enum class Went { on, to_the_end, to_a_cut, stopped };
    std::optional<Went> step();
    const std::vector<Crossing>& crossings() const { return crossings_; }
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
    bool ends_mode() const;
    bool land(double tau);
    void note_end(const FastSteps::StepEnd& end, bool is_cut);
    bool give_rows(double tau);
    void follow_diagnosis(double tau);

    RunContext& run_;
    Parts parts_;
    KernelChoice kernel_;
    std::unique_ptr<FastSteps> steps_;  // none where every step is a careful one
    std::unique_ptr<FastRows> rows_;    // of rows within them
    std::size_t code_at_ = 0;           // there is code from this step of the run on
    bool waits_ = false;                // it has not come to that
    std::vector<Crossing> crossings_;   // of the last step
    bool is_active_ = false;
    bool was_interrupted_ = false;  // by something within the step, not by trouble
    Pause pause_;
    std::vector<State> trail_;  // states of the segment's last steps, the oldest first
};

}  // namespace lacon::driver
