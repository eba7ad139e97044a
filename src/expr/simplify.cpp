// The rules by which Graph simplifies what it builds. Each keeps the value wherever both sides are
// defined.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "expr/graph.hpp"

namespace lacon::inline expr {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

double whole_power(double base, double k) {
    return std::pow(base, k);
}

bool by_id(const Arg& a, const Arg& b) {
    return a.expr < b.expr;
}

/// A sum that cancels to rounding level counts as zero: 0.1 + 0.2 − 0.3 must leave a structural
/// zero.
double settle(double total, double largest) {
    return std::abs(total) <= 4 * eps * largest ? 0.0 : total;
}

/// Sorts by operand and adds the numbers of equal operands; drops zeros.
void collect(std::vector<Arg>& list) {
    std::sort(list.begin(), list.end(), by_id);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size();) {
        Arg merged = list[i];
        double largest = std::abs(merged.k);
        for (++i; i < list.size() && list[i].expr == merged.expr; ++i) {
            merged.k += list[i].k;
            largest = std::max(largest, std::abs(list[i].k));
        }
        merged.k = settle(merged.k, largest);
        if (merged.k != 0.0) list[kept++] = merged;
    }
    list.resize(kept);
}

/// Whether op(u)^2 has a form without op.
bool is_root_like(Op op) {
    return op == Op::sqrt || op == Op::hypot || op == Op::abs;
}

}  // namespace

Expr Graph::sum(std::span<const Arg> terms, double constant) {
    std::vector<Arg> list;
    list.reserve(terms.size());
    double largest = std::abs(constant);
    const auto add_constant = [&](double x) {
        constant += x;
        largest = std::max(largest, std::abs(x));
    };
    for (const Arg& term : terms) {
        if (term.k == 0.0) continue;
        if (is_constant(term.expr)) {
            add_constant(term.k * value(term.expr));
        } else if (op(term.expr) == Op::add && args(term.expr).size() <= flatten_limit_) {
            add_constant(term.k * value(term.expr));
            for (const Arg& inner : args(term.expr)) list.push_back({inner.expr, term.k * inner.k});
        } else {
            list.push_back(term);
        }
    }
    return finish_sum(list, settle(constant, largest));
}

Expr Graph::finish_sum(std::vector<Arg>& terms, double constant) {
    collect(terms);
    merge_squares(terms, constant);
    if (terms.empty()) return this->constant(constant);
    if (terms.size() == 1 && terms[0].k == 1.0 && constant == 0.0) return terms[0].expr;
    return intern(Op::add, terms, constant == 0.0 ? 0.0 : constant);
}

/// k R sin²u + k R cos²u = k R, for any common R.
void Graph::merge_squares(std::vector<Arg>& terms, double& constant) {
    const auto is_square = [&](const Arg& f) {
        return f.k >= 2.0 && (op(f.expr) == Op::sin || op(f.expr) == Op::cos);
    };
    const auto has_square = [&](const Arg& term) {
        if (op(term.expr) != Op::mul) return false;
        const auto factors = args(term.expr);
        return std::any_of(factors.begin(), factors.end(), is_square);
    };
    if (std::count_if(terms.begin(), terms.end(), has_square) < 2) return;

    // For every term with a squared sine or cosine: (argument, what remains of the term,
    // coefficient) → the term.
    std::map<std::tuple<Expr, Expr, double>, std::pair<std::size_t, Op>> open;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (!has_square(terms[i])) continue;
        const std::vector<Arg> factors(args(terms[i].expr).begin(), args(terms[i].expr).end());
        for (std::size_t j = 0; j < factors.size(); ++j) {
            if (!is_square(factors[j])) continue;
            std::vector<Arg> rest_factors = factors;
            rest_factors[j].k -= 2.0;
            const Expr rest = product(rest_factors);
            const Op kind = op(factors[j].expr);
            const auto key = std::tuple(args(factors[j].expr)[0].expr, rest, terms[i].k);
            const auto [found, fresh] = open.try_emplace(key, i, kind);
            if (fresh || found->second.second == kind || found->second.first == i) continue;
            const double k = terms[i].k;
            terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
            terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(found->second.first));
            if (is_constant(rest) || this->op(rest) == Op::add) constant += k * value(rest);
            if (this->op(rest) == Op::add)
                for (const Arg& inner : args(rest)) terms.push_back({inner.expr, k * inner.k});
            else if (!is_constant(rest)) terms.push_back({rest, k});
            collect(terms);
            return merge_squares(terms, constant);
        }
    }
}

Expr Graph::product(std::span<const Arg> factors) {
    double factor = 1.0;
    std::vector<Arg> list;
    list.reserve(factors.size());
    for (const Arg& arg : factors) append_factor(factor, list, arg);
    return finish_product(factor, list);
}

void Graph::append_factor(double& factor, std::vector<Arg>& factors, Arg arg) {
    const auto [e, k] = arg;
    if (k == 0.0) return;
    switch (op(e)) {
        case Op::constant: factor *= whole_power(value(e), k); return;
        case Op::mul:
            if (args(e).size() > flatten_limit_) break;
            for (std::size_t i = 0; i < args(e).size(); ++i) {
                const Arg inner = args(e)[i];
                append_factor(factor, factors, {inner.expr, inner.k * k});
            }
            return;
        case Op::add: {
            // Pull out what all terms share in size, and the sign of the first: 2x − 2y and y − x
            // become multiples of x − y.
            const std::span<const Arg> terms = args(e);
            const double size = std::abs(terms[0].k);
            const bool equal = std::all_of(terms.begin(), terms.end(),
                                           [&](const Arg& t) { return std::abs(t.k) == size; });
            const bool shared = equal && (value(e) == 0.0 || std::abs(value(e)) == size);
            const double content = std::copysign(shared ? size : 1.0, terms[0].k);
            std::vector<Arg> divided(terms.begin(), terms.end());
            for (Arg& term : divided) term.k /= content;
            const Expr primitive = content == 1.0 ? e : sum(divided, value(e) / content);
            factor *= whole_power(content, k);
            if (op(primitive) == Op::add) factors.push_back({primitive, k});
            else append_factor(factor, factors, {primitive, k});
            return;
        }
        case Op::sqrt:
            if (std::abs(k) >= 2.0 && is_nonnegative(args(e)[0].expr)) {
                const double whole = std::trunc(k / 2.0);
                append_factor(factor, factors, {args(e)[0].expr, whole});
                if (k != 2.0 * whole) factors.push_back({e, k - 2.0 * whole});
                return;
            }
            break;
        case Op::hypot:
            if (std::abs(k) >= 2.0 && std::fmod(k, 2.0) == 0.0) {
                const Expr squares = add(pow(args(e)[0].expr, 2), pow(args(e)[1].expr, 2));
                append_factor(factor, factors, {squares, k / 2.0});
                return;
            }
            break;
        case Op::abs:
            if (std::fmod(k, 2.0) == 0.0) {
                append_factor(factor, factors, {args(e)[0].expr, k});
                return;
            }
            break;
        default: break;
    }
    factors.push_back(arg);
}

/// u^k / sqrt(u) = u^(k−1) sqrt(u): also where u vanishes, as in the derivative of |p|³ at rest.
/// And sqrt(u) / u = 1 / sqrt(u), also where u has overflown.
void Graph::join_roots(std::vector<Arg>& factors) const {
    bool joined = false;
    for (Arg& root : factors) {
        if (op(root.expr) != Op::sqrt || std::abs(root.k) != 1.0) continue;
        const Expr u = args(root.expr)[0].expr;
        if (root.k == 1.0 && !growing_term(u)) continue;
        const auto whole = std::find_if(factors.begin(), factors.end(), [&](const Arg& f) {
            return f.expr == u && f.k * root.k <= -1.0;
        });
        if (whole == factors.end()) continue;
        whole->k += root.k;
        root.k = -root.k;
        joined = true;
    }
    if (joined) collect(factors);
}

namespace {

bool grows(Op op) {
    return op == Op::exp || op == Op::cosh;
}

}  // namespace

/// Plain: numbers, symbols and their products. A product with what grows has it once.
std::optional<std::size_t> Graph::growing_term(Expr sum) const {
    if (op(sum) != Op::add) return std::nullopt;
    const auto plain = [&](const Arg& f) { return is_symbol(f.expr) && f.k > 0.0; };
    std::optional<std::size_t> found;
    const std::span<const Arg> terms = args(sum);
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const Expr e = terms[i].expr;
        const Arg self{e, 1.0};
        const auto factors = op(e) == Op::mul ? args(e) : std::span(&self, 1);
        std::size_t growing = 0;
        for (const Arg& f : factors) {
            if (f.k == 1.0 && grows(op(f.expr))) ++growing;
            else if (!plain(f)) return std::nullopt;
        }
        if (growing > 1 || (growing == 1 && found)) return std::nullopt;
        if (growing == 1) found = i;
    }
    return found;
}

/// A sum over what grows in one of its terms: r + s e^w becomes s + r e^−w.
Expr Graph::divided(Expr sum, std::size_t term, Expr growing) {
    const Expr inverse =
        op(growing) == Op::exp ? apply(Op::exp, neg(args(growing)[0].expr)) : pow(growing, -1);
    std::vector<Arg> terms(args(sum).begin(), args(sum).end());
    const double constant = value(sum);
    for (std::size_t i = 0; i < terms.size(); ++i)
        terms[i].expr = i == term ? div(terms[i].expr, growing) : mul(terms[i].expr, inverse);
    if (constant != 0.0) terms.push_back({inverse, constant});
    return this->sum(terms);
}

/// Where numerator and denominator overflow together the quotient has a value: e^w/(r + s e^w) is
/// 1/(s + r e^−w), sinh(w)/cosh(w) is tanh(w), and so on with r + s cosh(w). Whether anything was
/// changed.
bool Graph::join_growing(double& factor, std::vector<Arg>& factors) {
    for (std::size_t i = 0; i < factors.size(); ++i) {
        const Op kind = op(factors[i].expr);
        if (factors[i].k < 1.0 || (!grows(kind) && kind != Op::sinh)) continue;
        Expr growing = factors[i].expr;
        if (kind == Op::sinh) growing = apply(Op::cosh, args(growing)[0].expr);
        for (std::size_t j = 0; j < factors.size(); ++j) {
            if (factors[j].k > -1.0) continue;
            const Expr f = factors[j].expr;
            Expr over = one_;  // f over what grows in it
            if (f != growing) {
                const auto term = growing_term(f);
                if (!term) continue;
                const Arg whole = args(f)[*term];
                const auto parts =
                    op(whole.expr) == Op::mul ? args(whole.expr) : std::span(&whole, 1);
                if (std::none_of(parts.begin(), parts.end(),
                                 [&](const Arg& part) { return part.expr == growing; }))
                    continue;
                over = divided(f, *term, growing);
            }
            factors[i].k -= 1.0;
            factors[j].k += 1.0;
            if (kind == Op::sinh)
                append_factor(factor, factors, {apply(Op::tanh, args(growing)[0].expr), 1.0});
            append_factor(factor, factors, {over, -1.0});
            collect(factors);
            return true;
        }
    }
    return false;
}

Expr Graph::finish_product(double factor, std::vector<Arg>& factors) {
    collect(factors);
    while (join_growing(factor, factors)) {
    }
    // Merged powers of roots may simplify further: sqrt(u) sqrt(u).
    const auto reducible = [&](const Arg& f) {
        return std::abs(f.k) >= 2.0 && is_root_like(op(f.expr));
    };
    if (std::any_of(factors.begin(), factors.end(), reducible)) {
        std::vector<Arg> reduced;
        for (const Arg& f : factors) append_factor(factor, reduced, f);
        collect(reduced);
        factors = std::move(reduced);
    }
    join_roots(factors);
    if (factor == 0.0 || !std::isfinite(factor))
        return constant(factors.empty() || factor == 0.0 ? factor : factor * 0.0);
    if (factors.empty()) return constant(factor);
    const bool single = factors.size() == 1 && factors[0].k == 1.0;
    const Expr core = single ? factors[0].expr : intern(Op::mul, factors, 0.0);
    return factor == 1.0 ? core : scale(factor, core);
}

bool Graph::sign_is_negative(Expr e) const {
    return op(e) == Op::add && args(e)[0].k < 0.0;
}

Expr Graph::apply_function(Op op, std::span<const Expr> operands) {
    const Expr u = operands[0];
    if (std::all_of(operands.begin(), operands.end(), [&](Expr e) { return is_constant(e); })) {
        double numbers[3];
        for (std::size_t i = 0; i < operands.size(); ++i) numbers[i] = value(operands[i]);
        return constant(apply_to_numbers(op, {numbers, operands.size()}));
    }
    switch (op) {
        case Op::sin:
        case Op::tan:
        case Op::asin:
        case Op::atan:
        case Op::sinh:
        case Op::tanh:
        case Op::sign:
            if (sign_is_negative(u)) return neg(apply(op, neg(u)));
            break;
        case Op::cos:
        case Op::cosh:
            if (sign_is_negative(u)) return apply(op, neg(u));
            break;
        case Op::abs:
            if (is_nonnegative(u)) return u;
            if (sign_is_negative(u)) return apply(op, neg(u));
            break;
        case Op::floor:
            if (this->op(u) == Op::floor) return u;
            break;
        case Op::log:
            if (this->op(u) == Op::exp) return args(u)[0].expr;
            break;
        case Op::sqrt:
            if (this->op(u) == Op::mul && args(u).size() == 1 &&
                std::fmod(args(u)[0].k, 2.0) == 0.0)
                return pow(apply(Op::abs, args(u)[0].expr), static_cast<int>(args(u)[0].k / 2.0));
            break;
        case Op::hypot:
            if (is_zero(u)) return apply(Op::abs, operands[1]);
            if (is_zero(operands[1])) return apply(Op::abs, u);
            break;
        case Op::min:
        case Op::max:
            if (u == operands[1]) return u;
            break;
        case Op::less:
            if (u == operands[1]) return zero_;
            break;
        case Op::less_equal:
        case Op::equal:
            if (u == operands[1]) return one_;
            break;
        case Op::logic_and:
        case Op::logic_or:
            for (std::size_t i = 0; i < 2; ++i) {
                if (!is_constant(operands[i])) continue;
                const bool decides = (value(operands[i]) != 0.0) == (op == Op::logic_or);
                return decides ? operands[i] : operands[1 - i];
            }
            break;
        case Op::logic_not:
            if (this->op(u) == Op::logic_not) return args(u)[0].expr;
            break;
        case Op::select:
            if (is_constant(u)) return value(u) != 0.0 ? operands[1] : operands[2];
            if (operands[1] == operands[2]) return operands[1];
            break;
        default: break;
    }
    Arg list[3];
    for (std::size_t i = 0; i < operands.size(); ++i) list[i] = {operands[i], 1.0};
    return intern(op, {list, operands.size()}, 0.0);
}

bool Graph::is_nonnegative(Expr e) const {
    const auto even = [](double k) { return std::fmod(k, 2.0) == 0.0; };
    const auto simple =
        [&](Expr u) {  // one level deep only: the question is asked often, and must be cheap
            switch (op(u)) {
                case Op::constant: return value(u) >= 0.0;
                case Op::exp:
                case Op::cosh:
                case Op::abs:
                case Op::sqrt:
                case Op::hypot:
                case Op::acos: return true;
                case Op::mul: {
                    const auto factors = args(u);
                    return std::all_of(factors.begin(), factors.end(),
                                       [&](const Arg& f) { return even(f.k); });
                }
                default: return false;
            }
        };
    if (op(e) != Op::add) return simple(e);
    const auto terms = args(e);
    return value(e) >= 0.0 && std::all_of(terms.begin(), terms.end(), [&](const Arg& t) {
               return t.k > 0.0 && simple(t.expr);
           });
}

}  // namespace lacon::expr
