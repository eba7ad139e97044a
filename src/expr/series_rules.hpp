// The recurrences of the Taylor method, one for each kind of operation, for any number type.
// Example: c = a b gives c_k = Σ_j a_j b_{k−j}; c = exp a gives k c_k = Σ_{j≥1} j a_j c_{k−j}.
#pragma once

#include <cmath>

#include "expr/program.hpp"
#include "expr/series.hpp"

namespace lacon::inline expr {

/// Recurrences of power series (see any text on Taylor methods, e.g. Jorba & Zou 2005): c = f(a),
/// order k from the orders below, over any number type T. `Series` tells and takes coefficients of
/// the program's slots, at order k:
///   first(x)       x_0                           now(x)          x_k
///   inner(x, y)    Σ_{0<j<k} x_j y_{k−j}         weighted(x, y)  Σ_{0<j<k} j x_j y_{k−j}
///   product(x, y)  Σ_{0≤j≤k} x_j y_{k−j}         put(x, value)   sets x_k
///   order()        k                             number(x)       x_0 of a constant, as a double
///   vanishes(x, c) whether x is zero up to order k, where c is a root or a power of it: a spring
///   out of contact, whose force has
///                  a root of zero in it
template <class T, class Series>
class SeriesRules {
public:
    using Kind = SeriesProgram::Kind;
    using Slot = std::uint32_t;
    SeriesRules(const SeriesProgram& program, Series& series) : p_(program), s_(series) {}

    /// Order 0.
    void begin(const SeriesProgram::Instruction& in) const;
    /// Order k ≥ 1 of an instruction that is not constant.
    void go_on(const SeriesProgram::Instruction& in) const;

private:
    T root(Slot a, Slot c) const {
        return choose(s_.vanishes(a, c), T(0.0),
                      (s_.now(a) - s_.inner(c, c)) / (T(2.0) * s_.first(c)));
    }
    /// Order k of what has the derivative a' d.
    T integral(Slot a, Slot d) const {
        return s_.now(a) * s_.first(d) + s_.weighted(a, d) / s_.order();
    }

    static bool is_whole(double exponent) {
        constexpr double most = 63.0;
        return exponent >= 0.0 && exponent <= most && exponent == std::floor(exponent);
    }
    template <class Square, class Product>
    T whole_power(const SeriesProgram::Instruction& in, int exponent, const Square& squared,
                  const Product& multiplied) const;
    T power(const SeriesProgram::Instruction& in) const;
    T angle(const SeriesProgram::Instruction& in) const;

    const SeriesProgram& p_;
    Series& s_;
};

/// Of a whole exponent by products: the recurrence divides by a_0 and is lost where the base passes
/// zero.
template <class T, class Series>
template <class Square, class Product>
T SeriesRules<T, Series>::whole_power(const SeriesProgram::Instruction& in, int exponent,
                                      const Square& squared, const Product& multiplied) const {
    Slot a = p_.operands(in)[0].slot, square = in.target + 1, partial = in.target + 6, result = 0;
    bool started = false;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent % 2 == 1 && started) {
            s_.put(partial, multiplied(result, a));
            result = partial++;
        } else if (exponent % 2 == 1) {
            result = a;
            started = true;
        }
        if (exponent == 1) break;
        s_.put(square, squared(a));
        a = square++;
    }
    return s_.now(result);
}

template <class T, class Series>
T SeriesRules<T, Series>::power(const SeriesProgram::Instruction& in) const {
    const Slot a = p_.operands(in)[0].slot, c = in.target;
    const double exponent = s_.number(p_.operands(in)[1].slot);
    if (exponent == 0.0) return T(0.0);
    if (is_whole(exponent))
        return whole_power(
            in, static_cast<int>(exponent), [this](Slot x) { return s_.product(x, x); },
            [this](Slot x, Slot y) { return s_.product(x, y); });
    const T sum = T(exponent) * integral(a, c) - s_.weighted(c, a) / s_.order();
    return choose(exponent > 0.0 ? s_.vanishes(a, c) : T(0.0), T(0.0), sum / s_.first(a));
}

template <class T, class Series>
T SeriesRules<T, Series>::angle(const SeriesProgram::Instruction& in) const {
    const SeriesProgram::Operand* arg = p_.operands(in);
    const Slot y = arg[0].slot, x = arg[1].slot, squares = arg[2].slot;
    T sum(0.0);
    if (arg[0].varies) sum = sum + (arg[1].varies ? integral(y, x) : s_.now(y) * s_.first(x));
    if (arg[1].varies) sum = sum - (arg[0].varies ? integral(x, y) : s_.now(x) * s_.first(y));
    return (sum - s_.weighted(in.target, squares) / s_.order()) / s_.first(squares);
}

template <class T, class Series>
void SeriesRules<T, Series>::begin(const SeriesProgram::Instruction& in) const {
    using std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::hypot,
        std::log, std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
    const SeriesProgram::Operand* arg = p_.operands(in);
    const auto x = [&](std::uint32_t i) { return s_.first(arg[i].slot); };
    const auto put = [&](const T& value) { s_.put(in.target, value); };
    const auto put_both = [&](const T& value, const T& second) {
        s_.put(in.target, value);
        s_.put(in.target + 1, second);
    };
    switch (in.kind) {
        case Kind::constant: return put(T(in.value));
        case Kind::linear: {
            T sum(in.value);
            for (std::uint32_t i = 0; i < in.count; ++i) sum = sum + T(arg[i].k) * x(i);
            return put(sum);
        }
        case Kind::multiply: return put(x(0) * x(1));
        case Kind::square: return put(x(0) * x(0));
        case Kind::divide: return put(x(0) / x(1));
        case Kind::sqrt: return put(sqrt(x(0)));
        case Kind::exp: return put(exp(x(0)));
        case Kind::log: return put(log(x(0)));
        case Kind::power: {
            const double exponent = s_.number(arg[1].slot);
            if (exponent == 0.0 || !is_whole(exponent)) return put(pow(x(0), T(exponent)));
            return put(whole_power(
                in, static_cast<int>(exponent),
                [this](Slot a) { return s_.first(a) * s_.first(a); },
                [this](Slot a, Slot b) { return s_.first(a) * s_.first(b); }));
        }
        case Kind::sin_cos: return put_both(sin(x(0)), cos(x(0)));
        case Kind::sinh_cosh: return put_both(sinh(x(0)), cosh(x(0)));
        case Kind::tan: {
            const T value = tan(x(0));
            return put_both(value, T(1.0) + value * value);
        }
        case Kind::tanh: {
            const T value = tanh(x(0));
            return put_both(value, T(1.0) - value * value);
        }
        case Kind::quotient_integral: return put(apply_unary<T>(in.op, x(0)));
        case Kind::angle: return put(atan2(x(0), x(1)));
        case Kind::hypot: return put(hypot(x(0), x(1)));
        case Kind::select: return put(choose(x(0), x(1), x(2)));
        case Kind::frozen: return put(x(0));
        case Kind::data: return put(curve_at(*p_.curve(in), static_cast<unsigned>(in.value), x(0)));
        case Kind::by_value:
        case Kind::chosen:
            return put(in.count == 1 ? apply_unary<T>(in.op, x(0))
                                     : apply_binary<T>(in.op, x(0), x(1)));
    }
}

template <class T, class Series>
void SeriesRules<T, Series>::go_on(const SeriesProgram::Instruction& in) const {
    const SeriesProgram::Operand* arg = p_.operands(in);
    const auto slot = [&](std::uint32_t i) { return arg[i].slot; };
    const auto now = [&](std::uint32_t i) {
        return arg[i].varies ? T(s_.now(arg[i].slot)) : T(0.0);
    };
    const Slot c = in.target, d = in.target + 1;
    const auto put = [&](const T& value) { s_.put(c, value); };
    switch (in.kind) {
        case Kind::linear: {
            T sum(0.0);
            for (std::uint32_t i = 0; i < in.count; ++i)
                if (arg[i].varies) sum = sum + T(arg[i].k) * now(i);
            return put(sum);
        }
        case Kind::multiply:
            if (!arg[0].varies) return put(s_.first(slot(0)) * now(1));
            if (!arg[1].varies) return put(s_.first(slot(1)) * now(0));
            return put(s_.product(slot(0), slot(1)));
        case Kind::square: return put(s_.product(slot(0), slot(0)));
        case Kind::divide:
            if (!arg[1].varies) return put(now(0) / s_.first(slot(1)));
            return put((now(0) - now(1) * s_.first(c) - s_.inner(slot(1), c)) / s_.first(slot(1)));
        case Kind::sqrt: return put(root(slot(0), c));
        case Kind::hypot: return put(root(slot(2), c));
        case Kind::exp: return put(integral(slot(0), c));
        case Kind::log:
            return put((now(0) - s_.weighted(c, slot(0)) / s_.order()) / s_.first(slot(0)));
        case Kind::power: return put(power(in));
        case Kind::sin_cos: {
            const T sine = integral(slot(0), d);
            s_.put(d, -integral(slot(0), c));
            return put(sine);
        }
        case Kind::sinh_cosh: {
            const T sine = integral(slot(0), d);
            s_.put(d, integral(slot(0), c));
            return put(sine);
        }
        case Kind::tan: put(integral(slot(0), d)); return s_.put(d, s_.product(c, c));
        case Kind::tanh: put(integral(slot(0), d)); return s_.put(d, -s_.product(c, c));
        case Kind::quotient_integral:
            return put((T(in.value) * now(0) - s_.weighted(c, slot(1)) / s_.order()) /
                       s_.first(slot(1)));
        case Kind::angle: return put(angle(in));
        case Kind::select: return put(choose(s_.first(slot(0)), now(1), now(2)));
        case Kind::chosen: {
            const T x = s_.first(slot(0));
            if (in.op == Op::abs) return put(sign_of(x) * now(0));
            const T first_is_less = when_less_equal(x, T(s_.first(slot(1))));
            return put(in.op == Op::min ? choose(first_is_less, now(0), now(1))
                                        : choose(first_is_less, now(1), now(0)));
        }
        case Kind::constant:
        case Kind::frozen:
        case Kind::data:
        case Kind::by_value: break;
    }
}

}  // namespace lacon::expr
