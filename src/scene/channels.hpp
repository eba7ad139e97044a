// Gives expressions their channels: each expression has one, wherever it is used.
#pragma once

#include <map>
#include <optional>
#include <span>

#include "expr/spatial.hpp"
#include "expr/traverse.hpp"
#include "model/joints.hpp"
#include "scene/scene.hpp"

namespace lacon::inline scene {

/// What the parts of a scene are made with.
class SceneMaker {
public:
    SceneMaker(const DerivedModel& details, const PictureNotes& notes, Scene& scene);

    const DerivedModel& details;
    const PictureNotes& notes;
    const Model& model;
    SymbolRoles roles;
    Scene& scene;
    Graph& graph;  // of the scene

    Channel channel(Expr e);
    Spot place(const Vector3& v);
    /// In space: missing components are 0.
    Vector3 in_space(std::span<const Expr> components) const;
    std::vector<Expr> expressions(const Formula& formula) {
        return model.forms.expressions(formula, graph);
    }
    /// The coordinates, by number, whose value or rate `e` uses: increasing.
    std::vector<std::size_t> coordinates_of(Expr e) const;
    /// Whether it is of t, q, q' and parameters alone.
    bool is_known(Expr e) const;
    /// Its number at the parameters; of what depends on nothing else.
    double number(Expr e) const;
    /// The symbol of the multiplier of a constraint row.
    Expr multiplier(std::size_t row);
    /// Whether a point moves as one of a body does, or rests.
    bool is_point_of_body(const Vector3& place) const;

    void add_bodies();     // bodies.cpp
    void add_drawings();   // scene.cpp
    void add_particles();  // scene.cpp
    void add_links();      // links.cpp
    void add_exertions();  // exertions.cpp
    /// Of constraint rows that are nothing else in the picture. (traces.cpp)
    void add_traces(std::span<const std::size_t> rows);

private:
    ExprMap<Channel> known_;
    std::map<std::size_t, Expr> multipliers_;  // by row
    std::vector<Frame> frames_;                // of the bodies
};

/// Two points whose distance an expression is about.
struct Ends {
    Vector3 first, second;
    Expr slope;  // by how much the expression grows with the distance
};
/// The points of the distance that a value holds: of `norm(A - B) - L`, of its square, or of a
/// multiple. One of the ends is a particle, and the other one is at rest or moves as a particle
/// does; or A and B are points of bodies, written as such a difference. None where the value is no
/// such thing. (distance.cpp)
class Distances {
public:
    explicit Distances(SceneMaker& maker);
    /// All of `value` depends on the motion by one distance.
    std::optional<Ends> ends_of(Expr value) const;
    /// The particles, by number, whose places move with a coordinate.
    const std::vector<std::size_t>& particles_of(std::size_t coordinate) const {
        return particles_of_[coordinate];
    }

private:
    using Pair = std::pair<Vector3, Vector3>;
    std::optional<Pair> ends_of_parts(std::span<const Expr> parts) const;
    std::optional<Pair> ends_at(std::size_t particle, std::span<const Expr> parts) const;
    std::optional<Pair> written_ends(std::span<const Expr> parts) const;
    std::vector<Expr> key_of(std::span<const Expr> parts) const;
    bool is_point(const Vector3& place) const;

    SceneMaker& maker_;
    std::vector<Vector3> places_;                         // of the particles
    std::vector<std::vector<std::size_t>> particles_of_;  // by coordinate
    std::map<std::vector<Expr>, Pair> written_;           // by the key of A − B
};

}  // namespace lacon::scene
