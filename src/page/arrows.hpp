// The forces that a page draws as arrows, at one state after another.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "expr/program.hpp"
#include "page/page_data.hpp"
#include "scene/scene.hpp"

namespace lacon::inline page {

/// A force or torque drawn as an arrow: its components are columns `first`, `first` + 1, … of
/// Arrows::columns.
struct ForceArrow {
    std::string name;    // of the constraint, joint or control
    std::string kind;    // constraint, contact, control
    bool turns = false;  // a torque
    Spot at{};
    std::size_t first = 0;
};

/// Finds what has an arrow: contacts and joints of bodies where they act; other constraints on
/// particles, else between points, else on bodies; controls on particles and bodies.
class Arrows {
public:
    /// `details` are those that the scene was made of. Both must outlive it.
    Arrows(const DerivedModel& details, const Scene& scene);
    /// An evaluation of the same model.
    void take(const Evaluation& at);

    std::vector<ForceArrow> arrows;
    std::vector<FloatColumn> columns;

private:
    using Force = std::array<double, 3>;
    /// What an arrow is computed from: a force of the scene, or the generalized force of rows or of
    /// a control on the coordinates of a place.
    struct Source {
        std::optional<std::size_t> scene_force, control;
        std::vector<std::size_t> rows;
        std::array<std::optional<std::size_t>, 3> coordinates;
    };
    /// A place whose components are coordinates: forces on these are forces on it.
    struct Target {
        Spot at;
        std::array<std::optional<std::size_t>, 3> coordinates;
    };
    struct Group {
        std::string name;
        std::vector<std::size_t> rows;
    };

    std::vector<Group> groups() const;
    std::vector<Target> particles() const;
    std::vector<Target> bodies() const;
    std::optional<Target> target(const Spot& at) const;
    std::vector<std::size_t> coordinates_of(const std::vector<std::size_t>& rows) const;
    void find_constraints();
    void find_controls();
    bool add_on(const std::vector<Target>& targets, const ForceArrow& arrow, const Source& source,
                const std::vector<std::size_t>& coordinates);
    void add_scene_force(std::size_t number);
    void add(ForceArrow arrow, Source source);

    void evaluate_scene(const Evaluation& at);
    Force friction_of(std::size_t scene_force, const Evaluation& at) const;
    double component(const Source& source, std::size_t i, const Evaluation& at) const;

    const DerivedModel& details_;
    const Model& model_;
    const Scene& scene_;
    SymbolRoles roles_;
    std::vector<Source> sources_;

    // The forces of the scene as one program: force and torque of each, then the frictions' rates.
    struct Input {
        bool is_multiplier = false;
        std::size_t row = 0;
        SymbolRole role;
    };
    /// Of a contact with friction: of its slip each component by the velocity of each coordinate.
    struct Rubbing {
        std::size_t first = 0;  // output of the program
        std::vector<std::size_t> coordinates;
        std::size_t normal = 0;  // output: 3 numbers
    };
    std::vector<Input> inputs_;
    std::vector<std::optional<Rubbing>> rubbing_;  // by scene force
    Program program_;
    std::vector<double> numbers_, slots_, values_;
};

}  // namespace lacon::page
