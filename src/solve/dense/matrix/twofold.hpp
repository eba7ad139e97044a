// Double-double arithmetic, for doubtful pivots and accurate residuals.
#pragma once

namespace lacon::solving::inline dense {

/// A number as the sum of two doubles, good to about 1e-31 of itself (Dekker 1971): S = B Bᵀ
/// squares the condition of B, and has room for that here. Without fused operations, which plain
/// x86-64 does not have; no contraction may be made of it.
struct Twofold {
    double high = 0.0, low = 0.0;

    Twofold() = default;
    Twofold(double value) : high(value) {}
    Twofold(double h, double l) : high(h), low(l) {}
    explicit operator double() const { return high + low; }
};

namespace twofold {

inline Twofold quick_sum(double a, double b) {  // |a| ≥ |b|
    const double s = a + b;
    return {s, b - (s - a)};
}

inline Twofold sum(double a, double b) {
    const double s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}

inline Twofold product(double a, double b) {
    constexpr double splitter = 134217729.0;  // 2²⁷ + 1
    const double p = a * b, ta = splitter * a, tb = splitter * b;
    const double ah = ta - (ta - a), al = a - ah, bh = tb - (tb - b), bl = b - bh;
    return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

}  // namespace twofold

inline Twofold operator-(const Twofold& x) {
    return {-x.high, -x.low};
}
inline Twofold operator+(const Twofold& x, const Twofold& y) {
    Twofold s = twofold::sum(x.high, y.high);
    const Twofold t = twofold::sum(x.low, y.low);
    s = twofold::quick_sum(s.high, s.low + t.high);
    return twofold::quick_sum(s.high, s.low + t.low);
}
inline Twofold operator-(const Twofold& x, const Twofold& y) {
    return x + (-y);
}
inline Twofold operator*(const Twofold& x, const Twofold& y) {
    const Twofold p = twofold::product(x.high, y.high);
    return twofold::quick_sum(p.high, p.low + (x.high * y.low + x.low * y.high));
}
inline Twofold operator/(const Twofold& x, const Twofold& y) {
    const double first = x.high / y.high;
    const Twofold rest = x - y * Twofold(first);
    const double second = rest.high / y.high;
    const Twofold last = rest - y * Twofold(second);
    return twofold::quick_sum(first, second) + Twofold(last.high / y.high);
}
inline Twofold& operator+=(Twofold& x, const Twofold& y) {
    return x = x + y;
}
inline Twofold& operator-=(Twofold& x, const Twofold& y) {
    return x = x - y;
}
inline Twofold& operator*=(Twofold& x, const Twofold& y) {
    return x = x * y;
}

}  // namespace lacon::solving::dense
