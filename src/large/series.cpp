#include "large/series.hpp"

#include <stdexcept>

#include "expr/series_rules.hpp"

namespace lacon {

using Kind = SeriesProgram::Kind;

SeriesStorage::SeriesStorage(const SeriesProgram& program, std::span<const std::uint32_t> kept, std::size_t orders)
    : history_(program.slot_count(), none), first_(program.slot_count(), none), orders_(orders) {
    for (const std::uint32_t slot : kept) keep(slot);
    for (const SeriesProgram::Instruction& in : program.instructions()) {
        if (in.constant) continue;  // computed at order 0 alone, where all slots are at hand
        const SeriesProgram::Operand* arg = program.operands(in);
        switch (in.kind) {
            case Kind::linear: break;
            case Kind::multiply:
                for (std::uint32_t i = 0; i < 2; ++i) {
                    if (!arg[i].varies) keep_first(arg[i].slot);
                    else if (arg[1 - i].varies) keep(arg[i].slot);
                }
                break;
            case Kind::divide:
                if (!arg[1].varies) {
                    keep_first(arg[1].slot);
                    break;
                }
                keep(arg[1].slot);
                keep(in.target);
                break;
            case Kind::select: keep_first(arg[0].slot); break;
            case Kind::chosen:
                for (std::uint32_t i = 0; i < in.count; ++i) keep_first(arg[i].slot);
                break;
            default: {  // recurrences: all they touch
                for (std::uint32_t i = 0; i < in.count; ++i) keep(arg[i].slot);
                const std::uint32_t width =
                    in.kind == Kind::power                                                                                    ? 11
                    : in.kind == Kind::sin_cos || in.kind == Kind::sinh_cosh || in.kind == Kind::tan || in.kind == Kind::tanh ? 2
                                                                                                                              : 1;
                for (std::uint32_t i = 0; i < width; ++i) keep(in.target + i);
            }
        }
    }
}

void SeriesStorage::keep(std::uint32_t slot) {
    if (history_[slot] == none) history_[slot] = static_cast<std::uint32_t>(histories_++);
}

void SeriesStorage::keep_first(std::uint32_t slot) {
    if (first_[slot] == none) first_[slot] = static_cast<std::uint32_t>(firsts_++);
}

namespace {

// The sums over orders are where the time goes: they are compiled for the vector registers that machines have. (Sanitizers run
// before such a choice can be made.)
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define LACON_FOR_EVERY_MACHINE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LACON_FOR_EVERY_MACHINE
#endif

/// total += Σ_{from ≤ j ≤ to} a_j b_{k−j}, all of them Lanes::count numbers.
LACON_FOR_EVERY_MACHINE void add_products(const double* a, const double* b, std::size_t k, std::size_t from, std::size_t to,
                                          double* total) {
    constexpr std::size_t w = Lanes::count;
    double sum[w];
    for (std::size_t l = 0; l < w; ++l) sum[l] = total[l];
    for (std::size_t j = from; j <= to; ++j) {
        const double *x = a + j * w, *y = b + (k - j) * w;
        for (std::size_t l = 0; l < w; ++l) sum[l] += x[l] * y[l];
    }
    for (std::size_t l = 0; l < w; ++l) total[l] = sum[l];
}

/// total += Σ_{1 ≤ j < k} j a_j b_{k−j}
LACON_FOR_EVERY_MACHINE void add_weighted(const double* a, const double* b, std::size_t k, double* total) {
    constexpr std::size_t w = Lanes::count;
    double sum[w];
    for (std::size_t l = 0; l < w; ++l) sum[l] = total[l];
    for (std::size_t j = 1; j < k; ++j) {
        const double *x = a + j * w, *y = b + (k - j) * w;
        const auto weight = static_cast<double>(j);
        for (std::size_t l = 0; l < w; ++l) sum[l] += weight * x[l] * y[l];
    }
    for (std::size_t l = 0; l < w; ++l) total[l] = sum[l];
}

class PackSeries {
public:
    PackSeries(const SeriesStorage& storage, std::size_t k, Lanes* pack, Lanes* now)
        : storage_(storage), k_(k), pack_(pack), now_(now) {}

    const Lanes& first(std::uint32_t slot) const {
        if (k_ == 0) return now_[slot];
        return storage_.history(slot) != SeriesStorage::none ? history(slot)[0] : pack_[storage_.first_at(slot)];
    }
    const Lanes& now(std::uint32_t slot) const { return now_[slot]; }
    double number(std::uint32_t slot) const {
        const Lanes& x = first(slot);
        for (const double other : x.x)
            if (other != x[0]) throw std::runtime_error("an exponent differs from element to element");
        return x[0];
    }
    double order() const { return static_cast<double>(k_); }
    void put(std::uint32_t slot, const Lanes& value) {
        now_[slot] = value;
        keep(slot);
    }
    /// What is now in a slot, where it will be looked back at.
    void keep(std::uint32_t slot) {
        if (storage_.history(slot) != SeriesStorage::none) history(slot)[k_] = now_[slot];
        if (k_ == 0 && storage_.first(slot) != SeriesStorage::none) pack_[storage_.first_at(slot)] = now_[slot];
    }

    Lanes inner(std::uint32_t x, std::uint32_t y) const { return sum(history(x), history(y), 1); }
    Lanes product(std::uint32_t x, std::uint32_t y) const { return sum(history(x), history(y), 0); }
    Lanes weighted(std::uint32_t x, std::uint32_t y) const {
        const Lanes *a = history(x), *b = history(y);
        Lanes total(0.0);
        add_weighted(a->x.data(), b->x.data(), k_, total.x.data());
        return total;
    }
    Lanes vanishes(std::uint32_t slot) const {
        const Lanes* a = history(slot);
        Lanes result(1.0);
        for (std::size_t j = 0; j <= k_; ++j)
            for (std::size_t l = 0; l < Lanes::count; ++l)
                if (a[j][l] != 0.0) result[l] = 0.0;
        return result;
    }

private:
    Lanes* history(std::uint32_t slot) const { return pack_ + storage_.history_at(slot); }
    /// Σ_{from ≤ j ≤ k − from} a_j b_{k−j}
    Lanes sum(const Lanes* a, const Lanes* b, std::size_t from) const {
        Lanes total(0.0);
        if (a == b) {  // every product but the middle one comes twice
            if ((k_ + 1) / 2 > from) add_products(a->x.data(), a->x.data(), k_, from, (k_ + 1) / 2 - 1, total.x.data());
            total = total + total;
            if (k_ % 2 == 0) total = total + a[k_ / 2] * a[k_ / 2];
            return total;
        }
        if (k_ >= 2 * from) add_products(a->x.data(), b->x.data(), k_, from, k_ - from, total.x.data());
        return total;
    }

    const SeriesStorage& storage_;
    std::size_t k_;
    Lanes *pack_, *now_;
};

}  // namespace

void run_order(const SeriesProgram& program, const SeriesStorage& storage, std::size_t k, Lanes* pack, Lanes* now) {
    PackSeries series(storage, k, pack, now);
    const SeriesRules<Lanes, PackSeries> rules(program, series);
    for (std::uint32_t slot = 0; slot < program.input_count(); ++slot)
        if (k == 0 || !program.is_constant_slot(slot)) series.keep(slot);
    for (const SeriesProgram::Instruction& in : program.instructions()) {
        if (k == 0) rules.begin(in);
        else if (!in.constant) rules.go_on(in);
    }
}

Lanes sum_of_lower(const Lanes* x, const Lanes* y, std::size_t k) {
    Lanes total(0.0);
    if (k > 0) add_products(x->x.data(), y->x.data(), k, 1, k, total.x.data());
    return total;
}

}  // namespace lacon
