// Whoever wants to know of the steps, rows and events of a run.
#pragma once

#include "driver/run.hpp"
#include "lacon/simulation.hpp"

namespace lacon {

/// Calls the callbacks of a run. Any of them may end it (`want_end`).
class Listeners {
public:
    explicit Listeners(Callbacks callbacks) : callbacks_(std::move(callbacks)) {}
    Listeners(const Listeners& other)
        : callbacks_(other.callbacks_), told_events_(other.told_events_) {}
    Listeners& operator=(const Listeners&) = delete;

    void set(Callbacks callbacks) { callbacks_ = std::move(callbacks); }
    bool take_rows() const { return static_cast<bool>(callbacks_.on_row); }
    /// The events up to here are known.
    void skip_events(const Run& run);

    void row(std::span<const double> row);
    /// A step has been taken; its events are told first.
    void step(const Run& run, bool is_over);
    bool want_end() const { return wants_end_; }

private:
    void tell_events(const Run& run, bool is_over);

    Callbacks callbacks_;
    std::size_t told_events_ = 0;
    bool wants_end_ = false;
};

}  // namespace lacon
