// Masses and inertias of solid shapes: by the formulas that shapes of models have.
#include "shape/mass.hpp"

#include "robot/robot.hpp"

namespace lacon::inline robot {

Inertia inertia_of_solid(const Shape& given, std::optional<double> mass, double density,
                         std::shared_ptr<const shape::Mesh> mesh) {
    Graph graph;
    shape::Space space(graph);
    const auto vector = [&](const Vector& v) { return space.constant(v[0], v[1], v[2]); };
    shape::Shape solid;
    solid.kind = given.kind;
    for (std::size_t i = 0; i < shape::facts_of(given.kind).sizes; ++i)
        solid.sizes.push_back(graph.constant(given.size[i]));
    const Rows3 R = matrix(given.pose.turn);
    solid.frame = {vector(given.pose.place), {vector(R[0]), vector(R[1]), vector(R[2])}};
    solid.mesh = std::move(mesh);
    solid.scale = vector(given.scale);
    const shape::MassProperties own = shape::mass_properties(graph, solid);
    const shape::Matrix I = shape::inertia_of(graph, own);
    const auto number = [&](Expr e) { return graph.value(e); };
    const double volume = number(own.volume);
    Inertia result;
    result.mass = mass ? *mass : density * volume;
    for (std::size_t i = 0; i < 3; ++i) result.center[i] = number(own.center[i]);
    result.tensor =
        (result.mass / volume) * Tensor{number(I[0][0]), number(I[1][1]), number(I[2][2]),
                                        number(I[0][1]), number(I[0][2]), number(I[1][2])};
    return result;
}

}  // namespace lacon::robot
