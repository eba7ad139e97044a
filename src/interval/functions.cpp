// Elementary functions of intervals. MPFR computes them at the ends of an interval, correctly
// rounded; a small cache per thread saves repeated calls.
#include <mpfr.h>

#include <array>
#include <bit>

#include "interval/directed.hpp"
#include "interval/interval.hpp"

// The functions whose ends MPFR rounds. All are monotone between known places; what is to be shown
// is which places a box contains.
namespace lacon::inline interval {
namespace {

/// Numbers of a double's precision, and some of more for where a box lies among the multiples of π;
/// one set a thread.
struct Scratch {
    mpfr_t x, y, value;
    mpfr_t below_inverse_pi, above_inverse_pi, turn;

    Scratch() {
        mpfr_inits2(53, x, y, value, nullptr);
        mpfr_inits2(192, below_inverse_pi, above_inverse_pi, turn, nullptr);
        mpfr_const_pi(turn, MPFR_RNDU);
        mpfr_ui_div(below_inverse_pi, 1, turn, MPFR_RNDD);
        mpfr_const_pi(turn, MPFR_RNDD);
        mpfr_ui_div(above_inverse_pi, 1, turn, MPFR_RNDU);
    }
    ~Scratch() {
        mpfr_clears(x, y, value, below_inverse_pi, above_inverse_pi, turn, nullptr);
        mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
};

Scratch& scratch() {
    thread_local Scratch numbers;
    return numbers;
}

using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using Function2 = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

/// What was computed with MPFR_RNDD into `value`, as an interval: where it is not exact, the next
/// number is above the true value.
Interval enclosed(mpfr_ptr value, int inexact) {
    const double low = mpfr_get_d(value, MPFR_RNDD);
    if (inexact != 0) mpfr_nextabove(value);
    return {low, mpfr_get_d(value, MPFR_RNDU)};
}

/// f(x) between two neighbours. The last values are kept, since the ends of boxes return: sin and
/// cos are each other's slopes, and boxes side by side share a face.
Interval at(Function f, double x) {
    struct Known {
        Function f = nullptr;
        double x = 0.0;
        Interval value;
    };
    thread_local std::array<Known, 256> known;
    const std::uint64_t mixed =
        (std::bit_cast<std::uint64_t>(x) ^ reinterpret_cast<std::uintptr_t>(f)) *
        0x9e3779b97f4a7c15u;
    Known& place = known[mixed >> 56];
    if (place.f == f && place.x == x) return place.value;
    Scratch& s = scratch();
    mpfr_set_d(s.x, x, MPFR_RNDN);
    const int inexact = f(s.value, s.x, MPFR_RNDD);
    place = {f, x, enclosed(s.value, inexact)};
    return place.value;
}

Interval at(Function2 f, double x, double y) {
    Scratch& s = scratch();
    mpfr_set_d(s.x, x, MPFR_RNDN);
    mpfr_set_d(s.y, y, MPFR_RNDN);
    const int inexact = f(s.value, s.x, s.y, MPFR_RNDD);
    return enclosed(s.value, inexact);
}

Interval rising(Function f, const Interval& x) {
    if (!x.is_defined()) return x;
    const Interval first = at(f, x.low);
    return {first.low, x.is_point() ? first.high : at(f, x.high).high, x.smoothness};
}

Interval falling(Function f, const Interval& x) {
    if (!x.is_defined()) return x;
    const Interval last = at(f, x.high);
    return {last.low, x.is_point() ? last.high : at(f, x.low).high, x.smoothness};
}

Interval on_unit(Interval (*monotone)(Function, const Interval&), Function f, const Interval& x) {
    if (!(x.low >= -1.0 && x.high <= 1.0)) return Interval::undefined();
    Interval result = monotone(f, x);
    if (!x.is_point() && x.magnitude() == 1.0)
        result.smoothness = worst(result.smoothness, Smoothness::continuous);
    return result;
}

constexpr double far = 1e15;  // beyond, a box is taken to contain all angles

/// The whole numbers k, from `first` to `last`, for which (k + shift) π may lie in x: all that do,
/// and hardly one that does not.
struct Turns {
    long first, last;
};
Turns turns_in(const Interval& x, double shift) {
    Scratch& s = scratch();
    mpfr_mul_d(s.turn, x.low >= 0.0 ? s.below_inverse_pi : s.above_inverse_pi, x.low, MPFR_RNDD);
    mpfr_sub_d(s.turn, s.turn, shift, MPFR_RNDD);
    const long first = mpfr_get_si(s.turn, MPFR_RNDU);
    mpfr_mul_d(s.turn, x.high >= 0.0 ? s.above_inverse_pi : s.below_inverse_pi, x.high, MPFR_RNDU);
    mpfr_sub_d(s.turn, s.turn, shift, MPFR_RNDU);
    return {first, mpfr_get_si(s.turn, MPFR_RNDD)};
}

/// sin or cos: 1 at (k + shift) π for even k, −1 for odd k, monotone between.
Interval wave(Function f, const Interval& x, double shift) {
    if (!x.is_defined()) return x;
    if (x.is_point()) return rising(f, x);
    if (x.magnitude() > far) return {-1.0, 1.0, x.smoothness};
    const auto [first, last] = turns_in(x, shift);
    if (last > first) return {-1.0, 1.0, x.smoothness};
    const bool up = first % 2 == 0;  // towards or at a largest value
    if (first > last) return up ? rising(f, x) : falling(f, x);
    const Interval ends = hull(at(f, x.low), at(f, x.high));
    return {up ? ends.low : -1.0, up ? 1.0 : ends.high, x.smoothness};
}

}  // namespace

Interval exp(const Interval& x) {
    return rising(mpfr_exp, x);
}

Interval log(const Interval& x) {
    if (!(x.low > 0.0)) return Interval::undefined();
    return rising(mpfr_log, x);
}

Interval sin(const Interval& x) {
    return wave(mpfr_sin, x, 0.5);
}

Interval cos(const Interval& x) {
    return wave(mpfr_cos, x, 0.0);
}

Interval tan(const Interval& x) {
    if (!x.is_defined()) return x;
    if (x.is_point()) return rising(mpfr_tan, x);
    if (x.magnitude() > far) return Interval::undefined();
    const auto [first, last] = turns_in(x, 0.5);
    return first <= last ? Interval::undefined() : rising(mpfr_tan, x);
}

Interval asin(const Interval& x) {
    return on_unit(rising, mpfr_asin, x);
}

Interval acos(const Interval& x) {
    return on_unit(falling, mpfr_acos, x);
}

Interval atan(const Interval& x) {
    return rising(mpfr_atan, x);
}

Interval sinh(const Interval& x) {
    return rising(mpfr_sinh, x);
}

Interval cosh(const Interval& x) {
    if (!x.is_defined()) return x;
    return rising(mpfr_cosh, {x.mignitude(), x.magnitude(), x.smoothness});
}

Interval tanh(const Interval& x) {
    return rising(mpfr_tanh, x);
}

Interval hypot(const Interval& x, const Interval& y) {
    if (!x.is_defined() || !y.is_defined()) return Interval::undefined();
    Smoothness smoothness = worst(x.smoothness, y.smoothness);
    const bool is_point = x.is_point() && y.is_point();
    if (x.contains_zero() && y.contains_zero() && !is_point)
        smoothness = worst(smoothness, Smoothness::lipschitz);
    const Interval nearest = at(mpfr_hypot, x.mignitude(), y.mignitude());
    return {nearest.low,
            is_point ? nearest.high : at(mpfr_hypot, x.magnitude(), y.magnitude()).high,
            smoothness};
}

Interval atan2(const Interval& y, const Interval& x) {
    if (!x.is_defined() || !y.is_defined() || (x.contains_zero() && y.contains_zero()))
        return Interval::undefined();
    constexpr double above_pi = 0x1.921fb54442d19p+1;
    if (x.low < 0.0 && y.contains_zero()) return {-above_pi, above_pi, Smoothness::broken};
    const Smoothness smoothness = worst(x.smoothness, y.smoothness);
    // The angle grows with y where x > 0, and with −x where y > 0: its ends are at two corners of
    // the box.
    const double x_least = y.low >= 0.0 ? x.high : x.low, x_most = y.high > 0.0 ? x.low : x.high;
    const double y_least = x_least >= 0.0 ? y.low : y.high, y_most = x_most >= 0.0 ? y.high : y.low;
    const Interval first = at(mpfr_atan2, y_least, x_least);
    const bool is_point = x.is_point() && y.is_point();
    return {first.low, is_point ? first.high : at(mpfr_atan2, y_most, x_most).high, smoothness};
}

namespace {

/// x^k, k ≠ 0.
double power(double x, std::int64_t k, mpfr_rnd_t direction) {
    if (k == 1) return x;
    if (k == 2) return direction == MPFR_RNDD ? directed::mul_down(x, x) : directed::mul_up(x, x);
    Scratch& s = scratch();
    mpfr_set_d(s.x, x, MPFR_RNDN);
    mpfr_pow_si(s.value, s.x, k, direction);
    return mpfr_get_d(s.value, direction);
}

}  // namespace

Interval whole_power(const Interval& x, std::int64_t k) {
    if (!x.is_defined() || k == 1) return x;
    if (k == 0) return {1.0, 1.0, x.smoothness};
    if (k % 2 != 0) return {power(x.low, k, MPFR_RNDD), power(x.high, k, MPFR_RNDU), x.smoothness};
    return {power(x.mignitude(), k, MPFR_RNDD), power(x.magnitude(), k, MPFR_RNDU), x.smoothness};
}

namespace {

/// x^k for k < 0: it falls as x grows on either side of zero, and its size as that of x does.
Interval inverse_power(const Interval& x, std::int64_t k) {
    if (x.contains_zero()) return Interval::undefined();
    if (k % 2 != 0) return {power(x.high, k, MPFR_RNDD), power(x.low, k, MPFR_RNDU), x.smoothness};
    return {power(x.magnitude(), k, MPFR_RNDD), power(x.mignitude(), k, MPFR_RNDU), x.smoothness};
}

}  // namespace

bool is_whole(const Interval& y) {
    return y.is_point() && std::abs(y.low) <= 0x1p+31 && y.low == std::floor(y.low);
}

Interval pow(const Interval& x, const Interval& y) {
    if (!x.is_defined() || !y.is_defined()) return Interval::undefined();
    Smoothness smoothness = worst(x.smoothness, y.smoothness);
    if (is_whole(y)) {
        const auto k = static_cast<std::int64_t>(y.low);
        Interval whole = k >= 0 ? whole_power(x, k) : inverse_power(x, k);
        if (whole.is_defined()) whole.smoothness = smoothness;
        return whole;
    }
    if (x.low < 0.0 || (x.low == 0.0 && y.low <= 0.0)) return Interval::undefined();
    if (x.low == 0.0 && !(x.is_point() && y.is_point()))
        smoothness = worst(smoothness, y.is_point() && y.low > 1.0 ? Smoothness::lipschitz
                                                                   : Smoothness::continuous);
    // x^y is monotone in x for each y and in y for each x: in x it grows where y > 0, in y where x
    // > 1.
    Interval power = at(mpfr_pow, x.low, y.low);
    if (!x.is_point()) power = hull(power, at(mpfr_pow, x.high, y.low));
    if (!y.is_point()) power = hull(power, at(mpfr_pow, x.low, y.high));
    if (!x.is_point() && !y.is_point()) power = hull(power, at(mpfr_pow, x.high, y.high));
    return {power.low, power.high, smoothness};
}

}  // namespace lacon::interval
