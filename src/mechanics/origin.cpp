#include "mechanics/origin.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lacon {

using Kind = Origin::Kind;

std::string text_of(const Model& model, Origin origin) {
    const auto coordinate = [&](const auto& list) { return model.coordinates[list[origin.number].coordinate].name; };
    const auto is_control = [&](const std::string& row) {  // where what is required stands among the constraints, as in a servo
        const auto& required = model.requirements;
        return std::any_of(required.begin(), required.end(), [&](const ConstraintRow& r) { return r.name == row; });
    };
    switch (origin.kind) {
        case Kind::particle: return fmt::format("particle '{}'", model.particles[origin.number].name);
        case Kind::kinetic: return "the kinetic energy";
        case Kind::potential: return "the potential energy";
        case Kind::dissipation: return "the dissipation";
        case Kind::force: return fmt::format("the force on '{}'", coordinate(model.forces));
        case Kind::particle_force:
            return fmt::format("the force on '{}'", model.particles[model.particle_forces[origin.number].particle].name);
        case Kind::equation: return fmt::format("equation '{}'", coordinate(model.equations));
        case Kind::constraint: {
            const std::string& name = model.constraints[origin.number].name;
            return fmt::format("{} '{}'", is_control(name) ? "control" : "constraint", name);
        }
        case Kind::nonideal: return fmt::format("the nonideal force on '{}'", coordinate(model.nonideal));
        case Kind::particle_nonideal: return fmt::format("the nonideal force on '{}'", model.coordinates[origin.coordinate].name);
        case Kind::friction: break;
    }
    return fmt::format("the friction of constraint '{}'", model.frictions[origin.number].constraint);
}

Span place_of(const Model& model, Origin origin) {
    switch (origin.kind) {
        case Kind::particle: return model.particles[origin.number].span;
        case Kind::kinetic: return model.kinetic[origin.number].span;
        case Kind::potential: return model.potential[origin.number].span;
        case Kind::dissipation: return model.dissipation[origin.number].span;
        case Kind::force: return model.forces[origin.number].span;
        case Kind::particle_force: return model.particle_forces[origin.number].span;
        case Kind::equation: return model.equations[origin.number].span;
        case Kind::constraint: return model.constraints[origin.number].span;
        case Kind::nonideal: return model.nonideal[origin.number].span;
        case Kind::particle_nonideal: return model.particle_nonideal[origin.number].span;
        case Kind::friction: break;
    }
    return model.frictions[origin.number].span;
}

}  // namespace lacon
