#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/memo.hpp"
#include "lacon/mechanism.hpp"
#include "mechanics/system.hpp"

namespace lacon {

/// A model with its derived system and the names and values that evaluations use. Built once.
struct SystemDetails {
    explicit SystemDetails(std::shared_ptr<const Model> m) : shared_model(std::move(m)), model(*shared_model) {}

    const std::shared_ptr<const Model> shared_model;
    const Model& model;
    System system;
    std::string name;
    std::vector<double> parameters;  // behind those of the model, the directions of sliding
    std::vector<std::string> coordinate_names, constraint_names;
    std::vector<double> weights;  // of the constraint rows, where the model gives any; empty: all 1
    mutable Memo memo = {};       // of what others make from it

    // Of a phase (mechanics/phase.hpp):
    const SystemDetails* whole = nullptr;
    bool forces_unique = true;      // false: other sets of rows would do too, and single forces are a convention
    std::vector<std::size_t> rows;  // its constraint rows, as numbers of the whole's: rows of slip are behind those of the model

    /// Fills `weights` from the model at the parameters.
    void weigh();
    /// Whether what constrains the motion may change on the way: one-sided rows, or friction, which may hold.
    bool has_contacts() const;
};

}  // namespace lacon
