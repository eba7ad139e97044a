// Compiled accelerations of models with singular mass matrices, by M + AᵀWA, against the careful
// path, which keeps M as it is.

#include "agree_tests.hpp"
#include "code/compiled.hpp"
#include "lacon/motion.hpp"

namespace lacon {
namespace {

/// How many of 20 states near the start the code answers; all answers are compared.
std::size_t answered(const Mechanism& m) {
    const DenseField field(m.details(), {});
    const State start = m.start().state;
    const KernelChoice choice = choose_kernel(m.evaluate(start));
    EXPECT_FALSE(choice.weight.empty());
    if (!choice.definite) return 0;
    CompiledAcceleration::Options options;
    options.compile.cache = false;
    CompiledAcceleration code(m.details(), field.smooth, choice, options);
    std::size_t count = 0;
    std::vector<double> a(start.q.size());
    for (const State& s : states_near(start, 20)) {
        if (!code.run(s, field.assembler.branches, a)) continue;
        ++count;
        expect_acceleration(m, s, a, "t = " + std::to_string(s.t));
    }
    return count;
}

TEST(SingularMass, UnitQuaternionsAreCompiled) {
    EXPECT_EQ(answered(Mechanism::load(LACON_SOURCE_DIR "/models/quaternion_body.lac")), 20u);
}

TEST(SingularMass, MasslessPulleysAreCompiled) {
    EXPECT_EQ(answered(Mechanism::load(LACON_SOURCE_DIR "/models/compound_atwood.lac")), 20u);
}

TEST(SingularMass, TwoMasslessLeversOnOneMassAreCompiled) {
    EXPECT_EQ(answered(Mechanism::parse("coord x, y, z\nkinetic x'^2\npotential 3*x^2 + y^2\n"
                                        "constraint a: x + y^3 + 2*y = 1\n"
                                        "constraint b: z = sin(y) + x*y\nstart x = 0.3")),
              20u);
}

TEST(SingularMass, ItsRunsTakeWholeCompiledSteps) {
    const Motion motion =
        run(Mechanism::load(LACON_SOURCE_DIR "/models/quaternion_body.lac"), {.end = 1.0});
    EXPECT_TRUE(motion.summary.code.whole_steps);
    EXPECT_EQ(motion.summary.code.why, "");
}

}  // namespace
}  // namespace lacon
