// The constrained solve as loops against the same solve as straight-line code, run on numbers
// (constrained.cpp).

#include "kernel/dense.hpp"

#include <random>

#include "kernel/constrained.hpp"
#include "kernel_tests.hpp"

namespace lacon::kernel {
namespace {

/// A problem with numbers, and what is decided on the host.
struct Numbered {
    Problem problem;
    DensePlan plan;

    Solved expected() const {
        Elimination e;
        for (std::size_t j = 0; j < problem.n; ++j) e.coordinates.push_back(j);
        e.dropped = plan.dropped;
        for (std::size_t i = 0; i < problem.m; ++i)
            if (!std::binary_search(e.dropped.begin(), e.dropped.end(), i)) e.rows.push_back(i);
        e.refined = plan.refined;
        e.clear = plan.clear;
        return Factored(problem, e, plan.rank_tol).solve(problem.Q, problem.b);
    }
    void put(Dense& dense, std::size_t lane) const {
        const std::size_t n = problem.n;
        double* at = dense.numbers() + lane;
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t i = j; i < n; ++i)
                at[dense.mass_at(i, j)] = problem.M[i * n + j].number();
            for (std::size_t i = 0; i < problem.m; ++i)
                at[dense.row_at(i, j)] = problem.A[i * n + j].number();
            at[dense.force_at(j)] = problem.Q[j].number();
        }
        for (std::size_t i = 0; i < problem.m; ++i) at[dense.right_at(i)] = problem.b[i].number();
    }
    std::vector<double> result(const Dense& dense, std::size_t lane) const {
        std::vector<double> all;
        for (std::size_t j = 0; j < problem.n; ++j) all.push_back(dense.x(j, lane));
        for (std::size_t i = 0; i < problem.m; ++i) all.push_back(dense.lambda(i, lane));
        all.push_back(dense.fine(lane) ? 1.0 : 0.0);
        return all;
    }
};

struct Sizes {
    std::size_t n, m;
    std::size_t band;       // M and A are zero beyond it
    std::size_t dependent;  // the last rows of A: sums of two others each
};

/// Well-conditioned numbers; the plan does not depend on the seed.
Numbered random_problem(unsigned seed, const Sizes& s) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const std::size_t n = s.n, m = s.m, band = std::min(s.band, n), free = m - s.dependent;
    const double small = 0.4 / std::sqrt(static_cast<double>(band));
    Numbered r;
    Problem& p = r.problem;
    p = {n,
         m,
         std::vector<Value>(n * n),
         std::vector<Value>(n),
         std::vector<Value>(m * n),
         std::vector<Value>(m),
         {},
         {},
         {}};
    for (std::size_t i = 0; i < n; ++i) {
        p.Q[i] = normal(random);
        for (std::size_t j = i < band ? 0 : i - band + 1; j <= i; ++j) {
            p.M[i * n + j] = p.M[j * n + i] =
                i == j ? 2.0 + std::abs(normal(random)) : small * normal(random);
            r.plan.mass.push_back({i, j});
        }
    }
    for (std::size_t i = 0; i < free; ++i) {
        const std::size_t middle = i * n / free, first = std::min(middle, n - band);
        for (std::size_t j = first; j < first + band; ++j)
            p.A[i * n + j] = small * normal(random) + (j == middle ? 2.0 : 0.0);
        for (std::size_t j = first; j < first + band; ++j) r.plan.rows.push_back({i, j});
        p.b[i] = normal(random);
    }
    for (std::size_t i = free; i < m; ++i) {
        const std::size_t a = random() % free, b = random() % free;
        for (std::size_t j = 0; j < n; ++j)
            p.A[i * n + j] = p.A[a * n + j] + Value(0.5) * p.A[b * n + j];
        for (std::size_t j = 0; j < n; ++j) r.plan.rows.push_back({i, j});
        p.b[i] = p.b[a] + Value(0.5) * p.b[b];
        r.plan.dropped.push_back(i);
    }
    r.plan.n = n;
    r.plan.m = m;
    r.plan.floor.assign(m, 1e-16);
    p.floor.assign(m, 1e-16);
    return r;
}

/// Largest difference beside the largest number.
double difference(const std::vector<double>& got, const Solved& expected) {
    double worst = 0.0, size = 0.0;
    for (std::size_t j = 0; j < expected.x.size(); ++j) {
        worst = std::max(worst, std::abs(got[j] - expected.x[j].number()));
        size = std::max(size, std::abs(expected.x[j].number()));
    }
    for (std::size_t i = 0; i < expected.lambda.size(); ++i)
        worst = std::max(worst, std::abs(got[expected.x.size() + i] - expected.lambda[i].number()));
    return worst / size;
}

const std::vector<Sizes> sizes{{1, 0, 9, 0},   {1, 1, 9, 0},    {3, 2, 9, 1},   {8, 0, 9, 0},
                               {8, 8, 99, 0},  {9, 4, 99, 2},   {17, 9, 4, 1},  {24, 16, 3, 3},
                               {40, 0, 99, 0}, {41, 23, 99, 5}, {63, 40, 6, 0}, {64, 33, 99, 9},
                               {130, 70, 8, 6}};

TEST(Dense, AgreesWithStraightLineCodeOnEveryTarget) {
    for (const CompileOptions& target : all_targets()) {
        const auto kernel = std::make_shared<const DenseKernel>(target);
        for (const Sizes& s : sizes) {
            for (const bool refined : {false, true}) {
                Numbered r = random_problem(7, s);
                r.plan.refined = refined;
                Dense dense(r.plan, kernel);
                for (std::size_t l = 0; l < target.lanes; ++l) r.put(dense, l);
                dense.run();
                const Solved expected = r.expected();
                const std::vector<double> got = r.result(dense, target.lanes - 1);
                const std::string what =
                    text_of(target) + " n " + std::to_string(s.n) + " m " + std::to_string(s.m);
                EXPECT_EQ(expected.fine.number(), 1.0) << what;
                EXPECT_EQ(got.back(), 1.0) << what;
                EXPECT_LT(difference(got, expected), 1e-13) << what;
            }
        }
    }
}

TEST(Dense, LanesGiveTheBitsOfOneState) {
    for (const CompileOptions& target : all_targets()) {
        if (target.lanes == 1) continue;
        CompileOptions single = target;
        single.lanes = 1;
        const auto kernel = std::make_shared<const DenseKernel>(target),
                   single_kernel = std::make_shared<const DenseKernel>(single);
        for (const Sizes& s : sizes) {
            std::vector<Numbered> problems;
            for (unsigned seed = 1; seed <= target.lanes; ++seed)
                problems.push_back(random_problem(seed, s));
            Dense one(problems[0].plan, single_kernel), many(problems[0].plan, kernel);
            for (std::size_t l = 0; l < target.lanes; ++l) problems[l].put(many, l);
            many.run();
            for (std::size_t l = 0; l < target.lanes; ++l) {
                problems[l].put(one, 0);
                one.run();
                const auto a = problems[l].result(one, 0), b = problems[l].result(many, l);
                for (std::size_t o = 0; o < a.size(); ++o)
                    ASSERT_TRUE(same_bits(a[o], b[o]))
                        << text_of(target) << " n " << s.n << " lane " << l << " item " << o;
            }
        }
    }
}

/// What the loops and the straight-line code say of a problem: fine or not.
std::pair<bool, bool> verdicts(const Numbered& r) {
    Dense dense(r.plan, std::make_shared<const DenseKernel>(CompileOptions{.cache = false}));
    r.put(dense, 0);
    dense.run();
    return {dense.fine(), r.expected().fine.number() == 1.0};
}
const std::pair<bool, bool> both_fine{true, true}, none_fine{false, false};

TEST(Dense, SaysNoToWhateverIsNotFineAsStraightLineCodeDoes) {
    const Sizes s{20, 9, 99, 2};
    const std::size_t n = s.n, last = s.m - 1;
    const Numbered good = random_problem(1, s);
    EXPECT_EQ(verdicts(good), both_fine);

    Numbered r = good;  // a coordinate without mass
    for (std::size_t j = 0; j < n; ++j) r.problem.M[3 * n + j] = r.problem.M[j * n + 3] = 0.0;
    EXPECT_EQ(verdicts(r), none_fine);
    r = good;  // an indefinite M
    r.problem.M[19 * n + 19] = -1.0;
    EXPECT_EQ(verdicts(r), none_fine);
    for (const double apart : {1e-3, 1e-7}) {  // two kept rows the same but for this
        r = random_problem(1, {20, 7, 99, 0});
        for (std::size_t j = 0; j < n; ++j) r.problem.A[2 * n + j] = r.problem.A[1 * n + j];
        r.problem.A[2 * n] += apart;
        EXPECT_EQ(verdicts(r), apart > 1e-5 ? both_fine : none_fine) << apart;
    }
    for (const double apart : {1e-14, 1e-9}) {  // a dropped row that leaves the span of the others
        r = good;
        r.problem.A[last * n + 5] += apart;
        EXPECT_EQ(verdicts(r), apart < 1e-12 ? both_fine : none_fine) << apart;
    }
    for (const double apart : {1e-12, 1e-8}) {  // a dropped row that contradicts the others
        r = good;
        r.problem.b[last] += apart;
        EXPECT_EQ(verdicts(r), apart < 1e-10 ? both_fine : none_fine) << apart;
    }
    for (const std::size_t row :
         {std::size_t{0}, last}) {  // a row that has vanished beside its floor
        r = good;
        r.problem.floor[row] = r.plan.floor[row] = 1e3;
        EXPECT_EQ(verdicts(r), none_fine) << row;
    }
}

TEST(Dense, HasItsBoundsWhereClosedFormsSayThatTheyAre) {
    for (const double away : {-1e-6, 1e-6}) {
        const auto wanted = away > 0.0 ? none_fine : both_fine;
        Numbered r = random_problem(1, {5, 1, 1, 0});  // M diagonal, A one number
        const double size = std::pow(r.problem.A[0].number(), 2) / r.problem.M[0].number();
        r.problem.floor[0] = r.plan.floor[0] = size * (1.0 + away);
        EXPECT_EQ(verdicts(r), wanted) << "floor";
        r = random_problem(1, {5, 1, 1, 0});
        r.plan.clear = 1.0 + away;  // the first pivot of S is its diagonal
        EXPECT_EQ(verdicts(r), wanted) << "clear";
    }
    for (const double left : {1e-9, 1e-11}) {  // the last pivot of M beside its diagonal
        Numbered r = random_problem(1, {2, 0, 2, 0});
        r.problem.M = {1.0, std::sqrt(1.0 - left), std::sqrt(1.0 - left), 1.0};
        EXPECT_EQ(verdicts(r), left > 1e-10 ? both_fine : none_fine) << left;
    }
}

/// Two kept rows that differ little.
Numbered nearly_dependent(const Sizes& s) {
    Numbered r = random_problem(1, s);
    const std::size_t n = s.n, m = s.m;
    for (std::size_t j = 0; j < n; ++j)
        r.problem.A[1 * n + j] = r.problem.A[j] + Value(1e-4) * r.problem.A[1 * n + j];
    r.problem.b[1] = r.problem.b[0] + Value(1e-4) * r.problem.b[1];
    for (std::size_t i = m - s.dependent; i < m; ++i) {  // their difference, made large
        for (std::size_t j = 0; j < n; ++j)
            r.problem.A[i * n + j] = Value(8192.0) * (r.problem.A[1 * n + j] - r.problem.A[j]);
        r.problem.b[i] = Value(8192.0) * (r.problem.b[1] - r.problem.b[0]);
    }
    return r;
}

TEST(Dense, ARefinementMeetsTheConstraintsBetter) {
    const auto kernel = std::make_shared<const DenseKernel>(CompileOptions{.cache = false});
    double missing[2] = {0.0, 0.0};
    for (const bool refined : {false, true}) {
        Numbered r = nearly_dependent({30, 12, 99, 0});
        r.plan.refined = refined;
        Dense dense(r.plan, kernel);
        r.put(dense, 0);
        dense.run();
        for (std::size_t i = 0; i < 12; ++i) {
            long double rest = r.problem.b[i].number();
            for (std::size_t j = 0; j < 30; ++j)
                rest -= static_cast<long double>(r.problem.A[i * 30 + j].number()) * dense.x(j);
            missing[refined] = std::max(missing[refined], static_cast<double>(std::abs(rest)));
        }
    }
    EXPECT_GT(missing[false], 1e-13);
    EXPECT_LT(missing[true], 0.01 * missing[false]);
}

TEST(Dense, DroppedRowsAreSeenToDependOnRowsThatDifferLittle) {
    EXPECT_EQ(verdicts(nearly_dependent({30, 12, 99, 1})), both_fine);
}

TEST(Dense, NothingThatIsNotFiniteIsFine) {
    const Sizes s{20, 9, 99, 2};
    const Numbered good = random_problem(1, s);
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
        for (int where = 0; where < 6; ++where) {
            Numbered r = good;
            Problem& p = r.problem;
            Value* entries[] = {&p.M[19 * 20 + 4], &p.M[0],          &p.Q[19],
                                &p.A[8],           &p.A[8 * 20 + 3], &p.b[8]};
            *entries[where] = bad;
            EXPECT_EQ(verdicts(r), none_fine) << bad << " at " << where;
        }
    }
}

}  // namespace
}  // namespace lacon::kernel
