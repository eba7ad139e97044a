// Random intervals, and numbers with more digits to compare with.
#pragma once

#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "interval/directed.hpp"
#include "interval/interval.hpp"

namespace lacon {

/// A number of MPFR with 400 bits, as a number type for Program::run: the truth, for all that a
/// double can tell.
struct Wide {
    mpfr_t number;

    explicit(false) Wide(double x = 0.0) {
        mpfr_init2(number, 400);
        mpfr_set_d(number, x, MPFR_RNDN);
    }
    Wide(const Wide& other) : Wide() { mpfr_set(number, other.number, MPFR_RNDN); }
    Wide& operator=(const Wide& other) {
        mpfr_set(number, other.number, MPFR_RNDN);
        return *this;
    }
    ~Wide() { mpfr_clear(number); }

    bool is_in(const Interval& x) const {
        return mpfr_cmp_d(number, x.low) >= 0 && mpfr_cmp_d(number, x.high) <= 0;
    }
    bool is_number() const { return mpfr_number_p(number) != 0; }
    double near() const { return mpfr_get_d(number, MPFR_RNDN); }
};

using WideFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using WideFunction2 = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
inline Wide computed(WideFunction f, const Wide& x) {
    Wide result;
    f(result.number, x.number, MPFR_RNDN);
    return result;
}
inline Wide computed(WideFunction2 f, const Wide& x, const Wide& y) {
    Wide result;
    f(result.number, x.number, y.number, MPFR_RNDN);
    return result;
}
inline Wide operator+(const Wide& x, const Wide& y) {
    return computed(mpfr_add, x, y);
}
inline Wide operator*(const Wide& x, const Wide& y) {
    return computed(mpfr_mul, x, y);
}
inline Wide operator/(const Wide& x, const Wide& y) {
    return computed(mpfr_div, x, y);
}
inline bool operator<(const Wide& x, const Wide& y) {
    return mpfr_less_p(x.number, y.number) != 0;
}
inline bool operator<=(const Wide& x, const Wide& y) {
    return mpfr_lessequal_p(x.number, y.number) != 0;
}
inline bool operator==(const Wide& x, const Wide& y) {
    return mpfr_equal_p(x.number, y.number) != 0;
}
inline Wide sin(const Wide& x) {
    return computed(mpfr_sin, x);
}
inline Wide cos(const Wide& x) {
    return computed(mpfr_cos, x);
}
inline Wide tan(const Wide& x) {
    return computed(mpfr_tan, x);
}
inline Wide asin(const Wide& x) {
    return computed(mpfr_asin, x);
}
inline Wide acos(const Wide& x) {
    return computed(mpfr_acos, x);
}
inline Wide atan(const Wide& x) {
    return computed(mpfr_atan, x);
}
inline Wide sinh(const Wide& x) {
    return computed(mpfr_sinh, x);
}
inline Wide cosh(const Wide& x) {
    return computed(mpfr_cosh, x);
}
inline Wide tanh(const Wide& x) {
    return computed(mpfr_tanh, x);
}
inline Wide exp(const Wide& x) {
    return computed(mpfr_exp, x);
}
inline Wide log(const Wide& x) {
    return computed(mpfr_log, x);
}
inline Wide sqrt(const Wide& x) {
    return computed(mpfr_sqrt, x);
}
inline Wide abs(const Wide& x) {
    return x < Wide(0.0) ? Wide(-1.0) * x : x;
}
inline Wide sign_of(const Wide& x) {
    return static_cast<double>(mpfr_sgn(x.number));
}
inline Wide floor(const Wide& x) {
    Wide result;
    mpfr_floor(result.number, x.number);
    return result;
}
inline Wide pow(const Wide& x, const Wide& y) {
    return computed(mpfr_pow, x, y);
}
inline Wide atan2(const Wide& y, const Wide& x) {
    return computed(mpfr_atan2, y, x);
}
inline Wide hypot(const Wide& x, const Wide& y) {
    return computed(mpfr_hypot, x, y);
}

/// How many doubles from the lower end to the upper.
inline std::int64_t steps_between(const Interval& x) {
    std::int64_t steps = 0;
    for (double at = x.low; at < x.high && steps < 100; ++steps) at = directed::above(at);
    return steps;
}

/// Doubles of all sizes and kinds: huge, subnormal, zero, whole, near one.
inline double any_double(std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    switch (random() % 8) {
        case 0: {
            const double x = std::bit_cast<double>(random());
            return std::isfinite(x) ? x : 0.0;
        }
        case 1:
            return std::bit_cast<double>(random() % (std::uint64_t{1} << 52)) *
                   (random() % 2 ? 1.0 : -1.0);
        case 2: return 0.0;
        case 3: return static_cast<double>(static_cast<int>(random() % 41) - 20);
        case 4: return 1.0 + 1e-12 * uniform(random);
        case 5: return uniform(random) * 1e300;
        default: return uniform(random) * std::exp(10.0 * uniform(random));
    }
}

inline Interval some_interval(std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(-3.0, 3.0);
    const double a = random() % 8 == 0 ? 0.0 : uniform(random),
                 b = random() % 8 == 0 ? a : uniform(random);
    return {std::min(a, b), std::max(a, b)};
}

/// A point of the interval, often an end.
inline double inside(const Interval& x, std::mt19937_64& random) {
    const auto kind = random() % 6;
    if (kind == 0) return x.low;
    if (kind == 1) return x.high;
    const double share = std::uniform_real_distribution<double>(0.0, 1.0)(random);
    return std::clamp(x.low + share * (x.high - x.low), x.low, x.high);
}

/// By two steps: what a function of the C library may be off by.
inline Interval widened(const Interval& x) {
    return {directed::below(directed::below(x.low)), directed::above(directed::above(x.high))};
}

}  // namespace lacon
