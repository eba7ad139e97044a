// Taylor coefficients of a whole model as code, for the steps of taylor_code.hpp.
#pragma once

#include <array>
#include <map>
#include <set>
#include <span>

#include "code/acceleration_code.hpp"
#include "expr/series.hpp"

namespace lacon::inline code {

/// The power series of a whole model in the making: one program over all elements, and its orders
/// as code. Positions and what depends on them alone are known two orders ahead of the
/// accelerations, everything else one: so a pass over the program gives order k + 2 of the one and
/// order k + 1 of the other. Two codes: `begin` knows the first orders as values, `next` has all
/// orders below in memory.
class SeriesCode {
public:
    using Slot = std::uint32_t;
    using Values = std::vector<kernel::Value>;

    SeriesCode(const DerivedModel& details, const SmoothSystem& smooth, const CodeOptions& options);

    /// One element's part of the program.
    struct Part {
        const Element& element;
        const SmoothShape& smooth;
        std::vector<Slot> entries;  // of smooth.series_entries
        Slot residual = 0;          // where it is used at its own order
        bool residual_varies = false;
    };
    const std::vector<Part>& parts() const { return parts_; }
    const SeriesProgram& program() const { return union_.program(); }
    bool varies(Slot slot) const { return !program().is_constant_slot(slot); }

    // The slots of its inputs, and of the series that are no part of it, behind its own.
    Slot q(std::size_t i) const { return static_cast<Slot>(i); }
    Slot v(std::size_t i) const { return static_cast<Slot>(n_ + i); }
    Slot t() const { return static_cast<Slot>(2 * n_); }
    Slot a(std::size_t i) const { return static_cast<Slot>(program().slot_count() + i); }
    Slot lambda(std::size_t row) const {
        return static_cast<Slot>(program().slot_count() + n_ + row);
    }

    // ---- in `begin`
    /// Order 0 of everything.
    void first_order(const StateValues& state, kernel::Code& code);
    enum class Of { positions, rest };
    /// Order `order` of the positions and what hangs on them, or of the rest, from the inputs'
    /// coefficients. `trial`: the results are not kept.
    Values early_order(Of what, std::size_t order, const Values& inputs, bool trial);
    const kernel::Value& early(Slot slot, std::size_t order) const { return early_[slot][order]; }
    /// How many orders `begin` knows: 3 of what hangs on positions, else 2; 1 of accelerations and
    /// multipliers.
    std::size_t early_orders(Slot slot) const;
    void set_early(Slot slot, std::size_t order, const kernel::Value& value) {
        early_[slot][order] = value;
    }

    // ---- in `next`
    /// What `begin` has computed, as an input of another code.
    kernel::Value carried(const kernel::Value& value, kernel::Code& code);
    /// Coefficient k of a series, and Σ_{0<j<k} x_j y_{k−j}.
    kernel::Value coefficient(Slot slot, std::uint32_t shift, kernel::Code& next);
    kernel::Value inner(Slot x, Slot y, std::uint32_t shift, kernel::Code& next);
    kernel::Value weighted(Slot x, Slot y, std::uint32_t shift, kernel::Code& next);
    /// Order k + 2 of the positions, or k + 1 of the rest.
    Values order(Of what, const Values& inputs, kernel::Code& next);

    /// Where a series stands in memory.
    enum class Layout { forwards, backwards, weighted };
    Slot place(Slot slot, Layout layout);
    /// The place of a series that is kept although no code reads it.
    Slot keep(Slot slot);
    /// Adds to `begin` and `next` the stores of all that is read, also by the codes in `readers`.
    /// `latest`: of each series its order in the making, by `shift`.
    struct Latest {
        std::uint32_t shift = 0;
        kernel::Value value;
    };
    void add_stores(const std::map<Slot, Latest>& latest,
                    std::span<const kernel::Code* const> readers, kernel::Code& next);
    std::size_t places() const { return places_.size(); }

    kernel::Code* begin = nullptr;

private:
    struct Early;
    struct Later;
    struct Scaled {
        Slot slot;
        kernel::Value factor;
    };
    Scaled base_of(Slot slot, kernel::Code& next);
    bool hangs_on_positions(Slot slot) const { return on_positions_[slot]; }
    template <class Context>
    void pass(Of what, Context& context, const Values& inputs);
    void add_store(Slot slot, Layout layout, const std::map<Slot, Latest>& latest,
                   kernel::Code& next);

    const DerivedModel& details_;
    const SmoothSystem& smooth_;
    KernelInputs at_;
    std::size_t n_;
    SeriesUnion union_;
    std::vector<Part> parts_;
    std::vector<bool> on_positions_;                   // of slots
    std::vector<std::int64_t> made_by_;                // of slots: the instruction, or −1
    std::vector<std::array<kernel::Value, 3>> early_;  // orders 0, 1, 2 in `begin`
    /// By node of `begin`: its place among what that gives out.
    std::map<std::uint32_t, std::uint32_t> carried_;
    std::map<std::pair<Slot, Layout>, Slot> places_;
    std::set<Slot> kept_;
};

}  // namespace lacon::code
