// Rows that nearly depend on each other, of any length, with right-hand sides that contradict:
// where the sparse and the dense way are both sure, they say the same.
#include <gtest/gtest.h>

#include "sparse_problems.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;

SparseSample doubtful(int trial, Random& random) {
    SparseSample s =
        make_sparse(static_cast<Shape>(trial % 4), static_cast<MassKind>(trial / 4 % 4),
                    static_cast<std::uint32_t>(integer(random, 4, 25)),
                    static_cast<std::size_t>(integer(random, 0, 5)), random);
    const double size = integer(random, 0, 1) ? std::pow(10.0, uniform(random, -13.0, -1.0)) : 0.0;
    const double lengths = integer(random, 0, 1) ? 4.0 : 0.0;
    for (std::size_t i = 0; i < s.b.size(); ++i) {
        const double length = std::pow(10.0, uniform(random, -lengths, lengths));
        const bool moved = integer(random, 0, 5) == 0;
        for (std::size_t e = s.A.pattern->begin[i]; e < s.A.pattern->begin[i + 1]; ++e)
            s.A.values[e] *= length * (moved ? 1.0 + size * uniform(random, -1.0, 1.0) : 1.0);
    }
    s.dense_A = s.A.dense();
    std::fill(s.b.begin(), s.b.end(), 0.0);
    add_product(*s.A.pattern, s.A.values, 1.0,
                to_std(normal(random, static_cast<Index>(s.Q.size()), 1)), s.b);
    if (integer(random, 0, 3) == 0)
        s.b[static_cast<std::size_t>(integer(random, 0, static_cast<Index>(s.b.size()) - 1))] *=
            1.5;
    return s;
}

struct Tally {
    int both = 0, conflicts = 0, careful = 0, moved = 0;
};

void compare(const SparseSample& s, const ConstrainedSolution& dense, const SparseOptions& way,
             Tally& tally) {
    SparseFactor factor = s.factor(way);
    ASSERT_EQ(factor.factor(s.M.values, s.A.values), Outcome::ok);
    if (dense.rank_decided) {
        EXPECT_TRUE(factor.is_decided());
    }
    if (!dense.rank_decided || !factor.is_decided()) return;
    ++tally.both;
    tally.careful += factor.was_careful();
    ASSERT_EQ(factor.rank(), dense.rank);
    bool conflict = false, undecided = false;
    for (const DependentSet& set : factor.dependent(s.b, 1e-8)) {
        conflict = conflict || set.conflict;
        undecided = undecided || set.undecided;
    }
    for (const DependentSet& set : dense.dependent) undecided = undecided || set.undecided;
    if (undecided) return;
    ASSERT_EQ(conflict, dense.outcome == Outcome::conflict);
    tally.conflicts += conflict;
    if (conflict) return;
    std::vector<double> x(s.Q.size()), lambda(s.b.size());
    EXPECT_LE(factor.solve({s.M.values, s.A.values, 1}, s.Q, s.b, x, lambda), 1e-11);
    const double condition = dense.rank > 0 ? 1.0 / dense.singular[dense.rank - 1] : 1.0;
    const double size = to_eigen(dense.acceleration).norm() + 1.0;
    EXPECT_LE(largest_difference(x, dense.acceleration), 1e-12 * size * condition);
    ++tally.moved;
}

TEST(SparseDoubt, WhereBothAreSureTheyAgree) {
    Random random(31);
    Tally tally;
    for (int trial = 0; trial < 200; ++trial) {
        const SparseSample s = doubtful(trial, random);
        const ConstrainedSolution dense = solve(s.problem());
        ASSERT_TRUE(dense.outcome == Outcome::ok || dense.outcome == Outcome::conflict);
        for (const SparseOptions& way : all_ways()) {
            const SparsePlan plan = s.factor(way).plan();
            SCOPED_TRACE(std::to_string(trial) + " " + plan.road + " " + plan.form + " " +
                         plan.order);
            compare(s, dense, way, tally);
        }
    }
    EXPECT_GE(tally.both, 2000);
    EXPECT_GE(tally.conflicts, 100);
    EXPECT_GE(tally.careful, 100);
    EXPECT_GE(tally.moved, 1500);
}

}  // namespace
}  // namespace lacon
