// Units that follow from the texts of parameters.
#include "model/units.hpp"

#include "reading.hpp"

namespace lacon {
namespace {

using Texts = std::vector<std::string>;

TEST(Units, OfAPendulumFollowFromItsParameters) {
    const Units u =
        units_of(read("param L = 1 \"length, m\", m = 1 \"mass of the bob, kg\", g = 9.81 "
                      "\"gravity, m/s^2\"\ncoord x, y\n"
                      "particle bob at (x, y) mass m\ngravity (0, -g)\nconstraint rod: x^2 + y^2 = "
                      "L^2\nconstraint rope: norm(bob) = L\n"
                      "output theta = atan2(x, -y), energy, rod.reaction, rope.reaction, "
                      "rope.force, r = hypot(x, y), x'', moment = "
                      "m*(x*y' - y*x')\n"));
    EXPECT_EQ(u.time, "s");
    EXPECT_EQ(u.coordinates, (Texts{"m", "m"}));
    EXPECT_EQ(u.velocities, (Texts{"m/s", "m/s"}));
    EXPECT_EQ(u.outputs, (Texts{"rad", "J", "N/m", "N", "N", "m", "m/s^2", "kg m^2/s"}));
}

TEST(Units, OfAnglesAreRadians) {
    const Units u =
        units_of(read("param L = 1 \"length, m\", m = 1 \"kg\", g = 9.81 \"m/s^2\"\ncoord th, s\n"
                      "particle bob at (s + L*sin(th), -L*cos(th)) mass m\ngravity (0, -g)\noutput "
                      "th*L, kinetic\n"));
    EXPECT_EQ(u.coordinates, (Texts{"rad", "m"}));
    EXPECT_EQ(u.velocities, (Texts{"rad/s", "m/s"}));
    EXPECT_EQ(u.outputs, (Texts{"m", "J"}));
}

TEST(Units, OfAConstraintOnVelocitiesMakeItsReactionAForce) {
    const Units u =
        units_of(read("param m = 2 \"kg\", v0 = 1 \"speed, m/s\"\ncoord x, y\nparticle P at (x, y) "
                      "mass m\nconstraint drive: x' = v0\n"
                      "start x' = v0\noutput drive.reaction, x, y\n"));
    EXPECT_EQ(u.coordinates[0], "m");
    EXPECT_EQ(u.outputs[0], "N");
    EXPECT_EQ(u.coordinates[1], "") << "nothing tells y";
}

TEST(Units, AreNotGuessed) {
    const Units u =
        units_of(read("param L = 1 \"length of the rod\", k = 2 \"stiffness, lbf/in\"\ncoord "
                      "x\nparticle P at (x, 0) mass 1\n"
                      "force x = -k*(x - L)\nstart x = L\noutput x^2, energy\n"));
    EXPECT_EQ(u.time, "");
    EXPECT_EQ(u.coordinates, Texts{""});
    EXPECT_EQ(u.outputs, (Texts{"", ""}));
}

}  // namespace
}  // namespace lacon
