// A run through impacts, changes of contact and friction, and saturation of controls.
#pragma once

#include <map>

#include "driver/any_run.hpp"
#include "driver/integrate.hpp"
#include "hybrid/contact_monitor.hpp"
#include "hybrid/control_monitor.hpp"
#include "large/choose.hpp"

namespace lacon::inline hybrid {

/// A run whose constraints may change on the way: phases, each an ordinary motion, and between them
/// what the laws of contact and friction say: impacts, contacts that open and close, what begins to
/// stick or to slip. A model without such constraints has one phase. A large system's run goes over
/// singular positions with the dense backend, and on from there with the sparse one; rows, events,
/// sums and checkpoints go on.
class HybridRun final : public AnyRun {
public:
    HybridRun(const DerivedModel& details, RunPlan plan, const std::vector<StartOverride>& start,
              RowSink sink, const SolverChoice& solver = {});
    ~HybridRun() override;

    bool begin() override;
    bool resume(const Snapshot& snapshot) override;
    bool step() override;
    void interrupt() override;
    void stop_when(std::function<bool()> asked) override;
    bool is_resumable() const override { return phase_->is_resumable(); }
    Snapshot snapshot() const override;
    const std::vector<std::string>& names() const override { return phase_->names(); }
    const Status& status() const override { return status_ ? phase_->status() : status_; }
    const Start& start() const override { return start_; }
    const State& state() const override { return phase_->state(); }
    double last_length() const override { return phase_->last_length(); }
    std::uint64_t rows() const override { return phase_->rows(); }
    std::size_t steps() const override { return phase_->steps(); }
    MotionSummary summary() const override;
    std::span<const MotionDiagnosis::Warning> warnings() const override {
        return phase_->warnings();
    }

private:
    bool is_phased() const {
        return details_.has_contacts() || !details_.system.nonideal.empty() ||
               details_.has_controls();
    }
    std::unique_ptr<Integration> make_integration(const DerivedModel& details, const RunPlan& plan,
                                                  Monitors* monitors = nullptr);
    void take_backend(bool sparse);
    bool hand_over();
    bool hand_back();
    DerivedModel& phase_details();
    void make_mode_run();

    // Between two phases.
    bool change(const std::vector<std::size_t>& rested);
    void rest(State& state, std::vector<bool> closed, std::vector<bool> rests);
    bool grazes(const State& state, std::size_t friction, const std::vector<bool>& closed);
    void drop_false_onsets(const State& state, const std::vector<bool>& closed,
                           Contacts::Leaving& leaving);
    bool decide(State& state, const Clock& time, std::vector<bool> closed,
                Contacts::Leaving leaving);
    Contacts::Decision decided_ahead(const State& state, const std::vector<bool>& closed,
                                     const Contacts::Leaving& leaving, Contacts::Decision refused);
    void forget_slips(const State& before, const State& after, const std::vector<bool>& closed,
                      Contacts::Leaving& leaving);
    bool come_to_rest(State& state, const std::vector<bool>& closed);
    bool wedged(const State& state);
    bool enter(Snapshot snapshot, const State& state);
    bool steer(const State& state, const Clock& time);
    Status hold_lost(const State& state) const;
    std::vector<double> control_numbers() const;
    std::vector<double> recall_control(const std::vector<double>& numbers);
    void note_saturation(const ControlSet& before, const ControlSet& now, const Clock& time);
    bool collide(State& state, const Clock& time, std::vector<bool>& closed);
    double slow(const State& state, const std::vector<bool>& closed);
    double lowest_bounce(const State& state) const;
    void stop_dead(const State& before, State& state, const std::vector<bool>& closed,
                   const std::vector<bool>& rests, Contacts::Impact& impact);
    void note_impact(const Contacts::Impact& impact, const Clock& time);
    void settle(const State& before, const State& thrown, State& state, const Clock& time,
                const std::vector<bool>& closed, const std::vector<bool>& rests);
    bool turns(const ContactModes& before, std::size_t friction) const;
    bool slides_in_plane(bool moved) const;
    State nudged(const State& state, double by) const;
    Status jumped(std::size_t row, double gap, double t) const;
    bool stays_in_kink(const std::vector<std::size_t>& hit);
    Status kink(std::size_t row, double t) const;
    void note_left();
    void note_changes(const ContactModes& before, const Clock& time);
    void note(const Clock& time, const char* kind, const std::string& name);
    double first_step(const State& state, const std::vector<double>& acceleration);
    double step_in_place() const;
    bool fail(Status status);

    const DerivedModel& details_;
    RunPlan plan_;
    bool is_sparse_ = false;      // the backend, now
    bool may_hand_over_ = false;  // from the sparse one to the dense one, and back
    Snapshot::Handover handover_;
    std::vector<StartOverride> overrides_;
    RowSink sink_;
    Start start_;
    Status status_;  // of what happens between phases
    std::unique_ptr<Contacts> contacts_;
    Contacts::Law law_ = Contacts::Law::simultaneous;
    ContactModes modes_;
    bool unique_ = true;               // the forces of the phase
    unsigned turns_in_place_ = 0;      // of decisions in rows of contacts, at one time
    double first_step_ = INFINITY;     // of the phase that begins
    std::vector<MotionEvent> events_;  // between phases
    std::vector<MotionEvent> told_;    // of the phases before
    std::vector<bool> settled_;        // rows that settled in this change
    std::vector<bool> moved_;          // frictions that were sliding before it
    std::vector<std::size_t> onsets_;  // frictions that came to the border of their cone
    double nudge_ = 0.0;               // how far behind it decisions of the equations are taken
    MotionSummary::Contact account_;
    ControlMonitor::Account control_account_;
    double usual_step_ = 0.0;  // length of late, where a change of what is in force is looked ahead
    std::vector<double> missed_later_;  // of each requirement, a moment after a change
    std::optional<ControlSet>
        control_set_;  // in force, where efforts follow different laws from place to place
    std::map<ModeRows, std::unique_ptr<DerivedModel>> phases_;
    std::unique_ptr<ContactMonitor> monitor_;
    std::unique_ptr<ControlMonitor> control_monitor_;  // around it, of a mechanism with controls
    std::unique_ptr<Integration> phase_;
    std::function<bool()> stop_asked_;
    double last_change_ = -INFINITY;
    std::size_t changes_in_place_ = 0;
};

}  // namespace lacon::hybrid
