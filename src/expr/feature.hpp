// Narrow features of a motion, such as a short pulse or a pole, that a step could jump over unseen.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "expr/series.hpp"

/// Places where an expression may be flat for long and steep within a short way: the top of
/// exp(−x²/w²), the step of tanh, the pole of 1/x. A power series taken where such an operation is
/// flat knows nothing of them, and neither do the stages of a Runge–Kutta step that all lie beside
/// them. So whoever takes a step asks how far the operands move in it.
namespace lacon::inline expr {

/// An operation of a SeriesProgram that has such places, by its operand w.
struct Feature {
    enum class Kind : std::uint8_t {
        exponential,  // exp w, sinh w, cosh w: grows e-fold within 1; gone below −80
        step,         // tanh w: turns over near 0; constant beyond ±20
        pole,         // 1/w and negative powers, atan, asin, acos, by what they divide by
        tangent,      // tan w: poles at π/2, …
        root,    // sqrt w, log w, hypot, atan2, powers that are not whole: a bend or a cut at 0
        power,   // w^k with a large whole k: gone for |w| well below 1
        wave,    // sin w, cos w: never flat, but faster than samples can tell
        signal,  // data(w): a polynomial between two knots, which are looked for by themselves
    };
    Kind kind;
    std::uint32_t operand;       // slot
    std::uint32_t exponent = 0;  // slot of a power's exponent, where `known` is 0
    double known = 0.0;          // exponent
    std::shared_ptr<const Curve> curve = {};

    bool operator==(const Feature&) const = default;
};

/// The features of a program whose operands vary.
std::vector<Feature> features_of(const SeriesProgram& program);
/// Whether a step may go over one and not show it at its end. A bend changes all that comes behind
/// it, and its error is seen.
inline bool hides(Feature::Kind kind) {
    return kind != Feature::Kind::root && kind != Feature::Kind::wave;
}
/// A positive power that is not whole, as w^1.5, is a bend too; its exponent may be known along the
/// motion only.
bool is_bend(Feature::Kind kind, double exponent);

/// How far an operand may go from w, where a series of this order is taken or a sample lies, before
/// the operation may be another than what is seen there. `exponent`: of a power.
double reach_of(Feature::Kind kind, double w, double exponent, std::size_t order);

/// The longest part of `length` on which Σ_{k≥1} |w_k| h^k stays within `reach`, for the
/// coefficients w_0, w_1, … at `stride`.
double length_within(std::span<const double> series, std::size_t stride, double reach,
                     double length);

}  // namespace lacon::expr
