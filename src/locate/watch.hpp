// Location of decisions, events and monitors within a step.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "code/fast_watch.hpp"
#include "contact/sight.hpp"
#include "locate/features.hpp"
#include "locate/roots.hpp"
#include "locate/switching.hpp"
#include "methods/method.hpp"
#include "state/observables.hpp"

namespace lacon::inline locate {

/// Values that are positive while a mode of the motion lasts. The run of the mode ends where one
/// of them falls below zero.
class Monitors {
public:
    using Path = StepPath;
    virtual ~Monitors() = default;
    /// The branches that decisions take in the equations, from here on (Assembler::branches).
    virtual void follow(const std::vector<double>&) {}
    /// A step is about to be searched; what cannot come to zero within it need not be looked at.
    virtual void look(const Path&, const Clock&) {}
    virtual bool is_far(std::size_t) const { return false; }
    /// Has its values computed by code for this choice, as far as that can be; else says why not.
    virtual std::string compile(const KernelChoice&, double, const kernel::CompileOptions&) {
        return {};
    }
    /// The same of the model's constraints, by row; none where all are in sight.
    virtual const Sight* sight() const { return nullptr; }
    /// The mode begins at this state.
    virtual void begin(const State& state) = 0;
    virtual std::size_t count() const = 0;
    virtual void values(const State& state, std::span<Rounded> out) = 0;
    virtual double value(const State& state, std::size_t i) = 0;  ///< one of them
    /// The name of one that may not jump; empty where a jump below zero is as good as any way
    /// there.
    virtual std::string continuous(std::size_t) const { return {}; }
    /// What has no value to watch, but a verdict: whether the mode can last until this state,
    /// also with forces added to those that act (n, or none).
    virtual bool lasts(const State& state, std::span<const double> added = {}) = 0;
    virtual bool has_verdict() const = 0;  ///< whether there is one to ask for
    /// What the verdict depends on at a state.
    struct Ground {
        std::vector<double> resultant;  // of the forces of constraint, over the coordinates (n)
        std::vector<double> cone;       // what tells which resultants there can be, of size 1
    };
    /// False where it is not known.
    virtual bool ground(const State&, Ground&) { return false; }
    /// A step has been taken.
    virtual void note(const Path& path, const Clock& begin, const State& end) = 0;
    /// Of a row within the last step noted, or at its begin, the columns of controls
    /// (Integration::names).
    virtual void row(const State&, std::span<double>) {}
};

/// Something found within a step.
struct Crossing {
    enum class Kind { surface, event, monitor };
    Kind kind = Kind::event;
    std::size_t number = 0;  // of the branch, of the model's event, or of the monitor
    double tau = 0.0;        // since the step's begin
    int side = 0;            // sign of the function behind the crossing
    bool touches = false;    // zero without a change of sign
    double reach = 0.0;      // > 0: `tau` is known to this only, until it is refined
    bool jumps = false;      // over zero, without being zero
};

/// Watches the surfaces of decisions and the model's events. For each it keeps the side it is on,
/// so that a zero at the border of two steps is found once.
class Watch {
public:
    /// `events`: the values of the model's events.
    Watch(Field& field, std::unique_ptr<Observables> events, const SolveOptions& options,
          Monitors* monitors = nullptr);

    bool is_empty() const { return sides_.empty(); }
    /// Takes the sides at a state (the begin of a run); surfaces that are zero get the side of
    /// their branch.
    void settle(const State& state);
    void settle(const State& state, std::size_t branch);         ///< of one decision
    void settle_beside(const State& state, std::size_t branch);  ///< of the others of its element
    using Path = Monitors::Path;
    /// The crossings of a step up to the first that ends it, in order of time; the sides are not
    /// changed.
    std::vector<Crossing> crossings(const Path& path, const Clock& begin);
    bool ends_step(const Crossing& crossing) const;
    /// The model's events that are zero at a state, but for rounding.
    std::vector<std::size_t> zero_events(const State& state);
    /// A crossing has been passed.
    void pass(const Crossing& crossing);
    /// The crossing of a surface: its decision takes the branch behind, at this state.
    void turn(const Crossing& crossing, const State& state);

    const Observables& events() const { return *events_; }

    /// The sides of surfaces, events and monitors, in this order; those of the events alone.
    const std::vector<int>& sides() const { return sides_; }
    void recall(const std::vector<int>& sides);
    std::vector<int> event_sides() const;
    void recall_events(const std::vector<int>& sides);
    int event_side(std::size_t number) const { return sides_[first_event() + number]; }

    BeginBorder border;
    std::unique_ptr<FastWatch> compiled;  // where there is one

private:
    struct Window {  // a part of a step
        double from, to;
        int depth;
        bool is_seam = false;  // around a zero of a switching function
    };
    struct StepView {
        const Path& path;
        const Clock& begin;
        std::vector<int> sides;  // as the step goes on
        State state;
        std::vector<Rounded> all;
        std::vector<double> sizes, noises;  // of monitors that were found to cross
        std::vector<Rounded> switching;
        std::vector<Crossing> touched;  // at kinks
        std::vector<bool> calm;         // of surfaces that cannot come to zero in the window
    };
    void leave_out_calm(StepView& view, std::vector<std::vector<double>>& samples) const;
    double value_at(StepView& view, double tau, std::size_t i);
    Rounded rounded_at(StepView& view, double tau, std::size_t i) {
        value_at(view, tau, i);
        return view.all[i];
    }
    double monitor_at(StepView& view, double tau, std::size_t number);
    std::vector<ChebyshevFit> fit(StepView& view, const Window& window);
    bool sees_features(StepView& view, const Window& window);
    struct Switch {
        bool is_resolved = true;
        double at = INFINITY;  // since the step's begin; infinite: there is none
    };
    Switch first_switch(StepView& view, const Window& window);
    static bool goes_beyond(const std::function<Rounded(double)>& f, const Window& window,
                            const ChebyshevFit::Root& touch);
    bool has_doubt(StepView& view, const Window& window, std::size_t i, const ChebyshevFit& fit);
    bool errs_between(StepView& view, const Window& window, std::size_t i, const ChebyshevFit& fit,
                      const std::vector<ChebyshevFit::Root>& roots);
    bool touches_at_kink(StepView& view, const Window& window, std::size_t i);
    void refine_monitors(StepView& view, std::vector<Crossing>& found);
    void scan(StepView& view, const Window& window, std::size_t i, const ChebyshevFit& fit,
              std::vector<Crossing>& found);
    void values(const State& state, std::vector<Rounded>& out);
    void settle_element(const State& state, std::size_t element, std::size_t but);
    bool is_far(std::size_t i) const {
        return i >= first_monitor() && monitors_->is_far(i - first_monitor());
    }

    bool is_out(const StepView& view, std::size_t i) const {
        return is_far(i) || (i < view.calm.size() && view.calm[i]);
    }

    std::size_t first_monitor() const {
        return sides_.size() - (monitors_ ? monitors_->count() : 0);
    }

    std::size_t first_event() const { return field_.smooth.branch_count; }

    Field& field_;
    std::vector<int> sides_;
    SolveOptions options_;
    std::unique_ptr<Observables> events_;
    Monitors* monitors_;
    FeatureSet features_;  // of what is watched
    SwitchingFunctions switching_;
    FeatureSet::Sample sample_, sample_before_;
};

}  // namespace lacon::locate
