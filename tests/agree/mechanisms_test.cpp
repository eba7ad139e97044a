// Constrained accelerations: the complete orthogonal decomposition on interpreted numbers against
// compiled code, on all models and on random mechanisms, in every lane.

#include "agree_tests.hpp"

namespace lacon {
namespace {

/// Compares at all states; says how many the compiled code answered.
std::size_t compare(Case& c, const std::vector<State>& states, const std::string& name) {
    std::vector<std::vector<double>> points;
    for (const State& s : states) points.push_back(c.inputs(s));
    const std::size_t n = c.field.n(), m = c.field.m();
    const auto results = run_all(*compile(c.code, {.cache = false}), points);
    std::size_t answered = 0;
    for (std::size_t p = 0; p < states.size(); ++p) {
        if (results[p][n + m] != 1.0 || results[p].back() != 0.0) continue;
        ++answered;
        expect_acceleration(c.mechanism, states[p], results[p], name);
    }
    for (const kernel::CompileOptions& target : kernel::all_targets()) {
        if (target.isa != kernel::best_isa() || target.lanes == 1) continue;
        const auto many = run_all(*compile(c.code, target), points);
        for (std::size_t p = 0; p < points.size(); ++p)
            for (std::size_t o = 0; o < many[p].size(); ++o)
                EXPECT_TRUE(kernel::same_bits(many[p][o], results[p][o]))
                    << name << " " << text_of(target) << " output " << o;
    }
    return answered;
}

TEST(Agree, AccelerationsOfAllModelsInterpretedAndCompiled) {
    std::size_t models = 0, answered_at_start = 0;
    std::string silent;
    for (const auto& [name, mechanism] : all_models()) {
        Case c(mechanism);
        ++models;
        const std::size_t answered = compare(c, {c.start}, name);
        if (answered == 0) silent += " " + name;
        answered_at_start += answered;
        compare(c, c.states(20), name);
    }
    EXPECT_GE(models, 31u);
    EXPECT_GE(answered_at_start, models - 3) << silent;
}

TEST(Agree, AccelerationsOfThousandsOfStatesOfRandomMechanisms) {
    std::size_t answered = 0, redundant = 0;
    for (unsigned seed = 1; seed <= 60; ++seed) {
        Case c(Mechanism::parse(random_mechanism(seed)));
        redundant += std::count(c.options.dependent.begin(), c.options.dependent.end(), true);
        answered += compare(c, c.states(40), "seed " + std::to_string(seed));
    }
    EXPECT_GE(answered, 1500u);
    EXPECT_GE(redundant, 20u);
}

TEST(Agree, CompiledCodeSaysSoWhereARowIsNoLongerDependent) {
    // Two rods that are one as long as s = 0: told dependent at the start, they are not elsewhere.
    const Mechanism m = Mechanism::parse(R"(coord x, y, s
        particle p at (x, y) mass 1
        particle q at (s, 0) mass 1
        constraint a: x^2 + y^2 = 1
        constraint b: x^2 + y^2 + s^2*x = 1
        start x ~ 0.6, y ~ 0.8, s = 0)");
    Case c(m);
    EXPECT_TRUE(c.options.dependent[1]);
    State elsewhere = c.start;
    elsewhere.q[2] = 0.3;
    const auto results =
        run_all(*compile(c.code, {.cache = false}), {c.inputs(c.start), c.inputs(elsewhere)});
    EXPECT_EQ(results[0][3 + 2], 1.0);
    EXPECT_EQ(results[1][3 + 2], 0.0);
}

TEST(Agree, CompiledCodeDoesNotAnswerConflictsOrVanishedRows) {
    const Mechanism m = Mechanism::parse(R"(coord x, y
        particle p at (x, y) mass 1
        constraint a: x'' = 1
        constraint b: x'' = 1 + y^2
        start x = 0, y = 0)");
    Case c(m);
    State conflict = c.start;
    conflict.q[1] = 0.5;
    const auto results =
        run_all(*compile(c.code, {.cache = false}), {c.inputs(c.start), c.inputs(conflict)});
    EXPECT_EQ(results[0][2 + 2], 1.0);
    EXPECT_EQ(results[1][2 + 2], 0.0);
}

}  // namespace
}  // namespace lacon
