// Looks up what an element comes from in the model's lists: its description and its place.
#include "mechanics/system/origin.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lacon::inline mechanics {

std::string text_of(const Model& model, Origin origin) {
    const auto coordinate = [&](const auto& list) {
        return model.coordinates[list[origin.number].coordinate].name;
    };
    // Requirements stand among the constraints of a servo.
    const auto is_control = [&](const std::string& row) {
        const auto& required = model.requirements;
        return std::any_of(required.begin(), required.end(),
                           [&](const ConstraintRow& r) { return r.name == row; });
    };
    switch (origin.kind) {
        case Origin::Kind::particle:
            return fmt::format("particle '{}'", model.particles[origin.number].name);
        case Origin::Kind::kinetic: return "the kinetic energy";
        case Origin::Kind::potential: return "the potential energy";
        case Origin::Kind::dissipation: return "the dissipation";
        case Origin::Kind::force: return fmt::format("the force on '{}'", coordinate(model.forces));
        case Origin::Kind::particle_force:
            return fmt::format("the force on '{}'",
                               model.particles[model.particle_forces[origin.number].particle].name);
        case Origin::Kind::tree:
            return fmt::format("the body '{}'", model.bodies[origin.number].name);
        case Origin::Kind::body_force:
            return fmt::format("the force on '{}'",
                               model.bodies[model.body_forces[origin.number].body].name);
        case Origin::Kind::torque:
            return fmt::format("the torque on '{}'",
                               model.bodies[model.torques[origin.number].body].name);
        case Origin::Kind::equation:
            return fmt::format("equation '{}'", coordinate(model.equations));
        case Origin::Kind::constraint: {
            const std::string& name = model.constraints[origin.number].name;
            return fmt::format("{} '{}'", is_control(name) ? "control" : "constraint", name);
        }
        case Origin::Kind::nonideal:
            return fmt::format("the nonideal force on '{}'", coordinate(model.nonideal));
        case Origin::Kind::particle_nonideal:
            return fmt::format("the nonideal force on '{}'",
                               model.coordinates[origin.coordinate].name);
        case Origin::Kind::dry_friction:
            return fmt::format("the friction on '{}'", coordinate(model.dry_frictions));
        case Origin::Kind::friction: break;
    }
    return fmt::format("the friction of constraint '{}'",
                       model.frictions[origin.number].constraint);
}

Span place_of(const Model& model, Origin origin) {
    switch (origin.kind) {
        case Origin::Kind::particle: return model.particles[origin.number].span;
        case Origin::Kind::kinetic: return model.kinetic[origin.number].span;
        case Origin::Kind::potential: return model.potential[origin.number].span;
        case Origin::Kind::dissipation: return model.dissipation[origin.number].span;
        case Origin::Kind::force: return model.forces[origin.number].span;
        case Origin::Kind::particle_force: return model.particle_forces[origin.number].span;
        case Origin::Kind::tree: return model.bodies[origin.number].span;
        case Origin::Kind::body_force: return model.body_forces[origin.number].span;
        case Origin::Kind::torque: return model.torques[origin.number].span;
        case Origin::Kind::equation: return model.equations[origin.number].span;
        case Origin::Kind::constraint: return model.constraints[origin.number].span;
        case Origin::Kind::nonideal: return model.nonideal[origin.number].span;
        case Origin::Kind::particle_nonideal: return model.particle_nonideal[origin.number].span;
        case Origin::Kind::dry_friction: return model.dry_frictions[origin.number].span;
        case Origin::Kind::friction: break;
    }
    return model.frictions[origin.number].span;
}

}  // namespace lacon::mechanics
