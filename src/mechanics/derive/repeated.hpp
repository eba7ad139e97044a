// Reuses derived elements for the members of a family, without making their expressions again.
#pragma once

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "expr/structure.hpp"
#include "mechanics/system/symbols.hpp"
#include "mechanics/system/system.hpp"

namespace lacon::inline mechanics {

/// What decides the elements of a part of the model, besides the kind of its origin.
struct Outline {
    std::array<Formula, 2> formulas;
    std::size_t formula_count = 0;
    std::optional<std::size_t> coordinate = {};  // on which it acts
    std::span<const Expr> common = {};  // symbols of what all parts of this kind have in common
};

/// The parts that repeat, as families make them. Two are alike if they are of one kind, have the
/// same forms, and their symbols have the same roles, are equal in the same places and follow each
/// other in the same order. Such a part has the elements of the first one over its own symbols, and
/// its expressions need not be made.
class RepeatedParts {
public:
    RepeatedParts(const Model& model, const SymbolRoles& roles, System& system)
        : model_(model), roles_(roles), system_(system) {}

    /// Adds the elements of a part like one that is known; false where none is. The caller then
    /// adds them, and says so by `learn` where they may be repeated.
    bool add(const Outline& outline, Origin origin, std::int32_t row);
    void learn();

private:
    struct Recipe {
        std::uint32_t shape = 0;
        std::vector<std::uint32_t> leaves;  // by their places among the part's symbols
    };

    void read(const Outline& outline, Origin::Kind kind);
    std::optional<std::vector<std::uint32_t>> sources_of(const Element& element) const;

    const Model& model_;
    const SymbolRoles& roles_;
    System& system_;
    std::unordered_map<std::vector<std::uint64_t>, std::vector<Recipe>, StructureHash> known_;
    // Of the part at hand:
    std::vector<std::uint64_t> key_;  // empty: it cannot be repeated
    std::vector<Expr> symbols_;
    /// Roles of the symbols; behind them, the coordinate on which it acts.
    std::vector<SymbolRole> entries_;
    std::size_t first_element_ = 0;
};

}  // namespace lacon::mechanics
