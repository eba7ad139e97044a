// What there is to draw of a model: points, lines, bodies, rods, ropes, floors, as data. Where
// they stand is told by numbers, the channels, which follow from the state.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expr/program.hpp"
#include "expr/spatial.hpp"
#include "mechanics/system/derived_model.hpp"
#include "mechanics/system/symbols.hpp"
#include "model/picture_notes.hpp"
#include "shape/mesh.hpp"
#include "shape/shape.hpp"

/// A picture of a mechanism before anyone draws it. The items that `draw` asks for come first; then
/// what is seen without being asked for: particles, bodies, distance constraints as rods, one-sided
/// ones as ropes and floors, and springs. What a constraint or a potential looks like is found from
/// its form.
namespace lacon::inline scene {

/// A number of Scene's channels.
using Channel = std::uint32_t;
using Spot = std::array<Channel, 3>;

struct SceneItem {
    enum class Kind { point, line, circle, spring, arrow, text, rod, rope, floor };
    Kind kind = Kind::point;
    std::string name = {};   // of the particle or constraint; of a text its words
    std::string color = {};  // as the model gives it, or empty
    bool trail = false;
    std::vector<Spot> places = {};             // of a floor a point and the normal
    std::optional<Channel> radius = {};        // of a circle
    std::optional<std::size_t> particle = {};  // in the model
    /// The constraint whose rod, rope or floor it is: its first row.
    std::optional<std::size_t> row = {};
};
std::string_view name_of(SceneItem::Kind kind);

/// A shape in the axes of its body, with its numbers at the parameters.
struct SceneShape {
    shape::Kind kind = shape::Kind::sphere;
    std::vector<double> sizes;
    std::array<double, 3> place{}, scale{1.0, 1.0, 1.0};
    std::array<double, 9> R{};  // by rows
    std::shared_ptr<const shape::Mesh> mesh;
    std::string file;  // of the mesh
};

struct SceneBody {
    std::string name;  // empty: the ground
    std::ptrdiff_t parent = -1;
    Spot place{};                    // of its frame
    std::array<Channel, 9> R{};      // of its axes, by rows
    std::array<double, 3> center{};  // of its mass, in its axes
    std::array<double, 3> axes{};    // half axes of the ellipsoid with its mass and inertia, in its
                                     // axes; 0: there is none, or it is not along them
    bool turns = false;              // the joint that carries it turns about `axis`,
    std::array<double, 3> axis{};    //   in its axes
    std::vector<SceneShape> shapes;
};

/// What constraints exert at a point: a contact of shapes, a joint, a rod between points of bodies,
/// an equation `A = B` of points.
struct SceneForce {
    enum class Kind { constraint, contact };
    Kind kind = Kind::constraint;
    std::string name = {};
    bool noted = false;                  // of a contact or joint of bodies: these know best
    std::vector<std::size_t> rows = {};  // of the model's constraints
    Spot at{};
    /// In Scene::graph, of the state and of Scene::multipliers.
    Vector3 force{}, torque{};
};

/// Constraints that hold one point on a curve or surface: an equation, equations together, or a
/// one-sided one. The place of the point has coordinates as components, or what rests.
struct SceneTrace {
    std::string name;
    std::size_t row = 0;  // the first one
    bool one_sided = false;
    Spot place{};
    std::array<std::optional<std::size_t>, 3> coordinates;
    std::vector<Expr> values;  // in Scene::graph: 0, and not below it where one-sided

    /// 1: a curve, 2: a surface.
    std::size_t freedom() const {
        std::size_t moving = 0;
        for (const auto& c : coordinates) moving += c ? 1 : 0;
        return moving > values.size() ? moving - values.size() : 0;
    }
};

struct Scene {
    bool planar = true;
    std::array<double, 3> gravity{};
    std::vector<SceneItem> items;
    std::vector<SceneForce> forces;
    std::vector<SceneTrace> traces;
    std::vector<std::pair<Expr, std::size_t>> multipliers;  // in `graph`: symbols, and their rows
    std::vector<SceneBody> bodies;                          // the ground first, where it has shapes
    std::vector<std::string> left_out;                      // what is not drawn, and why: sentences
    std::vector<Expr> channels;                             // in `graph`
    Graph graph;  // the model's, and what was made for the channels
};

/// `details` as built: of the model, at its parameters. `notes` are those of its text.
Scene make_scene(const DerivedModel& details, const PictureNotes& notes = {});

/// The number of a symbol of the model at a state.
double value_of(const SymbolRole& role, const DerivedModel& details, const State& state);

/// Expressions of a scene as numbers at a state. Built once; holds workspace.
class SceneValues {
public:
    /// `details` must outlive it.
    SceneValues(const DerivedModel& details, const Graph& graph, std::span<const Expr> expressions);
    /// The channels.
    SceneValues(const DerivedModel& details, const Scene& scene)
        : SceneValues(details, scene.graph, scene.channels) {}
    std::size_t count() const { return program_.output_count(); }
    /// At a state, of count() numbers.
    void at(const State& state, std::span<double> out);

private:
    const DerivedModel& details_;
    std::vector<SymbolRole> roles_;
    Program program_;
    std::vector<double> inputs_, slots_;
};

}  // namespace lacon::scene
