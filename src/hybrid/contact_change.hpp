// What the laws of contact and friction make of the end of a mode.
#pragma once

#include <span>
#include <utility>

#include "hybrid/change_place.hpp"
#include "hybrid/contact_monitor.hpp"
#include "hybrid/impacts.hpp"

namespace lacon::inline hybrid {

/// How a mode has ended, in terms of contacts. Rows and frictions are those of the whole mechanism.
struct ModeEnd {
    std::vector<bool> closed;  // contacts, by row
    Contacts::Leaving leaving;
    std::vector<bool> rests;  // frictions at rest as far as the tolerance can tell
};

/// Decides which contacts are closed, what sticks and what slips from a change on: impacts first,
/// then the accelerations and what they leave. Holds what is in force (`mode`). What is passed in
/// must outlive it.
class ContactChange {
public:
    ContactChange(const DerivedModel& details, const RunPlan& plan, const ChangePlace& place,
                  ModeAccount& account);

    Contacts& laws() { return laws_; }
    const ContactMode& mode() const { return mode_; }
    /// For the monitor of the mode, which opens contacts that it sees left.
    ContactModes& modes() { return mode_.modes; }
    void recall(ContactModes modes, bool forces_unique);

    /// The first mode, from the start of a run; `state` gets its velocities behind impacts.
    Status begin(State& state, const Clock& time);
    /// The mode behind `end`, likewise.
    Status pass(const ModeEnd& end, State& state, const Clock& time);
    /// What a monitor has seen, in terms of contacts: `hit` by number of what it watches, and
    /// frictions that have come to rest (`rested`). Not ok where a gap jumps.
    Status read(ContactMonitor& monitor, std::span<const std::size_t> hit,
                std::span<const std::size_t> rested, const State& state, ModeEnd& end);
    /// A requirement has turned: contacts are closed on which efforts have set something down, as
    /// far as the tolerance can tell.
    void set_down(State& state, ModeEnd& end);
    /// Not ok where contacts that are all but closed leave no way to move.
    Status wedged(const State& state) { return impacts_.wedged(state); }

    /// Frictions that begin to slip in the mode without speed and acceleration; told once.
    std::vector<std::size_t> take_onsets();
    /// How accelerations change as they begin to, where that is known; told once.
    std::vector<double> take_onset_rate() { return std::exchange(onset_rate_, {}); }
    /// What has only touched zero, and may be as far below it as it is known to; told once.
    std::vector<ContactMonitor::Watched> take_grazing() { return std::exchange(grazing_, {}); }
    /// Whether something slides in one of several directions: while it is slow that direction turns
    /// faster than explicit methods can follow. `moved`: also what was sliding before.
    bool slides_in_plane(bool moved) const;

private:
    Status find_closed(const State& state, std::vector<bool>& closed);
    bool grazes(ContactMonitor& monitor, std::size_t i, const State& state) const;
    void choose_onsets(ContactMonitor& monitor, const State& state, ModeEnd& end);
    bool sticks_in_plane() const;
    Status decide(State& state, const Clock& time, ModeEnd end);
    std::vector<double> onset_rate(const State& arrived, const State& state, const ModeEnd& end,
                                   const std::vector<double>& acceleration);
    Contacts::Decision decide_ahead(const State& state, const ModeEnd& end,
                                    Contacts::Decision refused);
    Contacts::Decision lift(const State& state, ModeEnd& end, Contacts::Decision decision);
    Contacts::Leaving lifts(const State& state, const ModeEnd& end, const ContactModes& modes);
    void go_back(Contacts::Decision& later, const Contacts::Decision& latest) const;
    void forget_slips(const State& before, const State& after, const std::vector<bool>& closed,
                      Contacts::Leaving& leaving);
    double first_step(const State& state, const std::vector<double>& acceleration);

    const DerivedModel& details_;
    const RunPlan& plan_;
    const ChangePlace& place_;
    ModeAccount& account_;
    Contacts laws_;
    Impacts impacts_;
    ContactMode mode_;
    std::vector<std::size_t> onsets_;  // frictions that came to the border of their cone
    std::vector<double> onset_rate_;
    std::optional<State> later_;  // a moment behind the end of a mode, had it gone on
    std::vector<ContactMonitor::Watched> grazing_;
};

}  // namespace lacon::hybrid
