// Parses what several statements share: targets, ranges, loops, the two sides of an equation, lists
// of assignments.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "lang/parse/parser.hpp"

namespace lacon::lang {

/// A name that is to be declared or bound.
TokenId Parser::declared_name(std::string_view what) {
    if (kind() == TokenKind::name && is_reserved(word()))
        fail(
            now().span,
            fmt::format("'{}' is {} and cannot be the name of {}", word(), nature_of(word()), what),
            "choose another name");
    return expect(TokenKind::name, fmt::format("the name of {}", what));
}

/// What is called as a function is cannot have the name of one: `load(C)` must mean one thing.
void Parser::refuse_built_in(const Target& target, std::string_view what) {
    const std::string_view name = syntax_.names[target.name];
    if (nature_of(name) == "a built-in function" && !is_free_function(name))
        fail(syntax_.span(target.tokens),
             fmt::format("'{}' is a built-in function and cannot be the name of {}", name, what),
             "choose another name");
}

/// NAME [ '[' part {, part} ']' ] {'}
Target Parser::target(std::string_view what) {
    Target result;
    const TokenId begin = at_;
    const bool time = time_is_target_ && word() == "t";
    result.name = intern(time ? take() : declared_name(what));
    if (kind() == TokenKind::open_index) index_parts(result);
    while (accept(TokenKind::prime)) ++result.primes;
    result.tokens = {begin, at_};
    return result;
}

void Parser::index_parts(Target& result) {
    take(Role::tight);
    do {
        refuse_pattern();
        IndexPart part{tight_sum(), none};
        if (accept(TokenKind::range)) part.high = tight_sum();
        result.indices.push_back(part);
    } while (accept(TokenKind::comma, Role::tight));
    expect(TokenKind::close_index, "']' or a comma");
    if (result.indices.size() > 4)
        fail(syntax_.tokens[at_ - 1].span, "a family can have at most 4 indices");
}

void Parser::refuse_pattern() {
    if (kind() == TokenKind::times &&
        (next_kind() == TokenKind::comma || next_kind() == TokenKind::close_index))
        fail(now().span,
             "a value (a number, a name or a bracket) is expected here, but there is '*'",
             "only 'output' and 'draw' take all members at once; write [i], and 'for i in ...' at "
             "the end");
}

/// A target without primes and ranges: what most statements declare.
Target Parser::declared_target(std::string_view what) {
    Target result = target(what);
    no_primes(result, what);
    for (const IndexPart& part : result.indices)
        if (part.high != none)
            fail(syntax_.span(result.tokens), "a range is not allowed here",
                 "write one index such as [i], and 'for i in 1..3' at the end");
    return result;
}

void Parser::no_primes(const Target& target, std::string_view what) {
    if (target.primes > 0)
        fail(syntax_.span(target.tokens), fmt::format("{} cannot be declared with a prime", what));
}

/// Whether `NAME =` or `NAME[…] =` stands here, before a value.
bool Parser::is_named() const {
    if (kind() != TokenKind::name) return false;
    TokenId next = at_ + 1;
    if (syntax_.tokens[next].kind == TokenKind::open_index)
        while (syntax_.tokens[next].kind < TokenKind::bad &&
               syntax_.tokens[next++].kind != TokenKind::close_index) {
        }
    return syntax_.tokens[next].kind == TokenKind::assign;
}

std::pair<NodeId, NodeId> Parser::range(std::string_view what) {
    const NodeId low = tight_sum();
    if (!accept(TokenKind::range)) fail_after_operand(fmt::format("'..' of {}", what));
    return {low, tight_sum()};
}

/// {for CLAUSE {, CLAUSE}} [if CONDITION]
Loops Parser::for_clauses() {
    Loops clauses;
    std::vector<NameId> names;
    while (accept_word("for")) {
        do clauses.loops.push_back(loop_clause(names));
        while (accept(TokenKind::comma));
    }
    if (!clauses.loops.empty() && accept_word("if")) clauses.condition = expression();
    return clauses;
}

/// NAME in LOW..HIGH, NAME in data "file", or [NAME,] (NAME {, NAME}) in data "file"; `names` are
/// those of the clause, too.
Loop Parser::loop_clause(std::vector<NameId>& names) {
    Loop loop;
    const auto name = [&] {
        const TokenId token = declared_name("a loop index");
        loop.names.push_back({intern(token), token});
        if (std::find(names.begin(), names.end(), loop.names.back().name) != names.end())
            fail(syntax_.tokens[token].span,
                 fmt::format("the loop index '{}' is already in use here", syntax_.text(token)));
        names.push_back(loop.names.back().name);
        if (names.size() > 8)
            fail(syntax_.tokens[token].span, "there are more than 8 loop indices here");
    };
    bool columns = accept(TokenKind::open);
    name();
    if (!columns && kind() == TokenKind::comma && next_kind() == TokenKind::open) {
        take();
        loop.counted = columns = accept(TokenKind::open);
        name();
    }
    while (columns && accept(TokenKind::comma)) name();
    if (columns) expect(TokenKind::close, "')' or a comma");
    const auto follows = [&](TokenId ahead, std::string_view word) {
        return at_ + ahead < syntax_.tokens.size() && syntax_.text(at_ + ahead) == word;
    };
    if (kind() == TokenKind::comma && follows(2, "in") && follows(3, "data"))
        fail(now().span, "'in' is expected here, but there is ','",
             "write the columns of a file in brackets: for (i, j) in data");
    expect_word("in", columns ? "the rows of a file, data \"file.csv\"" : "a range such as 1..3");
    if (columns && word() != "data") fail_expecting("'data' with the name of a file");
    if (accept_word("data")) {
        if (kind() != TokenKind::text) fail_expecting("the name of a file, a text in quotes,");
        loop.file = take();
    } else {
        std::tie(loop.low, loop.high) = range("the range, as in 1..3,");
    }
    return loop;
}

/// LHS = RHS; what may be one-sided also LHS >= RHS and LHS <= RHS
ConstraintRow::Sense Parser::sides(NodeId& left, NodeId& right, bool may_be_one_sided) {
    left = sum();
    const ConstraintRow::Sense sense = relation(may_be_one_sided);
    right = sum();
    if (kind() == TokenKind::assign || is_comparison(kind()))
        fail(now().span,
             fmt::format("'{}' is not allowed here: both sides are already given",
                         syntax_.text(at_)),
             "write two constraints");
    return sense;
}

ConstraintRow::Sense Parser::relation(bool may_be_one_sided) {
    const bool one_sided =
        is_comparison(kind()) && kind() != TokenKind::equal && kind() != TokenKind::not_equal;
    if (one_sided && !may_be_one_sided)
        fail(now().span, "an equation of motion is written with '='");
    switch (kind()) {
        case TokenKind::assign: take(); return ConstraintRow::Sense::equal;
        case TokenKind::greater_equal: take(); return ConstraintRow::Sense::at_least;
        case TokenKind::less_equal: take(); return ConstraintRow::Sense::at_most;
        case TokenKind::greater:
        case TokenKind::less:
            fail(now().span, "one-sided constraints are not strict",
                 fmt::format("write '{0}=' instead of '{0}'", syntax_.text(at_)));
        case TokenKind::equal:
            fail(now().span, "an equation is written with a single '='",
                 "write '=' instead of '=='");
        case TokenKind::not_equal: fail(now().span, "'!=' cannot be a constraint");
        default: break;
    }
    fail_after_operand(may_be_one_sided ? "'=', '>=' or '<=' with the right side"
                                        : "'=' with the right side of the equation");
}

/// The arguments behind the name of a body, as a vector.
NodeId Parser::body_point() {
    const TokenId begin = at_;
    const std::vector<Child> parts = arguments(Role::tight);
    if (parts.empty()) fail(syntax_.span(TokenRange{begin, at_}), "a point has coordinates");
    return parts.size() == 1 ? parts.front().node : add_node(NodeKind::vector, begin, parts);
}

/// TARGET = EXPR {, TARGET = EXPR}; with guesses also `~`. A body's target may have a quantity or a
/// point behind it.
std::vector<AssignedItem> Parser::assigned_items(std::string_view what, bool with_guesses) {
    std::vector<AssignedItem> items;
    do {
        AssignedItem item;
        if (with_guesses && !time_is_target_ && word() == "t")
            fail(now().span, "time has no start value", "t begins where 'simulate A..B' begins");
        item.target = target(what);
        if (accept(TokenKind::dot))
            item.quantity = expect(TokenKind::name, "'position', 'rotation' or another quantity");
        else if (kind() == TokenKind::open) item.place = body_point();
        item.guess = kind() == TokenKind::guess;
        if (item.guess && !with_guesses)
            fail(now().span, "a guess '~' is allowed only in 'start'", "write '='");
        if (kind() == TokenKind::equal)
            fail(now().span, "a value is given with a single '='", "write '=' instead of '=='");
        if (!accept(TokenKind::assign) && !accept(TokenKind::guess))
            fail_expecting(with_guesses ? "'=' or '~'" : "'='");
        item.value = sum();
        items.push_back(std::move(item));
    } while (accept(TokenKind::comma));
    return items;
}

}  // namespace lacon::lang
