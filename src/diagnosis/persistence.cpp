// Structural or momentary: a dependency that comes from the way the mechanism is built holds in
// every consistent state nearby; one that belongs to a singular position is gone in almost all of
// them.
#include "diagnosis/persistence.hpp"

#include <algorithm>
#include <random>

#include "base/text.hpp"
#include "diagnosis/nearby.hpp"
#include "solve/dense/constrained/dependence.hpp"

namespace lacon::diagnosis {

namespace {

constexpr double reaches[] = {1e-1, 1e-2, 1e-3};
constexpr double close_reach = 1e-5;
constexpr int tries = 4;  // for each sample that is wanted

struct RankOf {
    std::size_t rank = 0;
    bool decided = true;
};
/// Decided where no singular value lies near the tolerance. (That dependencies hold exactly, as
/// ConstrainedSolution::rank_decided asks, is too much here: the state meets the constraints only
/// but for rounding.)
RankOf rank_of(const Matrix& M, const Matrix& A, const SolveOptions& options) {
    const std::vector<double> no_force(M.rows(), 0.0), nothing(A.rows(), 0.0);
    const ConstrainedSolution s = solve({M, no_force, A, nothing}, options);
    const bool known = s.outcome == Outcome::ok || s.outcome == Outcome::undetermined;
    const bool kept = s.rank == 0 || s.singular[s.rank - 1] >= options.sure_gap * s.rank_tol;
    const bool dropped = s.rank >= s.singular.size() || s.singular[s.rank] <= 0.1 * s.rank_tol;
    return {s.rank, known && kept && dropped};
}

/// Rows that are independent in a sample, the earlier ones preferred.
std::vector<std::size_t> independent_rows(const Samples::One& sample, const SolveOptions& options) {
    std::vector<std::size_t> kept;
    for (std::size_t r = 0; r < sample.A.rows() && kept.size() < sample.rank; ++r) {
        kept.push_back(r);
        if (rank_of(sample.M, rows_of_matrix(sample.A, kept), options).rank < kept.size())
            kept.pop_back();
    }
    return kept;
}

/// The dependent sets within some rows, numbered as all rows are.
std::vector<DependentSet> sets_within(const InForce& here, const std::vector<std::size_t>& rows,
                                      const SolveOptions& options) {
    const Matrix A = rows_of_matrix(here.equations.A, rows);
    const std::vector<double> b = entries_of(here.equations.b, rows);
    std::vector<DependentSet> sets =
        dependent_sets(DependenceProblem{A, b, &here.equations.M}, options);
    for (DependentSet& set : sets)
        for (std::size_t& r : set.rows) r = rows[r];
    return sets;
}

/// Of those whose rank is decided; 0 where there are none.
std::size_t highest_rank(const std::vector<Samples::One>& samples) {
    std::size_t rank = 0;
    for (const Samples::One& one : samples)
        if (one.decided) rank = std::max(rank, one.rank);
    return rank;
}

}  // namespace

Samples sample_nearby(const InForce& here, const State& state, std::size_t rank,
                      const DiagnosisOptions& options) {
    Samples samples;
    const std::size_t n = here.equations.M.rows(), m = here.equations.A.rows();
    samples.generic_rank = rank;
    if (options.samples == 0 || std::max(n, m) > options.most_sampled) {
        samples.why = options.samples == 0
                          ? "no nearby states were requested"
                          : "more than " + counted(options.most_sampled, "coordinate") + " or rows";
        return samples;
    }
    NearbyStates nearby(*here.details, state, options.solve);
    nearby.free = rank < n;
    std::mt19937_64 random(options.solve.seed);
    Assembler assembler(here.details->system, here.details->parameters);
    double farthest = 0.0;
    const auto take = [&](double reach, std::vector<Samples::One>& into) {
        for (int attempt = 0; attempt < tries; ++attempt) {
            const auto found = nearby.sample(reach, random);
            if (!found) continue;
            Equations equations;
            assembler.equations(*found, equations);
            if (assembler.not_finite()) continue;
            const RankOf at = rank_of(equations.M, equations.A, options.solve);
            into.push_back({equations.M, equations.A, at.rank, at.decided});
            farthest = std::max(farthest, nearby.distance(*found));
            return;
        }
    };
    for (std::size_t i = 0; i < options.samples; ++i)
        take(reaches[i % std::size(reaches)], samples.all);
    if (samples.all
            .empty())  // where one coordinate is far larger than the others, these reach too far
        for (std::size_t i = 0; i < options.samples; ++i) take(close_reach, samples.all);
    samples.alone = farthest < 1e-9;
    if (samples.all.empty())
        samples.why = "no other state that meets the constraints was found nearby";
    samples.generic_rank = std::max(rank, highest_rank(samples.all));
    if (samples.generic_rank == rank) return samples;
    for (std::size_t i = 0; i < options.samples; ++i) take(close_reach, samples.close);
    if (highest_rank(samples.close) >= samples.generic_rank || highest_rank(samples.close) == 0)
        return samples;
    // What holds in all states close by lasts. States farther off, with more rank, are on another
    // branch (z = -s of z^2 = s^2).
    samples.generic_rank = std::max(rank, highest_rank(samples.close));
    std::erase_if(samples.all,
                  [&](const Samples::One& one) { return one.rank > samples.generic_rank; });
    if (samples.all.empty()) samples.all = samples.close;
    return samples;
}

Lasting persistence_of(const std::vector<std::size_t>& rows, const Samples& samples,
                       const SolveOptions& options) {
    Lasting lasting;
    for (const Samples::One& one : samples.all) {
        const RankOf at = rank_of(one.M, rows_of_matrix(one.A, rows), options);
        if (!at.decided) continue;
        ++lasting.sampled;
        lasting.dependent_in += at.rank < rows.size();
    }
    if (lasting.sampled == 0) {
        lasting.why = !samples.why.empty()
                          ? samples.why
                          : "rounding leaves the rank undecided in every state sampled nearby";
        return lasting;
    }
    lasting.persistence =
        lasting.dependent_in == lasting.sampled ? Persistence::structural : Persistence::momentary;
    return lasting;
}

std::vector<DependentSet> lasting_first(const InForce& here, const std::vector<DependentSet>& given,
                                        const Samples& samples, const SolveOptions& options) {
    const std::size_t m = here.equations.A.rows();
    std::vector<DependentSet> lasting, momentary;
    for (const DependentSet& set : given) {
        const Lasting found = persistence_of(set.rows, samples, options);
        (found.persistence == Persistence::momentary ? momentary : lasting).push_back(set);
    }
    if (lasting.size() <
        m - samples.generic_rank) {  // the sets given mix what lasts with what is momentary
        const auto generic =
            std::find_if(samples.all.begin(), samples.all.end(), [&](const Samples::One& one) {
                return one.decided && one.rank == samples.generic_rank;
            });
        std::vector<DependentSet> chosen;
        const std::vector<double> nothing(m, 0.0);
        for (const DependentSet& set :
             dependent_sets(DependenceProblem{generic->A, nothing, &generic->M}, options)) {
            const std::vector<DependentSet> same = sets_within(here, set.rows, options);
            if (same.size() == 1) chosen.push_back(same[0]);
        }
        std::vector<DependentSet> others =
            sets_within(here, independent_rows(*generic, options), options);
        if (chosen.size() + others.size() == given.size()) {
            lasting = std::move(chosen);
            momentary = std::move(others);
        }
    }
    const auto by_rows = [](const DependentSet& a, const DependentSet& b) {
        return a.rows < b.rows;
    };
    std::sort(lasting.begin(), lasting.end(), by_rows);
    std::sort(momentary.begin(), momentary.end(), by_rows);
    lasting.insert(lasting.end(), momentary.begin(), momentary.end());
    return lasting;
}

std::optional<SingularPosition> singular_position(const InForce& here, std::size_t rank,
                                                  const Samples& samples) {
    if (samples.generic_rank <= rank) return std::nullopt;
    // Of limits, which are known to the distance of the close samples.
    constexpr double noise = 1e-3;
    constexpr double apart = 0.02;  // limits of one branch differ by less
    SingularPosition singular;
    singular.generic_rank = samples.generic_rank;
    const std::size_t n = here.equations.A.cols();
    const Vectors possible = null_space(here.equations.A, rank);
    std::vector<Vectors> limits;  // of each branch, in coordinates of `possible`
    Vectors lost;
    for (const Samples::One& one : samples.close) {
        if (!one.decided || one.rank != samples.generic_rank) continue;
        const Vectors limit =
            orthonormal(coordinates_in(possible, null_space(one.A, one.rank)), n - one.rank, 0.5);
        if (limit.size() != n - one.rank) continue;  // no limit at this distance
        if (std::any_of(limits.begin(), limits.end(),
                        [&](const Vectors& other) { return angle(limit, other) < apart; }))
            continue;
        limits.push_back(limit);
        const Vectors gone = complement(limit, possible.size());
        lost.insert(lost.end(), gone.begin(), gone.end());
    }
    const Vectors freed = limits.empty() ? Vectors() : orthonormal(lost, possible.size(), apart);
    singular.freed = tidy_basis(expanded(possible, freed), noise);
    constexpr std::size_t most_branches = 4;  // more: a continuum, of which samples tell nothing
    if (limits.size() < 2 || limits.size() > most_branches) return singular;
    for (const Vectors& limit : limits) {
        const Vectors kept = orthonormal(coordinates_in(freed, limit), freed.size(), apart);
        singular.branches.push_back(tidy_basis(expanded(possible, expanded(freed, kept)), noise));
    }
    return singular;
}

}  // namespace lacon::diagnosis
