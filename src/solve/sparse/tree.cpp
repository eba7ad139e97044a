// Elimination trees: Liu 1990; column counts: Gilbert, Ng and Peyton 1994, in the form of Davis,
// Direct Methods, 4.4.
#include "solve/sparse/tree.hpp"

#include <algorithm>
#include <numeric>

namespace lacon::solving::inline sparse {

std::vector<Place> elimination_tree(const SparsePattern& lower) {
    std::vector<Place> parent(lower.rows, nowhere), ancestor(lower.rows, nowhere);
    for (std::size_t i = 0; i < lower.rows; ++i) {
        const Place row = static_cast<Place>(i);
        for (Place j : row_of(lower, i)) {
            while (ancestor[j] != nowhere && ancestor[j] != row) {
                const Place next = ancestor[j];
                ancestor[j] = row;
                j = next;
            }
            if (ancestor[j] == nowhere) ancestor[j] = parent[j] = row;
        }
    }
    return parent;
}

std::vector<Place> postorder(const std::vector<Place>& parent) {
    const std::size_t n = parent.size();
    std::vector<Place> first(n, nowhere), next(n, nowhere), order, stack;
    for (std::size_t j = n; j-- > 0;) {
        if (parent[j] == nowhere) continue;
        next[j] = first[parent[j]];
        first[parent[j]] = static_cast<Place>(j);
    }
    order.reserve(n);
    for (std::size_t root = 0; root < n; ++root) {
        if (parent[root] != nowhere) continue;
        stack.push_back(static_cast<Place>(root));
        while (!stack.empty()) {
            const Place top = stack.back();
            if (first[top] != nowhere) {
                stack.push_back(first[top]);
                first[top] = next[first[top]];
            } else {
                order.push_back(top);
                stack.pop_back();
            }
        }
    }
    return order;
}

namespace {

// For row i of the lower triangle and an entry in column j: whether j is a leaf of the subtree of
// row i, and of which kind; the least common ancestor with the leaf before it.
struct Leaves {
    std::vector<Place> ancestor, largest_first, previous;

    explicit Leaves(std::size_t n) : ancestor(n), largest_first(n, 0), previous(n, nowhere) {
        std::iota(ancestor.begin(), ancestor.end(), Place{0});
    }

    // 0: no leaf; 1: the first leaf; 2: a later one, `common` is the least common ancestor.
    int kind(Place i, Place j, Place first_of_j, Place& common) {
        if (i <= j || first_of_j + 1 <= largest_first[i]) return 0;
        largest_first[i] = first_of_j + 1;
        const Place before = previous[i];
        previous[i] = j;
        if (before == nowhere) return 1;
        Place q = before;
        while (q != ancestor[q]) q = ancestor[q];
        for (Place s = before; s != q;) {
            const Place up = ancestor[s];
            ancestor[s] = q;
            s = up;
        }
        common = q;
        return 2;
    }
};

}  // namespace

std::vector<Place> column_counts(const SparsePattern& lower, const std::vector<Place>& parent,
                                 const std::vector<Place>& order) {
    const std::size_t n = parent.size();
    const SparsePattern below = columns_of(lower);
    std::vector<Place> first(n, nowhere);
    std::vector<std::int64_t> delta(n, 0);
    for (std::size_t k = 0; k < n; ++k) {
        Place j = order[k];
        delta[j] = first[j] == nowhere ? 1 : 0;
        for (; j != nowhere && first[j] == nowhere; j = parent[j]) first[j] = static_cast<Place>(k);
    }
    Leaves leaves(n);
    for (std::size_t k = 0; k < n; ++k) {
        const Place j = order[k];
        if (parent[j] != nowhere) --delta[parent[j]];
        for (const Place i : row_of(below, j)) {
            Place common = nowhere;
            const int kind = leaves.kind(i, j, first[j], common);
            if (kind >= 1) ++delta[j];
            if (kind == 2) --delta[common];
        }
        if (parent[j] != nowhere) leaves.ancestor[j] = parent[j];
    }
    for (std::size_t k = 0; k < n; ++k) {
        const Place j = order[k];
        if (parent[j] != nowhere) delta[parent[j]] += delta[j];
    }
    std::vector<Place> counts(n);
    for (std::size_t j = 0; j < n; ++j)
        counts[j] = static_cast<Place>(delta[j] - 1);  // without the diagonal
    return counts;
}

namespace {

SparsePattern permuted_lower(const SparsePattern& graph, const std::vector<Place>& order,
                             const std::vector<Place>& place) {
    SparsePattern lower{graph.rows, graph.rows, {}, {}};
    lower.begin.reserve(graph.rows + 1);
    lower.begin.assign(1, 0);
    lower.column.reserve(graph.entries() / 2);
    for (std::size_t k = 0; k < order.size(); ++k) {
        for (const Place other : row_of(graph, order[k]))
            if (place[other] < k) lower.column.push_back(place[other]);
        std::sort(lower.column.begin() + static_cast<std::ptrdiff_t>(lower.begin.back()),
                  lower.column.end());
        lower.begin.push_back(lower.column.size());
    }
    return lower;
}

std::vector<Place> inverse_of(const std::vector<Place>& order) {
    std::vector<Place> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<Place>(k);
    return place;
}

}  // namespace

Elimination eliminate(const SparsePattern& graph, std::vector<Place> order) {
    Elimination e;
    e.order = std::move(order);
    e.place = inverse_of(e.order);
    e.lower = permuted_lower(graph, e.order, e.place);
    e.parent = elimination_tree(e.lower);
    std::vector<Place> post = postorder(e.parent);
    if (!std::is_sorted(post.begin(), post.end())) {
        for (Place& k : post) k = e.order[k];
        e.order = std::move(post);
        e.place = inverse_of(e.order);
        e.lower = permuted_lower(graph, e.order, e.place);
        e.parent = elimination_tree(e.lower);
        post.resize(e.order.size());
        std::iota(post.begin(), post.end(), Place{0});
    }
    e.counts = column_counts(e.lower, e.parent, post);
    for (const Place count : e.counts) {
        const double c = count;
        e.entries += count;
        e.operations += c * (c + 3.0);
    }
    return e;
}

}  // namespace lacon::solving::sparse
