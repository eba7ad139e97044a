// The memory layout of power series for packs of elements, and the computation of one order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expr/series.hpp"
#include "large/elements/lanes.hpp"

namespace lacon::inline large {

/// Where the coefficients of a program of power series stand while elements go through it side by
/// side. Most slots are read at the order in the making only, and share one place for all elements;
/// those that products and recurrences look back at keep their orders, pack by pack of elements:
/// first the order 0 of what is read of that alone, then order behind order of all that is kept, so
/// that a pack is read from its begin on and no further than its highest order.
class SeriesStorage {
public:
    SeriesStorage() = default;
    /// `constants`: of each slot its value, where it is a number that all elements share. `kept`:
    /// slots whose orders are read from outside, too. `outside`: so many series more, of which the
    /// program does not know.
    SeriesStorage(const SeriesProgram& program, std::span<const std::optional<double>> constants,
                  std::span<const std::uint32_t> kept, std::size_t outside);

    std::size_t firsts() const { return firsts_; }
    std::size_t width() const { return histories_; }  // series that are kept
    std::size_t pack_size(std::size_t orders) const { return firsts_ + histories_ * orders; }

    static constexpr std::uint32_t none = ~0u;
    std::uint32_t history(std::uint32_t slot) const {
        return history_[slot];
    }  // its number among those kept, or none
    std::uint32_t outside(std::size_t i) const {
        return outside_ + static_cast<std::uint32_t>(i);
    }  // likewise
    std::uint32_t first(std::uint32_t slot) const { return first_[slot]; }
    /// Into a pack.
    std::size_t at(std::uint32_t history, std::size_t order) const {
        return firsts_ + order * histories_ + history;
    }

private:
    struct Recorder;

    std::vector<std::uint32_t> history_, first_;  // of slots
    std::size_t histories_ = 0, firsts_ = 0;
    std::uint32_t outside_ = 0;
};

/// One order of all slots of a pack: `pack` holds what is kept, `now` the order in the making of
/// every slot, the inputs filled in already.
void run_order(const SeriesProgram& program, const SeriesStorage& storage, std::size_t k,
               Lanes* pack, Lanes* now);

/// Σ_{1 ≤ j ≤ k} x_j y_{k−j} of two series that are kept, by their numbers.
Lanes sum_of_lower(const SeriesStorage& storage, const Lanes* pack, std::uint32_t x,
                   std::uint32_t y, std::size_t k);

}  // namespace lacon::large
