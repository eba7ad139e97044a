// Shapes of links: what becomes of them in the model, and where meshes are found.
#include <gtest/gtest.h>

#include "robot/robots.hpp"

namespace lacon::oracle {

namespace {

std::string link(const std::string& shapes) {
    return "<link name=\"a\"><inertial><mass value=\"2\"/><inertia ixx=\"1\" iyy=\"1\" "
           "izz=\"1\"/></inertial>" +
           shapes + "</link>";
}

std::string shape(const std::string& role, const std::string& form) {
    return "<" + role + "><origin xyz=\"0 0 0.5\"/><geometry>" + form + "</geometry></" + role +
           ">";
}

}  // namespace

TEST(RobotShapes, WhatCollidesTouchesAndWhatIsSeenIsDrawn) {
    const Reading r = urdf(link(shape("collision", "<cylinder radius=\"0.5\" length=\"2\"/>") +
                                shape("visual", "<box size=\"1 2 3\"/>")));
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_TRUE(
        r.writes("body a mass 2 inertia (1, 1, 1) shape cylinder 0.5, 2 at (0, 0, 0.5),\n"
                 "    box (1, 2, 3) at (0, 0, 0.5) drawn"))
        << r.model;
    EXPECT_EQ(r.said, "");
}

TEST(RobotShapes, PointMassesStayPointMasses) {
    const Reading r = urdf("<link name=\"a\"><inertial><mass value=\"2\"/></inertial>" +
                           shape("collision", "<sphere radius=\"0.5\"/>") + "</link>");
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_TRUE(r.writes("mass 2 inertia (0, 0, 0) shape sphere 0.5")) << r.model;
}

TEST(RobotShapes, MeshesAreFoundByPathAndByPackage) {
    for (const char* name : {"hand/meshes/cube.obj", "package://hand/meshes/cube.obj"}) {
        const Reading r =
            urdf(link(shape("visual", "<mesh filename=\"" + std::string(name) + "\"/>")));
        ASSERT_TRUE(r.robot) << r.said;
        EXPECT_TRUE(r.writes("mesh \"hand/meshes/cube.obj\" at (0, 0, 0.5) drawn")) << r.model;
    }
}

/// The file package.xml there calls it 'grip'.
TEST(RobotShapes, AFolderAboveTheRobotIsThePackageThatItSays) {
    const auto of_package = [](const std::string& name) {
        return read_text("<robot name=\"r\">" +
                             link(shape("collision", "<mesh filename=\"package://" + name +
                                                         "/meshes/cube.obj\"/>")) +
                             "</robot>",
                         RobotRoot::as_usual, "hand/hand.urdf");
    };
    for (const char* name : {"grip", "hand"})
        EXPECT_TRUE(of_package(name).writes("mesh \"hand/meshes/cube.obj\"")) << name;
    EXPECT_TRUE(of_package("other").says("the mesh 'package://other/meshes/cube.obj' is left out"))
        << of_package("other").said;
}

TEST(RobotShapes, MeshesThatCannotBeReadAreToldOnce) {
    const Reading r = urdf(link(shape("visual", "<mesh filename=\"package://p/a.dae\"/>") +
                                shape("collision", "<mesh filename=\"package://p/b.stl\"/>")));
    ASSERT_TRUE(r.robot);
    EXPECT_TRUE(
        r.says("warning: the mesh 'package://p/a.dae' is left out, as is one more: only "
               "STL and OBJ files are read"))
        << r.said;
    EXPECT_EQ(r.robot->remarks.size(), 2u);
    EXPECT_FALSE(r.writes("shape")) << r.model;
}

TEST(RobotShapes, MeshesOutsideOfTheModelsFolderAreNotRead) {
    const Reading r = urdf(link(shape("visual", "<mesh filename=\"../robots.stl\"/>")));
    EXPECT_TRUE(r.says("no such file in the model's folder")) << r.said;
}

TEST(RobotShapes, AShapeWithoutASizeIsLeftOut) {
    const Reading r = urdf(link(shape("collision", "<sphere radius=\"0\"/>")));
    ASSERT_TRUE(r.robot);
    EXPECT_TRUE(r.says("this sphere is left out: its sizes are not positive")) << r.said;
}

TEST(RobotShapes, GeomsOfTheWorldAreThoseOfTheGround) {
    const Reading r = mjcf(
        "<worldbody><geom type=\"plane\" size=\"1 1 1\"/><body name=\"b\"><geom type=\"capsule\" "
        "size=\"0.1 0.3\" contype=\"0\" conaffinity=\"0\"/></body></worldbody>");
    ASSERT_TRUE(r.robot) << r.said;
    EXPECT_TRUE(r.writes("body ground shape plane")) << r.model;
    EXPECT_TRUE(r.writes("shape capsule 0.1, 0.6 drawn")) << r.model;
}

/// refpos and refquat are the frame of the geom in the file: a quarter turn about z and 1 along x.
TEST(RobotShapes, GeomsThatAreMeshesStandAsTheirFileHasThem) {
    const Reading r = mjcf(
        "<compiler meshdir=\"anywhere\" strippath=\"true\"/><compiler meshdir=\"hand/meshes\"/>"
        "<asset><mesh name=\"m\" file=\"C:/cube.obj\" scale=\"2 1 1\" refpos=\"1 0 0\" "
        "refquat=\"1 0 0 1\"/></asset><worldbody><body name=\"b\"><joint/><geom type=\"mesh\" "
        "mesh=\"m\" pos=\"0 0 3\"/></body></worldbody>");
    ASSERT_TRUE(r.robot) << r.said;
    const auto& shapes = r.robot->links.front().shapes;
    ASSERT_EQ(shapes.size(), 1u) << r.said;
    const Vector corner = shapes.front().pose * Vector{2, 1, 0};
    EXPECT_NEAR(corner[0], 1, 1e-15);
    EXPECT_NEAR(corner[1], -1, 1e-15);
    EXPECT_NEAR(corner[2], 3, 1e-15);
    EXPECT_NEAR(r.robot->links.front().inertia.center[0], 0.5, 1e-14);
    EXPECT_NEAR(r.robot->links.front().inertia.center[1], 0, 1e-14);
    EXPECT_TRUE(r.writes("mesh \"hand/meshes/cube.obj\" scale (2, 1, 1)")) << r.model;
}

TEST(RobotShapes, AMeshThatNoAssetNamesIsTold) {
    const Reading r = mjcf(
        "<worldbody><body><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/><geom "
        "type=\"mesh\" mesh=\"n\"/></body></worldbody>");
    EXPECT_TRUE(r.says("the mesh 'n' is left out: there is no such <mesh> among the assets"))
        << r.said;
}

}  // namespace lacon::oracle
