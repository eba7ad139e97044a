// Leaves contacts out of a step if they cannot close within it.
#pragma once

#include <span>
#include <vector>

#include "interval/interval.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::inline contact {

/// Of many contacts few are about to close. Before a step is searched, the gap of every contact is
/// enclosed by interval arithmetic over a box that holds the step; contacts whose gap is positive
/// all over the box are out of sight, and cost nothing until the next step. It depends on the step
/// alone, so that a run that goes on from a checkpoint sees the same.
class Sight {
public:
    explicit Sight(const DerivedModel& whole);

    /// Whether it is worth looking: there are many contacts, none with measured data, whose signals
    /// have no enclosure.
    bool is_useful() const { return !contacts_.empty(); }
    /// Looks around `centre`: coordinates within `reach` (n) of it, times from `from` to `to`.
    void look(const State& centre, std::span<const double> reach, double from, double to);
    /// Whether a state is in the box that was looked at.
    bool covers(const State& state) const;
    bool is_far(std::size_t row) const { return !least_.empty() && least_[row] > 0.0; }
    /// Of a row out of sight the least gap there may be in the box; else 0.
    double least(std::size_t row) const { return least_[row]; }
    /// The elements of all rows in sight.
    const std::vector<std::size_t>& near() const { return near_; }

private:
    struct Contact {
        std::size_t row, element;
        int side;
    };
    double least_gap(const Contact& contact, std::span<const Interval> q, const Interval& t);

    const DerivedModel& whole_;
    std::vector<Contact> contacts_;    // those that may be out of sight
    std::vector<std::size_t> others_;  // elements of the other rows
    std::vector<double> low_, high_, least_;
    double from_ = 0.0, to_ = -1.0;
    std::vector<std::size_t> near_;
    std::vector<Interval> inputs_, slots_, outputs_;
};

}  // namespace lacon::contact
