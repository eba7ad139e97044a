// Weighted shares of redundant constraints: the same at a state, in the rows of a run by whatever
// evaluates them, and along an ensemble.

#include <fmt/format.h>

#include <cmath>

#include "agree_tests.hpp"
#include "lacon/ensemble.hpp"
#include "lacon/motion.hpp"

namespace lacon {
namespace {

/// A coupler on three parallel links, of which two would do.
const std::string links = R"(
    param w1 = 1, w2 = 1, w3 = 1
    coord x1, y1, x2, y2
    particle B at (x1, y1) mass 1
    particle C at (x2, y2) mass 2
    gravity (0, -9.81)
    constraint left: norm(B) = 1 weight w1
    constraint right: norm(C - (2, 0)) = 1 weight w2
    constraint coupler: norm(C - B) = 2 weight 5
    constraint middle: norm((B + C)/2 - (1, 0)) = 1 weight w3
    start x1 = sin(0.8), y1 ~ -1, x2 = 2 + sin(0.8), y2 ~ -1
    output left.multiplier, right.multiplier, coupler.multiplier, middle.multiplier, left.force, middle.force
)";
const char* const columns[] = {"left.multiplier", "right.multiplier", "coupler.multiplier",
                               "middle.multiplier"};

Mechanism weighted(double w1, double w2, double w3) {
    return Mechanism::parse(links, "links", {{"w1", w1}, {"w2", w2}, {"w3", w3}});
}

/// The row of `middle` is half the sum of those of `left` and `right`: λ_left + λ_middle/2 and
/// λ_right + λ_middle/2 are unique, and w1 λ_left² + w2 λ_right² + w3 λ_middle² is least.
std::vector<double> shares(const std::vector<double>& any, double w1, double w2, double w3) {
    const double left = any[0] + any[3] / 2, right = any[1] + any[3] / 2;
    const double middle = (w1 * left + w2 * right) / (2 * w3 + (w1 + w2) / 2);
    return {left - middle / 2, right - middle / 2, any[2], middle};
}

State row_state(const Motion& motion, std::size_t row) {
    State s;
    s.t = motion.column("t")[row];
    for (const char* q : {"x1", "y1", "x2", "y2"}) s.q.push_back(motion.column(q)[row]);
    for (const char* v : {"x1'", "y1'", "x2'", "y2'"}) s.v.push_back(motion.column(v)[row]);
    return s;
}

void expect_shares(std::span<const double> found, const std::vector<double>& expected,
                   const std::string& where) {
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(found[i], expected[i], 1e-10 * 30.0) << where << " " << columns[i];
}

TEST(Weights, EvaluationsAndRowsOfRunsShareAlike) {
    const Mechanism plain = weighted(1, 1, 1);
    for (const auto& [w1, w2, w3] :
         {std::tuple{1.0, 1.0, 1.0}, std::tuple{0.5, 4.0, 2.0}, std::tuple{1e-3, 10.0, 1e3}}) {
        const Mechanism m = weighted(w1, w2, w3);
        for (const char* method : {"taylor", "dop853", "gauss"}) {
            for (const bool interpret : {false, true}) {
                RunOptions options{.end = 2.0,
                                   .every = 0.1,
                                   .tolerance = 1e-12,
                                   .method = method,
                                   .interpret = interpret};
                if (method == std::string("gauss")) options.step = 0.01;
                const Motion motion = run(m, options);
                ASSERT_TRUE(motion.status) << motion.status.message;
                ASSERT_EQ(motion.column("t").size(), 21u);
                EXPECT_EQ(motion.summary.code.tier == "interpreter", interpret)
                    << motion.summary.code.why;
                for (std::size_t row = 0; row < 21; ++row) {
                    const State s = row_state(motion, row);
                    const std::string where = fmt::format(
                        "{} {} row {}", method, interpret ? "interpreted" : "compiled", row);
                    std::vector<double> of_run;
                    for (const char* column : columns) of_run.push_back(motion.column(column)[row]);
                    const auto expected =
                        shares(plain.evaluate(s).solution.multipliers, w1, w2, w3);
                    expect_shares(m.evaluate(s).solution.multipliers, expected,
                                  "evaluate, " + where);
                    expect_shares(of_run, expected, where);
                    EXPECT_NEAR(motion.column("left.force")[row], std::abs(expected[0]), 3e-9)
                        << where;
                }
            }
        }
    }
}

TEST(Weights, EveryMemberOfAnEnsembleHasItsOwn) {
    const Mechanism plain = weighted(1, 1, 1);
    std::vector<Member> members;
    for (int i = 0; i < 9; ++i) members.push_back({weighted(1.0 + i, 2.0, 0.5 * (1 + i % 3))});
    for (const bool interpret : {false, true}) {
        const EnsembleMotion all = run_ensemble(members, {.end = 1.0,
                                                          .every = 0.25,
                                                          .tolerance = 1e-12,
                                                          .method = "taylor",
                                                          .rows = true,
                                                          .threads = 2,
                                                          .interpret = interpret});
        for (std::size_t i = 0; i < members.size(); ++i) {
            ASSERT_TRUE(all.members[i].status) << all.members[i].status.message;
            EXPECT_EQ(all.members[i].in_lanes, !interpret) << all.code.why;
            ASSERT_EQ(all.members[i].rows.size(), 5u);
            for (const State& s : all.members[i].rows) {
                const auto expected =
                    shares(plain.evaluate(s).solution.multipliers, 1.0 + static_cast<double>(i),
                           2.0, 0.5 * (1 + static_cast<int>(i) % 3));
                expect_shares(members[i].mechanism.evaluate(s).solution.multipliers, expected,
                              fmt::format("member {}", i));
                EXPECT_EQ(s.q, all.members[0]
                                   .rows[static_cast<std::size_t>(&s - all.members[i].rows.data())]
                                   .q)
                    << "weights move nothing";
            }
        }
    }
}

TEST(Weights, AnEventOnAShareComesWhereTheWeightedShareIsThere) {
    // The pull of the links grows threefold on the way down; the middle one takes a third of it (w3
    // = 1) or a half (w3 = 1/2).
    std::string text = links;
    text += "event strong: abs(middle.multiplier) = 12\n";
    for (const double w3 : {0.5, 1.0}) {
        const Mechanism m = Mechanism::parse(text, "links", {{"w3", w3}});
        for (const bool interpret : {false, true}) {
            const Motion motion =
                run(m, {.end = 0.6, .every = 0.1, .tolerance = 1e-12, .interpret = interpret});
            ASSERT_TRUE(motion.status) << motion.status.message;
            ASSERT_EQ(motion.summary.events.size(), 1u) << w3;
            State s;
            for (std::size_t row = 0; row < motion.column("t").size(); ++row)
                if (motion.column("t")[row] == motion.summary.events[0].t)
                    s = row_state(motion, row);
            ASSERT_FALSE(s.q.empty());
            EXPECT_NEAR(std::abs(m.evaluate(s).solution.multipliers[3]), 12.0, 1e-8) << w3;
        }
    }
}

}  // namespace
}  // namespace lacon
