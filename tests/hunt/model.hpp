// A model as the hunt has it, and its text for the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hunt/tree.hpp"

/// A random model: the statements as the oracle keeps them, and the text the engine reads.
namespace hunt {

enum class Kind { kinetic, potential, dissipation };  ///< of an energy

struct Model {
    struct Particle {
        std::string name;
        std::vector<int> at;  // components
        double mass = 1.0;
    };
    struct Energy {
        Kind kind = Kind::kinetic;
        int node = 0;
    };
    struct Force {
        int coordinate = 0;
        int node = 0;
    };
    /// left = right, with accelerations: a row of M q'' = Q written out.
    struct Equation {
        int coordinate = 0;
        int left = 0, right = 0;
    };
    struct Row {
        std::string name;
        int level = 0;  // 0 position, 1 velocity, 2 acceleration
        int left = 0, right = 0;
        bool one_sided = false;  // left >= right
        double restitution = 0.0;
        /// Coefficients of sliding (negative: none) and of rest (negative: the same).
        double friction = -1.0, at_rest = -1.0;
        int slip = -1;  // velocity of sliding, a node; −1: that of a particle
        /// Which slides then: its coordinates are the first two, and it is in the plane.
        std::string on = {};
        /// A coordinate with dry friction: the text gives that its bound, and the oracle rubs at
        /// this row, which is pressed with a force of 1.
        std::string dry = {};
        bool rubs() const { return friction >= 0.0; }
        bool is_contact() const { return one_sided || rubs(); }
    };
    /// left = right (one-sided: left >= right) by all actuators of the model together.
    struct Control {
        std::string name;
        int level = 0;
        int left = 0, right = 0;
        std::vector<double> gain;  // two at position level, one at velocity level
        bool one_sided = false;
    };
    struct Actuator {
        std::string name;
        int node = 0;         // its effort does work with this
        double weight = 0.0;  // cost of its square; 0: none is given
        double limit = 0.0;   // of its size; 0: none
    };
    struct Event {
        std::string name;
        int node = 0;  // zero crossings of this
    };
    /// Where `node` is 0 there is something of this width: the reference takes steps that resolve
    /// it.
    struct Narrow {
        int node = 0;
        double width = 1.0;
    };

    std::shared_ptr<Tree> tree = std::make_shared<Tree>();
    std::vector<std::string> names;  // of the coordinates
    std::vector<Table> tables;
    std::vector<Particle> particles;
    std::vector<double> gravity;  // components, or none
    std::vector<Energy> energies;
    std::vector<Force> forces;
    std::vector<Row> rows;
    std::vector<Equation> equations;
    std::vector<Control> controls;
    std::vector<Actuator> actuators;
    std::vector<std::string> lines;  // further statements, as they are
    std::vector<int> conserved;      // do not change along the motion
    std::vector<bool> held;    // whether a coordinate's start value is given with `=`; empty: none
    std::vector<double> q, v;  // guesses of the start state
    double begin = 0.0, end = 1.0;
    std::vector<double> breaks;  // times at which something in explicit time changes its form
    std::vector<Narrow> narrow;
    std::vector<Event> events;
    bool conservative = false;  // T + V is kept
    std::string text = {};      // written by hand (families); empty: from the statements

    Term x(int i) const { return {tree.get(), tree->make(Op::coordinate, {}, 0.0, i)}; }
    Term v_of(int i) const { return {tree.get(), tree->make(Op::velocity, {}, 0.0, i)}; }
    Term a_of(int i) const { return {tree.get(), tree->make(Op::acceleration, {}, 0.0, i)}; }
    Term t() const { return {tree.get(), tree->make(Op::time, {})}; }
    Term c(double value) const { return {tree.get(), tree->number(value)}; }
    int add_coordinate(const std::string& name, double at, double speed);  // its number
    void add(Kind kind, const Term& term) { energies.push_back({kind, term.node}); }
    void push(int coordinate, const Term& term) { forces.push_back({coordinate, term.node}); }
    void require(const std::string& name, const Term& left, const Term& right, int level = 0);
    int count() const { return static_cast<int>(names.size()); }
};

/// How a model is worded; nothing of it changes what it says.
struct Wording {
    std::uint64_t shuffle = 0;  // order of the lines; 0: as they are
    /// Numbers become parameters and parts of formulas get names (`let`); 0: none.
    std::uint64_t names = 0;
};

/// The model as lines of the language.
std::string text_of(const Model& model, const Wording& wording = {});
std::string csv_of(const Table& table);

}  // namespace hunt
