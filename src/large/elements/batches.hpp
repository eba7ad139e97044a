// The layout of a large system: elements grouped by shape, and the patterns of M and A.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "large/elements/lanes.hpp"
#include "mechanics/derive/smooth.hpp"
#include "mechanics/system/derived_model.hpp"
#include "solve/sparse/sparse.hpp"

namespace lacon::inline large {

/// All elements of one shape (and, where there are such, with the same exponents), side by side in
/// packs of Lanes::count; where the last pack is not full, its last element comes several times,
/// and what those give goes to a place that nobody reads. Item i of lane l of pack p stands at (p *
/// items + i) * Lanes::count + l.
struct Batch {
    std::uint32_t shape = 0;
    std::size_t size = 0, packs = 0;         // elements; ⌈size / lanes⌉
    std::vector<std::uint32_t> elements;     // their numbers in System::elements (packs × lanes)
    std::vector<std::uint32_t> coordinates;  // (packs × k × lanes)
    std::vector<std::uint32_t> rows;  // of constraints (packs × lanes), padded with m; else empty
    std::vector<std::uint32_t>
        targets;  // of the dynamics' entries: places in SparseEquations (packs × entries × lanes)
    std::vector<bool> uniform;  // of each parameter: all elements have the same one
};

/// M q'' = Q, A q'' = b at a state, without zeros: numbers one behind the other, M (the lower
/// triangle), Q, A, b, and one that nobody reads.
struct SparseEquations {
    std::vector<double> numbers;
    std::size_t n = 0, m = 0, mass_entries = 0, row_entries = 0;

    std::span<double> M() { return std::span(numbers).first(mass_entries); }
    std::span<double> Q() { return std::span(numbers).subspan(mass_entries, n); }
    std::span<double> A() { return std::span(numbers).subspan(mass_entries + n, row_entries); }
    std::span<double> b() { return std::span(numbers).subspan(mass_entries + n + row_entries, m); }
    std::span<const double> M() const { return std::span(numbers).first(mass_entries); }
    std::span<const double> Q() const { return std::span(numbers).subspan(mass_entries, n); }
    std::span<const double> A() const {
        return std::span(numbers).subspan(mass_entries + n, row_entries);
    }
    std::span<const double> b() const {
        return std::span(numbers).subspan(mass_entries + n + row_entries, m);
    }
};

/// The inputs of a shape's series that exponents hang on; a large system takes parameters only.
std::vector<std::size_t> exponent_inputs(const SmoothShape& smooth);

/// A system laid out for size: its elements by shapes, and where the numbers that they add up to
/// stand. No expression, no dense matrix, nothing that grows faster than the model. Built once.
struct SparseSystem {
    /// `details` must outlive it.
    SparseSystem(const DerivedModel& details, std::shared_ptr<const SmoothSystem> smooth);

    const DerivedModel& details;
    std::shared_ptr<const SmoothSystem> smooth;
    std::size_t n = 0, m = 0;
    std::vector<Batch> batches;
    std::shared_ptr<const SparsePattern> mass, rows;  // lower triangle of M (n × n), A (m × n)

    SparseEquations empty_equations() const;
    std::size_t bytes() const;  // that it takes
};

}  // namespace lacon::large
