// Operations on the values of the language: numbers, scalars, vectors and conditions.
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "lang/evaluate/value.hpp"
#include "lang/text/token.hpp"
#include "lang/text/words.hpp"

namespace lacon::lang {

/// The operations on values. Each reports what cannot be done at the place given and is then bad.
class Arithmetic {
public:
    Arithmetic(Graph& graph, Diagnostics& diagnostics) : graph_(graph), diagnostics_(diagnostics) {}

    Graph& graph() { return graph_; }
    Value fail(Span place, std::string message, std::string hint = {});

    /// An expression as a value: a constant as a number. Bad where a number in it is not finite.
    Value of(Expr expr, Span place);
    /// A scalar or number as an expression.
    Expr expr(const Value& value);
    /// A vector's components; a scalar as the only one.
    Components components(const Value& value);
    /// Whether a value is a number or scalar; reported if not, with `what` it should be ("the
    /// mass").
    bool require_scalar(const Value& value, std::string_view what, Span place);

    Value negate(Value value, Span place);
    Value power(const Value& base, const Value& exponent, Span place);
    Value vector(std::vector<Value> parts, std::span<const Span> places);
    Value call(const Function& function, std::span<const Value> arguments, Span place);
    Value compare(TokenKind relation, const Value& left, const Value& right, Span place);
    Value choose(const Value& condition, const Value& then, const Value& otherwise, Span place);
    /// All (`logic_and`) or any (`logic_or`) of two truths.
    Value join(Op op, const Value& left, const Value& right);
    Value negation(const Value& truth);

private:
    Value call_scalar(const Function& function, std::span<const Value> arguments, Span place);
    Value mod(const Value& a, const Value& b, Span place);
    Value dot(const Value& left, const Value& right, Span place);
    Value cross(const Value& left, const Value& right, Span place);
    Value norm(const Value& value, Span place);
    Value rotation(const Value& axis, const Value& angle, Span place);
    Value three_turns(Function::Form form, std::span<const Value> angles);
    Value unit_quaternion(std::span<const Value> parts, Span place);
    Expr truth_expr(const Value& truth);

    Graph& graph_;
    Diagnostics& diagnostics_;
};

/// A sum of many terms, in time near linear in their number.
class SumBuilder {
public:
    explicit SumBuilder(Arithmetic& arithmetic) : arithmetic_(arithmetic) {}
    void add(const Value& value, bool minus, Span place);
    Value finish(Span place);

private:
    Arithmetic& arithmetic_;
    bool bad_ = false, any_ = false, vector_ = false;
    std::vector<std::vector<Arg>> terms_;  // per component
    double number_ = 0.0;
};

/// A product of many factors, from the left to the right.
class ProductBuilder {
public:
    explicit ProductBuilder(Arithmetic& arithmetic) : arithmetic_(arithmetic) {}
    void multiply(const Value& value, Span place);
    void divide(const Value& value, Span place);
    Value finish(Span place);

private:
    bool usable(const Value& value, Span place);

    Arithmetic& arithmetic_;
    bool bad_ = false, empty_sum_ = false;
    double number_ = 1.0;
    std::vector<Arg> factors_;
    std::optional<Components> vector_;
};

}  // namespace lacon::lang
