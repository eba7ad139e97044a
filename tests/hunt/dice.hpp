// Random choices of the hunt, from a seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

/// Randomness of the hunt: from a seed alone, the same on every machine (the distributions of the
/// standard library are not).
namespace hunt {

class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    std::uint64_t bits() { return engine_(); }
    double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }  // [0, 1)
    int whole(int low, int high) {                                            // both included
        return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool chance(double probability) { return unit() < probability; }
    /// A number that is short when written: three digits.
    double number(double low, double high) { return rounded(low + (high - low) * unit()); }
    double either_sign(double low, double high) {
        return chance(0.5) ? number(low, high) : -number(low, high);
    }
    /// Evenly in its logarithm.
    double scale(double low, double high) { return rounded(low * std::pow(high / low, unit())); }
    template <class T>
    const T& one_of(const std::vector<T>& choices) {
        return choices[engine_() % choices.size()];
    }

    template <class T>
    void shuffle(std::vector<T>& items) {
        for (std::size_t i = items.size(); i > 1; --i)
            std::swap(items[i - 1], items[engine_() % i]);
    }

    static double rounded(double x, int digits = 3) {
        if (x == 0.0) return x;
        const double unit = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(x))));
        const double whole = std::round(x * unit);
        return unit >= 1.0 ? whole / unit : whole * std::round(1.0 / unit);
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace hunt
