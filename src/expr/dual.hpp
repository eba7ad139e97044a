// Dual numbers: a value with its derivative along one direction, for exact derivatives from the
// interpreter. A product has the rate a'b + ab', a function f(x) the rate f'(x) x'.
#pragma once

#include <cmath>

#include "expr/program.hpp"

namespace lacon::inline expr {

/// A double with its rate of change along one direction: what the interpreter computes with for
/// exact derivatives.
struct Dual {
    double value = 0.0;
    double rate = 0.0;

    Dual() = default;
    explicit(false) Dual(double v)
        : value(v) {}  // implicit: constants of a program enter as they are
    Dual(double v, double r) : value(v), rate(r) {}
};

inline Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.rate + b.rate};
}
inline Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.rate * b.value + a.value * b.rate};
}
inline Dual operator/(const Dual& a, const Dual& b) {
    const double value = a.value / b.value;
    return {value, (a.rate - value * b.rate) / b.value};
}
inline bool operator==(const Dual& a, const Dual& b) {
    return a.value == b.value;
}
inline bool operator<(const Dual& a, const Dual& b) {
    return a.value < b.value;
}
inline bool operator<=(const Dual& a, const Dual& b) {
    return a.value <= b.value;
}

/// f(x) with f'(x): the rate is zero where x does not change, also where f' is not finite.
inline Dual chain(double value, double slope, const Dual& x) {
    return {value, x.rate == 0.0 ? 0.0 : slope * x.rate};
}
inline Dual curve_at(const Curve& curve, unsigned order, const Dual& x) {
    return chain(curve.at(order, x.value), curve.at(order + 1, x.value), x);
}
inline Dual sin(const Dual& x) {
    return chain(std::sin(x.value), std::cos(x.value), x);
}
inline Dual cos(const Dual& x) {
    return chain(std::cos(x.value), -std::sin(x.value), x);
}
inline Dual tan(const Dual& x) {
    const double t = std::tan(x.value);
    return chain(t, 1.0 + t * t, x);
}
inline Dual asin(const Dual& x) {
    return chain(std::asin(x.value), 1.0 / std::sqrt(1.0 - x.value * x.value), x);
}
inline Dual acos(const Dual& x) {
    return chain(std::acos(x.value), -1.0 / std::sqrt(1.0 - x.value * x.value), x);
}
inline Dual atan(const Dual& x) {
    return chain(std::atan(x.value), 1.0 / (1.0 + x.value * x.value), x);
}
inline Dual sinh(const Dual& x) {
    return chain(std::sinh(x.value), std::cosh(x.value), x);
}
inline Dual cosh(const Dual& x) {
    return chain(std::cosh(x.value), std::sinh(x.value), x);
}
inline Dual tanh(const Dual& x) {
    const double t = std::tanh(x.value);
    return chain(t, 1.0 - t * t, x);
}
inline Dual exp(const Dual& x) {
    return chain(std::exp(x.value), std::exp(x.value), x);
}
inline Dual log(const Dual& x) {
    return chain(std::log(x.value), 1.0 / x.value, x);
}
inline Dual sqrt(const Dual& x) {
    const double root = std::sqrt(x.value);
    return chain(root, 0.5 / root, x);
}
inline Dual abs(const Dual& x) {
    return chain(std::abs(x.value), sign_of(x.value), x);
}
inline Dual sign_of(const Dual& x) {
    return {sign_of(x.value), 0.0};
}
inline Dual floor(const Dual& x) {
    return {std::floor(x.value), 0.0};
}
inline Dual pow(const Dual& x, const Dual& y) {
    const double value = std::pow(x.value, y.value);
    const double along_x =
        x.rate == 0.0 ? 0.0 : y.value * std::pow(x.value, y.value - 1.0) * x.rate;
    return {value, along_x + (y.rate == 0.0 ? 0.0 : value * std::log(x.value) * y.rate)};
}
inline Dual atan2(const Dual& y, const Dual& x) {
    const double value = std::atan2(y.value, x.value);
    if (x.rate == 0.0 && y.rate == 0.0) return {value, 0.0};
    return {value, (x.value * y.rate - y.value * x.rate) / (x.value * x.value + y.value * y.value)};
}
inline Dual hypot(const Dual& x, const Dual& y) {
    const double value = std::hypot(x.value, y.value);
    if (x.rate == 0.0 && y.rate == 0.0) return {value, 0.0};
    return {value, (x.value * x.rate + y.value * y.rate) / value};
}

}  // namespace lacon::expr
