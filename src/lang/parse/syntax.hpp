// The syntax tree: expressions and one struct for each kind of statement.
#pragma once

#include <deque>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lang/text/token.hpp"
#include "lang/text/words.hpp"
#include "model/model.hpp"

/// What a text says before its names are looked up. All nodes lie in one arena and refer to each
/// other by number, so that neither building nor dropping a large one takes any depth.
namespace lacon::lang {

using NodeId = std::uint32_t;
using TokenId = std::uint32_t;
using NameId = std::uint32_t;
inline constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

struct TokenRange {
    TokenId begin = 0, end = 0;
};

enum class NodeKind : std::uint8_t {
    number,     // detail: into Syntax::numbers
    name,       // detail: the NameId
    sum,        // children; inverse: subtracted
    product,    // children; inverse: divided by
    negate,     // child
    power,      // base, exponent
    prime,      // child; detail: how many
    index,      // child, then the indices
    component,  // child; detail: the NameId behind the dot
    call,       // arguments; detail: the NameId called
    slope,      // of data, by its argument: a prime of a name, then the argument
    vector,     // components
    sum_over,   // child; detail: into Syntax::loops
    choice,     // condition, then, else
    compare,    // left, right; detail: the TokenKind
    all_of,     // children, joined by `and`
    any_of,     // children, joined by `or`
    negation,   // child of `not`
    applied,    // a member of a family, or NAME.direction, then its arguments
    all,        // `*` as an index of an output: all members
};

struct Node {
    NodeKind kind = NodeKind::number;
    TokenRange tokens;
    std::uint32_t first = 0, count = 0;  // into Syntax::children
    std::uint32_t detail = 0;
};

struct Child {
    NodeId node = none;
    bool inverse = false;
};

struct LoopName {
    NameId name = none;
    TokenId token = none;
};

/// `for NAME in LOW..HIGH`, or `for [NAME,] (NAME, …) in data "file"`.
struct Loop {
    /// One of a range; else those of the columns, with `counted` after a name that counts the rows.
    std::vector<LoopName> names;
    NodeId low = none, high = none;
    TokenId file = none;  // a text; none for a range
    bool counted = false;
};

/// All `for` clauses of a statement or a sum, outermost first, and the condition behind them (or
/// none).
struct Loops {
    std::vector<Loop> loops;
    NodeId condition = none;
};

/// One index of a declared name: a value, or all from `low` to `high`.
struct IndexPart {
    NodeId low = none, high = none;  // high: none for a single value
};

/// The name a statement declares or is about: `x`, `x'`, `P[i-1]`, `x[1..N]`.
struct Target {
    NameId name = none;
    TokenRange tokens;
    std::vector<IndexPart> indices;
    int primes = 0;
};

struct TitleStatement {
    TokenId text = none;
};

struct ParamItem {
    Target target;
    NodeId value = none;
    NodeId low = none, high = none;
    TokenId text = none;
};
struct ParamStatement {
    std::vector<ParamItem> items;
};

struct CoordStatement {
    std::vector<Target> targets;
};

struct LetItem {
    Target target;
    bool is_function = false;
    std::vector<NameId> arguments;
    NodeId value = none;
};
struct LetStatement {
    std::vector<LetItem> items;
};

struct DataStatement {
    Target target;
    TokenId file = none;                    // a text
    TokenId column = none, against = none;  // texts or numbers
    TokenId form = none, beyond = none;     // words
};

struct ParticleStatement {
    Target target;
    NodeId position = none, mass = none;
};

/// `shape KIND … [scale S] [at VECTOR] [turned ROTATION] [drawn]`, several by commas.
struct ShapeClause {
    TokenId kind = none;  // one of shape::kind_named
    bool drawn = false;   // only
    std::vector<NodeId> sizes;
    TokenId file = none;  // of a mesh: a text
    NodeId scale = none, at = none, turned = none;
    TokenRange tokens;
};

/// `body NAME [planar] [mass M | density D] [inertia (…)] [center VECTOR] {shape …}`.
struct BodyStatement {
    Target target;
    TokenId planar = none;
    NodeId mass = none, density = none, inertia = none, center = none;
    std::vector<ShapeClause> shapes;
};

/// `joint NAME: KIND A to B …`, couplings (couplings.hpp) included; what is not given is none.
struct JointStatement {
    Target target;
    TokenId kind = none;
    Target first, second;  // bodies; of couplings also joints
    NodeId at = none, at_second = none, axis = none, axis_second = none, turned = none;
    NodeId pitch = none, ratio = none, offset = none, radius = none, radius_second = none,
           length = none;
    NodeId lift = none, curve = none;                    // of couplings
    Target carrier;                                      // `on C` of gears; or its name is none
    NodeId low = none, high = none, restitution = none;  // `range LO..HI`
    NodeId damping = none, stiffness = none, rest = none, armature = none, friction = none;
    Target mimic;  // mimic.name is none where it is not given
    NodeId mimic_ratio = none, mimic_offset = none;
    TokenId motor = none;  // the word behind `motor`
    NodeId motor_value = none;
    TokenId by_constraints = none;  // `by`
};

struct GravityStatement {
    NodeId value = none;
};

struct EnergyStatement {
    Keyword which = Keyword::kinetic;  // kinetic, potential, dissipation
    NodeId value = none;
};

struct AssignedItem {
    Target target;
    bool guess = false;  // `~`
    NodeId value = none;
    TokenId quantity = none;  // of a body: the name behind the dot, as in `start arm.omega = …`
    NodeId place = none;      // of a body: its point, as in `force arm(1, 0, 0) = …`
};
struct ForceStatement {
    std::vector<AssignedItem> items;
};
struct TorqueStatement {
    std::vector<AssignedItem> items;
};
struct NonidealStatement {
    std::vector<AssignedItem> items;
};
struct StartStatement {
    std::vector<AssignedItem> items;
};

struct ImportStatement {
    TokenId file = none;  // a text
    TokenId name = none;  // before all names that it brings
    TokenId root = none;  // `fixed` or `floating`
};

struct EquationStatement {
    Target target;
    NodeId left = none, right = none;
};

/// `friction MU [static MUS] [on PARTICLE | slip VELOCITY]`.
struct FrictionModifier {
    NodeId kinetic = none, at_rest = none;
    Target particle;  // particle.name is none where it is not given
    NodeId slip = none;
    TokenId slip_word = none;
    TokenRange tokens;
};

/// An item of `friction`: NAME = BOUND [static BOUND].
struct DryFrictionItem {
    Target target;
    NodeId bound = none, at_rest = none;
};
struct DryFrictionStatement {
    std::vector<DryFrictionItem> items;
};

/// `contact [NAME:] A with B [restitution E] [friction MU [static MUS]] [points N]`. Without a name
/// it is A_on_B, with the indices of both.
struct ContactStatement {
    Target target, first, second;
    NodeId restitution = none;
    FrictionModifier friction;  // friction.kinetic is none where there is no friction
    NodeId points = none;       // of the rims of cylinders
};

struct ConstraintStatement {
    Target target;
    NodeId left = none, right = none;
    ConstraintRow::Sense sense = ConstraintRow::Sense::equal;
    NodeId restitution = none;
    FrictionModifier friction;  // friction.kinetic is none where there is no friction
    NodeId damping = none, stiffness = none;
    NodeId weight = none;
};

/// An item of `by`: [LABEL =] EXPR [along VECTOR], [LABEL =] along VECTOR, or NAME[A..B].
struct ActuatorItem {
    Target label;         // label.name is none where it is not given
    Target range;         // range.name is none where the item is no range of members
    NodeId value = none;  // none for a range, and for a direction over the coordinates
    NodeId along = none;  // none where it is not given
    TokenRange value_tokens, along_tokens,
        tokens;  // outer brackets included; `tokens` of all but the label
};

struct LimitItem {
    NodeId low = none, high = none;
};

struct ControlStatement {
    Target target;
    NodeId left = none, right = none;
    ConstraintRow::Sense sense = ConstraintRow::Sense::equal;
    std::vector<ActuatorItem> by;             // empty: all coordinates
    std::vector<NodeId> weights;              // scalars, or the rows of a matrix
    NodeId damping = none, stiffness = none;  // `gain A [B]`
    std::vector<LimitItem> limits;
    bool nearest = false;
};

struct EventStatement {
    Target target;
    NodeId left = none, right = none;  // right: none for a value that is to cross zero
    bool stop = false;
    std::int8_t direction = 0;  // 1: rising, -1: falling
};

struct SimulateStatement {
    NodeId begin = none, end = none, every = none, tolerance = none;
    TokenId method = none, impacts = none;
};

struct OutputItem {
    Target name;  // name.name is none where the column goes by its text
    NodeId value = none;
    TokenRange tokens;  // of the value, its outer brackets included
};
struct OutputStatement {
    std::vector<OutputItem> items;
};

struct DrawItem {
    Drawing::Kind kind = Drawing::Kind::point;
    NodeId first = none;
    std::vector<NodeId> others;  // the line's further points; the circle's radius
    bool trail = false;
    TokenRange tokens;                   // of `first`
    TokenId label = none, color = none;  // texts in quotes
};
struct DrawStatement {
    std::vector<DrawItem> items;
};

/// One that could not be read (reported already). What it would have declared is known, but nothing
/// more about it.
struct BrokenStatement {
    std::vector<NameId> names;
};

struct Statement {
    std::variant<BrokenStatement, TitleStatement, ParamStatement, CoordStatement, LetStatement,
                 DataStatement, ParticleStatement, GravityStatement, EnergyStatement,
                 ForceStatement, EquationStatement, ConstraintStatement, ControlStatement,
                 NonidealStatement, DryFrictionStatement, StartStatement, SimulateStatement,
                 EventStatement, OutputStatement, DrawStatement, BodyStatement, JointStatement,
                 TorqueStatement, ImportStatement, ContactStatement>
        content;
    Loops loops;
    TokenRange tokens;
};

struct Syntax {
    const SourceText* source = nullptr;
    std::vector<Token> tokens;
    std::vector<Span> comments;
    std::vector<std::string_view> names;  // by NameId; views of the source
    std::vector<double> numbers;
    std::vector<Node> nodes;
    std::vector<Child> children;
    std::vector<Loops> loops;  // of sums
    std::vector<Statement> statements;
    /// Names that bodies and joints make, by theirs and an ending: `J_angle`, `arm_qw`.
    std::map<std::pair<NameId, std::string>, NameId> made_names;
    std::deque<std::string> made_texts;

    /// The name with the ending behind it; it is made while the statement is parsed.
    NameId made_name(NameId name, const std::string& ending) const {
        const auto found = made_names.find({name, ending});
        return found == made_names.end() ? none : found->second;
    }

    std::span<const Child> children_of(const Node& node) const {
        return {children.data() + node.first, node.count};
    }
    NodeId child(const Node& node, std::size_t i) const { return children[node.first + i].node; }

    std::string_view text(TokenId token) const { return source->text(tokens[token].span); }
    /// A quoted text without its quotes.
    std::string unquoted(TokenId token) const {
        const std::string_view quoted = text(token);
        return std::string(quoted.substr(1, quoted.size() - 2));
    }
    Span span(TokenRange range) const {
        const Span first = tokens[range.begin].span;
        return range.end > range.begin ? Span{first.begin, tokens[range.end - 1].span.end} : first;
    }
    Span span(NodeId node) const { return span(nodes[node].tokens); }
};

}  // namespace lacon::lang
