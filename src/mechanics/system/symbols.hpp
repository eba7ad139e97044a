// Tells what a symbol of the model stands for: time, parameter, q, q', q'' or a multiplier.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "model/model.hpp"

namespace lacon::inline mechanics {

/// What a symbol of the model's graph stands for.
struct SymbolRole {
    enum class Kind : std::uint8_t { other, time, parameter, q, v, a, multiplier };
    Kind kind = Kind::other;
    std::uint32_t number = 0;  // of the coordinate, parameter or constraint row

    bool is_coordinate() const { return kind == Kind::q || kind == Kind::v || kind == Kind::a; }
};

class SymbolRoles {
public:
    explicit SymbolRoles(const Model& model);

    SymbolRole of(Expr symbol) const { return roles_[model_.graph.symbol_index(symbol)]; }
    /// Whether `e` uses a symbol of one of these kinds.
    bool uses(Expr e, std::initializer_list<SymbolRole::Kind> kinds) const;
    /// The coordinates that `e` uses, by value or derivative: increasing, each once.
    std::vector<std::size_t> coordinates_of(Expr e) const;

private:
    const Model& model_;
    std::vector<SymbolRole> roles_;
};

}  // namespace lacon::mechanics
