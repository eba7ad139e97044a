// MJCF: the meshes that an <asset> names, and the mass of geoms that are meshes: exact integrals
// over what they enclose.
#include <fmt/format.h>

#include <filesystem>

#include "robot/mjcf.hpp"
#include "shape/mesh.hpp"

namespace lacon::inline robot {

namespace {

shape::Triangles placed(shape::Triangles mesh, const MjcfMesh& asset) {
    for (shape::Point& point : mesh.points) {
        const Vector scaled{point[0] * asset.scale[0], point[1] * asset.scale[1],
                            point[2] * asset.scale[2]};
        point = inverse(asset.turn) * (scaled - asset.place);
    }
    return mesh;
}

/// Of a mesh of density 1 in its own axes.
Inertia of_volume(const shape::MeshMoments& moments) {
    const auto& s = moments.second;
    Inertia inertia;
    inertia.mass = moments.volume;
    inertia.center = moments.center;
    inertia.tensor = {s[1][1] + s[2][2], s[0][0] + s[2][2], s[0][0] + s[1][1],
                      -s[0][1],          -s[0][2],          -s[1][2]};
    return inertia;
}

}  // namespace

/// <mesh>: without a name it has that of its file, without the ending.
void MjcfReader::mesh(const Element& given) {
    if (given.name != "mesh") return;
    const Element element = defaults_.complete(given, {});
    MjcfMesh mesh;
    mesh.file = element.text("file");
    mesh.inline_points = !element.has("file");
    mesh.scale = values_.vector(element, "scale", mesh.scale);
    mesh.asked = element.has("file") ? element.place_of("file") : given.place;
    mesh.place = values_.vector(element, "refpos", {});
    if (const auto q = values_.numbers(element, "refquat", 4, 4); q && *q != std::vector(4, 0.0))
        mesh.turn = unit((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
    std::filesystem::path file = mesh.file;
    if (compiler_.strips_folders) file = file.filename();
    const std::string name =
        element.has("name") ? std::string(element.text("name")) : file.stem().string();
    mesh.file = (std::filesystem::path(compiler_.mesh_folder) / file).string();
    if (!element.has("file"))
        shape_files_.leave_out(name, "its points are not in a file", given.place);
    else if (mesh.scale[0] * mesh.scale[1] * mesh.scale[2] == 0)
        shape_files_.leave_out(mesh.file, "its scale is 0", element.place_of("scale"));
    else mesh.in_model = shape_files_.find(mesh.file, mesh.asked);
    meshes_[name] = std::move(mesh);
}

/// Mass, centre and inertia of a geom that is a mesh, in the body's axes; reported and none where
/// its mesh cannot be used.
std::optional<Inertia> MjcfReader::inertia_of_mesh(const Solid& solid, const std::string& link) {
    const auto refuse = [&](const std::string& why) {
        report_.error(
            solid.shape.place,
            fmt::format("the mass of the body '{}' would come from a mesh, {}", link, why),
            "give the body an <inertial>, or the geom mass=\"0\"");
        return std::nullopt;
    };
    if (solid.fitted) return refuse("to which a simpler shape is fitted, which is not done here");
    const auto found = meshes_.find(solid.mesh);
    if (found == meshes_.end()) return refuse(fmt::format("but there is no mesh '{}'", solid.mesh));
    MjcfMesh& asset = found->second;
    if (asset.inline_points) return refuse("which is not in a file");
    if (!asset.moments) {
        const std::filesystem::path path = folder_ / asset.file;
        try {
            const File file = files_.read(path, &asset.asked);
            asset.moments = of_volume(
                shape::checked(placed(shape::read_mesh(file->text(), asset.file), asset)).moments);
        } catch (const shape::MeshError& problem) {
            return refuse(fmt::format("which cannot be used: {}", problem.what()));
        }
    }
    Inertia inertia = *asset.moments;
    const double density = solid.mass ? *solid.mass / inertia.mass : solid.density;
    inertia.mass *= density;
    inertia.center = solid.shape.pose * inertia.center;
    inertia.tensor = turned(solid.shape.pose.turn, density * inertia.tensor);
    return inertia;
}

}  // namespace lacon::robot
