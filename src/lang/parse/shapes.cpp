// Parses shapes of bodies and the contacts between them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "lang/parse/parser.hpp"
#include "shape/shape.hpp"

namespace lacon::lang {

/// shape SHAPE {, SHAPE}
void Parser::shape_clauses(std::vector<ShapeClause>& shapes) {
    do shapes.push_back(shape_clause());
    while (accept(TokenKind::comma));
}

/// KIND SIZES [scale S] [at VECTOR] [turned ROTATION] [drawn]
ShapeClause Parser::shape_clause() {
    ShapeClause result;
    const TokenId begin = at_;
    result.kind = shape_kind();
    const shape::KindFacts& facts = shape::facts_of(*shape::kind_named(syntax_.text(result.kind)));
    take(Role::word);
    if (facts.name == "mesh") {
        if (kind() != TokenKind::text)
            fail(now().span, "a mesh needs the name of its file, a text in quotes",
                 "write shape mesh \"hull.stl\"");
        result.file = take();
    } else if (facts.sizes > 0) {
        if (!starts_operand(at_))
            fail(now().span, fmt::format("the sizes of a {} are missing", facts.name),
                 fmt::format("write {}", facts.form));
        result.sizes.push_back(sum());
        if (facts.sizes == 2 && !facts.planar) {
            if (!accept(TokenKind::comma))
                fail(now().span, fmt::format("the length of a {} is missing", facts.name),
                     fmt::format("write {}", facts.form));
            result.sizes.push_back(sum());
        }
    }
    for (bool more = true; more;) {
        if (result.at == none && accept_word("at")) result.at = sum();
        else if (result.turned == none && accept_word("turned")) result.turned = sum();
        else if (!result.drawn && accept_word("drawn")) result.drawn = true;
        else if (result.file != none && result.scale == none && accept_word("scale"))
            result.scale = sum();
        else more = false;
    }
    if (word() == "scale")
        fail(now().span, result.file == none ? "only a mesh has a scale" : "'scale' appears twice",
             result.file == none ? "other shapes have sizes" : "");
    result.tokens = {begin, at_};
    return result;
}

/// The word behind `shape`.
TokenId Parser::shape_kind() {
    std::vector<std::string> kinds = shape::kind_names(false);
    for (std::string& name : shape::kind_names(true)) kinds.push_back(std::move(name));
    if (kind() != TokenKind::name) fail_expecting("the kind of shape, such as 'sphere',");
    if (shape::kind_named(word())) return at_;
    const auto near = nearest_name(word(), kinds);
    fail(now().span, fmt::format("there is no shape '{}'", word()),
         near ? fmt::format("did you mean '{}'?", *near)
              : fmt::format("the shapes are {}", quoted_list(kinds, kinds.size())));
}

/// [NAME:] A with B {restitution E | friction MU [static MUS] | points N}
ContactStatement Parser::contact() {
    ContactStatement result;
    result.first = declared_target("a body");
    if (kind() == TokenKind::colon) {
        take();
        result.target = std::move(result.first);
        result.first = declared_target("a body");
    }
    expect_word("with", "the other body");
    result.second = declared_target("a body");
    if (result.target.name == none) name_by_bodies(result);
    std::set<std::string_view> given;
    while (kind() == TokenKind::name && word() != "for") {
        if (!given.insert(word()).second)
            fail(now().span, fmt::format("'{}' appears here twice", word()));
        if (accept_word("restitution")) result.restitution = sum();
        else if (accept_word("points")) result.points = sum();
        else if (word() == "friction") contact_friction(result);
        else break;
    }
    return result;
}

void Parser::contact_friction(ContactStatement& contact) {
    contact.friction = friction();
    const TokenId extra = contact.friction.slip != none ? contact.friction.slip_word
                          : contact.friction.particle.name != none
                              ? contact.friction.particle.tokens.begin
                              : none;
    if (extra != none)
        fail(syntax_.tokens[extra].span, "the velocity of sliding follows from the bodies",
             "the form is friction MU [static MUS]");
}

/// `contact crate[i] with ground` is `crate_on_ground[i]`: the indices of the first body, then
/// those of the second.
void Parser::name_by_bodies(ContactStatement& contact) {
    Target& target = contact.target;
    const std::string ending = fmt::format("_on_{}", syntax_.names[contact.second.name]);
    make_name(contact.first.name, ending);
    target.name = syntax_.made_name(contact.first.name, ending);
    target.tokens = {contact.first.tokens.begin, contact.second.tokens.end};
    target.indices = contact.first.indices;
    target.indices.insert(target.indices.end(), contact.second.indices.begin(),
                          contact.second.indices.end());
    constexpr std::size_t most_indices = 4;
    if (target.indices.size() > most_indices)
        fail(syntax_.span(target.tokens), "a contact of these bodies would have too many indices",
             "give it a name of its own: contact NAME[i]: A with B");
}

}  // namespace lacon::lang
