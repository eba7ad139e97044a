// Motions with contacts, friction and impacts: modes as code against interpreted ones.
#include <fmt/format.h>

#include "agree_tests.hpp"
#include "code/fast_steps.hpp"
#include "hybrid/hybrid_run.hpp"
#include "lacon/motion.hpp"
#include "methods/step_control.hpp"
#include "state/evaluate.hpp"

namespace lacon {
namespace {

/// A mode of a mechanism with all its contacts closed; some of its frictions slide along x.
std::unique_ptr<DerivedModel> sliding_mode(const Mechanism& mechanism) {
    const DerivedModel& details = mechanism.details();
    ModeRows rows;
    for (std::size_t r = 0; r < details.system.row_count(); ++r) rows.rows.push_back(r);
    for (std::size_t f = 0; f < details.system.frictions.size(); ++f) rows.slides.push_back(f);
    auto mode = make_mode_model(details, rows);
    for (const FrictionPart& part : details.system.frictions)
        mode->parameters[part.direction] = 1.0;
    return mode;
}

/// Accelerations and multipliers against those of the interpreter, to 1e-11 of the largest; says at
/// how many states the code answered.
std::size_t expect_same_loads(const Mechanism& mechanism) {
    const auto mode = sliding_mode(mechanism);
    DenseField field(*mode, {});
    const State start = mechanism.start().state;
    const KernelChoice choice = choose_kernel(evaluate_without_outputs(*mode, start, {}));
    CompiledAcceleration compiled(*mode, field.smooth, choice,
                                  {.compile = {.cache = false, .walks_first = true}});
    std::size_t answered = 0;
    for (const State& state : states_near(start, 100)) {
        std::vector<double> a(field.n()), b(field.n()), lambda(field.m()), mu(field.m());
        if (!compiled.run(state, field.assembler.branches, b, mu)) continue;
        EXPECT_TRUE(field.solve(state, a, lambda)) << "answered where the interpreter does not";
        double size = 1.0;
        for (const double x : a) size = std::max(size, std::abs(x));
        for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-11 * size);
        for (const double x : lambda) size = std::max(size, std::abs(x));
        for (std::size_t i = 0; i < mu.size(); ++i) EXPECT_NEAR(lambda[i], mu[i], 1e-11 * size);
        ++answered;
    }
    return answered;
}

constexpr const char* pushed_rod = R"(coord x, y, th
    kinetic x'^2/2 + y'^2/2 + th'^2/24
    potential 9.81*y
    constraint foot: y - 0.5*cos(th) >= 0 friction 0.3 slip x' + 0.5*cos(th)*th'
    start th = 0.4, y = 0.5*cos(th), x' = 1, y' = 0, th' = 0)";

TEST(Agree, ForcesOfSlidingContacts) {
    EXPECT_EQ(expect_same_loads(Mechanism::parse(pushed_rod)), 100u);
    EXPECT_EQ(expect_same_loads(Mechanism::parse(R"(coord x, y, u, v
        particle a at (x, y) mass 2
        particle b at (u, v) mass 1
        gravity (0, -9.81)
        constraint floor: y >= 0 friction 0.3
        constraint top: v - y >= 1 friction 0.2 slip u' - x'
        start x = 0, y = 0, u = 0, v = 1, x' = 1, u' = 2)")),
              100u);
}

TEST(Agree, ForcesOnRoughWiresWithEitherSignOfTheLoad) {
    EXPECT_GE(expect_same_loads(Mechanism::parse(R"(coord x, y
        particle bead at (x, y) mass 0.5
        gravity (0, -9.81)
        constraint wire: y = sin(2*x) friction 0.3
        start x = 0.3, y = sin(0.6), x' = 2)")),
              90u);
}

/// Beyond Painlevé's threshold friction leaves no answer, or two: that is for the interpreter.
TEST(Agree, CodeLeavesLoadsWithoutASingleAnswerToTheInterpreter) {
    const Mechanism rod = Mechanism::parse(R"(coord x, y, th
        kinetic x'^2/2 + y'^2/2 + th'^2/24
        potential 9.81*y
        constraint foot: y - 0.5*cos(th) >= 0 friction 3 slip x' + 0.5*cos(th)*th'
        start th = 0.6, y = 0.5*cos(th), x' = 1, y' = 0, th' = 0)");
    EXPECT_EQ(expect_same_loads(rod), 0u);
}

/// What is the same whoever computes: the story, its times to 1e-8 of the span, and the end.
void expect_same_run(const char* text, double end) {
    const Mechanism mechanism = Mechanism::parse(text);
    const auto motion = [&](bool interpret) {
        return run(mechanism, {.end = end,
                               .every = end / 10,
                               .tolerance = 1e-11,
                               .interpret = interpret,
                               .cache = false});
    };
    const Motion expected = motion(true), found = motion(false);
    ASSERT_TRUE(expected.status) << expected.status.message;
    ASSERT_TRUE(found.status) << found.status.message;
    const auto &before = expected.summary, &now = found.summary;
    EXPECT_EQ(before.code.tier, "interpreter");
    EXPECT_NE(now.code.tier, "interpreter") << now.code.why;
    EXPECT_EQ(now.contact.modes, before.contact.modes);
    ASSERT_EQ(now.events.size(), before.events.size());
    for (std::size_t i = 0; i < now.events.size(); ++i) {
        EXPECT_EQ(now.events[i].kind, before.events[i].kind);
        EXPECT_EQ(now.events[i].name, before.events[i].name);
        EXPECT_NEAR(now.events[i].t, before.events[i].t, 1e-8 * end);
    }
    for (std::size_t i = 0; i < now.final.q.size(); ++i)
        EXPECT_NEAR(now.final.q[i], before.final.q[i], 1e-8);
    EXPECT_LE(now.contact.certificate.primal, 1e-12);
    EXPECT_LE(now.contact.certificate.dual, 1e-12);
    EXPECT_LE(now.contact.certificate.complementarity, 1e-12);
    EXPECT_EQ(found.column("t"), expected.column("t"));
}

TEST(Agree, RunsThroughImpacts) {
    expect_same_run(R"(coord x, y
        particle ball at (x, y) mass 1
        gravity (0, -9.81)
        force x = -0.1*x'*norm((x', y')), y = -0.1*y'*norm((x', y'))
        constraint floor: y >= 0 restitution 0.8
        start y = 1, x' = 3)",
                    3.0);
}

TEST(Agree, RunsThatStickSlideAndStick) {
    expect_same_run(R"(coord x, y
        particle block at (x, y) mass 1
        gravity (0, -9.81)
        force x = -4*x + 3*sin(t)
        constraint floor: y >= 0 friction 0.1 static 0.15
        start x = 2, y = 0)",
                    12.0);
}

TEST(Agree, RunsThatRollAndThenSlip) {
    expect_same_run(R"(coord x, y, th
        kinetic x'^2/2 + y'^2/2 + 0.2*th'^2
        force x = 9.81*sin(0.4), y = -9.81*cos(0.4)
        constraint plane: y >= 0.5 friction 0.2 - 0.02*x slip x' - 0.5*th'
        start x = 0, y = 0.5)",
                    3.0);
}

/// So a run does not depend on when a thread has compiled its code.
TEST(Agree, WalkedStepsGiveTheBitsOfCompiledOnes) {
    const Mechanism mechanism = Mechanism::parse(R"(coord x, y, th
        kinetic x'^2/2 + y'^2/2 + th'^2/3
        potential 9.81*y + sin(x - th) + th^4/8
        constraint rod: x^2 + y^2 = 1
        start x = 0.6, y = -0.8, th = 0.3, th' = 2)");
    const DerivedModel& details = mechanism.details();
    const State start = mechanism.start().state;
    const KernelChoice choice = choose_kernel(mechanism.evaluate(start));
    const auto smooth = smooth_of(details);
    for (const kernel::Isa isa : kernel::host_isas()) {
        for (const bool by_series : {true, false}) {
            std::vector<State> ends;
            for (const bool walks : {false, true}) {
                FastSteps::Options options;
                options.tolerance = 1e-12;
                options.compile = {.isa = isa, .cache = false, .walks_first = walks};
                const auto steps =
                    by_series ? make_fast_taylor(details, *smooth, choice, options)
                              : make_fast_runge_kutta(details, *smooth, choice, dop853(), options);
                steps->set_noise({});
                StepControl control;
                control.step = 0.02;
                steps->recall(control.memory());
                Clock time{0.0, 0.0};
                State state = start;
                for (int i = 0; i < 5; ++i) {
                    ASSERT_TRUE(steps->advance(time, state, 0.02, 1e-9))
                        << "step " << i << (by_series ? " of taylor" : " of dop853");
                    time = time.after(steps->step_end().length);
                    state = steps->step_end().state;
                    state.t = time.now();
                }
                EXPECT_EQ(steps->summary().tier == "walked", walks);
                ends.push_back(state);
            }
            EXPECT_EQ(ends[0].t, ends[1].t);
            EXPECT_EQ(ends[0].q, ends[1].q);
            EXPECT_EQ(ends[0].v, ends[1].v);
        }
    }
}

TEST(Agree, ModesThatLastAreCode) {
    const Mechanism pendulum = Mechanism::parse(R"(coord th
        kinetic th'^2/2
        potential -9.81*cos(th)
        constraint stop: th >= -0.3 restitution 0.9
        start th = 1)");
    const Motion motion = run(pendulum, {.end = 20.0, .tolerance = 1e-11, .cache = false});
    ASSERT_TRUE(motion.status) << motion.status.message;
    EXPECT_NE(motion.summary.code.tier, "interpreter") << motion.summary.code.why;
    EXPECT_TRUE(motion.summary.code.whole_steps);
}

}  // namespace
}  // namespace lacon
