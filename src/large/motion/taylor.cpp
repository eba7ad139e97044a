// The equations are those of src/methods/taylor.cpp. Of the series only q is kept for all
// coordinates, one order behind the other:
//     v_k = (k + 1) q_{k+1},   a_k = (k + 1)(k + 2) q_{k+2}.
// What else is looked back at is kept element by element, in packs (shape_series.hpp). Order 0 is
// interpreted, the orders above it are compiled, and interpreted where they cannot be or come out
// not finite.
#include "large/motion/taylor.hpp"

#include <algorithm>
#include <cmath>

#include "methods/taylor_recurrence.hpp"

namespace lacon::inline large {

SparseTaylor::SparseTaylor(SparseAssembler& assembler, double tolerance)
    : assembler_(assembler),
      system_(assembler.system()),
      control_(tolerance),
      orders_(control_.order + 2) {
    std::size_t most_slots = 0, most_inputs = 0;
    works_.reserve(system_.batches.size());
    for (const Batch& batch : system_.batches) {
        Work& work = works_.emplace_back(system_, batch);
        lanes_.sums.resize(std::max(lanes_.sums.size(), work.series.smooth.series_entries.size()));
        work.pack_size = work.series.storage.pack_size(orders_);
        work.memory.assign(work.pack_size * batch.packs, Lanes(0.0));
        most_slots = std::max(most_slots, work.series.program->slot_count());
        most_inputs = std::max(most_inputs, 4 * work.series.shape.coordinates + 2);
    }
    lanes_.transient.assign(std::max(most_slots, most_inputs), Lanes(0.0));
    next_.assign(orders_ * system_.n, 0.0);
    now_.assign(orders_ * system_.n, 0.0);
    f_.resize(system_.n);
    x_.resize(system_.n);
    r_.resize(system_.m + 1);
    lambda_.resize(system_.m + 1);
}

void SparseTaylor::compile(const SparseKernels& kernels) {
    std::size_t most = 0;
    for (std::size_t b = 0; b < works_.size(); ++b) {
        Work& work = works_[b];
        work.compiled = kernels.series[b];
        if (!work.compiled) continue;
        work.known.emplace(work.compiled->known);
        if (work.compiled->sums) work.sums.emplace(work.compiled->sums);
        most = std::max(
            {most, work.compiled->known_outputs.size(), work.compiled->sums_outputs.size()});
    }
    lanes_.outputs.resize(most + 1);  // and whether it is in range, which it always is
}

double SparseTaylor::compile_seconds() const {
    double sum = 0.0;
    for (const Work& work : works_)
        for (const auto* one : {&work.known, &work.sums})
            if (*one) sum += (*one)->seconds();
    return sum;
}

std::size_t SparseTaylor::bytes() const {
    std::size_t sum = (now_.size() + next_.size()) * sizeof(double);
    for (const Work& work : works_) sum += work.memory.size() * sizeof(Lanes);
    return sum;
}

void SparseTaylor::gather(std::size_t k, SparseEquations& at) {
    std::fill(f_.begin(), f_.end(), 0.0);
    std::fill(r_.begin(), r_.end(), 0.0);
    for (Work& work : works_) {
        if (k > 0 && !work.series.varies && !work.series.smooth.own_order)
            continue;  // constants have said all they have to
        if (k > 0 && work.known && !interprets_) run_compiled(work, k);
        else interpret(work, k, at);
    }
}

bool SparseTaylor::all_orders(const SparseFactor& factor, SparseEquations& at) {
    const std::size_t n = system_.n, m = system_.m;
    std::fill(at.numbers.begin(), at.numbers.end(), 0.0);
    const auto gathered = [&](std::size_t k) {
        gather(k, at);
        return true;
    };
    const auto solve = [&](std::size_t) {
        factor.solve({at.M(), at.A(), 1}, f_, std::span(r_).first(m), x_,
                     std::span(lambda_).first(m));
    };
    const auto keep = [&](std::size_t k) {
        const auto k1 = static_cast<double>(k + 1);
        const double scale = 1.0 / (k1 * (k1 + 1.0));
        double* q = next_.data() + (k + 2) * n;
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            q[i] = x_[i] * scale;
            sum += x_[i] * 0.0;
        }
        if (sum != 0.0) return false;  // not finite
        if (k > 0) return true;
        answer_ = Answer{x_, {lambda_.begin(), lambda_.begin() + static_cast<std::ptrdiff_t>(m)}};
        const auto Q = at.Q(), b = at.b();
        std::copy(f_.begin(), f_.end(), Q.begin());
        std::copy(r_.begin(), r_.begin() + static_cast<std::ptrdiff_t>(m), b.begin());
        return true;
    };
    return each_order(control_.order, gathered, solve, keep);
}

bool SparseTaylor::expand(const State& state, const SparseFactor& factor, SparseEquations& at) {
    base_ = state;
    answer_.reset();
    std::copy(state.q.begin(), state.q.end(), next_.begin());
    std::copy(state.v.begin(), state.v.end(),
              next_.begin() + static_cast<std::ptrdiff_t>(system_.n));
    if (all_orders(factor, at)) return true;
    const bool is_compiled = std::any_of(works_.begin(), works_.end(),
                                         [](const Work& work) { return work.known.has_value(); });
    if (!is_compiled) return false;
    interprets_ = true;  // it knows roots of what stays zero
    const bool fine = all_orders(factor, at);
    interprets_ = false;
    return fine;
}

bool SparseTaylor::continues(const State& state, double h) const {
    return keeps_promise(control_, View{now_, system_.n}, {state.v, h, {}},
                         [&](std::size_t i) { return answer_->acceleration[i]; });
}

void SparseTaylor::take() {
    std::swap(now_, next_);
}

double SparseTaylor::length(double limit) const {
    const View now{now_, system_.n};
    const auto sizes =
        control_.sizes([&](std::size_t k) { return largest_of_order(now, system_.n, k); });
    return clear_length(std::min(control_.length(sizes), limit));
}

/// How far every operand of a feature (expr/feature.hpp) stays within reach of its series, as
/// Taylor::clear_length.
double SparseTaylor::clear_length(double length) const {
    for (const Work& work : works_)
        for (const Feature& feature : work.series.features) {
            const SeriesStorage& storage = work.series.storage;
            const std::size_t first = storage.at(storage.history(feature.operand), 0),
                              width = storage.width();
            for (std::size_t pack = 0; pack < work.series.batch.packs; ++pack) {
                const Lanes* series = work.pack(pack) + first;
                Lanes moved(0.0);
                for (std::size_t k = control_.order - 1; k > 0; --k)
                    for (std::size_t l = 0; l < Lanes::count; ++l)
                        moved[l] = (moved[l] + std::abs(series[k * width][l])) * length;
                for (std::size_t l = 0; l < Lanes::count; ++l) {
                    const double reach =
                        reach_of(feature.kind, series[0][l], feature.known, control_.order);
                    if (moved[l] <= reach) continue;
                    std::vector<double> one(control_.order);
                    for (std::size_t k = 0; k < one.size(); ++k) one[k] = series[k * width][l];
                    length = length_within(one, 1, reach, length);
                }
            }
        }
    return length;
}

void SparseTaylor::at(double tau, State& out) const {
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

}  // namespace lacon::large
