// Watches the conditions under which the efforts of the controls follow one smooth law.
#pragma once

#include "control/requirement_turns.hpp"
#include "hybrid/contact_monitor.hpp"
#include "hybrid/control_books.hpp"

namespace lacon::inline hybrid {

/// Watches, beside what contacts do (`contacts`), what the efforts of a mode depend on: free
/// efforts stay within their limits, one-sided requirements that are idle stay met, contacts that
/// are closed and stick let all be met, and the decisions within requirements do not turn
/// meanwhile; whether what is at its limit or at its border would be so if it were decided anew;
/// and whether the efforts would be better if a contact opened or something slipped. What it notes
/// is in `ControlBooks`.
class ControlMonitor : public Monitors {
public:
    /// All that is passed in must outlive it.
    ControlMonitor(const DerivedModel& mode_model, ContactMonitor& contacts,
                   const SolveOptions& options, ControlBooks::Account& account);

    void follow(const std::vector<double>& branches) override { contacts_.follow(branches); }
    void look(const Path& path, const Clock& begin) override { contacts_.look(path, begin); }
    bool is_far(std::size_t i) const override {
        return i < contacts_.count() && contacts_.is_far(i);
    }
    const Sight* sight() const override { return contacts_.sight(); }
    void begin(const State& state) override;
    std::size_t count() const override { return contacts_.count() + watched_.size(); }
    void values(const State& state, std::span<Rounded> out) override;
    double value(const State& state, std::size_t i) override;
    std::string continuous(std::size_t i) const override {
        return i < contacts_.count() ? contacts_.continuous(i) : std::string();
    }
    bool lasts(const State& state, std::span<const double> added = {}) override;
    bool has_verdict() const override {
        return contacts_.has_verdict() || mode_model_.control_set || controller().contacts_give();
    }
    bool ground(const State& state, Ground& out) override { return contacts_.ground(state, out); }
    void note(const Path& path, const Clock& begin, const State& end) override;
    void row(const State& state, std::span<double> out) override { books_.row(state, out); }

    /// Whether this monitor says that the actuators come to a singular position, where they lose
    /// hold of what is required.
    bool is_hold(std::size_t i) const;

    /// Whether it says that a decision within a requirement turns.
    bool is_turn(std::size_t i) const;

    /// How much of each requirement is missed a moment after the begin, where efforts at their
    /// limits are in force; empty: not known. To be set before `begin`.
    void expect_missed(std::vector<double> missed) { expected_ = std::move(missed); }

    const std::vector<double>& spare() const { return spare_; }
    void set_spare(std::vector<double> spare) {
        spare_ = std::move(spare);
        spare_.resize(watched_.size(), 0.0);
    }

private:
    struct Watched {
        enum class What { low, high, row, hold, met, turn } what;
        std::size_t number = 0;  // of the actuator, the requirement or the decision; none of the
                                 // hold and of what contacts let be met
    };

    Controller& controller() { return plant_.controller(); }
    const Controller& controller() const { return plant_.controller(); }
    bool sets_last(const State& state);
    bool is_undercut(const State& state);
    void watch_hold();
    void watch_set(const ControlSet& set);
    double orientation(const State& state);
    double value_of(const Watched& one, const State& state);
    double scale_of(const Watched& one) const;
    void forget_spare(const State& state);
    std::vector<int> missed_sides() const;
    bool misses_little(std::size_t row) const;

    const DerivedModel& mode_model_;
    ContactMonitor& contacts_;
    ControlledPlant plant_;
    ControlBooks books_;
    std::optional<RequirementTurns> turns_;  // where contacts may give or close
    std::vector<Watched> watched_;
    std::vector<std::size_t> held_rows_,
        free_efforts_;   // of the hold: requirements that are met, efforts that are free
    double side_ = 1.0;  // 1 over its orientation at the begin; 0: not watched
    std::vector<int> missed_at_begin_;  // of each requirement: 0 where it is met, else the sign of
                                        // what is missed
    std::vector<double> expected_;      // of each requirement: what is missed a moment later
    std::vector<double> spare_;         // of each: what it lacks since the begin, by rounding
};

}  // namespace lacon::hybrid
