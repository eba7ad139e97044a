// The elements' part of an order of the series, pack by pack: interpreted, or by machine code.
#include <algorithm>

#include "large/motion/taylor.hpp"
#include "methods/taylor_recurrence.hpp"

namespace lacon::inline large {

namespace {

using Target = Entry::Target;

/// Asks for memory that is read soon: short runs of lines, which the machine itself does not
/// foresee.
void prefetch(const Lanes* begin, std::size_t count) {
#ifdef __GNUC__
    for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(begin + i, 0, 2);
#else
    static_cast<void>(begin), static_cast<void>(count);
#endif
}

}  // namespace

/// Order k of the inputs; where the highest is `unknown` yet, zero in its place.
void SparseTaylor::fill_inputs(const Work& work, std::size_t pack, std::size_t k, bool unknown) {
    const Batch& batch = work.series.batch;
    const Shape& shape = work.series.shape;
    const std::size_t c = shape.coordinates, n = system_.n;
    const std::uint32_t* coordinate = batch.coordinates.data() + pack * c * lane_count;
    const double* q = next_.data() + k * n;
    const bool q_unknown = unknown && shape.level == Level::position;
    for (std::size_t i = 0; i < c; ++i)
        for (std::size_t l = 0; l < lane_count; ++l)
            lanes_.transient[i][l] = q_unknown ? 0.0 : q[coordinate[i * lane_count + l]];
    if (unknown || k + 1 >= orders_) {
        for (std::size_t i = 0; i < c; ++i) lanes_.transient[c + i] = Lanes(0.0);
    } else {
        const double* v = next_.data() + (k + 1) * n;
        const auto k1 = static_cast<double>(k + 1);
        for (std::size_t i = 0; i < c; ++i)
            for (std::size_t l = 0; l < lane_count; ++l)
                lanes_.transient[c + i][l] = k1 * v[coordinate[i * lane_count + l]];
    }
    lanes_.transient[2 * c] = Lanes(k == 0 ? base_.t : k == 1 ? 1.0 : 0.0);
    if (k > 0) return;
    assembler_.gather(batch, pack, base_, true);
    const auto constants = assembler_.inputs().subspan(2 * c + 1);
    std::copy(constants.begin(), constants.end(),
              lanes_.transient.begin() + static_cast<std::ptrdiff_t>(2 * c + 1));
}

/// The rows used at their own order: r_i from φ of order k + 2 (position) or k + 1 (velocity)
/// without its leading term. On the way order k of A becomes known.
void SparseTaylor::look_ahead_at(Work& work, std::size_t pack, std::size_t k) {
    const ShapeSeries& series = work.series;
    look_ahead(k, series.ahead, [&](std::size_t order, bool unknown) {
        fill_inputs(work, pack, order, unknown);
        run_order(*series.program, series.storage, order, work.pack(pack), lanes_.transient.data());
    });
    const double factor = leading_factor(series.ahead, k);
    const std::uint32_t* row = series.batch.rows.data() + pack * lane_count;
    const bool varies = !series.program->is_constant_slot(series.residual);
    for (std::size_t l = 0; l < lane_count; ++l)
        r_[row[l]] = varies ? -factor * lanes_.transient[series.residual][l] : 0.0;
}

/// What order k − 1 of the solve gave, for sums with varying entries.
void SparseTaylor::keep_known(Work& work, std::size_t pack, std::size_t k) {
    const ShapeSeries& series = work.series;
    Lanes* memory = work.pack(pack);
    if (series.needs_lambda) {
        const std::uint32_t* row = series.batch.rows.data() + pack * lane_count;
        Lanes& known = memory[series.storage.at(series.lambda(), k - 1)];
        for (std::size_t l = 0; l < lane_count; ++l) known[l] = lambda_[row[l]];
    }
    if (!series.needs_a) return;
    const std::size_t c = series.shape.coordinates;
    const std::uint32_t* coordinate = series.batch.coordinates.data() + pack * c * lane_count;
    for (std::size_t i = 0; i < c; ++i) {
        Lanes& known = memory[series.storage.at(series.a(i), k - 1)];
        for (std::size_t l = 0; l < lane_count; ++l) known[l] = x_[coordinate[i * lane_count + l]];
    }
}

/// An element's part of the right-hand sides, lane by lane, for add_order.
struct SparseTaylor::Terms {
    SparseTaylor& taylor;
    const ShapeSeries& series;
    const Lanes* memory;
    std::size_t pack, k, o;  // of the entry: its number
    double factor;

    const Lanes& term() const { return taylor.lanes_.transient[series.slots[o]]; }
    Lanes acceleration(std::uint32_t j) const { return lower(series.a(j)); }
    const Lanes& multiplier() const {  // entries that are the same share it
        if (series.first[o] == o) taylor.lanes_.sums[o] = lower(series.lambda());
        return taylor.lanes_.sums[series.first[o]];
    }
    void to_force(std::uint32_t i, int sign, const Lanes& x) {
        const std::size_t c = series.shape.coordinates;
        put(taylor.f_, series.batch.coordinates.data() + (pack * c + i) * lane_count, sign, x);
    }
    void to_row(int sign, const Lanes& x) {
        put(taylor.r_, series.batch.rows.data() + pack * lane_count, sign, x);
    }

private:
    Lanes lower(std::uint32_t other) const {
        return sum_of_lower(series.storage, memory, series.storage.history(series.slots[o]), other,
                            k);
    }
    void put(std::vector<double>& to, const std::uint32_t* place, int sign, const Lanes& x) const {
        const std::size_t used = std::min(lane_count, series.batch.size - pack * lane_count);
        for (std::size_t l = 0; l < used; ++l) to[place[l]] += sign * factor * x[l];
    }
};

/// An element's part of order k; at order 0 also of M and A.
void SparseTaylor::add(Work& work, std::size_t pack, std::size_t k, SparseEquations& at) {
    const ShapeSeries& series = work.series;
    const SmoothShape& shape = series.smooth;
    const Lanes* memory = work.pack(pack);
    for (std::size_t o = 0; o < shape.series_entries.size(); ++o) {
        const Entry entry = shape.series_entries[o];
        const std::uint32_t slot = series.slots[o];
        const bool varies = !series.is_constant(o);
        const double factor = series.factors[o];
        if (k == 0 && is_of_matrix(entry.target)) {
            const Lanes& value = varies ? memory[series.storage.at(series.storage.history(slot), 0)]
                                        : lanes_.transient[slot];
            const std::uint32_t* target =
                series.batch.targets.data() +
                (pack * shape.entries.size() + series.entry[o]) * lane_count;
            for (std::size_t l = 0; l < lane_count; ++l) at.numbers[target[l]] += factor * value[l];
        } else if (k == 0 || varies) {
            add_order(entry, shape.own_order, Terms{*this, series, memory, pack, k, o, factor});
        }
    }
}

void SparseTaylor::interpret(Work& work, std::size_t k, SparseEquations& at) {
    for (std::size_t pack = 0; pack < work.series.batch.packs; ++pack) {
        if (k > 0) keep_known(work, pack, k);
        if (work.series.smooth.own_order) {
            look_ahead_at(work, pack, k);
        } else {
            fill_inputs(work, pack, k, false);
            run_order(*work.series.program, work.series.storage, k, work.pack(pack),
                      lanes_.transient.data());
        }
        add(work, pack, k, at);
    }
}

// ---- compiled

/// Those of SeriesCodes that are read.
void SparseTaylor::fill_inputs(const Work& work, std::size_t pack, std::size_t k) {
    const Batch& batch = work.series.batch;
    const std::size_t c = work.series.shape.coordinates, n = system_.n,
                      order = k + work.series.ahead - 1;
    const std::uint32_t* coordinate = batch.coordinates.data() + pack * c * lane_count;
    const auto gather = [&](std::size_t i, const double* from, Lanes& to) {
        for (std::size_t l = 0; l < lane_count; ++l) to[l] = from[coordinate[i * lane_count + l]];
    };
    for (const std::uint32_t i : work.compiled->inputs) {
        Lanes& to = lanes_.transient[i];
        if (i < c) {
            gather(i, next_.data() + order * n, to);
        } else if (i < 2 * c) {
            gather(i - c, next_.data() + (order + 1) * n, to);
            to = to * Lanes(static_cast<double>(order + 1));
        } else if (i == 2 * c) {
            to = Lanes(order == 1 ? 1.0 : 0.0);
        } else if (i == 2 * c + 1) {
            const std::uint32_t* row = batch.rows.data() + pack * lane_count;
            for (std::size_t l = 0; l < lane_count; ++l) to[l] = lambda_[row[l]];
        } else if (i < 3 * c + 2) {
            gather(i - 2 * c - 2, x_.data(), to);
        } else {
            gather(i - 3 * c - 2, next_.data() + (order + 1) * n, to);
        }
    }
}

void SparseTaylor::add(const Work& work, std::size_t pack, std::size_t k,
                       std::span<const SeriesCodes::Sum> sums) {
    using To = SeriesCodes::Sum::To;
    const Batch& batch = work.series.batch;
    const std::size_t c = work.series.shape.coordinates,
                      used = std::min(lane_count, batch.size - pack * lane_count);
    const std::uint32_t* coordinate = batch.coordinates.data() + pack * c * lane_count;
    const std::uint32_t* row = batch.rows.data() + (batch.rows.empty() ? 0 : pack * lane_count);
    for (std::size_t o = 0; o < sums.size(); ++o) {
        const Lanes& value = lanes_.outputs[o];
        const double factor =
            sums[o].to == To::residual ? -leading_factor(work.series.ahead, k) : 1.0;
        double* to = sums[o].to == To::force ? f_.data() : r_.data();
        const std::uint32_t* place =
            sums[o].to == To::force ? coordinate + sums[o].i * lane_count : row;
        for (std::size_t l = 0; l < used; ++l) to[place[l]] += factor * value[l];
    }
}

void SparseTaylor::run_compiled(Work& work, std::size_t k) {
    const SparseKernels::Series& codes = *work.compiled;
    const std::size_t read = work.series.storage.pack_size(k + work.series.ahead);
    for (std::size_t pack = 0; pack < work.series.batch.packs; ++pack) {
        prefetch(work.pack(std::min(pack + 2, work.series.batch.packs - 1)), read);
        fill_inputs(work, pack, k);
        const double* inputs = lanes_.transient[0].x.data();
        double* memory = work.memory.empty()
                             ? nullptr
                             : work.pack(pack)->x.data();  // where no product looks back
        work.known->run(inputs, lanes_.outputs[0].x.data(), memory, k - 1);
        add(work, pack, k, codes.known_outputs);
        if (!work.sums) continue;
        work.sums->run(inputs, lanes_.outputs[0].x.data(), memory, k - 1);
        add(work, pack, k, codes.sums_outputs);
    }
}

}  // namespace lacon::large
