// Builds the patterns of M and A by counting, and stores for every number of an element its place
// in them. Elements with different exponents are kept apart, since series of powers branch on them.
#include "large/elements/batches.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

namespace lacon::inline large {

namespace {

using Target = Entry::Target;

/// Entries of a matrix in the making, each named as often as elements add to it.
class PatternMaker {
public:
    PatternMaker(std::size_t rows, std::size_t cols) : cols_(cols), count_(rows + 1, 0) {}

    void count(std::size_t row) { ++count_[row + 1]; }
    void begin() {
        std::partial_sum(count_.begin(), count_.end(), count_.begin());
        column_.resize(count_.back());
        next_.assign(count_.begin(), count_.end() - 1);
    }
    void put(std::size_t row, std::uint32_t column) { column_[next_[row]++] = column; }
    SparsePattern finish() {
        SparsePattern pattern;
        pattern.rows = count_.size() - 1;
        pattern.cols = cols_;
        pattern.begin.assign(1, 0);
        pattern.begin.reserve(count_.size());
        std::size_t kept = 0;
        for (std::size_t i = 0; i < pattern.rows; ++i) {
            const auto first = column_.begin() + static_cast<std::ptrdiff_t>(count_[i]);
            const auto last = column_.begin() + static_cast<std::ptrdiff_t>(count_[i + 1]);
            std::sort(first, last);
            const auto end = std::unique(first, last);
            for (auto c = first; c != end; ++c) column_[kept++] = *c;
            pattern.begin.push_back(kept);
        }
        column_.resize(kept);
        column_.shrink_to_fit();
        pattern.column = std::move(column_);
        return pattern;
    }

private:
    std::size_t cols_;
    std::vector<std::size_t> count_, next_;
    std::vector<std::uint32_t> column_;
};

std::size_t place_in(const SparsePattern& pattern, std::size_t row, std::uint32_t column) {
    const auto first = pattern.column.begin() + static_cast<std::ptrdiff_t>(pattern.begin[row]);
    const auto last = pattern.column.begin() + static_cast<std::ptrdiff_t>(pattern.begin[row + 1]);
    return static_cast<std::size_t>(std::lower_bound(first, last, column) - pattern.column.begin());
}

/// Which entry of M (lower triangle) or A an element's number goes to; whether there is one.
struct Cell {
    bool is_mass = false, is_row = false;
    std::size_t row = 0;
    std::uint32_t column = 0;
};

Cell cell_of(const Entry& entry, const std::uint32_t* leaf, std::int32_t row) {
    const std::uint32_t i = leaf[entry.i], j = leaf[entry.j];
    switch (entry.target) {
        case Target::mass: return {true, false, std::max(i, j), std::min(i, j)};
        case Target::mass_single:
            return {i >= j, false, i, j};  // the other one of the pair is its equal
        case Target::row: return {false, true, static_cast<std::size_t>(row), j};
        default: return {};
    }
}

/// Which of its parameters decide exponents: a power goes another way for each (SeriesRules), so
/// elements side by side must agree in them.
std::vector<std::size_t> exponents_of(const Shape& shape, const SmoothShape& smooth) {
    std::vector<std::size_t> parameters;
    for (const std::size_t input : exponent_inputs(smooth))
        parameters.push_back(input - (2 * shape.coordinates + 1));
    return parameters;
}

/// The elements of each shape, those with other exponents apart.
std::vector<Batch> sorted_by_shape(const DerivedModel& details, const SmoothSystem& smooth) {
    const System& system = details.system;
    std::vector<std::vector<std::size_t>> exponents(system.shapes.size());
    std::vector<std::size_t> count(system.shapes.size(), 0);
    for (const Element& element : system.elements) ++count[element.shape];
    for (std::size_t shape = 0; shape < count.size(); ++shape)
        if (count[shape] > 0)
            exponents[shape] = exponents_of(system.shapes[shape], smooth.shapes[shape]);
    std::vector<std::map<std::vector<double>, std::size_t>> batch_of(system.shapes.size());
    std::vector<Batch> batches;
    std::vector<double> values;
    for (std::size_t e = 0; e < system.elements.size(); ++e) {
        const std::uint32_t shape = system.elements[e].shape;
        const std::uint32_t* leaf =
            system.leaves.data() + system.elements[e].leaves + system.shapes[shape].coordinates;
        values.clear();
        for (const std::size_t p : exponents[shape]) values.push_back(details.parameters[leaf[p]]);
        const auto [found, is_new] = batch_of[shape].try_emplace(values, batches.size());
        if (is_new) {
            batches.emplace_back().shape = shape;
            if (exponents[shape].empty())
                batches.back().elements.reserve(count[shape] + lane_count);
        }
        batches[found->second].elements.push_back(static_cast<std::uint32_t>(e));
    }
    std::stable_sort(batches.begin(), batches.end(),
                     [](const Batch& a, const Batch& b) { return a.shape < b.shape; });
    return batches;
}

}  // namespace

std::vector<std::size_t> exponent_inputs(const SmoothShape& smooth) {
    std::set<std::size_t> inputs;
    for (const SeriesProgram* program : {&smooth.dynamics_series, &smooth.residual_series}) {
        std::vector<bool> needed(program->slot_count(), false);
        const auto instructions = program->instructions();
        for (std::size_t i = instructions.size(); i-- > 0;) {
            const SeriesProgram::Instruction& in = instructions[i];
            const SeriesProgram::Operand* arg = program->operands(in);
            if (in.kind == SeriesProgram::Kind::power) needed[arg[1].slot] = true;
            for (std::uint32_t a = 0; needed[in.target] && a < in.count; ++a)
                needed[arg[a].slot] = true;
        }
        for (std::size_t i = 0; i < program->input_count(); ++i)
            if (needed[i]) inputs.insert(i);
    }
    return {inputs.begin(), inputs.end()};
}

SparseSystem::SparseSystem(const DerivedModel& d, std::shared_ptr<const SmoothSystem> s)
    : details(d), smooth(std::move(s)), n(d.system.coordinate_count), m(d.system.row_count()) {
    const System& system = d.system;
    const auto each_cell = [&](const auto& take) {
        for (const Element& element : system.elements) {
            const std::uint32_t* leaf = system.leaves.data() + element.leaves;
            for (const Entry& entry : smooth->shapes[element.shape].entries)
                take(cell_of(entry, leaf, element.row));
        }
    };
    PatternMaker masses(n, n), constraints(m, n);
    for (std::size_t i = 0; i < n; ++i) masses.count(i);
    each_cell([&](const Cell& c) {
        if (c.is_mass) masses.count(c.row);
        if (c.is_row) constraints.count(c.row);
    });
    masses.begin();
    constraints.begin();
    for (std::size_t i = 0; i < n; ++i) masses.put(i, static_cast<std::uint32_t>(i));
    each_cell([&](const Cell& c) {
        if (c.is_mass) masses.put(c.row, c.column);
        if (c.is_row) constraints.put(c.row, c.column);
    });
    mass = std::make_shared<const SparsePattern>(masses.finish());
    rows = std::make_shared<const SparsePattern>(constraints.finish());

    const SparseEquations places = empty_equations();
    if (places.numbers.size() > 0xffff'ffffu)
        throw std::length_error("a system of more than 4 billion numbers");
    batches = sorted_by_shape(details, *smooth);
    for (Batch& batch : batches) {
        batch.size = batch.elements.size();
        batch.packs = (batch.size + lane_count - 1) / lane_count;
        batch.elements.resize(batch.packs * lane_count, batch.elements.back());
        const Shape& shape = system.shapes[batch.shape];
        const std::vector<Entry>& entries = smooth->shapes[batch.shape].entries;
        const std::size_t k = shape.coordinates, p = shape.parameters;
        const std::uint32_t* first_leaf =
            system.leaves.data() + system.elements[batch.elements[0]].leaves;
        batch.coordinates.resize(batch.packs * k * lane_count);
        batch.targets.resize(batch.packs * entries.size() * lane_count);
        batch.uniform.assign(p, true);
        const bool has_rows = system.elements[batch.elements[0]].row >= 0;
        if (has_rows) batch.rows.resize(batch.packs * lane_count);
        for (std::size_t at = 0; at < batch.elements.size(); ++at) {
            const std::size_t pack = at / lane_count, lane = at % lane_count;
            const Element& element = system.elements[batch.elements[at]];
            const std::uint32_t* leaf = system.leaves.data() + element.leaves;
            const bool is_real = at < batch.size;
            for (std::size_t i = 0; i < k; ++i)
                batch.coordinates[(pack * k + i) * lane_count + lane] = leaf[i];
            for (std::size_t i = 0; i < p; ++i)
                if (d.parameters[leaf[k + i]] != d.parameters[first_leaf[k + i]])
                    batch.uniform[i] = false;
            if (has_rows)
                batch.rows[at] =
                    static_cast<std::uint32_t>(is_real ? static_cast<std::size_t>(element.row) : m);
            for (std::size_t o = 0; o < entries.size(); ++o) {
                const Cell c = cell_of(entries[o], leaf, element.row);
                std::size_t target = places.numbers.size() - 1;
                if (!is_real) {
                    // nobody reads it
                } else if (c.is_mass) target = place_in(*mass, c.row, c.column);
                else if (c.is_row)
                    target = places.mass_entries + n + place_in(*rows, c.row, c.column);
                else if (entries[o].target == Target::force)
                    target = places.mass_entries + leaf[entries[o].i];
                else if (entries[o].target == Target::right)
                    target = places.mass_entries + n + places.row_entries +
                             static_cast<std::size_t>(element.row);
                batch.targets[(pack * entries.size() + o) * lane_count + lane] =
                    static_cast<std::uint32_t>(target);
            }
        }
    }
}

SparseEquations SparseSystem::empty_equations() const {
    SparseEquations e;
    e.n = n;
    e.m = m;
    e.mass_entries = mass->entries();
    e.row_entries = rows->entries();
    e.numbers.assign(e.mass_entries + n + e.row_entries + m + 1, 0.0);
    return e;
}

std::size_t SparseSystem::bytes() const {
    std::size_t sum = (mass->entries() + rows->entries()) * 4 + (n + m) * 8;
    for (const Batch& b : batches)
        sum += 4 * (b.elements.size() + b.coordinates.size() + b.rows.size() + b.targets.size());
    return sum;
}

}  // namespace lacon::large
