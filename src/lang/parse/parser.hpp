// The first half of the front end: it turns the tokens of a text into syntax.
#pragma once

#include <initializer_list>
#include <unordered_map>

#include "lang/parse/syntax.hpp"

namespace lacon::lang {

/// Recursive descent over the tokens of one text; its result is a Syntax. An error ends the
/// statement it is in; the next one is read as if nothing had happened. Marks the tokens with their
/// roles on the way.
///
///     or < and < not < comparison < + - < * / < unary minus < ^ < prime, index, component, call
class Parser {
public:
    Parser(const SourceText& source, Diagnostics& diagnostics);
    /// The tokens are those of the source, in any order.
    Parser(const SourceText& source, Tokens tokens, Diagnostics& diagnostics);

    /// The whole text as a model.
    Syntax parse_statements() &&;
    /// The whole text as one expression; none on failure.
    std::pair<Syntax, NodeId> parse_single_expression() &&;
    /// The whole text as `NAME = EXPR, …`, where NAME may also be `t`; with guesses also `NAME ~
    /// EXPR`. The result has one StartStatement, or none on failure.
    Syntax parse_assignment_list(bool with_guesses) &&;

private:
    struct Failure {};  // thrown once the error is reported

    // ---- cursor (parser.cpp)
    const Token& now() const { return syntax_.tokens[at_]; }
    TokenKind kind() const { return now().kind; }
    TokenKind next_kind() const {
        return syntax_.tokens[std::min<std::size_t>(at_ + 1, syntax_.tokens.size() - 1)].kind;
    }
    std::string_view word() const {
        return kind() == TokenKind::name ? syntax_.text(at_) : std::string_view();
    }
    std::string_view next_word() const {
        return next_kind() == TokenKind::name ? syntax_.text(at_ + 1) : std::string_view();
    }
    TokenId take() { return kind() == TokenKind::end ? at_ : at_++; }
    TokenId take(Role role);
    bool accept(TokenKind kind, Role role = Role::plain);
    bool accept_word(std::string_view word);
    TokenId expect(TokenKind kind, std::string_view what);
    void expect_word(std::string_view word, std::string_view why);
    std::string describe(TokenId token) const;
    [[noreturn]] void fail(Span span, std::string message, std::string hint = {});
    /// "… is expected here, but there is …".
    [[noreturn]] void fail_expecting(std::string_view what);
    /// The same behind a complete operand: then mostly an operator is missing.
    [[noreturn]] void fail_after_operand(std::string_view what);
    [[noreturn]] void fail_missing_operator();
    /// Where the word here is nearly one of `modifiers`.
    void refuse_near_modifier(std::span<const std::string> modifiers);
    void refuse_loop();
    NameId intern(TokenId token);
    void skip_statement();

    // ---- expressions (parse_expression.cpp)
    NodeId expression();  // with comparisons and logic
    NodeId chain(NodeKind kind, std::string_view word, NodeId (Parser::*part)());
    NodeId conjunction();
    NodeId logic_term();
    NodeId comparison();
    NodeId sum();
    NodeId product();
    NodeId unary();
    NodeId power();
    NodeId postfix();
    bool is_applied(NodeId node) const;
    NodeId primary();
    NodeId number();
    void refuse_octal(TokenId token);
    NodeId named();
    NodeId bracketed();
    NodeId sum_over(TokenId name);
    std::vector<Child> arguments(Role bracket);
    void append_indices(std::vector<Child>& children);
    NodeId tight_sum();  // a bound of a range or an index: its signs are written without spaces
    NodeId add_node(NodeKind kind, TokenId begin, std::span<const Child> children,
                    std::uint32_t detail = 0);
    bool starts_operand(TokenId token) const;

    // ---- parts of statements (parse_parts.cpp)
    Target target(std::string_view what);
    TokenId declared_name(std::string_view what);
    void refuse_built_in(const Target& target, std::string_view what);
    void index_parts(Target& target);
    void refuse_pattern();
    Target declared_target(std::string_view what);
    void no_primes(const Target& target, std::string_view what);
    bool is_named() const;
    std::pair<NodeId, NodeId> range(std::string_view what);
    Loops for_clauses();
    Loop loop_clause(std::vector<NameId>& names);
    ConstraintRow::Sense sides(NodeId& left, NodeId& right, bool may_be_one_sided);
    ConstraintRow::Sense relation(bool may_be_one_sided);
    NodeId body_point();
    std::vector<AssignedItem> assigned_items(std::string_view what, bool with_guesses);

    // ---- statements (parse_statement.cpp)
    void statement();
    [[noreturn]] void fail_without_keyword();
    void broken_statement(TokenId begin);
    TitleStatement title();
    ParamStatement param();
    CoordStatement coord();
    LetStatement let();
    ParticleStatement particle();
    DataStatement data();  // these in parse_data.cpp
    TokenId data_column();
    TokenId data_beyond();
    bool is_slope_call(NodeId node) const;
    ImportStatement import();  // in imports.cpp
    EquationStatement equation();
    EventStatement event();
    SimulateStatement simulate();
    TokenId chosen_name(std::string_view what);
    [[noreturn]] void fail_in_simulate();
    OutputStatement output();
    DrawStatement draw();
    DrawItem draw_item();

    // ---- constraints (parse_constraint.cpp)
    ConstraintStatement constraint();
    void constraint_modifier(ConstraintStatement& constraint);
    void restitution(ConstraintStatement& constraint);
    void stabilize(ConstraintStatement& constraint);
    FrictionModifier friction();
    DryFrictionStatement dry_friction();

    // ---- bodies (parse_bodies.cpp)
    BodyStatement body();
    void shape_clauses(std::vector<ShapeClause>& shapes);
    ShapeClause shape_clause();  // these in parse_shapes.cpp
    TokenId shape_kind();
    ContactStatement contact();
    void contact_friction(ContactStatement& contact);
    void name_by_bodies(ContactStatement& contact);
    JointStatement joint();
    bool joint_modifier(JointStatement& joint, std::string_view modifier);
    void joint_motor(JointStatement& joint);
    void make_names();
    void make_name(NameId name, std::string_view ending);

    // ---- controls (parse_control.cpp)
    ControlStatement control();
    void control_modifier(ControlStatement& control);
    void gain(ControlStatement& control);
    ActuatorItem actuator_item();
    bool is_range_of_members() const;
    bool value_follows() const;
    void refuse_constraint_modifier();
    void refuse_control_modifier();

    Diagnostics& diagnostics_;
    Syntax syntax_;
    std::unordered_map<std::string_view, NameId> name_ids_;
    TokenId at_ = 0;
    int depth_ = 0;
    bool tight_ = false;        // within an index or a range
    bool spaced_calls_ = true;  // whether `f (x)` with a gap is a call
    bool time_is_target_ = false;
    bool patterns_ = false;  // whether `*` may be an index
};

}  // namespace lacon::lang
