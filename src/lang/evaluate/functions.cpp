// The built-in functions, with checks of the number and shape of their arguments.
#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "expr/spatial.hpp"
#include "lang/evaluate/arithmetic.hpp"

/// The built-in functions of scalars and of vectors.
namespace lacon::lang {

namespace {

std::string listed(std::span<const double> numbers) {
    std::string text;
    for (const double number : numbers)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", shortest(number));
    return text;
}

}  // namespace

Value Arithmetic::call(const Function& function, std::span<const Value> arguments, Span place) {
    for (const Value& argument : arguments)
        if (argument.is_bad()) return {};
    const bool chain = function.form == Function::Form::chain;
    if (arguments.size() < function.arguments || (arguments.size() > function.arguments && !chain))
        return fail(place, fmt::format("'{}' takes {}{}, but is given {} here", function.name,
                                       chain ? "at least " : "",
                                       counted(function.arguments, "argument"), arguments.size()));
    switch (function.form) {
        case Function::Form::dot: return dot(arguments[0], arguments[1], place);
        case Function::Form::cross: return cross(arguments[0], arguments[1], place);
        case Function::Form::norm: return norm(arguments[0], place);
        case Function::Form::rotation: return rotation(arguments[0], arguments[1], place);
        default: break;
    }
    for (const Value& argument : arguments) {
        if (argument.is_vector())
            return fail(place,
                        fmt::format("'{}' takes scalars, but it is given {}", function.name,
                                    describe(argument)),
                        function.name == "abs" ? "the size of a vector is norm(...)" : "");
        if (!require_scalar(argument, "an argument", place)) return {};
    }
    if (function.form == Function::Form::mod) return mod(arguments[0], arguments[1], place);
    if (function.form == Function::Form::quaternion) return unit_quaternion(arguments, place);
    if (function.form == Function::Form::rpy || function.form == Function::Form::euler)
        return three_turns(function.form, arguments);
    if (!chain) return call_scalar(function, arguments, place);
    Value result = arguments[0];
    for (std::size_t i = 1; i < arguments.size() && !result.is_bad(); ++i) {
        const Value pair[] = {result, arguments[i]};
        result = call_scalar(function, pair, place);
    }
    return result;
}

Value Arithmetic::call_scalar(const Function& function, std::span<const Value> arguments,
                              Span place) {
    std::vector<double> numbers;
    std::vector<Expr> operands;
    for (const Value& argument : arguments)
        if (argument.is_number()) numbers.push_back(argument.number);
    if (numbers.size() == arguments.size()) {
        const double result = apply_to_numbers(function.op, numbers);
        if (std::isfinite(result)) return Value::of_number(result);
        const std::string_view problem = std::isnan(result) ? "a real number" : "finite";
        return fail(place,
                    fmt::format("{}({}) is not {}", function.name, listed(numbers), problem));
    }
    for (const Value& argument : arguments) operands.push_back(expr(argument));
    return of(graph_.apply(function.op, operands), place);
}

/// The unit quaternion (w, x, y, z) of a rotation about an axis of any length.
Value Arithmetic::rotation(const Value& axis, const Value& angle, Span place) {
    if (axis.parts.size() != 3)
        return fail(
            place,
            fmt::format("'rotation' turns about an axis of 3 components, but it is given {}",
                        describe(axis)),
            "write rotation((0, 0, 1), angle)");
    if (!require_scalar(angle, "the angle of a rotation", place)) return {};
    Spatial space(graph_);
    const Vector3 u = space.vector(axis.parts);
    const Expr length = graph_.apply(Op::sqrt, space.dot(u, u));
    if (graph_.is_zero(length)) return fail(place, "the axis of this rotation has no direction");
    const Expr half = graph_.scale(0.5, expr(angle));
    const Expr c = graph_.apply(Op::cos, half);
    const Vector3 s = space.scale(graph_.div(graph_.apply(Op::sin, half), length), u);
    return Value::of_vector({c, s[0], s[1], s[2]});
}

/// rpy(R, P, Y): about the fixed x, y, z. euler(A, B, C): about z, the new x, the new z.
Value Arithmetic::three_turns(Function::Form form, std::span<const Value> angles) {
    Spatial space(graph_);
    const auto about = [&](std::size_t axis, const Value& angle) {
        const Expr half = graph_.scale(0.5, expr(angle));
        std::array<Expr, 4> p = {graph_.apply(Op::cos, half), graph_.zero(), graph_.zero(),
                                 graph_.zero()};
        p[axis] = graph_.apply(Op::sin, half);
        return p;
    };
    const bool fixed = form == Function::Form::rpy;
    const auto first = fixed ? about(3, angles[2]) : about(3, angles[0]);
    const auto second = fixed ? about(2, angles[1]) : about(1, angles[1]);
    const auto third = fixed ? about(1, angles[0]) : about(3, angles[2]);
    const auto p = space.quaternion_product(space.quaternion_product(first, second), third);
    return Value::of_vector({p[0], p[1], p[2], p[3]});
}

Value Arithmetic::unit_quaternion(std::span<const Value> parts, Span place) {
    std::vector<Arg> squares;
    for (const Value& part : parts) squares.push_back({graph_.pow(expr(part), 2), 1.0});
    const Expr length = graph_.apply(Op::sqrt, graph_.sum(squares));
    if (graph_.is_zero(length)) return fail(place, "a quaternion of zeros gives no rotation");
    Components p;
    for (const Value& part : parts) p.push_back(graph_.div(expr(part), length));
    return Value::of_vector(std::move(p));
}

/// a − b floor(a/b): between 0 and b.
Value Arithmetic::mod(const Value& a, const Value& b, Span place) {
    if (b.is_number() && b.number == 0.0)
        return fail(place, "the second argument of 'mod' must not be 0");
    const Expr u = expr(a), w = expr(b);
    return of(graph_.sub(u, graph_.mul(w, graph_.apply(Op::floor, graph_.div(u, w)))), place);
}

Value Arithmetic::dot(const Value& left, const Value& right, Span place) {
    if (left.is_truth() || right.is_truth())
        return fail(place, "'dot' takes vectors, but it is given a condition");
    if (left.empty_sum || right.empty_sum) return Value::of_number(0.0);
    const Components a = components(left), b = components(right);
    if (a.size() != b.size())
        return fail(place,
                    fmt::format("'dot' takes two vectors of one size, but it is given {} and {}",
                                describe(left), describe(right)));
    std::vector<Arg> terms;
    for (std::size_t i = 0; i < a.size(); ++i) terms.push_back({graph_.mul(a[i], b[i]), 1.0});
    return of(graph_.sum(terms), place);
}

Value Arithmetic::cross(const Value& left, const Value& right, Span place) {
    const Components &a = left.parts, &b = right.parts;
    if (a.size() != b.size() || (a.size() != 2 && a.size() != 3))
        return fail(
            place,
            fmt::format(
                "'cross' takes two vectors of the plane or two of space, but it is given {} and {}",
                describe(left), describe(right)));
    const auto minor = [&](std::size_t i, std::size_t j) {
        return graph_.sub(graph_.mul(a[i], b[j]), graph_.mul(a[j], b[i]));
    };
    if (a.size() == 2) return of(minor(0, 1), place);
    return Value::of_vector({minor(1, 2), minor(2, 0), minor(0, 1)});
}

Value Arithmetic::norm(const Value& value, Span place) {
    if (value.is_truth()) return fail(place, "'norm' takes a vector, but it is given a condition");
    const Components parts = components(value);
    if (parts.size() == 1) return of(graph_.apply(Op::abs, parts[0]), place);
    std::vector<Arg> squares;
    for (const Expr part : parts) squares.push_back({graph_.pow(part, 2), 1.0});
    return of(graph_.apply(Op::sqrt, graph_.sum(squares)), place);
}

}  // namespace lacon::lang
