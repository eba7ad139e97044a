// The System: shapes, elements and leaves, from which M, Q, A and b are computed (theory 1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "expr/graph.hpp"
#include "expr/program.hpp"
#include "lacon/mechanism.hpp"
#include "mechanics/system/origin.hpp"
#include "model/model.hpp"

/// Model → System: the equation of motion by elements.
///
/// Every energy term, force, equation and constraint row is an element with its own few
/// coordinates. Elements of one shape (the same expressions with other coordinates and parameters
/// in them) are derived once, over local symbols, and evaluated with the leaves of each. No
/// expression over the whole model is ever formed, so the cost is linear in the model.
namespace lacon::inline mechanics {

/// Where a derived number goes; i and j count the element's own coordinates.
struct Entry {
    enum class Target : std::uint8_t {
        mass,         // M_ij and, for i ≠ j, M_ji
        mass_single,  // M_ij alone (an `equation` row)
        force,        // Q_i
        row,          // A_j of the element's row
        right,        // b of the row
        residual,     // φ of the row
        velocity_residual,
        kinetic,
        potential,
    };
    Target target = Target::mass;
    std::uint32_t i = 0, j = 0;
};

/// Derived numbers as expressions, with what they are for.
struct Derived {
    std::vector<Entry> entries;
    std::vector<Expr> values;  // of System::graph, over its local symbols

    void put(Entry entry, Expr value) {
        entries.push_back(entry);
        values.push_back(value);
    }
};

/// What all elements of one shape share. Inputs of the programs: q (k), q' (k), parameters (p), t;
/// of `nonideal`, multipliers (l).
struct Shape {
    std::size_t coordinates = 0;  // k
    std::size_t parameters = 0;   // p
    std::size_t multipliers = 0;  // l
    Level level = Level::position;
    Derived dynamics, residuals, energies, nonideal;
    Program dynamics_program, residuals_program, energies_program, nonideal_program;

    std::size_t input_count() const { return 2 * coordinates + parameters + 1; }
};

struct Element {
    std::uint32_t shape = 0;
    /// Into System::leaves: the numbers of its coordinates, its parameters, and the rows of
    /// multipliers.
    std::uint32_t leaves = 0;
    std::int32_t row = -1;  // of a constraint, else −1
    /// As `row`: adds nothing to the equations, only its decisions are watched.
    static constexpr std::int32_t watched_only = -2;
    std::uint32_t origin = 0;  // into System::origins
};

/// A part of the force c of constraints that are not ideal (theory 4).
struct NonidealElement {
    /// As a leaf: a constraint that is not in force, and presses nothing.
    static constexpr std::uint32_t no_row = ~0u;
    Element element;
    std::int32_t friction = -1;  // of System::frictions, else −1: a `nonideal` statement
    bool in_force = false;       // depends on no load, and is in Q too, as any force
};

/// Coulomb's friction of one constraint, or dry friction with a fixed bound of one coordinate. Its
/// velocity of sliding is the residual of its rows of slip.
struct FrictionPart {
    std::string name;  // of the constraint, or "friction x"
    /// With a fixed bound: `kinetic` and `at_rest` are bounds, and nothing presses.
    bool fixed = false;
    std::size_t coordinate = 0;     // of a fixed bound
    std::vector<std::size_t> rows;  // that press
    int side = 0;          // of a one-sided row: 1 for φ ≥ 0, −1 for φ ≤ 0; 0: two-sided
    std::size_t slip = 0;  // number of its first row of slip, counted from 0
    std::size_t slip_count = 0;
    /// Its first number in the parameters: the direction of sliding, then the axis of its frame.
    std::size_t direction = 0;
    bool framed = false;  // its slip is along e × n and n × (e × n), e the axis (3): never along n
    // Expressions of the model's graph:
    Expr kinetic, at_rest;
    /// (rows × d): the force on the sliding point for a multiplier 1.
    std::vector<Components> normals;
    Span span;
};

struct System {
    Graph graph;                      // of the shapes
    std::vector<Expr> q, v, a, p, l;  // its local symbols, as many as the largest shape needs
    Expr t;
    std::vector<Shape> shapes;
    std::vector<Element> elements;
    std::vector<std::uint32_t> leaves;
    std::vector<Origin> origins;
    /// Numbers in which elements of one shape differ, given to them as parameters are: numbered
    /// behind those of the model and the directions of sliding.
    std::vector<double> constants;

    std::size_t coordinate_count = 0;  // n
    std::vector<Level> levels;         // of the constraint rows (m)
    std::vector<bool> stabilized;      // rows entered with `stabilize`

    std::vector<FrictionPart> frictions;
    /// Rows of slip (velocity level), numbered behind the constraint rows.
    std::vector<Element> slip_elements;
    std::vector<NonidealElement> nonideal;  // c
    /// Forces of dry friction while it slides: as parts of Q, and of c. Only phases in which it
    /// slides have them (mode_model.hpp), among their elements and in `nonideal`. What it can hold
    /// at rest is only watched.
    std::vector<NonidealElement> dry_forces, dry_nonideal, dry_bounds;

    std::size_t row_count() const { return levels.size(); }
};

/// Derives the system; nothing where the model has errors of mechanics (they are then in
/// `diagnostics`). The model's graph grows by the expressions that were needed.
std::optional<System> derive(Model& model, Diagnostics& diagnostics);
/// The system of a model that has constraints behind those of a known system, and no friction; in
/// all else the model is the one that `known` was derived from. Only these rows are derived.
std::optional<System> derive_more_rows(const System& known, Model& model, Diagnostics& diagnostics);

}  // namespace lacon::mechanics
