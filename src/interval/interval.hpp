// The interval type that proofs are computed with: ends and smoothness over a box.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

/// Rigorous interval arithmetic: a number type for Program::run whose results enclose every value
/// that the expression takes over a box of inputs, all rounding included.
///
/// The ends are doubles. + − * / and sqrt are rounded outward by their exact errors
/// (interval/directed.hpp); the ends of all other functions are MPFR's correctly rounded values.
/// Why MPFR: the functions of Boost.Interval rest on how the C library rounds, of which nothing is
/// proven; filib is in no distribution; MPFI brings intervals of many digits where correctly
/// rounded doubles suffice.
///
/// Constants of a program are the doubles they are: 0.1 is the double next to 1/10.
namespace lacon::inline interval {

/// How the function that was evaluated behaves over the box, as far as it is proven; the worst of
/// the operands is carried along. It says nothing of what lies outside the box: over a box that is
/// one point every function is smooth. A box that only touches the place of a bend counts as bent,
/// so that boxes that meet there are not smooth each and bent together.
enum class Smoothness : std::uint8_t {
    smooth,      // as often differentiable as needed
    lipschitz,   // abs, min, max that may turn, hypot at the origin, x^1.5 at 0
    continuous,  // with an unbounded slope: sqrt at 0, asin at 1
    broken,      // may jump: sign, undecided comparisons and choices, atan2 across its cut
};

struct Interval {
    double low = 0.0;
    double high = 0.0;
    Smoothness smoothness = Smoothness::smooth;

    Interval() = default;
    explicit(false) Interval(double x)
        : Interval(x, x) {}  // implicit: constants of a program enter as they are
    /// Ends that are not finite, or low > high, make it undefined.
    Interval(double l, double h, Smoothness s = Smoothness::smooth)
        : low(l), high(h), smoothness(s) {
        if (!(low >= -std::numeric_limits<double>::max() &&
              high <= std::numeric_limits<double>::max() && low <= high)) {
            low = high = std::numeric_limits<double>::quiet_NaN();
            smoothness = Smoothness::broken;
        }
    }

    /// It cannot be shown that the value exists, and is finite, everywhere in the box. What is
    /// computed from it is undefined too, but for decisions it has no part in.
    static Interval undefined() { return Interval(std::numeric_limits<double>::quiet_NaN()); }
    bool is_defined() const { return low <= high; }
    bool is_point() const { return low == high; }

    bool contains(double x) const { return low <= x && x <= high; }
    bool contains_zero() const { return contains(0.0); }
    double magnitude() const {
        return std::max(std::abs(low), std::abs(high));
    }  ///< the largest |x|
    double mignitude() const {
        return contains_zero() ? 0.0 : std::min(std::abs(low), std::abs(high));
    }                       ///< the smallest |x|
    double mid() const;     ///< some point near the middle
    double width() const;   ///< rounded up
    double radius() const;  ///< rounded up: mid() ± radius() encloses the interval
};

inline Smoothness worst(Smoothness a, Smoothness b) {
    return std::max(a, b);
}
/// Of two enclosures of different values: one of both.
Interval hull(const Interval& a, const Interval& b);
/// Of two enclosures of the same value: what both allow, with the better smoothness; an undefined
/// one says nothing.
Interval intersection(const Interval& a, const Interval& b);

Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);
Interval operator/(const Interval& a, const Interval& b);  ///< undefined where b contains zero
inline Interval operator-(const Interval& a) {
    return {-a.high, -a.low, a.smoothness};
}
/// x^k for a whole k ≥ 0.
Interval whole_power(const Interval& x, std::int64_t k);

// Decisions are 1 or 0; [0, 1] and broken where the box does not decide.
Interval when_less(const Interval& a, const Interval& b);
Interval when_less_equal(const Interval& a, const Interval& b);
Interval when_equal(const Interval& a, const Interval& b);
Interval when_both(const Interval& a, const Interval& b);
Interval when_either(const Interval& a, const Interval& b);
Interval when_not(const Interval& a);
/// What the condition decides; else the hull of both, and broken.
Interval choose(const Interval& condition, const Interval& then, const Interval& otherwise);
Interval least(const Interval& a, const Interval& b);
Interval greatest(const Interval& a, const Interval& b);
Interval abs(const Interval& x);
Interval sign_of(const Interval& x);
Interval floor(const Interval& x);

// Undefined where the box leaves the domain, or tan meets a pole.
Interval sqrt(const Interval& x);
Interval exp(const Interval& x);
Interval log(const Interval& x);
Interval sin(const Interval& x);
Interval cos(const Interval& x);
Interval tan(const Interval& x);
Interval asin(const Interval& x);
Interval acos(const Interval& x);
Interval atan(const Interval& x);
Interval sinh(const Interval& x);
Interval cosh(const Interval& x);
Interval tanh(const Interval& x);
Interval hypot(const Interval& x, const Interval& y);
/// [−π, π] and broken where the box meets the negative x axis; undefined where it contains the
/// origin.
Interval atan2(const Interval& y, const Interval& x);
/// A base that may be negative needs a whole exponent, one that may be zero a positive one.
Interval pow(const Interval& x, const Interval& y);

/// Whether y is one whole number that whole_power takes, up to its sign.
bool is_whole(const Interval& y);

}  // namespace lacon::interval
