// The multifrontal method (Duff and Reid 1983; Liu 1992) with dropped pivots: a pivot that vanishes
// is dropped with its column, within its front.
#include "solve/sparse/supernodal.hpp"

#include <algorithm>
#include <numeric>

namespace lacon::solving::inline sparse {

namespace {

constexpr std::size_t narrow = 8;  // columns that are eliminated one by one
// Rows of what a front leaves from which it is made in parts of.
constexpr std::size_t wide_update = 512;
constexpr std::size_t part_columns = 128;  //   so many columns, by several threads

}  // namespace

// What fronts have left for their parents, while a factorization runs.
struct SupernodalLdlt::Run {
    const Permuted<double>& K;
    const PivotRule& rule;
    std::vector<std::unique_ptr<double[]>> rest;    // lower triangle, column-major
    std::vector<std::unique_ptr<double[]>> gained;  // kkt only: what coordinates add to rows
};

SupernodalLdlt::SupernodalLdlt(const Elimination& elimination)
    : e_(&elimination), by_columns_(transpose(elimination.lower)) {
    s_ = find_supernodes(elimination, by_columns_.pattern);
    child_begin_.assign(s_.count() + 1, 0);
    for (const Place up : s_.parent)
        if (up != nowhere) ++child_begin_[up + 1];
    std::partial_sum(child_begin_.begin(), child_begin_.end(), child_begin_.begin());
    children_.resize(child_begin_.back());
    std::vector<std::size_t> next(child_begin_.begin(), child_begin_.end() - 1);
    for (std::size_t k = 0; k < s_.count(); ++k)
        if (s_.parent[k] != nowhere) children_[next[s_.parent[k]]++] = static_cast<Place>(k);
    const SparsePattern& columns = by_columns_.pattern;
    target_.resize(columns.entries());
    for (std::size_t k = 0; k < s_.count(); ++k) {
        const auto first = s_.rows.begin() + static_cast<std::ptrdiff_t>(s_.rows_begin[k]);
        const auto last = s_.rows.begin() + static_cast<std::ptrdiff_t>(s_.rows_begin[k + 1]);
        for (std::size_t j = s_.first[k]; j < s_.first[k + 1]; ++j)
            for (std::size_t e = columns.begin[j]; e < columns.begin[j + 1]; ++e) {
                const Place row = columns.column[e];
                const std::size_t at =
                    row < s_.first[k + 1]
                        ? row - s_.first[k]
                        : s_.columns(k) +
                              static_cast<std::size_t>(std::lower_bound(first, last, row) - first);
                target_[e] = static_cast<Place>((j - s_.first[k]) * s_.height(k) + at);
            }
    }
    by_columns_.pattern.column.clear();
    by_columns_.pattern.column.shrink_to_fit();
    values_.resize(entries());
    pivots_.resize(elimination.size());
    d_.resize(elimination.size());
    inverse_.resize(elimination.size());
}

// Subtrees of a fair share of the work each go to threads; what is above them comes after.
void SupernodalLdlt::share_work(std::size_t threads) {
    if (shared_for_ == threads) return;
    shared_for_ = threads;
    subtrees_.clear();
    top_.clear();
    std::vector<double> work(s_.count(), 0.0);
    for (std::size_t k = 0; k < s_.count(); ++k)
        work[k] = static_cast<double>(4 * s_.height(k) * s_.columns(k));
    solved_ = share_trees(s_.parent, work, threads);
    std::fill(work.begin(), work.end(), 0.0);
    std::vector<Place> size(s_.count(), 1);
    for (std::size_t k = 0; k < s_.count(); ++k) {
        const double h = static_cast<double>(s_.height(k)), c = static_cast<double>(s_.columns(k));
        // Operations of a front and what it costs to begin one, only to share out the work. Not
        // critical.
        work[k] += h * h * c + 500.0;
        if (s_.parent[k] == nowhere) continue;
        work[s_.parent[k]] += work[k];
        size[s_.parent[k]] += size[k];
    }
    double total = 0.0;
    for (std::size_t k = 0; k < s_.count(); ++k)
        if (s_.parent[k] == nowhere) total += work[k];
    const double share = total / (4.0 * static_cast<double>(threads));
    // Below a million operations (a millisecond) threads cost more than they save.
    if (threads <= 1 || total < 1e6) {
        subtrees_.push_back({0, s_.count()});
        return;
    }
    double gathered = 0.0;  // small subtrees side by side are one task
    for (std::size_t k = 0; k < s_.count(); ++k) {
        if (work[k] > share) {
            top_.push_back(static_cast<Place>(k));
            continue;
        }
        if (s_.parent[k] != nowhere && work[s_.parent[k]] <= share) continue;
        const std::size_t from = k + 1 - size[k];
        if (!subtrees_.empty() && subtrees_.back().to == from && gathered + work[k] <= share) {
            subtrees_.back().to = k + 1;
            gathered += work[k];
        } else {
            subtrees_.push_back({from, k + 1});
            gathered = work[k];
        }
    }
}

void SupernodalLdlt::factor(const Permuted<double>& K, const PivotRule& rule, std::size_t threads) {
    share_work(threads);
    Run run{K, rule, {}, {}};
    run.rest.resize(s_.count());
    if (!rule.is_row.empty()) run.gained.resize(s_.count());
    run_parallel(subtrees_.size(), threads, [&](std::size_t t) {
        KernelSpace space;
        for (std::size_t k = subtrees_[t].from; k < subtrees_[t].to; ++k)
            factor_front(k, run, space, 1);
    });
    KernelSpace space;
    for (const Place k : top_) factor_front(k, run, space, threads);
}

// The matrix's own entries and what the children leave.
void SupernodalLdlt::assemble(std::size_t s, Run& run, double* panel, double* rest) {
    const std::size_t columns = s_.columns(s), height = s_.height(s), below = s_.below(s);
    const SparsePattern& entries = by_columns_.pattern;
    std::fill(panel, panel + columns * height, 0.0);
    for (std::size_t j = 0; j < below; ++j)
        std::fill(rest + j * below + j, rest + (j + 1) * below, 0.0);
    for (std::size_t j = 0; j < columns; ++j)
        panel[j * height + j] = run.K.diagonal[s_.first[s] + j];
    for (std::size_t e = entries.begin[s_.first[s]]; e < entries.begin[s_.first[s + 1]]; ++e)
        panel[target_[e]] = run.K.below[e];
    for (std::size_t c = child_begin_[s]; c < child_begin_[s + 1]; ++c) {
        const Place child = children_[c];
        const std::size_t count = s_.below(child);
        const Place* to = s_.relative.data() + s_.rows_begin[child];
        const double* from = run.rest[child].get();
        for (std::size_t j = 0; j < count; ++j, from += count) {
            double* column = to[j] < columns ? panel + to[j] * height
                                             : rest + (to[j] - columns) * below - columns;
            for (std::size_t i = j; i < count; ++i) column[to[i]] += from[i];
        }
        run.rest[child].reset();
    }
}

void SupernodalLdlt::factor_front(std::size_t s, Run& run, KernelSpace& space,
                                  std::size_t threads) {
    const std::size_t columns = s_.columns(s), height = s_.height(s), below = s_.below(s),
                      first = s_.first[s];
    double* panel = values_.data() + s_.values_begin[s];
    if (below > 0) run.rest[s].reset(new double[below * below]);
    double* rest = run.rest[s].get();
    assemble(s, run, panel, rest);
    std::vector<double> gained;
    if (!run.gained.empty()) {
        gained.assign(height, 0.0);
        for (std::size_t c = child_begin_[s]; c < child_begin_[s + 1]; ++c) {
            const Place child = children_[c];
            for (std::size_t i = 0; i < s_.below(child); ++i)
                gained[s_.relative[s_.rows_begin[child] + i]] += run.gained[child][i];
            run.gained[child].reset();
        }
    }
    eliminate_panel(
        {panel, height, height, columns, run.K.diagonal.data() + first,
         run.rule.is_row.empty() ? nullptr : run.rule.is_row.data() + first, run.rule.drop_row,
         run.rule.drop_coordinate, gained.empty() ? nullptr : gained.data(), pivots_.data() + first,
         d_.data() + first, inverse_.data() + first},
        space);
    if (below == 0) return;
    if (!gained.empty()) {
        run.gained[s].reset(new double[below]);
        std::copy(gained.begin() + static_cast<std::ptrdiff_t>(columns), gained.end(),
                  run.gained[s].get());
    }
    const auto update = [&](std::size_t from, std::size_t count, KernelSpace& own) {
        kernels().subtract({rest + from * (below + 1), below, below - from, count,
                            panel + columns + from, height, columns, d_.data() + first},
                           own);
    };
    if (below < wide_update) return update(0, below, space);
    run_parallel((below + part_columns - 1) / part_columns, threads, [&](std::size_t t) {
        KernelSpace own;
        update(t * part_columns, std::min(part_columns, below - t * part_columns), own);
    });
}

// Halves: the left one, what it takes from the right one, the right one.
void SupernodalLdlt::eliminate_panel(const FrontColumns& f, KernelSpace& space) {
    if (f.columns <= narrow) return kernels().eliminate(f);
    const std::size_t half = (f.columns / 2 + narrow - 1) / narrow * narrow;
    FrontColumns left = f, right = f;
    left.columns = half;
    eliminate_panel(left, space);
    kernels().subtract({f.front + half * (f.ld + 1), f.ld, f.rows - half, f.columns - half,
                        f.front + half, f.ld, half, f.d},
                       space);
    right.front += half * (f.ld + 1);
    right.rows -= half;
    right.columns -= half;
    right.diagonal += half;
    if (right.is_row) right.is_row += half;
    if (right.gained) right.gained += half;
    right.pivots += half;
    right.d += half;
    right.inverse += half;
    eliminate_panel(right, space);
}

void SupernodalLdlt::solve(std::span<double> x) const {
    run_parallel(solved_.size(), shared_for_, [&](std::size_t k) { solve_trees(x, solved_[k]); });
}

void SupernodalLdlt::solve_trees(std::span<double> x, Range supernodes) const {
    const Kernels& k = kernels();
    std::vector<double> part;
    for (std::size_t s = supernodes.from; s < supernodes.to; ++s) {
        const std::size_t columns = s_.columns(s), height = s_.height(s), below = s_.below(s);
        const double* panel = values_.data() + s_.values_begin[s];
        double* own = x.data() + s_.first[s];
        for (std::size_t j = 0; j + 1 < columns; ++j)
            for (std::size_t i = j + 1; i < columns; ++i) own[i] -= panel[j * height + i] * own[j];
        part.assign(below, 0.0);
        k.subtract_product(panel + columns, height, below, columns, own, part.data());
        const Place* rows = s_.rows.data() + s_.rows_begin[s];
        for (std::size_t i = 0; i < below; ++i) x[rows[i]] += part[i];
    }
    for (std::size_t s = supernodes.to; s-- > supernodes.from;) {
        const std::size_t columns = s_.columns(s), height = s_.height(s), below = s_.below(s);
        const double* panel = values_.data() + s_.values_begin[s];
        double* own = x.data() + s_.first[s];
        const Place* rows = s_.rows.data() + s_.rows_begin[s];
        part.resize(below);
        for (std::size_t i = 0; i < below; ++i) part[i] = x[rows[i]];
        for (std::size_t j = 0; j < columns; ++j) own[j] *= inverse_[s_.first[s] + j];
        k.subtract_transposed(panel + columns, height, below, columns, part.data(), own);
        for (std::size_t j = columns; j-- > 0;)
            for (std::size_t i = j + 1; i < columns; ++i) own[j] -= panel[j * height + i] * own[i];
    }
}

// Row i has entries in the supernodes from those of the entries of K up to its own.
void SupernodalLdlt::row(Place i, std::vector<RowEntry>& out) const {
    out.clear();
    std::vector<Place> seen;
    const Place last = s_.of[i];
    for (const Place column : row_of(e_->lower, i))
        for (Place s = s_.of[column]; s != last; s = s_.parent[s]) {
            if (std::find(seen.begin(), seen.end(), s) != seen.end()) break;
            seen.push_back(s);
        }
    seen.push_back(last);
    for (const Place s : seen) {
        const std::size_t height = s_.height(s);
        std::size_t at = i - s_.first[s], columns = at;
        if (s != last) {
            columns = s_.columns(s);
            const auto first = s_.rows.begin() + static_cast<std::ptrdiff_t>(s_.rows_begin[s]);
            const auto end = s_.rows.begin() + static_cast<std::ptrdiff_t>(s_.rows_begin[s + 1]);
            at = columns + static_cast<std::size_t>(std::lower_bound(first, end, i) - first);
        }
        for (std::size_t j = 0; j < columns; ++j) {
            const double value = values_[s_.values_begin[s] + j * height + at];
            if (value != 0.0) out.push_back({static_cast<Place>(s_.first[s] + j), value});
        }
    }
}

}  // namespace lacon::solving::sparse
