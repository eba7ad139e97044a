#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/series.hpp"
#include "large/lanes.hpp"

namespace lacon {

/// Where the coefficients of a program of power series stand while elements go through it side by side. Most slots are read at
/// the order in the making only, and share one place for all elements; those that products and recurrences look back at keep
/// their orders, element by element.
class SeriesStorage {
public:
    SeriesStorage() = default;
    /// `kept`: slots whose orders are read from outside, too.
    SeriesStorage(const SeriesProgram& program, std::span<const std::uint32_t> kept, std::size_t orders);

    /// Numbers that a pack of elements takes.
    std::size_t pack_size() const { return histories_ * orders_ + firsts_; }
    std::size_t slot_count() const { return history_.size(); }
    static constexpr std::uint32_t none = ~0u;
    std::uint32_t history(std::uint32_t slot) const { return history_[slot]; }  // its number, or none
    std::uint32_t first(std::uint32_t slot) const { return first_[slot]; }
    std::size_t history_at(std::uint32_t slot) const { return history_[slot] * orders_; }  // into a pack
    std::size_t first_at(std::uint32_t slot) const { return histories_ * orders_ + first_[slot]; }

private:
    void keep(std::uint32_t slot);
    void keep_first(std::uint32_t slot);

    std::vector<std::uint32_t> history_, first_;  // of slots
    std::size_t histories_ = 0, firsts_ = 0, orders_ = 0;
};

/// One order of all slots of a pack: `pack` holds what is kept (SeriesStorage::pack_size), `now` the order in the making of every
/// slot, the inputs filled in already.
void run_order(const SeriesProgram& program, const SeriesStorage& storage, std::size_t k, Lanes* pack, Lanes* now);

/// Σ_{1 ≤ j ≤ k} x_j y_{k−j} of two series that are kept.
Lanes sum_of_lower(const Lanes* x, const Lanes* y, std::size_t k);

}  // namespace lacon
