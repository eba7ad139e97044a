// Parses each kind of statement but constraints, controls and data. Explains the usual slips, such
// as a line without a keyword.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "lang/parse/parser.hpp"
#include "lang/text/characters.hpp"

namespace lacon::lang {

namespace {

/// The words that may follow in a statement, to find slips of them.
std::vector<std::string> modifiers_of(Keyword keyword) {
    switch (keyword) {
        case Keyword::param: return {"in", "for"};
        case Keyword::data: return {"column", "against", "natural", "monotone", "beyond"};
        case Keyword::particle: return {"at", "mass", "for"};
        case Keyword::constraint:
            return {"restitution", "friction", "static", "slip", "stabilize", "weight", "for"};
        case Keyword::control: return {"by", "along", "weight", "gain", "limit", "nearest", "for"};
        case Keyword::event: return {"rising", "falling", "stop", "for"};
        case Keyword::friction: return {"static", "for"};
        case Keyword::simulate: return {"every", "tolerance", "method", "impacts"};
        case Keyword::import: return {"as", "fixed", "floating"};
        case Keyword::body:
            return {"planar", "mass", "inertia", "center", "density", "shape", "for"};
        case Keyword::contact:
            return {"with", "restitution", "friction", "static", "points", "for"};
        case Keyword::joint:
            return {"at",          "axis",    "turned",    "pitch", "range",
                    "restitution", "damping", "stiffness", "rest",  "armature",
                    "friction",    "mimic",   "motor",     "ratio", "offset",
                    "radius",      "length",  "by",        "for"};
        case Keyword::draw:
            return {"trail", "line", "circle", "point", "spring", "arrow",
                    "text",  "to",   "radius", "color", "at",     "for"};
        default: return {"for"};
    }
}

}  // namespace

/// KEYWORD … {for …} NEWLINE
void Parser::statement() {
    const TokenId begin = at_;
    const auto keyword = find_keyword(word());
    if (!keyword) fail_without_keyword();
    take(Role::word);
    Statement result;
    switch (*keyword) {
        case Keyword::model: result.content = title(); break;
        case Keyword::param: result.content = param(); break;
        case Keyword::coord: result.content = coord(); break;
        case Keyword::let: result.content = let(); break;
        case Keyword::data: result.content = data(); break;
        case Keyword::particle: result.content = particle(); break;
        case Keyword::gravity: result.content = GravityStatement{sum()}; break;
        case Keyword::kinetic:
        case Keyword::potential:
        case Keyword::dissipation: result.content = EnergyStatement{*keyword, sum()}; break;
        case Keyword::force:
            result.content = ForceStatement{assigned_items("a coordinate or particle", false)};
            break;
        case Keyword::equation: result.content = equation(); break;
        case Keyword::constraint: result.content = constraint(); break;
        case Keyword::control: result.content = control(); break;
        case Keyword::nonideal:
            result.content = NonidealStatement{assigned_items("a coordinate or particle", false)};
            break;
        case Keyword::friction: result.content = dry_friction(); break;
        case Keyword::start:
            result.content = StartStatement{assigned_items("a coordinate", true)};
            break;
        case Keyword::simulate: result.content = simulate(); break;
        case Keyword::event: result.content = event(); break;
        case Keyword::output: result.content = output(); break;
        case Keyword::draw: result.content = draw(); break;
        case Keyword::import: result.content = import(); break;
        case Keyword::body: result.content = body(); break;
        case Keyword::joint: result.content = joint(); break;
        case Keyword::contact: result.content = contact(); break;
        case Keyword::torque:
            result.content = TorqueStatement{assigned_items("a body", false)};
            break;
        default: break;
    }
    const TokenId clauses = at_;
    result.loops = for_clauses();
    if (kind() != TokenKind::newline) {
        refuse_near_modifier(modifiers_of(*keyword));
        fail_after_operand("the end of the statement");
    }
    const bool repeats = *keyword != Keyword::data && *keyword != Keyword::model &&
                         *keyword != Keyword::gravity && *keyword != Keyword::simulate &&
                         *keyword != Keyword::import;
    if (!result.loops.loops.empty() && !repeats)
        fail(syntax_.tokens[clauses].span,
             *keyword == Keyword::import
                 ? std::string("'import' cannot be repeated")
                 : fmt::format("'{}' applies to the whole model and cannot be repeated",
                               spelling(*keyword)));
    result.tokens = {begin, at_};
    syntax_.statements.push_back(std::move(result));
}

/// The slips that leave a line without its keyword.
void Parser::fail_without_keyword() {
    if (kind() == TokenKind::bad) throw Failure{};
    const std::string_view first = word();
    if (first.empty() || first == "for") {
        fail(now().span, fmt::format("a statement begins with a keyword, but {}", describe(at_)),
             "if this belongs to the line before, end that line with an operator or a comma, or "
             "open a bracket");
    }
    TokenId sign = at_ + 1;  // the first one behind a name, its index and its primes
    const auto is_target_part = [&](TokenKind kind) {
        return kind < TokenKind::assign && kind != TokenKind::colon && kind != TokenKind::text;
    };
    while (sign < at_ + 20 && is_target_part(syntax_.tokens[sign].kind)) ++sign;
    const bool assignment = syntax_.tokens[sign].kind == TokenKind::assign ||
                            syntax_.tokens[sign].kind == TokenKind::guess;
    if (assignment) {
        const std::string_view shown = syntax_.source->text(syntax_.span(TokenRange{at_, sign}));
        fail(now().span, fmt::format("this line gives '{}' a value, but has no keyword", shown),
             shown.ends_with("'")
                 ? fmt::format("write 'start {} = ...' for the initial state", shown)
                 : fmt::format("write 'let {0} = ...' for a name, 'param {0} = ...' for a "
                               "constant, 'start {0} "
                               "= ...' for the initial state",
                               shown));
    }
    if (const auto near = nearest_name(first, keyword_names()))
        fail(now().span, fmt::format("there is no statement '{}'", shortened(first)),
             fmt::format("did you mean '{}'?", *near));
    if (next_kind() == TokenKind::colon)
        fail(now().span, fmt::format("there is no statement '{}'", shortened(first)),
             fmt::format("write 'constraint {}: ...' for a constraint", shortened(first)));
    fail(now().span, fmt::format("there is no statement '{}'", shortened(first)),
         "statements begin with words such as 'param', 'coord', 'let', 'particle', 'constraint' or "
         "'start'");
}

/// Keeps the names that a statement which could not be read would have declared: the first one, and
/// those after a comma.
void Parser::broken_statement(TokenId begin) {
    skip_statement();
    BrokenStatement broken;
    const auto is_declaring = [](std::string_view keyword) {
        const std::string_view declaring[] = {"param",      "coord",   "let",  "data",  "particle",
                                              "constraint", "control", "body", "joint", "event"};
        return std::find(std::begin(declaring), std::end(declaring), keyword) !=
               std::end(declaring);
    };
    if (syntax_.tokens[begin].kind == TokenKind::name && is_declaring(syntax_.text(begin))) {
        for (TokenId i = begin + 1; i < at_; ++i) {
            const bool leads = i == begin + 1 || syntax_.tokens[i - 1].kind == TokenKind::comma ||
                               syntax_.text(begin) == "coord";
            if (leads && syntax_.tokens[i].kind == TokenKind::name && !is_reserved(syntax_.text(i)))
                broken.names.push_back(intern(i));
        }
    }
    syntax_.statements.push_back({std::move(broken), {}, {begin, at_}});
}

TitleStatement Parser::title() {
    if (kind() == TokenKind::name)
        fail(now().span, "the title is a text in quotes",
             fmt::format("write model \"{}\"", shortened(syntax_.text(at_))));
    return {expect(TokenKind::text, "the title, a text in quotes,")};
}

/// NAME = EXPR [in LO..HI] ["text"], …
ParamStatement Parser::param() {
    ParamStatement result;
    do {
        ParamItem item;
        item.target = declared_target("a parameter");
        if (kind() == TokenKind::open)
            fail(now().span, "a parameter cannot have arguments", "declare a function with 'let'");
        expect(TokenKind::assign, "'=' with the parameter's value");
        item.value = sum();
        if (accept_word("in"))
            std::tie(item.low, item.high) = range("the parameter's range, as in 0..1,");
        if (kind() == TokenKind::text) item.text = take();
        result.items.push_back(std::move(item));
    } while (accept(TokenKind::comma));
    return result;
}

/// NAME, …; NAME[A..B, C..D], …
CoordStatement Parser::coord() {
    CoordStatement result;
    do {
        result.targets.push_back(target("a coordinate"));
        no_primes(result.targets.back(), "a coordinate");
        if (kind() == TokenKind::assign)
            fail(now().span, "a coordinate has no value of its own",
                 fmt::format("give its initial value with 'start {} = ...'",
                             syntax_.text(result.targets.back().tokens.begin)));
        if (kind() == TokenKind::name && word() != "for")
            fail(now().span, fmt::format("a comma is missing before '{}'", shortened(word())),
                 "write coord x, y, z");
    } while (accept(TokenKind::comma));
    return result;
}

/// NAME = EXPR; NAME(ARGUMENT, …) = EXPR
LetStatement Parser::let() {
    LetStatement result;
    do {
        LetItem item;
        item.target = declared_target("an expression");
        if (kind() == TokenKind::open) {
            item.is_function = true;
            refuse_built_in(item.target, "a function");
            if (!item.target.indices.empty())
                fail(syntax_.span(item.target.tokens), "a function cannot be a member of a family");
            take(Role::tight);
            do {
                item.arguments.push_back(intern(declared_name("an argument")));
                const auto before_last = item.arguments.end() - 1;
                if (std::find(item.arguments.begin(), before_last, *before_last) != before_last)
                    fail(
                        syntax_.tokens[at_ - 1].span,
                        fmt::format("the argument '{}' appears here twice", syntax_.text(at_ - 1)));
            } while (accept(TokenKind::comma));
            expect(TokenKind::close, "')' or a comma");
        }
        if (kind() == TokenKind::equal)
            fail(now().span, "a name is given its value with a single '='",
                 "write '=' instead of '=='");
        expect(TokenKind::assign, "'=' with an expression");
        item.value = sum();
        result.items.push_back(std::move(item));
    } while (accept(TokenKind::comma));
    return result;
}

/// NAME at VECTOR mass EXPR, the two in either order
ParticleStatement Parser::particle() {
    ParticleStatement result;
    if (word() == "at" && next_kind() == TokenKind::open)
        fail(now().span, "the particle has no name", "write particle NAME at (x, y) mass 1");
    result.target = declared_target("a particle");
    while (true) {
        if (result.position == none && accept_word("at")) result.position = sum();
        else if (result.mass == none && accept_word("mass")) result.mass = sum();
        else break;
    }
    if (result.position == none || result.mass == none)
        refuse_near_modifier(modifiers_of(Keyword::particle));
    if (result.position == none) fail_after_operand("'at' with the particle's position");
    if (result.mass == none) fail_after_operand("'mass' with the particle's mass");
    return result;
}

EquationStatement Parser::equation() {
    EquationStatement result;
    result.target = declared_target("a coordinate");
    expect(TokenKind::colon, "':' with the equation");
    sides(result.left, result.right, false);
    return result;
}

/// NAME: EXPR [stop]; NAME: LHS = RHS [stop]
EventStatement Parser::event() {
    EventStatement result;
    result.target = declared_target("an event");
    if (kind() != TokenKind::colon)
        fail(syntax_.span(result.target.tokens),
             "an event needs a name and a colon before its value", "write event landing: y = 0");
    take();
    const auto refuse_comparison = [&] {
        if (is_comparison(kind()))
            fail(now().span, "an event is not a condition: it happens where a value crosses zero",
                 "write '=' between the two sides");
    };
    result.left = sum();
    refuse_comparison();
    if (accept(TokenKind::assign)) {
        result.right = sum();
        refuse_comparison();
        if (kind() == TokenKind::assign)
            fail(now().span, "an equation has one '='", "write two events");
    }
    for (bool more = true; more;) {
        if (result.direction == 0 && accept_word("rising")) result.direction = 1;
        else if (result.direction == 0 && accept_word("falling")) result.direction = -1;
        else if (!result.stop && accept_word("stop")) result.stop = true;
        else more = false;
    }
    if (word() == "rising" || word() == "falling")
        fail(now().span, "an event has one direction", "remove 'rising' and 'falling' for both");
    return result;
}

/// A..B [every DT] [tolerance TOL] [method NAME] [impacts LAW]
SimulateStatement Parser::simulate() {
    SimulateStatement result;
    std::tie(result.begin, result.end) = range("the time span, as in 0..10,");
    while (kind() == TokenKind::name) {
        if (result.every == none && accept_word("every")) result.every = sum();
        else if (result.tolerance == none && accept_word("tolerance")) result.tolerance = sum();
        else if (result.method == none && accept_word("method"))
            result.method = chosen_name("the method's name");
        else if (result.impacts == none && accept_word("impacts"))
            result.impacts = chosen_name("the name of the impact law");
        else break;
    }
    if (kind() == TokenKind::name && word() != "for") fail_in_simulate();
    return result;
}

/// One of several names that are known beforehand, also in quotes.
TokenId Parser::chosen_name(std::string_view what) {
    return kind() == TokenKind::text ? take() : expect(TokenKind::name, what);
}

void Parser::fail_in_simulate() {
    const std::vector<std::string> modifiers = modifiers_of(Keyword::simulate);
    if (std::find(modifiers.begin(), modifiers.end(), word()) != modifiers.end())
        fail(now().span, fmt::format("'{}' appears here twice", word()));
    refuse_near_modifier(modifiers);
    fail(now().span, fmt::format("'{}' is not allowed here", shortened(word())),
         "'every DT', 'tolerance TOL', 'method NAME' and 'impacts LAW' may follow; a product is "
         "written with '*'");
}

/// [NAME =] EXPR, …
OutputStatement Parser::output() {
    OutputStatement result;
    do {
        OutputItem item;
        if (is_named()) {
            item.name = declared_target("an output");
            take();
        }
        const TokenId begin = at_;
        patterns_ = true;
        item.value = sum();
        patterns_ = false;
        item.tokens = {begin, at_};
        if (kind() == TokenKind::equal)
            fail(now().span, "an output is named with a single '='", "write '=' instead of '=='");
        result.items.push_back(std::move(item));
    } while (accept(TokenKind::comma));
    return result;
}

DrawStatement Parser::draw() {
    DrawStatement result;
    do result.items.push_back(draw_item());
    while (accept(TokenKind::comma));
    return result;
}

/// NAME [trail]; point V [trail]; line A to B {to C}; spring A to B; arrow A to B; circle C radius
/// R; text "LABEL" at V; each with [color "NAME"]. `line` and its like are names where no operand
/// follows.
DrawItem Parser::draw_item() {
    DrawItem item;
    const bool operand_follows =
        starts_operand(at_ + 1) && next_word() != "trail" && next_word() != "color";
    const auto vector = [&] {
        const TokenId begin = at_;
        patterns_ = true;
        item.first = sum();
        patterns_ = false;
        item.tokens = {begin, at_};
    };
    const auto ends_at = [&](Drawing::Kind kind, const char* end) {
        item.kind = kind;
        vector();
        expect_word("to", end);
        item.others.push_back(sum());
    };
    if (word() == "text" && next_kind() == TokenKind::text) {
        take(Role::word);
        item.kind = Drawing::Kind::text;
        item.label = take();
        expect_word("at", "the place of the text");
        vector();
    } else if (operand_follows && accept_word("line")) {
        ends_at(Drawing::Kind::line, "the line's end");
        while (accept_word("to")) item.others.push_back(sum());
    } else if (operand_follows && accept_word("spring")) {
        ends_at(Drawing::Kind::spring, "the spring's end");
    } else if (operand_follows && accept_word("arrow")) {
        ends_at(Drawing::Kind::arrow, "the arrow's tip");
    } else if (operand_follows && accept_word("circle")) {
        item.kind = Drawing::Kind::circle;
        vector();
        expect_word("radius", "the circle's radius");
        item.others.push_back(sum());
    } else {
        if (operand_follows) accept_word("point");
        vector();
        item.trail = accept_word("trail");
    }
    if (accept_word("color")) {
        if (kind() != TokenKind::text)
            fail(now().span, "a color is a text in quotes", "write color \"red\"");
        item.color = take();
    }
    return item;
}

}  // namespace lacon::lang
