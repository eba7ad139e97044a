#pragma once

#include "contact/contacts.hpp"
#include "motion/watch.hpp"

namespace lacon {

/// Watches what a phase of contact depends on: the gaps that are open, the forces of those that are closed, the cone of what
/// sticks, the speed of what slides. Keeps account of the energy that is lost and of how well the laws are met.
class ContactMonitor : public Monitors {
public:
    struct Watched {
        enum class What { gap, force, cone, speed, frame } what;
        std::size_t number = 0;  // of the model's row or of the friction
    };

    ContactMonitor(const SystemDetails& phase, const ContactModes& modes, Contacts& contacts, const FieldOptions& options,
                   MotionSummary::Contact& account);

    void begin(const State& state) override;
    std::size_t count() const override { return watched_.size(); }
    void values(const State& state, std::span<Rounded> out) override;
    double value(const State& state, std::size_t i) override;
    std::string continuous(std::size_t i) const override;
    /// Where forces are not unique the contact laws themselves are asked: some forces will do, or none.
    bool lasts(const State& state) override;
    void note(const Path& path, const Clock& begin, const State& end) override;
    const Watched& watched(std::size_t i) const { return watched_[i]; }
    const std::vector<double>& spare() const { return spare_; }
    void set_spare(std::vector<double> spare) { spare_ = std::move(spare); }

private:
    bool solve(const State& state);
    void certify(const State& state);
    ContactSolution::Certificate certificate(const State& state);
    void add_losses(const State& state, double weight);
    double value_of(const Watched& one, const State& state, const Contacts::Gaps& gaps);
    double speed(std::size_t friction) const;

    const SystemDetails& phase_;
    const ContactModes& modes_;
    Contacts& contacts_;
    MotionSummary::Contact& account_;
    Field field_;
    std::unique_ptr<SystemDetails> slips_;  // the velocities of sliding, as rows
    std::unique_ptr<Assembler> slip_assembler_;
    Residuals slip_;
    std::vector<Watched> watched_;
    std::vector<double> spare_;  // of each: what a gap lacked at the begin, by rounding
    bool needs_forces_ = false, needs_gaps_ = false, loses_ = false;
    ContactSolution::Certificate verdict_;                  // of the last `lasts`
    std::vector<double> acceleration_, own_, multipliers_;  // own_: of the phase's rows; multipliers_: of all rows of the whole
};

}  // namespace lacon
