// Ensembles: every member ends where its own run does, whatever the lanes and threads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "lacon/ensemble.hpp"
#include "lacon/motion.hpp"
#include "lacon/simulation.hpp"

namespace lacon {
namespace {

const std::string double_pendulum = R"(param m = 1, l = 1, g = 9.81
    coord x1, y1, x2, y2
    particle a at (x1, y1) mass m
    particle b at (x2, y2) mass 2
    gravity (0, -g)
    constraint upper: x1^2 + y1^2 = l^2
    constraint lower: (x2 - x1)^2 + (y2 - y1)^2 = 1
    start x1 ~ 1, y1 ~ 0, x2 ~ 2, y2 ~ 0)";

/// Double pendulums let go at many angles, with many lengths and masses.
std::vector<Member> many(std::size_t count) {
    std::vector<Member> members;
    for (std::size_t i = 0; i < count; ++i) {
        const double k = static_cast<double>(i), angle = 0.3 + 0.07 * k, l = 1.0 + 0.01 * k;
        State guess{0.0,
                    {l * std::sin(angle), -l * std::cos(angle), l * std::sin(angle) + 1.0,
                     -l * std::cos(angle)},
                    {0, 0, 0, 0}};
        members.push_back(
            {Mechanism::parse(double_pendulum, "double", {{"l", l}, {"m", 1.0 + 0.1 * k}}), guess});
    }
    return members;
}

/// The motion of one member by a run of its own.
MotionSummary make_run_of(const Member& member, Solver solver) {
    Simulation run(
        member.mechanism, *member.guess,
        {.end = 0.5, .tolerance = 1e-10, .method = "taylor", .solver = solver, .interpret = true});
    while (run.step()) {
    }
    return run.summary();
}

TEST(Ensemble, EveryMemberIsWhereItsOwnRunEnds) {
    const std::vector<Member> members = many(21);
    const EnsembleMotion all =
        run_ensemble(members, {.end = 2.0, .tolerance = 1e-10, .method = "dop853", .threads = 1});
    const EnsembleMotion taylor =
        run_ensemble(members, {.end = 2.0, .tolerance = 1e-12, .method = "taylor", .threads = 1});
    ASSERT_EQ(all.members.size(), members.size());
    EXPECT_EQ(all.code.tier, "full") << all.code.why;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const MemberMotion& one = all.members[i];
        for (const MemberMotion* motion : {&one, &taylor.members[i]}) {
            ASSERT_TRUE(motion->status) << motion->status.message;
            EXPECT_TRUE(motion->in_lanes);
            EXPECT_EQ(motion->final.t, 2.0);
            EXPECT_LE(motion->position, 1e-14);
            EXPECT_LE(motion->velocity, 1e-13);
        }
        const double l = members[i].mechanism.parameter("l");
        std::string text = double_pendulum;
        text.replace(text.find("start"), std::string::npos, "start ");
        const char* names[] = {"x1", "y1", "x2", "y2"};
        for (std::size_t j = 0; j < 4; ++j)
            text += (j ? ", " : "") + fmt::format("{} ~ {}", names[j], members[i].guess->q[j]);
        const Motion exact = run(
            Mechanism::parse(text, "alone", {{"l", l}, {"m", members[i].mechanism.parameter("m")}}),
            {.end = 2.0, .every = 2.0, .tolerance = 1e-14, .method = "taylor"});
        for (std::size_t j = 0; j < 4; ++j) {
            EXPECT_NEAR(one.final.q[j], exact.summary.final.q[j], 1e-7) << i;
            EXPECT_NEAR(taylor.members[i].final.q[j], exact.summary.final.q[j], 1e-9) << i;
        }
    }
}

TEST(Ensemble, TheSolverThatIsAskedForIsThatOfARun) {
    const std::vector<Member> members = many(3);
    for (const Solver solver : {Solver::dense, Solver::sparse}) {
        const EnsembleMotion all = run_ensemble(
            members, {.end = 0.5, .tolerance = 1e-10, .solver = solver, .interpret = true});
        for (std::size_t i = 0; i < members.size(); ++i) {
            const auto run = make_run_of(members[i], solver);
            ASSERT_TRUE(all.members[i].status) << all.members[i].status.message;
            EXPECT_FALSE(all.members[i].in_lanes);
            EXPECT_EQ(all.members[i].final.q, run.final.q) << i << " " << name_of(solver);
            EXPECT_EQ(all.members[i].final.v, run.final.v) << i << " " << name_of(solver);
        }
    }
    EXPECT_EQ(run_ensemble(members, {.end = 0.5, .solver = Solver::sparse}).code.why,
              "the sparse solver has no lanes yet");
}

TEST(Ensemble, ASparseSolveThatCannotBeIsRefused) {
    const std::vector<Member> members{
        {Mechanism::parse("coord x\nkinetic x'^2/2\nconstraint floor: x >= 0\nstart x = 1\n")}};
    EXPECT_THROW(run_ensemble(members, {.end = 1.0, .solver = Solver::sparse}),
                 std::invalid_argument);
}

TEST(Ensemble, LanesAndThreadsLeaveEveryBitAsItIs) {
    const std::vector<Member> members = many(19);
    for (const char* method : {"dop853", "taylor"}) {
        const EnsembleOptions alone{.end = 1.0,
                                    .every = 0.1,
                                    .tolerance = 1e-8,
                                    .method = method,
                                    .rows = true,
                                    .lanes = 1,
                                    .threads = 1};
        const EnsembleMotion one = run_ensemble(members, alone);
        const auto compare = [&](std::size_t lanes, std::size_t threads) {
            EnsembleOptions options = alone;
            options.lanes = lanes;
            options.threads = threads;
            const EnsembleMotion other = run_ensemble(members, options);
            for (std::size_t i = 0; i < members.size(); ++i) {
                EXPECT_EQ(other.members[i].steps, one.members[i].steps)
                    << lanes << " x " << threads;
                for (std::size_t j = 0; j < 4; ++j)
                    EXPECT_EQ(std::bit_cast<std::uint64_t>(other.members[i].final.q[j]),
                              std::bit_cast<std::uint64_t>(one.members[i].final.q[j]))
                        << lanes << " x " << threads;
                ASSERT_EQ(other.members[i].rows.size(), one.members[i].rows.size());
                for (std::size_t r = 0; r < one.members[i].rows.size(); ++r)
                    EXPECT_EQ(other.members[i].rows[r].q, one.members[i].rows[r].q)
                        << lanes << " x " << threads << " row " << r;
            }
        };
        for (const std::size_t lanes : {1, 2, 4, 8, 16})
            for (const std::size_t threads : {1, 2, 5}) compare(lanes, threads);
    }
}

TEST(Ensemble, RowsAreOnTheMotionAndLeaveItAsItIs) {
    const std::vector<Member> members = many(5);
    for (const char* method : {"dop853", "taylor"}) {
        const EnsembleMotion bare =
            run_ensemble(members, {.end = 1.0, .tolerance = 1e-11, .method = method});
        const EnsembleMotion all = run_ensemble(
            members,
            {.end = 1.0, .every = 0.3, .tolerance = 1e-11, .method = method, .rows = true});
        for (std::size_t i = 0; i < members.size(); ++i) {
            const MemberMotion& one = all.members[i];
            EXPECT_EQ(one.final.q, bare.members[i].final.q);
            EXPECT_EQ(one.steps, bare.members[i].steps);
            EXPECT_TRUE(bare.members[i].rows.empty());
            ASSERT_EQ(one.rows.size(), 5u);  // 0, 0.3, 0.6, 0.9, 1
            EXPECT_EQ(one.rows.back().q, one.final.q);
            const double l = members[i].mechanism.parameter("l");
            for (std::size_t r = 0; r + 1 < one.rows.size(); ++r) {
                const State& row = one.rows[r];
                EXPECT_NEAR(row.t, 0.3 * static_cast<double>(r), 1e-15);
                EXPECT_NEAR(std::hypot(row.q[0], row.q[1]), l, 1e-14);
                EnsembleOptions shorter{.end = row.t, .tolerance = 1e-13, .method = method};
                if (r == 0) continue;
                EXPECT_NEAR(row.q[2], run_ensemble({&members[i], 1}, shorter).members[0].final.q[2],
                            1e-8)
                    << method << r;
            }
        }
    }
}

TEST(Ensemble, OtherMembersLeaveAResultAsItIs) {
    const std::vector<Member> members = many(9);
    const EnsembleMotion all = run_ensemble(
        members, {.end = 1.0, .tolerance = 1e-8, .method = "dop853", .lanes = 4, .threads = 1});
    const std::vector<Member> two{members[0], members[7]};
    const EnsembleMotion pair = run_ensemble(
        two, {.end = 1.0, .tolerance = 1e-8, .method = "dop853", .lanes = 4, .threads = 1});
    EXPECT_EQ(pair.members[1].final.q, all.members[7].final.q);
    EXPECT_EQ(pair.members[1].steps, all.members[7].steps);
}

TEST(Ensemble, AMemberThatPassesASingularPositionIsDoneCarefully) {
    const Mechanism linkage = Mechanism::load(LACON_SOURCE_DIR "/models/parallelogram.lac");
    std::vector<Member> members;
    for (const double rate :
         {0.5, 8.0}) {  // swings below the flat positions; goes round through them
        State guess = linkage.start().state;
        const double along[] = {-rate * guess.q[1], rate * guess.q[0]};
        guess.v = {along[0], along[1], along[0], along[1]};
        members.push_back({linkage, guess});
    }
    const EnsembleMotion all =
        run_ensemble(members, {.end = 2.0, .tolerance = 1e-10, .method = "dop853", .threads = 1});
    EXPECT_TRUE(all.members[0].in_lanes);
    EXPECT_FALSE(all.members[1].in_lanes);
    for (std::size_t i = 0; i < 2; ++i) {
        ASSERT_TRUE(all.members[i].status) << all.members[i].status.message;
        const Evaluation first = linkage.evaluate(*members[i].guess),
                         last = linkage.evaluate(all.members[i].final);
        EXPECT_NEAR(last.kinetic + last.potential, first.kinetic + first.potential, 1e-6);
        EXPECT_NEAR(last.state.q[2] - last.state.q[0], 2.0, 1e-12)
            << "on the branch of the parallelogram";
    }
}

/// Barriers at different places, of which steps may see nothing at their ends; and pulses that
/// depend on time alone.
TEST(Ensemble, NoLaneStepsOverWhatIsNarrow) {
    for (const char* method : {"dop853", "dopri5", "taylor"}) {
        std::vector<Member> barriers, pulses;
        for (int i = 0; i < 9; ++i) {
            const std::vector<std::pair<std::string, double>> place{{"p", 20.0 + i}};
            barriers.push_back(
                {Mechanism::parse("param p = 20\ncoord x\nkinetic x'^2/2\n"
                                  "potential exp(-((x - p)/0.008)^2)\nstart x' = 1",
                                  "barrier", place)});
            pulses.push_back(
                {Mechanism::parse("param p = 20\ncoord x\nkinetic x'^2/2\n"
                                  "force x = exp(-((sin(t/9) - sin(p/9))/0.001)^2)",
                                  "pulse", place)});
        }
        const EnsembleMotion back =
            run_ensemble(barriers, {.end = 40.0, .tolerance = 1e-9, .method = method});
        for (const MemberMotion& one : back.members)
            EXPECT_NEAR(one.final.v[0], -1.0, 1e-5) << method;
        const EnsembleMotion kicked =
            run_ensemble(pulses, {.end = 30.0, .tolerance = 1e-9, .method = method});
        for (std::size_t i = 0; i < pulses.size(); ++i) {
            const Motion alone =
                run(pulses[i].mechanism, {.end = 30.0, .tolerance = 1e-11, .max_step = 1e-3});
            EXPECT_NEAR(kicked.members[i].final.v[0], alone.summary.final.v[0], 1e-7)
                << method << ' ' << i;
        }
    }
}

TEST(Ensemble, NoLaneStepsOverPulsesOfAWaveOfTheState) {
    std::vector<Member> members;
    for (int i = 0; i < 9; ++i)
        members.push_back(
            {Mechanism::parse("param p = 0\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                              "force y = 30*exp(-15000*(sin(0.45*x) - p)^2)\nstart x' = 1.6",
                              "wave", {{"p", -0.5 + 0.11 * i}})});
    for (const char* method : {"dop853", "dopri5", "taylor"}) {
        const EnsembleMotion all =
            run_ensemble(members, {.end = 40.0, .tolerance = 1e-8, .method = method});
        for (std::size_t i = 0; i < members.size(); ++i) {
            const Motion alone =
                run(members[i].mechanism, {.end = 40.0, .tolerance = 1e-11, .max_step = 1e-3});
            EXPECT_NEAR(all.members[i].final.v[1], alone.summary.final.v[1], 1e-5)
                << method << ' ' << i;
        }
    }
}

TEST(Ensemble, AMemberWithAnEventStopsAtIt) {
    const std::string fall = "coord y\nparticle p at (0, y) mass 1\ngravity (0, -2)\nstart y = 1\n";
    const std::vector<Member> members{{Mechanism::parse(fall)},
                                      {Mechanism::parse(fall + "event ground: y = 0 stop\n")}};
    const EnsembleMotion all =
        run_ensemble(members, {.end = 2.0, .tolerance = 1e-10, .method = "dop853"});
    EXPECT_NEAR(all.members[0].final.q[0], -3.0, 1e-9);
    EXPECT_FALSE(all.members[1].in_lanes);
    EXPECT_NEAR(all.members[1].final.t, 1.0, 1e-9);
}

TEST(Ensemble, MembersOfOtherEquationsAndModelsWithDecisionsAreDoneCarefully) {
    const std::vector<Member> mixed{
        {Mechanism::parse("coord x\nparticle p at (x, 0) mass 1\nforce x = -x\nstart x = 1")},
        {Mechanism::parse("coord x\nparticle p at (x, 0) mass 1\nforce x = -4*x\nstart x = 1")}};
    const EnsembleMotion all =
        run_ensemble(mixed, {.end = 1.0, .tolerance = 1e-11, .method = "dop853"});
    EXPECT_TRUE(all.members[0].in_lanes);
    EXPECT_FALSE(all.members[1].in_lanes);
    EXPECT_NEAR(all.members[0].final.q[0], std::cos(1.0), 1e-9);
    EXPECT_NEAR(all.members[1].final.q[0], std::cos(2.0), 1e-9);

    const std::vector<Member> decided{{Mechanism::parse(
        "coord x\nparticle p at (x, 0) mass 1\nforce x = if(x > 0, -x, -4*x)\nstart x = 1")}};
    const EnsembleMotion careful = run_ensemble(decided, {.end = 1.0});
    EXPECT_TRUE(careful.members[0].status);
    EXPECT_FALSE(careful.members[0].in_lanes);
    EXPECT_EQ(careful.code.why, "the model has decisions (if, abs, sign, min, max)");
}

TEST(Ensemble, AMemberWithoutAStartSaysSoAndTheOthersGoOn) {
    const auto circle = [](double r) {
        return Mechanism::parse(
            "param r = 1\ncoord x, y\nparticle p at (x, y) mass 1\nconstraint c: x^2 + y^2 = "
            "r*abs(r)\nstart x ~ 1, y ~ 0.5",
            "circle", {{"r", r}});
    };
    const EnsembleMotion all = run_ensemble(
        std::vector<Member>{{circle(1.0)}, {circle(-1.0)}, {circle(2.0)}}, {.end = 1.0});
    EXPECT_TRUE(all.members[0].status);
    EXPECT_EQ(all.members[1].status.outcome, Outcome::no_start);
    EXPECT_TRUE(all.members[2].status);
}

TEST(Ensemble, OptionsMeanWhatTheyMeanForARun) {
    const Mechanism m = Mechanism::parse(
        "coord q\nkinetic q'^2/2\npotential q^2/2\nstart q = 1\n"
        "simulate 0..2 every 0.5 tolerance 1e-9 method dopri5\n");
    const Motion alone = run(m);
    const EnsembleMotion all = run_ensemble(std::vector<Member>{{m}}, {.rows = true});
    ASSERT_EQ(all.members[0].rows.size(), alone.columns[0].size());
    for (std::size_t i = 0; i < alone.columns[0].size(); ++i) {
        EXPECT_EQ(all.members[0].rows[i].t, alone.columns[0][i]);
        EXPECT_NEAR(all.members[0].rows[i].q[0], std::cos(alone.columns[0][i]), 1e-7);
    }
    // The same tolerance; a lane ends a step at each row.
    EXPECT_GE(all.members[0].steps, alone.summary.steps);
    EXPECT_LE(all.members[0].steps, alone.summary.steps + alone.columns[0].size());
}

TEST(Ensemble, OptionsThatMakeNoSenseAreRefused) {
    const std::vector<Member> members = many(1);
    EXPECT_THROW(run_ensemble(members, {.end = -1.0}), std::invalid_argument);
    EXPECT_THROW(run_ensemble(members, {.end = 1.0, .method = "euler"}), std::invalid_argument);
    EXPECT_THROW(run_ensemble(members, {.end = 1.0, .lanes = 3}), std::invalid_argument);
    EXPECT_THROW(run_ensemble(members, {.end = 1.0, .target = "abacus"}), std::invalid_argument);
    const std::vector<Member> short_guess{{members[0].mechanism, State{0.0, {1.0}, {0.0}}}};
    EXPECT_THROW(run_ensemble(short_guess, {.end = 1.0}), std::invalid_argument);
    EXPECT_TRUE(run_ensemble({}, {}).members.empty());
}

}  // namespace
}  // namespace lacon
