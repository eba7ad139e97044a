// Forward differentiation over intervals: a value and its partial derivatives over a box.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "interval/interval.hpp"

namespace lacon::inline interval {

/// An interval with the rates of change along chosen directions, a number type for Program::run:
/// the value and all partial derivatives of an expression over a box. Rates enclose the
/// derivatives; where the function has a bend they enclose those of both sides (the generalized
/// derivative). A rate that is unbounded, or that does not exist, is undefined, and leaves the
/// value as it is. A rate of exactly zero says that the value does not depend on that direction.
/// What is decided for the whole box is taken as decided: along a direction in which the box has no
/// width, a jump right there is not seen.
struct Jet {
    Interval value;
    std::vector<Interval> rates;  // one a direction; empty: a constant

    Jet() = default;
    explicit(false) Jet(double x)
        : value(x) {}  // implicit: constants of a program enter as they are
    explicit(false) Jet(const Interval& x) : value(x) {}
    Jet(const Interval& x, std::vector<Interval> r) : value(x), rates(std::move(r)) {}
    /// The input along the direction `along` of `count`.
    static Jet input(const Interval& x, std::size_t along, std::size_t count);

    bool moves() const;  ///< whether any rate may differ from zero
};

Jet operator+(const Jet& a, const Jet& b);
Jet operator+(Jet&& a, const Jet& b);  ///< takes the storage of the rates over
Jet operator-(const Jet& a, const Jet& b);
Jet operator-(const Jet& a);
Jet operator*(const Jet& a, const Jet& b);
Jet operator/(const Jet& a, const Jet& b);
Jet whole_power(const Jet& x, std::int64_t k);

// An undecided comparison has undefined rates along the directions in which its sides move, so that
// a choice by it has too; along the others a choice has the rates of both branches.
Jet when_less(const Jet& a, const Jet& b);
Jet when_less_equal(const Jet& a, const Jet& b);
Jet when_equal(const Jet& a, const Jet& b);
Jet when_both(const Jet& a, const Jet& b);
Jet when_either(const Jet& a, const Jet& b);
Jet when_not(const Jet& a);
Jet choose(const Jet& condition, const Jet& then, const Jet& otherwise);
Jet least(const Jet& a, const Jet& b);
Jet greatest(const Jet& a, const Jet& b);
Jet abs(const Jet& x);
Jet sign_of(const Jet& x);
Jet floor(const Jet& x);

Jet sqrt(const Jet& x);
Jet exp(const Jet& x);
Jet log(const Jet& x);
Jet sin(const Jet& x);
Jet cos(const Jet& x);
Jet tan(const Jet& x);
Jet asin(const Jet& x);
Jet acos(const Jet& x);
Jet atan(const Jet& x);
Jet sinh(const Jet& x);
Jet cosh(const Jet& x);
Jet tanh(const Jet& x);
Jet hypot(const Jet& x, const Jet& y);
Jet atan2(const Jet& y, const Jet& x);
Jet pow(const Jet& x, const Jet& y);

}  // namespace lacon::interval
