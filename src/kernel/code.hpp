// The intermediate form between templates and machine code: running an algorithm on Value records
// its operations as a Code.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace lacon::kernel {

/// The operations of straight-line code. Truth values are 1 and 0.
enum class Do : std::uint8_t {
    constant,  // value
    input,     // a: its number
    add,
    sub,
    mul,
    div,
    fma,  // a b + c, rounded once where the target can
    neg,
    sqrt,
    abs,
    less,
    less_equal,
    equal,
    both,
    either,
    negate,
    select,  // a ≠ 0 ? b : c
    sin,
    cos,
    call,  // function(a) or function(a, b)
    // Of power series that stand in memory; the code runs at an order k (Series).
    order,        // k + a
    coefficient,  // of slot a, at order k + b
    /// Σ_{0<j<K} x_j y_{K−j} with K = k + c, x in slot a, y in slot b, which is kept backwards.
    inner,
    weighted,  // Σ_{0<j<K} j x_j y_{K−j}; of series side by side alone
    item,      // of the memory: its number; likewise
};
/// Operations that take nothing and cost nothing.
inline bool is_leaf(Do op) {
    return op == Do::constant || op == Do::input || op == Do::order || op == Do::coefficient ||
           op == Do::item;
}

/// Functions that are called, not written out.
enum class Function : std::uint8_t {
    none,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    exp,
    log,
    pow,
    atan2,
    hypot
};
constexpr std::size_t function_count = 13;
inline bool is_binary(Function f) {
    return f >= Function::pow;
}

struct Node {
    Do op = Do::constant;
    Function function = Function::none;
    std::uint32_t a = 0, b = 0, c = 0;
    double value = 0.0;
};

/// Power series that a code reads and continues. Every slot holds the orders up to `top`, forwards
/// or, as sums of products want one of the two, backwards without order 0; in front and behind
/// there are zeros, or what is multiplied with zeros. All of it must be zero, or finite, before a
/// code runs.
struct Series {
    struct Store {
        std::uint32_t slot = 0, shift = 0;  // at order k + shift
        bool backwards = false;
        std::uint32_t value = 0;  // a node
    };
    std::uint32_t top = 0;
    std::vector<Store> stores;
    /// Where not zero: so many slots stand side by side, one order behind the other, all of them
    /// forwards, and before them `items` numbers of another kind. Memory is then read from its
    /// begin on, and nothing of it twice: for elements of which there are many.
    std::uint32_t side_by_side = 0, items = 0;

    static constexpr std::size_t block = 4;  // products that are summed up side by side
    /// Sums of products may go on for so long, over zeros.
    static constexpr std::size_t most_ahead = 2;
    /// Places a slot takes, and where an order stands in it. An odd number: slots side by side must
    /// not meet in the cache.
    std::size_t stride() const { return (top + 2 * block + most_ahead) | 1; }
    static std::size_t forwards(std::size_t order) { return order + block - 1; }
    std::size_t backwards(std::size_t order) const { return top + block - 1 - order; }
};

/// Straight-line code over numbers that are not known yet: what compiled functions are made from.
/// Every operation is kept once (hash-consed); constants fold, and structural zeros and ones
/// vanish, so that a matrix routine run on it leaves nothing of the zeros in its matrices. Unlike
/// expr's Graph it never reorders a sum: the numerics stay as written.
class Code {
public:
    Code();

    std::uint32_t input(std::uint32_t number);
    std::uint32_t constant(double value);
    std::uint32_t order_number(std::uint32_t shift);
    std::uint32_t coefficient(std::uint32_t slot, std::uint32_t shift);
    std::uint32_t inner(std::uint32_t forwards, std::uint32_t backwards, std::uint32_t shift);
    std::uint32_t weighted(std::uint32_t forwards, std::uint32_t backwards, std::uint32_t shift);
    std::uint32_t item(std::uint32_t number);
    std::uint32_t make(Node node);  // operands are earlier nodes; folds

    std::vector<std::uint32_t> outputs;
    std::uint32_t input_count = 0;
    Series series;
    static constexpr std::size_t usual_limit = 4'000'000;
    std::size_t most_nodes = usual_limit;  // beyond, CodeFull is thrown

    const Node& operator[](std::uint32_t id) const { return nodes_[id]; }
    std::size_t size() const { return nodes_.size(); }
    bool is_constant(std::uint32_t id) const { return nodes_[id].op == Do::constant; }

    /// What is given out, and what is kept of series.
    std::vector<std::uint32_t> roots() const;
    /// What the roots need, operands first, depth first from the first root on.
    std::vector<std::uint32_t> order() const;

private:
    std::uint32_t intern(const Node& node);
    std::uint32_t fold(const Node& node);
    void rehash();

    std::vector<Node> nodes_;
    std::vector<std::uint32_t> table_;  // open addressing: node + 1, or 0
};

/// How many operands a node has.
std::size_t operand_count(const Node& node);

/// Thrown when code would outgrow what is sensible to compile straight-line.
struct CodeFull : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A number in the making: arithmetic on it writes code. Templates over a number type (the
/// interpreter, solves) run on it as on double. A Value made from a double belongs to no code until
/// it meets one that does.
class Value {
public:
    Value(double number = 0.0) : number_(number) {}  // NOLINT: as a double would
    Value(Code& code, std::uint32_t id) : code_(&code), id_(id) {}

    bool is_number() const { return !code_ || code_->is_constant(id_); }
    double number() const { return code_ ? (*code_)[id_].value : number_; }
    bool is(double x) const { return is_number() && number() == x; }
    Code* code() const { return code_; }
    std::uint32_t id_in(Code& code) const { return code_ ? id_ : code.constant(number_); }

    friend Value operator+(const Value& x, const Value& y) { return write(Do::add, x, y); }
    friend Value operator-(const Value& x, const Value& y) { return write(Do::sub, x, y); }
    friend Value operator*(const Value& x, const Value& y) { return write(Do::mul, x, y); }
    friend Value operator/(const Value& x, const Value& y) { return write(Do::div, x, y); }
    friend Value operator-(const Value& x) { return write(Do::neg, x); }
    Value& operator+=(const Value& y) { return *this = *this + y; }
    Value& operator-=(const Value& y) { return *this = *this - y; }

    friend Value sqrt(const Value& x) { return write(Do::sqrt, x); }
    friend Value abs(const Value& x) { return write(Do::abs, x); }
    friend Value sin(const Value& x) { return write(Do::sin, x); }
    friend Value cos(const Value& x) { return write(Do::cos, x); }
    friend Value tan(const Value& x) { return write(Do::call, x, Function::tan); }
    friend Value asin(const Value& x) { return write(Do::call, x, Function::asin); }
    friend Value acos(const Value& x) { return write(Do::call, x, Function::acos); }
    friend Value atan(const Value& x) { return write(Do::call, x, Function::atan); }
    friend Value sinh(const Value& x) { return write(Do::call, x, Function::sinh); }
    friend Value cosh(const Value& x) { return write(Do::call, x, Function::cosh); }
    friend Value tanh(const Value& x) { return write(Do::call, x, Function::tanh); }
    friend Value exp(const Value& x) { return write(Do::call, x, Function::exp); }
    friend Value log(const Value& x) { return write(Do::call, x, Function::log); }
    friend Value pow(const Value& x, const Value& y) {
        return write(Do::call, x, y, Function::pow);
    }
    friend Value atan2(const Value& x, const Value& y) {
        return write(Do::call, x, y, Function::atan2);
    }
    friend Value hypot(const Value& x, const Value& y) {
        return write(Do::call, x, y, Function::hypot);
    }

    /// a b + c
    friend Value fma(const Value& a, const Value& b, const Value& c) {
        return write(Do::fma, a, b, c);
    }
    // Decisions, as expr/program.hpp asks for them.
    friend Value when_less(const Value& x, const Value& y) { return write(Do::less, x, y); }
    friend Value when_less_equal(const Value& x, const Value& y) {
        return write(Do::less_equal, x, y);
    }
    friend Value when_equal(const Value& x, const Value& y) { return write(Do::equal, x, y); }
    friend Value when_both(const Value& x, const Value& y) { return write(Do::both, x, y); }
    friend Value when_either(const Value& x, const Value& y) { return write(Do::either, x, y); }
    friend Value when_not(const Value& x) { return write(Do::negate, x); }
    friend Value choose(const Value& condition, const Value& then, const Value& otherwise) {
        return write(Do::select, condition, then, otherwise);
    }
    /// To the nearest whole number, by what adding 2^52 leaves of the digits, and one less where
    /// that is above. From 2^52 on every number is whole.
    friend Value floor(const Value& x) {
        const Value large = choose(when_less(x, 0.0), -0x1p52, 0x1p52),
                    nearest = (x + large) - large;
        return choose(when_less(abs(x), 0x1p52), nearest - choose(when_less(x, nearest), 1.0, 0.0),
                      x);
    }
    friend Value sign_of(const Value& x) {
        return choose(when_less(0.0, x), 1.0,
                      choose(when_less(x, 0.0), -1.0, choose(when_equal(x, 0.0), 0.0, x)));
    }

private:
    static Value write(Do op, const Value& x, Function f = Function::none) {
        return write(op, {&x, nullptr, nullptr}, f);
    }
    static Value write(Do op, const Value& x, const Value& y, Function f = Function::none) {
        return write(op, {&x, &y, nullptr}, f);
    }
    static Value write(Do op, const Value& x, const Value& y, const Value& z) {
        return write(op, {&x, &y, &z}, Function::none);
    }
    struct Operands {
        const Value *a, *b, *c;
    };
    static Value write(Do op, const Operands& operands, Function f);

    Code* code_ = nullptr;
    std::uint32_t id_ = 0;
    double number_ = 0.0;
};

inline Value max(const Value& x, const Value& y) {
    return choose(when_less(x, y), y, x);
}

/// The value of an operation on numbers.
double apply(Do op, Function function, double a, double b, double c);

}  // namespace lacon::kernel
