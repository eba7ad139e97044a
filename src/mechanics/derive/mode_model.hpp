// A mode of a motion with contacts: the mechanism between two changes of contact or friction.
#pragma once

#include <memory>

#include "mechanics/system/derived_model.hpp"

/// While no contact opens or closes and nothing begins to stick or to slip, a mechanism with
/// one-sided constraints and friction is an ordinary one: some of its one-sided rows hold as
/// equations, the others are not there; what sticks has its slip as a constraint on velocities;
/// what slides has its force of friction.
namespace lacon::inline mechanics {

struct ModeRows {
    /// In force: of the model, then of slip (numbered behind); increasing.
    std::vector<std::size_t> rows;
    std::vector<std::size_t> slides;  // frictions with a force of sliding; increasing
    auto operator<=>(const ModeRows&) const = default;
};

/// The mechanism of a mode; `whole` must outlive it. The directions of sliding in its parameters
/// are to be set.
std::unique_ptr<DerivedModel> make_mode_model(const DerivedModel& whole, const ModeRows& rows);

}  // namespace lacon::mechanics
