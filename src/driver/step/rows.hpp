// The rows of a run: on the grid, at the end, and at the model's events.
#pragma once

#include <functional>
#include <optional>

#include "code/fast_rows.hpp"
#include "driver/backend/guard.hpp"
#include "driver/step/run_context.hpp"

namespace lacon::inline driver {

/// Gives out the rows of a run. Nothing of it touches the motion.
class RowWriter {
public:
    using Sink = std::function<void(std::span<const double>)>;

    /// Without a sink nobody takes rows, and none is made.
    RowWriter(RunContext& run, SingularGuard& guard, Sink sink);
    void set_monitors(Monitors* monitors) { monitors_ = monitors; }
    /// Columns of a diagnosis along the run.
    void set_diagnosis(ConditionWatch& diagnosis);

    const std::vector<std::string>& names() const { return names_; }
    std::uint64_t count() const { return count_; }
    bool is_first() const { return next_ == 0; }  // whether the next row is that of the start
    bool has_sink() const { return sink_ != nullptr; }
    /// Whether the grid has a row within the step to tau.
    bool has_within(double tau) const;

    /// How the states within the step are told: by the method, or by compiled steps, which look at
    /// rows by compiled code too, where there is some.
    struct Source {
        StepPath::At at;
        const Method& method;
        bool is_compiled = false;
        FastRows* rows = nullptr;
    };
    /// The rows of the step up to `tau`: those of the grid, and one at each event of the model,
    /// which `watch` is told of. False where the run is asked to stop meanwhile.
    bool give(double tau, const std::vector<Crossing>& crossings, Watch& watch,
              const Source& source);
    void give_first(const State& state);

    const Observables& outputs() const { return *outputs_; }

    void keep(Snapshot& snapshot) const;
    void recall(const Snapshot& snapshot);

private:
    Clock grid_time(std::uint64_t i) const;
    void stop(const Clock& begin);
    void give_at(double tau, double t, double end, const Source& source);
    void bring_to_constraints(State& state, const Source& source);
    void give(const State& state);
    bool give_compiled(State& state, FastRows& rows);
    void send(const State& state);
    std::span<double> output_columns() {
        return std::span(row_).subspan(1 + 2 * run_.field.n(), outputs_->count());
    }

    RunContext& run_;
    SingularGuard& guard_;
    Sink sink_;
    std::unique_ptr<Observables> outputs_;
    Monitors* monitors_ = nullptr;
    ConditionWatch* diagnosis_ = nullptr;
    std::vector<std::string> names_;
    std::vector<double> row_;
    std::uint64_t next_ = 0;  // number of the next row on the grid
    std::uint64_t count_ = 0;
    double last_ = 0.0;           // time of the last one
    std::optional<State> given_;  // the last one within the step
};

}  // namespace lacon::driver
