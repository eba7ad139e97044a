// Splits a text into tokens. A statement ends with its line, unless a bracket is open or the line
// ends with an operator or a comma. A keyword at the start of a line ends an unfinished statement.
#include <fmt/format.h>

#include "lang/text/characters.hpp"
#include "lang/text/token.hpp"
#include "lang/text/words.hpp"

namespace lacon::lang {

namespace {

constexpr std::size_t text_limit = std::size_t{64} << 20;
constexpr std::size_t token_limit = 20'000'000;
constexpr std::size_t token_error_limit = 100;  // then it is no model at all

bool continues_line(TokenKind kind) {
    switch (kind) {
        case TokenKind::plus:
        case TokenKind::minus:
        case TokenKind::times:
        case TokenKind::divide:
        case TokenKind::power:
        case TokenKind::comma:
        case TokenKind::colon:
        case TokenKind::assign:
        case TokenKind::guess:
        case TokenKind::range:
        case TokenKind::less:
        case TokenKind::less_equal:
        case TokenKind::greater:
        case TokenKind::greater_equal:
        case TokenKind::equal:
        case TokenKind::not_equal: return true;
        default: return false;
    }
}

struct Sign {
    std::string_view text;
    TokenKind kind;
};

/// Longer ones first.
constexpr Sign signs[] = {
    {"..", TokenKind::range},  {"<=", TokenKind::less_equal}, {">=", TokenKind::greater_equal},
    {"==", TokenKind::equal},  {"!=", TokenKind::not_equal},  {"+", TokenKind::plus},
    {"-", TokenKind::minus},   {"*", TokenKind::times},       {"/", TokenKind::divide},
    {"^", TokenKind::power},   {"'", TokenKind::prime},       {"(", TokenKind::open},
    {")", TokenKind::close},   {"[", TokenKind::open_index},  {"]", TokenKind::close_index},
    {",", TokenKind::comma},   {":", TokenKind::colon},       {"=", TokenKind::assign},
    {"~", TokenKind::guess},   {".", TokenKind::dot},         {"<", TokenKind::less},
    {">", TokenKind::greater},
};

class Lexer {
public:
    Lexer(const SourceText& source, Diagnostics& diagnostics)
        : text_(source.text()), diagnostics_(diagnostics) {}

    Tokens run() {
        if (text_.size() > text_limit) {
            diagnostics_.error({0, 0}, fmt::format("the text has {} MiB; the limit is {} MiB",
                                                   text_.size() >> 20, text_limit >> 20));
        } else if (has_readable_start()) {
            while (at_ < text_.size() && !gave_up_) step();
        }
        finish();
        return std::move(result_);
    }

private:
    bool has_readable_start() {
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
        const bool utf16 = text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF");
        if (utf16) diagnostics_.error({0, 1}, "the text is in UTF-16", "save the file as UTF-8");
        return !utf16;
    }

    void step() {
        const char c = text_[at_];
        if (c == ' ' || c == '\t') ++at_;
        else if (c == '\n') line_end();
        else if (c == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
        else if (c == '#') comment();
        else if (c == '"') quoted_text();
        else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])))
            number();
        else if (is_name_start(read_character(text_, at_).code)) name();
        else if (!sign()) bad_characters();
    }

    void push(TokenKind kind, std::size_t length) {
        const Span span{static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(at_ + length)};
        at_ += length;
        if (result_.tokens.size() >= token_limit) {
            diagnostics_.error(
                span, fmt::format("the text is too long: it has more than {} words and signs",
                                  token_limit));
            gave_up_ = true;
            return;
        }
        result_.tokens.push_back({span, kind, Role::plain});
    }

    void error(Span span, std::string message, std::string hint = {}) {
        diagnostics_.error(span, std::move(message), std::move(hint));
        gave_up_ = gave_up_ || ++errors_ >= token_error_limit;
    }

    Span here(std::size_t length) const {
        return {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(at_ + length)};
    }

    // ---- lines

    TokenKind last_kind() const {
        return result_.tokens.empty() ? TokenKind::newline : result_.tokens.back().kind;
    }

    bool line_goes_on() const {
        if (last_kind() == TokenKind::name) {
            const Span span = result_.tokens.back().span;
            const std::string_view word = text_.substr(span.begin, span.end - span.begin);
            return word == "and" || word == "or" || word == "not";
        }
        return continues_line(last_kind());
    }

    void line_end() {
        const bool open = !brackets_.empty();
        if ((open || line_goes_on()) && starts_statement(at_ + 1)) {
            if (open) report_open_bracket();
            end_statement();
        } else if (!open && !line_goes_on() && last_kind() != TokenKind::newline) {
            end_statement();
        }
        ++at_;
    }

    /// The newline stands right behind the statement's last token: there something is missing, if
    /// so.
    void end_statement() {
        const std::uint32_t end = result_.tokens.empty() ? 0 : result_.tokens.back().span.end;
        result_.tokens.push_back({{end, end}, TokenKind::newline, Role::plain});
    }

    /// Whether the line at `offset` begins with a keyword in such a way that it must be a new
    /// statement, although the last one has not ended. `kinetic`, `potential`, `torque` and
    /// `contact` are also names of values, and `friction` may be any name: they need an operand
    /// behind them.
    bool starts_statement(std::size_t offset) const {
        while (offset < text_.size() && (text_[offset] == ' ' || text_[offset] == '\t')) ++offset;
        std::size_t end = offset;
        while (end < text_.size() && text_[end] >= 'a' && text_[end] <= 'z') ++end;
        const auto keyword = find_keyword(text_.substr(offset, end - offset));
        if (!keyword || (end < text_.size() && is_name_part(read_character(text_, end).code)))
            return false;
        const bool is_name_too = *keyword == Keyword::kinetic || *keyword == Keyword::potential ||
                                 *keyword == Keyword::torque || *keyword == Keyword::friction ||
                                 *keyword == Keyword::contact;
        if (!is_name_too) return true;
        while (end < text_.size() && text_[end] == ' ') ++end;
        if (*keyword == Keyword::friction && end < text_.size() && text_[end] == '(') return false;
        return end < text_.size() &&
               (is_name_part(read_character(text_, end).code) || text_[end] == '(');
    }

    void report_open_bracket() {
        const Token& opening = brackets_.back();
        const bool round = opening.kind == TokenKind::open;
        error(opening.span, fmt::format("this '{}' is not closed", round ? '(' : '['),
              fmt::format("add the missing '{}'", round ? ')' : ']'));
        brackets_.clear();
        push(TokenKind::bad, 0);
    }

    void finish() {
        if (!brackets_.empty()) report_open_bracket();
        gave_up_ = false;
        const auto end = static_cast<std::uint32_t>(text_.size());
        if (last_kind() != TokenKind::newline) end_statement();
        result_.tokens.push_back({{end, end}, TokenKind::end, Role::plain});
    }

    void comment() {
        std::size_t end = std::min(text_.find('\n', at_), text_.size());
        const std::size_t next = end;
        while (text_[end - 1] == '\r' || text_[end - 1] == ' ' || text_[end - 1] == '\t') --end;
        result_.comments.push_back(here(end - at_));
        at_ = next;
    }

    // ---- tokens

    void quoted_text() {
        const std::size_t close = std::min(text_.find_first_of("\"\n", at_ + 1), text_.size());
        if (close == text_.size() || text_[close] == '\n') {
            error(here(1), "the text that opens here is not closed on its line",
                  "add the missing '\"'");
            push(TokenKind::bad, close - at_);
            return;
        }
        const std::size_t begin = at_, length = close + 1 - at_;
        for (std::size_t i = at_ + 1; i < close;) {
            const Character c = read_character(text_, i);
            if (!c.valid || is_control(c.code)) return bad_run(i, begin + length);
            i += c.length;
        }
        push(TokenKind::text, length);
    }

    /// Reports the character at `offset`; the tokens go on at `resume`.
    void bad_run(std::size_t offset, std::size_t resume) {
        const Character c = read_character(text_, offset);
        const Advice advice = advice_on(c, text_.substr(offset, c.length));
        error({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(offset + c.length)},
              advice.message, advice.hint);
        push(TokenKind::bad, resume - at_);
    }

    /// Digits, a point and digits, an exponent; with `0x` before them the digits are those of base
    /// 16 and the exponent one of 2.
    void number() {
        constexpr std::string_view decimal = "0123456789", hexadecimal = "0123456789abcdefABCDEF";
        const auto is_at = [&](std::size_t i, std::string_view set) {
            return i < text_.size() && set.find(text_[i]) != set.npos;
        };
        const bool point_first = is_at(at_ + 2, ".") && is_at(at_ + 3, hexadecimal);
        const bool hex = text_[at_] == '0' && is_at(at_ + 1, "xX") &&
                         (is_at(at_ + 2, hexadecimal) || point_first);
        const std::string_view digits = hex ? hexadecimal : decimal;
        std::size_t end = hex ? at_ + 2 : at_;
        const auto skip = [&](std::string_view set) {
            while (is_at(end, set)) ++end;
        };
        skip(digits);
        if (is_at(end, ".") && !is_at(end + 1, ".")) {
            ++end;
            skip(digits);
        }
        if (is_at(end, hex ? "pP" : "eE")) {
            const std::size_t exponent = end + (is_at(end + 1, "+-") ? 2 : 1);
            if (is_at(exponent, decimal)) {
                end = exponent;
                skip(decimal);
            }
        }
        push(TokenKind::number, end - at_);
    }

    void name() {
        std::size_t end = at_;
        while (end < text_.size()) {
            const Character c = read_character(text_, end);
            if (!c.valid || !is_name_part(c.code)) break;
            end += c.length;
        }
        push(TokenKind::name, end - at_);
    }

    bool sign() {
        const std::string_view rest = text_.substr(at_, 2);
        if (rest == "**") {
            error(here(2), "a power is not written '**'", "write it with '^': x^2");
            push(TokenKind::bad, 2);
            return true;
        }
        if (rest == "&&" || rest == "||") {
            error(here(2), fmt::format("'{}' is not an operator here", rest),
                  rest == "&&" ? "write 'and'" : "write 'or'");
            push(TokenKind::bad, 2);
            return true;
        }
        for (const Sign& known : signs) {
            if (!rest.starts_with(known.text)) continue;
            push(known.kind, known.text.size());
            if (known.kind == TokenKind::open || known.kind == TokenKind::open_index)
                brackets_.push_back(result_.tokens.back());
            if (known.kind == TokenKind::close || known.kind == TokenKind::close_index)
                close_bracket();
            return true;
        }
        return false;
    }

    void close_bracket() {
        Token& closing = result_.tokens.back();
        const char sign = text_[closing.span.begin];
        const char partner = sign == ')' ? '(' : '[';
        if (brackets_.empty()) {
            error(closing.span, fmt::format("this '{}' has no '{}' before it", sign, partner));
            closing.kind = TokenKind::bad;
        } else {
            const char opening = text_[brackets_.back().span.begin];
            if (opening != partner) {
                error(closing.span,
                      fmt::format("this '{}' cannot close the '{}' before it", sign, opening),
                      fmt::format("write '{}'", opening == '(' ? ')' : ']'));
                closing.kind = TokenKind::bad;
            }
            brackets_.pop_back();
        }
    }

    /// A run of them is one error: a binary file should not give thousands.
    void bad_characters() {
        std::size_t end = at_;
        while (end < text_.size()) {
            const Character c = read_character(text_, end);
            const bool hopeless = !c.valid || is_control(c.code) || c.code >= 0x80;
            if (end > at_ && (!hopeless || is_name_start(c.code))) break;
            end += c.length;
        }
        bad_run(at_, end);
    }

    std::string_view text_;
    Diagnostics& diagnostics_;
    Tokens result_;
    std::size_t at_ = 0;
    std::vector<Token> brackets_;  // the open ones
    std::size_t errors_ = 0;
    bool gave_up_ = false;
};

}  // namespace

bool is_comparison(TokenKind kind) {
    return kind >= TokenKind::less && kind <= TokenKind::not_equal;
}

Tokens lex(const SourceText& source, Diagnostics& diagnostics) {
    return Lexer(source, diagnostics).run();
}

}  // namespace lacon::lang
