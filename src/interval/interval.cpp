// Arithmetic, comparisons and choices of intervals, with ends rounded outward. A comparison that
// the box does not decide gives [0, 1] and is marked as broken.
#include "interval/interval.hpp"

#include "interval/directed.hpp"

namespace lacon::inline interval {

using namespace directed;

double Interval::mid() const {
    return std::clamp(0.5 * low + 0.5 * high, low, high);
}

double Interval::width() const {
    return add_up(high, -low);
}

double Interval::radius() const {
    return std::max(add_up(high, -mid()), add_up(mid(), -low));
}

Interval hull(const Interval& a, const Interval& b) {
    if (!a.is_defined() || !b.is_defined()) return Interval::undefined();
    return {std::min(a.low, b.low), std::max(a.high, b.high), worst(a.smoothness, b.smoothness)};
}

Interval intersection(const Interval& a, const Interval& b) {
    if (!a.is_defined()) return b;
    if (!b.is_defined()) return a;
    return {std::max(a.low, b.low), std::min(a.high, b.high), std::min(a.smoothness, b.smoothness)};
}

Interval operator+(const Interval& a, const Interval& b) {
    return {add_down(a.low, b.low), add_up(a.high, b.high), worst(a.smoothness, b.smoothness)};
}

Interval operator-(const Interval& a, const Interval& b) {
    return {add_down(a.low, -b.high), add_up(a.high, -b.low), worst(a.smoothness, b.smoothness)};
}

Interval operator*(const Interval& a, const Interval& b) {
    if (!a.is_defined() || !b.is_defined()) return Interval::undefined();
    const Smoothness s = worst(a.smoothness, b.smoothness);
    if (a.low >= 0.0) {
        return {mul_down(b.low >= 0.0 ? a.low : a.high, b.low),
                mul_up(b.high >= 0.0 ? a.high : a.low, b.high), s};
    }
    if (a.high <= 0.0) {
        return {mul_down(b.high >= 0.0 ? a.low : a.high, b.high),
                mul_up(b.low >= 0.0 ? a.high : a.low, b.low), s};
    }
    if (b.low >= 0.0) return {mul_down(a.low, b.high), mul_up(a.high, b.high), s};
    if (b.high <= 0.0) return {mul_down(a.high, b.low), mul_up(a.low, b.low), s};
    return {std::min(mul_down(a.low, b.high), mul_down(a.high, b.low)),
            std::max(mul_up(a.low, b.low), mul_up(a.high, b.high)), s};
}

Interval operator/(const Interval& a, const Interval& b) {
    if (!a.is_defined() || !b.is_defined() || b.contains_zero()) return Interval::undefined();
    if (b.high < 0.0) return -a / -b;
    return {div_down(a.low, a.low >= 0.0 ? b.high : b.low),
            div_up(a.high, a.high >= 0.0 ? b.low : b.high), worst(a.smoothness, b.smoothness)};
}

namespace {

/// 1 where `always`, 0 where `never`, else not decided. A decided comparison is a constant: smooth,
/// whatever was compared.
Interval decision(bool always, bool never) {
    if (always || never) return always ? 1.0 : 0.0;
    return {0.0, 1.0, Smoothness::broken};
}

bool is_true(const Interval& x) {
    return x.is_defined() && !x.contains_zero();
}
bool is_false(const Interval& x) {
    return x.low == 0.0 && x.high == 0.0;
}

}  // namespace

Interval when_less(const Interval& a, const Interval& b) {
    if (!a.is_defined() || !b.is_defined()) return Interval::undefined();
    return decision(a.high < b.low, a.low >= b.high);
}

Interval when_less_equal(const Interval& a, const Interval& b) {
    if (!a.is_defined() || !b.is_defined()) return Interval::undefined();
    return decision(a.high <= b.low, a.low > b.high);
}

Interval when_equal(const Interval& a, const Interval& b) {
    if (!a.is_defined() || !b.is_defined()) return Interval::undefined();
    return decision(a.is_point() && b.is_point() && a.low == b.low,
                    a.high < b.low || a.low > b.high);
}

Interval when_both(const Interval& a, const Interval& b) {
    if (is_false(a) || is_false(b)) return 0.0;
    if (!a.is_defined() || !b.is_defined()) return Interval::undefined();
    return decision(is_true(a) && is_true(b), false);
}

Interval when_either(const Interval& a, const Interval& b) {
    if (is_true(a) || is_true(b)) return 1.0;
    if (!a.is_defined() || !b.is_defined()) return Interval::undefined();
    return decision(false, is_false(a) && is_false(b));
}

Interval when_not(const Interval& a) {
    if (!a.is_defined()) return Interval::undefined();
    return decision(is_false(a), is_true(a));
}

Interval choose(const Interval& condition, const Interval& then, const Interval& otherwise) {
    if (is_true(condition)) return then;
    if (is_false(condition)) return otherwise;
    if (!condition.is_defined()) return Interval::undefined();
    Interval both = hull(then, otherwise);
    both.smoothness = Smoothness::broken;
    return both;
}

Interval least(const Interval& a, const Interval& b) {
    if (!a.is_defined() || !b.is_defined()) return Interval::undefined();
    if (a.high < b.low) return a;
    if (b.high < a.low) return b;
    if (a.is_point() && b.is_point()) return {a.low, a.low, worst(a.smoothness, b.smoothness)};
    return {std::min(a.low, b.low), std::min(a.high, b.high),
            worst(worst(a.smoothness, b.smoothness), Smoothness::lipschitz)};
}

Interval greatest(const Interval& a, const Interval& b) {
    return -least(-a, -b);
}

Interval abs(const Interval& x) {
    if (x.low > 0.0 || (x.low == 0.0 && x.high == 0.0)) return x;
    if (x.high < 0.0) return -x;
    return {0.0, x.magnitude(), worst(x.smoothness, Smoothness::lipschitz)};
}

Interval sign_of(const Interval& x) {
    if (!x.is_defined()) return x;
    const auto sign = [](double end) { return static_cast<double>((end > 0.0) - (end < 0.0)); };
    const double low = sign(x.low), high = sign(x.high);
    return {low, high, low == high ? Smoothness::smooth : Smoothness::broken};
}

Interval floor(const Interval& x) {
    if (!x.is_defined()) return x;
    const double low = std::floor(x.low), high = std::floor(x.high);
    return {low, high, low == high ? Smoothness::smooth : Smoothness::broken};
}

Interval sqrt(const Interval& x) {
    if (!(x.low >= 0.0)) return Interval::undefined();
    const bool touches = x.low == 0.0 && x.high > 0.0;
    return {sqrt_down(x.low), sqrt_up(x.high),
            touches ? worst(x.smoothness, Smoothness::continuous) : x.smoothness};
}

}  // namespace lacon::interval
