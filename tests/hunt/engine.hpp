// Asks the engine for an evaluation of a model text.
#pragma once

#include <optional>

#include "hunt/case.hpp"
#include "lacon/mechanism.hpp"

/// The engine as a user meets it: a text goes in.
namespace hunt {

struct Engine {
    Engine(const Model& model, const Plan& plan);
    std::optional<lacon::Mechanism> mechanism;
    std::string why;  // the model was refused
};

/// Where the coordinates and rows of a model stand in the engine's vectors, which follow the order
/// of the text.
struct Order {
    std::vector<std::size_t> coordinate, row;
};
Order order_of(const Model& model, const lacon::Mechanism& mechanism);

/// Writes model.lac and the tables into a folder.
void write_model(const Model& model, const Plan& plan, const std::string& folder);

}  // namespace hunt
