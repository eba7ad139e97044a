// Constrained accelerations in loops against the complete orthogonal decomposition on interpreted
// numbers.

#include <limits>

#include "agree_tests.hpp"
#include "code/compiled.hpp"
#include "lacon/motion.hpp"

namespace lacon {
namespace {

struct LoopCase {
    explicit LoopCase(const Mechanism& m, kernel::Isa isa = kernel::best_isa())
        : mechanism(m), field(m.details(), {}), start(m.start().state) {
        const KernelChoice choice = choose_kernel(m.evaluate(start));
        CompiledAcceleration::Options options;
        options.compile = {.isa = isa, .lanes = 1, .effort = kernel::Effort::full, .cache = false};
        options.always_loops = true;
        dependent = choice.dependent.size();
        if (choice.definite && choice.weight.empty())  // loops do not add rows to M
            compiled.emplace(m.details(), field.smooth, choice, options);
    }
    std::vector<State> states(int count) const { return states_near(start, count); }

    Mechanism mechanism;
    DenseField field;
    State start;
    std::size_t dependent = 0;
    std::optional<CompiledAcceleration> compiled;
};

/// Compares at states; says how many the loops answered.
std::size_t compare(LoopCase& c, const std::vector<State>& states, const std::string& name) {
    std::size_t answered = 0;
    std::vector<double> a(c.field.n());
    for (const State& s : states) {
        if (!c.compiled || !c.compiled->run(s, c.field.assembler.branches, a)) continue;
        ++answered;
        expect_acceleration(c.mechanism, s, a, name);
    }
    return answered;
}

TEST(Loops, AccelerationsOfAllModelsAreThoseOfTheInterpreter) {
    std::size_t models = 0, answered_at_start = 0;
    std::string silent;
    for (const auto& [name, mechanism] : all_models()) {
        LoopCase c(mechanism);
        ++models;
        const std::size_t answered = compare(c, {c.start}, name);
        if (answered == 0) silent += " " + name;
        answered_at_start += answered;
        compare(c, c.states(20), name);
    }
    EXPECT_GE(models, 31u);
    EXPECT_GE(answered_at_start, models - 3) << silent;
}

TEST(Loops, AccelerationsOfRandomMechanismsAreThoseOfTheInterpreter) {
    std::size_t answered = 0, redundant = 0;
    for (unsigned seed = 1; seed <= 60; ++seed) {
        LoopCase c(Mechanism::parse(random_mechanism(seed)));
        redundant += c.dependent;
        answered += compare(c, c.states(40), "seed " + std::to_string(seed));
    }
    EXPECT_GE(answered, 1500u);
    EXPECT_GE(redundant, 20u);
}

const char* const large_chain = R"(
param N = 60, l = 0.25
coord x[1..N], y[1..N]
let P[0] = (0, 0)
let P[i] = (x[i], y[i]) for i in 1..N
particle bead[i] at P[i] mass 0.1 + 0.001*i for i in 1..N
gravity (0, -9.81)
constraint link[i]: norm(P[i] - P[i-1])^2 = l^2 for i in 1..N
start x[i] ~ 0.2*i, y[i] ~ -0.1*i, x[i]' ~ 0.1, y[i]' ~ 0.1*i for i in 1..N)";

const char* const large_pendulum = R"(
param N = 24, l = 0.25
coord q[1..N]
let P[0] = (0, 0)
let P[i] = P[i-1] + l*(sin(q[i]), -cos(q[i])) for i in 1..N
particle bead[i] at P[i] mass 0.1 + 0.01*i for i in 1..N
gravity (0, -9.81)
start q[i] = 0.3*i, q[i]' = 0.1*i for i in 1..N)";

TEST(Loops, LargeModelsAgreeOnEveryInstructionSet) {
    for (const kernel::Isa isa : kernel::host_isas()) {
        for (const char* text : {large_chain, large_pendulum}) {
            LoopCase c(Mechanism::parse(text), isa);
            EXPECT_EQ(c.compiled->summary().form, "loops");
            EXPECT_EQ(compare(c, c.states(5), std::string(name_of(isa))), 5u) << name_of(isa);
        }
    }
}

TEST(Loops, ElementsOfOneShapeAndElementsAloneGiveTheSameEquations) {
    // Springs in a row, as strong as parameters say: four and more go in lanes, three do not; the
    // closed form is the same.
    for (const int springs : {3, 4, 8, 9, 17}) {
        LoopCase c(Mechanism::parse(R"(param N = 3
            param k[i] = 2 + i for i in 1..N
            coord x[0..N]
            kinetic 3*x[i]'^2/2 for i in 0..N
            potential k[i]*(x[i] - x[i-1])^2/2 for i in 1..N
            start x[i] = 0.1*i^2 for i in 0..N)",
                                    "springs", {{"N", static_cast<double>(springs)}}));
        std::vector<double> a(c.field.n());
        ASSERT_TRUE(c.compiled->run(c.start, {}, a));
        const auto pull = [&](int i) {  // of spring i
            const auto end = static_cast<std::size_t>(i);
            return i < 1 || i > springs ? 0.0 : (2.0 + i) * (c.start.q[end] - c.start.q[end - 1]);
        };
        for (int i = 0; i <= springs; ++i)
            EXPECT_NEAR(a[static_cast<std::size_t>(i)], (pull(i + 1) - pull(i)) / 3.0, 1e-12)
                << springs << " springs, " << i;
    }
}

TEST(Loops, ArgumentsBeyondTheRangeOfSinAreNotAnswered) {
    for (const char* beads : {"1", "11"}) {  // alone, and in lanes
        LoopCase c(Mechanism::parse(
            std::string("param N = ") + beads +
            "\ncoord x[1..N]\nkinetic x[i]'^2/2 for i in 1..N\npotential cos(x[i]) for i in 1..N"));
        std::vector<double> a(c.field.n());
        for (std::size_t i = 0; i < a.size(); ++i) {
            State s = c.start;
            EXPECT_TRUE(c.compiled->run(s, {}, a));
            s.q[i] = 1e12;
            EXPECT_FALSE(c.compiled->run(s, {}, a)) << i;
        }
    }
}

TEST(Loops, WhatIsNotFineIsNotAnswered) {
    // Two rods that are one as long as s = 0, and a force that has no value below s = -2.
    LoopCase c(Mechanism::parse(R"(coord x, y, s
        particle p at (x, y) mass 1
        particle q at (s, 0) mass 1
        force q = (log(s + 2), 0)
        constraint a: x^2 + y^2 = 1
        constraint b: x^2 + y^2 + s^2*x = 1
        start x ~ 0.6, y ~ 0.8, s = 0)"));
    ASSERT_EQ(c.dependent, 1u);
    std::vector<double> a(3);
    EXPECT_TRUE(c.compiled->run(c.start, {}, a));
    for (const double s : {0.3, -2.0, -3.0, std::numeric_limits<double>::quiet_NaN()}) {
        State elsewhere = c.start;
        elsewhere.q[2] = s;
        EXPECT_FALSE(c.compiled->run(elsewhere, {}, a)) << s;
    }
    EXPECT_TRUE(c.compiled->run(c.start, {}, a)) << "nothing is left behind";
}

TEST(Loops, AreTakenWhereStraightLineCodeIsTooLong) {
    for (const auto& [links, form] : {std::pair(10.0, "straight"), std::pair(70.0, "loops")}) {
        const Mechanism m = Mechanism::parse(large_chain, "chain", {{"N", links}});
        RunOptions options{.end = 0.01, .tolerance = 1e-11, .method = "dopri5"};
        const Motion compiled = run(m, options);
        options.interpret = true;
        const Motion interpreted = run(m, options);
        ASSERT_TRUE(compiled.status && interpreted.status);
        EXPECT_EQ(compiled.summary.code.form, form);
        EXPECT_EQ(interpreted.summary.code.form, "");
        for (std::size_t i = 0; i < m.coordinates().size(); ++i)
            EXPECT_NEAR(compiled.summary.final.v[i], interpreted.summary.final.v[i], 1e-10)
                << links << " links, " << i;
    }
}

}  // namespace
}  // namespace lacon
