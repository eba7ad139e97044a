// The expression graph: handles, operations, and the store that keeps each expression once and
// simplifies it as it is built.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lacon::inline expr {

class Curve;

/// A handle to one expression; it has a meaning only together with its Graph. Equal handles are
/// equal expressions.
struct Expr {
    std::uint32_t id = 0;
    auto operator<=>(const Expr&) const = default;
};

/// The operations. `add` is  value + Σ k·arg  and carries all numeric factors; `mul` is  Π arg^k
/// with whole k ≠ 0 and carries none; so 2 x / y is  add{(2, mul{(x,1), (y,−1)})}. Comparisons and
/// logic give 1 or 0; > and >= are written with swapped sides.
enum class Op : std::uint8_t {
    constant,
    symbol,
    add,
    mul,
    pow,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    exp,
    log,
    sqrt,
    abs,
    sign,
    atan2,
    hypot,
    min,
    max,
    less,
    less_equal,
    equal,
    logic_and,
    logic_or,
    logic_not,
    select,  // condition, then, else
    data,    // a derivative of a measured signal (a Curve), at its operand
    floor,
};
/// Whether an operation takes one of several branches, by the sign of something. (Equality has no
/// border that a motion crosses.)
constexpr bool is_decision(Op op) {
    return op == Op::less || op == Op::less_equal || op == Op::abs || op == Op::sign ||
           op == Op::min || op == Op::max || op == Op::floor;
}

/// An operand of a node, with its factor (in `add`) or whole exponent (in `mul`); k is 1 elsewhere.
struct Arg {
    Expr expr;
    double k = 1.0;
    bool operator==(const Arg&) const = default;
};

/// Thrown when a graph would outgrow its limit, so that no model can exhaust the memory.
struct GraphFull : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A growing store of immutable expressions, each kept once (hash-consed) and simplified when it is
/// built: constants fold, zeros and like terms vanish, products merge powers, sin² + cos² of one
/// argument becomes 1, odd and even functions drop a sign. A common factor cancels from a fraction,
/// so x/x is 1 also where x is 0. Operands always have smaller ids than what uses them, and every
/// traversal is iterative: depth is limited by memory alone.
class Graph {
public:
    /// Nodes with their operands take some 70 bytes each: at the limit, 10 GB.
    static constexpr std::size_t default_limit = 150'000'000;
    explicit Graph(std::size_t node_limit = default_limit);

    Expr constant(double value);
    Expr zero() const { return zero_; }
    Expr one() const { return one_; }
    /// A new symbol on each call (names need not differ).
    Expr symbol(std::string_view name);

    Expr add(Expr a, Expr b);
    Expr sub(Expr a, Expr b);
    Expr mul(Expr a, Expr b);
    Expr div(Expr a, Expr b);
    Expr neg(Expr a) { return scale(-1.0, a); }
    Expr scale(double k, Expr a);
    Expr pow(Expr base, Expr exponent);
    Expr pow(Expr base, int exponent);
    /// constant + Σ k·expr, in time near linear in the number of terms.
    Expr sum(std::span<const Arg> terms, double constant = 0.0);
    /// Π expr^k with whole k.
    Expr product(std::span<const Arg> factors);
    /// Any operation of one, two or three operands (comparisons, functions, select); `add`, `mul`
    /// and `pow` too.
    Expr apply(Op op, std::span<const Expr> operands);
    Expr apply(Op op, Expr a) { return apply(op, std::span(&a, 1)); }
    Expr apply(Op op, Expr a, Expr b);
    Expr select(Expr condition, Expr then, Expr otherwise);
    /// The derivative of an order of a measured signal at x; order 0 is its value.
    Expr data(const std::shared_ptr<const Curve>& curve, unsigned order, Expr x);
    /// The operation of `node`, in this graph or another, on operands of this graph, with the
    /// factors or exponents given.
    Expr rebuilt(const Graph& from, Expr node, std::span<const Arg> operands);

    Op op(Expr e) const { return nodes_[e.id].op; }
    /// The constant's value; the constant term of an `add`; of `data` which curve and order it is.
    double value(Expr e) const { return nodes_[e.id].value; }
    std::span<const Arg> args(Expr e) const {
        const Node& node = nodes_[e.id];  // of a symbol, `first` is no place in args_
        return node.count == 0 ? std::span<const Arg>()
                               : std::span(args_).subspan(node.first, node.count);
    }
    std::string name(Expr symbol) const {
        const std::uint32_t number = symbol_index(symbol);
        return letters_.substr(name_begins_[number],
                               name_begins_[number + 1] - name_begins_[number]);
    }
    /// The symbol's number, in order of creation.
    std::uint32_t symbol_index(Expr symbol) const { return nodes_[symbol.id].first; }

    /// Of a `data` node.
    const std::shared_ptr<const Curve>& curve(Expr data) const {
        return curves_[static_cast<std::size_t>(value(data)) / 4];
    }
    unsigned curve_order(Expr data) const { return static_cast<unsigned>(value(data)) % 4; }
    /// Whether there are any measured signals.
    bool has_data() const { return !curves_.empty(); }

    bool is_constant(Expr e) const { return op(e) == Op::constant; }
    bool is_symbol(Expr e) const { return op(e) == Op::symbol; }
    bool is_zero(Expr e) const { return e == zero_; }
    /// Whether the value can never be negative, as far as its form shows.
    bool is_nonnegative(Expr e) const;
    /// Of a sum: the term that is a multiple of an exponential (of exp, or of cosh), where one is
    /// and the others are plain; nothing otherwise. Far away such a sum overflows, and what it
    /// divides vanishes.
    std::optional<std::size_t> growing_term(Expr sum) const;

    std::size_t size() const { return nodes_.size(); }

    /// A state of the graph to return to.
    struct Mark {
        std::size_t nodes = 0, args = 0, symbols = 0;
    };
    Mark mark() const { return {nodes_.size(), args_.size(), symbol_count()}; }
    /// Forgets all expressions made since: what is made later gets their ids. There must be no new
    /// symbols among them.
    void rollback(const Mark& mark);
    /// Gives back what was set aside for growing, or for what is forgotten.
    void shrink();
    std::size_t symbol_count() const { return name_begins_.size() - 1; }

    /// A sum or product of more operands than this is not taken apart when it enters another one.
    /// It keeps long chains of definitions (P[i] = P[i-1] + …) linear in memory: each then refers
    /// to the one before instead of copying it.
    static constexpr std::size_t flatten_limit = 64;
    /// The same for what is made from now on; gives the limit before. Recursions over many bodies,
    /// whose every intermediate result is used several times, set a small one.
    std::size_t set_flatten_limit(std::size_t limit) {
        return std::exchange(flatten_limit_, limit);
    }

private:
    struct Node {
        Op op;
        std::uint32_t first;  // into args_; of a symbol: its number
        std::uint32_t count;
        std::uint32_t hash;
        double value;
    };

    Expr intern(Op op, std::span<const Arg> args, double value);
    void rehash(std::size_t table_size);
    Expr finish_sum(std::vector<Arg>& terms, double constant);
    Expr finish_product(double factor, std::vector<Arg>& factors);
    void append_factor(double& factor, std::vector<Arg>& factors, Arg arg);
    void join_roots(std::vector<Arg>& factors) const;
    bool join_growing(double& factor, std::vector<Arg>& factors);
    Expr divided(Expr sum, std::size_t term, Expr growing);
    void merge_squares(std::vector<Arg>& terms, double& constant);
    Expr apply_function(Op op, std::span<const Expr> operands);
    bool sign_is_negative(Expr e) const;

    std::vector<Node> nodes_;
    std::vector<Arg> args_;
    std::string letters_;                        // of all names, one behind the other
    std::vector<std::uint32_t> name_begins_{0};  // by symbol, and where the last one ends
    std::vector<std::shared_ptr<const Curve>> curves_;
    std::vector<std::uint32_t> table_;  // open addressing: node id + 1, or 0
    std::size_t flatten_limit_ = flatten_limit;
    std::size_t limit_, hashed_ = 0;  // hashed: nodes but for symbols, which are never looked up
    Expr zero_, one_;
};

/// The value of one operation on numbers: what the interpreter computes and folding uses.
double apply_to_numbers(Op op, std::span<const double> operands);

/// "sin", "atan2", … ; empty for what is written with signs.
std::string_view function_name(Op op);

}  // namespace lacon::expr
