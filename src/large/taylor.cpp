// The equations are those of src/motion/taylor.cpp. Of the series only q is kept for all coordinates, one order behind the other:
//     v_k = (k + 1) q_{k+1},   a_k = (k + 1)(k + 2) q_{k+2}.
// Multipliers and accelerations that meet varying entries of A and M in a sum are kept beside these, in the packs.
#include "large/taylor.hpp"

#include <algorithm>
#include <cmath>

#include "motion/method.hpp"

namespace lacon {

namespace {

using Target = Entry::Target;

constexpr std::size_t lane_count = Lanes::count;

bool is_mass(Target target) {
    return target == Target::mass || target == Target::mass_single;
}

}  // namespace

LargeTaylor::LargeTaylor(LargeAssembler& assembler, double tolerance)
    : assembler_(assembler), system_(assembler.system()), control_(tolerance), orders_(control_.order + 2) {
    std::size_t most_slots = 0;
    for (const Batch& batch : system_.batches) {
        Work& work = works_.emplace_back();
        work.batch = &batch;
        work.shape = &system_.smooth->shapes[batch.shape];
        const SmoothShape& shape = *work.shape;
        join(work);
        find_multiples(work);
        std::vector<std::uint32_t> kept;
        auto next = shape.entries.begin();
        for (std::size_t o = 0; o < shape.series_entries.size(); ++o) {
            const Entry& entry = shape.series_entries[o];
            next = std::find_if(next, shape.entries.end(),
                                [&](const Entry& e) { return e.target == entry.target && e.i == entry.i && e.j == entry.j; });
            work.entry.push_back(static_cast<std::uint32_t>(next++ - shape.entries.begin()));
            if (work.is_constant(o)) continue;
            work.varies = true;
            if (is_mass(entry.target)) work.needs_a = true;
            else if (entry.target == Target::row) work.needs_lambda = true;
            else continue;
            if (entry.target == Target::row && !shape.own_order) work.needs_a = true;
            kept.push_back(work.slots[o]);
        }
        sums_.resize(std::max(sums_.size(), shape.series_entries.size()));
        work.storage = SeriesStorage(*work.program, kept, orders_);
        const std::size_t k = system_.details.system.shapes[batch.shape].coordinates;
        work.lambda_at = work.storage.pack_size();
        work.a_at = work.lambda_at + (work.needs_lambda ? orders_ : 0);
        work.pack_size = work.a_at + (work.needs_a ? k * orders_ : 0);
        work.memory.assign(work.pack_size * batch.packs, Lanes(0.0));
        most_slots = std::max(most_slots, work.program->slot_count());
    }
    transient_.assign(most_slots, Lanes(0.0));
    next_.assign(orders_ * system_.n, 0.0);
    now_.assign(orders_ * system_.n, 0.0);
    f_.resize(system_.n);
    x_.resize(system_.n);
    r_.resize(system_.m + 1);
    lambda_.resize(system_.m + 1);
}

/// A row used at its own order has φ and A in one program: what they share is computed once, and A is known before it is asked
/// for.
void LargeTaylor::join(Work& work) {
    const SmoothShape& shape = *work.shape;
    if (!shape.own_order) {
        work.program = &shape.dynamics_series;
        for (std::size_t o = 0; o < shape.series_entries.size(); ++o) work.slots.push_back(shape.dynamics_series.slot(o));
        return;
    }
    std::vector<bool> varies;
    std::vector<std::uint32_t> inputs;
    for (std::uint32_t i = 0; i < shape.residual_series.input_count(); ++i) {
        varies.push_back(!shape.residual_series.is_constant_slot(i));
        inputs.push_back(i);
    }
    work.joined = std::make_unique<SeriesUnion>(varies);
    work.slots = work.joined->add(shape.dynamics_series, inputs);
    work.residual = work.joined->add(shape.residual_series, inputs)[0];
    work.program = &work.joined->program();
}

/// The two ends of a rod have the same entries of A but for the sign.
void LargeTaylor::find_multiples(Work& work) {
    for (std::size_t o = 0; o < work.slots.size(); ++o) {
        double factor = 1.0;
        for (const SeriesProgram::Instruction& in : work.program->instructions()) {
            const bool is_multiple = in.kind == SeriesProgram::Kind::linear && in.count == 1 && in.value == 0.0 && !in.constant;
            if (in.target != work.slots[o] || !is_multiple) continue;
            factor = work.program->operands(in)[0].k;
            work.slots[o] = work.program->operands(in)[0].slot;
            break;
        }
        work.factors.push_back(factor);
        const auto same = std::find(work.slots.begin(), work.slots.begin() + static_cast<std::ptrdiff_t>(o), work.slots[o]);
        work.first.push_back(static_cast<std::uint32_t>(same - work.slots.begin()));
    }
}

std::size_t LargeTaylor::bytes() const {
    std::size_t sum = (now_.size() + next_.size()) * sizeof(double);
    for (const Work& work : works_) sum += work.memory.size() * sizeof(Lanes);
    return sum;
}

/// Order k of the inputs; where the highest is `unknown` yet, zero in its place.
void LargeTaylor::fill_inputs(const Work& work, std::size_t pack, std::size_t k, bool unknown) {
    const Batch& batch = *work.batch;
    const Shape& shape = system_.details.system.shapes[batch.shape];
    const std::size_t c = shape.coordinates, n = system_.n;
    const std::uint32_t* coordinate = batch.coordinates.data() + pack * c * lane_count;
    const double* q = next_.data() + k * n;
    const bool q_unknown = unknown && shape.level == Level::position;
    for (std::size_t i = 0; i < c; ++i)
        for (std::size_t l = 0; l < lane_count; ++l) transient_[i][l] = q_unknown ? 0.0 : q[coordinate[i * lane_count + l]];
    if (unknown || k + 1 >= orders_) {
        for (std::size_t i = 0; i < c; ++i) transient_[c + i] = Lanes(0.0);
    } else {
        const double* v = next_.data() + (k + 1) * n;
        const auto k1 = static_cast<double>(k + 1);
        for (std::size_t i = 0; i < c; ++i)
            for (std::size_t l = 0; l < lane_count; ++l) transient_[c + i][l] = k1 * v[coordinate[i * lane_count + l]];
    }
    transient_[2 * c] = Lanes(k == 0 ? base_.t : k == 1 ? 1.0 : 0.0);
    if (k > 0) return;
    assembler_.gather(batch, pack, base_, true);
    const auto constants = assembler_.inputs().subspan(2 * c + 1);
    std::copy(constants.begin(), constants.end(), transient_.begin() + static_cast<std::ptrdiff_t>(2 * c + 1));
}

/// The rows used at their own order: r_i from φ of order k + 2 (position) or k + 1 (velocity) without its leading term. On the
/// way order k of A becomes known.
void LargeTaylor::look_ahead(Work& work, std::size_t pack, std::size_t k) {
    Lanes* memory = work.memory.data() + pack * work.pack_size;
    const std::size_t ahead = system_.details.system.shapes[work.batch->shape].level == Level::position ? 2 : 1;
    for (std::size_t order = k == 0 ? 0 : k + ahead - 1; order < k + ahead; ++order) {  // now known
        fill_inputs(work, pack, order, false);
        run_order(*work.program, work.storage, order, memory, transient_.data());
    }
    fill_inputs(work, pack, k + ahead, true);
    run_order(*work.program, work.storage, k + ahead, memory, transient_.data());
    const auto k1 = static_cast<double>(k + 1);
    const double factor = ahead == 2 ? k1 * (k1 + 1.0) : k1;
    const std::uint32_t* row = work.batch->rows.data() + pack * lane_count;
    const bool varies = !work.program->is_constant_slot(work.residual);
    for (std::size_t l = 0; l < lane_count; ++l) r_[row[l]] = varies ? -factor * transient_[work.residual][l] : 0.0;
}

/// What order k − 1 of the solve gave, for sums with varying entries.
void LargeTaylor::keep_known(Work& work, std::size_t pack, std::size_t k) {
    Lanes* memory = work.memory.data() + pack * work.pack_size;
    if (work.needs_lambda) {
        const std::uint32_t* row = work.batch->rows.data() + pack * lane_count;
        for (std::size_t l = 0; l < lane_count; ++l) memory[work.lambda_at + k - 1][l] = lambda_[row[l]];
    }
    if (!work.needs_a) return;
    const std::size_t c = system_.details.system.shapes[work.batch->shape].coordinates;
    const std::uint32_t* coordinate = work.batch->coordinates.data() + pack * c * lane_count;
    for (std::size_t i = 0; i < c; ++i)
        for (std::size_t l = 0; l < lane_count; ++l)
            memory[work.a_at + i * orders_ + k - 1][l] = x_[coordinate[i * lane_count + l]];
}

/// An element's part of order k; at order 0 also of M and A.
void LargeTaylor::add(Work& work, std::size_t pack, std::size_t k, LargeEquations& at) {
    const SmoothShape& shape = *work.shape;
    const Batch& batch = *work.batch;
    const std::size_t c = system_.details.system.shapes[batch.shape].coordinates;
    const std::size_t used = std::min(lane_count, batch.size - pack * lane_count);
    const std::uint32_t* coordinate = batch.coordinates.data() + pack * c * lane_count;
    const std::uint32_t* row = batch.rows.data() + (batch.rows.empty() ? 0 : pack * lane_count);
    const Lanes* memory = work.memory.data() + pack * work.pack_size;
    const auto to_f = [&](std::size_t i, double sign, const Lanes& value) {
        for (std::size_t l = 0; l < used; ++l) f_[coordinate[i * lane_count + l]] += sign * value[l];
    };
    for (std::size_t o = 0; o < shape.series_entries.size(); ++o) {
        const Entry entry = shape.series_entries[o];
        const std::uint32_t slot = work.slots[o];
        const bool varies = !work.is_constant(o);
        const double factor = work.factors[o];
        if (entry.target == Target::force) {
            if (k == 0 || varies) to_f(entry.i, factor, transient_[slot]);
            continue;
        }
        if (entry.target == Target::right) {
            if (k == 0 || varies)
                for (std::size_t l = 0; l < used; ++l) r_[row[l]] += factor * transient_[slot][l];
            continue;
        }
        const Lanes* series = varies ? memory + work.storage.history_at(slot) : &transient_[slot];
        if (k == 0) {
            const std::uint32_t* target = batch.targets.data() + (pack * shape.entries.size() + work.entry[o]) * lane_count;
            for (std::size_t l = 0; l < lane_count; ++l) at.numbers[target[l]] += factor * series[0][l];
            continue;
        }
        if (!varies) continue;
        const auto a_of = [&](std::size_t i) { return memory + work.a_at + i * orders_; };
        if (entry.target == Target::row) {
            if (work.first[o] == o) sums_[o] = sum_of_lower(series, memory + work.lambda_at, k);
            to_f(entry.j, factor, sums_[work.first[o]]);
            if (shape.own_order) continue;
            const Lanes sum = sum_of_lower(series, a_of(entry.j), k);
            for (std::size_t l = 0; l < used; ++l) r_[row[l]] -= factor * sum[l];
            continue;
        }
        to_f(entry.i, -factor, sum_of_lower(series, a_of(entry.j), k));
        if (entry.target == Target::mass && entry.i != entry.j) to_f(entry.j, -factor, sum_of_lower(series, a_of(entry.i), k));
    }
}

void LargeTaylor::gather(std::size_t k, LargeEquations& at) {
    std::fill(f_.begin(), f_.end(), 0.0);
    std::fill(r_.begin(), r_.end(), 0.0);
    for (Work& work : works_) {
        if (k > 0 && !work.varies && !work.shape->own_order) continue;  // constants have said all they have to
        for (std::size_t pack = 0; pack < work.batch->packs; ++pack) {
            if (k > 0) keep_known(work, pack, k);
            if (work.shape->own_order) {
                look_ahead(work, pack, k);
            } else {
                fill_inputs(work, pack, k, false);
                run_order(*work.program, work.storage, k, work.memory.data() + pack * work.pack_size, transient_.data());
            }
            add(work, pack, k, at);
        }
    }
}

bool LargeTaylor::expand(const State& state, const SparseFactor& factor, LargeEquations& at) {
    const std::size_t n = system_.n, m = system_.m;
    base_ = state;
    std::copy(state.q.begin(), state.q.end(), next_.begin());
    std::copy(state.v.begin(), state.v.end(), next_.begin() + static_cast<std::ptrdiff_t>(n));
    std::fill(at.numbers.begin(), at.numbers.end(), 0.0);
    for (std::size_t k = 0; k < control_.order; ++k) {
        gather(k, at);
        factor.solve({at.M(), at.A(), 1}, f_, std::span(r_).first(m), x_, std::span(lambda_).first(m));
        const auto k1 = static_cast<double>(k + 1);
        const double scale = 1.0 / (k1 * (k1 + 1.0));
        double* q = next_.data() + (k + 2) * n;
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            q[i] = x_[i] * scale;
            sum += x_[i] * 0.0;
        }
        if (sum != 0.0) return false;  // not finite
        if (k > 0) continue;
        acceleration_ = x_;
        multipliers_.assign(lambda_.begin(), lambda_.begin() + static_cast<std::ptrdiff_t>(m));
        const auto Q = at.Q(), b = at.b();
        std::copy(f_.begin(), f_.end(), Q.begin());
        std::copy(r_.begin(), r_.begin() + static_cast<std::ptrdiff_t>(m), b.begin());
    }
    return true;
}

bool LargeTaylor::continues(const State& state, double h) const {
    constexpr double slack = 1e3;
    const std::size_t n = system_.n;
    for (std::size_t i = 0; i < n; ++i) {
        double promised = 0.0, size = 0.0;
        for (std::size_t k = control_.order; k-- > 0;) {
            const double a = now_[(k + 2) * n + i] * static_cast<double>((k + 1) * (k + 2));
            promised = promised * h + a;
            size = size * h + std::abs(a);
        }
        const double found = acceleration_[i];
        const double allowed = slack * (control_.tolerance * error_scale(state.v[i]) / h + 1e-13 * (size + std::abs(found))) +
                               1e-8 * std::abs(found);
        if (!(std::abs(found - promised) <= allowed)) return false;
    }
    return true;
}

void LargeTaylor::take() {
    std::swap(now_, next_);
}

/// The largest coefficient of order k of q and q', each by its error scale.
double LargeTaylor::order_size(std::size_t k) const {
    const std::size_t n = system_.n;
    const double *q0 = now_.data(), *v0 = now_.data() + n, *q = now_.data() + k * n, *v = now_.data() + (k + 1) * n;
    const auto k1 = static_cast<double>(k + 1);
    double size = 0.0;
    for (std::size_t i = 0; i < n; ++i)
        size = std::max({size, std::abs(q[i]) / error_scale(q0[i]), k1 * std::abs(v[i]) / error_scale(v0[i])});
    return size;
}

double LargeTaylor::length(double limit) const {
    std::vector<double> sizes;
    for (std::size_t k = control_.first_size(); k <= control_.order; ++k) sizes.push_back(order_size(k));
    return std::min(control_.length(sizes), limit);
}

void LargeTaylor::at(double tau, State& out) const {
    const std::size_t n = system_.n;
    const double* top = now_.data() + (orders_ - 1) * n;
    out.q.assign(top, top + n);
    out.v.assign(n, 0.0);
    for (std::size_t k = orders_ - 1; k-- > 0;) {  // Horner, order by order over all coordinates
        const double* q = now_.data() + k * n;
        for (std::size_t i = 0; i < n; ++i) {
            out.v[i] = out.v[i] * tau + out.q[i];
            out.q[i] = out.q[i] * tau + q[i];
        }
    }
}

}  // namespace lacon
