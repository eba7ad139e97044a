// Masses and inertias of solid geoms: by the formulas of the shapes of models.
#include "robot/mjcf.hpp"
#include "shape/mass.hpp"

namespace lacon::inline robot {

Inertia inertia_of_solid(const Shape& given, std::optional<double> mass, double density) {
    Graph graph;
    shape::Space space(graph);
    const auto vector = [&](const Vector& v) { return space.constant(v[0], v[1], v[2]); };
    shape::Shape solid;
    solid.kind = given.kind;
    for (std::size_t i = 0; i < shape::facts_of(solid.kind).sizes; ++i)
        solid.sizes.push_back(graph.constant(given.size[i]));
    const Rows3 R = matrix(given.pose.turn);
    solid.frame = {vector(given.pose.place), {vector(R[0]), vector(R[1]), vector(R[2])}};
    const shape::MassProperties own = shape::mass_properties(graph, solid);
    const shape::Matrix I = shape::inertia_of(graph, own);
    const auto entry = [&](std::size_t i, std::size_t j) { return graph.value(I[i][j]); };
    const double volume = graph.value(own.volume);
    Inertia result;
    result.mass = mass ? *mass : density * volume;
    result.center = given.pose.place;
    if (volume > 0)
        result.tensor = (result.mass / volume) * Tensor{entry(0, 0), entry(1, 1), entry(2, 2),
                                                        entry(0, 1), entry(0, 2), entry(1, 2)};
    return result;
}

}  // namespace lacon::robot
