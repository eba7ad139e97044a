// The Model, the data structure between `lang`, which fills it, and `mechanics`.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.hpp"
#include "expr/curve.hpp"
#include "expr/graph.hpp"
#include "model/bodies.hpp"
#include "model/forms.hpp"

/// What a .lac file says, as data. Built by `lang` from text, or by hand from C++; `mechanics`
/// derives the equations from it. Expressions live in `Model::graph`; its symbols are those of the
/// coordinates, parameters, time and observed quantities below. What families have many of
/// (particles, energies, forces, equations, constraints, start values, drawings) are formulas:
/// `Model::forms` makes their expressions again.
namespace lacon::inline model {

using Components = std::vector<Expr>;  // of a vector in space; a scalar has one

struct Coordinate {
    std::string name;  // "x", "x[3]"
    Expr q, v, a;      // symbols of the coordinate and its first two time derivatives
    Span span;
    /// Only there for the force of a joint, and held at 0: no result shows it unless asked to.
    bool hidden = false;
};

struct Parameter {
    std::string name;
    Expr symbol;
    double value = 0.0;
    std::optional<double> low, high;  // `in LO..HI`
    std::string text;
    Span span;
    bool follows = false;  // its value is computed from other parameters
    bool shapes = false;   // families, loops or indices depend on its value
};

/// `data NAME = "file.csv" …`: a measured signal, NAME(x) in expressions.
struct Data {
    std::string file;  // as written
    std::shared_ptr<const Curve> curve;
    Span span;
};

struct Particle {
    std::string name;
    Formula position;  // 1 to 3 components
    Formula mass;
    Span span;
};

/// One term of T, V or Rayleigh's function.
struct EnergyTerm {
    Formula value;
    Span span;
};

struct Force {
    std::size_t coordinate = 0;
    Formula value;
    Span span;
};

struct ParticleForce {
    std::size_t particle = 0;
    Formula value;  // as many components as the particle's position
    Span span;
};

/// `force BODY = F` and `force BODY(…) = F`: at a point of a body.
struct BodyForce {
    std::size_t body = 0;
    Formula place;  // of the point in the world: 2 or 3 components
    Formula value;  // as many
    Span span;
};

/// `torque BODY = T`.
struct Torque {
    std::size_t body = 0;
    Formula omega;  // the body's angular velocity: 1 component in the plane, else 3
    Formula value;  // as many
    Span span;
};

/// `equation NAME: LHS = RHS`: value = LHS − RHS, linear in the accelerations.
struct EquationRow {
    std::size_t coordinate = 0;
    Formula value;
    Span span;
};

/// One scalar row φ = 0. A vector constraint gives one row a component, named NAME.x, NAME.y,
/// NAME.z (beyond three: NAME[4], …).
struct ConstraintRow {
    std::string name;
    Formula value;  // φ = LHS − RHS
    /// `stabilize A B`: entered as φ'' + A φ' + B φ = 0 (position level), or `stabilize A`: φ' + A
    /// φ = 0 (velocity level).
    std::optional<Expr> damping, stiffness;
    Span span;
    enum class Sense { equal, at_least, at_most };  // φ = 0; one-sided: φ ≥ 0, φ ≤ 0
    Sense sense = Sense::equal;
    std::optional<Expr> restitution = {};  // of a one-sided row; 0 where not given
    /// Of its force where constraints depend on each other; 1 where not given.
    std::optional<Expr> weight = {};
    std::optional<Formula> right = {};  // RHS as written, where the row was written as LHS = RHS
};

/// `friction MU [static MUS] [on PARTICLE | slip VELOCITY]` on a constraint: Coulomb's law.
struct Friction {
    std::string constraint;         // its name, for messages
    std::vector<std::size_t> rows;  // of the constraint: together they press
    Expr kinetic;
    std::optional<Expr> at_rest;  // `static MUS`; the kinetic one where not given
    /// The particle on which it acts, against its velocity relative to the constraint; or none,
    /// with `slip` given.
    std::optional<std::size_t> particle;
    Components slip;  // the velocity of sliding as written, linear in the velocities
    /// The direction in which a contact of shapes pushes, of length 1; `slip` is then the whole
    /// velocity of the point of contact. Empty where it is to be seen from the constraint.
    Components normal;
    Span span;
};

/// `friction x = F [static F0]`: dry friction with a fixed bound. The coordinate rests while the
/// force that this takes is at most F0, else it slides against −F·sign(x').
struct DryFriction {
    std::string name;  // "friction x"
    std::size_t coordinate = 0;
    Formula bound;                        // of t, q, q' and parameters; below 0 it counts as 0
    std::optional<Formula> at_rest = {};  // `static F0`; the bound itself where not given
    Span span;
};

/// One direction in which controls act: the generalized force is its effort times the direction.
struct Actuator {
    std::string name;  // "x", "bead.x", as given, or the text of its expression
    struct Part {
        std::size_t coordinate = 0;
        Expr value;  // of t, q, q' and parameters
    };
    std::vector<Part> direction;
    std::optional<Expr> low, high;  // `limit LO..HI`; of t, q, q' and parameters
    Span span;
};

/// `control NAME: LHS = RHS [by …] [weight …] [gain A [B]] [limit …] [nearest]`. What it requires
/// are rows of Model::requirements, `gain` their damping and stiffness (filled in where not given).
struct Control {
    std::string name;
    std::vector<std::size_t> rows;       // of Model::requirements
    std::vector<std::size_t> actuators;  // of Model::actuators
    bool nearest = false;                // out of reach: as near as can be, instead of an end
    Span span;
};

/// The cost uᵀ N u of some actuators; each is in one such list at most, and what is in none costs
/// Gauss's measure.
struct EffortWeight {
    std::vector<std::size_t> actuators;
    std::vector<std::vector<Expr>> N;  // symmetric (p × p); of t, q, q' and parameters
    Span span;
};

struct StartValue {
    std::size_t coordinate = 0;
    bool velocity = false;  // of q', else of q
    bool guess = false;     // `~`: may move to meet the constraints
    Formula value;  // of parameters, t, and coordinates whose start is fixed by an earlier `=`
    Span span;
};

struct SimulationSettings {
    Expr begin, end;  // of parameters
    std::optional<Expr> every, tolerance;
    std::string method;  // one of method_names(); empty if not given
    Span span;
    std::string impacts = {};  // one of impact_law_names(); empty if not given
};

/// The names `method` takes in 'simulate' and on the command line.
std::span<const std::string_view> method_names();
/// The names `impacts` takes there: simultaneous, sequential.
std::span<const std::string_view> impact_law_names();

/// A quantity that only a computation knows, usable in `output` and `event`, of kind force
/// (`load(C)`) in `nonideal` too: it enters expressions as a symbol.
struct Observed {
    enum class Kind {
        energy,
        kinetic,
        potential,
        force,
        multiplier,
        residual,
        // of a control; `rows` is then its number in Model::controls
        control_force,  // norm of its force over the coordinates
        control_power,  // force · q'
        control_error,  // norm of the tracking errors of its rows
        effort,         // of an actuator, by all controls; `rows` is its number in Model::actuators
    };
    Kind kind = Kind::energy;
    /// Of the constraint: one row, or all rows of a vector constraint. Empty for energies.
    std::vector<std::size_t> rows;
    Expr symbol;
};

/// `event NAME: EXPR [rising | falling] [stop]`, or with LHS = RHS: happens where the value crosses
/// zero.
struct Event {
    std::string name;
    Expr value;         // EXPR, or LHS − RHS; may use accelerations and observed quantities
    bool stop = false;  // the motion ends there
    /// 1: only where it rises through zero; -1: only where it falls; 0: either, and where it
    /// touches.
    std::int8_t direction = 0;
    Span span;

    /// Whether a zero counts: `side` is the sign behind it; `touches`: there is no change of sign.
    bool counts(int side, bool touches) const {
        return direction == 0 || (!touches && side == direction);
    }
};

struct Output {
    std::string name;  // as given, else the canonical text
    Expr value;
    Span span;
};

/// What a picture shows: `draw NAME [trail]`, `draw line A to B {to C}`, `draw spring A to B`,
/// `draw arrow A to B`, `draw circle C radius R`, `draw text "LABEL" at V`; each `[color "NAME"]`.
struct Drawing {
    enum class Kind { point, line, circle, spring, arrow, text };
    Kind kind = Kind::point;
    bool trail = false;
    std::string name;   // of the point drawn, else empty; of a text its words
    std::string color;  // "#rrggbb" or one of color_names(); empty where not given
    /// How many components a point has; `value` has those of each point one after the other, and
    /// then the radius of a circle.
    std::size_t dimension = 0;
    Formula value;
    Span span;
};

/// The names that `color` takes besides "#rrggbb".
std::span<const std::string_view> color_names();

struct Model {
    Graph graph;
    Forms forms;
    std::string title;                                     // empty if not given
    SourceText source;                                     // for places in later messages
    std::vector<std::pair<std::string, double>> settings;  // values of parameters from outside

    Expr time;
    std::vector<Coordinate> coordinates;
    std::vector<Parameter> parameters;
    std::vector<Data> data;
    std::vector<Particle> particles;
    std::vector<Body> bodies;
    std::vector<Joint> joints;
    std::vector<BodyShape> shapes;
    Components gravity;  // empty for none
    Span gravity_span;
    std::vector<EnergyTerm> kinetic, potential, dissipation;
    std::vector<Force> forces;
    std::vector<ParticleForce> particle_forces;
    std::vector<BodyForce> body_forces;
    std::vector<Torque> torques;
    std::vector<EquationRow> equations;
    std::vector<ConstraintRow> constraints;
    std::vector<Friction> frictions;
    std::vector<DryFriction> dry_frictions;  // one a coordinate at most
    /// Components of c; may use symbols of `observed` of kind force, the loads.
    std::vector<Force> nonideal;
    std::vector<ParticleForce> particle_nonideal;  // the same on particles
    std::vector<ConstraintRow> requirements;       // of all controls
    std::vector<Actuator> actuators;               // of all controls, each once
    std::vector<Control> controls;
    std::vector<EffortWeight> effort_weights;
    std::vector<StartValue> start;
    std::optional<SimulationSettings> simulation;
    std::vector<Observed> observed;
    std::vector<Event> events;
    /// Columns besides the time and the state. After those in the text come, of each control,
    /// NAME.force, NAME.power, NAME.error, and effort.ACTUATOR of each actuator.
    std::vector<Output> outputs;
    /// `output x`, `output t`: asked for by name, though columns anyway.
    std::vector<Output> state_outputs;
    std::vector<Drawing> drawings;

    // Symbols that derivation adds for forces that depend on the constraints' own
    // (mechanics/derive/friction.hpp).
    std::vector<Expr> multipliers;  // of the constraint rows; empty where nothing depends on them
    /// Of sliding, given from outside as parameters are, and numbered behind those.
    std::vector<Expr> directions;

    /// Title, or the file's name without folder and ending.
    std::string display_name() const;
    /// Gives back what was set aside for growing.
    void shrink();
    /// How many components the particle's position has.
    std::size_t dimension_of(const Particle& particle) const {
        return forms.count_of(particle.position);
    }
};

}  // namespace lacon::model
