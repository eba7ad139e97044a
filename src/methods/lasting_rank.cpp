// States around one that meets the constraints: moved along them, then projected with the rank that
// is in question. Three directions at random and that of the motion, each by less where the
// projection does not come to an end.
#include "methods/lasting_rank.hpp"

#include <algorithm>
#include <random>

#include "base/numbers.hpp"
#include "methods/projection.hpp"

namespace lacon::inline methods {

void LastingRank::note(const State& at, const Ranks& ranks) {
    if (is_asking_) return;
    if (ranks[0] >= seen_[0]) at_ = at;
    for (std::size_t i = 0; i < ranks.size(); ++i) seen_[i] = std::max(seen_[i], ranks[i]);
    if (seen_[0] > most_[0]) most_.fill(unlimited);
}

bool LastingRank::limits(DenseField& field, RowSet rows, std::size_t found) {
    const bool is_more = !at_.q.empty() && found > seen_[static_cast<std::size_t>(rows)];
    if (is_asking_ || is_limited() || !is_more || seen_[0] == asked_) return false;
    asked_ = seen_[0];
    is_asking_ = true;
    most_ = seen_;
    const Field::Counters counters = field.counters;  // a question is no work of the motion
    if (!lasts(field)) most_.fill(unlimited);
    field.counters = counters;
    is_asking_ = false;
    return is_limited();
}

namespace {

class Moves {
public:
    /// A number between -1 and 1.
    double next() { return 2.0 * static_cast<double>(random_() >> 11) * 0x1p-53 - 1.0; }
    std::vector<double> direction(std::size_t n) {
        std::vector<double> result(n);
        for (double& x : result) x = next();
        return result;
    }

private:
    std::mt19937_64 random_{1};
};

void add(double by, const std::vector<double>& direction, std::vector<double>& to) {
    const double most = largest(direction);
    for (std::size_t i = 0; i < to.size() && most > 0.0; ++i) to[i] += by / most * direction[i];
}

}  // namespace

bool LastingRank::is_asked_for(DenseField& field, const State& state) {
    // Far above the rank tolerance and far below the size of a mechanism. Not critical.
    constexpr double part = 1e-3;
    Moves moves;
    State beside = state;
    add(part * std::max(1.0, largest(state.q)), moves.direction(field.n()), beside.q);
    const Field::Counters counters = field.counters;
    Equations at;
    ConstrainedFactor factor;
    if (field.equations(beside, at))
        static_cast<void>(field.factor(factor, at.M, at.A, field.options.solve));
    field.counters = counters;
    return is_limited();
}

bool LastingRank::lasts(DenseField& field) {
    constexpr int most_directions = 3;
    DenseProjector probe(field, true);
    Moves moves;
    for (int i = 0; i <= most_directions; ++i) {
        State at = at_;
        if (probe.project(at) != Outcome::ok) return false;
        const bool along_motion = i == most_directions;
        std::vector<double> q = along_motion ? at.v : moves.direction(field.n());
        const std::vector<double> v = moves.direction(field.n());
        probe.remove_across(q, false);
        // Beside positions of this size. At a singular position the constraints are off by the
        // square of it or, where they touch by a higher order, its cube: the least, 1e-12, is what
        // a projection still sees (Projector::met_tol).
        const auto meets = [&](double part) {
            State moved = at;
            add(part * std::max(1.0, largest(at.q)), q, moved.q);
            add(part * std::max(1.0, largest(at.v)), v, moved.v);
            if (along_motion) moved.t += part;
            return probe.project(moved) == Outcome::ok;
        };
        if (!meets(1e-2) && !meets(1e-3) && !meets(1e-4)) return false;
        if (probe.is_cut()) return false;
    }
    return true;
}

}  // namespace lacon::methods
