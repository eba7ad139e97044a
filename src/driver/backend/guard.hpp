// Singular positions along a run: what each backend does about them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "driver/backend/condition_watch.hpp"
#include "driver/backend/snapshot.hpp"
#include "locate/watch.hpp"

namespace lacon::inline driver {

/// Watches the rank of the constraints along a run, and keeps steps away from positions at which it
/// falls (theory 5.3), or leads them over. The functions are called in this order within a step;
/// those that give false have ended the run.
class SingularGuard {
public:
    virtual ~SingularGuard() = default;

    /// A run begins, or goes on, at a base: also where a decision has turned.
    virtual void begin() {}
    /// Before the next step begins: how strong the constraints are at its base.
    virtual void note_reciprocal_condition() {}
    /// Whether the base is so near a singular position that only steps over it will do.
    virtual bool is_near() const { return false; }
    /// Plans the step that is `limit` long at most: where it would end near a singular position.
    virtual bool plan(double) { return true; }
    /// The end has been tried: brings it to the constraints gently where that matters, and tells
    /// whether it is on another branch of them.
    virtual void soften(State&) {}
    virtual bool jumps_branch(double) { return false; }
    /// The step has ended after tau: changes of the rank, positions passed.
    /// `give_rows` gives out the rows of the step up to a place, for those that end it there.
    using GiveRows = std::function<bool(double, const std::vector<Crossing>&)>;
    virtual bool note(double tau, const std::vector<Crossing>& crossings,
                      const GiveRows& give_rows) = 0;
    /// The next step begins there.
    virtual void commit() {}

    /// Directions of the constraints weaker than this are left alone where rows are brought to
    /// them: as Projector::weak.
    virtual double weak_direction() const { return 0.0; }
    /// Of the step that has ended, for the diagnosis along the run.
    virtual std::span<const SingularCrossing> passed() const { return {}; }
    /// Not ok where the constraints cannot be followed beyond the base.
    virtual Status end_of_reach() { return {}; }
    /// Whether steps follow a near miss.
    virtual bool is_resolving() const { return false; }
    /// Whether the constraints are too weak at the base for compiled steps; whether they are about
    /// as strong as usual.
    virtual bool is_weak() const { return false; }
    virtual bool is_strong() const { return true; }
    /// Compiled steps do not look at the reciprocal condition: a state that they came from tells
    /// it.
    virtual void look_back(const State&) {}
    /// The run cannot go on here. True where another backend could: it has ended then, and
    /// `handed_over` is the state from which that one goes on.
    virtual bool hand_over() { return false; }
    virtual const State* handed_over() const { return nullptr; }

    virtual void keep(Snapshot&) const {}
    virtual void recall(const Snapshot&) {}
};

}  // namespace lacon::driver
