// Traces an element back to the statement of the model it comes from.
#pragma once

#include <cstdint>
#include <string>

#include "model/model.hpp"

namespace lacon::inline mechanics {

/// What an element comes from, for messages.
struct Origin {
    enum class Kind : std::uint8_t {
        particle,
        kinetic,
        potential,
        dissipation,
        force,
        particle_force,
        tree,  // of bodies: the number of its first one that moves
        body_force,
        torque,
        equation,
        constraint,
        nonideal,
        particle_nonideal,
        friction,
        dry_friction,
    };
    Kind kind = Kind::particle;
    std::uint32_t number = 0;      // in the model's list of that kind
    std::uint32_t coordinate = 0;  // of kind particle_nonideal: which of the particle's
};

/// "constraint 'rod'", "the force on 'bead'".
std::string text_of(const Model& model, Origin origin);
Span place_of(const Model& model, Origin origin);

}  // namespace lacon::mechanics
