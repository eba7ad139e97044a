// Decides between any two tokens whether a space belongs there, by their kinds and the roles that
// the parser gave them. Line breaks and comments of the text are kept.
#include "lang/parse/format.hpp"

#include <algorithm>

#include "lang/text/characters.hpp"

namespace lacon::lang {

namespace {

/// Whether two neighbouring tokens of a line have a space between them.
bool spaced(const Token& left, const Token& right) {
    if (right.role == Role::tight || left.kind == TokenKind::open ||
        left.kind == TokenKind::open_index)
        return false;
    if (left.role == Role::word || right.role == Role::word) {
        const bool closes = right.kind == TokenKind::close ||
                            right.kind == TokenKind::close_index || right.kind == TokenKind::comma;
        return !closes && left.kind != TokenKind::open;
    }
    switch (right.kind) {
        case TokenKind::close:
        case TokenKind::close_index:
        case TokenKind::comma:
        case TokenKind::colon:
        case TokenKind::prime:
        case TokenKind::dot:
        case TokenKind::range:
        case TokenKind::times:
        case TokenKind::divide:
        case TokenKind::power: return false;
        default: break;
    }
    if (left.role == Role::prefix || left.role == Role::tight) return false;
    switch (left.kind) {
        case TokenKind::dot:
        case TokenKind::range:
        case TokenKind::times:
        case TokenKind::divide:
        case TokenKind::power: return false;
        default: return true;
    }
}

/// `# text` for `#text`; rulers and `#!` stay.
std::string comment_text(std::string_view comment) {
    if (comment.size() < 2) return std::string(comment);
    const Character next = read_character(comment, 1);
    const bool is_prose = next.valid && (is_name_part(next.code) || next.code == '(' ||
                                         next.code == '"' || next.code >= 0x80);
    return is_prose ? "# " + std::string(comment.substr(1)) : std::string(comment);
}

/// Writes tokens and comments in the order of the text, keeping its line breaks.
class Formatter {
public:
    explicit Formatter(const Syntax& syntax) : syntax_(syntax), text_(syntax.source->text()) {}

    std::string run() {
        std::size_t comment = 0;
        for (const Token& token : syntax_.tokens) {
            while (comment < syntax_.comments.size() &&
                   syntax_.comments[comment].begin < token.span.begin)
                write_comment(syntax_.comments[comment++]);
            if (token.kind == TokenKind::newline) in_statement_ = false;
            else if (token.kind != TokenKind::end) write_token(token);
        }
        while (comment < syntax_.comments.size()) write_comment(syntax_.comments[comment++]);
        if (!result_.empty()) result_ += '\n';
        return std::move(result_);
    }

private:
    /// Breaks the line as the text does before `offset`; says whether a new line was begun.
    bool break_line(std::uint32_t offset) {
        const std::string_view between = text_.substr(end_, offset - end_);
        const auto breaks = std::count(between.begin(), between.end(), '\n');
        end_ = offset;
        if (result_.empty()) return true;
        if (breaks == 0) return false;
        result_ += breaks > 1 ? "\n\n" : "\n";
        if (in_statement_) result_ += "    ";
        return true;
    }

    void write_token(const Token& token) {
        const bool fresh = break_line(token.span.begin);
        if (!fresh && in_statement_ && spaced(last_, token)) result_ += ' ';
        result_ += syntax_.source->text(token.span);
        end_ = token.span.end;
        last_ = token;
        in_statement_ = true;
    }

    void write_comment(Span span) {
        if (!break_line(span.begin)) result_ += "  ";
        result_ += comment_text(syntax_.source->text(span));
        end_ = span.end;
    }

    const Syntax& syntax_;
    std::string_view text_;
    std::string result_;
    std::uint32_t end_ = 0;  // of what is written, in the text
    Token last_;
    bool in_statement_ = false;
};

}  // namespace

std::string canonical_text(const Syntax& syntax, TokenRange range,
                           std::span<const Replacement> replacements) {
    std::string text;
    std::size_t next = 0;
    for (TokenId i = range.begin; i < range.end; ++i) {
        if (i > range.begin && spaced(syntax.tokens[i - 1], syntax.tokens[i])) text += ' ';
        if (next < replacements.size() && replacements[next].tokens.begin == i) {
            text += replacements[next].text;
            i = replacements[next++].tokens.end - 1;
        } else {
            text += syntax.text(i);
        }
    }
    return text;
}

std::string formatted(const Syntax& syntax) {
    return Formatter(syntax).run();
}

}  // namespace lacon::lang
