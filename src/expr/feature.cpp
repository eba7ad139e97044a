// Lists the features of a series program, and bounds how far an operand may move before one could
// be missed: 0.6 of the way to a pole or bend, further where the operation is flat.
#include "expr/feature.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace lacon::inline expr {

namespace {

using Kind = SeriesProgram::Kind;

/// Slots that are whole powers of another one, as products of products are.
class WholePowers {
public:
    struct Power {
        std::uint32_t base;
        double exponent;
    };
    explicit WholePowers(const SeriesProgram& program) : program_(program) {
        for (const auto& in : program.instructions()) note(in);
    }
    /// Of each base its highest power, where that is above `lowest`.
    void add_to(std::vector<Feature>& features, double lowest) const {
        std::map<std::uint32_t, double> highest;
        for (const auto& [slot, power] : powers_)
            highest[power.base] = std::max(highest[power.base], power.exponent);
        for (const auto& [base, exponent] : highest)
            if (exponent > lowest)
                features.push_back({Feature::Kind::power, base, 0, exponent, {}});
    }

private:
    Power of(std::uint32_t slot) const {
        const auto found = powers_.find(slot);
        return found != powers_.end() ? found->second : Power{slot, 1.0};
    }
    void note(const SeriesProgram::Instruction& in) {
        if (in.constant || (in.kind != Kind::square && in.kind != Kind::multiply)) return;
        const SeriesProgram::Operand* arg = program_.operands(in);
        const Power a = of(arg[0].slot), b = in.kind == Kind::square ? a : of(arg[1].slot);
        if (a.base == b.base) powers_[in.target] = {a.base, a.exponent + b.exponent};
    }

    const SeriesProgram& program_;
    std::map<std::uint32_t, Power> powers_;
};

}  // namespace

std::vector<Feature> features_of(const SeriesProgram& program) {
    std::vector<Feature> found;
    const auto add = [&](Feature::Kind kind, const SeriesProgram::Operand& operand,
                         std::uint32_t exponent = 0) {
        const Feature feature{kind, operand.slot, exponent};
        if (operand.varies && std::find(found.begin(), found.end(), feature) == found.end())
            found.push_back(feature);
    };
    for (const SeriesProgram::Instruction& in : program.instructions()) {
        const SeriesProgram::Operand* arg = program.operands(in);
        if (in.kind == Kind::data && arg[0].varies) {
            const Feature signal{Feature::Kind::signal, arg[0].slot, 0, 0.0, program.curve(in)};
            if (std::find(found.begin(), found.end(), signal) == found.end())
                found.push_back(signal);
        }
        if (in.constant) continue;
        switch (in.kind) {
            case Kind::exp:
            case Kind::sinh_cosh: add(Feature::Kind::exponential, arg[0]); break;
            case Kind::tanh: add(Feature::Kind::step, arg[0]); break;
            case Kind::divide: add(Feature::Kind::pole, arg[1]); break;
            case Kind::quotient_integral: add(Feature::Kind::pole, arg[1]); break;
            case Kind::sqrt:
            case Kind::log: add(Feature::Kind::root, arg[0]); break;
            case Kind::angle:
            case Kind::hypot: add(Feature::Kind::root, arg[2]); break;
            case Kind::power: add(Feature::Kind::power, arg[0], arg[1].slot); break;
            case Kind::sin_cos: add(Feature::Kind::wave, arg[0]); break;
            case Kind::tan: add(Feature::Kind::tangent, arg[0]); break;
            default: break;
        }
    }
    constexpr double low = 8.0;  // lower powers are as visible as the motion itself
    WholePowers(program).add_to(found, low);
    return found;
}

bool is_bend(Feature::Kind kind, double exponent) {
    return kind == Feature::Kind::root ||
           (kind == Feature::Kind::power && exponent > 0.0 && exponent != std::floor(exponent));
}

double reach_of(Feature::Kind kind, double w, double exponent, std::size_t order) {
    // Of the way to a singular point: series and samples still tell of it.
    constexpr double part = 0.6;
    constexpr double gone = 80.0;      // e^−80 is nothing beside any number that matters
    constexpr double constant = 20.0;  // 1 − tanh 20 is below rounding
    constexpr double huge = 1e100;
    // Radians: what is made of a wave has no more than one bend in between.
    constexpr double turn = 2.0;
    const double entire = std::max(
        2.0,
        0.5 * static_cast<double>(order));  // exp(w) over this much is no surprise to the order
    const double size = std::abs(w);
    switch (kind) {
        case Feature::Kind::exponential: return std::max(entire, -gone - w);
        case Feature::Kind::step:
            return std::max(part * std::hypot(w, 0.5 * std::numbers::pi), size - constant);
        case Feature::Kind::wave: return std::clamp(0.25 * static_cast<double>(order), 1.0, turn);
        case Feature::Kind::signal: return INFINITY;
        case Feature::Kind::tangent:
            return part * (0.5 * std::numbers::pi - std::abs(std::remainder(w, std::numbers::pi)));
        case Feature::Kind::pole:
            return size > huge ? INFINITY
                               : part * size;  // nothing is left of 1/w, as far out in 1/cosh
        case Feature::Kind::root: return part * size;
        case Feature::Kind::power: break;
    }
    const bool whole = exponent >= 0.0 && exponent == std::floor(exponent);
    if (!whole) return part * size;
    if (exponent <= 8.0) return INFINITY;
    return std::max(entire * std::max(size, 0.1) / exponent, std::exp(-gone / exponent) - size);
}

double length_within(std::span<const double> series, std::size_t stride, double reach,
                     double length) {
    if (reach == INFINITY) return length;
    const std::size_t top = (series.size() - 1) / stride;
    const auto moved = [&](double h) {
        double sum = 0.0;
        for (std::size_t k = top; k > 0; --k) sum = (sum + std::abs(series[k * stride])) * h;
        return sum;
    };
    if (moved(length) <= reach) return length;
    double low = 0.0, high = length;
    for (int round = 0; round < 60 && low < 0.9 * high; ++round) {
        // The first orders count most where little is left: halving falls as fast as needed.
        const double middle = low > 0.0 ? 0.5 * (low + high) : 0.25 * high;
        (moved(middle) <= reach ? low : high) = middle;
    }
    return low;
}

}  // namespace lacon::expr
