// Multiplies out, joins products of sines and cosines, and takes out common factors. Returns the
// candidate with the shortest text; long expressions are left alone.
#include "expr/tidy.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "expr/print.hpp"
#include "expr/traverse.hpp"

namespace lacon::inline expr {

namespace {

constexpr std::size_t most_terms = 120;  // of a product that is multiplied out
constexpr std::size_t most_nodes = 600;  // of an expression that is touched at all,
constexpr std::size_t most_text = 4000;  // and of its text: beyond, nobody reads it

/// Terms of a sum, each a coefficient and a product.
std::vector<Arg> terms_of(const Graph& g, Expr e) {
    if (g.op(e) != Op::add) return {{e, 1.0}};
    std::vector<Arg> terms(g.args(e).begin(), g.args(e).end());
    if (g.value(e) != 0.0) terms.push_back({g.one(), g.value(e)});
    return terms;
}

/// Π factor^k, k ≥ 1, multiplied out where that stays short.
Expr multiplied_out(Graph& g, const std::vector<Arg>& factors) {
    std::vector<Arg> total{{g.one(), 1.0}};
    for (const Arg& f : factors) {
        const std::vector<Arg> terms = terms_of(g, f.expr);
        const bool expand = terms.size() > 1 && f.k <= 3.0;
        const int times = expand ? static_cast<int>(f.k) : 1;
        const std::vector<Arg> single{{g.pow(f.expr, static_cast<int>(f.k)), 1.0}};
        for (int i = 0; i < times; ++i) {
            const std::vector<Arg>& right =
                expand && total.size() * terms.size() <= most_terms ? terms : single;
            if (expand && &right == &single && i > 0) return g.product(factors);
            std::vector<Arg> next;
            for (const Arg& a : total)
                for (const Arg& b : right) next.push_back({g.mul(a.expr, b.expr), a.k * b.k});
            total = terms_of(g, g.sum(next));
            if (&right == &single) break;
        }
    }
    return g.sum(total);
}

/// A product with its numerator and denominator multiplied out.
Expr tidy_product(Graph& g, const std::vector<Arg>& factors) {
    std::vector<Arg> above, below;
    for (const Arg& f : factors) (f.k > 0.0 ? above : below).push_back({f.expr, std::abs(f.k)});
    const Expr numerator = multiplied_out(g, above);
    return below.empty() ? numerator : g.div(numerator, multiplied_out(g, below));
}

/// One way to see a term as R · f(a) · h(b) with f, h sine or cosine and a before b.
struct Pair {
    std::size_t term;
    double k;
    bool first_is_sin, second_is_sin;
};

/// cos a cos b ± sin a sin b = cos(a ∓ b), sin a cos b ± cos a sin b = sin(a ± b), for two terms
/// that have the rest in common.
bool join_angles(Graph& g, std::vector<Arg>& terms) {
    std::map<std::tuple<Expr, Expr, Expr>, std::vector<Pair>> seen;  // (a, b, rest)
    for (std::size_t t = 0; t < terms.size(); ++t) {
        if (g.op(terms[t].expr) != Op::mul) continue;
        const std::vector<Arg> factors(g.args(terms[t].expr).begin(), g.args(terms[t].expr).end());
        const auto is_wave = [&](const Arg& f) {
            return f.k >= 1.0 && (g.op(f.expr) == Op::sin || g.op(f.expr) == Op::cos);
        };
        for (std::size_t i = 0; i < factors.size(); ++i) {
            for (std::size_t j = 0; j < factors.size(); ++j) {
                if (i == j || !is_wave(factors[i]) || !is_wave(factors[j])) continue;
                const Expr a = g.args(factors[i].expr)[0].expr, b = g.args(factors[j].expr)[0].expr;
                if (!(a < b)) continue;
                std::vector<Arg> rest = factors;
                rest[i].k -= 1.0;
                rest[j].k -= 1.0;
                const Pair here{t, terms[t].k, g.op(factors[i].expr) == Op::sin,
                                g.op(factors[j].expr) == Op::sin};
                auto& others = seen[{a, b, g.product(rest)}];
                for (const Pair& other : others) {
                    const bool matches = other.first_is_sin != here.first_is_sin &&
                                         other.second_is_sin != here.second_is_sin &&
                                         std::abs(other.k) == std::abs(here.k) &&
                                         other.term != here.term;
                    if (!matches) continue;
                    // Cos cos with sin sin.
                    const bool same_kind = here.first_is_sin == here.second_is_sin;
                    const bool same_sign = other.k == here.k;
                    // The sign of the result is that of cos a cos b, or of sin a cos b.
                    const Pair& leading = here.first_is_sin == !same_kind ? here : other;
                    const Expr angle = same_kind == same_sign ? g.sub(a, b) : g.add(a, b);
                    const Expr joined =
                        g.mul(g.product(rest), g.apply(same_kind ? Op::cos : Op::sin, angle));
                    const Arg result{joined, leading.k};
                    terms.erase(terms.begin() +
                                static_cast<std::ptrdiff_t>(std::max(other.term, here.term)));
                    terms.erase(terms.begin() +
                                static_cast<std::ptrdiff_t>(std::min(other.term, here.term)));
                    terms.push_back(result);
                    return true;
                }
                others.push_back(here);
            }
        }
    }
    return false;
}

Expr tidy_sum(Graph& g, Expr e) {
    std::vector<Arg> terms = terms_of(g, e);
    while (join_angles(g, terms)) terms = terms_of(g, g.sum(terms));
    return g.sum(terms);
}

/// Symbols that every term contains, in front: L² m₁ + L² m₂ = L² (m₁ + m₂).
Expr common_factor(Graph& g, Expr e) {
    if (g.op(e) != Op::add || g.value(e) != 0.0 || g.args(e).size() < 2) return e;
    const std::vector<Arg> terms(g.args(e).begin(), g.args(e).end());
    std::map<Expr, double> shared;
    for (std::size_t t = 0; t < terms.size(); ++t) {
        std::map<Expr, double> own;
        if (g.op(terms[t].expr) != Op::mul) own[terms[t].expr] = 1.0;
        else
            for (const Arg& f : g.args(terms[t].expr)) own[f.expr] = f.k;
        if (t == 0) {
            for (const auto& [symbol, k] : own)
                if (g.is_symbol(symbol) && k > 0.0) shared[symbol] = k;
            continue;
        }
        for (auto s = shared.begin(); s != shared.end();) {
            const auto found = own.find(s->first);
            if (found == own.end() || found->second <= 0.0) {
                s = shared.erase(s);
                continue;
            }
            s->second = std::min(s->second, found->second);
            ++s;
        }
    }
    if (shared.empty()) return e;
    std::vector<Arg> factors;
    for (const auto& [symbol, k] : shared) factors.push_back({symbol, k});
    const Expr factor = g.product(factors);
    std::vector<Arg> divided;
    for (const Arg& term : terms) divided.push_back({g.div(term.expr, factor), term.k});
    return g.mul(factor, g.sum(divided));
}

}  // namespace

Expr tidy(Graph& graph, Expr e) {
    const std::vector<Expr> order = postorder(graph, {&e, 1});
    if (order.size() > most_nodes || to_text(graph, e).size() > most_text) return e;
    ExprMap<Expr> done;
    for (const Expr node : order) {
        Expr made = node;
        std::vector<Arg> args(graph.args(node).begin(), graph.args(node).end());
        for (Arg& arg : args) arg.expr = done.at(arg.expr);
        switch (graph.op(node)) {
            case Op::constant:
            case Op::symbol: break;
            case Op::add: made = tidy_sum(graph, graph.sum(args, graph.value(node))); break;
            case Op::mul: made = tidy_sum(graph, tidy_product(graph, args)); break;
            default: made = graph.rebuilt(graph, node, args);
        }
        done.insert(node, made);
    }
    const Expr candidates[] = {e, done.at(e), common_factor(graph, done.at(e)),
                               common_factor(graph, e)};
    return *std::min_element(std::begin(candidates), std::end(candidates), [&](Expr a, Expr b) {
        return to_text(graph, a).size() < to_text(graph, b).size();
    });
}

}  // namespace lacon::expr
