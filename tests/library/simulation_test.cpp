// Simulations: from any state, step by step, to a time, copied, saved and resumed, with callbacks.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <string>
#include <thread>
#include <utility>

#include "lacon/simulation.hpp"
#include "session.hpp"

namespace lacon {
namespace {

const char* const double_pendulum =
    "coord x1, y1, x2, y2\nparticle a at (x1, y1) mass 1\nparticle b at (x2, y2) mass 1\n"
    "gravity (0, -9.81)\nconstraint rod1: x1^2 + y1^2 = 1\n"
    "constraint rod2: (x2 - x1)^2 + (y2 - y1)^2 = 1\nevent down: x2\n"
    "start x1 = 1, y1 ~ 0, x2 = 2, y2 ~ 0.1\noutput energy\n";
const char* const bouncing_ball =
    "coord y\nparticle ball at (0, y) mass 1\ngravity (0, -10)\n"
    "constraint floor: y >= 0 restitution 0.5\nstart y = 1\n";
/// q = cos t.
const char* const oscillator =
    "coord q\nkinetic q'^2/2\npotential q^2/2\nstart q = 1, q' = 0\nevent zero: q\n";

void expect_same(const State& a, const State& b) {
    EXPECT_EQ(a.t, b.t);
    EXPECT_EQ(a.q, b.q);
    EXPECT_EQ(a.v, b.v);
}

TEST(Simulation, RunsToTheBitsOfRun) {
    const auto mechanism = Mechanism::parse(double_pendulum);
    const RunOptions options{.end = 5.0, .every = 0.1, .tolerance = 1e-10};
    const Motion motion = run(mechanism, options);
    Simulation simulation(mechanism, options);
    ASSERT_TRUE(simulation.run());
    EXPECT_TRUE(simulation.is_over());
    expect_same(simulation.state(), motion.summary.final);
    EXPECT_EQ(simulation.steps(), motion.summary.steps);
}

TEST(Simulation, StartsFromAnyState) {
    const auto mechanism = Mechanism::parse(oscillator);
    Simulation simulation(mechanism, State{2.0, {0.3}, {0.4}}, {.end = 7.0, .tolerance = 1e-12});
    ASSERT_TRUE(simulation.run());
    EXPECT_EQ(simulation.state().t, 7.0);
    EXPECT_NEAR(simulation.state().q[0], 0.3 * std::cos(5.0) + 0.4 * std::sin(5.0), 1e-11);
    EXPECT_TRUE(simulation.start().moved.empty());
}

TEST(Simulation, AStateOffTheConstraintsIsMovedToTheNearestOne) {
    const auto mechanism = Mechanism::parse(
        "coord x, y\nparticle bob at (x, y) mass 1\nconstraint rod: x^2 + y^2 = 1\n");
    Simulation simulation(mechanism, State{0.0, {1.2, 1.6}, {0.0, 0.0}}, {.end = 1.0});
    ASSERT_TRUE(simulation.begin());
    EXPECT_NEAR(simulation.state().q[0], 0.6, 1e-12);
    EXPECT_NEAR(simulation.state().q[1], 0.8, 1e-12);
    EXPECT_EQ(simulation.start().moved.size(), 2U);
}

TEST(Simulation, PropagatesJustToATimeAndBeyondTheTimeSpan) {
    Simulation simulation(Mechanism::parse(oscillator), {.end = 10.0, .tolerance = 1e-12});
    for (const double t : {0.7, 0.7, 3.25, 10.0, 12.5}) {
        ASSERT_TRUE(simulation.propagate_until(t));
        EXPECT_EQ(simulation.state().t, t);
        EXPECT_NEAR(simulation.state().q[0], std::cos(t), 1e-10) << t;
    }
    EXPECT_EQ(simulation.end(), 12.5);
    EXPECT_THROW(simulation.propagate_until(1.0), std::invalid_argument);
    EXPECT_EQ(simulation.summary().events.size(), 4U);  // π/2, 3π/2, …, each once
}

TEST(Simulation, RowsStayOnTheirGridWhereverItStopsBetween) {
    const auto mechanism = Mechanism::parse(oscillator);
    std::vector<double> times;
    Simulation simulation(mechanism, {.end = 2.0, .every = 0.25, .tolerance = 1e-10},
                          {.on_row = [&](std::span<const double> row) {
                              times.push_back(row[0]);
                              return true;
                          }});
    for (const double t : {0.1, 0.25, 0.26, 1.3, 2.0}) ASSERT_TRUE(simulation.propagate_until(t));
    const Motion whole = run(mechanism, {.end = 2.0, .every = 0.25, .tolerance = 1e-10});
    ASSERT_EQ(times.size(), whole.column("t").size());  // eight, the start, and one at the event
    for (std::size_t i = 0; i < times.size(); ++i)
        EXPECT_NEAR(times[i], whole.column("t")[i], 1e-9);
}

class EveryModel : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Of, EveryModel, testing::Values(double_pendulum, bouncing_ball),
                         [](const auto& of) { return of.index ? "BouncingBall" : "Pendulum"; });

TEST_P(EveryModel, ACopyGoesOnToTheSameBits) {
    Simulation simulation(Mechanism::parse(GetParam()), {.end = 4.0, .tolerance = 1e-10});
    for (int i = 0; i < 7; ++i) ASSERT_TRUE(simulation.step());
    Simulation copy = simulation;
    expect_same(copy.state(), simulation.state());
    ASSERT_TRUE(simulation.run());
    EXPECT_FALSE(copy.is_over());
    ASSERT_TRUE(copy.run());
    expect_same(copy.state(), simulation.state());
    EXPECT_EQ(copy.steps(), simulation.steps());
    EXPECT_EQ(copy.summary().events, simulation.summary().events);
}

TEST_P(EveryModel, WhatIsSavedAfterAnyStepIsResumedToTheSameBits) {
    const auto mechanism = Mechanism::parse(GetParam());
    const RunOptions options{.end = 4.0, .tolerance = 1e-10};
    Simulation whole(mechanism, options);
    ASSERT_TRUE(whole.run());
    Simulation simulation(mechanism, options);
    do {
        Simulation resumed = Simulation::resume(mechanism, simulation.save());
        ASSERT_TRUE(resumed.run());
        expect_same(resumed.state(), whole.state());
        EXPECT_EQ(resumed.steps(), whole.steps());
    } while (simulation.step());
}

/// Between the orders of a multistep method, where the run itself has no snapshot.
TEST(Simulation, IsCopiedAlsoWhereItHasToRepeatSteps) {
    const auto mechanism = Mechanism::parse(double_pendulum);
    const RunOptions options{.end = 1.0, .tolerance = 1e-8, .method = "adams"};
    Simulation whole(mechanism, options);
    ASSERT_TRUE(whole.run()) << whole.status().message;
    const std::shared_ptr<const DerivedModel> details(&mechanism.details(), [](const auto*) {});
    Session session(set_up(details, options), std::vector<StartOverride>{}, {});
    std::size_t repeated = 0;
    while (session.step()) {
        if (session.is_resumable()) continue;
        ++repeated;
        Session copy(session);
        expect_same(copy.state(), session.state());
        copy.run();
        expect_same(copy.state(), whole.state());
    }
    EXPECT_GT(repeated, 0U);
}

TEST(Simulation, CallbacksAreToldOfStepsRowsAndEvents) {
    std::size_t steps = 0, rows = 0;
    std::vector<double> events;
    Simulation simulation(Mechanism::parse(oscillator), {.end = 10.0, .every = 1.0},
                          {.on_step = [&](const StepView&) { return ++steps > 0; },
                           .on_row = [&](std::span<const double>) { return ++rows > 0; },
                           .on_event =
                               [&](const MotionEvent& event) {
                                   events.push_back(event.t);
                                   return true;
                               }});
    ASSERT_TRUE(simulation.run());
    EXPECT_EQ(steps, simulation.steps());
    EXPECT_EQ(rows, 11U + 3U);
    ASSERT_EQ(events.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(events[i], (0.5 + static_cast<double>(i)) * M_PI, 1e-9);
}

TEST(Simulation, EachCallbackCanEndIt) {
    const auto mechanism = Mechanism::parse(oscillator);
    const auto ends = [&](Callbacks callbacks) {
        Simulation simulation(mechanism, {.end = 10.0, .every = 0.5}, std::move(callbacks));
        EXPECT_EQ(simulation.run().outcome, Outcome::interrupted);
        return simulation.state().t;
    };
    EXPECT_LT(ends({.on_step = [](const StepView&) { return false; }}), 10.0);
    EXPECT_EQ(ends({.on_row = [](std::span<const double>) { return false; }}), 0.0);
    const double at_event = ends({.on_event = [](const MotionEvent&) { return false; }});
    EXPECT_GE(at_event, 0.5 * M_PI);
    EXPECT_LT(at_event, 1.5 * M_PI);
}

TEST(Simulation, OneThatWasInterruptedGoesOnFromWhatItSaved) {
    const auto mechanism = Mechanism::parse(double_pendulum);
    const RunOptions options{.end = 5.0, .tolerance = 1e-10};
    Simulation whole(mechanism, options);
    ASSERT_TRUE(whole.run());
    Simulation simulation(mechanism, options);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(simulation.step());
    simulation.interrupt();
    EXPECT_EQ(simulation.run().outcome, Outcome::interrupted);
    Simulation resumed = Simulation::resume(mechanism, simulation.save());
    ASSERT_TRUE(resumed.run());
    expect_same(resumed.state(), whole.state());
}

/// A saved bouncing ball, not touching, with the entries that version 1 had.
std::string with_older_entries(std::string saved) {
    const std::pair<const char*, const char*> entries[] = {
        {R"("lacon_simulation":3)", R"("lacon_simulation":1)"},
        {R"("modes":(\d))", R"("phases":$1)"},
        {R"("branches":)", R"("modes":)"},
        {R"("condition":)", R"("strength":)"},
        {R"("in_compiled_segment":)", R"("stretches":)"},
        {R"("state":)", R"("landed":)"},
        {R"("stabilize":"project")", R"("stabilize":0)"},
        {R"("path":"automatic")", R"("path":0)"},
        {R"("contacts":\["open"\],"frictions":\[\],"directions":\[\],"held":\[\])",
         R"("modes":[0.0])"},
        {R"("forces_unique":)", R"("unique":)"},
        {R"("allowances":\[([^\]]*)\],"piece_begin":([^,]*),"leaving":\[\])", R"("spare":[$1,$2])"},
        {R"("controls":null)", R"("control":[])"}};
    for (const auto& [now, older] : entries) {
        const std::string text = std::regex_replace(saved, std::regex(now), older);
        EXPECT_NE(text, saved) << now;
        saved = text;
    }
    return saved;
}

TEST(Simulation, WhatAnOlderVersionSavedIsResumedToTheSameBits) {
    const auto mechanism = Mechanism::parse(bouncing_ball);
    const RunOptions options{.end = 4.0, .tolerance = 1e-10};
    Simulation simulation(mechanism, options);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(simulation.step());
    Simulation resumed = Simulation::resume(mechanism, with_older_entries(simulation.save()));
    ASSERT_TRUE(simulation.run());
    ASSERT_TRUE(resumed.run());
    expect_same(resumed.state(), simulation.state());
    EXPECT_EQ(resumed.summary().contact.modes, simulation.summary().contact.modes);
}

TEST(Simulation, IsInterruptedFromAnotherThread) {
    Simulation simulation(Mechanism::parse(oscillator), {.end = 1e9, .max_step = 0.1});
    ASSERT_TRUE(simulation.step());
    std::thread other([&] { simulation.interrupt(); });
    EXPECT_EQ(simulation.run().outcome, Outcome::interrupted);
    other.join();
}

TEST(Simulation, AnotherMechanismOrTextIsNotResumed) {
    const auto mechanism = Mechanism::parse(oscillator);
    Simulation simulation(mechanism, {.end = 1.0});
    ASSERT_TRUE(simulation.step());
    EXPECT_THROW(Simulation::resume(Mechanism::parse(bouncing_ball), simulation.save()),
                 std::invalid_argument);
    EXPECT_THROW(Simulation::resume(mechanism, "{}"), std::invalid_argument);
    const std::string half = simulation.save();
    EXPECT_THROW(Simulation::resume(mechanism, half.substr(0, half.size() / 2)),
                 std::invalid_argument);
}

TEST(Simulation, OneOfALargeSystemIsCopiedSavedAndPropagatedToo) {
    const auto chain = Mechanism::parse(
        "param N = 40\ncoord x[1..N], y[1..N]\nparticle p[i] at (x[i], y[i]) mass 1 for i in 1..N\n"
        "gravity (0, -9.81)\nconstraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1 for i in "
        "2..N\nconstraint first: x[1]^2 + y[1]^2 = 1\nstart x[i] ~ 0.8*i for i in 1..N\n"
        "start y[i] ~ -0.6*i for i in 1..N\n");
    const RunOptions options{.end = 0.5, .tolerance = 1e-10, .solver = "sparse"};
    Simulation whole(chain, options);
    ASSERT_TRUE(whole.run()) << whole.status().message;
    Simulation simulation(chain, options);
    ASSERT_TRUE(simulation.step());
    Simulation copy = simulation, resumed = Simulation::resume(chain, simulation.save());
    ASSERT_TRUE(copy.run());
    ASSERT_TRUE(resumed.run());
    expect_same(copy.state(), whole.state());
    expect_same(resumed.state(), whole.state());
    ASSERT_TRUE(simulation.propagate_until(0.3));
    EXPECT_EQ(simulation.state().t, 0.3);
}

}  // namespace
}  // namespace lacon
