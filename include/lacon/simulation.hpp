// A motion that is taken step by step, to a time, or to its end; that can be interrupted, copied,
// saved and gone on with: `Simulation`. `lacon::run` and the program are layers over it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "lacon/motion.hpp"

/// A mechanism is built once and never changes; a simulation is what changes.
///
///     const auto pendulum = lacon::Mechanism::load("models/pendulum.lac");
///     lacon::Simulation simulation(pendulum, {.end = 10.0});
///     simulation.propagate_until(2.5);
///     use(simulation.state());
///     lacon::Simulation other = simulation;  // both continue bit for bit
namespace lacon {

/// Functions that a simulation calls: rows within the step first, then events, then the step. Each
/// may end the simulation by returning false: the step is completed first, and the status is
/// Outcome::interrupted. They must not call the simulation, except for `interrupt`.
struct Callbacks {
    std::function<bool(const StepView&)> on_step = {};  // after every step
    /// Each row, with the columns of Simulation::names. Without it no rows are computed.
    std::function<bool(std::span<const double> row)> on_row = {};
    std::function<bool(const MotionEvent&)> on_event = {};  // after the step in which it happened
};

class Session;  // how it is done (src/session.hpp)

/// A motion, taken step by step. One thread at a time; any number of simulations share a mechanism.
class LACON_EXPORT Simulation {
public:
    /// From the model's start state, at the start of the time span. Throws std::invalid_argument
    /// for options that make no sense.
    explicit Simulation(const Mechanism& mechanism, const RunOptions& options = {},
                        Callbacks callbacks = {});
    /// From a given state, at its time. A state that does not meet the constraints is moved to the
    /// nearest one that does; start().moved lists the changes.
    Simulation(const Mechanism& mechanism, const State& from, const RunOptions& options = {},
               Callbacks callbacks = {});
    /// Continues bit for bit where `save` was called. `mechanism` must have the same text and
    /// parameter values. Of the options only these count: `end`, which may be moved; `cache`; and
    /// `controller` and `feedforward`, which must be what the simulation began with. Throws
    /// std::invalid_argument for what does not fit.
    static Simulation resume(const Mechanism& mechanism, std::string_view saved,
                             const RunOptions& options = {}, Callbacks callbacks = {});

    /// A copy continues bit for bit like the original, and shares its callbacks.
    Simulation(const Simulation& other);
    Simulation& operator=(const Simulation& other);
    Simulation(Simulation&& other) noexcept;
    Simulation& operator=(Simulation&& other) noexcept;
    ~Simulation();
    void set_callbacks(Callbacks callbacks);

    /// Finds the start state and writes the first row; false if there is none. The first of the
    /// calls below does this if needed.
    bool begin();
    /// Takes one step. False when the simulation is over: at the end of its time span, by an event
    /// with `stop`, by trouble, or interrupted.
    bool step();
    /// Takes steps up to exactly `t`, which may lie beyond the end of the time span. False if the
    /// simulation ends before. This does not move the rows, but it does move the steps.
    bool propagate_until(double t);
    /// Takes steps to the end of the time span.
    const Status& run();
    /// Ends the simulation with Outcome::interrupted, even within a long step. From any thread. A
    /// simulation saved then continues from the last complete step.
    void interrupt();
    bool is_over() const;

    /// The simulation as it stands, as text. It can be saved after every step.
    std::string save() const;

    const State& state() const;    // on the constraints, at the end of the last step
    const Status& status() const;  // ok while it runs
    const Start& start() const;    // empty where it was resumed
    const std::vector<std::string>& names() const;  // of the columns of a row
    double end() const;                             // of the time span
    std::size_t steps() const;
    MotionSummary summary() const;

private:
    explicit Simulation(std::unique_ptr<Session> session);
    std::unique_ptr<Session> session_;
};

}  // namespace lacon
