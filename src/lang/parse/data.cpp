// Parses `data` statements, and recognizes slopes of data such as `ground'(x)`.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "lang/parse/parser.hpp"

namespace lacon::lang {

/// NAME = "file" [column C] [against C] [natural | monotone] [beyond refuse | hold | zero | repeat]
DataStatement Parser::data() {
    DataStatement result;
    result.target = declared_target("data");
    refuse_built_in(result.target, "data");
    if (!result.target.indices.empty())
        fail(syntax_.span(result.target.tokens), "data cannot be a member of a family");
    if (kind() == TokenKind::open)
        fail(now().span, "data is declared without an argument",
             "write data ground = \"file.csv\", and ground(t) where it is used");
    expect(TokenKind::assign, "'=' with the name of a file");
    if (kind() != TokenKind::text) fail_expecting("the name of a file, a text in quotes,");
    result.file = take();
    while (kind() == TokenKind::name) {
        if (result.column == none && accept_word("column")) result.column = data_column();
        else if (result.against == none && accept_word("against")) result.against = data_column();
        else if (result.form == none && (word() == "natural" || word() == "monotone"))
            result.form = take(Role::word);
        else if (result.beyond == none && accept_word("beyond")) result.beyond = data_beyond();
        else break;
    }
    return result;
}

TokenId Parser::data_column() {
    if (kind() != TokenKind::text && kind() != TokenKind::number)
        fail_expecting("a column, by its number or by its name in quotes,");
    return take();
}

TokenId Parser::data_beyond() {
    static const std::vector<std::string> ways = {"refuse", "hold", "zero", "repeat"};
    if (kind() == TokenKind::name && std::find(ways.begin(), ways.end(), word()) == ways.end()) {
        const auto near = nearest_name(word(), ways);
        fail(now().span, fmt::format("data cannot '{}' beyond its ends", word()),
             near ? fmt::format("did you mean '{}'?", *near)
                  : "write 'refuse', 'hold', 'zero' or 'repeat'");
    }
    if (kind() != TokenKind::name) fail_expecting("'refuse', 'hold', 'zero' or 'repeat'");
    return take(Role::word);
}

/// Behind a name and its primes: `ground'(x)`, the derivative of data by its argument.
bool Parser::is_slope_call(NodeId node) const {
    const Node& primed = syntax_.nodes[node];
    if (primed.kind != NodeKind::prime ||
        syntax_.nodes[syntax_.child(primed, 0)].kind != NodeKind::name)
        return false;
    return kind() == TokenKind::open && now().span.begin == syntax_.tokens[at_ - 1].span.end;
}

}  // namespace lacon::lang
