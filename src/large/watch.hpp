// Location of events within the steps of a large system.
#pragma once

#include <functional>

#include "large/outputs.hpp"
#include "locate/watch.hpp"

namespace lacon {

/// The model's events along the steps of a large system: Watch without decisions and monitors.
class LargeWatch {
public:
    /// Gives the events' values at a state.
    using Values = std::function<void(const State& state, std::span<double> out)>;
    LargeWatch(std::size_t count, Values values) : sides_(count, 0), values_(std::move(values)) {}

    bool is_empty() const { return sides_.empty(); }
    /// Takes the sides at a state (the begin of a run).
    void settle(const State& state);
    /// All crossings of a step, in order of time; the sides are not changed, but for those of
    /// events that were zero at the start.
    std::vector<Crossing> crossings(const Monitors::Path& path, const Clock& begin);
    void pass(const Crossing& crossing) { sides_[crossing.number] = crossing.side; }
    /// Events that are zero at a state, but for rounding.
    std::vector<std::size_t> zeros(const State& state);

    std::vector<int> sides_;

private:
    struct Window {
        double from, to;
        int depth;
    };
    void scan(const Window& window, std::size_t i, const std::vector<double>& samples,
              std::vector<int>& sides, std::vector<Crossing>& found,
              const std::function<double(double)>& exact);

    Values values_;
};

}  // namespace lacon
