// The second half of the front end: it turns the syntax of a text into a Model.
#pragma once

#include <algorithm>
#include <map>

#include "data/signal_file.hpp"
#include "expr/traverse.hpp"
#include "lang/evaluate/evaluator.hpp"
#include "model/picture_notes.hpp"
#include "shape/contact.hpp"
#include "shape/mass.hpp"

namespace lacon::lang {

/// What kinds of symbols each expression of a graph uses. An expression's operands lie before it,
/// so one sweep over what is new since the last question answers for all.
class Uses {
public:
    enum Kind : std::uint8_t { coordinate = 1, velocity = 2, acceleration = 4, motion = 7 };

    explicit Uses(const Graph& graph) : graph_(graph) {}
    void mark(Expr symbol, Kind kind) {
        symbols_.resize(std::max<std::size_t>(symbols_.size(), graph_.symbol_index(symbol) + 1), 0);
        symbols_[graph_.symbol_index(symbol)] = kind;
    }
    std::uint8_t of(Expr e);
    /// Tells that the graph has forgotten what lies beyond its size.
    void forget() { uses_.resize(std::min(uses_.size(), graph_.size())); }

private:
    const Graph& graph_;
    std::vector<std::uint8_t> symbols_;  // by number
    std::vector<std::uint8_t> uses_;     // by id
};

/// Syntax → Model, kind of statement by kind of statement, each kind in the order of the text:
/// parameters before what may range over them, coordinates before what moves, constraints before
/// the nonideal forces and outputs that observe them.
class Elaborator {
public:
    Elaborator(const Syntax& syntax, Model& model, Diagnostics& diagnostics,
               const Settings& settings, const Limits& limits = {});
    /// Notes beside the model what pictures show of it.
    void note_into(PictureNotes& notes);
    void run();
    /// The parameters alone.
    void run_parameters();
    /// Names of all parameters, also of those in error.
    std::vector<std::string> parameter_names() const;

private:
    struct Column {
        Expr value;
        /// The time, a coordinate or a velocity: there without being asked for.
        bool of_state = false;
        bool asked_for = false;  // by an output
    };
    /// Where the items of `force` or `nonideal` go, and their name in messages.
    struct ForceLists {
        std::vector<Force>& on_coordinates;
        std::vector<ParticleForce>& on_particles;
        std::string_view noun;
    };

    /// Runs `elaborate` on each statement with such a content; a limit that is hit ends all.
    template <class Content>
    void each_statement(void (Elaborator::*elaborate)(const Content&, const Statement&));
    std::vector<MemberId> members_of(const Statement& statement);
    /// Runs `body` for each iteration of the statement's loops until it returns false.
    void repeat(const Statement& statement, const std::function<bool()>& body);
    void guarded(const Statement& statement, const std::function<void()>& body);
    /// Runs `body`, which keeps what it evaluates as formulas, and forgets the expressions; but not
    /// where it gives out one that is new.
    void passing(const std::function<Components()>& body);
    /// The same where the statement repeats. What stands there once is left in its place, which
    /// decides the order of terms.
    void repeated(const Statement& statement, const std::function<void()>& body);
    Formula kept(const Components& values) { return model_.forms.keep(model_.graph, values); }

    // ---- data.cpp
    void data(const DataStatement& data, const Statement& statement);
    std::optional<SignalColumn> data_column(TokenId token);

    // ---- declarations.cpp
    void title(const TitleStatement& title, const Statement& statement);
    void params(const ParamStatement& params, const Statement& statement);
    void param(const ParamItem& item, MemberId member);
    void note_uses();
    void report_outside_range(const Parameter& parameter, bool set);
    void read_range(const ParamItem& item, Parameter& parameter);
    void coords(const CoordStatement& coords, const Statement& statement);
    std::uint32_t add_coordinate(std::string name, Span place);
    void lets(const LetStatement& lets, const Statement& statement);
    void check_function(const LetItem& function);
    void check_names(NodeId node, std::vector<NameId>& bound);
    void particles(const ParticleStatement& particle, const Statement& statement);
    void particle(const ParticleStatement& statement, MemberId member);

    // ---- bodies.cpp
    void assemble_bodies();
    void declare_bodies(const BodyStatement& body, const Statement& statement);
    void declare_joints(const JointStatement& joint, const Statement& statement);
    std::optional<std::ptrdiff_t> joined_body(const Target& target);
    bool choose_kind(JointValue& joint);
    void hang_bodies();
    bool hangs_below(std::ptrdiff_t body, std::ptrdiff_t above) const;
    void make_coordinates();
    void coordinates_of_joint(JointValue& joint);
    bool asked_for_force(const JointValue& joint) const;
    bool is_measured(const JointValue& joint) const;
    MemberId make_member(EntityKind kind, MemberId of, const std::string& ending);
    void read_inertia(BodyValue& body);
    void check_inertia(const BodyValue& body, Span place);  // inertia.cpp
    void read_place(JointValue& joint);
    void read_axes(JointValue& joint);
    void read_attitude(JointValue& joint);
    std::optional<Expr> constant_scalar(NodeId node, std::string_view what);
    std::optional<Components> constant_vector(NodeId node, std::string_view what,
                                              std::span<const std::size_t> sizes);
    Vector3 in_space(const Components& parts) const;
    void place_bodies();
    void place_body(std::size_t number);

    std::optional<std::array<Expr, 4>> constant_quaternion(NodeId node);

    // ---- shapes.cpp
    std::optional<Matrix3> shape_attitude(NodeId node, bool planar);
    void read_shapes(const BodyStatement& body, std::ptrdiff_t number);
    void ground_shapes(const BodyStatement& body, const Statement& statement);
    bool is_ground(const Target& target) const;
    std::optional<shape::Shape> read_shape(const ShapeClause& clause, bool weighs);
    void show_shape(const ShapeClause& clause, const shape::Shape& made, std::ptrdiff_t number);
    void read_sizes(const ShapeClause& clause, const shape::KindFacts& facts, shape::Shape& made);
    void read_mesh_file(const ShapeClause& clause, shape::Shape& made, bool weighs);
    bool shapes_weigh(const BodyStatement& statement, const BodyValue& body);
    void weigh_shapes(const BodyStatement& statement, BodyValue& body, std::size_t number);

    // ---- contacts.cpp
    void contacts(const ContactStatement& contact, const Statement& statement);
    void contact(const ContactStatement& statement, MemberId member);
    std::optional<std::ptrdiff_t> touching_body(const Target& target);
    std::optional<std::vector<shape::ContactPoint>> points_of_contact(
        const ContactStatement& statement, std::ptrdiff_t a, std::ptrdiff_t b, Span place);
    std::optional<shape::Carrier> carrier_of(std::ptrdiff_t body, Span place);

    // ---- exertions.cpp
    void note_contact(const shape::ContactPoint& point, std::size_t row);
    void note_span(std::size_t row, const Vector3& a, const Vector3& b);
    void note_joints();
    void note_joint(const JointValue& joint);
    void note_coupling(const CouplingValue& coupling);

    // ---- joints.cpp
    void joint_parts();
    void unit_row(JointValue& joint);
    void lock_rows(JointValue& joint);
    void loop_rows(JointValue& joint);
    void turn_rows(const JointValue& joint, const Matrix3& relative, Components& values);
    void way_row(JointValue& joint, const Vector3& shift, const Matrix3& relative);
    void joint_properties(JointValue& joint);
    static bool damps_all(const JointValue& joint);
    void damping(JointValue& joint);
    void spring(JointValue& joint, const Coordinate& coordinate);
    void joint_range(JointValue& joint, const Coordinate& coordinate);
    void mimic(JointValue& joint, const Coordinate& coordinate);
    void motor(JointValue& joint, const Coordinate& coordinate);
    std::size_t made_rows(MemberId of, const std::string& ending, std::vector<ConstraintRow> rows,
                          std::span<const Expr> values);

    // ---- couplings.cpp
    /// The bodies of a coupling, the points p of the first and c of the second, and from p to c in
    /// the axes of the first.
    struct CoupledBodies {
        std::ptrdiff_t first, second;
        Vector3 p, c, d;
    };
    void declare_coupling(const JointStatement& statement, MemberId member);
    bool refuse_modifiers(const JointStatement& statement,
                          std::span<const std::string_view> allowed, std::string_view usage);
    void coordinates_of_couplings();
    void coupling_parts();
    void coupling_rows(CouplingValue& coupling);
    Expr needed_length(const CouplingValue& coupling, NodeId node, std::string_view word);
    std::optional<Vector3> unit_axis(NodeId node, const Vector3& otherwise);
    std::optional<CoupledBodies> coupled_bodies(CouplingValue& coupling);
    std::string body_name(std::ptrdiff_t body) const;
    Vector3 point_of(std::ptrdiff_t body, const Vector3& place);
    Vector3 between(std::ptrdiff_t a, const Vector3& p, std::ptrdiff_t b, const Vector3& c);
    void coupling_made(CouplingValue& coupling, std::span<const Expr> values,
                       std::span<const Vector3> forces, std::span<const Vector3> torques);
    void distance(CouplingValue& coupling, const CoupledBodies& pair);
    void parallel_axes(CouplingValue& coupling, const CoupledBodies& pair);
    void point_on(CouplingValue& coupling, const CoupledBodies& pair);
    void point_on_curve(CouplingValue& coupling, const CoupledBodies& pair);

    // ---- transmissions.cpp
    /// How far something has turned or moved, along an axis in the world where that is known.
    struct Way {
        std::optional<Expr> position;
        Expr rate;
        std::optional<Vector3> axis;
        bool slides = false;
        std::ptrdiff_t of = Body::ground;  // the body against which it moves
        std::string name;
    };
    std::optional<Way> way_of(const CouplingValue& coupling, const Target& target, bool slides,
                              NodeId axis);
    std::optional<Way> way_of_body(const CouplingValue& coupling, std::ptrdiff_t body, bool slides,
                                   NodeId axis);
    Vector3 turning_against(std::ptrdiff_t body, std::ptrdiff_t carrier);
    std::optional<Expr> integral_of(Expr rate);
    std::optional<Expr> ratio_of(const CouplingValue& coupling);
    void transmission(CouplingValue& coupling);
    std::optional<Expr> cam_row(const CouplingValue& coupling, const Way& a, const Way& b);
    void rolling(CouplingValue& coupling, const CoupledBodies& pair);

    // ---- mechanics.cpp
    void gravity(const GravityStatement& gravity, const Statement& statement);
    void energy(const EnergyStatement& energy, const Statement& statement);
    Components terms_of(Expr energy);
    void warn_of_idle(Keyword which, Expr value, Span place);
    void forces(const ForceStatement& forces, const Statement& statement);
    void nonideal(const NonidealStatement& nonideal, const Statement& statement);
    void each_force(std::span<const AssignedItem> items, const Statement& statement,
                    const ForceLists& lists);
    bool force(const AssignedItem& item, const ForceLists& lists);
    bool body_force(const AssignedItem& item, MemberId member);
    void torques(const TorqueStatement& torques, const Statement& statement);
    bool torque(const AssignedItem& item);
    void equation(const EquationStatement& equation, const Statement& statement);
    bool equation_row(const EquationStatement& statement);

    // ---- constraints.cpp
    void constraints(const ConstraintStatement& constraint, const Statement& statement);
    struct Sides {
        Components difference, right;  // φ = LHS − RHS, and RHS, by components
        bool is_vector = false;
    };
    std::optional<Sides> sides(NodeId left, NodeId right);
    std::vector<ConstraintRow> rows_of(const Sides& both, const ConstraintRow& common);
    void constraint(const ConstraintStatement& constraint, MemberId member);
    bool is_rounding(Expr value);
    void check_row(const ConstraintRow& row, Expr value, std::string_view noun);
    std::optional<Expr> restitution(NodeId node);
    std::optional<Expr> weight(NodeId node);

    // ---- dry_friction.cpp
    void dry_frictions(const DryFrictionStatement& friction, const Statement& statement);
    bool dry_friction(const DryFrictionItem& item);
    bool refuse_friction_target(const Target& target);
    std::optional<Expr> friction_bound(NodeId node, const std::string& coordinate);
    /// Dry friction on a coordinate, which has one at most: reported and false where it has one
    /// already. For joints too.
    bool add_dry_friction(std::size_t coordinate, Expr bound, std::optional<Expr> at_rest,
                          Span place);

    // ---- friction.cpp
    void friction(const FrictionModifier& modifier, MemberId constraint);
    bool read_coefficients(const FrictionModifier& modifier, Friction& friction);
    /// A scalar without accelerations that is not negative, as far as its number is known.
    std::optional<Expr> not_negative(NodeId node, const std::string& what, std::string hint = {});
    std::optional<Components> slip(NodeId node);
    std::optional<std::size_t> sliding_particle(const FrictionModifier& modifier,
                                                const Friction& friction);
    std::optional<std::size_t> only_particle(const Friction& friction);
    void refuse_unclear(const Friction& friction, std::span<const std::size_t> candidates,
                        bool none_fits);
    std::vector<std::size_t> coordinates_of(const Friction& friction);
    std::vector<std::size_t> coordinates_in(std::span<const Expr> values) const;
    const std::vector<std::size_t>& particles_with(std::size_t coordinate);

    // ---- controls.cpp
    void controls(const ControlStatement& control, const Statement& statement);
    void control(const ControlStatement& statement, MemberId member, const Loops& loops);
    void requirements(const ControlStatement& statement, Control& control);
    void set_gains(const ControlStatement& statement, Expr value, ConstraintRow& row);
    std::optional<Expr> positive(NodeId node, std::string_view what);
    void limits(const ControlStatement& statement, const Control& control);
    std::optional<std::pair<Expr, Expr>> limit(const LimitItem& item);
    void check_actuator_names();
    void control_columns();

    // ---- weights.cpp
    void weights(const ControlStatement& statement, const Control& control);
    void weight_each(const ControlStatement& statement, const Control& control);
    void weight_matrix(const ControlStatement& statement, const Control& control,
                       std::span<const Value> rows);
    bool is_matrix_of_costs(const ControlStatement& statement,
                            const std::vector<std::vector<Expr>>& N);
    bool is_definite(const ControlStatement& statement, const std::vector<std::vector<Expr>>& N);
    bool add_weight(EffortWeight weight, const Control& control);
    bool has_one_each(std::size_t count, std::string_view noun, Span place, const Control& control);

    // ---- actuators.cpp
    /// What an item of `by` acts on; each component of the value gives an actuator.
    struct Acted {
        std::string name;
        Value value;
        bool has_components = false;  // names end in .x, .y, …
    };
    using Direction = std::vector<Actuator::Part>;
    bool actuators(const ControlStatement& statement, const Loops& loops, Control& control);
    bool act(const ActuatorItem& item, std::span<const Acted> all, Control& control);
    bool act_on_components(const Acted& acted, const ActuatorItem& item, Control& control);
    bool act_along(const Acted& acted, const ActuatorItem& item, Control& control);
    std::optional<std::vector<Acted>> acted_on(const ActuatorItem& item, const Loops& loops);
    std::optional<std::vector<Acted>> acted_members(const Target& range, const std::string& ending);
    bool members_in(const Target& range, EntityId family, Index index, std::vector<Acted>& all);
    Acted acted_member(MemberId member);
    Acted all_coordinates(std::string name);
    std::optional<Direction> conjugate(Expr value, Span place);
    bool add_actuator(Actuator actuator, bool labelled, Control& control);

    // ---- run.cpp
    void start(const StartStatement& start, const Statement& statement);
    bool start_value(const AssignedItem& item);
    bool start_of_body(const AssignedItem& item);
    void finish_body_starts();
    bool set_start(std::size_t slot, bool velocity, bool guess, Expr value, Span place);
    bool start_is_known(Expr value, Span place);
    std::string chosen_name(TokenId token, std::string_view noun,
                            std::span<const std::string_view> names);
    void simulate(const SimulateStatement& simulate, const Statement& statement);
    void events(const EventStatement& event, const Statement& statement);
    void event(const EventStatement& statement, MemberId member);
    void outputs(const OutputStatement& outputs, const Statement& statement);
    bool output(const OutputItem& item, const Loops& loops);
    bool add_column(std::string name, Expr value, Span place);
    std::optional<Expr> state_column(std::string_view name) const;
    /// Runs `body` for each member that `*` stands for in the expression; once where it has none.
    bool each_pattern(NodeId node, const std::function<bool()>& body);
    void collect_patterns(NodeId node, std::vector<NodeId>& found) const;
    std::optional<EntityId> family_of_pattern(NodeId pattern);
    bool output_one(const OutputItem& item, const Loops& loops);
    bool drawing_one(const DrawItem& item, const Loops& loops);
    bool further_points(const DrawItem& item, std::size_t dimension, Components& values);
    bool read_color(TokenId token, std::string& color);
    void drawings(const DrawStatement& drawings, const Statement& statement);
    bool drawing(const DrawItem& item, const Loops& loops);
    std::optional<Components> point(NodeId node);

    /// The entity of such a kind, with as many indices as the target has; reported and none if not.
    EntityId find_entity(const Target& target, std::span<const EntityKind> kinds,
                         std::string_view wish);
    /// The member a statement is about, which must be of one of `kinds`; reported and none if not.
    MemberId find_target(const Target& target, std::span<const EntityKind> kinds,
                         std::string_view wish);
    std::optional<Expr> scalar(NodeId node, std::string_view what);
    /// Reports accelerations in the values; says whether there were any.
    bool refuse_acceleration(std::span<const Expr> values, std::string_view what, Span place);
    /// The number that an expression of parameters has; none where it may change with the motion.
    std::optional<double> known_number(Expr value);

    const Syntax& syntax_;
    Model& model_;
    Diagnostics& diagnostics_;
    const Settings& settings_;
    Evaluator evaluator_;
    PictureNotes* notes_ = nullptr;  // none: the model is not for pictures
    Uses uses_;
    bool stopped_ = false;
    std::unordered_map<const Statement*, std::vector<DefinitionId>> definitions_;
    std::optional<ExprMap<Expr>> parameter_values_;  // by symbol; made on demand
    /// By number of the symbol, also of its derivatives; or none.
    std::vector<std::uint32_t> coordinate_of_;
    /// By coordinate: whose position it enters; made on demand.
    std::vector<std::vector<std::size_t>> particles_with_;
    /// By coordinate: the row's place in the text.
    std::unordered_map<std::uint32_t, std::size_t> equation_of_;
    /// By coordinate: the place of its dry friction in the text.
    std::unordered_map<std::size_t, std::size_t> dry_friction_of_;
    std::vector<std::uint32_t> start_of_;  // by number of the symbol: likewise, or none
    /// What `start arm.rotation = …` and the like give, by joint.
    struct BodyStart {
        std::optional<Formula> rotation, omega;
        bool rotation_guess = false, omega_guess = false;
        Span rotation_place, omega_place;
    };
    std::map<std::size_t, BodyStart> body_starts_;
    std::vector<bool> fixed_;  // by number of the symbol: its start is given with '='
    std::unordered_map<std::string, Column> columns_;  // by name
    /// What is known of an actuator besides what the model says of it.
    struct ActuatorNotes {
        bool labelled = false;          // its name is given, not made
        std::uint32_t weight = none;    // its place in Model::effort_weights
        std::string weighted, limited;  // by which control
        std::string listed;             // the control that named it last
    };
    std::map<std::ptrdiff_t, std::vector<shape::Shape>> shapes_;  // by body, and of the ground
    std::map<std::string, std::shared_ptr<const shape::Mesh>> meshes_;  // by file; null: wrong
    std::vector<ActuatorNotes> actuator_notes_;                         // by number
    /// By coordinates and expressions.
    std::map<std::vector<std::pair<std::size_t, std::uint32_t>>, std::size_t> actuator_of_;
};

template <class Content>
void Elaborator::each_statement(void (Elaborator::*elaborate)(const Content&, const Statement&)) {
    for (const Statement& statement : syntax_.statements)
        if (const auto* content = std::get_if<Content>(&statement.content))
            guarded(statement, [&] { (this->*elaborate)(*content, statement); });
}

}  // namespace lacon::lang
