// What all elements of a shape share in their power series, and the code made from it.
#pragma once

#include <memory>

#include "expr/feature.hpp"
#include "kernel/code.hpp"
#include "large/elements/batches.hpp"
#include "large/elements/series.hpp"

namespace lacon::inline large {

/// The power series of a batch's elements: one program of a shape's entries and, where a row is
/// used at its own order, of its residual, and where a pack of elements keeps them. Multipliers and
/// accelerations that meet varying entries of A and M in a sum are kept beside these.
struct ShapeSeries {
    ShapeSeries(const SparseSystem& system, const Batch& batch);

    const Batch& batch;
    const Shape& shape;
    const SmoothShape& smooth;
    const SeriesProgram* program = nullptr;
    std::vector<std::optional<double>>
        constants;  // of slots: their value where it is a number for all elements
    std::vector<std::uint32_t> slots;  // of the series entries
    std::vector<double> factors;  // with which the slot is taken: what is but a multiple of another
                                  // is not kept twice
    std::vector<std::uint32_t> first;  // of each entry, the first one with the same slot
    std::vector<std::uint32_t>
        entry;                      // of each series entry its number among the dynamics' entries
    std::uint32_t residual = 0;     // slot
    std::vector<Feature> features;  // that a step may go over unseen; their operands are kept
    bool needs_lambda = false, needs_a = false, varies = false;
    /// The highest order of the inputs that is known when order k of the accelerations is asked for
    /// is k + ahead − 1.
    std::size_t ahead = 1;
    SeriesStorage storage;

    bool is_constant(std::size_t o) const { return program->is_constant_slot(slots[o]); }
    std::uint32_t lambda() const {
        return storage.outside(0);
    }  // their numbers among the series kept
    std::uint32_t a(std::size_t i) const { return storage.outside((needs_lambda ? 1 : 0) + i); }

private:
    void join();
    void find_constants(const SparseSystem& system);
    void find_multiples();
    std::vector<std::uint32_t> read_entries();
    void find_features(const SparseSystem& system);

    std::unique_ptr<SeriesUnion> joined_;
};

/// A pack's part of order k ≥ 1 as code over its memory, to be run at k − 1: first `known`, which
/// takes in what the last order of the solve has given and keeps what follows from it, then `sums`.
/// Inputs, c coordinates: q and v of order k + ahead − 1 (c each), t of that order, λ and a (c) of
/// order k − 1, and q of order k + ahead (c), where that is known before the accelerations are.
struct SeriesCodes {
    /// Throws std::runtime_error where it cannot be compiled.
    explicit SeriesCodes(const ShapeSeries& series);

    /// Where an output is added, and with which sign: to the force on the element's coordinate i,
    /// or to its row; the residual of a row, order k + ahead without its leading term, is for
    /// whoever runs it to scale.
    struct Sum {
        enum class To : std::uint8_t { force, row, residual };
        To to = To::force;
        std::uint32_t i = 0;
    };
    kernel::Code known, sums;
    std::vector<Sum> known_outputs, sums_outputs;
    std::vector<std::uint32_t> inputs;  // that are read
};

}  // namespace lacon::large
