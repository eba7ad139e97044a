// What a run and an evaluation tell of contacts beside the motion.

#include <algorithm>

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

TEST(ContactReport, EveryStepHasItsCertificate) {
    for (const char* file : {"rocking_block.lac", "stack.lac", "rough_oscillator.lac"}) {
        SCOPED_TRACE(file);
        const MotionSummary::Contact contact = run(load(file), {.end = 2.0}).summary.contact;
        ASSERT_GE(contact.certified_steps, 1u);
        ASSERT_EQ(contact.certificates.size(), contact.certified_steps);
        ContactSolution::Certificate worst;
        double before = 0.0;
        for (const auto& [t, at] : contact.certificates) {
            EXPECT_GT(t, before);
            before = t;
            worst.primal = std::max(worst.primal, at.primal);
            worst.dual = std::max(worst.dual, at.dual);
            worst.complementarity = std::max(worst.complementarity, at.complementarity);
        }
        EXPECT_EQ(worst.primal, contact.certificate.primal);
        EXPECT_EQ(worst.dual, contact.certificate.dual);
        EXPECT_EQ(worst.complementarity, contact.certificate.complementarity);
    }
}

// A rod that falls on its rough floor so that friction reverses its sliding: with restitution 1 the
// impact adds energy, which is the law's doing (Kane's paradox). Momentum: the change of the
// velocities is M⁻¹ times one impulse at the tip.
TEST(ContactReport, AnImpactThatAddsEnergySaysSo) {
    const Mechanism rod = Mechanism::parse(
        "coord x, y, th\nkinetic (x'^2 + y'^2)/2 + th'^2/6\npotential 9.81*y\nlet tip = (x - "
        "cos(th), y - sin(th))\n"
        "constraint floor: tip.y >= 0 restitution 1 friction 1 slip tip.x'\n"
        "start th = 2.549, x = cos(2.549), y = sin(2.549), x' = -1.795, y' = -2.689, th' = "
        "-4.819\n");
    const Motion motion = run(rod, {.end = 0.01});
    ASSERT_TRUE(motion.status) << motion.status.message;
    const MotionSummary::Contact& contact = motion.summary.contact;
    EXPECT_GT(contact.gained, 1.0);
    EXPECT_NEAR(contact.lost.at("floor"), -contact.gained, 1e-12 * contact.gained);
    const double kinetic = (1.795 * 1.795 + 2.689 * 2.689) / 2.0 + 4.819 * 4.819 / 6.0;
    EXPECT_NEAR(motion.summary.energy_first, 9.81 * std::sin(2.549) + kinetic + contact.gained,
                1e-10);
}

TEST(ContactReport, AContactThatClosesIsNotYetClosed) {
    const Mechanism ball = load("bouncing_ball.lac");
    State state{0.0, {0.0}, {-1.0}};
    EXPECT_EQ(ball.evaluate(state).constraints[0].contact, "closing");
    state.v[0] = 0.0;
    EXPECT_EQ(ball.evaluate(state).constraints[0].contact, "closed");
    state.v[0] = 1.0;
    EXPECT_EQ(ball.evaluate(state).constraints[0].contact, "open");
}

TEST(ContactReport, TheMethodsOfThePhasesAreTold) {
    const MotionSummary summary = run(load("rough_oscillator.lac")).summary;
    EXPECT_EQ(summary.method, "dop853 and taylor");
    EXPECT_NE(summary.why.find("dop853 (forces depend on constraint loads)"), std::string::npos)
        << summary.why;
}

}  // namespace
}  // namespace lacon::contacts
