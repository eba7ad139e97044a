#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "expr/graph.hpp"

namespace lacon {

/// A value per expression, for those visited.
template <class T>
class ExprMap {
public:
    T* find(Expr e) {
        const auto found = values_.find(e.id);
        return found == values_.end() ? nullptr : &found->second;
    }
    const T* find(Expr e) const {
        const auto found = values_.find(e.id);
        return found == values_.end() ? nullptr : &found->second;
    }
    const T& at(Expr e) const { return values_.at(e.id); }
    bool contains(Expr e) const { return values_.contains(e.id); }
    /// Sets the value if there is none yet; says whether it did.
    bool insert(Expr e, T value) { return values_.try_emplace(e.id, std::move(value)).second; }
    T& operator[](Expr e) { return values_[e.id]; }

private:
    std::unordered_map<std::uint32_t, T> values_;
};

/// Every expression that the roots use, each once and after its operands, depth first from the first root.
std::vector<Expr> postorder(const Graph& graph, std::span<const Expr> roots);

/// The symbols that the roots use, in order of first use.
std::vector<Expr> symbols_in(const Graph& graph, std::span<const Expr> roots);

/// Whether `root` uses any of `symbols`.
bool depends_on(const Graph& graph, Expr root, std::span<const Expr> symbols);

/// The roots with symbols replaced by what `replacements` has for them; other symbols stay. `to` may be another graph than
/// `from`: then every symbol needs a replacement.
std::vector<Expr> substitute(const Graph& from, Graph& to, std::span<const Expr> roots, const ExprMap<Expr>& replacements);
Expr substitute(Graph& graph, Expr root, const ExprMap<Expr>& replacements);

}  // namespace lacon
