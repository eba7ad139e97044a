// Contacts that rest without being needed, and when they are left.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "contact/contacts.hpp"
#include "driver/backend/snapshot.hpp"
#include "hybrid/mode_forces.hpp"
#include "locate/watch.hpp"

namespace lacon::inline hybrid {

/// Opens the idle contacts of a mode whose gap has grown beyond rounding, and dates that back to
/// where the gap began to grow. What is passed in must outlive it; `modes` is changed.
class IdleContacts {
public:
    using Path = Monitors::Path;
    IdleContacts(const DerivedModel& whole, ContactModes& modes, Contacts& laws, ModeForces& forces)
        : whole_(whole), modes_(modes), laws_(laws), forces_(forces) {}

    void begin(double t);
    /// A decision of the equations turns where the next step begins.
    void begin_piece() { is_new_piece_ = true; }
    /// A step has been taken.
    void note(const Path& path, const Clock& begin, const State& end);
    /// Those that the last step left: they are open. Told once.
    std::vector<LeftContact> take_left() { return std::exchange(left_, {}); }

    /// What a checkpoint keeps.
    double piece_begin() const { return piece_begin_; }
    const std::vector<LeftContact>& leaving() const { return leaving_; }
    void recall(double piece_begin, std::vector<LeftContact> leaving);
    /// That of a step which begins at `t`.
    double piece_begin(double t) const { return is_new_piece_ ? t : piece_begin_; }

private:
    std::vector<double> widest_gaps(const Path& path, const Clock& begin,
                                    std::vector<double> at_end);
    std::optional<double> onset(std::size_t row, const Path& path, const Clock& begin);
    double gap_acceleration(const State& state, std::size_t row);

    const DerivedModel& whole_;
    ContactModes& modes_;
    Contacts& laws_;
    ModeForces& forces_;
    std::vector<LeftContact> left_;
    std::vector<LeftContact> leaving_;  // whose gap has begun to grow
    double piece_begin_ = 0.0;          // since then no decision has turned in this mode
    bool is_new_piece_ = false;         // one has, at the begin of the step
};

/// A quantity along a step that is zero, but for rounding, where the step begins. `since`: a time
/// before which it cannot have begun to grow.
struct Growth {
    std::function<double(double tau)> value;
    double slight;  // more than rounding
    double length;  // of the step
    Clock begin;
    double since;
};

/// Where it has grown with a power of time, it is since then; else that it was no more than
/// rounding is all there is to tell. None while it is rounding all over the step.
std::optional<double> grown_since(const Growth& growth);

}  // namespace lacon::hybrid
