// Parses expressions, one function for each level of precedence. Nesting is limited to 200 levels;
// long sums and products are lists, which take no depth.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "lang/parse/parser.hpp"
#include "lang/text/characters.hpp"

namespace lacon::lang {

namespace {

constexpr int depth_limit = 200;

}  // namespace

NodeId Parser::add_node(NodeKind kind, TokenId begin, std::span<const Child> children,
                        std::uint32_t detail) {
    const auto first = static_cast<std::uint32_t>(syntax_.children.size());
    syntax_.children.insert(syntax_.children.end(), children.begin(), children.end());
    syntax_.nodes.push_back(
        {kind, {begin, at_}, first, static_cast<std::uint32_t>(children.size()), detail});
    return static_cast<NodeId>(syntax_.nodes.size() - 1);
}

bool Parser::starts_operand(TokenId token) const {
    const TokenKind kind = syntax_.tokens[token].kind;
    if (kind == TokenKind::name) {
        const std::string_view name = syntax_.text(token);
        return name == "t" || name == "pi" || name == "energy" ||
               nature_of(name) == "a built-in function" || !is_reserved(name);
    }
    return kind == TokenKind::number || kind == TokenKind::open;
}

NodeId Parser::expression() {
    if (++depth_ > depth_limit)
        fail(now().span, "the expression is nested too deeply here",
             "name its parts with 'let' and use the names");
    const NodeId node = chain(NodeKind::any_of, "or", &Parser::conjunction);
    --depth_;
    return node;
}

/// PART {word PART}
NodeId Parser::chain(NodeKind kind, std::string_view joint, NodeId (Parser::*part)()) {
    const TokenId begin = at_;
    const NodeId first = (this->*part)();
    if (word() != joint) return first;
    std::vector<Child> children = {{first}};
    while (accept_word(joint)) children.push_back({(this->*part)()});
    return add_node(kind, begin, children);
}

NodeId Parser::conjunction() {
    return chain(NodeKind::all_of, "and", &Parser::logic_term);
}

NodeId Parser::logic_term() {
    const TokenId begin = at_;
    if (!accept_word("not")) return comparison();
    if (++depth_ > depth_limit) fail(now().span, "the expression is nested too deeply here");
    const Child operand{logic_term()};
    --depth_;
    return add_node(NodeKind::negation, begin, {&operand, 1});
}

NodeId Parser::comparison() {
    const TokenId begin = at_;
    const NodeId left = sum();
    if (!is_comparison(kind())) return left;
    const auto relation = static_cast<std::uint32_t>(kind());
    take();
    const Child sides[] = {{left}, {sum()}};
    const NodeId node = add_node(NodeKind::compare, begin, sides, relation);
    if (is_comparison(kind()))
        fail(now().span, "comparisons cannot be chained", "write 'a < b and b < c'");
    return node;
}

NodeId Parser::sum() {
    const TokenId begin = at_;
    const NodeId first = product();
    if (kind() != TokenKind::plus && kind() != TokenKind::minus) return first;
    std::vector<Child> children = {{first}};
    while (kind() == TokenKind::plus || kind() == TokenKind::minus) {
        const bool minus = kind() == TokenKind::minus;
        take(tight_ ? Role::tight : Role::plain);
        children.push_back({product(), minus});
    }
    return add_node(NodeKind::sum, begin, children);
}

NodeId Parser::product() {
    const TokenId begin = at_;
    const NodeId first = unary();
    if (kind() != TokenKind::times && kind() != TokenKind::divide) return first;
    std::vector<Child> children = {{first}};
    while (kind() == TokenKind::times || kind() == TokenKind::divide) {
        const bool divide = kind() == TokenKind::divide;
        take();
        children.push_back({unary(), divide});
    }
    return add_node(NodeKind::product, begin, children);
}

/// A row of signs takes no depth: `- - - x`.
NodeId Parser::unary() {
    const TokenId begin = at_;
    bool negative = false;
    while (kind() == TokenKind::plus || kind() == TokenKind::minus) {
        negative = negative != (kind() == TokenKind::minus);
        take(Role::prefix);
    }
    const NodeId operand = power();
    if (!negative) return operand;
    const Child child{operand};
    return add_node(NodeKind::negate, begin, {&child, 1});
}

NodeId Parser::power() {
    const TokenId begin = at_;
    const NodeId base = postfix();
    if (!accept(TokenKind::power)) return base;
    if (++depth_ > depth_limit) fail(now().span, "the expression is nested too deeply here");
    const Child parts[] = {{base}, {unary()}};
    --depth_;
    return add_node(NodeKind::power, begin, parts);
}

NodeId Parser::postfix() {
    const TokenId begin = at_;
    NodeId node = primary();
    for (int signs = 0;; ++signs) {
        if (signs > 20) fail(now().span, "the expression is nested too deeply here");
        const Child child{node};
        if (kind() == TokenKind::prime) {
            std::uint32_t primes = 0;
            while (accept(TokenKind::prime)) ++primes;
            node = add_node(NodeKind::prime, begin, {&child, 1}, primes);
            if (is_slope_call(node)) {
                std::vector<Child> children = arguments(Role::tight);
                children.insert(children.begin(), Child{node});
                node = add_node(NodeKind::slope, begin, children);
            }
        } else if (kind() == TokenKind::open_index) {
            std::vector<Child> children = {child};
            append_indices(children);
            node = add_node(NodeKind::index, begin, children);
        } else if (kind() == TokenKind::open && is_applied(node)) {
            std::vector<Child> children = arguments(Role::tight);
            children.insert(children.begin(), child);
            node = add_node(NodeKind::applied, begin, children);
        } else if (kind() == TokenKind::dot) {
            take();
            const TokenId name =
                kind() == TokenKind::name
                    ? take()
                    : expect(TokenKind::name, "a component such as 'x' after the dot");
            node = add_node(NodeKind::component, begin, {&child, 1}, intern(name));
        } else {
            return node;
        }
        if (syntax_.tokens[begin].kind == TokenKind::number)
            fail(syntax_.tokens[at_ - 1].span, "a number has no derivative, index or component");
    }
}

/// Whether a bracket here belongs to the node before it: `link[2](0, 0, 1)`, `arm.direction(1, 0,
/// 0)`.
bool Parser::is_applied(NodeId node) const {
    const NodeKind before = syntax_.nodes[node].kind;
    const bool gap = now().span.begin > syntax_.tokens[at_ - 1].span.end;
    return (before == NodeKind::index || before == NodeKind::component) && !gap;
}

NodeId Parser::primary() {
    switch (kind()) {
        case TokenKind::number: return number();
        case TokenKind::open: return bracketed();
        case TokenKind::name: return named();
        case TokenKind::text: fail(now().span, "a text in quotes cannot be part of an expression");
        default: fail_expecting("a value (a number, a name or a bracket)");
    }
}

NodeId Parser::number() {
    const TokenId token = take();
    std::string_view text = syntax_.text(token);
    refuse_octal(token);
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex) text.remove_prefix(2);
    double value = 0.0;
    const auto format = hex ? std::chars_format::hex : std::chars_format::general;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value, format);
    if (read.ec == std::errc::result_out_of_range)
        fail(syntax_.tokens[token].span,
             "this number is too large or too close to zero for double precision");
    syntax_.numbers.push_back(value);
    return add_node(NodeKind::number, token, {},
                    static_cast<std::uint32_t>(syntax_.numbers.size() - 1));
}

/// `010` is 8 in C and 10 to most people.
void Parser::refuse_octal(TokenId token) {
    const std::string_view text = syntax_.text(token);
    const std::size_t zeros = std::min(text.find_first_not_of('0'), text.size());
    if (zeros == 0 || zeros == text.size() || text.find_first_not_of("0123456789") != text.npos)
        return;
    const std::string decimal(text.substr(zeros));
    std::uint64_t octal = 0;
    const auto read = std::from_chars(decimal.data(), decimal.data() + decimal.size(), octal, 8);
    const bool two_meanings =
        read.ec == std::errc() && read.ptr == decimal.data() + decimal.size() && octal > 7;
    fail(syntax_.tokens[token].span,
         "a whole number cannot begin with 0: C reads such a number in base 8",
         two_meanings ? fmt::format("write {}, or {} if base 8 is meant", decimal, octal)
                      : fmt::format("write {}", shortened(decimal)));
}

NodeId Parser::named() {
    const std::string_view name = word();
    const bool quantity =
        name == "kinetic" || name == "potential" || name == "torque" || name == "contact";
    if (nature_of(name) == "a keyword" && !quantity)
        fail_expecting("a value (a number, a name or a bracket)");
    const TokenId token = take();
    const bool gap = now().span.begin > syntax_.tokens[token].span.end;
    if (kind() != TokenKind::open || (gap && !spaced_calls_))
        return add_node(NodeKind::name, token, {}, intern(token));
    if (name == "sum") return sum_over(token);
    const std::vector<Child> given = arguments(Role::tight);
    if (name == "if") {
        if (given.size() != 3)
            fail(syntax_.tokens[token].span,
                 fmt::format("'if' needs a condition and two values; here it has {} of the three",
                             given.size()),
                 "write if(condition, value, other value)");
        return add_node(NodeKind::choice, token, given);
    }
    return add_node(NodeKind::call, token, given, intern(token));
}

/// `(a)` groups; `(a, b)` is a vector.
NodeId Parser::bracketed() {
    const TokenId begin = at_;
    const std::vector<Child> parts = arguments(Role::plain);
    if (parts.empty())
        fail(syntax_.span(TokenRange{begin, at_}), "there is nothing in these brackets");
    if (parts.size() == 1) return parts.front().node;
    return add_node(NodeKind::vector, begin, parts);
}

/// `(a, b, …)`, also empty.
std::vector<Child> Parser::arguments(Role bracket) {
    const bool spaced = spaced_calls_;
    spaced_calls_ = true;
    take(bracket);
    std::vector<Child> parts;
    while (kind() != TokenKind::close) {
        if (!parts.empty() && !accept(TokenKind::comma)) {
            if (kind() == TokenKind::assign)
                fail(now().span, "'=' is not allowed inside brackets",
                     "a comparison is written '=='");
            fail_after_operand("')' or a comma");
        }
        parts.push_back({expression()});
    }
    take();
    spaced_calls_ = spaced;
    return parts;
}

NodeId Parser::sum_over(TokenId name) {
    const TokenId opening = take(Role::tight);
    const Child body{expression()};
    if (starts_operand(at_)) fail_missing_operator();
    if (word() != "for")
        fail(syntax_.span(TokenRange{name, opening + 1}), "this sum has no range",
             "write sum(EXPR for i in 1..3)");
    syntax_.loops.push_back({});
    const auto loops = static_cast<std::uint32_t>(syntax_.loops.size() - 1);
    Loops clauses = for_clauses();
    syntax_.loops[loops] = std::move(clauses);
    expect(TokenKind::close, "')'");
    return add_node(NodeKind::sum_over, name, {&body, 1}, loops);
}

void Parser::append_indices(std::vector<Child>& children) {
    take(Role::tight);
    do {
        const bool all = patterns_ && kind() == TokenKind::times &&
                         (next_kind() == TokenKind::comma || next_kind() == TokenKind::close_index);
        const TokenId begin = at_;
        if (all) take();
        else refuse_pattern();
        children.push_back({all ? add_node(NodeKind::all, begin, {}) : tight_sum()});
        if (kind() == TokenKind::range)
            fail(now().span, "a range is not allowed here",
                 "write one index, and 'for i in 1..3' at the end");
    } while (accept(TokenKind::comma, Role::tight));
    expect(TokenKind::close_index, "']' or a comma");
}

NodeId Parser::tight_sum() {
    const bool outer = tight_;
    tight_ = true;
    if (++depth_ > depth_limit) fail(now().span, "the expression is nested too deeply here");
    const NodeId node = sum();
    --depth_;
    tight_ = outer;
    return node;
}

}  // namespace lacon::lang
