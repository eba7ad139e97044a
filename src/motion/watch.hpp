#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "motion/fast_watch.hpp"
#include "motion/method.hpp"
#include "motion/observables.hpp"
#include "motion/roots.hpp"

namespace lacon {

/// Something found within a step.
struct Crossing {
    enum class Kind { surface, event };
    Kind kind = Kind::event;
    std::size_t number = 0;  // of the mode or of the model's event
    double tau = 0.0;        // since the step's begin
    int side = 0;            // sign of the function behind the crossing
    bool touches = false;    // zero without a change of sign
};

/// Watches the surfaces of decisions and the model's events. For each it keeps the side it is on, so that a zero at the border of
/// two steps is found once.
class Watch {
public:
    Watch(Field& field, const SolveOptions& options);

    bool is_empty() const { return sides_.empty(); }
    /// Takes the sides at a state (the begin of a run); surfaces that are zero get the side of their mode.
    void settle(const State& state);
    /// A step: the states within it (without their time), and how long it is.
    struct Path {
        std::function<void(double tau, State& out)> at;
        double length = 0.0;
    };
    /// All crossings of a step, in order of time; the sides are not changed.
    std::vector<Crossing> crossings(const Path& path, const Clock& begin);
    /// The model's events that are zero at a state, but for rounding.
    std::vector<std::size_t> zero_events(const State& state);
    /// A crossing has been passed.
    void pass(const Crossing& crossing);

    const Observables& events() const { return events_; }

    std::vector<int> sides_;              // surfaces, then events
    std::unique_ptr<FastWatch> compiled;  // where there is one

private:
    struct Window {  // a part of a step
        double from, to;
        int depth;
    };
    struct StepView {
        const Path& path;
        const Clock& begin;
        std::vector<int> sides;  // as the step goes on
        State state;
        std::vector<Rounded> all;
    };
    double value_at(StepView& view, double tau, std::size_t i);
    std::vector<ChebyshevFit> fit(StepView& view, const Window& window);
    void scan(StepView& view, const Window& window, std::size_t i, const ChebyshevFit& fit, std::vector<Crossing>& found);
    void values(const State& state, std::vector<Rounded>& out);

    Field& field_;
    SolveOptions options_;
    Observables events_;
};

}  // namespace lacon
