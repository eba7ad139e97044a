#pragma once

#include <cmath>
#include <limits>

namespace lacon {

/// A double with a bound on its rounding error, to first order: what the interpreter computes with where it matters whether a
/// small number means something or is all rounding (cos(pi/2), a difference of equal lengths).
struct Rounded {
    double value = 0.0;
    double error = 0.0;

    static constexpr double unit = std::numeric_limits<double>::epsilon() / 2.0;

    Rounded() = default;
    explicit Rounded(double exact) : value(exact) {}
    Rounded(double v, double e) : value(v), error(e) {}
    /// A number that was itself rounded once: a coordinate, a parameter.
    static Rounded input(double x) { return {x, unit * std::abs(x)}; }

    /// Whether the number is no larger than what rounding alone may have left.
    bool is_rounding() const { return value != 0.0 && std::abs(value) <= 8.0 * error; }
};

/// f(x) computed once from an x with an error.
inline Rounded computed(double value, double propagated) {
    return {value, propagated + Rounded::unit * std::abs(value)};
}

inline Rounded operator+(const Rounded& a, const Rounded& b) {
    return computed(a.value + b.value, a.error + b.error);
}
inline Rounded operator*(const Rounded& a, const Rounded& b) {
    return computed(a.value * b.value, std::abs(a.value) * b.error + std::abs(b.value) * a.error);
}
inline Rounded operator/(const Rounded& a, const Rounded& b) {
    const double value = a.value / b.value;
    return computed(value, (a.error + std::abs(value) * b.error) / std::abs(b.value));
}
inline bool operator==(const Rounded& a, const Rounded& b) {
    return a.value == b.value;
}
inline bool operator<(const Rounded& a, const Rounded& b) {
    return a.value < b.value;
}
inline bool operator<=(const Rounded& a, const Rounded& b) {
    return a.value <= b.value;
}

inline Rounded sin(const Rounded& x) {
    return computed(std::sin(x.value), std::abs(std::cos(x.value)) * x.error);
}
inline Rounded cos(const Rounded& x) {
    return computed(std::cos(x.value), std::abs(std::sin(x.value)) * x.error);
}
inline Rounded tan(const Rounded& x) {
    const double t = std::tan(x.value);
    return computed(t, (1.0 + t * t) * x.error);
}
inline Rounded asin(const Rounded& x) {
    return computed(std::asin(x.value), x.error / std::sqrt(1.0 - x.value * x.value));
}
inline Rounded acos(const Rounded& x) {
    return computed(std::acos(x.value), x.error / std::sqrt(1.0 - x.value * x.value));
}
inline Rounded atan(const Rounded& x) {
    return computed(std::atan(x.value), x.error / (1.0 + x.value * x.value));
}
inline Rounded sinh(const Rounded& x) {
    return computed(std::sinh(x.value), std::cosh(x.value) * x.error);
}
inline Rounded cosh(const Rounded& x) {
    return computed(std::cosh(x.value), std::abs(std::sinh(x.value)) * x.error);
}
inline Rounded tanh(const Rounded& x) {
    const double t = std::tanh(x.value);
    return computed(t, (1.0 - t * t) * x.error);
}
inline Rounded exp(const Rounded& x) {
    const double e = std::exp(x.value);
    return computed(e, e * x.error);
}
inline Rounded log(const Rounded& x) {
    return computed(std::log(x.value), x.error / std::abs(x.value));
}
inline Rounded sqrt(const Rounded& x) {
    const double root = std::sqrt(x.value);
    return computed(root, root > 0.0 ? 0.5 * x.error / root : std::sqrt(x.error));
}
inline Rounded abs(const Rounded& x) {
    return {std::abs(x.value), x.error};
}
inline Rounded sign_of(const Rounded& x) {
    return Rounded(static_cast<double>((x.value > 0.0) - (x.value < 0.0)));
}
inline Rounded pow(const Rounded& x, const Rounded& y) {
    const double p = std::pow(x.value, y.value);
    const double by_base = std::abs(y.value * std::pow(x.value, y.value - 1.0)) * x.error;
    return computed(p, by_base + (y.error > 0.0 ? std::abs(p * std::log(x.value)) * y.error : 0.0));
}
inline Rounded hypot(const Rounded& x, const Rounded& y) {
    return computed(std::hypot(x.value, y.value), x.error + y.error);
}
inline Rounded atan2(const Rounded& y, const Rounded& x) {
    const double r = std::hypot(x.value, y.value);
    return computed(std::atan2(y.value, x.value), (x.error + y.error) / r);
}

}  // namespace lacon
