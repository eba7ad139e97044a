// The interface of a run that is taken step by step.
#pragma once

#include "driver/integrate.hpp"

namespace lacon::inline driver {

/// A run, taken step by step. HybridRun is one; NoRun another, of what cannot start.
class Run {
public:
    using RowSink = Integration::RowSink;
    virtual ~Run() = default;

    /// Finds the start state and gives out the first row, or goes on from a snapshot. False where
    /// there is no start.
    virtual bool begin() = 0;
    virtual bool resume(const Snapshot& snapshot) = 0;
    /// Takes one step; false when the run is over, by its end or by trouble (status).
    virtual bool step() = 0;
    virtual void interrupt() = 0;  ///< ends the run with Outcome::interrupted
    /// Long steps look at this now and then, and end the run as `interrupt` does, where they began.
    /// Such a run is not to be gone on with: a step that was broken off may have changed what the
    /// next one would do.
    virtual void stop_when(std::function<bool()>) {}

    virtual bool is_resumable() const = 0;
    virtual Snapshot snapshot() const = 0;
    virtual const std::vector<std::string>& names() const = 0;  // of the columns
    virtual const Status& status() const = 0;
    virtual const Start& start() const = 0;
    virtual const State& state() const = 0;
    virtual double last_length() const = 0;
    virtual std::uint64_t rows() const = 0;
    virtual std::size_t steps() const = 0;
    virtual MotionSummary summary() const = 0;
    /// Of a run that is diagnosed: what was warned of so far; else nothing.
    virtual std::span<const MotionDiagnosis::Warning> warnings() const = 0;
};

}  // namespace lacon::driver
