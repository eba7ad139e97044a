// Model → DerivedModel.
#pragma once

#include <memory>

#include "base/diagnostic.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::inline mechanics {

/// The derived system of a model; none where the model has errors of mechanics (they are then in
/// `diagnostics`).
std::shared_ptr<const DerivedModel> derive_model(Model&& model, Diagnostics& diagnostics);

}  // namespace lacon::mechanics
