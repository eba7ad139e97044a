// Eight doubles as one number: arithmetic, functions and decisions, lane by lane.
#pragma once

#include <array>
#include <cmath>

#include "expr/program.hpp"

namespace lacon::inline large {

/// As many numbers side by side as elements are evaluated at once: a number type for programs and
/// power series. Operations are plain loops of fixed length, which compilers turn into vector
/// instructions.
struct Lanes {
    static constexpr std::size_t count = 8;
    alignas(64) std::array<double, count> x;

    Lanes() = default;
    Lanes(double value) { x.fill(value); }
    double& operator[](std::size_t lane) { return x[lane]; }
    double operator[](std::size_t lane) const { return x[lane]; }
};

namespace lanes {

template <class F>
inline Lanes each(const Lanes& a, const F& f) {
    Lanes r;
    for (std::size_t l = 0; l < Lanes::count; ++l) r.x[l] = f(a.x[l]);
    return r;
}
template <class F>
inline Lanes each(const Lanes& a, const Lanes& b, const F& f) {
    Lanes r;
    for (std::size_t l = 0; l < Lanes::count; ++l) r.x[l] = f(a.x[l], b.x[l]);
    return r;
}

}  // namespace lanes

inline Lanes operator+(const Lanes& a, const Lanes& b) {
    return lanes::each(a, b, [](double x, double y) { return x + y; });
}
inline Lanes operator-(const Lanes& a, const Lanes& b) {
    return lanes::each(a, b, [](double x, double y) { return x - y; });
}
inline Lanes operator*(const Lanes& a, const Lanes& b) {
    return lanes::each(a, b, [](double x, double y) { return x * y; });
}
inline Lanes operator/(const Lanes& a, const Lanes& b) {
    return lanes::each(a, b, [](double x, double y) { return x / y; });
}
inline Lanes operator-(const Lanes& a) {
    return lanes::each(a, [](double x) { return -x; });
}

inline Lanes sin(const Lanes& a) {
    return lanes::each(a, [](double x) { return std::sin(x); });
}
inline Lanes cos(const Lanes& a) {
    return lanes::each(a, [](double x) { return std::cos(x); });
}
inline Lanes tan(const Lanes& a) {
    return lanes::each(a, [](double x) { return std::tan(x); });
}
inline Lanes asin(const Lanes& a) {
    return lanes::each(a, [](double x) { return std::asin(x); });
}
inline Lanes acos(const Lanes& a) {
    return lanes::each(a, [](double x) { return std::acos(x); });
}
inline Lanes atan(const Lanes& a) {
    return lanes::each(a, [](double x) { return std::atan(x); });
}
inline Lanes sinh(const Lanes& a) {
    return lanes::each(a, [](double x) { return std::sinh(x); });
}
inline Lanes cosh(const Lanes& a) {
    return lanes::each(a, [](double x) { return std::cosh(x); });
}
inline Lanes tanh(const Lanes& a) {
    return lanes::each(a, [](double x) { return std::tanh(x); });
}
inline Lanes exp(const Lanes& a) {
    return lanes::each(a, [](double x) { return std::exp(x); });
}
inline Lanes log(const Lanes& a) {
    return lanes::each(a, [](double x) { return std::log(x); });
}
inline Lanes sqrt(const Lanes& a) {
    return lanes::each(a, [](double x) { return std::sqrt(x); });
}
inline Lanes abs(const Lanes& a) {
    return lanes::each(a, [](double x) { return std::abs(x); });
}

inline Lanes atan2(const Lanes& a, const Lanes& b) {
    return lanes::each(a, b, [](double x, double y) { return std::atan2(x, y); });
}
inline Lanes hypot(const Lanes& a, const Lanes& b) {
    return lanes::each(a, b, [](double x, double y) { return std::hypot(x, y); });
}
inline Lanes pow(const Lanes& a, const Lanes& b) {
    return lanes::each(a, b, [](double x, double y) { return std::pow(x, y); });
}
inline Lanes floor(const Lanes& a) {
    return lanes::each(a, [](double x) { return std::floor(x); });
}
inline Lanes sign_of(const Lanes& a) {
    return lanes::each(a, [](double x) { return lacon::sign_of(x); });
}

// Decisions, lane by lane.
inline Lanes when_less(const Lanes& a, const Lanes& b) {
    return lanes::each(a, b, [](double x, double y) { return x < y ? 1.0 : 0.0; });
}
inline Lanes when_less_equal(const Lanes& a, const Lanes& b) {
    return lanes::each(a, b, [](double x, double y) { return x <= y ? 1.0 : 0.0; });
}
inline Lanes when_equal(const Lanes& a, const Lanes& b) {
    return lanes::each(a, b, [](double x, double y) { return x == y ? 1.0 : 0.0; });
}
inline Lanes when_both(const Lanes& a, const Lanes& b) {
    return lanes::each(a, b, [](double x, double y) { return x != 0.0 && y != 0.0 ? 1.0 : 0.0; });
}
inline Lanes when_either(const Lanes& a, const Lanes& b) {
    return lanes::each(a, b, [](double x, double y) { return x != 0.0 || y != 0.0 ? 1.0 : 0.0; });
}
inline Lanes when_not(const Lanes& a) {
    return lanes::each(a, [](double x) { return x == 0.0 ? 1.0 : 0.0; });
}
inline Lanes choose(const Lanes& condition, const Lanes& then, const Lanes& otherwise) {
    Lanes r;
    for (std::size_t l = 0; l < Lanes::count; ++l)
        r.x[l] = condition.x[l] != 0.0 ? then.x[l] : otherwise.x[l];
    return r;
}
inline Lanes curve_at(const Curve& curve, unsigned order, const Lanes& a) {
    return lanes::each(a, [&](double x) { return curve.at(order, x); });
}

inline constexpr std::size_t lane_count = Lanes::count;

}  // namespace lacon::large
