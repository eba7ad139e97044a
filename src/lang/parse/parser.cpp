// The parser's cursor and its errors. A failed statement is skipped, but the names it would have
// declared stay known, so that one error does not cause others.
#include "lang/parse/parser.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "lang/text/characters.hpp"

namespace lacon::lang {

namespace {

constexpr std::size_t error_limit = 200;  // of statements: what follows is unlikely to help

bool ends_operand(TokenKind kind) {
    return kind == TokenKind::number || kind == TokenKind::name || kind == TokenKind::close ||
           kind == TokenKind::close_index || kind == TokenKind::prime;
}

}  // namespace

Parser::Parser(const SourceText& source, Diagnostics& diagnostics)
    : Parser(source, lex(source, diagnostics), diagnostics) {}

Parser::Parser(const SourceText& source, Tokens tokens, Diagnostics& diagnostics)
    : diagnostics_(diagnostics) {
    syntax_.source = &source;
    syntax_.tokens = std::move(tokens.tokens);
    syntax_.comments = std::move(tokens.comments);
}

Syntax Parser::parse_statements() && {
    while (accept(TokenKind::newline)) {
    }
    while (kind() != TokenKind::end && diagnostics_.error_count() < error_limit) {
        const TokenId begin = at_;
        try {
            statement();
        } catch (const Failure&) {
            broken_statement(begin);
        }
        depth_ = 0;
        tight_ = false;
        spaced_calls_ = true;
        patterns_ = false;
        while (accept(TokenKind::newline)) {
        }
    }
    make_names();
    return std::move(syntax_);
}

std::pair<Syntax, NodeId> Parser::parse_single_expression() && {
    try {
        while (accept(TokenKind::newline)) {
        }
        const NodeId node = expression();
        while (accept(TokenKind::newline)) {
        }
        refuse_loop();
        if (kind() != TokenKind::end) fail_after_operand("the end of the value");
        return {std::move(syntax_), node};
    } catch (const Failure&) {
        return {std::move(syntax_), none};
    }
}

Syntax Parser::parse_assignment_list(bool with_guesses) && {
    time_is_target_ = true;
    try {
        StartStatement start{assigned_items("a coordinate", with_guesses)};
        while (accept(TokenKind::newline)) {
        }
        refuse_loop();
        if (kind() != TokenKind::end) fail_after_operand("a comma or the end");
        syntax_.statements.push_back({std::move(start), {}, {0, at_}});
    } catch (const Failure&) {
        syntax_.statements.clear();
    }
    return std::move(syntax_);
}

/// Values from outside the model are given one by one.
void Parser::refuse_loop() {
    if (word() == "for")
        fail(now().span,
             "a 'for' clause is allowed only in a model, not in a value given from outside",
             "set each member separately: x[1]=2, x[2]=2");
}

TokenId Parser::take(Role role) {
    syntax_.tokens[at_].role = role;
    return take();
}

bool Parser::accept(TokenKind wanted, Role role) {
    if (kind() != wanted) return false;
    take(role);
    return true;
}

bool Parser::accept_word(std::string_view wanted) {
    if (word() != wanted) return false;
    take(Role::word);
    return true;
}

TokenId Parser::expect(TokenKind wanted, std::string_view what) {
    const bool closing = wanted == TokenKind::close || wanted == TokenKind::close_index;
    if (kind() != wanted && closing) fail_after_operand(what);
    if (kind() != wanted) fail_expecting(what);
    return take();
}

void Parser::expect_word(std::string_view wanted, std::string_view why) {
    if (!accept_word(wanted)) fail_expecting(fmt::format("'{}' with {}", wanted, why));
}

std::string Parser::describe(TokenId token) const {
    switch (syntax_.tokens[token].kind) {
        case TokenKind::newline: return "the statement ends";
        case TokenKind::end: return "the text ends";
        case TokenKind::text: return "there is a text in quotes";
        default: break;
    }
    return fmt::format("there is '{}'", shortened(syntax_.text(token)));
}

void Parser::fail(Span span, std::string message, std::string hint) {
    diagnostics_.error(span, std::move(message), std::move(hint));
    throw Failure{};
}

void Parser::fail_after_operand(std::string_view what) {
    const bool operand_before =
        ends_operand(syntax_.tokens[at_ - 1].kind) && syntax_.tokens[at_ - 1].role != Role::word;
    if (operand_before && starts_operand(at_)) fail_missing_operator();
    fail_expecting(what);
}

void Parser::fail_expecting(std::string_view what) {
    if (kind() == TokenKind::bad) throw Failure{};
    const bool statement_ends =
        kind() == TokenKind::newline && next_kind() != TokenKind::end && !find_keyword(next_word());
    const bool logic =
        is_comparison(kind()) || word() == "and" || word() == "or" || word() == "not";
    if (logic)
        fail(now().span, fmt::format("'{}' is not allowed here", syntax_.text(at_)),
             "a condition is allowed only as the first argument of if(condition, value, other "
             "value)");
    std::string hint;
    if (statement_ends)
        hint =
            "a statement continues on the next line only inside brackets, or after an operator or "
            "comma at the end of the line";
    else if (is_reserved(word()))
        hint = fmt::format("'{}' is {} and cannot be used as a name", word(), nature_of(word()));
    fail(now().span, fmt::format("{} is expected here, but {}", what, describe(at_)), hint);
}

/// Two operands in a row: mostly a product written as in a book.
void Parser::fail_missing_operator() {
    const std::string left = shortened(syntax_.text(at_ - 1)), right = shortened(syntax_.text(at_));
    const bool simple = left != ")" && left != "]" && left != "'" && right != "(";
    if (syntax_.tokens[at_ - 1].kind == TokenKind::name &&
        nature_of(syntax_.text(at_ - 1)) == "a built-in function")
        fail(syntax_.tokens[at_ - 1].span,
             fmt::format("'{}' is a function and needs its arguments in brackets", left),
             fmt::format("write {}({})", left, simple ? right : "..."));
    fail(now().span, fmt::format("there is no operator between '{}' and '{}'", left, right),
         fmt::format("if you mean a product, write {}",
                     simple ? fmt::format("'{}*{}'", left, right) : "'*' between them"));
}

void Parser::refuse_near_modifier(std::span<const std::string> modifiers) {
    if (const auto near = nearest_name(word(), modifiers); near && *near != word())
        fail(now().span, fmt::format("'{}' is not allowed here", word()),
             fmt::format("did you mean '{}'?", *near));
}

NameId Parser::intern(TokenId token) {
    const auto [found, is_new] =
        name_ids_.try_emplace(syntax_.text(token), static_cast<NameId>(syntax_.names.size()));
    if (is_new) syntax_.names.push_back(found->first);
    return found->second;
}

void Parser::skip_statement() {
    while (kind() != TokenKind::newline && kind() != TokenKind::end) take();
}

}  // namespace lacon::lang
