// How far below zero what a monitor watches may be, as it begins there by rounding.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "locate/watch.hpp"

namespace lacon::inline hybrid {

/// The allowance of each watched quantity: what it lacks at the begin of a mode, by rounding. It
/// ends when the quantity has clearly risen above it.
class Allowances {
public:
    using Path = Monitors::Path;
    /// Of one quantity at a state, with its allowance.
    using Value = std::function<double(const State& state, std::size_t i)>;

    /// So many quantities, without.
    void reset(std::size_t count);
    void give(std::size_t i, double allowance) { spare_[i] = allowance; }
    bool has(std::size_t i) const { return spare_[i] > 0.0; }
    /// Within the step that is searched it fades out, as what is searched should be smooth.
    double at(std::size_t i, double t) const;

    /// A step is about to be searched: what has clearly risen on the way has nothing to spare from
    /// its greatest value on. So a slip that begins and ends within one step does not end late.
    /// `of`: the quantities that are looked at; `value`: without allowance.
    void look(const Path& path, const Clock& begin, std::span<const std::size_t> of,
              const Value& value);
    /// A step has been taken: what has clearly risen above zero has no more to spare, unless it is
    /// to keep its allowance.
    void spend(const State& end, const Value& value,
               const std::function<bool(std::size_t i)>& keeps);

    /// What a checkpoint keeps.
    const std::vector<double>& kept() const { return spare_; }
    void recall(const std::vector<double>& kept);

private:
    static constexpr double clearly = 4.0;  // times the allowance: no rounding any more

    std::vector<double> spare_;
    /// Of each: when within the step that is searched it has nothing to spare any more. Empty: it
    /// has all the time.
    std::vector<double> spent_at_;
    double step_begin_ = 0.0;
};

}  // namespace lacon::hybrid
