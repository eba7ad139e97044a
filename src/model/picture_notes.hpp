// What a model says beside the motion, for pictures: where constraints act, and between which
// points.
#pragma once

#include <string>
#include <vector>

#include "model/forms.hpp"

namespace lacon::inline model {

/// What constraints exert on a body at a place: at a contact of shapes on the first body, at a
/// joint on the second one, of a rolling joint on what rolls.
struct Exertion {
    enum class Kind { contact, joint };
    Kind kind = Kind::joint;
    std::string name;               // of the contact's row, or the joint
    std::vector<std::size_t> rows;  // of Model::constraints
    /// In the world, three components each: the place; force and torque whatever the multipliers
    /// are; then force and torque of each row with multiplier 1.
    Formula value;
};

/// Two points whose distance a constraint is about: the first three components and the last three.
struct SpannedRow {
    std::size_t row = 0;
    Formula ends;
};

/// Noted where a model is read for pictures. Joints that carry bodies are then read as if their
/// force were asked for, where `joint_forces` says so: they have coordinates more, which are hidden
/// and held at 0.
struct PictureNotes {
    bool joint_forces = false;
    std::vector<Exertion> exertions;
    /// Of each difference A - B of vectors in the text: the components of A, then those of B.
    std::vector<Formula> differences;
    std::vector<SpannedRow> spans;
};

}  // namespace lacon::model
