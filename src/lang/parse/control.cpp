// Parses control statements and their modifiers. A modifier of constraints is refused here, and one
// of controls in a constraint, with a hint where it belongs.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/parse/parser.hpp"

namespace lacon::lang {

namespace {

bool is_control_modifier(std::string_view word) {
    constexpr std::string_view modifiers[] = {"by", "weight", "gain", "limit", "nearest"};
    return std::find(std::begin(modifiers), std::end(modifiers), word) != std::end(modifiers);
}

}  // namespace

/// NAME: LHS = RHS {MODIFIER}; also with >= or <=
ControlStatement Parser::control() {
    ControlStatement result;
    result.target = declared_target("a control");
    if (kind() != TokenKind::colon)
        fail(syntax_.span(result.target.tokens),
             "a control needs a name and a colon before its equation",
             "write control track: x = sin(t) by x");
    take();
    result.sense = sides(result.left, result.right, true);
    std::set<std::string_view> given;
    while (is_control_modifier(word())) {
        if (!given.insert(word()).second)
            fail(now().span, fmt::format("'{}' appears here twice", word()));
        control_modifier(result);
    }
    refuse_constraint_modifier();
    if (word() == "along" && value_follows())
        fail(now().span, "'along' gives the direction of an actuator and follows 'by'",
             "write by along VECTOR");
    return result;
}

/// by ITEM, …; weight EXPR, …; gain A [B]; limit LO..HI, …; nearest
void Parser::control_modifier(ControlStatement& control) {
    if (word() == "gain") return gain(control);
    if (accept_word("nearest")) {
        control.nearest = true;
    } else if (accept_word("by")) {
        do control.by.push_back(actuator_item());
        while (accept(TokenKind::comma));
    } else if (accept_word("weight")) {
        do control.weights.push_back(sum());
        while (accept(TokenKind::comma));
    } else if (accept_word("limit")) {
        do {
            const auto [low, high] = range("the limits of an effort, as in -1..1,");
            control.limits.push_back({low, high});
        } while (accept(TokenKind::comma));
    }
}

/// Whether a value stands behind the word here; a sign before it counts.
bool Parser::value_follows() const {
    return starts_operand(at_ + 1) || next_kind() == TokenKind::minus ||
           next_kind() == TokenKind::plus;
}

/// gain A [B]: two values side by side, as of `stabilize`.
void Parser::gain(ControlStatement& control) {
    take(Role::word);
    spaced_calls_ = false;
    control.damping = sum();
    const bool modifier_follows =
        word() == "nearest" || (is_control_modifier(word()) && value_follows());
    if (starts_operand(at_) && !modifier_follows) control.stiffness = sum();
    spaced_calls_ = true;
    if (kind() == TokenKind::comma)
        fail(now().span,
             "the gains of a control are one or two values side by side, the same for all its rows",
             "write gain A B, without a comma");
}

/// [LABEL =] EXPR [along VECTOR]; [LABEL =] along VECTOR; NAME[A..B]. `along` is a name where no
/// value follows.
ActuatorItem Parser::actuator_item() {
    ActuatorItem item;
    if (is_named()) {
        item.label = declared_target("an actuator");
        take();
    }
    const TokenId begin = at_;
    if (is_range_of_members()) {
        item.range = target("a family");
        if (item.label.name != none)
            fail(syntax_.span(item.label.tokens), "several actuators cannot share a name",
                 "remove it: members have their own names");
        if (item.range.primes > 0)
            fail(syntax_.span(item.range.tokens), "a range of members cannot have a prime");
    } else if (word() != "along" || !value_follows()) {
        item.value = sum();
    }
    item.value_tokens = {begin, at_};
    if (accept_word("along")) {
        const TokenId vector = at_;
        item.along = sum();
        item.along_tokens = {vector, at_};
    }
    item.tokens = {begin, at_};
    return item;
}

/// Whether `NAME[…..…]` stands here.
bool Parser::is_range_of_members() const {
    if (kind() != TokenKind::name || next_kind() != TokenKind::open_index) return false;
    int depth = 0;
    for (TokenId i = at_ + 1; syntax_.tokens[i].kind < TokenKind::bad; ++i) {
        const TokenKind kind = syntax_.tokens[i].kind;
        if (kind == TokenKind::open_index) ++depth;
        if (kind == TokenKind::close_index && --depth == 0) return false;
        if (kind == TokenKind::range) return depth == 1;
    }
    return false;
}

void Parser::refuse_constraint_modifier() {
    if (word() == "stabilize")
        fail(now().span,
             "'stabilize' belongs to constraints; the gain of a control has this effect",
             "write gain A B");
    if (word() == "friction" || word() == "restitution")
        fail(now().span,
             fmt::format("'{}' belongs to constraints: a control is not a contact", word()),
             "write a constraint for a law that the mechanism itself obeys");
}

/// Such a word may also be a name, with an operator missing before it.
void Parser::refuse_control_modifier() {
    if (word() == "weight" || !is_control_modifier(word()) ||
        (word() != "nearest" && !value_follows()))
        return;
    fail(now().span,
         fmt::format(
             "'{}' belongs to controls: a constraint force is as large as the constraint needs",
             word()),
         word() == "gain" ? "write 'control' for a requirement that efforts meet, or 'stabilize' "
                            "instead of 'gain'"
                          : "write 'control' for a requirement that efforts meet");
}

}  // namespace lacon::lang
