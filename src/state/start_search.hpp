// The search for a start state, written over what differs between dense and sparse matrices: how
// one level is searched.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "mechanics/numbers/assemble.hpp"
#include "state/start.hpp"

namespace lacon::inline state {

/// How a backend finds the values of one level, positions or velocities, that meet the constraints
/// and lie nearest to their guesses.
class LevelSearches {
public:
    virtual ~LevelSearches() = default;

    /// Moves the values of a level to the constraints, all others stay. False where they are not
    /// met: then the values are the best that were found.
    virtual bool find(bool velocity, StatedStart& start) = 0;
    /// Behind the positions that were found: turns angles back, where the backend looks for that.
    virtual void unwind(const State&, State&) {}
    virtual void residuals(const State& state, Residuals& out) = 0;

    // Of the last search, which failed:
    /// Not ok where there was nothing to search in: values that are not finite, an indefinite M.
    virtual Status hindrance() = 0;
    /// The rows that took part, and their residuals at the best values.
    virtual std::vector<std::size_t> rows() = 0;
    virtual std::vector<double> residuals_left() = 0;
    /// Sets of rows that contradict each other, or, a single one, itself.
    virtual std::vector<std::vector<std::size_t>> conflicts() = 0;
    /// Whether that is proven; else it is what the best values look like.
    virtual bool proves_conflicts() const = 0;
    /// Where there is no conflict, what to add to the report: " after 24 attempts", and behind the
    /// rows left unmet, where that is and what may help.
    struct Tried {
        std::string how, where;
    };
    virtual Tried tried() = 0;
};

/// Positions first, then velocities.
Start find_start(const DerivedModel& details, const StatedStart& guessed, LevelSearches& searches);

/// The rows that a search for a level looks at: of equations all that are at this level or below it
/// on the way to velocities; those with `stabilize` where they are wanted.
std::vector<std::size_t> rows_of_level(const DerivedModel& details, bool velocity,
                                       bool with_stabilized, const std::vector<bool>& held);

/// What ends the search for one level, whatever matrices it has.
struct SearchLimits {
    /// Scaled residual below which nothing can be gained: some units in the last place.
    static constexpr double aimed_tol = 1e-15;
    static constexpr int most_steps = 60;
    /// As long as each helps: exp(x) = 1e-300 is met by 691 steps from 0, log(x) = -700 by 470 from
    /// 1.
    static constexpr int most_fast_steps = 2000;
    static constexpr int most_walks = 200;
    /// Distance left to the nearest point, relative to the distance moved: the square root of what
    /// can be told, as the distance is flat there.
    static constexpr double nearest_tol = 1e-10;
};

/// From a point on the constraints towards the nearest one to the guesses: the part of the
/// displacement that lies along the constraints is minus the gradient of the distance there, and is
/// taken back step by step. A step may lead a little away, but not beyond the worst of the last few
/// points.
struct Walk {
    double part = 1.0;  // of the way back that the next step takes
    double left = 0.0, best_distance = 0.0, best_left = 0.0;
    std::vector<double> distances;  // of the last points
    bool failed = false;            // the last step

    Walk() = default;
    Walk(double way, double distance)
        : left(way), best_distance(distance), best_left(way), distances{distance} {}

    bool is_over(double least_part) const {
        return part <= least_part || left <= SearchLimits::nearest_tol * distances.back();
    }
    bool takes(double distance) const {
        constexpr double rounding = 1e-10;
        return distance <= (1.0 + rounding) * *std::max_element(distances.begin(), distances.end());
    }
    /// Notes a point; whether it is the best so far. Of points as near, to rounding, that with less
    /// of the way left.
    bool note(double distance, double way) {
        constexpr std::size_t remembered = 6;
        constexpr double rounding = 1e-12;
        left = way;
        distances.push_back(distance);
        if (distances.size() > remembered) distances.erase(distances.begin());
        const double gain = best_distance - distance;
        if (gain <= rounding * best_distance &&
            (gain <= -rounding * best_distance || left >= best_left))
            return false;
        best_distance = distance;
        best_left = left;
        return true;
    }
};

}  // namespace lacon::state
