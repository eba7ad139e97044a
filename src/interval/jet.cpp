// The chain rule over intervals. Where a function bends within the box, the rates of both sides are
// joined; where it may jump, the rate along a direction that moves it is undefined.
#include "interval/jet.hpp"

#include <algorithm>

namespace lacon::inline interval {

Jet Jet::input(const Interval& x, std::size_t along, std::size_t count) {
    Jet jet(x, std::vector<Interval>(count));
    jet.rates[along] = 1.0;
    return jet;
}

namespace {

bool is_zero(const Interval& rate) {
    return rate.low == 0.0 && rate.high == 0.0;
}

/// slope · rate: no motion gives none, also where there is no slope.
Interval along(const Interval& slope, const Interval& rate) {
    return is_zero(rate) ? Interval() : slope * rate;
}

/// f(a, b) from its value and its slopes in a and b.
Jet combined(const Interval& value, std::pair<const Interval&, const Interval&> slopes,
             const Jet& a, const Jet& b) {
    if (a.rates.empty() && b.rates.empty()) return value;
    Jet result(value, std::vector<Interval>(std::max(a.rates.size(), b.rates.size())));
    for (std::size_t i = 0; i < result.rates.size(); ++i) {
        if (!a.rates.empty()) result.rates[i] = along(slopes.first, a.rates[i]);
        if (!b.rates.empty() && !is_zero(b.rates[i]))
            result.rates[i] = result.rates[i] + along(slopes.second, b.rates[i]);
    }
    return result;
}

/// f(x) from its value and slope. A value that moves without a bounded slope is at most continuous,
/// also at a single point.
Jet chained(const Interval& value, const Interval& slope, const Jet& x) {
    Jet result(value, std::vector<Interval>(x.rates.size()));
    for (std::size_t i = 0; i < x.rates.size(); ++i) result.rates[i] = along(slope, x.rates[i]);
    if (!slope.is_defined() && x.moves())
        result.value.smoothness = worst(value.smoothness, Smoothness::continuous);
    return result;
}

/// A decision, or what was decided on: along the directions in which a or b moves there is no rate,
/// unless the value is settled.
Jet decided(const Interval& value, const Jet& a, const Jet& b) {
    if (value.is_defined() && value.smoothness != Smoothness::broken) return value;
    return combined(value, {Interval::undefined(), Interval::undefined()}, a, b);
}

/// Either of two, along directions on which the choice does not depend.
Jet either(const Interval& value, const Jet& a, const Jet& b) {
    Jet result(value, std::vector<Interval>(std::max(a.rates.size(), b.rates.size())));
    for (std::size_t i = 0; i < result.rates.size(); ++i) {
        result.rates[i] = hull(a.rates.empty() ? Interval() : a.rates[i],
                               b.rates.empty() ? Interval() : b.rates[i]);
    }
    return result;
}

}  // namespace

bool Jet::moves() const {
    return !std::all_of(rates.begin(), rates.end(), is_zero);
}

Jet operator+(const Jet& a, const Jet& b) {
    return Jet(a) + b;
}

Jet operator+(Jet&& a, const Jet& b) {
    a.value = a.value + b.value;
    if (a.rates.empty()) {
        a.rates = b.rates;
    } else {
        for (std::size_t i = 0; i < b.rates.size(); ++i) a.rates[i] = a.rates[i] + b.rates[i];
    }
    return std::move(a);
}

Jet operator-(const Jet& a) {
    Jet result(-a.value, a.rates);
    for (Interval& rate : result.rates) rate = -rate;
    return result;
}

Jet operator-(const Jet& a, const Jet& b) {
    return -b + a;
}

Jet operator*(const Jet& a, const Jet& b) {
    return combined(a.value * b.value, {b.value, a.value}, a, b);
}

Jet operator/(const Jet& a, const Jet& b) {
    const Interval value = a.value / b.value;
    if (b.rates.empty() && b.value.low == 1.0 && b.value.high == 1.0)
        return a;  // a product without a denominator
    Jet result(value, std::vector<Interval>(std::max(a.rates.size(), b.rates.size())));
    for (std::size_t i = 0; i < result.rates.size(); ++i) {
        Interval above = a.rates.empty() ? Interval() : a.rates[i];
        if (!b.rates.empty() && !is_zero(b.rates[i])) above = above - value * b.rates[i];
        if (!is_zero(above)) result.rates[i] = above / b.value;
    }
    return result;
}

Jet whole_power(const Jet& x, std::int64_t k) {
    if (k == 0) return whole_power(x.value, 0);
    if (k == 1) return x;
    return chained(whole_power(x.value, k), static_cast<double>(k) * whole_power(x.value, k - 1),
                   x);
}

Jet when_less(const Jet& a, const Jet& b) {
    return decided(when_less(a.value, b.value), a, b);
}
Jet when_less_equal(const Jet& a, const Jet& b) {
    return decided(when_less_equal(a.value, b.value), a, b);
}
Jet when_equal(const Jet& a, const Jet& b) {
    return decided(when_equal(a.value, b.value), a, b);
}
Jet when_both(const Jet& a, const Jet& b) {
    return decided(when_both(a.value, b.value), a, b);
}
Jet when_either(const Jet& a, const Jet& b) {
    return decided(when_either(a.value, b.value), a, b);
}
Jet when_not(const Jet& a) {
    return decided(when_not(a.value), a, a);
}

Jet choose(const Jet& condition, const Jet& then, const Jet& otherwise) {
    const Interval& c = condition.value;
    if (c.is_defined() && !c.contains_zero()) return then;
    if (is_zero(c)) return otherwise;
    Jet result = either(choose(c, then.value, otherwise.value), then, otherwise);
    if (result.rates.empty()) result.rates.resize(condition.rates.size());
    for (std::size_t i = 0; i < condition.rates.size(); ++i)
        if (!is_zero(condition.rates[i])) result.rates[i] = Interval::undefined();
    return result;
}

// A bend on the border of the box is one too, where something moves: the derivatives there are
// those of both sides.
Jet least(const Jet& a, const Jet& b) {
    const bool moves = a.moves() || b.moves();
    if (moves ? a.value.high < b.value.low : a.value.high <= b.value.low) return a;
    if (moves ? b.value.high < a.value.low : b.value.high <= a.value.low) return b;
    Jet result = either(least(a.value, b.value), a, b);
    result.value.smoothness =
        worst(worst(a.value.smoothness, b.value.smoothness), Smoothness::lipschitz);
    return result;
}

Jet greatest(const Jet& a, const Jet& b) {
    return -least(-a, -b);
}

Jet abs(const Jet& x) {
    if (!x.value.contains_zero() || !x.moves())
        return x.value.high <= 0.0 ? -x : Jet(abs(x.value), x.rates);
    Interval value = abs(x.value);
    value.smoothness = worst(value.smoothness, Smoothness::lipschitz);
    return chained(value, {-1.0, 1.0}, x);
}

Jet sign_of(const Jet& x) {
    Interval value = sign_of(x.value);
    if (is_zero(x.value) && x.moves()) value.smoothness = Smoothness::broken;
    return decided(value, x, x);
}

/// A jump on the border of the box is one too, where something moves.
Jet floor(const Jet& x) {
    Interval value = floor(x.value);
    if (value.low == x.value.low && x.moves()) value.smoothness = Smoothness::broken;
    return decided(value, x, x);
}

Jet sqrt(const Jet& x) {
    const Interval root = sqrt(x.value);
    return chained(root, 0.5 / root, x);
}

Jet exp(const Jet& x) {
    const Interval value = exp(x.value);
    return chained(value, value, x);
}

Jet log(const Jet& x) {
    return chained(log(x.value), 1.0 / x.value, x);
}

Jet sin(const Jet& x) {
    return chained(sin(x.value), cos(x.value), x);
}

Jet cos(const Jet& x) {
    return chained(cos(x.value), -sin(x.value), x);
}

Jet tan(const Jet& x) {
    const Interval value = tan(x.value);
    return chained(value, 1.0 + whole_power(value, 2), x);
}

Jet asin(const Jet& x) {
    return chained(asin(x.value), 1.0 / sqrt(1.0 - whole_power(x.value, 2)), x);
}

Jet acos(const Jet& x) {
    return chained(acos(x.value), -1.0 / sqrt(1.0 - whole_power(x.value, 2)), x);
}

Jet atan(const Jet& x) {
    return chained(atan(x.value), 1.0 / (1.0 + whole_power(x.value, 2)), x);
}

Jet sinh(const Jet& x) {
    return chained(sinh(x.value), cosh(x.value), x);
}

Jet cosh(const Jet& x) {
    return chained(cosh(x.value), sinh(x.value), x);
}

Jet tanh(const Jet& x) {
    const Interval value = tanh(x.value);
    return chained(value, 1.0 - whole_power(value, 2), x);
}

namespace {

/// x / hypot(x, y) over the box, that is the slope of hypot in x: it grows with x, and goes to zero
/// as |y| grows. At the origin any number between −1 and 1.
Interval direction_cosine(const Interval& x, const Interval& y) {
    if (!x.is_defined() || !y.is_defined()) return Interval::undefined();
    const auto at = [](double a, double b) -> Interval {
        if (a == 0.0 || b == 0.0) return static_cast<double>((a > 0.0) - (a < 0.0));
        return Interval(a) / hypot(Interval(a), Interval(b));
    };
    const bool has_origin = x.contains_zero() && y.contains_zero();
    const double least =
        has_origin ? -1.0 : at(x.low, x.low > 0.0 ? y.magnitude() : y.mignitude()).low;
    const double most =
        has_origin ? 1.0 : at(x.high, x.high > 0.0 ? y.mignitude() : y.magnitude()).high;
    return {std::max(-1.0, least), std::min(1.0, most)};
}

}  // namespace

Jet hypot(const Jet& x, const Jet& y) {
    Interval value = hypot(x.value, y.value);
    if (is_zero(x.value) && is_zero(y.value) && (x.moves() || y.moves()))
        value.smoothness = worst(value.smoothness, Smoothness::lipschitz);
    if (!value.is_defined()) return combined(value, {value, value}, x, y);
    return combined(value, {direction_cosine(x.value, y.value), direction_cosine(y.value, x.value)},
                    x, y);
}

Jet atan2(const Jet& y, const Jet& x) {
    const Interval value = atan2(y.value, x.value), length = hypot(x.value, y.value);
    if (!value.is_defined() ||
        (value.smoothness == Smoothness::broken && x.value.low < 0.0 && y.value.contains_zero()))
        return combined(value, {Interval::undefined(), Interval::undefined()}, y, x);
    const Interval by_y = direction_cosine(x.value, y.value) / length,
                   by_x = -direction_cosine(y.value, x.value) / length;
    return combined(value, {by_y, by_x}, y, x);
}

Jet pow(const Jet& x, const Jet& y) {
    const Interval value = pow(x.value, y.value);
    if (!y.moves()) {
        if (is_zero(y.value)) return value;
        return chained(value, y.value * pow(x.value, y.value - 1.0), x);
    }
    const Interval by_exponent = value * log(x.value);
    Jet result = combined(value, {y.value * pow(x.value, y.value - 1.0), by_exponent}, x, y);
    if (!by_exponent.is_defined())  // a negative base has no powers beside the whole ones
        result.value.smoothness = worst(
            value.smoothness, x.value.low < 0.0 ? Smoothness::broken : Smoothness::continuous);
    return result;
}

}  // namespace lacon::interval
