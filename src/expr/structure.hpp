// Expressions of the same structure: how they are recognized, and which of their constants become
// leaves so that a family of thousands needs only a few forms.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "expr/traverse.hpp"

/// What expressions have in common that differ in symbols and numbers only, as those of a family
/// do.
namespace lacon::inline expr {

/// Equal keys are the same operations on symbols and constants in the same places.
struct Structure {
    std::vector<std::uint64_t> key;
    /// Factors and terms of sums, constants as operands; exponents are part of the key.
    std::vector<double> constants;
    std::vector<Expr> symbols;  // in order of first use
    Traversal traversal;        // workspace
};

/// Appends to the key, and replaces what else `out` has.
void read_structure(const Graph& graph, std::span<const Expr> roots, Structure& out);

/// What takes the place of the symbols and of some constants, in the order of a Structure.
struct Leaves {
    std::span<const Expr> symbols;
    std::span<const Expr> constants;  // of those that are leaves
};
std::vector<Expr> with_leaves(const Graph& from, Graph& to, std::span<const Expr> roots,
                              const Leaves& leaves, const std::vector<bool>& is_leaf);

/// Those of one structure: a few with constants of their own; where there are many, as `l*(1 +
/// 0.1*i)` in a family gives, the constants that differ become leaves.
template <class Made>
class Variants {
public:
    struct Variant {
        std::vector<double> constants;
        std::vector<bool> is_leaf;  // by constant
        Made made{};
    };

    const Variant* find(std::span<const double> constants) const {
        const auto fits = [&](const Variant& one) {
            for (std::size_t i = 0; i < one.constants.size(); ++i)
                if (!one.is_leaf[i] && !same(one.constants[i], constants[i])) return false;
            return true;
        };
        for (const auto* list : {&general_, &plain_})
            for (auto one = list->rbegin(); one != list->rend(); ++one)
                if (fits(*one)) return &*one;
        return nullptr;
    }

    /// One for constants that none fits. Those become leaves in which any two that are known
    /// differ. They only grow more from one to the next, so there are few, however the constants of
    /// a family run.
    Variant& add(std::span<const double> constants) {
        Variant one{{constants.begin(), constants.end()},
                    std::vector<bool>(constants.size(), false)};
        if (plain_.size() < most_plain) return plain_.emplace_back(std::move(one));
        for (const auto* list : {&plain_, &general_})
            for (const Variant& known : *list)
                for (std::size_t i = 0; i < constants.size(); ++i)
                    if (known.is_leaf[i] || !same(known.constants[i], constants[i]))
                        one.is_leaf[i] = true;
        plain_.clear();
        return general_.emplace_back(std::move(one));
    }

private:
    static constexpr std::size_t most_plain = 8;
    static bool same(double a, double b) {
        return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
    }

    std::vector<Variant> plain_;    // since the last one with leaves was made
    std::vector<Variant> general_;  // with constants that are leaves
};

struct StructureHash {
    std::size_t operator()(const std::vector<std::uint64_t>& key) const;
};

template <class Made>
using VariantsByKey = std::unordered_map<std::vector<std::uint64_t>, Variants<Made>, StructureHash>;

}  // namespace lacon::expr
