// Watches the conditions under which contacts and friction stay as they are.
#pragma once

#include "contact/contacts.hpp"
#include "locate/watch.hpp"

namespace lacon::inline hybrid {

/// Watches what a mode of contact depends on: the gaps that are open, the forces of those that are
/// closed, the cone of what sticks, the speed of what slides. Keeps account of the energy that is
/// lost and of how well the laws are met.
class ContactMonitor : public Monitors {
public:
    struct Watched {
        enum class What { gap, force, cone, speed, frame } what;
        std::size_t number = 0;  // of the model's row or of the friction
        /// Of a cone with a fixed bound that has decisions: its element of the mode, else −1.
        std::ptrdiff_t bound = -1;
    };

    ContactMonitor(const DerivedModel& mode_model, ContactModes& modes, Contacts& contacts,
                   const FieldOptions& options, MotionSummary::Contact& account);

    void follow(const std::vector<double>& branches) override {
        is_new_piece_ = is_new_piece_ || branches != field_.assembler.branches;
        field_.assembler.branches = branches;
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
    /// Decisions within velocities of sliding are those at this place as long as the mode lasts.
    void settle_slips(const State& place);
    std::size_t count() const override { return watched_.size(); }
    void values(const State& state, std::span<Rounded> out) override;
    double value(const State& state, std::size_t i) override;
    std::string continuous(std::size_t i) const override;
    /// Where forces are not unique the contact laws themselves are asked: some forces will do, or
    /// none.
    bool lasts(const State& state, std::span<const double> added = {}) override;
    bool has_verdict() const override { return !mode_model_.forces_unique; }
    bool ground(const State& state, Ground& out) override;
    void note(const Path& path, const Clock& begin, const State& end) override;
    const Watched& watched(std::size_t i) const { return watched_[i]; }
    /// A contact that rested without being needed, and was left since `t`.
    struct Left {
        std::size_t row = 0;
        double t = 0.0;
    };
    std::vector<Left> left;  // of the last step: they are open
    /// The direction in which a friction that sticks is about to slip at a state.
    std::vector<double> slip_direction(const State& state, std::size_t friction);
    /// The rows of slip across the directions of sliding, where it begins, as MethodOptions::still.
    std::vector<std::vector<double>> across_slips(const State& state);
    /// How fast a friction that slides does so, in any direction, beside the largest velocity (at
    /// least 1).
    double slip_speed(const State& state, std::size_t friction);
    /// The frictions that slide in several directions and have come to rest within the last step,
    /// as far as the tolerance can tell. To be asked behind every step.
    std::vector<std::size_t> come_to_rest(const State& state);
    std::vector<std::size_t> onsets;  // frictions that begin to slip without speed and acceleration
    double onset_speed =
        0.0;  // what their speed is known to, beside the largest velocity (at least 1)
    double rest_speed = 0.0;  // below it what slows down is at rest, in the same measure
    /// What a checkpoint has to keep: allowances, and since when idle contacts are being left.
    std::vector<double> memory() const;
    void recall(const std::vector<double>& memory);

private:
    bool solve(const State& state);
    std::ptrdiff_t bound_element(std::size_t friction) const;
    std::vector<bool> closed() const;
    void spend_spare(const State& state);
    void spend_within(const Path& path, const Clock& begin);
    double spare_at(std::size_t i, double t) const;
    void leave_idle(const Path& path, const Clock& begin, const State& end);
    std::vector<double> widest_gaps(const Path& path, const Clock& begin,
                                    std::vector<double> at_end);
    std::optional<double> onset(std::size_t row, const Path& path, const Clock& begin);
    double gap_acceleration(const State& state, std::size_t row);
    static constexpr double slight =
        1e-12;  // acceleration of a gap: 1e-16 for each term of the equations, and room
    void certify(const State& state);
    ContactSolution::Certificate certificate(const State& state);
    void add_losses(const State& state, double weight);
    double value_of(const Watched& one, const State& state, const Contacts::Gaps& gaps);
    double speed(std::size_t friction) const;
    std::span<const double> slip(std::size_t friction) const;

    const DerivedModel& mode_model_;
    ContactModes& modes_;
    Contacts& contacts_;
    MotionSummary::Contact& account_;
    DenseField field_;
    std::unique_ptr<DerivedModel> slips_;        // the velocities of sliding, as rows
    std::unique_ptr<SmoothSystem> slip_smooth_;  // where decisions are within them
    std::unique_ptr<Assembler> slip_assembler_;
    bool slips_are_settled_ = false;
    Residuals slip_;
    std::vector<Watched> watched_;
    std::vector<double>
        spare_;  // of each: how far below zero it may be as long as it is all rounding
    /// Of each: when within the step that is searched it has nothing to spare any more; the step's
    /// begin. Empty: it has all the time.
    std::vector<double> spent_at_;
    double step_begin_ = 0.0;
    std::vector<double> last_speeds_;  // of each friction, at the end of the last step
    std::vector<Left> leaving_;        // idle contacts whose gap has begun to grow
    double piece_begin_ = 0.0;         // since then no decision has turned in this mode
    bool is_new_piece_ = false;        // one has, at the begin of the step
    bool needs_forces_ = false, needs_gaps_ = false, loses_ = false;
    ContactSolution::Certificate verdict_;  // of the last `lasts` without forces added
    Equations equations_;
    std::vector<double> acceleration_, own_,
        multipliers_;  // own_: of the mode's rows; multipliers_: of all rows of the whole
};

using Watching = ContactMonitor::Watched::What;

}  // namespace lacon::hybrid
