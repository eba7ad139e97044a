// A running error bound: each number carries a first-order bound on its rounding error, and each
// operation adds the rounding of its own result, |Δf| ≤ Σ |∂f/∂x| |Δx| + u |f|, u = 2⁻⁵³.
#pragma once

#include <cmath>
#include <limits>

#include "expr/program.hpp"

namespace lacon::inline expr {

/// A number with a bound on its rounding error, to first order: what the interpreter computes with
/// where it matters whether a small number means something or is all rounding (cos(pi/2), a
/// difference of equal lengths). T is double, or code in the making.
template <class T>
struct BasicRounded {
    T value = T(0.0);
    T error = T(0.0);

    static constexpr double unit = std::numeric_limits<double>::epsilon() / 2.0;

    BasicRounded() = default;
    explicit BasicRounded(const T& exact) : value(exact) {}
    explicit BasicRounded(double exact) requires(!std::is_same_v<T, double>) : value(exact) {}
    BasicRounded(const T& v, const T& e) : value(v), error(e) {}
    /// A number that was itself rounded once: a coordinate, a parameter.
    static BasicRounded input(const T& x) {
        using std::abs;
        return {x, T(unit) * abs(x)};
    }

    /// Whether the number is no larger than what rounding alone may have left.
    bool is_rounding() const requires std::is_same_v<T, double> {
        return value != 0.0 && std::abs(value) <= 8.0 * error;
    }
};
using Rounded = BasicRounded<double>;

/// f(x) computed once from an x with an error.
template <class T>
BasicRounded<T> computed(const T& value, const T& propagated) {
    using std::abs;
    return {value, propagated + T(BasicRounded<T>::unit) * abs(value)};
}

template <class T>
BasicRounded<T> operator+(const BasicRounded<T>& a, const BasicRounded<T>& b) {
    return computed<T>(a.value + b.value, a.error + b.error);
}
template <class T>
BasicRounded<T> operator*(const BasicRounded<T>& a, const BasicRounded<T>& b) {
    using std::abs;
    return computed<T>(a.value * b.value, abs(a.value) * b.error + abs(b.value) * a.error);
}
template <class T>
BasicRounded<T> operator/(const BasicRounded<T>& a, const BasicRounded<T>& b) {
    using std::abs;
    const T value = a.value / b.value;
    return computed<T>(value, (a.error + abs(value) * b.error) / abs(b.value));
}

// Decisions go by the values.
template <class T>
BasicRounded<T> when_less(const BasicRounded<T>& a, const BasicRounded<T>& b) {
    return BasicRounded<T>(when_less(a.value, b.value));
}
template <class T>
BasicRounded<T> when_less_equal(const BasicRounded<T>& a, const BasicRounded<T>& b) {
    return BasicRounded<T>(when_less_equal(a.value, b.value));
}
template <class T>
BasicRounded<T> when_equal(const BasicRounded<T>& a, const BasicRounded<T>& b) {
    return BasicRounded<T>(when_equal(a.value, b.value));
}
template <class T>
BasicRounded<T> when_both(const BasicRounded<T>& a, const BasicRounded<T>& b) {
    return BasicRounded<T>(when_both(a.value, b.value));
}
template <class T>
BasicRounded<T> when_either(const BasicRounded<T>& a, const BasicRounded<T>& b) {
    return BasicRounded<T>(when_either(a.value, b.value));
}
template <class T>
BasicRounded<T> when_not(const BasicRounded<T>& a) {
    return BasicRounded<T>(when_not(a.value));
}
template <class T>
BasicRounded<T> choose(const BasicRounded<T>& condition, const BasicRounded<T>& then,
                       const BasicRounded<T>& otherwise) {
    return {choose(condition.value, then.value, otherwise.value),
            choose(condition.value, then.error, otherwise.error)};
}

/// The coefficients of a piece are rounded too, some units each.
inline Rounded curve_at(const Curve& curve, unsigned order, const Rounded& x) {
    const double propagated = std::abs(curve.at(order + 1, x.value)) * x.error;
    return {curve.at(order, x.value),
            propagated + 8.0 * Rounded::unit * curve.size_at(order, x.value)};
}

template <class T>
BasicRounded<T> sin(const BasicRounded<T>& x) {
    using std::abs, std::cos, std::sin;
    return computed<T>(sin(x.value), abs(cos(x.value)) * x.error);
}
template <class T>
BasicRounded<T> cos(const BasicRounded<T>& x) {
    using std::abs, std::cos, std::sin;
    return computed<T>(cos(x.value), abs(sin(x.value)) * x.error);
}
template <class T>
BasicRounded<T> tan(const BasicRounded<T>& x) {
    using std::tan;
    const T t = tan(x.value);
    return computed<T>(t, (T(1.0) + t * t) * x.error);
}
template <class T>
BasicRounded<T> asin(const BasicRounded<T>& x) {
    using std::asin, std::sqrt;
    return computed<T>(asin(x.value), x.error / sqrt(T(1.0) - x.value * x.value));
}
template <class T>
BasicRounded<T> acos(const BasicRounded<T>& x) {
    using std::acos, std::sqrt;
    return computed<T>(acos(x.value), x.error / sqrt(T(1.0) - x.value * x.value));
}
template <class T>
BasicRounded<T> atan(const BasicRounded<T>& x) {
    using std::atan;
    return computed<T>(atan(x.value), x.error / (T(1.0) + x.value * x.value));
}
template <class T>
BasicRounded<T> sinh(const BasicRounded<T>& x) {
    using std::cosh, std::sinh;
    return computed<T>(sinh(x.value), cosh(x.value) * x.error);
}
template <class T>
BasicRounded<T> cosh(const BasicRounded<T>& x) {
    using std::abs, std::cosh, std::sinh;
    return computed<T>(cosh(x.value), abs(sinh(x.value)) * x.error);
}
template <class T>
BasicRounded<T> tanh(const BasicRounded<T>& x) {
    using std::tanh;
    const T t = tanh(x.value);
    return computed<T>(t, (T(1.0) - t * t) * x.error);
}
template <class T>
BasicRounded<T> exp(const BasicRounded<T>& x) {
    using std::exp;
    const T e = exp(x.value);
    return computed<T>(e, e * x.error);
}
template <class T>
BasicRounded<T> log(const BasicRounded<T>& x) {
    using std::abs, std::log;
    return computed<T>(log(x.value), x.error / abs(x.value));
}
template <class T>
BasicRounded<T> sqrt(const BasicRounded<T>& x) {
    using std::sqrt;
    const T root = sqrt(x.value);
    return computed<T>(
        root, choose(when_less(T(0.0), root), T(T(0.5) * x.error / root), T(sqrt(x.error))));
}
template <class T>
BasicRounded<T> abs(const BasicRounded<T>& x) {
    using std::abs;
    return {abs(x.value), x.error};
}
template <class T>
BasicRounded<T> sign_of(const BasicRounded<T>& x) {
    return BasicRounded<T>(sign_of(x.value));
}
template <class T>
BasicRounded<T> floor(const BasicRounded<T>& x) {
    using std::floor;
    return BasicRounded<T>(floor(x.value));
}
template <class T>
BasicRounded<T> pow(const BasicRounded<T>& x, const BasicRounded<T>& y) {
    using std::abs, std::log, std::pow;
    const T p = pow(x.value, y.value);
    const T by_base = abs(y.value * pow(x.value, y.value - T(1.0))) * x.error;
    const T by_exponent = abs(p * log(x.value)) * y.error;
    return computed<T>(p, by_base + choose(when_less(T(0.0), y.error), by_exponent, T(0.0)));
}
template <class T>
BasicRounded<T> hypot(const BasicRounded<T>& x, const BasicRounded<T>& y) {
    using std::hypot;
    return computed<T>(hypot(x.value, y.value), x.error + y.error);
}
template <class T>
BasicRounded<T> atan2(const BasicRounded<T>& y, const BasicRounded<T>& x) {
    using std::atan2, std::hypot;
    return computed<T>(atan2(y.value, x.value), (x.error + y.error) / hypot(x.value, y.value));
}

}  // namespace lacon::expr
