// Recognizes parts by a key of forms, symbol roles and symbol order. The elements of the first part
// become recipes, which later parts fill with their own leaves.
#include "mechanics/derive/repeated.hpp"

#include <algorithm>

namespace lacon::inline mechanics {

namespace {

/// Whether two symbols give an element the same leaf.
bool same_leaf(const SymbolRole& a, const SymbolRole& b) {
    const bool alike = a.is_coordinate() ? b.is_coordinate() : a.kind == b.kind;
    return alike && a.number == b.number;
}

}  // namespace

/// The order of the symbols decides that of terms in sums, and so the shape.
void RepeatedParts::read(const Outline& outline, Origin::Kind kind) {
    // Symbols: beyond, families are small and comparing all pairs is not cheap.
    constexpr std::size_t most = 48;
    key_.clear();
    symbols_.assign(outline.common.begin(), outline.common.end());
    entries_.clear();
    for (std::size_t i = 0; i < outline.formula_count; ++i) {
        const Formula& formula = outline.formulas[i];
        const std::span<const Expr> symbols = model_.forms.symbols_of(formula);
        if (!model_.forms.constants_of(formula).empty()) return;  // which the shape may depend on
        symbols_.insert(symbols_.end(), symbols.begin(), symbols.end());
    }
    if (symbols_.size() > most) return;
    for (const Expr symbol : symbols_) entries_.push_back(roles_.of(symbol));
    if (outline.coordinate)
        entries_.push_back({SymbolRole::Kind::q, static_cast<std::uint32_t>(*outline.coordinate)});

    key_.push_back(static_cast<std::uint64_t>(kind));
    for (std::size_t i = 0; i < outline.formula_count; ++i)
        key_.push_back(outline.formulas[i].form);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        // The first entry with this leaf, and how many symbols were made before this one.
        std::uint64_t first = 0, before = 0;
        while (!same_leaf(entries_[first], entries_[i])) ++first;
        if (i < symbols_.size())
            before = static_cast<std::uint64_t>(std::count_if(
                symbols_.begin(), symbols_.end(), [&](Expr other) { return other < symbols_[i]; }));
        key_.push_back(static_cast<std::uint64_t>(entries_[i].kind) | first << 8 | before << 32);
    }
}

bool RepeatedParts::add(const Outline& outline, Origin origin, std::int32_t row) {
    read(outline, origin.kind);
    first_element_ = system_.elements.size();
    const auto found = key_.empty() ? known_.end() : known_.find(key_);
    if (found == known_.end()) return false;
    for (const Recipe& recipe : found->second) {
        const auto leaves = static_cast<std::uint32_t>(system_.leaves.size());
        for (const std::uint32_t entry : recipe.leaves)
            system_.leaves.push_back(entries_[entry].number);
        system_.elements.push_back(
            {recipe.shape, leaves, row, static_cast<std::uint32_t>(system_.origins.size())});
        system_.origins.push_back(origin);
        if (row >= 0)
            system_.levels[static_cast<std::size_t>(row)] = system_.shapes[recipe.shape].level;
    }
    return true;
}

/// For each leaf of the element an entry that gives it; nothing where a leaf is a number of its own
/// (System::constants).
std::optional<std::vector<std::uint32_t>> RepeatedParts::sources_of(const Element& element) const {
    const Shape& shape = system_.shapes[element.shape];
    std::vector<std::uint32_t> sources;
    for (std::size_t i = 0; i < shape.coordinates + shape.parameters + shape.multipliers; ++i) {
        using Role = SymbolRole::Kind;
        const Role role = i < shape.coordinates                      ? Role::q
                          : i < shape.coordinates + shape.parameters ? Role::parameter
                                                                     : Role::multiplier;
        const SymbolRole leaf{role, system_.leaves[element.leaves + i]};
        const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                        [&](const auto& e) { return same_leaf(e, leaf); });
        if (entry == entries_.end()) return std::nullopt;
        sources.push_back(static_cast<std::uint32_t>(entry - entries_.begin()));
    }
    return sources;
}

void RepeatedParts::learn() {
    if (key_.empty()) return;
    std::vector<Recipe> recipes;
    for (std::size_t i = first_element_; i < system_.elements.size(); ++i) {
        auto sources = sources_of(system_.elements[i]);
        if (!sources) return;
        recipes.push_back({system_.elements[i].shape, std::move(*sources)});
    }
    known_.emplace(key_, std::move(recipes));
}

}  // namespace lacon::mechanics
