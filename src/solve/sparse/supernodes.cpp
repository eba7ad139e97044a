// Groups columns into supernodes: those of one structure, whole small subtrees, and a parent with
// its child if few zeros have to be stored. Larger blocks cost extra operations but run faster.
#include <algorithm>
#include <numeric>

#include "solve/sparse/supernodal.hpp"

namespace lacon::solving::inline sparse {

namespace {

// Whole subtrees of no more columns than this are one supernode: their fronts would cost more than
// the zeros do.
constexpr Place small_subtree = 12;
// A supernode and its parent become one where the share of zeros stays below these, by how many
// columns they have together.
struct Relaxation {
    std::size_t columns;
    double zeros;
};
// Small fronts cost more by their overhead than by zeros, large ones the other way round. Not
// critical: it trades entries against the number of fronts.
constexpr Relaxation relaxations[] = {
    {4, 1.0}, {16, 0.5}, {48, 0.15}, {static_cast<std::size_t>(-1), 0.05}};

bool may_join(std::size_t columns, double zeros) {
    for (const Relaxation& r : relaxations)
        if (columns <= r.columns && zeros <= r.zeros) return true;
    return false;
}

std::vector<Place> subtree_sizes(const std::vector<Place>& parent) {
    std::vector<Place> size(parent.size(), 1);
    for (std::size_t j = 0; j < parent.size(); ++j)
        if (parent[j] != nowhere) size[parent[j]] += size[j];
    return size;
}

// The first columns of supernodes, by the counts of the columns alone.
std::vector<Place> partition(const Elimination& e) {
    const std::size_t n = e.size();
    const std::vector<Place> size = subtree_sizes(e.parent);
    std::vector<double> counted(n + 1, 0.0);  // entries of the columns before
    for (std::size_t j = 0; j < n; ++j) counted[j + 1] = counted[j] + e.counts[j];
    const auto stored = [&](std::size_t from,
                            std::size_t to) {  // entries of a supernode below the diagonal
        const double columns = static_cast<double>(to - from);
        return columns * (columns - 1.0) / 2.0 + columns * e.counts[to - 1];
    };
    std::vector<Place> first;
    for (std::size_t j = 0; j < n;) {
        std::size_t end = j + 1;
        // j is a leaf here or its children are done: the largest small subtree that begins with it,
        // else columns of one structure.
        std::size_t root = j;
        while (e.parent[root] != nowhere && size[e.parent[root]] <= small_subtree &&
               e.parent[root] + 1 - size[e.parent[root]] == j)
            root = e.parent[root];
        if (root + 1 - size[root] == j && size[root] <= small_subtree) {
            end = root + 1;
        } else {
            while (end < n && e.parent[end - 1] == end && e.counts[end - 1] == e.counts[end] + 1)
                ++end;
        }
        first.push_back(static_cast<Place>(j));
        // With the one before it, as long as that is a child and zeros are few.
        while (first.size() > 1) {
            const std::size_t before = first[first.size() - 2], here = first.back();
            const Place up = e.parent[here - 1];
            if (up == nowhere || up >= end) break;
            const double all = stored(before, end),
                         zeros = 1.0 - (counted[end] - counted[before]) / std::max(all, 1.0);
            if (!may_join(end - before, zeros)) break;
            first.pop_back();
        }
        j = end;
    }
    first.push_back(static_cast<Place>(n));
    return first;
}

void find_rows(Supernodes& s, const Elimination& e, const SparsePattern& columns) {
    std::vector<Place> mark(e.size(), nowhere), first_child(s.count(), nowhere),
        sibling(s.count(), nowhere);
    s.rows_begin.assign(1, 0);
    for (std::size_t k = 0; k < s.count(); ++k) {
        const std::size_t from = s.rows.size(), end = s.first[k + 1];
        const auto add = [&](Place row) {
            if (row < end || mark[row] == k) return;
            mark[row] = static_cast<Place>(k);
            s.rows.push_back(row);
        };
        for (std::size_t j = s.first[k]; j < end; ++j)
            for (const Place row : row_of(columns, j)) add(row);
        for (Place child = first_child[k]; child != nowhere; child = sibling[child])
            for (std::size_t r = s.rows_begin[child]; r < s.rows_begin[child + 1]; ++r)
                add(s.rows[r]);
        std::sort(s.rows.begin() + static_cast<std::ptrdiff_t>(from), s.rows.end());
        s.rows_begin.push_back(s.rows.size());
        if (s.rows.size() == from) continue;
        const Place up = s.parent[k] = s.of[s.rows[from]];
        sibling[k] = first_child[up];
        first_child[up] = static_cast<Place>(k);
    }
}

void find_relative(Supernodes& s) {
    s.relative.resize(s.rows.size());
    for (std::size_t k = 0; k < s.count(); ++k) {
        if (s.parent[k] == nowhere) continue;
        const std::size_t up = s.parent[k];
        std::size_t at = s.rows_begin[up];
        for (std::size_t r = s.rows_begin[k]; r < s.rows_begin[k + 1]; ++r) {
            if (s.rows[r] < s.first[up + 1]) {
                s.relative[r] = s.rows[r] - s.first[up];
                continue;
            }
            while (s.rows[at] != s.rows[r]) ++at;
            s.relative[r] = static_cast<Place>(s.columns(up) + at - s.rows_begin[up]);
        }
    }
}

}  // namespace

Supernodes find_supernodes(const Elimination& elimination, const SparsePattern& columns) {
    Supernodes s;
    s.first = partition(elimination);
    const std::size_t count = s.first.size() - 1;
    s.parent.assign(count, nowhere);
    s.of.resize(elimination.size());
    for (std::size_t k = 0; k < count; ++k)
        std::fill(s.of.begin() + s.first[k], s.of.begin() + s.first[k + 1], static_cast<Place>(k));
    find_rows(s, elimination, columns);
    find_relative(s);
    s.values_begin.assign(1, 0);
    for (std::size_t k = 0; k < count; ++k) {
        s.values_begin.push_back(s.values_begin.back() + s.columns(k) * s.height(k));
        for (std::size_t j = 0; j < s.columns(k); ++j) {
            const double c = static_cast<double>(s.height(k) - 1 - j);
            s.operations += c * (c + 3.0);
        }
    }
    return s;
}

}  // namespace lacon::solving::sparse
