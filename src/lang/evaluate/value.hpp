// The values that expressions of the language have while a model is built.
#pragma once

#include <string>

#include "model/model.hpp"

namespace lacon::lang {

/// What an expression stands for. Whatever is a plain number is kept as one, so that it can serve
/// as an index; a `bad` value comes from something already reported, and what is made of it is bad
/// without a further word.
struct Value {
    enum class Shape : std::uint8_t { bad, number, scalar, vector, truth };
    Shape shape = Shape::bad;
    bool known = true;  // of a truth: whether `number` (1 or 0) tells it, else `expr`
    /// A number 0 that fits vectors of every size: the sum over an empty range.
    bool empty_sum = false;
    double number = 0.0;
    Expr expr;         // of a scalar or a truth
    Components parts;  // of a vector

    bool is_bad() const { return shape == Shape::bad; }
    bool is_number() const { return shape == Shape::number; }
    bool is_vector() const { return shape == Shape::vector; }
    bool is_truth() const { return shape == Shape::truth; }

    static Value of_number(double number) {
        Value value;
        value.shape = Shape::number;
        value.number = number;
        return value;
    }
    static Value of_vector(Components parts) {
        Value value;
        value.shape = Shape::vector;
        value.parts = std::move(parts);
        return value;
    }
    static Value of_truth(bool truth) {
        Value value;
        value.shape = Shape::truth;
        value.number = truth ? 1.0 : 0.0;
        return value;
    }
};

/// "a scalar", "a vector of 3 components", "a condition".
std::string describe(const Value& value);

}  // namespace lacon::lang
