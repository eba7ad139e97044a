// The constrained problem of theory 1 for large systems: M x = f + Aᵀ λ, A x = r, by elimination
// with dropped pivots (theory 2.1 holds for any g-inverse), all decisions as for small systems.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "solve/sparse/dependent.hpp"
#include "solve/sparse/sparse.hpp"
#include "solve/sparse/system.hpp"

namespace lacon::solving::inline sparse {

namespace {

// As DroppedLdlt: pivots are squares of lengths, and rounding leaves about 1e-15 of a dependent
// row.
constexpr double drop_tol = 1e-9;
constexpr double clearance = 1e3;
// The rank tolerance beyond which its square, not rounding, decides in double precision.
constexpr double coarse_rank_tol = 3e-5;
// Where a kept pivot is below this, solutions are refined until nothing more is gained.
constexpr double refine_below = 1e-4;
constexpr int most_rounds = 4;

// As all_finite, without a branch for each: x − x is 0 or not a number.
bool are_finite(std::span<const double> values) {
    double sums[8] = {};
    std::size_t k = 0;
    for (; k + 8 <= values.size(); k += 8)
        for (std::size_t lane = 0; lane < 8; ++lane)
            sums[lane] += values[k + lane] - values[k + lane];
    for (; k < values.size(); ++k) sums[0] += values[k] - values[k];
    return std::all_of(std::begin(sums), std::end(sums), [](double sum) { return sum == 0.0; });
}

}  // namespace

struct SparseFactor::Parts {
    SparseSystem::Given given;
    SparseOptions options;
    std::unique_ptr<SparseSystem> definite, squares;
    // A W Aᵀ, W diagonal: for `turned`, where the road is another one.
    std::unique_ptr<SparseSystem> turns;
    bool looked_for_turns = false;
    double rank_tol = 0.0;                      // asked for last
    SparseSystem* system = nullptr;             // the one that answered last
    std::vector<double> A, diagonal;            // of the last factorization: A, and M_jj (n)
    double sure_gap = 1e3, consistency = 1e-8;  // as SolveOptions
    std::size_t concerned = 0, rank = 0;
    std::vector<Place> dropped;
    double smallest_kept = 1.0, largest_dropped = 0.0;
    bool decided = true, careful = false;
    std::vector<double> rest_f, rest_r, more_x, more_lambda;

    SparseSystem::Verdict eliminate(std::span<const double> M, std::span<const double> values,
                                    const SparseSystem::Tolerances& tolerances);
    void survey();
    bool drops_are_exact(double tol);
    void decide(std::span<const double> M, const SolveOptions& asked);
    SparseSystem* system_of_turns();
    int rounds() const { return smallest_kept < refine_below ? most_rounds : 0; }
};

SparseFactor::SparseFactor(std::shared_ptr<const SparsePattern> mass,
                           std::shared_ptr<const SparsePattern> rows, const SparseOptions& options)
    : parts_(std::make_unique<Parts>()) {
    Parts& p = *parts_;
    p.given = {std::move(mass), std::move(rows)};
    p.options = options;
    auto schur = std::make_unique<SchurRoad>(p.given.mass, p.given.rows);
    using Road = SparseOptions::Road;
    const bool fit = options.road == Road::schur
                         ? schur->is_possible()
                         : options.road == Road::automatic && schur->is_fit();
    if (fit) {
        p.definite = std::make_unique<SparseSystem>(p.given, std::move(schur), options);
    } else {
        p.definite = std::make_unique<SparseSystem>(p.given, SparseSystem::Road::kkt, options);
    }
    p.system = p.definite.get();
}

SparseFactor::~SparseFactor() = default;
SparseFactor::SparseFactor(SparseFactor&&) noexcept = default;
SparseFactor& SparseFactor::operator=(SparseFactor&&) noexcept = default;

const SparsePlan& SparseFactor::plan() const {
    return parts_->system->plan();
}

// By the definite road where M is definite, else by the squares.
SparseSystem::Verdict SparseFactor::Parts::eliminate(std::span<const double> M,
                                                     std::span<const double> values,
                                                     const SparseSystem::Tolerances& tolerances) {
    using Verdict = SparseSystem::Verdict;
    system = definite.get();
    Verdict verdict = system->factor(M, values, tolerances);
    if (verdict == Verdict::not_definite) {
        if (!squares)
            squares = std::make_unique<SparseSystem>(given, SparseSystem::Road::squares, options);
        system = squares.get();
        verdict = system->factor(M, values, tolerances);
    }
    concerned = system->concerned();
    return verdict;
}

void SparseFactor::Parts::survey() {
    dropped.clear();
    smallest_kept = 1.0;
    largest_dropped = 0.0;
    system->each_row([&](Place row, double pivot, bool is_dropped) {
        if (is_dropped) {
            dropped.push_back(row);
            largest_dropped = std::max(largest_dropped, std::abs(pivot));
        } else {
            smallest_kept = std::min(smallest_kept, pivot);
        }
    });
    std::sort(dropped.begin(), dropped.end());
    rank = given.rows->rows - dropped.size();
}

// Whether dropped rows keep less than tol of their length off the kept ones. Pivots are squares and
// cannot tell 1e-8 from zero; so a push at random is freed of all that kept rows take (A x = 0),
// and what a dropped row makes of the rest is what it keeps, times a number near 1 but for the
// rarest chance. The push is always the same.
bool SparseFactor::Parts::drops_are_exact(double tol) {
    const SparsePattern& rows = *given.rows;
    std::vector<double> f(rows.cols), r(rows.rows, 0.0), x(rows.cols), lambda(rows.rows);
    std::minstd_rand random(7);
    for (std::size_t j = 0; j < f.size(); ++j) {
        const double number = static_cast<double>(random()) / static_cast<double>(random.max());
        f[j] = (2.0 * number - 1.0) * std::sqrt(diagonal[j] > 0.0 ? diagonal[j] : 1.0);
    }
    const auto is_small = [&](Place i) {
        double sum = 0.0, square = 0.0;
        for (std::size_t e = rows.begin[i]; e < rows.begin[i + 1]; ++e) {
            const double m = diagonal[rows.column[e]];
            sum += A[e] * x[rows.column[e]];
            square += A[e] * A[e] / (m > 0.0 ? m : 1.0);
        }
        return std::abs(sum) <= tol * std::sqrt(square);
    };
    for (const int refinements : {0, 2}) {  // without any, rounding is nearly always small enough
        system->solve(f, r, x, lambda, refinements);
        if (std::all_of(dropped.begin(), dropped.end(), is_small)) return true;
    }
    return false;
}

// Pivots in the zone of doubt are looked at again in twice the digits, against the rank tolerance
// itself.
void SparseFactor::Parts::decide(std::span<const double> M, const SolveOptions& asked) {
    const bool coarse = asked.rank_tol > coarse_rank_tol;
    const double drop = coarse ? asked.rank_tol * asked.rank_tol : drop_tol;
    careful = false;
    decided = smallest_kept >= drop * clearance && largest_dropped <= drop / clearance;
    if (coarse) return;
    if (decided && !dropped.empty())
        decided = drops_are_exact(asked.rank_tol / std::sqrt(clearance));
    if (decided || !system->can_be_careful()) return;
    const double tol = asked.rank_tol * asked.rank_tol;
    eliminate(M, A, {tol, true});
    survey();
    careful = true;
    decided = smallest_kept >= tol * asked.sure_gap * asked.sure_gap &&
              largest_dropped <= tol / clearance;
}

Outcome SparseFactor::factor(std::span<const double> M, std::span<const double> A,
                             const SolveOptions& options) {
    Parts& p = *parts_;
    if (!are_finite(M) || !are_finite(A)) return Outcome::undefined;
    p.A.assign(A.begin(), A.end());
    p.sure_gap = options.sure_gap;
    p.rank_tol = options.rank_tol;
    using Verdict = SparseSystem::Verdict;
    const bool coarse = options.rank_tol > coarse_rank_tol;
    const Verdict verdict =
        p.eliminate(M, A, {coarse ? options.rank_tol * options.rank_tol : drop_tol, false});
    if (verdict == Verdict::indefinite) return Outcome::indefinite;
    if (verdict != Verdict::definite) return Outcome::undetermined;
    const SparsePattern& mass = *p.given.mass;
    p.diagonal.resize(mass.rows);
    for (std::size_t j = 0; j < mass.rows; ++j) {
        const std::size_t last = mass.begin[j + 1];
        p.diagonal[j] = last > mass.begin[j] && mass.column[last - 1] == j ? M[last - 1] : 0.0;
    }
    p.survey();
    p.decide(M, options);
    return Outcome::ok;
}

std::size_t SparseFactor::concerned() const {
    return parts_->concerned;
}

void SparseFactor::solve(std::span<const double> f, std::span<const double> r, std::span<double> x,
                         std::span<double> lambda) const {
    parts_->system->solve(f, r, x, lambda, parts_->rounds());
}

double SparseFactor::solve(const Nearby& exact, std::span<const double> f,
                           std::span<const double> r, std::span<double> x,
                           std::span<double> lambda) const {
    Parts& p = *parts_;
    const SparsePattern &mass = *p.given.mass, &rows = *p.given.rows;
    solve(f, r, x, lambda);
    p.more_x.resize(f.size());
    p.more_lambda.resize(r.size());
    p.rest_r.resize(r.size());
    // Forces on very light coordinates give accelerations by powers of ten above what the rows
    // leave of them, and so does what rounding leaves of forces. Where much is left in the end, the
    // rows alone take it away, which changes no force that a double would show.
    constexpr double much = 1e-12;
    constexpr int most_more = 20;
    double before = 0.0;
    for (int round = 0;; ++round) {
        double worst = 0.0, left = 0.0;
        for (std::size_t i = 0; i < r.size(); ++i) {
            double rest = r[i], size = std::abs(r[i]);
            for (std::size_t e = rows.begin[i]; e < rows.begin[i + 1]; ++e) {
                const double term = exact.A[e] * x[rows.column[e]];
                rest -= term;
                size += std::abs(term);
            }
            p.rest_r[i] = rest;
            left = std::max(left, std::abs(rest));
            if (size > 0.0) worst = std::max(worst, std::abs(rest) / size);
        }
        const int more = round - exact.corrections;
        // A refinement that gains less than a factor of ten has come to its end.
        const bool falls = more == 0 || (more < most_more && left < 0.1 * before);
        if (worst <= exact.enough || (more >= 0 && !(worst > much && falls))) return worst;
        before = left;
        if (more < 0) {
            p.rest_f.assign(f.begin(), f.end());
            add_symmetric(mass, exact.M, -1.0, x, p.rest_f);
            add_transposed(rows, exact.A, 1.0, lambda, p.rest_f);
        } else {
            p.rest_f.assign(f.size(), 0.0);
        }
        solve(p.rest_f, p.rest_r, p.more_x, p.more_lambda);
        for (std::size_t j = 0; j < f.size(); ++j) x[j] += p.more_x[j];
        for (std::size_t i = 0; i < r.size(); ++i) lambda[i] += p.more_lambda[i];
    }
}

std::size_t SparseFactor::rank() const {
    return parts_->rank;
}
const std::vector<std::uint32_t>& SparseFactor::dropped() const {
    return parts_->dropped;
}
double SparseFactor::smallest_kept() const {
    return parts_->smallest_kept;
}
double SparseFactor::largest_dropped() const {
    return parts_->largest_dropped;
}
bool SparseFactor::is_decided() const {
    return parts_->decided;
}
bool SparseFactor::was_careful() const {
    return parts_->careful;
}

// Of the last factorization if it has gone that road; else one of its own, the first time it is
// asked for.
SparseSystem* SparseFactor::Parts::system_of_turns() {
    if (system == definite.get() && system->plan().road == "schur") return system;
    if (looked_for_turns) return turns.get();
    looked_for_turns = true;
    auto mass = std::make_shared<SparsePattern>();
    mass->rows = mass->cols = given.mass->rows;
    for (std::size_t j = 0; j < mass->rows; ++j) {
        mass->column.push_back(static_cast<Place>(j));
        mass->begin.push_back(j + 1);
    }
    auto schur = std::make_unique<SchurRoad>(mass, given.rows);
    if (schur->is_fit())
        turns = std::make_unique<SparseSystem>(SparseSystem::Given{mass, given.rows},
                                               std::move(schur), options);
    return turns.get();
}

bool SparseFactor::tells_turns() {
    return parts_->system_of_turns() != nullptr;
}

std::optional<std::size_t> SparseFactor::turned(const RowTurn& turn) {
    Parts& p = *parts_;
    SparseSystem* system = p.system_of_turns();
    if (system == p.turns.get()) {
        std::vector<double> weights = p.diagonal;
        for (double& weight : weights)
            if (!(weight > 0.0)) weight = 1.0;
        system->set_metric(weights);
    }
    const bool careful = turn.careful && system->can_be_careful();
    if (const auto row =
            system->turned(turn, {careful ? p.rank_tol * p.rank_tol : least_turned, careful}))
        return *row;
    return std::nullopt;
}

// Inverse iteration for the smallest eigenvalue of S over the kept rows, powers for the largest.
double SparseFactor::weakest(std::vector<double>* u) const {
    const Parts& p = *parts_;
    const std::size_t m = p.given.rows->rows;
    constexpr int steps = 12;
    if (p.rank == 0) {
        if (u) u->assign(m, 0.0);
        return 1.0;
    }
    const auto normalize = [](std::vector<double>& v) {
        double square = 0.0;
        for (const double value : v) square += value * value;
        const double length = std::sqrt(square);
        for (double& value : v) value /= length;
        return length;
    };
    std::vector<double> v(m), w(m);
    for (std::size_t i = 0; i < m; ++i)
        v[i] = w[i] =
            p.system->is_dropped(i) ? 0.0 : 1.0 + 0.5 * std::sin(static_cast<double>(i * i));
    normalize(v);
    normalize(w);
    double smallest = 1.0, largest = 1.0;
    for (int step = 0; step < steps; ++step) {
        p.system->solve_unit_rows(v);
        smallest = 1.0 / normalize(v);
        p.system->multiply_unit_rows(w);
        for (const Place i : p.dropped) w[i] = 0.0;
        largest = std::max(largest, normalize(w));
    }
    if (u) *u = v;
    return std::min(1.0, std::sqrt(smallest / largest));
}

std::vector<DependentSet> SparseFactor::dependent(std::span<const double> b,
                                                  double consistency_tol) const {
    Parts& p = *parts_;
    if (p.dropped.empty()) return {};
    const SparsePattern& rows = *p.given.rows;
    std::vector<double> x(rows.cols), lambda(rows.rows), size(rows.rows);
    solve(std::vector<double>(rows.cols, 0.0), b, x, lambda);
    for (std::size_t i = 0; i < rows.rows; ++i) {
        size[i] = std::abs(b[i]);
        for (std::size_t e = rows.begin[i]; e < rows.begin[i + 1]; ++e)
            size[i] += std::abs(p.A[e] * x[rows.column[e]]);
    }
    const double exact = p.sure_gap * std::numeric_limits<double>::epsilon();
    std::vector<double> d(rows.cols);
    for (std::size_t j = 0; j < d.size(); ++j)
        d[j] = p.diagonal[j] > 0.0 ? 1.0 / std::sqrt(p.diagonal[j]) : 1.0;
    std::vector<DependentSet> sets;
    for (const SparseCircuit& circuit : find_circuits({*p.system, rows, p.A, d, exact}, p.dropped))
        sets.push_back(set_of(circuit, {b, size, consistency_tol}, exact));
    std::sort(sets.begin(), sets.end(), [](const DependentSet& s, const DependentSet& t) {
        return s.rows.back() < t.rows.back();
    });
    return sets;
}

void SparseFactor::share(std::span<const DependentSet> sets, std::span<const double> weight,
                         std::span<double> lambda) const {
    share_multipliers(sets, weight, lambda);
}

}  // namespace lacon::solving::sparse
