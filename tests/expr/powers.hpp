// Powers computed apart from the library.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <functional>

namespace lacon {

/// A power series cut off behind t^top, in long double and by the definition: f(a) = Σ f_k (a −
/// a_0)^k with the coefficients f_k of f in closed form. No recurrence of an operation is used, so
/// it is an independent road to what SeriesProgram computes; the interpreter runs on it like on any
/// number.
template <class Number>
struct PowersOf {
    static constexpr std::size_t top = 12;
    std::array<Number, top + 1> c{};

    PowersOf() = default;
    explicit PowersOf(Number constant) { c[0] = constant; }

    friend PowersOf operator+(const PowersOf& a, const PowersOf& b) {
        PowersOf sum;
        for (std::size_t k = 0; k <= top; ++k) sum.c[k] = a.c[k] + b.c[k];
        return sum;
    }
    friend PowersOf operator*(const PowersOf& a, const PowersOf& b) {
        PowersOf product;
        for (std::size_t k = 0; k <= top; ++k)
            for (std::size_t j = 0; j <= k; ++j) product.c[k] += a.c[j] * b.c[k - j];
        return product;
    }

    /// Σ f(k) (a − a_0)^k.
    PowersOf composed(const std::function<Number(int)>& f) const {
        PowersOf rest = *this, result;
        rest.c[0] = Number(0);
        for (int k = static_cast<int>(top); k >= 0; --k) result = result * rest + PowersOf(f(k));
        return result;
    }
    PowersOf power(long double exponent) const {
        return composed([&](int k) {
            long double binomial = 1.0L;
            for (int j = 0; j < k; ++j)
                binomial *=
                    (exponent - static_cast<long double>(j)) / static_cast<long double>(j + 1);
            return binomial * std::pow(c[0], exponent - static_cast<long double>(k));
        });
    }
    PowersOf logarithm() const {
        return composed([&](int k) {
            if (k == 0) return std::log(c[0]);
            return (k % 2 == 1 ? 1.0L : -1.0L) * std::pow(c[0], static_cast<long double>(-k)) /
                   static_cast<long double>(k);
        });
    }
    PowersOf integral(Number constant) const {
        PowersOf result;
        result.c[0] = constant;
        for (std::size_t k = 1; k <= top; ++k) result.c[k] = c[k - 1] / static_cast<long double>(k);
        return result;
    }
    PowersOf rate() const {
        PowersOf result;
        for (std::size_t k = 0; k < top; ++k)
            result.c[k] = static_cast<long double>(k + 1) * c[k + 1];
        return result;
    }
};

using Powers = PowersOf<long double>;
using ComplexPowers = PowersOf<std::complex<long double>>;

inline bool operator==(const Powers& a, const Powers& b) {
    return a.c[0] == b.c[0];
}
inline bool operator<(const Powers& a, const Powers& b) {
    return a.c[0] < b.c[0];
}
inline bool operator<=(const Powers& a, const Powers& b) {
    return a.c[0] <= b.c[0];
}
inline Powers operator*(long double k, const Powers& a) {
    return Powers(k) * a;
}
inline Powers operator/(const Powers& a, const Powers& b) {
    return a * b.power(-1.0L);
}

inline Powers exp(const Powers& x) {
    return x.composed(
        [&](int k) { return std::exp(x.c[0]) / std::tgamma(static_cast<long double>(k + 1)); });
}
inline Powers sin(const Powers& x) {
    const long double s = std::sin(x.c[0]), c = std::cos(x.c[0]), values[] = {s, c, -s, -c};
    return x.composed(
        [&](int k) { return values[k % 4] / std::tgamma(static_cast<long double>(k + 1)); });
}
inline Powers cos(const Powers& x) {
    const long double s = std::sin(x.c[0]), c = std::cos(x.c[0]), values[] = {c, -s, -c, s};
    return x.composed(
        [&](int k) { return values[k % 4] / std::tgamma(static_cast<long double>(k + 1)); });
}
inline Powers sinh(const Powers& x) {
    return 0.5L * (exp(x) + -1.0L * exp(-1.0L * x));
}
inline Powers cosh(const Powers& x) {
    return 0.5L * (exp(x) + exp(-1.0L * x));
}
inline Powers tan(const Powers& x) {
    return sin(x) / cos(x);
}
inline Powers tanh(const Powers& x) {
    return sinh(x) / cosh(x);
}
inline Powers log(const Powers& x) {
    return x.logarithm();
}
inline Powers sqrt(const Powers& x) {
    return x.power(0.5L);
}
inline Powers asin(const Powers& x) {
    return (x.rate() * (Powers(1.0L) + -1.0L * x * x).power(-0.5L)).integral(std::asin(x.c[0]));
}
inline Powers acos(const Powers& x) {
    return Powers(std::acos(0.0L)) + -1.0L * asin(x);
}
inline Powers abs(const Powers& x) {
    return x.c[0] < 0.0L ? -1.0L * x : x;
}
inline Powers sign_of(const Powers& x) {
    return Powers(static_cast<long double>((x.c[0] > 0.0L) - (x.c[0] < 0.0L)));
}
inline Powers floor(const Powers& x) {
    return Powers(std::floor(x.c[0]));
}
inline Powers pow(const Powers& x, const Powers& y) {
    return exp(y * log(x));
}
inline Powers hypot(const Powers& x, const Powers& y) {
    return sqrt(x * x + y * y);
}
/// The imaginary part of log(x + i y).
inline Powers atan2(const Powers& y, const Powers& x) {
    ComplexPowers z;
    for (std::size_t k = 0; k <= Powers::top; ++k) z.c[k] = {x.c[k], y.c[k]};
    const ComplexPowers log = z.logarithm();
    Powers angle;
    for (std::size_t k = 0; k <= Powers::top; ++k) angle.c[k] = log.c[k].imag();
    return angle;
}
inline Powers atan(const Powers& x) {
    return atan2(x, Powers(1.0L));
}

}  // namespace lacon
