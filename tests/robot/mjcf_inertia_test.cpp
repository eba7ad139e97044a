// MJCF: masses and inertias, given and from geoms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "robot/robots.hpp"

namespace lacon::oracle {

namespace {

constexpr double pi = std::numbers::pi;

Inertia inertia_of(const std::string& body, const std::string& settings = {}) {
    const Reading r =
        mjcf(settings + "<worldbody><body name=\"b\">" + body + "</body></worldbody>");
    EXPECT_TRUE(r.robot) << r.said;
    return r.robot ? r.robot->links.front().inertia : Inertia();
}

void expect_moments(const Inertia& inertia, double xx, double yy, double zz) {
    const double size = 1e-14 * std::max({xx, yy, zz});
    EXPECT_NEAR(inertia.tensor.xx, xx, size);
    EXPECT_NEAR(inertia.tensor.yy, yy, size);
    EXPECT_NEAR(inertia.tensor.zz, zz, size);
}

const std::string given =
    "<inertial pos=\"0 0 1\" mass=\"3\" diaginertia=\"1 2 2.5\"/><geom size=\"0.1\"/>";

}  // namespace

TEST(MjcfInertia, SpheresHaveDensityOneThousand) {
    const Inertia i = inertia_of("<geom size=\"0.5\"/>");
    const double m = 1000 * 4.0 / 3 * pi / 8;
    EXPECT_NEAR(i.mass, m, 1e-12 * m);
    expect_moments(i, 0.1 * m, 0.1 * m, 0.1 * m);
}

TEST(MjcfInertia, BoxSizesAreHalves) {
    const Inertia i = inertia_of("<geom type=\"box\" size=\"0.5 1 1.5\"/>");
    EXPECT_NEAR(i.mass, 6000, 1e-9);
    expect_moments(i, 500.0 * (4 + 9), 500.0 * (1 + 9), 500.0 * (1 + 4));
}

TEST(MjcfInertia, CylindersAndEllipsoidsByTheirClosedForms) {
    const Inertia c = inertia_of("<geom type=\"cylinder\" size=\"1 0.5\" mass=\"12\"/>");
    expect_moments(c, 3 + 1, 3 + 1, 6);
    const Inertia e = inertia_of("<geom type=\"ellipsoid\" size=\"1 2 3\" mass=\"5\"/>");
    expect_moments(e, 4 + 9, 1 + 9, 1 + 4);
    EXPECT_NEAR(inertia_of("<geom type=\"ellipsoid\" size=\"1 2 3\"/>").mass, 8000 * pi, 1e-9);
}

TEST(MjcfInertia, CapsuleIsItsCylinderAndTwoHalfSpheres) {
    // By an integral over discs of radius ρ(z): m = ∫ π ρ², Izz = ∫ π ρ⁴/2, Ixx = ∫ π ρ²(ρ²/4 +
    // z²).
    const double r = 0.3, half = 0.4;
    double m = 0, zz = 0, xx = 0;
    const int n = 200000;
    for (int k = 0; k < n; ++k) {
        const double z = (half + r) * (2 * (k + 0.5) / n - 1);
        const double beyond = std::max(std::abs(z) - half, 0.0), s = r * r - beyond * beyond;
        const double dm = 1000 * pi * s * 2 * (half + r) / n;
        m += dm, zz += dm * s / 2, xx += dm * (s / 4 + z * z);
    }
    const Inertia i = inertia_of("<geom type=\"capsule\" size=\"0.3 0.4\"/>");
    // The midpoint rule is off by its step squared, 1e-11, more where ρ² bends.
    EXPECT_NEAR(i.mass, m, 1e-9 * m);
    EXPECT_NEAR(i.tensor.zz, zz, 1e-9 * zz);
    EXPECT_NEAR(i.tensor.xx, xx, 1e-9 * xx);
}

TEST(MjcfInertia, FromToPlacesTheAxisAndMakesBoxesSquare) {
    const Inertia c =
        inertia_of("<geom type=\"cylinder\" fromto=\"0 0 0 1 0 0\" size=\"0.2\" mass=\"12\"/>");
    EXPECT_NEAR(c.center[0], 0.5, 1e-15);
    expect_moments(c, 12 * 0.02, 12 * 0.01 + 1, 12 * 0.01 + 1);
    const Inertia b =
        inertia_of("<geom type=\"box\" fromto=\"0 0 0 0 0 -2\" size=\"0.5 9\" mass=\"12\"/>");
    expect_moments(b, 1 + 4, 1 + 4, 2);
}

TEST(MjcfInertia, GeomsOfABodyAddUpAboutTheirCommonCentre) {
    const Inertia i = inertia_of(
        "<geom size=\"1\" mass=\"1\" pos=\"3 0 0\"/><geom size=\"1\" mass=\"2\" pos=\"0 0 0\"/>");
    EXPECT_EQ(i.center, (Vector{1, 0, 0}));
    expect_moments(i, 1.2, 1.2 + 4 + 2, 1.2 + 4 + 2);
}

TEST(MjcfInertia, MassWinsOverDensityAndMassZeroLeavesAGeomOut) {
    EXPECT_EQ(inertia_of("<geom size=\"1\" mass=\"2\" density=\"9\"/>").mass, 2);
    EXPECT_EQ(inertia_of("<geom size=\"1\" mass=\"2\"/><geom size=\"5\" mass=\"0\"/>").mass, 2);
}

TEST(MjcfInertia, VisualGeomsCountUnlessTheirGroupIsOut) {
    const std::string body =
        "<geom size=\"1\" mass=\"2\" contype=\"0\" conaffinity=\"0\" group=\"2\"/>"
        "<geom size=\"1\" mass=\"1\" group=\"4\"/>";
    EXPECT_EQ(inertia_of(body).mass, 3);
    EXPECT_EQ(inertia_of(body, "<compiler inertiagrouprange=\"0 3\"/>").mass, 2);
}

TEST(MjcfInertia, GeomsCountOnlyWithoutInertialUnlessTheyAlwaysDo) {
    EXPECT_EQ(inertia_of(given).mass, 3);
    EXPECT_NEAR(inertia_of(given, "<compiler inertiafromgeom=\"true\"/>").mass,
                1000 * 4.0 / 3 * pi * 1e-3, 1e-12);
    EXPECT_EQ(inertia_of("<geom size=\"1\"/>", "<compiler inertiafromgeom=\"false\"/>").mass, 0);
}

TEST(MjcfInertia, FullInertiaIsInTheOrderXxYyZzXyXzYz) {
    const Tensor t =
        inertia_of("<inertial pos=\"0 0 0\" mass=\"1\" fullinertia=\"4 5 6 0.1 0.2 0.3\"/>").tensor;
    EXPECT_EQ((std::vector<double>{t.xx, t.yy, t.zz, t.xy, t.xz, t.yz}),
              (std::vector<double>{4, 5, 6, 0.1, 0.2, 0.3}));
}

TEST(MjcfInertia, InertialFrameMayBeTurned) {
    const Inertia i =
        inertia_of("<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"4 5 6\" euler=\"0 0 90\"/>");
    expect_moments(i, 5, 4, 6);
}

TEST(MjcfInertia, BalanceMakesMomentsThatBreakTheInequalityTheirMean) {
    const std::string body = "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 2 6\"/>";
    expect_moments(inertia_of(body, "<compiler balanceinertia=\"true\"/>"), 3, 3, 3);
    expect_moments(inertia_of(body), 1, 2, 6);
}

TEST(MjcfInertia, BoundsActOnMassAndPrincipalMoments) {
    // Principal moments 1 and 3 about the diagonals of x and y: the first becomes 2.
    const Inertia i =
        inertia_of("<inertial pos=\"0 0 0\" mass=\"0.1\" fullinertia=\"2 2 2.5 1 0 0\"/>",
                   "<compiler boundmass=\"0.5\" boundinertia=\"2\"/>");
    EXPECT_EQ(i.mass, 0.5);
    expect_moments(i, 2.5, 2.5, 2.5);
    EXPECT_NEAR(i.tensor.xy, 0.5, 1e-15);
}

TEST(MjcfInertia, TotalMassScalesMassesAndInertias) {
    const Inertia i = inertia_of(given, "<compiler settotalmass=\"6\"/>");
    EXPECT_EQ(i.mass, 6);
    expect_moments(i, 2, 4, 5);
}

TEST(MjcfInertia, MeshesHaveTheMassOfWhatTheyEnclose) {
    // A cube of 0.2 × 0.2 × 0.4, from the origin of its axes moved to its middle; then 1 along x.
    const std::string asset =
        "<compiler meshdir=\"parts\"/><asset><mesh file=\"cube.obj\" scale=\"0.2 0.2 0.4\" "
        "refpos=\"0.1 0.1 0.2\"/></asset>";
    const Inertia i = inertia_of("<geom type=\"mesh\" mesh=\"cube\" pos=\"1 0 0\"/>", asset);
    EXPECT_NEAR(i.mass, 16, 1e-12);
    EXPECT_NEAR(i.center[0], 1, 1e-14);
    EXPECT_NEAR(i.center[2], 0, 1e-14);
    const double across = 16.0 / 12 * (0.04 + 0.16), along = 16.0 / 12 * 0.08;
    EXPECT_NEAR(i.tensor.xx, across, 1e-14);
    EXPECT_NEAR(i.tensor.zz, along, 1e-14);
    EXPECT_NEAR(i.tensor.xy, 0, 1e-14);
    const Inertia weighed =
        inertia_of("<geom type=\"mesh\" mesh=\"cube\" mass=\"3\" axisangle=\"0 1 0 90\"/>", asset);
    EXPECT_NEAR(weighed.mass, 3, 1e-14);
    EXPECT_NEAR(weighed.tensor.xx, along * 3 / 16, 1e-14);
}

TEST(MjcfInertia, MassOfAMeshThatCannotBeUsedIsRefusedNotLeftOut) {
    const auto refused = [](const std::string& geom, std::string_view why) {
        const Reading r = mjcf(
            "<asset><mesh name=\"open\" file=\"parts/open.obj\"/><mesh name=\"cube\" "
            "file=\"parts/cube.obj\"/><mesh name=\"far\" file=\"../../secret.obj\"/></asset>"
            "<worldbody><body><joint/><geom " +
            geom + "/></body></worldbody>");
        EXPECT_FALSE(r.robot);
        EXPECT_TRUE(r.says(why)) << r.said;
    };
    refused("type=\"mesh\" mesh=\"m\"", "there is no mesh 'm'");
    refused("type=\"mesh\" mesh=\"open\"", "which cannot be used");
    refused("type=\"capsule\" mesh=\"cube\"", "to which a simpler shape is fitted");
    refused("type=\"mesh\" mesh=\"far\"", "error");
}

}  // namespace lacon::oracle
