// A block is a set of coordinates that M and the rows join. Coordinates without rows are one block,
// whatever M joins among them; a row of zeros goes with the first.
#include "solve/dense/constrained/blocks.hpp"

#include <algorithm>
#include <functional>

#include "solve/dense/matrix/joined.hpp"

namespace lacon::solving::inline dense {

namespace {

/// Coordinates and rows together: below, one solve costs no more than the split. Not critical.
constexpr std::size_t small_problem = 40;

constexpr std::size_t none = ~std::size_t{0};

std::vector<double> picked(std::span<const double> all, const std::vector<std::size_t>& which) {
    std::vector<double> result;
    result.reserve(which.size());
    for (const std::size_t i : which) result.push_back(all[i]);
    return result;
}

void pick(MatrixView all, const std::vector<std::size_t>& rows,
          const std::vector<std::size_t>& columns, Matrix& out) {
    out.reset(rows.size(), columns.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < columns.size(); ++j) out(i, j) = all(rows[i], columns[j]);
}

void put(const std::vector<double>& part, const std::vector<std::size_t>& at,
         std::span<double> all) {
    for (std::size_t i = 0; i < at.size(); ++i) all[at[i]] = part[i];
}

bool is_zero(const std::vector<double>& x) {
    return std::all_of(x.begin(), x.end(), [](double xi) { return xi == 0.0; });
}

/// Joins the coordinates that M or a row of A joins; of each row one of its coordinates, or none.
std::vector<std::size_t> join(MatrixView M, MatrixView A, Joined& joined) {
    const std::size_t n = M.rows();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (M(i, j) != 0.0 || M(j, i) != 0.0) joined.join(i, j);
    std::vector<std::size_t> about(A.rows(), none);
    for (std::size_t i = 0; i < A.rows(); ++i)
        for (std::size_t j = 0; j < n; ++j) {
            if (A(i, j) == 0.0) continue;
            if (about[i] == none) about[i] = j;
            else joined.join(j, about[i]);
        }
    return about;
}

}  // namespace

bool Blocks::split(MatrixView M, MatrixView A) {
    n_ = M.rows();
    m_ = A.rows();
    std::vector<std::vector<std::size_t>> rows, coordinates;
    if (n_ + m_ > small_problem) {
        Joined joined(n_);
        const std::vector<std::size_t> about = join(M, A, joined);
        std::vector<std::size_t> block_of(n_, none);  // of each coordinate that stands for a set
        for (std::size_t i = 0; i < m_; ++i) {
            if (about[i] == none) continue;
            std::size_t& block = block_of[joined.root(about[i])];
            if (block == none) {
                block = rows.size();
                rows.emplace_back();
            }
            rows[block].push_back(i);
        }
        const std::size_t free = rows.size();
        coordinates.resize(free + 1);
        for (std::size_t j = 0; j < n_; ++j)
            coordinates[std::min(block_of[joined.root(j)], free)].push_back(j);
        if (coordinates.back().empty()) coordinates.pop_back();
        rows.resize(coordinates.size());
        for (std::size_t i = 0; i < m_ && !rows.empty(); ++i)
            if (about[i] == none) rows.front().push_back(i);
    }
    // A block that is still there keeps what is known of its masses.
    blocks_.resize(rows.size() > 1 ? rows.size() : 0);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        blocks_[b].coordinates = std::move(coordinates[b]);
        blocks_[b].rows = std::move(rows[b]);
    }
    return !blocks_.empty();
}

Outcome Blocks::factor(MatrixView M, MatrixView A, const SolveOptions& options) {
    // Where coordinates are undetermined, the rest has its factors all the same.
    Outcome all = Outcome::ok;
    for (Block& block : blocks_) {
        pick(M, block.coordinates, block.coordinates, block.M);
        pick(A, block.rows, block.coordinates, block.A);
        const Outcome outcome = block.factor.factor(block.M, block.A, options);
        if (outcome == Outcome::undetermined) all = outcome;
        else if (outcome != Outcome::ok) return outcome;
    }
    return all;
}

void Blocks::solve(std::span<const double> f, std::span<const double> r, std::span<double> x,
                   std::span<double> lambda) const {
    for (Block& block : blocks_) {
        block.f = picked(f, block.coordinates);
        block.r = picked(r, block.rows);
        block.x.assign(block.coordinates.size(), 0.0);
        block.lambda.assign(block.rows.size(), 0.0);
        if (!is_zero(block.f) || !is_zero(block.r))
            block.factor.solve(block.f, block.r, block.x, block.lambda);
        put(block.x, block.coordinates, x);
        put(block.lambda, block.rows, lambda);
    }
}

void Blocks::push(std::span<const double> lambda, std::span<double> x) const {
    for (Block& block : blocks_) {
        block.lambda = picked(lambda, block.rows);
        block.x.assign(block.coordinates.size(), 0.0);
        block.factor.push(block.lambda, block.x);
        put(block.x, block.coordinates, x);
    }
}

std::size_t Blocks::rank() const {
    std::size_t rank = 0;
    for (const Block& block : blocks_) rank += block.factor.rank();
    return rank;
}

double Blocks::gap() const {
    double least = 0.0;
    for (const Block& block : blocks_)
        if (block.factor.rank() > 0 && (least == 0.0 || block.factor.gap() < least))
            least = block.factor.gap();
    return least;
}

const Blocks::Block& Blocks::weakest_block() const {
    return *std::min_element(blocks_.begin(), blocks_.end(), [](const Block& x, const Block& y) {
        return x.factor.weakest() < y.factor.weakest();
    });
}

double Blocks::weakest() const {
    return weakest_block().factor.weakest();
}

ConstrainedFactor::Direction Blocks::weakest_direction() const {
    const Block& block = weakest_block();
    const ConstrainedFactor::Direction& own = block.factor.weakest_direction();
    ConstrainedFactor::Direction direction;
    if (own.u.empty()) return direction;
    direction.reciprocal_condition = own.reciprocal_condition;
    direction.u.resize(m_);
    direction.parts.resize(m_);
    direction.w.resize(n_);
    put(own.u, block.rows, direction.u);
    put(own.parts, block.rows, direction.parts);
    put(own.w, block.coordinates, direction.w);
    return direction;
}

std::vector<double> Blocks::singular() const {
    std::vector<double> all;
    for (const Block& block : blocks_) {
        const std::vector<double>& own = block.factor.singular();
        all.insert(all.end(), own.begin(), own.end());
    }
    all.resize(std::min(n_, m_), 0.0);
    std::sort(all.begin(), all.end(), std::greater<>());
    return all;
}

}  // namespace lacon::solving::dense
