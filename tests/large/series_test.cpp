// Power series of elements side by side: machine code against the interpreter, and both against the
// accelerations a little later.
#include "large/motion/field.hpp"
#include "large/motion/taylor.hpp"
#include "large_tests.hpp"
#include "runs.hpp"

namespace lacon::large_tests {
namespace {

/// Pendulums by the hundred, each with what is said of it: `more` in terms of x[i], y[i] and the
/// place i.
std::string pendulums(const std::string& more) {
    return "param N = 201, c = 3\nparam e[i] = if(i <= 100, 2, 1.5) for i in 1..N\ncoord x[1..N], "
           "y[1..N]\n"
           "particle bob[i] at (x[i], y[i]) mass 1 + i/200 for i in 1..N\n" +
           more + "\n";
}

struct Case {
    const char *name, *text;
};

class LargeSeries : public testing::TestWithParam<Case> {};

TEST_P(LargeSeries, CompiledAsInterpreted) {
    const Mechanism mechanism = Mechanism::parse(pendulums(GetParam().text));
    const auto system = large_system(mechanism.details());
    const SparseKernels kernels(*system, {});
    ASSERT_EQ(kernels.why, "");
    SparseField field(*system, {});
    State state;
    for (std::size_t i = 0; i < system->n; ++i) {
        const double s = static_cast<double>(i);
        state.q.push_back(0.7 + 0.2 * std::sin(s));
        state.v.push_back(0.3 * std::cos(2.0 * s));
    }
    state.t = 0.1;
    ASSERT_EQ(field.factor_at(state), Outcome::ok);
    SparseEquations at = system->empty_equations();
    SparseTaylor interpreted(field.assembler, 1e-10), compiled(field.assembler, 1e-10);
    compiled.compile(kernels);
    ASSERT_TRUE(interpreted.expand(state, field.factor, at));
    const std::vector<double> numbers = at.numbers;
    ASSERT_TRUE(compiled.expand(state, field.factor, at));
    EXPECT_EQ(at.numbers, numbers);
    interpreted.take();
    compiled.take();
    const double h = compiled.length(1.0);
    EXPECT_GT(h, 1e-3);
    EXPECT_NEAR(h, interpreted.length(1.0), 1e-9 * h);
    State by_code, by_rules;
    compiled.at(h, by_code);
    interpreted.at(h, by_rules);
    EXPECT_LE(largest_difference(by_code.q, by_rules.q), 1e-14 * (1.0 + largest(by_rules.q)));
    EXPECT_LE(largest_difference(by_code.v, by_rules.v), 1e-13 * (1.0 + largest(by_rules.v)));

    // Where the series end the acceleration is that of the system itself.
    by_code.t = state.t + 0.5 * h;
    compiled.at(0.5 * h, by_code);
    ASSERT_EQ(field.factor_at(by_code), Outcome::ok);
    ASSERT_TRUE(compiled.expand(by_code, field.factor, at));
    EXPECT_TRUE(compiled.continues(by_code, 0.5 * h));
    SparseSolution solution;
    ASSERT_EQ(field.solve(solution), Outcome::ok);
    EXPECT_LE(largest_difference(solution.acceleration, compiled.acceleration()),
              1e-11 * (1.0 + largest(solution.acceleration)));
}

// Each kind of recurrence, each level of constraint, masses that vary.
INSTANTIATE_TEST_SUITE_P(
    Of, LargeSeries,
    testing::Values(
        Case{"rods", "constraint rod[i]: norm(bob[i]) = 1 for i in 1..N"},
        Case{"roots", "potential sqrt(1 + x[i]^2 + c*y[i]) for i in 1..N"},
        Case{"whole_powers", "potential x[i]^3*y[i]^5 + y[i]^c for i in 1..N"},
        Case{"other_powers", "potential (1 + x[i]^2)^1.7 + y[i]^(-2) for i in 1..N"},
        Case{"exponents_that_differ", "potential (1 + x[i]^2)^e[i] for i in 1..N"},
        Case{"sines", "potential sin(x[i])*cos(2*y[i]) + tan(x[i]/2) for i in 1..N"},
        Case{"hyperbolic", "potential sinh(x[i]) + cosh(y[i]) + tanh(x[i] - y[i]) for i in 1..N"},
        Case{"exponentials", "potential exp(-x[i])*log(2 + y[i]) for i in 1..N"},
        Case{"angles",
             "potential atan2(y[i], 1 + x[i]) + atan(x[i]) + asin(x[i]/3) + acos(y[i]/3) for i in "
             "1..N"},
        Case{"quotients", "potential x[i]/(1 + y[i]^2) + c/(2 + x[i]) for i in 1..N"},
        Case{"chosen", "force x[i] = -max(x[i], y[i]) + abs(x[i] - 0.1)*x[i]' for i in 1..N"},
        Case{"forces_in_time", "force x[i] = sin(3*t + i)*x[i]' + t^2 for i in 1..N"},
        Case{"one_in_time", "force x[i] = t*y[i] for i in 1..N"},
        Case{"dampers", "dissipation (1 + y[i]^2)*x[i]'^2 for i in 1..N"},
        Case{"masses", "kinetic (1 + x[i]^2)*y[i]'^2/2 + x[i]*x[i]'*y[i]'/9 for i in 1..N"},
        Case{"moving", "constraint held[i]: x[i]*y[i] + sin(t)*x[i] = c for i in 1..N"},
        Case{"skates",
             "constraint blade[i]: x[i]'*sin(y[i]) - y[i]'*cos(x[i]*t) = 0 for i in 1..N"},
        Case{"accelerations",
             "constraint push[i]: x[i]'' + x[i]*y[i]'' + x[i]'*y[i]' = t for i in 1..N"},
        Case{"stabilized", "constraint rod[i]: norm(bob[i]) = 1 stabilize 2 1 for i in 1..N"}),
    [](const auto& of) { return std::string(of.param.name); });

TEST(LargeSeriesOf, RootsOfWhatStaysZero) {
    // Springs out of reach: the root of zero has no series, but nothing hangs on it.
    const Mechanism mechanism = Mechanism::parse(
        pendulums("force x[i] = -sqrt(max(x[i] - 9, 0)) - max(y[i] - 9, 0)^1.5 for i in 1..N\n"
                  "constraint level[i]: y[i] = 1 for i in 1..N\nstart x[i] = i/100, x[i]' = 1, "
                  "y[i] = 1 for i in 1..N"));
    RunOptions options;
    options.end = 2.0;
    options.solver = "sparse";
    const Motion motion = run(mechanism, options);
    ASSERT_TRUE(motion.status) << motion.status.message;
    EXPECT_EQ(motion.summary.code.tier, "full");
    for (std::size_t i = 0; i < 201; ++i)
        EXPECT_NEAR(motion.summary.final.q[i], static_cast<double>(i + 1) / 100.0 + 2.0, 1e-14);
}

}  // namespace
}  // namespace lacon::large_tests
