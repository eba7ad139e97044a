// STL and OBJ files: what is read, and each way to be wrong.
#include <cstring>
#include <limits>

#include "shape/mesh.hpp"
#include "shape/solids.hpp"

namespace lacon::shape {
namespace {

std::string text_stl(const Triangles& mesh) {
    std::string text = "solid a box of facets\n";
    for (const Triangle& t : mesh.triangles) {
        text += "  facet normal nan 0 0\n    outer loop\n";
        for (const std::uint32_t p : t) {
            text += "      vertex";
            for (const double x : mesh.points[p]) text += " " + std::to_string(x);
            text += "\n";
        }
        text += "    endloop\n  endfacet\n";
    }
    return text + "endsolid\n";
}

void append(std::string& bytes, const void* value, std::size_t size) {
    bytes.append(static_cast<const char*>(value), size);
}

/// The header begins with "solid", as that of many binary files does.
std::string binary_stl(const Triangles& mesh) {
    std::string bytes = "solid";
    bytes.resize(80);
    const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
    append(bytes, &count, 4);
    for (const Triangle& t : mesh.triangles) {
        bytes.append(12, '\0');
        for (const std::uint32_t p : t)
            for (const double x : mesh.points[p]) {
                const auto single = static_cast<float>(x);
                append(bytes, &single, 4);
            }
        bytes.append(2, '\0');
    }
    return bytes;
}

double volume(const std::string& text, const std::string& file) {
    return checked(read_mesh(text, file)).moments.volume;
}

std::string refusal(const std::string& text, const std::string& file) {
    try {
        checked(read_mesh(text, file));
    } catch (const MeshError& error) {
        return error.what();
    }
    return "";
}

const Triangles box = box_mesh({0, 0, 0}, {1, 2, 3});

const std::string tetrahedron = R"(# a corner of a cube
mtllib none.mtl
o corner
v 0 0 0
v 1.0 0 0 1
v 0 +1e0 0
v 0 0 1
vn 0 0 1
f 1 3 2
f 1//1 2//1 4//1
f -4/1 -1/2 -2/3
f 2 3 \
  4
)";

TEST(MeshFile, TextAndBinaryStlAreOneMesh) {
    EXPECT_DOUBLE_EQ(volume(text_stl(box), "box.stl"), 6);
    EXPECT_DOUBLE_EQ(volume(binary_stl(box), "BOX.STL"), 6);
}

TEST(MeshFile, ObjFacesCountFromEitherEnd) {
    EXPECT_DOUBLE_EQ(volume(tetrahedron, "corner.obj"), 1.0 / 6);
}

TEST(MeshFile, ObjFacesMayHaveManyCorners) {
    const std::string text =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv .5 .5 3\nf 4 3 2 1\nf 1 2 5\nf 2 3 5\nf 3 4 5\n"
        "f 4 1 5\n";
    EXPECT_DOUBLE_EQ(volume(text, "pyramid.obj"), 1);
}

TEST(MeshFile, ATruncatedBinaryFileIsRefused) {
    const std::string bytes = binary_stl(box);
    EXPECT_EQ(refusal(bytes.substr(0, bytes.size() - 20), "a.stl"),
              "'a.stl' should have 12 triangles by its header, 684 bytes in all, but "
              "it has 664 bytes");
    EXPECT_EQ(refusal(bytes.substr(0, 50), "a.stl"),
              "'a.stl' is not an STL file: it does not begin with 'solid', and is "
              "shorter than the header of a binary file, 84 bytes");
    EXPECT_EQ(refusal("", "a.stl"), refusal(bytes.substr(0, 50), "a.stl"));
}

TEST(MeshFile, CoordinatesThatAreNotFiniteAreRefused) {
    Triangles bad = box;
    bad.points[1][2] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(refusal(binary_stl(bad), "a.stl"),
              "'a.stl' triangle 2: a coordinate is not a finite number");
    EXPECT_EQ(refusal("v 0 1e999 0\n", "a.obj"),
              "'a.obj' line 1: a coordinate is not a finite number");
    EXPECT_EQ(refusal("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 inf 0\n", "a.stl"),
              "'a.stl' line 4: a coordinate is not a finite number");
}

TEST(MeshFile, WrongTextsAreRefusedWithTheirLine) {
    const std::string head = "solid\nfacet normal 0 0 1\nouter loop\n";
    EXPECT_EQ(refusal(head + "vertex 0 0\n", "a.stl"),
              "'a.stl' line 4: a vertex needs three numbers");
    EXPECT_EQ(refusal(head + "vertex 0 0 0\nendloop\n", "a.stl"),
              "'a.stl' line 5: a facet has three vertices, but this one has 1");
    EXPECT_EQ(refusal(head + "vertx 0 0 0\n", "a.stl"),
              "'a.stl' line 4: 'vertx' is not a keyword of an STL file");
    EXPECT_EQ(refusal(head + "vertex 0 0 0\n", "a.stl"),
              "'a.stl' line 4: the file ends within a triangle");
    EXPECT_EQ(refusal("v 0 0 0\nf 1 2 3\n", "a.obj"),
              "'a.obj' line 2: there is no point 2; 1 are given so far");
    EXPECT_EQ(refusal("v 0 0 0\nf 1 x 3\n", "a.obj"),
              "'a.obj' line 2: 'x' is not the number of a point");
    EXPECT_EQ(refusal("v 0 0 0\nf 1 1\n", "a.obj"),
              "'a.obj' line 2: a face has three corners or more, but this one has 2");
    EXPECT_EQ(refusal("curv 0 1\n", "a.obj"),
              "'a.obj' line 1: 'curv' is not understood: only points and faces are read");
    EXPECT_EQ(refusal("", "a.ply"),
              "'a.ply' cannot be read as a mesh: its name must end in .stl or .obj");
}

}  // namespace
}  // namespace lacon::shape
