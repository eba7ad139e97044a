// The parts of the sparse factorization, and large systems: what elimination does, counted, not
// timed.
#include <gtest/gtest.h>

#include <set>

#include "solve/dense/matrix/twofold.hpp"
#include "solve/sparse/order.hpp"
#include "solve/sparse/supernodal.hpp"
#include "sparse_problems.hpp"

namespace lacon {
namespace {

using namespace lacon::testing;
using solving::nowhere;
using solving::Place;

SparsePattern graph_of(std::size_t n, const std::set<std::pair<Place, Place>>& edges) {
    std::vector<std::set<Place>> touching(n);
    for (const auto& [a, b] : edges) {
        touching[a].insert(b);
        touching[b].insert(a);
    }
    SparsePattern graph{n, n, {0}, {}};
    for (const auto& row : touching) {
        graph.column.insert(graph.column.end(), row.begin(), row.end());
        graph.begin.push_back(graph.column.size());
    }
    return graph;
}

// Elimination as it is defined: the neighbours of what is eliminated become neighbours of each
// other.
std::vector<std::size_t> counts_by_definition(const solving::Elimination& e) {
    std::vector<std::set<Place>> below(e.size());
    for (std::size_t i = 0; i < e.size(); ++i)
        for (const Place j : solving::row_of(e.lower, i)) below[j].insert(static_cast<Place>(i));
    std::vector<std::size_t> counts;
    for (auto& column : below) {
        counts.push_back(column.size());
        if (column.empty()) continue;
        const Place first = *column.begin();
        for (const Place i : column)
            if (i != first) below[first].insert(i);
    }
    return counts;
}

TEST(SparseForms, CountsOfColumnsAreThoseOfElimination) {
    Random random(21);
    for (int trial = 0; trial < 60; ++trial) {
        const auto n = static_cast<std::size_t>(integer(random, 1, 60));
        std::set<std::pair<Place, Place>> edges;
        for (Index k = 0; k < integer(random, 0, 3 * static_cast<Index>(n)); ++k) {
            const auto a = static_cast<Place>(integer(random, 0, static_cast<Index>(n) - 1));
            const auto b = static_cast<Place>(integer(random, 0, static_cast<Index>(n) - 1));
            if (a != b) edges.insert({std::min(a, b), std::max(a, b)});
        }
        const SparsePattern graph = graph_of(n, edges);
        using Order = SparseOptions::Order;
        for (const Order order :
             {Order::automatic, Order::natural, Order::degree, Order::dissection}) {
            const solving::Elimination e = solving::choose_order(graph, {order}).elimination;
            const std::vector<std::size_t> counts = counts_by_definition(e);
            ASSERT_EQ(std::vector<std::size_t>(e.counts.begin(), e.counts.end()), counts);
            ASSERT_EQ(std::set<Place>(e.order.begin(), e.order.end()).size(), n);
            const solving::SupernodalLdlt blocks(e);  // stores whole trapezoids
            ASSERT_GE(blocks.entries(), e.entries + n);
            for (std::size_t k = 0; k < n; ++k)
                ASSERT_TRUE(e.parent[k] == nowhere || e.parent[k] > k);
        }
    }
}

TEST(SparseForms, RowsComeBehindTheirCoordinates) {
    Random random(22);
    std::set<std::pair<Place, Place>> edges;
    for (Place row = 100; row < 180; ++row)
        for (int k = 0; k < 4; ++k) edges.insert({static_cast<Place>(integer(random, 0, 99)), row});
    const SparsePattern graph = graph_of(180, edges);
    using Order = SparseOptions::Order;
    for (const Order order : {Order::natural, Order::degree, Order::dissection}) {
        const solving::Elimination e = solving::choose_order(graph, {order, 100}).elimination;
        for (const auto& [coordinate, row] : edges) EXPECT_LT(e.place[coordinate], e.place[row]);
    }
}

TEST(SparseForms, TwofoldNumbersKeepTwiceTheDigits) {
    using solving::Twofold;
    Random random(23);
    for (int trial = 0; trial < 200; ++trial) {
        const long double a = uniform(random, 0.5, 2.0), b = uniform(random, 0.5, 2.0);
        const Twofold x(static_cast<double>(a)), y(static_cast<double>(b));
        const Twofold third = x / y, back = third * y - x;
        EXPECT_LE(std::abs(static_cast<double>(back)), 1e-30);
        const Twofold sum = (x + y * Twofold(1e-20)) - x;
        EXPECT_NEAR(static_cast<double>(sum) * 1e20, static_cast<double>(b), 1e-11);
    }
}

struct Motion {
    std::vector<double> x, lambda;
    std::vector<std::uint32_t> dropped;
    std::vector<DependentSet> sets;
    SparsePlan plan;
};

Motion motion_of(const SparseSample& s, const SparseOptions& options) {
    SparseFactor factor = s.factor(options);
    EXPECT_EQ(factor.factor(s.M.values, s.A.values), Outcome::ok);
    EXPECT_TRUE(factor.is_decided());
    EXPECT_FALSE(factor.was_careful());
    Motion m{std::vector<double>(s.Q.size()), std::vector<double>(s.b.size()), {}, {}, {}};
    EXPECT_LE(factor.solve({s.M.values, s.A.values, 1}, s.Q, s.b, m.x, m.lambda), 1e-13);
    m.dropped = factor.dropped();
    m.sets = factor.dependent(s.b, 1e-8);
    m.plan = factor.plan();
    return m;
}

/// A net of side², every hundredth rod twice; without the dense matrices.
SparseSample net(std::uint32_t side, Random& random) {
    const std::uint32_t particles = side * side;
    SparseSample s{SparseRows(3 * particles), SparseRows(3 * particles), {}, {}, {}, {}, 0};
    for (std::uint32_t j = 0; j < 3 * particles; ++j) s.M.add({{j, 1.0 + (j / 3) % 3}});
    const std::vector<double> x = places(Shape::net, particles, random);
    std::size_t count = 0;
    for (const auto& [a, c] : rods_of(Shape::net, particles, random)) {
        s.A.add(rod_row(x, a, c));
        if (++count % 100 != 0) continue;
        s.A.add(rod_row(x, a, c));
        ++s.planted;
    }
    s.Q.assign(3 * particles, 0.0);
    for (std::uint32_t k = 0; k < particles; ++k) s.Q[3 * k + 2] = -9.81;
    s.b.assign(s.A.pattern->rows, 0.0);
    add_product(*s.A.pattern, s.A.values, 1.0, x, s.b);
    return s;
}

TEST(SparseForms, BlocksAndColumnsGiveTheSameMotionOfANet) {
    Random random(24);
    const SparseSample s = net(60, random);
    using O = SparseOptions;
    const Motion right = motion_of(s, {O::Road::schur, O::Form::simplicial, O::Order::degree, 1});
    EXPECT_EQ(right.dropped.size(), s.planted);
    for (const auto road : {O::Road::schur, O::Road::kkt})
        for (const auto form : {O::Form::simplicial, O::Form::supernodal})
            for (const auto order : {O::Order::natural, O::Order::dissection}) {
                const Motion m = motion_of(s, {road, form, order, 1});
                EXPECT_EQ(m.dropped.size(), s.planted);
                EXPECT_LE(largest_difference(m.x, right.x),
                          1e-10 * to_eigen(right.x).cwiseAbs().maxCoeff());
                for (const DependentSet& set : m.sets) {
                    ASSERT_EQ(set.rows.size(), 2u);
                    EXPECT_EQ(set.rows[1], set.rows[0] + 1);
                    EXPECT_NEAR(set.coefficients[0], 1.0, 1e-12);
                    EXPECT_NEAR(set.coefficients[1], -1.0, 1e-12);
                    EXPECT_FALSE(set.conflict || set.undecided);
                }
            }
}

TEST(SparseForms, ThreadsDoNotChangeABit) {
    Random random(25);
    const SparseSample one = net(70, random);
    // Many islands: copies of a net side by side.
    SparseSample many{SparseRows(0), SparseRows(0), {}, {}, {}, {}, 0};
    const SparseSample part = net(12, random);
    constexpr std::uint32_t copies = 120;
    many.M.pattern->cols = many.A.pattern->cols = copies * part.Q.size();
    for (std::uint32_t k = 0; k < copies; ++k) {
        const auto shift = static_cast<std::uint32_t>(k * part.Q.size());
        for (const auto& [from, to] : {std::pair(&part.M, &many.M), std::pair(&part.A, &many.A)})
            for (std::size_t i = 0; i < from->pattern->rows; ++i) {
                Row row;
                for (std::size_t e = from->pattern->begin[i]; e < from->pattern->begin[i + 1]; ++e)
                    row[from->pattern->column[e] + shift] = from->values[e];
                to->add(row);
            }
        many.Q.insert(many.Q.end(), part.Q.begin(), part.Q.end());
        many.b.insert(many.b.end(), part.b.begin(), part.b.end());
    }
    using O = SparseOptions;
    for (const SparseSample* s : {&one, static_cast<const SparseSample*>(&many)})
        for (const auto road : {O::Road::schur, O::Road::kkt})
            for (const auto form : {O::Form::simplicial, O::Form::supernodal}) {
                const Motion alone = motion_of(*s, {road, form, O::Order::dissection, 1});
                for (const std::size_t threads : {2, 3, 8}) {
                    const Motion m = motion_of(*s, {road, form, O::Order::dissection, threads});
                    EXPECT_EQ(m.x, alone.x);
                    EXPECT_EQ(m.lambda, alone.lambda);
                    EXPECT_EQ(m.dropped, alone.dropped);
                }
                EXPECT_EQ(alone.plan.islands, (s == &one ? 1u : copies));
            }
}

TEST(SparseForms, AChainIsLinearAndANetNearlySo) {
    Random random(26);
    double before = 0.0;
    for (const std::uint32_t particles : {1000u, 10000u, 100000u}) {
        SparseSample s{SparseRows(3 * particles), SparseRows(3 * particles), {}, {}, {}, {}, 0};
        for (std::uint32_t j = 0; j < 3 * particles; ++j) s.M.add({{j, 2.0}});
        const std::vector<double> x = places(Shape::chain, particles, random);
        for (std::uint32_t k = 0; k + 1 < particles; ++k) s.A.add(rod_row(x, k, k + 1));
        const SparsePlan plan = s.factor().plan();
        EXPECT_EQ(plan.order, "natural");
        EXPECT_EQ(plan.form, "simplicial");
        EXPECT_EQ(plan.entries, particles - 2);
        EXPECT_LE(plan.operations, 4.0 * particles);
    }
    for (const std::uint32_t side : {32u, 100u, 316u}) {
        const SparseSample s = net(side, random);
        const Motion m = motion_of(s, {});
        EXPECT_EQ(m.dropped.size(), s.planted);
        EXPECT_EQ(m.sets.size(), s.planted);
        EXPECT_EQ(m.plan.form, "supernodal");
        EXPECT_EQ(m.plan.order, "dissection");
        const double each = m.plan.operations / (side * side);
        if (before > 0.0) {
            EXPECT_LE(each, 4.5 * before);  // √10 a decade, and its logarithm
        }
        before = each;
    }
}

}  // namespace
}  // namespace lacon
