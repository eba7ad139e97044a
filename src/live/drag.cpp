// The place that is asked for is a guess of the start search, again and again: the point P(q) is
// moved to its target by the shortest step dq with J dq = target − P, J = ∂P/∂q, and the search
// brings q + dq back to the constraints. These alternating projections come to rest where the
// constraints let the point come no nearer.
#include "live/drag.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "runs.hpp"
#include "scene/scene.hpp"

namespace lacon::inline live {

namespace {

using Vector = std::array<double, 3>;
using Values = std::vector<LiveRequest::StartValue>;

constexpr std::size_t most_coordinates = 300;
constexpr int most_rounds = 24;          // a page asks anew with every move of the mouse
constexpr double near_enough = 1e-5;     // of the distance to go: less than a pixel
constexpr double least_progress = 1e-3;  // of what was left: then the constraints hold the point
constexpr int most_halvings = 6;
constexpr int digits = 7;  // of the values found: the page and its command line show them

double length(const Vector& v) {
    return std::hypot(v[0], v[1], v[2]);
}

Vector operator-(const Vector& a, const Vector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

class Dragging {
public:
    Dragging(const DerivedModel& details, const Drag& drag, const OnProgress& progress)
        : details_(details),
          drag_(drag),
          progress_(progress),
          scene_(make_scene(details)),
          channels_(details, scene_),
          numbers_(channels_.count()) {
        const bool known = drag.item ? *drag.item < scene_.items.size()
                                     : drag.body && *drag.body < scene_.bodies.size();
        if (!known) throw LiveError("the model has no such thing to drag");
    }

    State moved(State state) {
        Vector off = drag_.to - place(state);
        const double all = length(off);
        for (int round = 0; round < most_rounds && length(off) > near_enough * all; ++round) {
            const std::vector<double> step = shortest_step(state, off);
            if (!go(state, step, length(off))) break;
            const Vector left = drag_.to - place(state);
            const bool holds = length(left) > (1.0 - least_progress) * length(off);
            off = left;
            if (holds) break;
        }
        return state;
    }

private:
    /// Of the point that is pulled.
    Vector place(const State& state) {
        channels_.at(state, numbers_);
        Vector at{};
        if (drag_.item) {
            const Spot& spot = scene_.items[*drag_.item].places.at(0);
            for (std::size_t k = 0; k < 3; ++k) at[k] = numbers_[spot[k]];
            return at;
        }
        const SceneBody& body = scene_.bodies[*drag_.body];
        for (std::size_t k = 0; k < 3; ++k) {
            at[k] = numbers_[body.place[k]];
            for (std::size_t j = 0; j < 3; ++j)
                at[k] += numbers_[body.R[3 * k + j]] * drag_.local[j];
        }
        return at;
    }

    /// dq = Jᵀ (J Jᵀ + ε)⁻¹ off, with J by central differences; ε is there for directions in which
    /// the point cannot move.
    std::vector<double> shortest_step(const State& state, const Vector& off) {
        constexpr double difference = 1e-6;  // about the cube root of rounding: errors of 1e-11
        const std::size_t n = state.q.size();
        std::vector<Vector> J(n);
        State near = state;
        for (std::size_t i = 0; i < n; ++i) {
            const double h = difference * std::max(1.0, std::abs(state.q[i]));
            near.q[i] = state.q[i] + h;
            const Vector ahead = place(near);
            near.q[i] = state.q[i] - h;
            const Vector behind = place(near);
            near.q[i] = state.q[i];
            for (std::size_t k = 0; k < 3; ++k) J[i][k] = (ahead[k] - behind[k]) / (2.0 * h);
        }
        const Vector y = solved(J, off);
        std::vector<double> step(n);
        for (std::size_t i = 0; i < n; ++i)
            step[i] = J[i][0] * y[0] + J[i][1] * y[1] + J[i][2] * y[2];
        return step;
    }

    /// Of a positive definite matrix of 3 × 3, by Cholesky's factors.
    static Vector solved(const std::vector<Vector>& J, const Vector& off) {
        double S[3][3] = {};
        for (const Vector& column : J)
            for (std::size_t a = 0; a < 3; ++a)
                for (std::size_t b = 0; b < 3; ++b) S[a][b] += column[a] * column[b];
        constexpr double damping = 1e-8;  // of the trace: far above the errors of J
        const double epsilon = damping * (S[0][0] + S[1][1] + S[2][2]) + 1e-300;
        Vector y = off;
        for (std::size_t a = 0; a < 3; ++a) {
            S[a][a] += epsilon;
            for (std::size_t c = 0; c < a; ++c) S[a][a] -= S[a][c] * S[a][c];
            S[a][a] = std::sqrt(S[a][a]);
            for (std::size_t b = a + 1; b < 3; ++b) {
                for (std::size_t c = 0; c < a; ++c) S[b][a] -= S[b][c] * S[a][c];
                S[b][a] /= S[a][a];
            }
            for (std::size_t c = 0; c < a; ++c) y[a] -= S[a][c] * y[c];
            y[a] /= S[a][a];
        }
        for (std::size_t a = 3; a-- > 0;) {
            for (std::size_t b = a + 1; b < 3; ++b) y[a] -= S[b][a] * y[b];
            y[a] /= S[a][a];
        }
        return y;
    }

    /// Takes the step, or a part of it where the whole one does not bring the point nearer.
    bool go(State& state, const std::vector<double>& step, double distance) {
        for (double part = 1.0; part > std::pow(0.5, most_halvings); part *= 0.5) {
            if (!progress_(0.0)) throw Interrupted();
            State guess = state;
            for (std::size_t i = 0; i < step.size(); ++i) guess.q[i] += part * step[i];
            const Start found = find_start(details_, guesses(guess), {});
            if (!found.status || !(length(drag_.to - place(found.state)) < distance)) continue;
            state.q = found.state.q;
            return true;
        }
        return false;
    }

    static std::vector<StartOverride> guesses(const State& state) {
        std::vector<StartOverride> values;
        for (std::size_t i = 0; i < state.q.size(); ++i)
            values.push_back({i, false, true, state.q[i]});
        for (std::size_t i = 0; i < state.v.size(); ++i)
            values.push_back({i, true, true, state.v[i]});
        return values;
    }

    const DerivedModel& details_;
    const Drag& drag_;
    const OnProgress& progress_;
    Scene scene_;
    SceneValues channels_;
    std::vector<double> numbers_;
};

double few_digits(double value) {
    return std::stod(rounded(value, digits));
}

/// As guesses, so that nothing that the model holds contradicts them. Values that the model guesses
/// so anyway are left out.
Values values_of(const DerivedModel& details, const State& state,
                 const std::vector<StartOverride>& overrides) {
    const StatedStart written = stated(details, {});
    const State wanted = stated(details, overrides).state;
    Values values;
    for (std::size_t i = 0; i < state.q.size(); ++i) {
        const double q = few_digits(state.q[i]);
        if (q != few_digits(written.state.q[i]) || written.fixed_q[i])
            values.push_back({details.coordinate_names[i], q, true});
    }
    for (std::size_t i = 0; i < state.v.size(); ++i)
        if (wanted.v[i] != written.state.v[i] || written.fixed_v[i])
            values.push_back({details.coordinate_names[i] + "'", wanted.v[i], true});
    return values;
}

}  // namespace

Values dragged(const DerivedModel& details, const Values& values, const Drag& drag,
               const OnProgress& progress) {
    if (details.coordinate_names.size() > most_coordinates)
        throw LiveError(
            fmt::format("the start of a model of {} coordinates cannot be dragged; up "
                        "to {} can",
                        details.coordinate_names.size(), most_coordinates));
    const std::vector<StartOverride> overrides = start_overrides(details, values);
    const Start start = find_start(details, overrides, {});
    if (!start.status) throw LiveError(start.status.message);
    State state = Dragging(details, drag, progress).moved(start.state);
    return values_of(details, state, overrides);
}

}  // namespace lacon::live
