// Sums, products, powers, comparisons and choices of values. Numbers are computed at once; all else
// builds expressions. Long sums and products are collected first and built in one go.
#include "lang/evaluate/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace lacon::lang {

using Shape = Value::Shape;

std::string describe(const Value& value) {
    switch (value.shape) {
        case Shape::vector:
            return fmt::format("a vector of {}", counted(value.parts.size(), "component"));
        case Shape::truth: return "a condition";
        default: return "a scalar";
    }
}

Value Arithmetic::fail(Span place, std::string message, std::string hint) {
    diagnostics_.error(place, std::move(message), std::move(hint));
    return {};
}

Value Arithmetic::of(Expr e, Span place) {
    const auto finite = [](const Arg& arg) { return std::isfinite(arg.k); };
    const auto args = graph_.args(e);
    const bool sound = graph_.op(e) == Op::add ? std::isfinite(graph_.value(e)) &&
                                                     std::all_of(args.begin(), args.end(), finite)
                       : graph_.op(e) == Op::constant ? std::isfinite(graph_.value(e))
                                                      : true;
    if (!sound) return fail(place, "a number in this expression is too large for double precision");
    if (graph_.is_constant(e)) return Value::of_number(graph_.value(e));
    Value value;
    value.shape = Shape::scalar;
    value.expr = e;
    return value;
}

Expr Arithmetic::expr(const Value& value) {
    return value.is_number() ? graph_.constant(value.number) : value.expr;
}

Components Arithmetic::components(const Value& value) {
    return value.is_vector() ? value.parts : Components{expr(value)};
}

bool Arithmetic::require_scalar(const Value& value, std::string_view what, Span place) {
    if (value.is_bad()) return false;
    if (value.is_truth())
        fail(place, fmt::format("{} must be a value, but this is a condition", what),
             "turn it into a number with if(condition, 1, 0)");
    if (value.is_vector())
        fail(place, fmt::format("{} must be a scalar, but this is {}", what, describe(value)),
             "take a component such as .x, or norm(...) or dot(..., ...)");
    return !value.is_truth() && !value.is_vector();
}

Value Arithmetic::negate(Value value, Span place) {
    if (value.is_truth())
        return fail(place, "a condition is not a number",
                    "turn it into one with if(condition, 1, 0)");
    value.number = -value.number;
    if (value.shape == Shape::scalar) value.expr = graph_.neg(value.expr);
    for (Expr& part : value.parts) part = graph_.neg(part);
    return value;
}

Value Arithmetic::power(const Value& base, const Value& exponent, Span place) {
    if (base.is_vector())
        return fail(place, fmt::format("{} cannot be raised to a power", describe(base)),
                    "the square of a vector v is dot(v, v)");
    if (!require_scalar(base, "the base of a power", place) ||
        !require_scalar(exponent, "an exponent", place))
        return {};
    if (base.is_number() && exponent.is_number()) {
        const double result = std::pow(base.number, exponent.number);
        if (std::isfinite(result)) return Value::of_number(result);
        const std::string text =
            fmt::format("{0}{1}{2}^{3}", base.number < 0 ? "(" : "", shortest(base.number),
                        base.number < 0 ? ")" : "", shortest(exponent.number));
        if (std::isnan(result)) return fail(place, fmt::format("{} is not a real number", text));
        if (base.number == 0) return fail(place, fmt::format("{} is a division by zero", text));
        return fail(place, fmt::format("{} is too large for double precision", text));
    }
    const bool whole = exponent.is_number() && std::abs(exponent.number) <= 1000 &&
                       exponent.number == std::round(exponent.number);
    if (whole) return of(graph_.pow(expr(base), static_cast<int>(exponent.number)), place);
    return of(graph_.pow(expr(base), expr(exponent)), place);
}

Value Arithmetic::vector(std::vector<Value> parts, std::span<const Span> places) {
    Components components;
    bool sound = true;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        sound = require_scalar(parts[i], "a component of a vector", places[i]) && sound;
        if (sound) components.push_back(expr(parts[i]));
    }
    return sound ? Value::of_vector(std::move(components)) : Value{};
}

Value Arithmetic::compare(TokenKind relation, const Value& left, const Value& right, Span place) {
    if (!require_scalar(left, "the left side of a comparison", place)) return {};
    if (!require_scalar(right, "the right side of a comparison", place)) return {};
    const bool swapped = relation == TokenKind::greater || relation == TokenKind::greater_equal;
    const Value& a = swapped ? right : left;
    const Value& b = swapped ? left : right;
    const Op op = relation == TokenKind::less || relation == TokenKind::greater ? Op::less
                  : relation == TokenKind::less_equal || relation == TokenKind::greater_equal
                      ? Op::less_equal
                      : Op::equal;
    Value truth = Value::of_truth(false);
    if (a.is_number() && b.is_number()) {
        const double sides[] = {a.number, b.number};
        truth.number = apply_to_numbers(op, sides);
    } else {
        truth.known = false;
        truth.expr = graph_.apply(op, expr(a), expr(b));
        if (graph_.is_constant(truth.expr)) truth = Value::of_truth(graph_.value(truth.expr) != 0);
    }
    return relation == TokenKind::not_equal ? negation(truth) : truth;
}

Expr Arithmetic::truth_expr(const Value& truth) {
    return truth.known ? graph_.constant(truth.number) : truth.expr;
}

Value Arithmetic::choose(const Value& condition, const Value& then, const Value& otherwise,
                         Span place) {
    if (condition.is_bad() || then.is_bad() || otherwise.is_bad()) return {};
    if (then.is_truth() || otherwise.is_truth())
        return fail(place, "'if' chooses between values, but one of them is a condition");
    if (then.is_vector() != otherwise.is_vector() || then.parts.size() != otherwise.parts.size())
        return fail(place,
                    fmt::format("'if' chooses between {} and {}; both must have the same size",
                                describe(then), describe(otherwise)));
    if (!then.is_vector())
        return of(graph_.select(truth_expr(condition), expr(then), expr(otherwise)), place);
    Components parts;
    for (std::size_t i = 0; i < then.parts.size(); ++i)
        parts.push_back(graph_.select(truth_expr(condition), then.parts[i], otherwise.parts[i]));
    return Value::of_vector(std::move(parts));
}

Value Arithmetic::join(Op op, const Value& left, const Value& right) {
    if (left.is_bad() || right.is_bad()) return {};
    if (left.known && right.known) {
        const double both[] = {left.number, right.number};
        return Value::of_truth(apply_to_numbers(op, both) != 0);
    }
    Value truth = Value::of_truth(false);
    truth.known = false;
    truth.expr = graph_.apply(op, truth_expr(left), truth_expr(right));
    return graph_.is_constant(truth.expr) ? Value::of_truth(graph_.value(truth.expr) != 0) : truth;
}

Value Arithmetic::negation(const Value& truth) {
    if (truth.is_bad()) return {};
    Value result = truth;
    result.number = 1.0 - truth.number;
    if (!truth.known) result.expr = graph_.apply(Op::logic_not, truth.expr);
    return result;
}

// ---- sums

void SumBuilder::add(const Value& value, bool minus, Span place) {
    if (value.is_truth())
        arithmetic_.fail(place, "a condition is not a number",
                         "turn it into one with if(condition, 1, 0)");
    bad_ = bad_ || value.is_bad() || value.is_truth();
    if (bad_ || value.empty_sum) return;
    const std::size_t size = value.is_vector() ? value.parts.size() : 1;
    if (!any_) {
        any_ = true;
        vector_ = value.is_vector();
        terms_.resize(size);
    } else if (vector_ != value.is_vector() || terms_.size() != size) {
        const Value before =
            vector_ ? Value::of_vector(Components(terms_.size())) : Value::of_number(0);
        arithmetic_.fail(
            place, fmt::format("{} cannot be added to {}", describe(value), describe(before)));
        bad_ = true;
        return;
    }
    const double sign = minus ? -1.0 : 1.0;
    if (value.is_number()) number_ += sign * value.number;
    else if (!vector_) terms_[0].push_back({value.expr, sign});
    else
        for (std::size_t i = 0; i < size; ++i) terms_[i].push_back({value.parts[i], sign});
}

Value SumBuilder::finish(Span place) {
    if (bad_) return {};
    if (!any_) {
        Value zero = Value::of_number(0.0);
        zero.empty_sum = true;
        return zero;
    }
    if (!std::isfinite(number_))
        return arithmetic_.fail(place, "this sum is too large for double precision");
    if (!vector_ && terms_[0].empty()) return Value::of_number(number_);
    if (!vector_) return arithmetic_.of(arithmetic_.graph().sum(terms_[0], number_), place);
    Components parts;
    for (const std::vector<Arg>& terms : terms_) {
        parts.push_back(arithmetic_.graph().sum(terms));
        if (arithmetic_.of(parts.back(), place).is_bad()) return {};
    }
    return Value::of_vector(std::move(parts));
}

// ---- products

bool ProductBuilder::usable(const Value& value, Span place) {
    if (value.is_truth())
        arithmetic_.fail(place, "a condition is not a number",
                         "turn it into one with if(condition, 1, 0)");
    bad_ = bad_ || value.is_bad() || value.is_truth();
    empty_sum_ = empty_sum_ || value.empty_sum;
    return !bad_;
}

void ProductBuilder::multiply(const Value& value, Span place) {
    if (!usable(value, place)) return;
    if (value.is_vector() && vector_) {
        arithmetic_.fail(place, "two vectors cannot be multiplied with '*'",
                         "write dot(a, b) or cross(a, b)");
        bad_ = true;
    } else if (value.is_vector()) {
        vector_ = value.parts;
    } else if (value.is_number()) {
        number_ *= value.number;
    } else {
        factors_.push_back({value.expr, 1.0});
    }
}

void ProductBuilder::divide(const Value& value, Span place) {
    if (!usable(value, place)) return;
    if (value.is_vector()) {
        arithmetic_.fail(place, "a vector cannot be a divisor", "divide by its size: norm(v)");
        bad_ = true;
    } else if (value.is_number() && value.number == 0) {
        arithmetic_.fail(place, "this is a division by zero");
        bad_ = true;
    } else if (value.is_number()) {
        number_ /= value.number;
    } else {
        factors_.push_back({value.expr, -1.0});
    }
}

Value ProductBuilder::finish(Span place) {
    if (bad_) return {};
    if (!std::isfinite(number_))
        return arithmetic_.fail(place,
                                "a number in this product is too large for double precision");
    Graph& graph = arithmetic_.graph();
    Value scalar = factors_.empty()
                       ? Value::of_number(number_)
                       : arithmetic_.of(graph.scale(number_, graph.product(factors_)), place);
    if (scalar.is_bad()) return {};
    if (!vector_) {
        scalar.empty_sum = empty_sum_;
        return scalar;
    }
    for (Expr& part : *vector_) {
        part = graph.mul(arithmetic_.expr(scalar), part);
        if (arithmetic_.of(part, place).is_bad()) return {};
    }
    return Value::of_vector(std::move(*vector_));
}

}  // namespace lacon::lang
