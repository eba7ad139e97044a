// Walks over expressions: postorder, symbols in use, substitution, and a hash map from expressions
// to values, which searches linearly while it is small.
#pragma once

#include <bit>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "expr/graph.hpp"

namespace lacon::inline expr {

/// A value per expression, for those visited. A reference to a value holds until the next one is
/// added.
template <class T>
class ExprMap {
public:
    T* find(Expr e) {
        const std::size_t at = place(e);
        return at == nowhere ? nullptr : &entries_[at].second;
    }
    const T* find(Expr e) const {
        const std::size_t at = place(e);
        return at == nowhere ? nullptr : &entries_[at].second;
    }
    const T& at(Expr e) const {
        const T* found = find(e);
        if (found == nullptr) throw std::out_of_range("ExprMap: no such expression");
        return *found;
    }
    bool contains(Expr e) const { return place(e) != nowhere; }
    /// Sets the value if there is none yet; says whether it did.
    bool insert(Expr e, T value) {
        if (contains(e)) return false;
        append(e, std::move(value));
        return true;
    }
    T& operator[](Expr e) {
        if (T* found = find(e)) return *found;
        append(e, T());
        return entries_.back().second;
    }
    void clear() {
        entries_.clear();
        table_.clear();
    }

private:
    static constexpr std::size_t nowhere = ~std::size_t{0};
    static constexpr std::size_t few = 8;  // entries that are looked through one by one

    std::size_t place(Expr e) const {
        if (table_.empty()) {
            for (std::size_t i = 0; i < entries_.size(); ++i)
                if (entries_[i].first == e.id) return i;
            return nowhere;
        }
        for (std::size_t slot = hash(e.id);; slot = (slot + 1) & (table_.size() - 1)) {
            if (table_[slot] == 0) return nowhere;
            if (entries_[table_[slot] - 1].first == e.id) return table_[slot] - 1;
        }
    }
    std::size_t hash(std::uint32_t id) const {
        return (id * 0x9E3779B97F4A7C15u >> 20) & (table_.size() - 1);
    }
    void append(Expr e, T value) {
        entries_.emplace_back(e.id, std::move(value));
        if (entries_.size() <= few) return;
        if (2 * entries_.size() > table_.size()) {
            table_.assign(4 * std::bit_ceil(entries_.size()), 0);
            for (std::size_t i = 0; i < entries_.size(); ++i) enter(i);
        } else {
            enter(entries_.size() - 1);
        }
    }
    void enter(std::size_t entry) {
        std::size_t slot = hash(entries_[entry].first);
        while (table_[slot] != 0) slot = (slot + 1) & (table_.size() - 1);
        table_[slot] = static_cast<std::uint32_t>(entry + 1);
    }

    std::vector<std::pair<std::uint32_t, T>> entries_;
    /// Open addressing: place in entries_ + 1, or 0; empty while there are few.
    std::vector<std::uint32_t> table_;
};

/// For many traversals one after the other: they share the memory they need.
class Traversal {
public:
    /// Every expression that the roots use, each once and after its operands, depth first from the
    /// first root. It holds until the next one.
    std::span<const Expr> postorder(const Graph& graph, std::span<const Expr> roots);
    /// Where in the last one the expression stands.
    std::uint32_t place_of(Expr e) const { return place_.at(e); }

private:
    std::vector<Expr> order_;
    ExprMap<std::uint32_t> place_;
    /// A node and how many of its operands are done.
    std::vector<std::pair<Expr, std::size_t>> path_;
};

/// The same, once.
std::vector<Expr> postorder(const Graph& graph, std::span<const Expr> roots);

/// The symbols that the roots use, in order of first use.
std::vector<Expr> symbols_in(const Graph& graph, std::span<const Expr> roots);

/// Whether `root` uses any of `symbols`.
bool depends_on(const Graph& graph, Expr root, std::span<const Expr> symbols);

/// The roots with symbols replaced by what `replacements` has for them; other symbols stay. `to`
/// may be another graph than `from`: then every symbol needs a replacement.
std::vector<Expr> substitute(const Graph& from, Graph& to, std::span<const Expr> roots,
                             const ExprMap<Expr>& replacements);
Expr substitute(Graph& graph, Expr root, const ExprMap<Expr>& replacements);

}  // namespace lacon::expr
