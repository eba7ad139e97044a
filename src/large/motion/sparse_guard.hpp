// The guard of sparse runs: singular positions are seen, and left to another backend.
#pragma once

#include "driver/backend/guard.hpp"
#include "driver/step/run_context.hpp"
#include "large/motion/singular_search.hpp"

namespace lacon::inline driver {
class Steppers;
}

namespace lacon::inline large {

/// Sees singular positions within the steps of a sparse run. Steps are not led over them here: the
/// run ends, for another backend to go on, or with the reason; or it goes straight on where that
/// was asked for.
class SparseGuard final : public SingularGuard {
public:
    /// `hands_over`: whether another backend can go on.
    SparseGuard(RunContext& run, Steppers& steppers, SparseField& field, bool hands_over);

    void begin() override;
    bool note(double tau, const std::vector<Crossing>& crossings,
              const GiveRows& give_rows) override;
    void commit() override;
    bool hand_over() override;
    const State* handed_over() const override { return handed_over_ ? &strong_.state : nullptr; }
    void keep(Snapshot& snapshot) const override;
    void recall(const Snapshot& snapshot) override;

private:
    bool note_rank();
    bool note_passed(double tau, const std::vector<Crossing>& crossings, const GiveRows& give_rows);
    bool is_told(const SparseSingularSearch::Position& position) const;
    void add_rank_event(MotionEvent event, const std::vector<DependentSet>& sets);
    bool goes_through() const {
        return run_.plan.options.through_singular && !run_.plan.options.strict;
    }
    std::string other_solver_text() const;
    bool leave();

    RunContext& run_;
    Steppers& steppers_;
    SparseField& field_;
    SparseSingularSearch search_;
    bool hands_over_, handed_over_ = false;
    /// A base at which the constraints were about as strong as usual: near a singular position
    /// steps get short, and begin too near to it for any step over it. What a run notes is not
    /// taken back: so never from before the last event, nor by more than some steps.
    struct Strong {
        State state;
        std::size_t steps = 0, events = 0;  // since then, and until then
    } strong_;
    std::size_t rank_ = 0;  // at the base
};

}  // namespace lacon::large
