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
#include "mechanics/system/derived_model.hpp"
#include "mechanics/system/symbols.hpp"
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

/// Where the force of a constraint `A = B` between points acts: on A, with its multipliers.
struct Anchor {
    std::size_t row = 0, rows = 0;  // of the model's constraints
    Spot at{};
};

struct Scene {
    bool planar = true;
    std::array<double, 3> gravity{};
    std::vector<SceneItem> items;
    std::vector<Anchor> anchors;
    std::vector<SceneBody> bodies;      // the ground first, where it has shapes
    std::vector<std::string> left_out;  // what is not drawn, and why: sentences
    std::vector<Expr> channels;         // in `graph`
    Graph graph;                        // the model's, and what was made for the channels
};

/// `details` as built: of the model, at its parameters.
Scene make_scene(const DerivedModel& details);

/// The channels as numbers at a state. Built once; holds workspace. Both must outlive it.
class SceneValues {
public:
    SceneValues(const DerivedModel& details, const Scene& scene);
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
