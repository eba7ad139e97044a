// The guard of dense runs: steps are led over singular positions, near misses are followed.
#pragma once

#include "driver/backend/guard.hpp"
#include "driver/step/run_context.hpp"
#include "locate/singular_search.hpp"

namespace lacon::inline driver {

class Steppers;

/// The true motion is smooth through a singular position, but near one its derivatives are lost in
/// rounding. So a step goes over it from well before to well behind, or ends far enough before it
/// for the next one to do so. Whether the position is singular, or the constraints just miss it, is
/// decided at the critical point nearby; near misses are followed by steps that resolve them.
class CrossingGuard final : public SingularGuard {
public:
    CrossingGuard(RunContext& run, DenseField& field, Steppers& steppers);

    void note_reciprocal_condition() override;
    bool is_near() const override;
    bool plan(double limit) override;
    void soften(State& end_state) override;
    bool jumps_branch(double tau) override;
    bool note(double tau, const std::vector<Crossing>& crossings,
              const GiveRows& give_rows) override;
    double weak_direction() const override;
    std::span<const SingularCrossing> passed() const override { return passed_; }
    Status end_of_reach() override;
    bool is_resolving() const override;
    bool is_weak() const override;
    bool is_strong() const override;
    void look_back(const State& state) override;
    void keep(Snapshot& snapshot) const override;
    void recall(const Snapshot& snapshot) override;

private:
    DenseProjector& here() const { return static_cast<DenseProjector&>(*run_.step.here); }
    DenseProjector& there() const { return static_cast<DenseProjector&>(*run_.step.there); }
    void note_reciprocal_condition(const ConstrainedFactor& factor, const State& state);
    bool resolve_miss(double limit, double tau);
    bool note_rank(double tau);
    bool note_passed(double tau);
    bool takes_crossing(const SingularCrossing& crossing, MotionEvent& event, double tau,
                        double energy_before);
    bool leaves_singular();
    double locate_change(double tau, std::size_t rank);
    double energy_of_correction(double behind) const;
    bool fail_undecided(const Critical& critical);
    Status end_of_reach(const DenseProjector& at, const State& state);

    RunContext& run_;
    DenseField& field_;
    Steppers& steppers_;
    SingularSearch search_;
    std::vector<SingularCrossing> passed_;  // within the step
    double usual_ =
        0.0;  // reciprocal condition of the weakest direction of the constraints, of late
    WeakDirection far_;  // when it was last of about that reciprocal condition
};

}  // namespace lacon::driver
