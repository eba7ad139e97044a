// The oracle of contacts and controls against closed forms, and that it sees what is wrong.

#include <gtest/gtest.h>

#include <cmath>

#include "hunt/contact_follow.hpp"
#include "hunt/control_law.hpp"
#include "hunt/kinds.hpp"

namespace hunt {
namespace {

Point start_of(const Model& model) {
    return {Real(model.begin), Reals(model.q.begin(), model.q.end()),
            Reals(model.v.begin(), model.v.end())};
}

/// A block of mass 1 on a floor, g = 8; friction 0.5, so the floor holds 4.
Model block() {
    Model model;
    model.add_coordinate("x", 0.0, 0.0);
    model.add_coordinate("y", 0.0, 0.0);
    model.particles.push_back({"p", {model.x(0).node, model.x(1).node}, 1.0});
    model.gravity = {0.0, -8.0};
    model.rows.push_back(
        {"floor", 0, model.x(1).node, model.c(0.0).node, true, 0.0, 0.5, -1.0, model.v_of(0).node});
    return model;
}

TEST(HuntContacts, PulledBlockSlipsWithTheCubeOfTime) {
    // A force t slips at t = 4, then x'' = t − 4.
    Model model = block();
    model.push(0, model.t());
    const ContactMotion motion = follow_contacts(model, start_of(model), {3.9, 5.0});
    ASSERT_EQ(motion.why, "");
    EXPECT_EQ(motion.rows[0].q[0].nearest(), 0.0);
    EXPECT_NEAR(motion.rows[1].q[0].nearest(), 1.0 / 6.0, 1e-15);
    ASSERT_EQ(motion.events.size(), 1U);
    EXPECT_EQ(motion.events[0].kind, "slip");
    EXPECT_NEAR(motion.events[0].t, 4.0, 1e-14);
}

TEST(HuntContacts, SlidingBlockComesToRest) {
    // x' = 2 and the deceleration 4: at rest after 0.5 s at 0.5.
    Model model = block();
    model.v[0] = 2.0;
    const ContactMotion motion = follow_contacts(model, start_of(model), {2.0});
    ASSERT_EQ(motion.why, "");
    EXPECT_NEAR(motion.rows[0].q[0].nearest(), 0.5, 1e-15);
    EXPECT_NEAR(motion.rows[0].v[0].nearest(), 0.0, 1e-30);
    ASSERT_EQ(motion.events.size(), 1U);
    EXPECT_EQ(motion.events[0].kind, "stick");
}

TEST(HuntContacts, BouncesEndInAFiniteTime) {
    // From 1 with e = 0.5: √(2/8) (1 + e)/(1 − e) = 1.5 s.
    Model model = block();
    model.q[1] = 1.0;
    model.rows[0].restitution = 0.5;
    const ContactMotion motion = follow_contacts(model, start_of(model), {1.6});
    ASSERT_EQ(motion.why, "");
    EXPECT_EQ(motion.events.back().kind, "contact");
    EXPECT_NEAR(motion.events.back().t, 1.5, 1e-7);
    EXPECT_NEAR(motion.rows[0].q[1].nearest(), 0.0, 1e-15);
}

TEST(HuntContacts, FrictionThatPressesItsOwnContactHasNoneOrTwoAnswers) {
    // gap'' = r0 + (1 − 2 μ) N with μ = 1, as the rod of Painlevé slides.
    ContactLaw law;
    law.contacts.push_back({.rubs = true, .sliding = 1.0, .at_rest = 1.0, .moves = 1});
    law.r0 = {-1.0, 0.0};
    law.R = {1.0, 2.0, 2.0, 5.0};
    EXPECT_EQ(decide(law).what, ContactVerdict::What::none);
    law.r0[0] = 1.0;
    EXPECT_EQ(decide(law).what, ContactVerdict::What::several);
    law.contacts[0].sliding = law.contacts[0].at_rest = 0.1;
    EXPECT_EQ(decide(law).what, ContactVerdict::What::one);
}

TEST(HuntContacts, RestComesBeforeSlipping) {
    ContactLaw law;
    law.contacts.push_back({.rubs = true, .sliding = 0.1, .at_rest = 0.5});
    law.r0 = {
        -1.0,
        0.3};  // pressed by 1, pushed by 0.3: held by the friction of rest, not by that of sliding
    law.R = {1.0, 0.0, 0.0, 1.0};
    const ContactVerdict verdict = decide(law);
    EXPECT_EQ(verdict.all.size(), 2U);
    ASSERT_EQ(verdict.what, ContactVerdict::What::one);
    EXPECT_EQ(verdict.answer.modes[0], Mode::stick);
}

TEST(HuntContacts, PlantedFaultIsFound) {
    Case one{.road = Road::contact_state, .model = block()};
    one.model.v[0] = 1.0;
    EXPECT_EQ(check(one).result, Result::agreed);
    one.model.text =
        "coord x, y\nparticle p at (x, y) mass 1\ngravity (0, -8)\nconstraint floor: y >= 0 "
        "friction 0.50001 slip x'\n"
        "start x' = 1\nsimulate 0..1\n";
    const Verdict verdict = check(one);
    EXPECT_EQ(verdict.result, Result::failed);
    EXPECT_TRUE(verdict.what.starts_with("acceleration of x")) << verdict.what;
}

TEST(HuntControls, EffortsShareByTheirWeights) {
    // x'' = u0 + u1 is to be 4 − 20 x' − 100 x at x = x' = 0; u0² + 3 u1² least: 3 to 1.
    Model model;
    model.add_coordinate("x", 0.0, 0.0);
    model.add(Kind::kinetic, 0.5 * power(model.v_of(0), 2.0));
    model.controls.push_back({"hold", 0, model.x(0).node, model.c(0.04).node, {20.0, 100.0}});
    model.actuators = {{"a", model.x(0).node, 1.0, 0.0}, {"b", (2.0 * model.x(0)).node, 12.0, 0.0}};
    ControlEquations equations(model);
    equations.evaluate(start_of(model));
    const ControlEquations::Answer answer = equations.answer();
    ASSERT_EQ(answer.why, "");
    EXPECT_NEAR(answer.u[0].nearest(), 3.0, 1e-14);
    EXPECT_NEAR(answer.u[1].nearest(), 0.5, 1e-14);
}

}  // namespace
}  // namespace hunt
