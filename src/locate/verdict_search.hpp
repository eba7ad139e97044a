// Where the laws of contact give another verdict within a step.
#pragma once

#include <optional>

#include "locate/watch.hpp"

namespace lacon::inline locate {

/// Looks within a step for another verdict of the laws of contact (Monitors::lasts), where there is
/// no value whose sign would tell.
///
/// The forces that contacts can exert together are a convex cone. So between two places at which
/// the verdict is good it is good all along, if the resultant of the forces goes straight from one
/// to the other. If it goes in a parabola it stays within the triangle of its ends and the point
/// twice as far off the chord as its middle: then one more verdict, for that point, is enough. The
/// step is cut into pieces that are parabolas but for little. Pieces whose triangle leaves the cone
/// are halved, so there are many only where the forces come close to its border. So is a piece that
/// ends with another verdict, down to where it is straight: it may have had that one before.
class VerdictSearch {
public:
    struct Place {
        double tau;
        Monitors::Ground ground;
    };
    struct Bracket {
        double good, bad;
    };

    VerdictSearch(Monitors& monitors, const StepPath& path, const Clock& begin)
        : monitors_(monitors), path_(path), begin_(begin) {}

    bool lasts(double tau, std::span<const double> added = {}) {
        return monitors_.lasts(state_at(tau), added);
    }
    /// Within a part of the step whose features (locate/features.hpp) are resolved.
    std::optional<Bracket> search(double from, double to, int depth = 0);

private:
    static constexpr int most_halvings = 12;
    // In parts of the largest force, or of 1 in the cone:
    static constexpr double resolved = 1e-4;   // what a fit may be off, as a check of its degree
    static constexpr double same = 1e-9;       // a change of rounding: one verdict will do
    static constexpr double straight = 1e-8;   // a bend that forces are hardly known to
    static constexpr double steady = 0.02;     // the most that a cone may bend within a piece
    static constexpr double turned = 0.3;      // the most that it may turn
    static constexpr double cubic = 0.25;      // what is no parabola, in parts of its bend
    static constexpr double safety = 2.0;      // for the rest: the triangle is made so much higher
    static constexpr int most_verdicts = 400;  // in a part; beyond, a graze of no depth goes on

    const State& state_at(double tau) {
        path_.at(tau, state_);
        state_.t = begin_.after(tau).now();
        return state_;
    }
    bool ground_at(double tau, Place& out) {
        out.tau = tau;
        return monitors_.ground(state_at(tau), out.ground);
    }
    enum class Kind { constant, resolved, rough, unknown };
    Kind kind_of(double from, double to);
    std::optional<Bracket> pieces(const Place& from, const Place& to, int depth);
    bool is_parabola(const Place& a, const Place& m, const Place& b);

    Monitors& monitors_;
    const StepPath& path_;
    const Clock& begin_;
    State state_;
    double size_ = 0.0;  // the largest of the resultant
    int verdicts_ = 0;
};

}  // namespace lacon::locate
