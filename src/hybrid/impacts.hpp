// Impacts between two modes: contacts that collide, settle, and come to rest.
#pragma once

#include "driver/plan/plan.hpp"
#include "hybrid/mode_account.hpp"

namespace lacon::inline hybrid {

/// What happens to velocities where contacts close: impacts by the law of the run, bounces that are
/// too low to go on, and rest as far as the tolerance can tell. Rows and frictions are numbered as
/// in the whole mechanism. All that is passed in must outlive it.
class Impacts {
public:
    Impacts(const DerivedModel& details, Contacts& laws, const RunPlan& plan, ModeAccount& account);

    /// Impacts where closed contacts approach: gives the velocities after, notes what happened, and
    /// leaves those `closed` that do not open again.
    Status collide(State& state, const Clock& time, std::vector<bool>& closed);
    /// The rows whose bounces came to their end in the last `collide`.
    const std::vector<bool>& settled() const { return settled_; }

    /// In which of several directions things slip, at speeds at which friction stops them within
    /// less than the tolerance can tell, is chance. The law may have no answer for such directions,
    /// as it has for rest. False where there is no rest either.
    bool bring_to_rest(State& state, const std::vector<bool>& closed);
    /// What has come to rest as far as the tolerance can tell is at rest for the laws too:
    /// frictions that stick (`modes`), and these.
    void bring_to_rest(State& state, std::vector<bool> closed, std::vector<bool> frictions,
                       const ContactModes& modes);
    /// Not ok where contacts that are all but closed leave no way to move.
    Status wedged(const State& state);

private:
    double slow(const State& state, const std::vector<bool>& closed);
    double lowest_bounce(const State& state) const;
    bool is_closed_position(const std::vector<bool>& closed, std::size_t row) const {
        return closed[row] && details_.system.levels[row] == Level::position;
    }
    /// One collision under way.
    struct Collision {
        const State& before;
        const Clock& time;
        const std::vector<bool>& closed;
        std::vector<bool> rests = {};  // rows that are too slow to open
        Contacts::Impact impact = {};  // no velocity: there was none
    };
    void stop_dead(Collision& collision, State& state);
    void settle(const Collision& collision, const State& thrown, State& state);
    /// Bounces that are too low to go on.
    struct Bounces {
        std::vector<double> restitution, rate;  // of each row
        std::vector<bool> rows;                 // which of them
    };
    void note_settled(const Collision& collision, const Bounces& low, const State& state);
    void close_again(const State& state, double slow, std::vector<bool>& closed, bool changed);

    const DerivedModel& details_;
    Contacts& laws_;
    ModeAccount& account_;
    Contacts::Law law_;
    double tolerance_;
    std::vector<bool> settled_;
};

}  // namespace lacon::hybrid
