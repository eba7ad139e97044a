// Runs the recurrences of power series on packs of eight elements. A trial run records which slots
// are looked back at; only these keep their orders in memory.
#include "large/elements/series.hpp"

#include "expr/series_rules.hpp"

namespace lacon::inline large {

/// Runs the recurrences to see what they look back at.
struct SeriesStorage::Recorder {
    std::span<const std::optional<double>> constants;
    std::vector<bool> looked_at, first_read;

    double first(std::uint32_t slot) {
        first_read[slot] = true;
        return 1.0;
    }
    double now(std::uint32_t) const { return 1.0; }
    double number(std::uint32_t slot) {
        first_read[slot] = true;
        return constants[slot].value();  // an exponent is one (exponent_inputs)
    }
    double order() const { return 1.0; }
    void put(std::uint32_t, double) const {}
    double inner(std::uint32_t x, std::uint32_t y) {
        looked_at[x] = looked_at[y] = true;
        return 1.0;
    }
    double product(std::uint32_t x, std::uint32_t y) { return inner(x, y); }
    double weighted(std::uint32_t x, std::uint32_t y) { return inner(x, y); }
    double vanishes(std::uint32_t, std::uint32_t c) { return inner(c, c); }
};

SeriesStorage::SeriesStorage(const SeriesProgram& program,
                             std::span<const std::optional<double>> constants,
                             std::span<const std::uint32_t> kept, std::size_t outside)
    : history_(program.slot_count(), none), first_(program.slot_count(), none) {
    Recorder recorder{constants, std::vector<bool>(program.slot_count()),
                      std::vector<bool>(program.slot_count())};
    const SeriesRules<double, Recorder> rules(program, recorder);
    for (const std::uint32_t slot : kept) recorder.looked_at[slot] = true;
    for (const SeriesProgram::Instruction& in : program.instructions())
        if (!in.constant)
            rules.go_on(
                in);  // constants are computed at order 0 alone, where all slots are at hand
    for (std::uint32_t slot = 0; slot < program.slot_count(); ++slot) {
        if (recorder.looked_at[slot]) history_[slot] = static_cast<std::uint32_t>(histories_++);
        else if (recorder.first_read[slot]) first_[slot] = static_cast<std::uint32_t>(firsts_++);
    }
    outside_ = static_cast<std::uint32_t>(histories_);
    histories_ += outside;
}

namespace {

// The sums over orders are where the time goes: they are compiled for the vector registers that
// machines have. (Sanitizers run before such a choice can be made.)
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LACON_FOR_EVERY_MACHINE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LACON_FOR_EVERY_MACHINE
#endif

/// Two series in a pack: order j stands j * width further on.
struct Two {
    const Lanes *a, *b;
    std::size_t width;
};

/// total += Σ_{from ≤ j ≤ to} a_j b_{k−j}, all of them Lanes::count numbers.
LACON_FOR_EVERY_MACHINE void add_products(const Two& two, std::size_t k, std::size_t from,
                                          std::size_t to, double* total) {
    constexpr std::size_t w = Lanes::count;
    double sum[w];
    for (std::size_t l = 0; l < w; ++l) sum[l] = total[l];
    for (std::size_t j = from; j <= to; ++j) {
        const double *x = two.a[j * two.width].x.data(), *y = two.b[(k - j) * two.width].x.data();
        for (std::size_t l = 0; l < w; ++l) sum[l] += x[l] * y[l];
    }
    for (std::size_t l = 0; l < w; ++l) total[l] = sum[l];
}

/// total += Σ_{1 ≤ j < k} j a_j b_{k−j}
LACON_FOR_EVERY_MACHINE void add_weighted(const Two& two, std::size_t k, double* total) {
    constexpr std::size_t w = Lanes::count;
    double sum[w];
    for (std::size_t l = 0; l < w; ++l) sum[l] = total[l];
    for (std::size_t j = 1; j < k; ++j) {
        const double *x = two.a[j * two.width].x.data(), *y = two.b[(k - j) * two.width].x.data();
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
        return storage_.history(slot) != SeriesStorage::none ? *history(slot)
                                                             : pack_[storage_.first(slot)];
    }
    const Lanes& now(std::uint32_t slot) const { return now_[slot]; }
    double number(std::uint32_t slot) const {
        return first(slot)[0];
    }  // the same for all elements of a batch
    double order() const { return static_cast<double>(k_); }
    void put(std::uint32_t slot, const Lanes& value) {
        now_[slot] = value;
        keep(slot);
    }
    /// What is now in a slot, where it will be looked back at.
    void keep(std::uint32_t slot) {
        if (storage_.history(slot) != SeriesStorage::none)
            pack_[storage_.at(storage_.history(slot), k_)] = now_[slot];
        if (k_ == 0 && storage_.first(slot) != SeriesStorage::none)
            pack_[storage_.first(slot)] = now_[slot];
    }

    Lanes inner(std::uint32_t x, std::uint32_t y) const { return sum(x, y, 1); }
    Lanes product(std::uint32_t x, std::uint32_t y) const { return sum(x, y, 0); }
    Lanes weighted(std::uint32_t x, std::uint32_t y) const {
        Lanes total(0.0);
        add_weighted({history(x), history(y), storage_.width()}, k_, total.x.data());
        return total;
    }
    /// By the orders of c below, which would not be finite otherwise.
    Lanes vanishes(std::uint32_t x, std::uint32_t c) const {
        const Lanes* a = history(c);
        Lanes result(1.0);
        for (std::size_t l = 0; l < Lanes::count; ++l) {
            if (now_[x][l] != 0.0) result[l] = 0.0;
            for (std::size_t j = 0; j < k_; ++j)
                if (a[j * storage_.width()][l] != 0.0) result[l] = 0.0;
        }
        return result;
    }

private:
    const Lanes* history(std::uint32_t slot) const {
        return pack_ + storage_.at(storage_.history(slot), 0);
    }
    /// Σ_{from ≤ j ≤ k − from} a_j b_{k−j}
    Lanes sum(std::uint32_t x, std::uint32_t y, std::size_t from) const {
        const Two two{history(x), history(y), storage_.width()};
        Lanes total(0.0);
        if (x == y) {  // every product but the middle one comes twice
            if ((k_ + 1) / 2 > from) add_products(two, k_, from, (k_ + 1) / 2 - 1, total.x.data());
            total = total + total;
            const Lanes& middle = two.a[k_ / 2 * two.width];
            if (k_ % 2 == 0) total = total + middle * middle;
            return total;
        }
        if (k_ >= 2 * from) add_products(two, k_, from, k_ - from, total.x.data());
        return total;
    }

    const SeriesStorage& storage_;
    std::size_t k_;
    Lanes *pack_, *now_;
};

}  // namespace

void run_order(const SeriesProgram& program, const SeriesStorage& storage, std::size_t k,
               Lanes* pack, Lanes* now) {
    PackSeries series(storage, k, pack, now);
    const SeriesRules<Lanes, PackSeries> rules(program, series);
    for (std::uint32_t slot = 0; slot < program.input_count(); ++slot)
        if (k == 0 || !program.is_constant_slot(slot)) series.keep(slot);
    for (const SeriesProgram::Instruction& in : program.instructions()) {
        if (k == 0) rules.begin(in);
        else if (!in.constant) rules.go_on(in);
    }
}

Lanes sum_of_lower(const SeriesStorage& storage, const Lanes* pack, std::uint32_t x,
                   std::uint32_t y, std::size_t k) {
    Lanes total(0.0);
    const Two two{pack + storage.at(x, 0), pack + storage.at(y, 0), storage.width()};
    if (k > 0) add_products(two, k, 1, k, total.x.data());
    return total;
}

}  // namespace lacon::large
