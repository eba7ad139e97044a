// Reads what a model imports before the model itself is parsed, and puts its tokens in place.
#include "lang/parse/imports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "lang/parse/parser.hpp"

namespace lacon::lang {

namespace {

/// Names whose start state the model gives: the file's own gives way.
std::set<std::string, std::less<>> started_names(const Syntax& syntax) {
    std::set<std::string, std::less<>> names;
    for (const Statement& statement : syntax.statements)
        if (const auto* start = std::get_if<StartStatement>(&statement.content))
            for (const AssignedItem& item : start->items)
                names.insert(std::string(syntax.names[item.target.name]) +
                             std::string(static_cast<std::size_t>(item.target.primes), '\''));
    return names;
}

}  // namespace

/// "file" [as NAME] [fixed | floating]
ImportStatement Parser::import() {
    ImportStatement result;
    if (kind() != TokenKind::text) fail_expecting("the name of a robot file, a text in quotes,");
    result.file = take();
    for (bool more = true; more;) {
        if (result.name == none && accept_word("as")) {
            result.name = declared_name("what is imported");
        } else if (result.root == none && (word() == "fixed" || word() == "floating")) {
            result.root = take(Role::word);
        } else {
            more = false;
        }
    }
    return result;
}

Imports::Imports(const SourceText& source, Diagnostics& diagnostics) : source_(source) {
    if (source.text().find("import") == std::string_view::npos) return;
    Diagnostics unused;
    const Syntax first = Parser(source, unused).parse_statements();
    const auto is = [&]<class Content>(const Statement& statement, const Content*) {
        return std::holds_alternative<Content>(statement.content);
    };
    bool gravity = std::none_of(
        first.statements.begin(), first.statements.end(), [&](const Statement& statement) {
            return is(statement, static_cast<const GravityStatement*>(nullptr));
        });
    text_ = std::string(source.text()) + "\n";
    for (const Statement& statement : first.statements) {
        if (!is(statement, static_cast<const ImportStatement*>(nullptr))) continue;
        read(first, statement, gravity, diagnostics);
        gravity = false;
    }
    if (!pieces_.empty()) whole_ = SourceText(source.name(), std::move(text_));
}

void Imports::read(const Syntax& first, const Statement& statement, bool gravity,
                   Diagnostics& diagnostics) {
    const auto& import = std::get<ImportStatement>(statement.content);
    const std::filesystem::path folder = std::filesystem::path(source_.name()).parent_path();
    const auto started = started_names(first);
    ImportOptions options;
    if (import.name != none) options.name = first.text(import.name);
    if (import.root != none)
        options.root = first.text(import.root) == "fixed" ? RobotRoot::fixed : RobotRoot::floating;
    options.gravity = gravity;
    options.is_reserved = is_reserved;
    options.has_start = [&](std::string_view name) { return started.contains(name); };
    const std::size_t errors = diagnostics.error_count();
    ImportedText imported;
    try {
        imported = import_robot(folder / first.unquoted(import.file), folder, options, diagnostics);
    } catch (const std::runtime_error& problem) {
        diagnostics.error(first.tokens[import.file].span, problem.what());
    }
    failed_ = failed_ || diagnostics.error_count() > errors;
    const auto begin = static_cast<std::uint32_t>(text_.size());
    for (MadeFrom& origin : imported.origins) {
        origin.made.begin += begin;
        origin.made.end += begin;
    }
    diagnostics.add_origins(imported.origins);
    text_ += imported.text;
    pieces_.push_back(
        {statement.tokens.end, begin, SourceText(source_.name(), std::move(imported.text))});
}

Syntax Imports::parse(Diagnostics& diagnostics) const {
    if (pieces_.empty()) return Parser(source_, diagnostics).parse_statements();
    Tokens own = lex(source_, diagnostics), all;
    all.comments = std::move(own.comments);
    TokenId at = 0;
    const auto take_until = [&](TokenId end) {
        all.tokens.insert(all.tokens.end(), own.tokens.begin() + at, own.tokens.begin() + end);
        at = end;
    };
    for (const Piece& piece : pieces_) {
        take_until(piece.after + 1);
        Diagnostics of_piece;  // it is written without faults; what there is must not get lost
        Tokens inner = lex(piece.text, of_piece);
        for (const Diagnostic& d : of_piece.all())
            diagnostics.error({piece.begin + d.span.begin, piece.begin + d.span.end}, d.message,
                              d.hint);
        for (Token& token : inner.tokens) {
            token.span.begin += piece.begin;
            token.span.end += piece.begin;
            if (token.kind != TokenKind::end) all.tokens.push_back(token);
        }
    }
    take_until(static_cast<TokenId>(own.tokens.size()));
    return Parser(whole_, std::move(all), diagnostics).parse_statements();
}

}  // namespace lacon::lang
