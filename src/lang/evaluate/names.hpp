// The symbol table of a model text.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "lang/evaluate/value.hpp"
#include "lang/parse/syntax.hpp"

/// What a model declares: entities (a name), their definitions (a place that declares one or many
/// of its members) and members
/// (`x`, or each `P[i]` of a family).
namespace lacon::lang {

using EntityId = std::uint32_t;
using DefinitionId = std::uint32_t;
using MemberId = std::uint32_t;

/// The indices of a member; none for a single name.
struct Index {
    std::array<std::int32_t, 4> at{};
    std::uint8_t count = 0;
    bool operator==(const Index&) const = default;
    auto operator<=>(const Index&) const = default;
    std::string text() const;  // "[1,2]", or nothing
};

enum class EntityKind : std::uint8_t {
    unknown,
    parameter,
    coordinate,
    let,
    function,
    data,
    particle,
    constraint,
    control,
    event,
    body,
    joint,  // without a coordinate of its name; with one, it is a coordinate
};
/// "a coordinate", …
std::string_view nature_of(EntityKind kind);
/// "coordinate", …
std::string_view noun_of(EntityKind kind);
/// ".x", ".y", ".z", then "[4]", …: what a vector's name is followed by for its component `i`, from
/// 0.
std::string component_ending(std::size_t i);
/// "1 index", "2 indices".
std::string counted_indices(std::size_t count);

enum class Progress : std::uint8_t { waiting, active, done };

struct Entity {
    NameId name = none;
    EntityKind kind = EntityKind::unknown;  // unknown: its statement is broken
    bool family = false;
    bool incomplete = false;       // a broken statement may have declared more of it
    bool is_joint = false;         // declared by `joint`, whatever its kind has become
    bool is_coupling = false;      // a joint of couplings.hpp
    std::uint32_t made_by = none;  // the entity of the body or joint that brings it
    std::size_t dimensions = 0;
    Progress listed = Progress::waiting;  // whether all its members are known
    std::vector<DefinitionId> definitions;
    std::size_t member_count = 0;
    /// Of its members by index, open addressing (Names::find_member); none: a free slot.
    std::vector<MemberId> table;
};

struct Definition {
    EntityId entity = none;
    const Statement* statement = nullptr;
    const Target* target = nullptr;
    std::size_t item = 0;  // within the statement
    NodeId value = none;   // of a parameter, let or function; a particle's position
    std::vector<MemberId> members;
};

/// There may be many millions: what only some have lies in lists of Names.
struct Member {
    DefinitionId definition = none;
    std::uint32_t indices = 0;      // the first of them in Names::indices
    std::uint32_t iteration = 0;    // of the statement's loops
    std::uint32_t loop_values = 0;  // the first of them in Names::loop_values, one for each loop
    /// Of a parameter: its place in Names::numbers. Else the place of its value, once `symbolic` is
    /// done.
    std::uint32_t kept = none;
    /// Place in the model's list of its kind; of a constraint: the first row.
    std::uint32_t slot = none;
    std::uint32_t row_count = 0;  // of a constraint
    Progress symbolic = Progress::waiting, structural = Progress::waiting;
    bool follows = false, shapes = false;  // of a parameter: Parameter::follows, shapes
};

/// The table of all declared names of one text. They share one space; a name declared twice is
/// reported.
class Names {
public:
    Names(const Syntax& syntax, Diagnostics& diagnostics);

    const Entity* find(NameId name) const {
        const EntityId id = by_name_[name];
        return id == none ? nullptr : &entities[id];
    }
    EntityId id_of(NameId name) const { return by_name_[name]; }
    MemberId find_member(const Entity& entity, const Index& index) const;
    Index index_of(MemberId member) const;
    /// Adds a member found by listing, with the values of its statement's loops (Evaluator::each).
    /// None where it exists already.
    MemberId add_member(DefinitionId definition, const Index& index, std::uint32_t iteration,
                        std::span<const double> values);

    /// The member that a body or joint brings: of the name and its index. None where the name is
    /// taken; `taken_by` is then what has it.
    MemberId add_made(EntityKind kind, NameId name, MemberId of, EntityId& taken_by);

    /// A value that a member keeps.
    std::uint32_t keep(const Value& value);
    Value kept(std::uint32_t place) const;
    std::size_t kept_count() const { return values_.size(); }
    /// Whether of the values from place `first` on any has an expression with this id or a later
    /// one.
    bool keeps_from(std::size_t first, std::size_t id) const;

    /// A parameter that no statement declares: of a model, for a text about it.
    void add_outside_parameter(NameId name, const Index& index, double value);

    const Definition& definition_of(MemberId member) const {
        return definitions[members[member].definition];
    }
    const Entity& entity_of(MemberId member) const {
        return entities[definition_of(member).entity];
    }
    /// "P[3]".
    std::string name_of(MemberId member) const;
    std::string name_of(const Entity& entity) const {
        return std::string(syntax_.names[entity.name]);
    }
    /// The rows of a constraint in the model.
    std::vector<std::size_t> rows_of(MemberId constraint) const;
    Span place_of(MemberId member) const {
        return syntax_.span(definition_of(member).target->tokens);
    }
    /// "it has [0] to [5]": the members of a family, for a message.
    std::string extent_of(const Entity& entity) const;

    std::vector<Entity> entities;
    std::vector<Definition> definitions;
    std::vector<Member> members;
    std::vector<std::int32_t> indices;  // of members
    std::vector<double> loop_values, numbers;

private:
    struct KeptValue {
        Value::Shape shape = Value::Shape::bad;
        bool empty_sum = false;
        std::uint32_t place = 0;  // the expression's id; of a vector: its first part in parts_
        double number = 0.0;      // of a vector: how many parts
    };
    std::size_t slot_of(const Entity& entity, const Index& index) const;
    MemberId enter(EntityId entity, const Index& index, Member member);

    void declare(EntityKind kind, const Statement& statement, const Target& target,
                 std::size_t item, NodeId value);
    void declare_all(const Statement& statement);
    void warn_of_hidden(const Loops& loops);
    bool fits(const Entity& entity, EntityKind kind, const Target& target);
    std::string line_of(const Entity& entity) const;

    const Syntax& syntax_;
    Diagnostics& diagnostics_;
    std::vector<EntityId> by_name_;  // by NameId
    std::vector<KeptValue> values_;
    std::vector<Expr> parts_;
};

}  // namespace lacon::lang
