// Directed rounding without changing the processor's rounding mode: + − * / and sqrt of doubles,
// rounded down or up.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

/// One operation on doubles, rounded down or up: never above, never below the true value. The
/// nearest result is corrected by the sign of its exact error (two-sum for sums, fma for the
/// others); where the error itself may be lost to underflow or overflow, the result steps outward.
/// Needs rounding to nearest, the default, and no contraction of the compiler's own.
namespace lacon::inline interval::directed {

inline constexpr double largest = std::numeric_limits<double>::max();
/// Results of this size and more have an error that is a double.
inline constexpr double exact_from = 0x1p-900;
inline constexpr double exact_to = 0x1p+1000;

/// The next double below; −∞ stays.
inline double below(double x) {
    if (x == 0.0) return -std::numeric_limits<double>::denorm_min();
    if (!(x >= -largest)) return x;
    return std::bit_cast<double>(std::bit_cast<std::int64_t>(x) + (x > 0.0 ? -1 : 1));
}
inline double above(double x) {
    return -below(-x);
}

inline double add_down(double a, double b) {
    const double sum = a + b;
    if (!(std::abs(sum) <= exact_to)) return below(sum);
    const double of_b = sum - a;
    const double error = (a - (sum - of_b)) + (b - of_b);
    return error >= 0.0 ? sum : below(sum);
}
inline double add_up(double a, double b) {
    return -add_down(-a, -b);
}

/// The outward step of a result whose error is not known but whose sign is: it does not pass zero.
inline double step_down(double result, bool is_positive) {
    return is_positive ? std::max(0.0, below(result)) : below(result);
}

inline double mul_down(double a, double b) {
    const double product = a * b, size = std::abs(product);
    if (size >= exact_from && size <= exact_to)
        return std::fma(a, b, -product) < 0.0 ? below(product) : product;
    if (a == 0.0 || b == 0.0) return 0.0;
    if (std::abs(a) == 1.0 || std::abs(b) == 1.0) return product;
    return step_down(product, (a > 0.0) == (b > 0.0));
}
inline double mul_up(double a, double b) {
    return -mul_down(-a, b);
}

/// b is not zero.
inline double div_down(double a, double b) {
    const double quotient = a / b, size = std::abs(quotient);
    if (size >= exact_from && size <= exact_to && std::abs(a) >= exact_from &&
        std::abs(a) <= exact_to) {
        const double rest = std::fma(-quotient, b, a);
        return rest != 0.0 && (rest < 0.0) != (b < 0.0) ? below(quotient) : quotient;
    }
    if (a == 0.0) return 0.0;
    if (std::abs(b) == 1.0) return quotient;
    return step_down(quotient, (a > 0.0) == (b > 0.0));
}
inline double div_up(double a, double b) {
    return -div_down(-a, b);
}

/// x is not negative.
inline double sqrt_down(double x) {
    if (x < exact_from)
        return 0x1p-200 * (x == 0.0 ? 0.0 : sqrt_down(0x1p+400 * x));  // both factors lose nothing
    const double root = std::sqrt(x);
    return std::fma(-root, root, x) < 0.0 ? below(root) : root;
}
inline double sqrt_up(double x) {
    if (x < exact_from) return 0x1p-200 * (x == 0.0 ? 0.0 : sqrt_up(0x1p+400 * x));
    const double root = std::sqrt(x);
    return std::fma(-root, root, x) > 0.0 ? above(root) : root;
}

}  // namespace lacon::interval::directed
