// Gives syntax its meaning: names, loops and calls become numbers and expressions.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

#include "data/number_table.hpp"
#include "lacon/mechanism.hpp"
#include "lang/evaluate/arithmetic.hpp"
#include "lang/evaluate/bodies.hpp"
#include "lang/evaluate/limits.hpp"
#include "lang/evaluate/names.hpp"
#include "model/model.hpp"

namespace lacon::lang {

/// Thrown when a model asks for more than the limits allow; told as an error at the statement.
struct Overrun {
    std::string message;
};

/// Syntax → values. A name is evaluated when it is first asked for, so definitions may stand in any
/// order; circles are reported.
///
/// There are two ways to evaluate. Symbolic: parameters stay symbols. Structural (bounds of ranges,
/// indices, values of parameters): parameters are their numbers, and whatever moves is an error.
class Evaluator {
public:
    Evaluator(const Syntax& syntax, Model& model, Diagnostics& diagnostics,
              const Settings& settings, const Limits& limits = {});

    Value evaluate(NodeId node);
    /// A structural number; `what` it is for goes into messages ("a bound of a range") and must
    /// outlive the call.
    std::optional<double> number(NodeId node, std::string_view what);
    /// The same of what is kept as an expression: its value is only looked at here, so that the
    /// parameters in it do not shape the model.
    std::optional<double> checked_number(NodeId node, std::string_view what) {
        only_checks_ = true;
        const std::optional<double> value = number(node, what);
        only_checks_ = false;
        return value;
    }
    std::optional<std::int32_t> whole(NodeId node, std::string_view what);

    /// Runs `body` for each combination of the loops' indices, bound by name, until it returns
    /// false. False as well where a bound or a file is wrong.
    bool each(const Loops& loops, const std::function<bool()>& body);

    /// A member's value, evaluated if it has not been yet.
    Value value_of(MemberId member);
    /// A parameter's number: its setting, or what its expression gives. Checked against its range.
    std::optional<double> parameter_number(MemberId member);
    /// Finds all members of an entity; false where that failed.
    bool list_members(EntityId entity);
    /// The member an index expression names; reported and none where there is none.
    MemberId member_at(EntityId entity, const Index& index, Span place);
    /// The member that the node, NAME or NAME[I], stands for, evaluated without an error before;
    /// none for any other expression.
    MemberId member_of(NodeId node);
    /// Runs `body` with the loop indices of a member bound.
    void within(MemberId member, const std::function<void()>& body);
    /// The indices of a target that declares or names a single member.
    std::optional<Index> index_of(const Target& target);
    EntityId entity_named(NodeId node) const;  // none where the node is no name, or a bound one
    /// What `*` stands for now, by the node that it is; empty where there is none.
    std::vector<std::pair<NodeId, std::int32_t>> stars;

    /// Declares what a symbol is, for derivatives. A `rate` of none (the symbol itself) means there
    /// is no further derivative.
    void know_symbol(Expr symbol, Expr rate);
    Value time_derivative(const Value& value, Span place);

    /// Where expressions can be forgotten from on, once what they were for is kept in another form.
    struct Mark {
        Graph::Mark graph;
        std::size_t kept = 0, structural = 0, derivatives = 0;
    };
    Mark mark() const;
    /// Forgets the expressions made since; says whether it did: not where a definition evaluated
    /// since keeps some of them.
    bool forget(const Mark& mark);

    /// Which quantities of the computation (`energy`, `wire.force`) may be used.
    enum class Observable { nothing, loads, everything };
    void allow_observed(Observable allowed) { observable_ = allowed; }
    /// A quantity of the computation, as one symbol however often it is asked for.
    Value observe(Observed::Kind kind, std::vector<std::size_t> rows, std::string_view name,
                  Span place);

    /// Reports it, with the nearest name: of the functions where it is called, else of all others.
    void unknown_name(NameId name, Span place, bool called = false);
    /// Each node evaluated is a step, each member and each iteration of a statement a repetition;
    /// both are limited.
    void count_step();
    void count_repetition();

    /// Force and torque that a joint exerts on its second body, there, in the axes of the first;
    /// reported and none where it locks nothing.
    std::optional<std::pair<Vector3, Vector3>> joint_wrench(const JointValue& joint, Span place);

    Names names;
    Arithmetic arithmetic;
    Bodies bodies;
    /// Of data whose file could be read.
    std::unordered_map<EntityId, std::shared_ptr<const Curve>> curves;

    /// Where to note the differences A - B of vectors: both by their components. None: nowhere.
    std::vector<Formula>* differences = nullptr;

    /// "row 3 of 'edges.csv'", where a loop over a file runs; else empty.
    std::string row_now() const;

private:
    /// `for (NAME, …) in data "file"` with its file read.
    struct DataClause {
        const NumberTable* table = nullptr;  // none: it could not be used
        std::vector<std::size_t> columns;    // of the names
    };
    struct Binding {
        NameId name = none;
        Value value;
        const NumberTable* table = nullptr;  // of a value from a file, with its row
        std::size_t row = 0;
    };
    class Frame;       // hides all bindings while a definition is evaluated
    class Nesting;     // counts towards the limit of depth
    class Structural;  // evaluates structurally in its scope
    class Lasting;     // within a parameter's value, what is kept: a let, the members of a family

    // ---- evaluate.cpp
    Value evaluate_kind(NodeId node);
    Value sum(const Node& node);
    void note_difference(const Components& a, const Components& b);
    Value product(const Node& node);
    Value sum_over(const Node& node);
    Value vector(const Node& node);
    Value choice(const Node& node);
    Value logic(const Node& node);
    Value truth(NodeId node);
    Value known_truth(NodeId node);  // of a loop: structural
    Value call(const Node& node);
    Value call_user(const Node& node, EntityId function);
    Value call_body(const Node& node);                 // body_values.cpp
    Value call_data(const Node& node, EntityId data);  // elaborate_data.cpp
    Value slope(const Node& node);
    bool each_from(const Loops& loops, std::size_t clause, const std::function<bool()>& body);

    // ---- lookup.cpp
    Value name(const Node& node);
    Value entity_value(EntityId entity, const Node& node);
    Value built_in(const Node& node);
    Value index(const Node& node);
    Value part(const Value& value, std::int64_t number, Span place);
    Value component(const Node& node);
    const Value* bound(NameId name) const;
    std::vector<std::string> names_in_scope() const;
    std::vector<std::string> functions_in_scope() const;

    // ---- body_values.cpp
    std::optional<std::ptrdiff_t> body_of(NodeId node);
    Value body_point(std::ptrdiff_t body, std::span<const Child> parts, Span place);
    Value applied(const Node& node);
    Value body_quantity(std::ptrdiff_t body, std::string_view quantity, Span place);
    std::optional<Vector3> body_parts(std::ptrdiff_t body, std::span<const Child> parts,
                                      Span place);
    Value refuse_joint(MemberId member, std::optional<Span> place = {});
    bool is_joint_force(NodeId base, std::string_view quantity) const;
    Value joint_force(NodeId base, std::string_view quantity, Span place);
    Value coupling_force(const CouplingValue& coupling, std::string_view quantity, Span place);
    Value space_value(std::ptrdiff_t body, const Vector3& parts) const;

    // ---- define.cpp
    void refuse_duplicate(DefinitionId definition, const Index& index);
    Value define(MemberId member);
    Value refuse_cycle(MemberId member);
    Value moving(std::string_view what);
    bool list_definition(DefinitionId definition);
    bool list_indices(DefinitionId definition, std::uint32_t iteration, Index index);
    std::optional<double> default_of(MemberId member);

    // ---- data_clause.cpp
    const DataClause* clause_of(const Loop& loop);
    DataClause read_clause(const Loop& loop);
    const NumberTable* table_of(TokenId file);
    void bind(const Loop& loop);
    void give(const Loop& loop, std::size_t first, double value);

    // ---- observed.cpp
    struct ObservedRows {
        std::vector<std::size_t> rows;
        std::string name;  // "rod[3]", "wire.x"
    };
    NodeId base_of(NodeId node) const;
    EntityKind kind_at(NodeId node) const;
    bool is_constraint(NodeId node) const { return kind_at(node) == EntityKind::constraint; }
    bool is_control(NodeId node) const { return kind_at(node) == EntityKind::control; }
    bool is_effort(NodeId node) const;
    bool refuse_unknown(NodeId node, std::span<const EntityKind> kinds);
    std::optional<ObservedRows> rows_of(NodeId node);
    MemberId whole_at(NodeId node);
    bool is_observable(Observed::Kind kind) const;
    Value refuse_observed(Observed::Kind kind, Span place);
    Value observe_constraint(const Node& node);
    Value observe_reaction(const Node& node);
    bool is_reaction(NodeId node) const;
    Value observe_control(const Node& node);
    Value observe_effort(std::string_view actuator, Span place);
    Value load(const Node& node);

    std::optional<Expr> rate_of(Expr e, Span place);

    const Syntax& syntax_;
    Model& model_;
    Diagnostics& diagnostics_;
    std::unordered_map<std::string, double> settings_;

    const Limits limits_;
    /// By file; none: it could not be read.
    std::map<std::string, std::unique_ptr<const NumberTable>> tables_;
    std::unordered_map<const Loop*, DataClause> clauses_;
    std::vector<double> running_;  // of each loop that runs: its index, or its row from 0
    std::vector<Binding> bindings_;
    std::size_t frame_ = 0;  // bindings below are hidden
    bool structural_ = false;
    MemberId parameter_ = none;  // whose value is being evaluated, and nothing else that lasts
    bool only_checks_ = false;   // the value is looked at, and not kept
    Span structural_place_;
    std::string_view structural_what_;
    Observable observable_ = Observable::nothing;
    int depth_ = 0;
    std::size_t steps_ = 0, repetitions_ = 0;
    std::vector<MemberId> active_;
    std::vector<EntityId> active_functions_;
    std::unordered_map<MemberId, Value> structural_values_;  // of lets and particles
    std::vector<std::optional<Expr>> rates_;                 // of symbols, by number
    std::unordered_map<std::uint32_t, Expr> derivatives_;    // already taken
    std::vector<std::uint32_t> derived_;                     // of which, one after the other
    std::map<std::pair<Observed::Kind, std::vector<std::size_t>>, Expr> observed_;
};

}  // namespace lacon::lang
