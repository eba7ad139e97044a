// One printer writes both notations. It builds the text of each node from those of its operands,
// without recursion, and adds parentheses by how tightly an operation binds.
#include "expr/print.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/text.hpp"
#include "expr/curve.hpp"
#include "expr/traverse.hpp"

namespace lacon::inline expr {

namespace {

enum class Tightness { choice, comparison, sum, product, power, atom };

struct Piece {
    std::string text;
    Tightness tightness = Tightness::atom;
};

/// How a notation writes what is not plain juxtaposition of operands.
struct Notation {
    bool latex = false;

    std::string parenthesized(const std::string& inner) const {
        return latex ? "\\left(" + inner + "\\right)" : "(" + inner + ")";
    }
    std::string at_least(const Piece& piece, Tightness needed) const {
        return piece.tightness >= needed ? piece.text : parenthesized(piece.text);
    }
    std::string times() const { return latex ? " \\, " : "*"; }
};

/// p π/q, where the number is that: of text exactly as it would be read again, of LaTeX but for
/// rounding.
struct PiMultiple {
    double p = 0.0, q = 1.0;
};
std::optional<PiMultiple> pi_multiple(const Notation& how, double size) {
    // Digits: no one writes them, and none of these multiples has fewer.
    constexpr std::size_t long_number = 15;
    if (shortest(size).size() < long_number) return std::nullopt;
    constexpr double largest = 360.0;
    for (double q = 1.0; q <= largest; ++q) {
        const double p = std::round(size * q / std::numbers::pi), back = p * std::numbers::pi / q;
        if (p < 1.0 || p > 10'000.0) continue;
        const double apart = std::abs(back - size);
        if (how.latex ? apart <= 4e-16 * size : apart == 0.0) return PiMultiple{p, q};
    }
    return std::nullopt;
}

/// p/q with a small denominator where that is what the double means; else its shortest decimal.
Piece number(const Notation& how, double x) {
    const double size = std::abs(x);
    const std::string sign = x < 0.0 ? "-" : "";
    if (const auto of_pi = pi_multiple(how, size)) {
        const std::string pi = how.latex ? "\\pi" : "pi";
        const std::string above =
            of_pi->p == 1.0 ? pi : shortest(of_pi->p) + (how.latex ? " " : "*") + pi;
        if (of_pi->q == 1.0)
            return {sign + above, x < 0.0           ? Tightness::sum
                                  : of_pi->p == 1.0 ? Tightness::atom
                                                    : Tightness::product};
        return {sign + (how.latex ? fmt::format("\\frac{{{}}}{{{}}}", above, of_pi->q)
                                  : fmt::format("{}/{}", above, of_pi->q)),
                x < 0.0 ? Tightness::sum : Tightness::product};
    }
    if (size != std::floor(size)) {
        for (const int q : {2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24}) {
            const double p = std::round(size * q);
            if (p / q != size || p >= 1000.0) continue;
            const bool short_decimal = shortest(size).size() <= 4;
            if (short_decimal && !(how.latex && q <= 4)) break;
            return {sign + (how.latex ? fmt::format("\\frac{{{}}}{{{}}}", p, q)
                                      : fmt::format("{}/{}", p, q)),
                    Tightness::product};
        }
    }
    std::string text = shortest(size);
    constexpr int sure_digits = 15;  // 6*9.81 is 58.86000000000001; a formula shows what is meant
    if (std::string meant = rounded(size, sure_digits); how.latex && meant.size() + 3 < text.size())
        text = std::move(meant);
    if (const auto e = text.find('e'); how.latex && e != std::string::npos)
        text = fmt::format("{} \\cdot 10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
    return {sign + text, x < 0.0 ? Tightness::sum : Tightness::atom};
}

class Printer {
public:
    Printer(const Graph& graph, bool latex, bool abbreviates = false)
        : graph_(graph), how_{latex}, abbreviates_(abbreviates) {}

    std::string print(Expr root) {
        prepare(root);
        Piece piece = piece_of(root);
        return piece.text.size() > print_limit ? "..." : piece.text;
    }

    /// In lines, with names for what is too long within.
    std::vector<std::string> lines(Expr root) {
        prepare(root);
        return lines_of(root, piece_of(root).text);
    }

    std::vector<LatexLines::Abbreviation> abbreviations;

private:
    static constexpr std::size_t line_length = 180;  // characters of LaTeX, about a line of print
    static constexpr std::size_t longest_part = 150;

    std::vector<std::string> lines_of(Expr e, std::string whole) const {
        if (whole.size() <= line_length || graph_.op(e) != Op::add || is_single(e))
            return {std::move(whole)};
        std::vector<std::string> result;
        for (const std::string& term : terms_of(e)) {
            if (result.empty() || result.back().size() + term.size() > line_length)
                result.push_back(term);
            else result.back() += " " + term;
        }
        return result;
    }

    /// The pieces that `root` is made of.
    void prepare(Expr root) {
        for (const Expr e : postorder(graph_, {&root, 1})) {
            if (e == root || pieces_.contains(e)) continue;
            Piece piece = piece_of(e);
            // Products and multiples are never taken whole: their factors are.
            const bool taken_apart =
                graph_.op(e) == Op::mul || (graph_.op(e) == Op::add && is_single(e));
            if (abbreviates_ && !taken_apart && piece.text.size() > longest_part) {
                std::string name = fmt::format("S_{{{}}}", abbreviations.size() + 1);
                std::vector<std::string> written = lines_of(e, std::move(piece.text));
                abbreviations.push_back({name, std::move(written)});
                piece = {std::move(name), Tightness::atom};
            } else if (piece.text.size() > print_limit) {
                piece = {"...", Tightness::atom};
            }
            pieces_.insert(e, std::move(piece));
        }
    }

    Piece piece_of(Expr e) const {
        switch (graph_.op(e)) {
            case Op::constant: return number(how_, graph_.value(e));
            case Op::symbol:
                return {how_.latex ? latex_name(graph_.name(e)) : graph_.name(e), Tightness::atom};
            case Op::add: return sum(e);
            case Op::mul: return product(e, 1.0);
            case Op::pow: return power(operand(e, 0), operand(e, 1).text);
            case Op::less: return comparison(e, "<", "<");
            case Op::less_equal: return comparison(e, "<=", "\\le");
            case Op::equal: return comparison(e, "==", "=");
            case Op::logic_and: return comparison(e, "and", "\\wedge");
            case Op::logic_or: return comparison(e, "or", "\\vee");
            case Op::logic_not:
                return {(how_.latex ? "\\neg " : "not ") +
                            how_.at_least(operand(e, 0), Tightness::atom),
                        Tightness::comparison};
            case Op::select: return choice(e);
            case Op::data: return signal(e);
            default: return function(e);
        }
    }

    const Piece& operand(Expr e, std::size_t i) const { return pieces_.at(graph_.args(e)[i].expr); }

    bool is_single(Expr sum) const {
        return graph_.args(sum).size() == 1 && graph_.value(sum) == 0.0;
    }

    /// Positive terms first where that saves a leading minus; the order of building otherwise.
    std::vector<std::string> terms_of(Expr e) const {
        std::vector<Arg> terms(graph_.args(e).begin(), graph_.args(e).end());
        if (terms[0].k < 0.0)
            std::stable_partition(terms.begin(), terms.end(),
                                  [](const Arg& t) { return t.k > 0.0; });
        const double constant = graph_.value(e);
        const bool constant_first = constant > 0.0 && terms[0].k < 0.0;
        std::vector<std::string> texts;
        std::size_t size = 0;
        const auto append = [&](double signed_by, const std::string& term) {
            if (!abbreviates_ && size > print_limit) return;
            if (texts.empty()) texts.push_back((signed_by < 0.0 ? "-" : "") + term);
            else texts.push_back((signed_by < 0.0 ? "- " : "+ ") + term);
            size += texts.back().size() + 1;
        };
        if (constant_first) append(constant, number(how_, constant).text);
        for (const Arg& term : terms)
            append(term.k, how_.at_least(product(term.expr, std::abs(term.k)), Tightness::product));
        if (constant != 0.0 && !constant_first)
            append(constant, number(how_, std::abs(constant)).text);
        return texts;
    }

    Piece sum(Expr e) const {
        if (is_single(e)) {
            const Arg term = graph_.args(e)[0];
            const Piece single = product(term.expr, std::abs(term.k));
            return term.k < 0.0 ? Piece{"-" + single.text, Tightness::sum} : single;
        }
        return {fmt::format("{}", fmt::join(terms_of(e), " ")), Tightness::sum};
    }

    /// Parameters and coordinates come first, then what is compound, then velocities and
    /// accelerations: m*cos(a)*x''.
    int rank(Expr factor) const {
        if (!graph_.is_symbol(factor)) return 1;
        const std::string& name = graph_.name(factor);
        if (name.ends_with("''")) return 3;
        return name.ends_with("'") ? 2 : 0;
    }

    /// size · e as a product: a number, then the factors by rank; a fraction where powers are
    /// negative.
    Piece product(Expr e, double size) const {
        std::vector<Arg> factors;
        if (graph_.op(e) == Op::mul) factors.assign(graph_.args(e).begin(), graph_.args(e).end());
        else if (size == 1.0) return pieces_.at(e);
        else factors = {{e, 1.0}};
        std::stable_sort(factors.begin(), factors.end(),
                         [&](const Arg& a, const Arg& b) { return rank(a.expr) < rank(b.expr); });

        std::string above, below;
        std::size_t above_count = 0, below_count = 0;
        // 1/2 m v^2 reads better as m v^2/2.
        double numerator = size, denominator = 1.0;
        if (size != std::floor(size) && 1.0 / size == std::floor(1.0 / size) && 1.0 / size < 1000.0)
            numerator = 1.0, denominator = 1.0 / size;
        const auto of_pi = pi_multiple(how_, size);
        if (of_pi) numerator = of_pi->p, denominator = of_pi->q;
        if (numerator != 1.0)
            above = how_.at_least(number(how_, numerator), Tightness::power), above_count = 1;
        if (of_pi)
            above += fmt::format("{}{}",
                                 above.empty() ? ""
                                 : how_.latex  ? " "
                                               : "*",
                                 how_.latex ? "\\pi" : "pi"),
                ++above_count;
        if (denominator != 1.0) below = shortest(denominator), below_count = 1;
        for (const Arg& f : factors) {
            const Piece& base = pieces_.at(f.expr);
            const double k = std::abs(f.k);
            const std::string text =
                k == 1.0 ? how_.at_least(base, Tightness::power) : power(base, shortest(k)).text;
            std::string& side = f.k > 0.0 ? above : below;
            ++(f.k > 0.0 ? above_count : below_count);
            side += (side.empty() ? "" : how_.times()) + text;
        }
        if (below.empty()) return {above, Tightness::product};
        if (above.empty()) above = "1";
        if (how_.latex) {  // the bar brackets a side of one factor by itself
            for (const Arg& f : factors) {
                if (f.k == 1.0 && above_count == 1) above = pieces_.at(f.expr).text;
                if (f.k == -1.0 && below_count == 1) below = pieces_.at(f.expr).text;
            }
            return {fmt::format("\\frac{{{}}}{{{}}}", above, below), Tightness::product};
        }
        return {fmt::format("{}/{}", above, below_count > 1 ? how_.parenthesized(below) : below),
                Tightness::product};
    }

    Piece power(const Piece& base, const std::string& exponent) const {
        if (how_.latex)
            return {fmt::format("{{{}}}^{{{}}}", how_.at_least(base, Tightness::atom), exponent),
                    Tightness::power};
        const bool plain = std::all_of(exponent.begin(), exponent.end(), [](char c) {
            return std::isalnum(static_cast<unsigned char>(c));
        });
        return {how_.at_least(base, Tightness::atom) + "^" +
                    (plain ? exponent : how_.parenthesized(exponent)),
                Tightness::power};
    }

    Piece comparison(Expr e, const char* sign, const char* latex_sign) const {
        const Tightness needed = Tightness::sum;
        return {fmt::format("{} {} {}", how_.at_least(operand(e, 0), needed),
                            how_.latex ? latex_sign : sign, how_.at_least(operand(e, 1), needed)),
                Tightness::comparison};
    }

    Piece choice(Expr e) const {
        const std::string &c = operand(e, 0).text, &a = operand(e, 1).text, &b = operand(e, 2).text;
        if (!how_.latex) return {fmt::format("if({}, {}, {})", c, a, b), Tightness::atom};
        return {fmt::format("\\begin{{cases}} {} & {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}",
                            a, c, b),
                Tightness::sum};
    }

    Piece function(Expr e) const {
        const Op op = graph_.op(e);
        std::string list;
        for (std::size_t i = 0; i < graph_.args(e).size(); ++i)
            list += (i ? ", " : "") + operand(e, i).text;
        if (!how_.latex) return {fmt::format("{}({})", function_name(op), list), Tightness::atom};
        if (op == Op::sqrt) return {fmt::format("\\sqrt{{{}}}", list), Tightness::atom};
        if (op == Op::abs) return {fmt::format("\\left|{}\\right|", list), Tightness::atom};
        if (op == Op::floor)
            return {fmt::format("\\left\\lfloor {} \\right\\rfloor", list), Tightness::atom};
        static const std::string_view unknown_to_latex[] = {"asin",  "acos",  "atan",
                                                            "atan2", "hypot", "sign"};
        const std::string_view name = function_name(op);
        const bool plain = std::find(std::begin(unknown_to_latex), std::end(unknown_to_latex),
                                     name) == std::end(unknown_to_latex);
        return {fmt::format(
                    "{}{}",
                    plain ? fmt::format("\\{}", name) : fmt::format("\\operatorname{{{}}}", name),
                    how_.parenthesized(list)),
                Tightness::atom};
    }

    Piece signal(Expr e) const {
        const std::string primes(graph_.curve_order(e), '\'');
        const std::string& name = graph_.curve(e)->name();
        return {(how_.latex ? latex_name(name) : name) + primes +
                    how_.parenthesized(operand(e, 0).text),
                Tightness::atom};
    }

    const Graph& graph_;
    Notation how_;
    bool abbreviates_;
    ExprMap<Piece> pieces_;
};

}  // namespace

class LatexLines::Writer : public Printer {
public:
    explicit Writer(const Graph& graph) : Printer(graph, true, true) {}
};

LatexLines::LatexLines(const Graph& graph) : writer_(std::make_unique<Writer>(graph)) {}
LatexLines::~LatexLines() = default;

std::vector<std::string> LatexLines::lines(Expr e) {
    return writer_->lines(e);
}

const std::vector<LatexLines::Abbreviation>& LatexLines::abbreviations() const {
    return writer_->abbreviations;
}

std::string to_text(const Graph& graph, Expr e) {
    return Printer(graph, false).print(e);
}

std::string to_latex(const Graph& graph, Expr e) {
    return Printer(graph, true).print(e);
}

}  // namespace lacon::expr
