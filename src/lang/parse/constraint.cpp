// Parses constraint statements and their modifiers.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/parse/parser.hpp"

namespace lacon::lang {

namespace {

/// `static`, `on` and `slip` are parts of `friction`; elsewhere they are refused with a word on
/// where they belong.
bool is_modifier(std::string_view word) {
    constexpr std::string_view modifiers[] = {"restitution", "friction",  "static", "on",
                                              "slip",        "stabilize", "weight"};
    return std::find(std::begin(modifiers), std::end(modifiers), word) != std::end(modifiers);
}

}  // namespace

/// NAME: LHS = RHS {MODIFIER}; also with >= or <=
ConstraintStatement Parser::constraint() {
    ConstraintStatement result;
    result.target = declared_target("a constraint");
    if (kind() != TokenKind::colon)
        fail(syntax_.span(result.target.tokens),
             "a constraint needs a name and a colon before its equation",
             "write constraint wire: z = x^2 + y^2");
    take();
    result.sense = sides(result.left, result.right, true);
    std::set<std::string_view> given;
    while (is_modifier(word())) {
        if (!given.insert(word()).second)
            fail(now().span, fmt::format("'{}' appears here twice", word()));
        constraint_modifier(result);
    }
    refuse_control_modifier();
    return result;
}

void Parser::constraint_modifier(ConstraintStatement& constraint) {
    if (word() == "restitution") return restitution(constraint);
    if (word() == "stabilize") return stabilize(constraint);
    if (accept_word("weight")) {
        constraint.weight = sum();
        return;
    }
    if (word() != "friction")
        fail(now().span, fmt::format("'{}' is not allowed here", word()),
             "the form is friction MU [static MUS] [on PARTICLE | slip VELOCITY]");
    constraint.friction = friction();
}

/// restitution E
void Parser::restitution(ConstraintStatement& constraint) {
    if (constraint.sense == ConstraintRow::Sense::equal)
        fail(now().span, "an equation always holds, so there is no impact and no restitution",
             "a one-sided constraint is written with '>=' or '<='");
    take(Role::word);
    constraint.restitution = sum();
}

/// stabilize A [B]: two values side by side, so a gap before a bracket is no call, and a word may
/// be the next modifier.
void Parser::stabilize(ConstraintStatement& constraint) {
    if (constraint.sense != ConstraintRow::Sense::equal)
        fail(now().span, "a one-sided constraint cannot be stabilized",
             "remove 'stabilize', or write an equation");
    take(Role::word);
    spaced_calls_ = false;
    constraint.damping = sum();
    const bool modifier_follows = is_modifier(word()) && starts_operand(at_ + 1);
    if (starts_operand(at_) && !modifier_follows) constraint.stiffness = sum();
    spaced_calls_ = true;
}

/// friction MU {static MUS | on PARTICLE | slip VELOCITY}, of the last two only one
FrictionModifier Parser::friction() {
    FrictionModifier result;
    const TokenId begin = take(Role::word);
    result.kinetic = sum();
    while (kind() == TokenKind::name) {
        const bool placed = result.particle.name != none || result.slip != none;
        if (result.at_rest == none && accept_word("static")) result.at_rest = sum();
        else if (!placed && accept_word("on")) result.particle = declared_target("a particle");
        else if (!placed && word() == "slip") {
            result.slip_word = take(Role::word);
            result.slip = sum();
        } else break;
    }
    result.tokens = {begin, at_};
    return result;
}

/// NAME = BOUND [static BOUND], …: dry friction on coordinates, as a statement
DryFrictionStatement Parser::dry_friction() {
    DryFrictionStatement result;
    const auto refuse = [&] {
        fail(now().span,
             fmt::format("dry friction needs a coordinate and its bound, but {}", describe(at_)),
             "write friction x = F; Coulomb's friction follows its constraint: "
             "constraint floor: y >= 0 friction MU");
    };
    do {
        DryFrictionItem item;
        if (kind() != TokenKind::name) refuse();
        item.target = target("a coordinate");
        if (kind() == TokenKind::equal)
            fail(now().span, "a value is given with a single '='", "write '=' instead of '=='");
        if (!accept(TokenKind::assign)) refuse();
        item.bound = sum();
        if (accept_word("static")) item.at_rest = sum();
        for (const std::string_view word : {"on", "slip"})
            if (this->word() == word)
                fail(now().span,
                     fmt::format("'{}' belongs to Coulomb's friction of a constraint", word),
                     "dry friction acts against the velocity of its coordinate; for another "
                     "velocity, make that a coordinate of its own by a constraint");
        result.items.push_back(std::move(item));
    } while (accept(TokenKind::comma));
    return result;
}

}  // namespace lacon::lang
