// Runs of the sparse way against those of the dense one, and against what motions keep.
#include <numbers>

#include "driver/integrate.hpp"
#include "large_tests.hpp"
#include "runs.hpp"

namespace lacon::large_tests {
namespace {

RunOptions sparse(double end) {
    RunOptions options;
    options.end = end;
    options.solver = "sparse";
    return options;
}

TEST(LargeRun, NothingNarrowIsSteppedOver) {
    // 60 masses in a row, pushed by a pulse in time, then by pulses of the position and of a wave
    // of it.
    const std::string row =
        "param N = 60\ncoord x[1..N], y\nkinetic x[i]'^2/2 for i in 1..N\nkinetic y'^2/2\n"
        "constraint c[i]: x[i] - x[i-1] = 1 for i in 2..N\nstart x[i] = i - 1, x[i]' = 1 for i in "
        "1..N\n";
    const double pi = std::numbers::pi;
    struct Pulse {
        const char* force;
        double impulse;
    };
    for (const Pulse& pulse :
         {Pulse{"force y = exp(-((t - 33.3)/0.01)^2)", 0.01 * std::sqrt(pi)},
          Pulse{"force y = exp(-((x[1] - 33.3)/0.01)^2)", 0.01 * std::sqrt(pi)},
          Pulse{"force y = 1e-2/(1e-4 + (x[60] - 92.3)^2)", pi - 0.01 * (1.0 / 33.3 + 1.0 / 16.7)},
          Pulse{"force y = tanh(900*(x[1] - 20)) - tanh(900*(t - 20.1))", 0.2}}) {
        const Motion motion = run(Mechanism::parse(row + pulse.force), sparse(50.0));
        ASSERT_TRUE(motion.status) << motion.status.message;
        EXPECT_NEAR(motion.summary.final.v.back(), pulse.impulse, 1e-6) << pulse.force;
    }
}

TEST(LargeRun, WhatOverflowsFarAwayIsNotSteppedOver) {
    // Where a cosh or an exponential overflows there is no series, and steps go without one.
    for (const char* text :
         {"coord x\nkinetic x'^2/2\npotential 0.6/cosh(40*(x - 20))^2\nstart x' = 1\n",
          "coord x\nkinetic x'^2/2\npotential 0.7/(1 + exp(-90*(x - 20)))\nstart x' = 1\n",
          "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
          "constraint road: y = 0.2/(1 + exp(-200*(x - 20)))\nstart x' = 1\n"}) {
        const Motion motion = run(Mechanism::parse(text), sparse(30.0));
        ASSERT_TRUE(motion.status) << text << motion.status.message;
        EXPECT_NEAR(motion.summary.final.v[0], -1.0, 1e-8) << text;  // thrown back near x = 20
        EXPECT_NEAR(motion.summary.final.q[0], 10.0, 0.2) << text;
        EXPECT_LE(motion.summary.worst.energy, 1e-9) << text;
    }
}

TEST(LargeRun, EndsWhereTheDenseOneEndsOnAllModelsThatSuit) {
    for (const std::string& file : suitable_models()) {
        SCOPED_TRACE(file);
        const Mechanism mechanism = Mechanism::load(file);
        RunOptions options = sparse(0.5);
        options.begin = 0.0;
        options.every = 0.1;
        options.tolerance = 1e-11;
        const Motion large = run(mechanism, options);
        options.solver = "dense";
        options.method = "taylor";
        const Motion small = run(mechanism, options);
        if (!small.status) continue;  // the flat parallelogram: no branch is the right one
        ASSERT_TRUE(large.status) << large.status.message;
        EXPECT_FALSE(large.summary.solve.empty());
        EXPECT_TRUE(small.summary.solve.empty());
        const double size =
            1.0 + std::max(largest(small.summary.final.q), largest(small.summary.final.v));
        EXPECT_LE(largest_difference(large.summary.final.q, small.summary.final.q), 1e-7 * size);
        EXPECT_LE(largest_difference(large.summary.final.v, small.summary.final.v), 1e-7 * size);
        ASSERT_EQ(large.names, small.names);
        ASSERT_EQ(large.columns[0], small.columns[0]);
        EXPECT_LE(large.summary.worst.position, 1e-12);
        EXPECT_LE(large.summary.worst.velocity, 1e-12);
    }
}

TEST(LargeRun, AChainKeepsItsEnergyAndItsLinks) {
    const Mechanism mechanism = Mechanism::parse(chain(300, 6));
    RunOptions options = sparse(1.0);
    options.tolerance = 1e-12;
    const Motion motion = run(mechanism, options);
    ASSERT_TRUE(motion.status) << motion.status.message;
    EXPECT_LE(motion.summary.worst.energy, 1e-11 * motion.summary.energy_scale);
    EXPECT_LE(motion.summary.worst.position, 1e-13);
    EXPECT_EQ(motion.summary.rank_min, 300U);
    EXPECT_EQ(motion.summary.rank_max, 300U);
}

TEST(LargeRun, ANetEndsWhereTheDenseOneEnds) {
    const Mechanism mechanism = Mechanism::parse(net(6));
    RunOptions options = sparse(0.2);
    const Motion large = run(mechanism, options);
    options.solver = "dense";
    const Motion small = run(mechanism, options);
    ASSERT_TRUE(large.status) << large.status.message;
    ASSERT_TRUE(small.status) << small.status.message;
    EXPECT_LE(largest_difference(large.summary.final.q, small.summary.final.q), 1e-9);
}

TEST(LargeRun, EndsWhereTheDenseOneEndsWhateverTheMassAndTheConstraintsAreLike) {
    const std::string masses =
        "param N = 30\ncoord x[1..N]\nstart x[i] ~ 0.1*sin(i), x[i]' ~ 0.2*cos(2*i) for i in 1..N\n"
        "potential (x[i] - x[i-1])^2*50 for i in 2..N\npotential x[1]^4 + x[N]^2\noutput energy\n";
    const std::string pair =
        "coord u[1..10], w[1..10]\nkinetic (u[i]'^2 + w[i]'^2)/2 for i in 1..10\n"
        "constraint tie[i]: u[i]^2 + w[i]^2 = 1 for i in 1..10\npotential w[i] for i in 1..10\n"
        "start u[i] = cos(i), w[i] ~ sin(i) for i in 1..10\n";
    const std::vector<std::string> texts = {
        masses + "kinetic x[i]'^2/2 for i in 1..N\n",  // no constraint at all
        masses +
            "kinetic (x[i]' + 0.4*x[i-1]')^2 for i in 2..N\nkinetic x[1]'^2\n",  // M of one piece
        masses +
            "kinetic (1 + 0.3*sin(x[i] - x[i-1]))*(x[i]' + x[i-1]')^2/2 + x[i]'^2 for i in "
            "2..N\nkinetic x[1]'^2\n",
        masses +
            "kinetic x[i]'^2/2 for i in 1..N\nconstraint drag[i]: x[i]'*2 = x[i+1]'*cos(x[i]) for "
            "i in 3..6\n",
        masses +
            "kinetic x[i]'^2/2 for i in 1..N\nconstraint push[i]: x[i]'' = sin(t)*x[i-1] for i in "
            "5..8\n",
        // one without a mass:
        masses + "kinetic x[i]'^2/2 for i in 1..N-1\nconstraint hold: x[N] = x[1] + sin(t)\n",
        masses + "kinetic x[i]'^2/2 for i in 1..N\nconstraint soft: x[4] = x[9] stabilize 20 100\n",
        pair,  // islands
    };
    for (const std::string& text : texts) {
        SCOPED_TRACE(text);
        const Mechanism mechanism = Mechanism::parse(text);
        RunOptions options = sparse(1.0);
        options.tolerance = 1e-12;
        const Motion large = run(mechanism, options);
        options.solver = "dense";
        options.method = "taylor";
        const Motion small = run(mechanism, options);
        ASSERT_TRUE(small.status) << small.status.message;
        ASSERT_TRUE(large.status) << large.status.message;
        EXPECT_LE(largest_difference(large.summary.final.q, small.summary.final.q), 1e-9);
        EXPECT_LE(largest_difference(large.summary.final.v, small.summary.final.v), 1e-9);
        EXPECT_EQ(large.summary.rank_first, small.summary.rank_first);
    }
}

TEST(LargeRun, TheStartIsTheNearestOneToTheGuesses) {
    std::string text = chain(40);
    text.replace(text.find("start x[i] = i*l, y[i] = 0"), 26,
                 "start x[i] ~ i*l*1.01, y[i] ~ 0.001*i*i");
    const Mechanism mechanism = Mechanism::parse(text);
    const Start dense = mechanism.start();
    ASSERT_TRUE(dense.status);
    EXPECT_EQ(dense.moved.size(), 80U);
    RunOptions options = sparse(1e-6);
    const Motion motion = run(mechanism, options);
    ASSERT_TRUE(motion.status) << motion.status.message;
    // Turning any link, with all that hangs on it, leads no nearer: what follows it is displaced by
    // nothing square to it, in sum.
    constexpr std::size_t n = 40;
    std::vector<double> x(n + 1, 0.0), y(n + 1, 0.0);
    double square = 0.0, dense_square = 0.0, dx = 0.0, dy = 0.0;
    for (std::size_t i = 1; i <= n; ++i) {
        x[i] = motion.columns[i].front();
        y[i] = motion.columns[n + i].front();
    }
    for (std::size_t i = n; i > 0; --i) {
        const auto k = static_cast<double>(i);
        const double wanted_x = k * 0.25 * 1.01, wanted_y = 0.001 * k * k;
        dx += x[i] - wanted_x;
        dy += y[i] - wanted_y;
        EXPECT_NEAR(dy * (x[i] - x[i - 1]) - dx * (y[i] - y[i - 1]), 0.0, 1e-8) << i;
        square += std::pow(x[i] - wanted_x, 2) + std::pow(y[i] - wanted_y, 2);
        dense_square += std::pow(dense.state.q[i - 1] - wanted_x, 2) +
                        std::pow(dense.state.q[n + i - 1] - wanted_y, 2);
    }
    EXPECT_LE(square, dense_square * (1.0 + 1e-12));
}

TEST(LargeRun, EventsAreFoundAndStopWhereTheDenseRunStops) {
    const std::string text = chain(20) + "event low: y[20] = -3 stop\nevent half: y[20] = -1.5\n";
    const Mechanism mechanism = Mechanism::parse(text);
    RunOptions options = sparse(5.0);
    const Motion large = run(mechanism, options);
    options.solver = "dense";
    const Motion small = run(mechanism, options);
    ASSERT_EQ(large.summary.events.size(), small.summary.events.size());
    for (std::size_t i = 0; i < small.summary.events.size(); ++i) {
        EXPECT_EQ(large.summary.events[i].name, small.summary.events[i].name);
        EXPECT_NEAR(large.summary.events[i].t, small.summary.events[i].t, 1e-9);
    }
    EXPECT_NEAR(large.summary.final.t, small.summary.final.t, 1e-9);
}

TEST(LargeRun, DecisionsTurnWhereTheyTurnInTheDenseRun) {
    // A chain over cords that only pull: a net under it, so to speak.
    const std::string text =
        chain(12) + "potential 400*max(0, -y[i] - 0.5 - 0.01*i)^2 for i in 1..N\n";
    const Mechanism mechanism = Mechanism::parse(text);
    RunOptions options = sparse(1.0);
    options.tolerance = 1e-12;
    const Motion large = run(mechanism, options);
    options.solver = "dense";
    const Motion small = run(mechanism, options);
    ASSERT_TRUE(large.status) << large.status.message;
    ASSERT_TRUE(small.status) << small.status.message;
    ASSERT_GE(small.summary.events.size(), 12U);
    ASSERT_EQ(large.summary.events.size(), small.summary.events.size());
    for (std::size_t i = 0; i < small.summary.events.size(); ++i) {
        EXPECT_EQ(large.summary.events[i].name, small.summary.events[i].name);
        EXPECT_EQ(large.summary.events[i].kind, "switch");
        EXPECT_NEAR(large.summary.events[i].t, small.summary.events[i].t, 1e-7);
    }
    EXPECT_LE(largest_difference(large.summary.final.q, small.summary.final.q), 1e-6);
    EXPECT_LE(large.summary.worst.energy, 1e-10 * large.summary.energy_scale);
}

TEST(LargeRun, DecisionsThatTurnOneShortlyAfterTheOtherTurnEachAtItsTime) {
    const std::string text =
        "coord x, y\nkinetic 0.5*x'^2 + 0.5*y'^2\npotential if(x > 0, x, 0)\n"
        "start x = -1, y = -1.0009, x' = 1, y' = 1\noutput energy\n";
    for (const char* other :
         {"potential if(y > 0, -1000*y, 0)\n", "potential if(y > 0, 1000*y, 0)\n"}) {
        const Mechanism mechanism = Mechanism::parse(text + other);
        RunOptions options = sparse(1.5);
        const Motion large = run(mechanism, options);
        options.solver = "dense";
        const Motion small = run(mechanism, options);
        ASSERT_TRUE(large.status) << large.status.message;
        ASSERT_EQ(large.summary.events.size(), small.summary.events.size());
        for (std::size_t i = 0; i < small.summary.events.size(); ++i)
            EXPECT_NEAR(large.summary.events[i].t, small.summary.events[i].t, 1e-9);
        EXPECT_LE(large.summary.worst.energy, 1e-8);
    }
}

TEST(LargeRun, DecisionsThatTurnWithinRoundingOfEachOtherAreNoSliding) {
    // Let go level, the outer beads fall freely, but for less and less: 1e-13 s after the last one
    // the one before it is there.
    const Mechanism mechanism =
        Mechanism::parse(chain(12) + "potential 400*max(0, -y[i] - 0.5)^2 for i in 1..N\n");
    for (const char* solver : {"sparse", "dense"}) {
        RunOptions options = sparse(0.35);
        options.solver = solver;
        const Motion motion = run(mechanism, options);
        ASSERT_TRUE(motion.status) << solver << ": " << motion.status.message;
        std::vector<std::string> fallen;
        for (const MotionEvent& event : motion.summary.events)
            if (std::abs(event.t - std::sqrt(2.0 * 0.5 / 9.81)) < 1e-6)
                fallen.push_back(event.name);
        std::sort(fallen.begin(), fallen.end());
        // Beads 8 to 12: `max`, and the branch of its slope.
        EXPECT_EQ(fallen.size(), 10U) << solver;
        EXPECT_EQ(std::unique(fallen.begin(), fallen.end()), fallen.end())
            << solver << ": each turns once";
        EXPECT_LE(motion.summary.worst.energy, 1e-9 * motion.summary.energy_scale) << solver;
    }
}

TEST(LargeRun, AStartIsSearchedForBesideADeadEnd) {
    const std::string triangle =
        "coord x1, y1, x2, y2\nparticle A at (x1, y1) mass 1\nparticle B at (x2, y2) mass 1\n"
        "constraint a: norm(A) = 1\nconstraint b: norm(B - A) = 1\nconstraint c: B = (1.2, 0)\n"
        "start x1 ~ 0.5, y1 ~ 0, x2 ~ 1.5, y2 ~ 0\n";
    const Motion motion = run(Mechanism::parse(triangle), sparse(0.01));
    ASSERT_TRUE(motion.status) << motion.status.message;
    EXPECT_NEAR(std::abs(motion.column("y1").front()), 0.8, 1e-12);
    const std::string coiled =
        "param N = 60\ncoord x[0..N], y[0..N]\nkinetic (x[i]'^2 + y[i]'^2)/2 for i in 0..N\n"
        "constraint c[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1 for i in 1..N\n";
    EXPECT_TRUE(run(Mechanism::parse(coiled), sparse(0.01)).status);
}

TEST(LargeRun, AMasslessCoordinateThatAnUpperLevelHoldsDoesNotHinderTheStart) {
    const std::string text =
        "coord x, y, u\nparticle p at (x, y) mass 1\nconstraint rod: x^2 + y^2 = 1\nconstraint w: "
        "u' = x'\n"
        "start x = 0.5, y ~ -1\ngravity (0, -9.81)\n";
    const Motion large = run(Mechanism::parse(text), sparse(0.5));
    ASSERT_TRUE(large.status) << large.status.message;
    RunOptions options = sparse(0.5);
    options.solver = "dense";
    const Motion small = run(Mechanism::parse(text), options);
    EXPECT_LE(largest_difference(large.summary.final.q, small.summary.final.q), 1e-8);
    const Motion none =
        run(Mechanism::parse("coord x, y\nkinetic x'^2 - 0.5*y'^2\nconstraint a: x + y = 1\n"),
            sparse(0.5));
    EXPECT_EQ(name_of(none.status.outcome), "indefinite");
}

TEST(LargeRun, GoesOnFromASnapshotToTheSameBits) {
    const Mechanism mechanism = Mechanism::parse(chain(200, 10));
    RunOptions options = sparse(0.5);
    const RunPlan plan = plan_run(mechanism.details(), options);
    std::vector<std::vector<double>> whole, parts;
    const auto into = [](std::vector<std::vector<double>>& rows) {
        return [&rows](std::span<const double> row) { rows.emplace_back(row.begin(), row.end()); };
    };
    const auto first = make_run(mechanism.details(), plan, {}, into(whole));
    ASSERT_TRUE(first->begin());
    Snapshot middle;
    std::size_t rows_before = 0;
    for (int i = 0; first->step(); ++i)
        if (i == 3) {
            middle = first->snapshot();
            rows_before = whole.size();
        }
    const auto second = make_run(mechanism.details(), plan, {}, into(parts));
    ASSERT_TRUE(second->resume(middle));
    while (second->step()) continue;
    EXPECT_EQ(first->state().q, second->state().q);
    EXPECT_EQ(first->state().v, second->state().v);
    ASSERT_EQ(whole.size() - rows_before, parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (std::size_t c = 0; c < parts[i].size(); ++c)
            EXPECT_EQ(whole[rows_before + i][c], parts[i][c])
                << first->names()[c] << " in row " << i;
    EXPECT_EQ(first->summary().steps, second->summary().steps);
    EXPECT_EQ(first->summary().factorizations, second->summary().factorizations);
}

TEST(LargeRun, GoesOnToTheSameBitsFromBetweenDecisionsThatTurnTogether) {
    const Mechanism mechanism =
        Mechanism::parse(chain(12) + "potential 400*max(0, -y[i] - 0.5)^2 for i in 1..N\n");
    for (const char* solver : {"sparse", "dense"}) {
        RunOptions options = sparse(0.35);
        options.solver = solver;
        const RunPlan plan = plan_run(mechanism.details(), options);
        const auto whole = make_run(mechanism.details(), plan, {}, {});
        ASSERT_TRUE(whole->begin());
        std::vector<Snapshot> snapshots;
        while (whole->step()) snapshots.push_back(whole->snapshot());
        for (const Snapshot& snapshot : snapshots) {
            const auto rest = make_run(mechanism.details(), plan, {}, {});
            ASSERT_TRUE(rest->resume(snapshot));
            while (rest->step()) continue;
            EXPECT_EQ(whole->state().q, rest->state().q)
                << solver << " from t = " << snapshot.time.now();
            EXPECT_EQ(whole->summary().events.size(), rest->summary().events.size()) << solver;
        }
    }
}

TEST(LargeRun, ConstraintsThatConflictOnTheWayEndIt) {
    const std::string text =
        chain(50) + "constraint drive: y[50] = -t^2\nconstraint other: y[50] = -t^2 - t^6\n";
    const Motion motion = run(Mechanism::parse(text), sparse(1.0));
    EXPECT_EQ(name_of(motion.status.outcome), "conflict");
    EXPECT_EQ(motion.status.names, (std::vector<std::string>{"drive", "other"}));
}

/// Some links said twice, the second time with `off` of something else in them.
std::string nearly_twice(const std::string& off) {
    return chain(60) + "constraint again[i]: norm(P[i] - P[i-1])^2 + " + off +
           "*y[i+1] = l^2 for i in 11..20\n";
}

TEST(LargeRun, RowsThatNearlyDependOnOthersAreKeptWithoutAFalseAlarm) {
    for (const char* off : {"1e-9", "1e-8", "1e-7", "1e-6", "1e-4"}) {
        const Motion motion = run(Mechanism::parse(nearly_twice(off)), sparse(0.1));
        EXPECT_TRUE(motion.status) << off << ": " << motion.status.message;
        EXPECT_EQ(motion.summary.rank_min, 70U) << off;
        EXPECT_TRUE(motion.summary.events.empty()) << off;
    }
}

TEST(LargeRun, RowsThatDependUpToTheToleranceOnlyAreToldByName) {
    for (const char* off : {"1e-12", "1e-11"}) {
        const Motion motion = run(Mechanism::parse(nearly_twice(off)), sparse(0.1));
        EXPECT_EQ(name_of(motion.status.outcome), "conflict") << off;
        EXPECT_NE(motion.status.message.find(
                      "'link[11]' and 'again[11]' depend on each other within the rank tolerance"),
                  std::string::npos)
            << motion.status.message;
        EXPECT_EQ(motion.status.names.size(), 20U) << off;
    }
}

TEST(LargeRun, AStartThatRowsWhichNearlyDependHinderSaysWhichTheyAre) {
    std::string text = nearly_twice("1e-8");
    const std::string given = "start x[i] = i*l, y[i] = 0";
    text.replace(text.find(given), given.size(), "start x[i] ~ i*l, y[i] ~ 0.01*i");
    const Motion motion = run(Mechanism::parse(text), sparse(0.1));
    EXPECT_EQ(name_of(motion.status.outcome), "no_start");
    EXPECT_NE(motion.status.message.find("'link[11]' and 'again[11]', and 9 more sets, differ by "
                                         "less than 0.0001 (relative)"),
              std::string::npos)
        << motion.status.message;
}

TEST(LargeRun, ADenseStepThatTakesLongIsBrokenOffWithinIt) {
    const Mechanism mechanism = Mechanism::parse(chain(50));
    for (const char* method : {"dop853", "taylor", "gauss", "bdf", "rk4"}) {
        RunOptions options;
        options.solver = "dense";
        options.method = method;
        options.interpret = true;
        options.end = 1.0;
        const auto run =
            make_run(mechanism.details(), plan_run(mechanism.details(), options), {}, {});
        ASSERT_TRUE(run->begin()) << method;
        ASSERT_TRUE(run->step()) << method;
        const State before = run->state();
        const std::size_t evaluations = run->summary().evaluations;
        int asked = 0;
        run->stop_when([&] { return ++asked > 3; });
        while (run->step()) continue;
        EXPECT_EQ(name_of(run->status().outcome), "interrupted")
            << method << ": " << run->status().message;
        EXPECT_LE(run->summary().evaluations, evaluations + 5) << method;
        EXPECT_EQ(run->summary().final.q, run->state().q) << method;
        EXPECT_TRUE(run->steps() > 1 || run->state().q == before.q) << method;
    }
}

TEST(LargeRun, AutoTakesTheSparseWayWhereItCostsLess) {
    RunOptions options;
    options.end = 0.01;
    EXPECT_TRUE(run(Mechanism::parse(chain(20)), options).summary.solve.empty());
    EXPECT_FALSE(run(Mechanism::parse(chain(2000)), options).summary.solve.empty());
}

TEST(LargeRun, WhatIsTooLargeForTheDenseWayAndCannotBeSparseIsRefusedWithTheReason) {
    const Motion motion =
        run(Mechanism::parse(chain(8000) + "constraint floor: y[1] >= -1\n"), {.end = 0.1});
    EXPECT_EQ(name_of(motion.status.outcome), "too_large");
    EXPECT_NE(motion.status.message.find("one-sided constraints"), std::string::npos)
        << motion.status.message;
}

}  // namespace
}  // namespace lacon::large_tests
