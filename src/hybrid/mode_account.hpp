// The books of a run with modes: events of changes, energy that is lost, methods of the modes.
#pragma once

#include <map>

#include "contact/contacts.hpp"
#include "driver/integrate.hpp"

namespace lacon::inline hybrid {

/// What contacts and friction do in a mode.
struct ContactMode {
    ContactModes modes;
    bool forces_unique = true;
    std::vector<bool> moved;       // of each friction: it was sliding before the mode
    double first_step = INFINITY;  // the most that the first step of the mode may be
    /// Of frictions that began to slip before the mode, by what was rounding then: since when.
    std::map<std::size_t, double> slipped_since = {};
};

/// The steps that the last modes have lasted, all times together. Heaps have thousands of modes
/// that hardly last; others a few that return.
class ModeLengths {
public:
    /// The mode with these rows begins at this step of the run, or goes on from a checkpoint. Says
    /// from which step on there is code of it.
    std::size_t begin(const ModeRows& rows, std::size_t unknowns, std::size_t step);

    std::size_t begin_step() const { return begin_step_; }
    const std::vector<ModeLength>& kept() const { return lengths_; }
    /// `rows`: of the mode that is in force.
    void recall(const ModeRows& rows, std::size_t begin_step, std::vector<ModeLength> lengths);

private:
    std::vector<ModeLength> lengths_;  // the last one in front
    std::size_t begin_step_ = 0;       // of the mode in force, which is in front
};

/// What is noted of a run beside what each integration notes of its own mode.
///
/// Events of a change are held back until the next mode has begun (`close_change`): they come
/// behind those of the mode before, and a change that cannot be ended still tells them.
class ModeAccount {
public:
    /// `impacts`: their law, noted for mechanisms with one-sided constraints.
    ModeAccount(const DerivedModel& details, ImpactLaw impacts);

    void note(const Clock& time, EventKind kind, const std::string& name);
    void note_impact(const Contacts::Impact& impact, const Clock& time);
    /// Energy that was lost without an event.
    void note_lost(const Contacts::Impact& impact);
    /// `settled`: rows whose contact has an event of its own.
    void note_changes(const ContactModes& before, const ContactMode& now,
                      const std::vector<bool>& settled, const Clock& time);
    void note_saturation(const ControlSet& before, const ControlSet& now, const Clock& time);
    void note_method(const Integration& mode);

    /// What held from the begin of the run on is no event.
    void forget_first_changes();
    /// Takes the events of a mode that has ended: the next one begins without, as to hand all of
    /// them on at every change would take the square of their number.
    void take_events(MotionSummary& ended);
    void close_change();

    /// Of modes without forces that depend on loads: chosen once.
    MethodKind usual_method() const { return usual_method_; }
    MotionSummary::Contact& contact() { return contact_; }
    const MotionSummary::Contact& contact() const { return contact_; }
    std::vector<MotionSummary::Control>& controls() { return controls_; }

    void note_in(Snapshot& snapshot) const;
    void resume(const Snapshot& snapshot);
    void note_in(MotionSummary& summary) const;

private:
    bool turns(const ContactModes& before, const ContactModes& now, std::size_t friction) const;

    const DerivedModel& details_;
    std::vector<MotionEvent> told_;     // of the modes before
    std::vector<MotionEvent> current_;  // of the change under way
    MotionSummary::Contact contact_;
    std::vector<MotionSummary::Control> controls_;
    MethodKind usual_method_ = MethodKind::automatic;
};

}  // namespace lacon::hybrid
