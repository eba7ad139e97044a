// Watches the conditions under which contacts and friction stay as they are.
#pragma once

#include "hybrid/allowances.hpp"
#include "hybrid/idle_contacts.hpp"
#include "hybrid/slips.hpp"

namespace lacon::inline hybrid {

/// Watches what a mode of contact depends on: the gaps that are open, the forces of those that are
/// closed, the cone of what sticks, the speed of what slides. Keeps account of the energy that is
/// lost and of how well the laws are met.
///
/// It is made of the forces of the mode (`ModeForces`), the velocities of what slides (`Slips`),
/// the contacts that rest without being needed (`IdleContacts`), and what each quantity may lack
/// by rounding (`Allowances`). All that is passed in must outlive it.
class ContactMonitor : public Monitors {
public:
    struct Watched {
        enum class What { gap, force, cone, speed, frame } what;
        std::size_t number = 0;  // of the model's row or of the friction
        /// Of a cone with a fixed bound that has decisions: its element of the mode, else −1.
        std::ptrdiff_t bound = -1;
        bool is_same(const Watched& other) const {
            return what == other.what && number == other.number;
        }
    };
    /// What speeds of sliding are known to, beside the largest velocity (at least 1).
    struct Speeds {
        double onset = 0.0;  // of what begins to slip
        double rest = 0.0;   // below it what slows down is at rest
    };

    ContactMonitor(const DerivedModel& mode_model, ContactModes& modes, Contacts& contacts,
                   const FieldOptions& options, MotionSummary::Contact& account);

    // Before `begin`.
    Speeds speeds;
    std::vector<std::size_t> onsets;  // frictions that begin to slip without speed and acceleration
    std::vector<Watched> grazing;     // what has just touched zero
    /// Decisions within velocities of sliding are those at this place as long as the mode lasts.
    void settle_slips(const State& place) { slips_.settle(place); }

    void follow(const std::vector<double>& branches) override {
        if (forces_.follow(branches)) idle_.begin_piece();
    }
    void look(const Path& path, const Clock& begin) override;
    bool is_far(std::size_t i) const override {
        return watched_[i].what == Watched::What::gap &&
               contacts_.sight().is_far(watched_[i].number);
    }
    const Sight* sight() const override {
        return contacts_.sight().is_useful() ? &contacts_.sight() : nullptr;
    }
    void begin(const State& state) override;
    std::size_t count() const override { return watched_.size(); }
    void values(const State& state, std::span<Rounded> out) override;
    double value(const State& state, std::size_t i) override;
    std::string continuous(std::size_t i) const override;
    /// Where forces are not unique the contact laws themselves are asked: some forces will do, or
    /// none.
    bool lasts(const State& state, std::span<const double> added = {}) override;
    bool has_verdict() const override { return !mode_model_.forces_unique; }
    /// Contacts::is_undercut, in this mode.
    bool is_undercut(const State& state, const Contacts::Price& price);
    bool ground(const State& state, Ground& out) override;
    void note(const Path& path, const Clock& begin, const State& end) override;

    const Watched& watched(std::size_t i) const { return watched_[i]; }
    /// The state a time later, if the mode goes on.
    State ahead(const State& from, double by);
    /// Whether something that is zero goes below it by no more than it is known to, and comes back.
    bool only_touches(const State& state, std::size_t i, double time);
    /// How far a force, the room in a cone or a speed of sliding is known, by the tolerance.
    double known_to(const State& state, std::size_t i);
    /// The direction in which a friction that sticks is about to slip at a state.
    std::vector<double> slip_direction(const State& state, std::size_t friction);
    /// Slips::across, and Slips::relative_speed.
    std::vector<std::vector<double>> across_slips(const State& state);
    double slip_speed(const State& state, std::size_t friction) {
        return slips_.relative_speed(state, friction);
    }
    /// The frictions that slide in several directions and have come to rest within the last step,
    /// as far as the tolerance can tell. To be asked behind every step.
    std::vector<std::size_t> come_to_rest(const State& state);
    /// The idle contacts that the last step left. Told once.
    std::vector<LeftContact> take_left() { return idle_.take_left(); }

    // What a checkpoint has to keep.
    const std::vector<double>& allowances() const { return allowances_.kept(); }
    const IdleContacts& idle() const { return idle_; }
    void recall(const std::vector<double>& allowances, double piece_begin,
                std::vector<LeftContact> leaving);

private:
    const DerivedModel& whole() const { return *mode_model_.whole; }
    bool watches(Watched::What one, Watched::What other) const;
    std::ptrdiff_t bound_element(std::size_t friction) const;
    bool rests_idle(const Watched& one) const;
    std::vector<bool> closed() const;
    std::vector<Contacts::Leaving::Slip> slipping() const;
    double value_of(const Watched& one, const State& state, const Contacts::Gaps& gaps);
    void note_losses(const Path& path, const Clock& begin);
    void certify(const State& state);
    ContactSolution::Certificate certificate(const State& state);
    void add_losses(const State& state, double weight);

    const DerivedModel& mode_model_;
    ContactModes& modes_;
    Contacts& contacts_;
    MotionSummary::Contact& account_;
    ModeForces forces_;
    Slips slips_;
    IdleContacts idle_;
    Allowances allowances_;
    std::vector<Watched> watched_;
    struct {
        bool forces = false, gaps = false;
    } needs_;                               // what is watched
    std::vector<double> last_speeds_;       // of each friction, at the end of the last step
    ContactSolution::Certificate verdict_;  // of the last `lasts` without forces added
};

using Watching = ContactMonitor::Watched::What;

}  // namespace lacon::hybrid
