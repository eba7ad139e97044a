// Contact modes: what is closed, what sticks, what slides and which way.
#pragma once

#include <vector>

#include "lacon/contact.hpp"
#include "mechanics/derive/mode_model.hpp"

namespace lacon::inline contact {

using ContactState = ContactSolution::ContactState;
using FrictionState = ContactSolution::FrictionState;

/// What is in force at a time: which contacts are closed, what sticks, what slides and which way.
/// Numbers are those of the whole mechanism.
struct ContactModes {
    /// Of each constraint row of the model; two-sided ones are `working`.
    std::vector<ContactState> contact_states;
    std::vector<FrictionState> friction_states;  // of each friction
    std::vector<double> directions;  // of sliding, as in the parameters behind those of the model
    std::vector<std::size_t> held;   // rows of slip in force, numbered behind those of the model
    ModeRows mode_rows() const;
};

/// 1 for φ ≥ 0, −1 for φ ≤ 0, 0 for a two-sided row.
int side_of(const ConstraintRow& row);

/// What holds whatever the contacts do: the two-sided rows alone.
ContactModes two_sided_rows(const DerivedModel& whole);
/// Gives a model in a mode the directions in which what slides does.
void set_directions(const ContactModes& modes, DerivedModel& mode);
/// The mechanism in a mode; `whole` must outlive it.
std::unique_ptr<DerivedModel> make_mode_model(const DerivedModel& whole, const ContactModes& modes);

/// The modes from a list of numbers, as earlier versions kept them in checkpoints: states of
/// contacts and frictions, directions, rows that are held. Throws std::out_of_range for a list that
/// is too short.
ContactModes unpacked_modes(const DerivedModel& whole, const std::vector<double>& numbers);

}  // namespace lacon::contact
