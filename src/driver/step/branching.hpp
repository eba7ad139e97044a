// What turns within a step: decisions of the equations, and the monitors of a mode.
#pragma once

#include "driver/step/dead_end.hpp"

namespace lacon::inline driver {

/// Turns decisions over where the motion crosses their surfaces, and ends the run of a mode where a
/// monitor falls below zero or the verdict of the laws of contact changes.
class Branching {
public:
    struct Parts {
        Steppers& steppers;
        StepLimits& limits;
        SingularGuard& guard;
        DeadEnd& dead_end;
        Watch& watch;
        Monitors* monitors = nullptr;
    };
    Branching(RunContext& run, const Parts& parts) : run_(run), parts_(parts) {}

    /// What is found within the step, up to the first that ends it, in order of time.
    std::vector<Crossing> crossings();
    /// The first of them that ends the step; the end where none does.
    using Cut = std::vector<Crossing>::const_iterator;
    Cut first_cut(const std::vector<Crossing>& crossings) const;

    /// Ends the run: what only may not be negative jumps below zero.
    bool fail_at_jump(const Crossing& crossing);
    /// Ends the run of the mode: all monitors that fall below zero after tau, but for rounding.
    void take_hits(const std::vector<Crossing>& crossings, double tau, double length);
    /// Turns a decision over at the end of a step, or where it began. False where the run is over.
    bool turn(const Crossing& crossing, const Clock& time);

    /// A step was taken without a turn, or a mode begins, or a run is resumed.
    void note_step() { turns_in_place_ = 0; }
    void begin_mode();
    void note_resumed() { verdict_is_old_ = true; }

    /// The monitors that ended the mode; `turned` for a decision in a row that holds by the laws of
    /// contact; one more than there are monitors where the verdict of the laws has changed.
    const std::vector<std::size_t>& hit() const { return hit_; }
    static constexpr std::size_t turned = ~std::size_t{0};
    /// The row of the decision turned last, of the whole model (behind its constraints: of
    /// friction).
    std::size_t turned_row() const;

private:
    void note_verdict(std::vector<Crossing>& crossings);
    double resolved_from(double from, double end);
    bool slides(const Crossing& crossing, const std::string& text, const Clock& time);
    void settle_others(std::size_t branch, const Clock& time);
    bool is_law_row(const Element& element) const;
    bool land_behind(const Crossing& crossing, const State& before, const std::string& text,
                     const Clock& time);
    bool jumps_too_far(const State& before, const std::string& decision);
    bool note_jump(const State& before, const std::string& decision);

    RunContext& run_;
    Parts parts_;
    std::size_t last_ = 0;            // the decision turned over last,
    std::size_t turns_in_place_ = 0;  //   and how often without a step between
    std::vector<std::size_t> hit_;
    bool verdict_is_old_ = false;  // a decision has turned since the last one
};

}  // namespace lacon::driver
