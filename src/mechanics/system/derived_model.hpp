// A derived system with the names, parameter values and controls that go with it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/memo.hpp"
#include "lacon/mechanism.hpp"
#include "mechanics/system/system.hpp"

namespace lacon::inline control {
struct EffortSource;  // control/effort_source.hpp
}

namespace lacon::inline mechanics {

/// A model with its derived system and the names and values that evaluations use. Built once.
struct DerivedModel {
    DerivedModel(std::shared_ptr<const Model> m, std::shared_ptr<const System> s)
        : shared_model(std::move(m)),
          model(*shared_model),
          shared_system(std::move(s)),
          system(*shared_system) {}

    const std::shared_ptr<const Model> shared_model;
    const Model& model;
    const std::shared_ptr<const System> shared_system;
    const System& system;
    std::string name;
    /// Behind those of the model, the directions of sliding and System::constants.
    std::vector<double> parameters;
    std::vector<std::string> coordinate_names, constraint_names, parameter_names;
    Settings settings;            // values of parameters from outside
    std::vector<double> weights;  // of the constraint rows, where the model gives any; empty: all 1
    mutable Memo memo = {};       // of what others make from it

    // Of a model with controls:
    std::vector<std::string> control_names, actuator_names;
    /// The same mechanism with what is required of it as constraints, behind its own rows: as
    /// `gain` enters them, one-sided ones as equations too; or exactly, without the one-sided ones.
    std::shared_ptr<const DerivedModel> servo, demanded;
    /// Who computes the efforts; none: the model's own controls, knowing all.
    std::shared_ptr<const EffortSource> effort_source;
    /// Of a mode: what is in force, as decided where it began.
    std::optional<ControlSet> control_set;

    // Of a mode (mechanics/derive/mode_model.hpp):
    const DerivedModel* whole = nullptr;
    /// false: other sets of rows would do too, and single forces are a convention.
    bool forces_unique = true;
    /// Its constraint rows, as numbers of the whole's: rows of slip come after those of the model.
    std::vector<std::size_t> rows;

    /// Frictions with fixed bounds that are zero at the parameters, whatever moves: they do
    /// nothing. Empty: none.
    std::vector<bool> idle_frictions;

    /// Fills `weights` and `idle_frictions` from the model at the parameters.
    void weigh();
    void find_idle_frictions();
    bool is_idle(std::size_t friction) const {
        return friction < idle_frictions.size() && idle_frictions[friction];
    }
    /// Whether what constrains the motion may change on the way: one-sided rows, or friction, which
    /// may hold (not one whose bound is zero).
    bool has_contacts() const;
    bool has_controls() const { return !model.controls.empty(); }
};

}  // namespace lacon::mechanics
