// MJCF: geoms, and the inertia of bodies: given, or that of the solid geoms; bounds, balance and
// the total mass. Sizes of MJCF are halves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "robot/mjcf.hpp"

namespace lacon::inline robot {

namespace {

/// What the sizes of a kind of geom are: how many numbers, and how many where `fromto` is given.
struct GeomKind {
    std::string_view name;
    Shape::Kind kind;
    std::size_t sizes, sizes_from_to;  // 0: `fromto` is not for this kind
};
constexpr GeomKind geom_kinds[] = {
    {"sphere", Shape::Kind::sphere, 1, 0},     {"capsule", Shape::Kind::capsule, 2, 1},
    {"cylinder", Shape::Kind::cylinder, 2, 1}, {"ellipsoid", Shape::Kind::ellipsoid, 3, 1},
    {"box", Shape::Kind::box, 3, 1},           {"plane", Shape::Kind::plane, 0, 0},
    {"mesh", Shape::Kind::mesh, 0, 0}};

}  // namespace

void MjcfReader::geom(const Element& given, const Scope& scope) {
    attributes_.check(given);
    class_of(given, scope);
    const Element element = defaults_.complete(given, scope.child_class);
    const std::string_view type = element.has("type") ? element.text("type") : "sphere";
    if (type == "hfield" || type == "sdf") {
        report_.warning(element.place, fmt::format("geoms of type '{}' are not imported", type));
        return;
    }
    const auto kind = std::find_if(std::begin(geom_kinds), std::end(geom_kinds),
                                   [&](const GeomKind& k) { return k.name == type; });
    if (kind == std::end(geom_kinds)) {
        report_.error(element.place_of("type"), fmt::format("there is no geom of type '{}'", type));
        return;
    }
    Solid solid;
    solid.shape.kind = kind->kind;
    solid.shape.place = given.place;
    solid.fitted = element.has("mesh") && kind->kind != Shape::Kind::mesh;
    if (solid.fitted) solid.shape.kind = Shape::Kind::mesh;
    if (!from_to(element, solid.shape))
        solid.shape.pose = {values_.vector(element, "pos", {}), orientation(element)};
    solid.shape.pose = scope.frame * solid.shape.pose;
    geom_size(element, solid.shape);
    solid.mass = values_.number(element, "mass");
    solid.density = values_.number(element, "density", solid.density);
    solid.group = static_cast<int>(std::clamp(values_.number(element, "group", 0), -1e6, 1e6));
    for (const char* name : {"mass", "density"})
        if (values_.number(element, name, 0) < 0)
            report_.error(element.place_of(name), fmt::format("'{}' cannot be negative", name));
    if (values_.truth(element, "shellinertia").value_or(false))
        report_.error(element.place_of("shellinertia"), "the inertia of shells is not supported",
                      "give the body an <inertial>");
    const bool collides = values_.number(element, "contype", 1) != 0 ||
                          values_.number(element, "conaffinity", 1) != 0;
    solid.shape.collides = collides;
    contacts_ |= collides;
    solid.mesh = element.text("mesh");
    keep_shape(solid, element, scope);
    if (scope.link != no_link) solids_[scope.link].push_back(std::move(solid));
}

/// As a shape of the model, where it has a size. A mesh stands there as its file has it.
void MjcfReader::keep_shape(const Solid& solid, const Element& element, const Scope& scope) {
    Shape shape = solid.shape;
    if (shape.kind == Shape::Kind::mesh) {
        const FilePlace place = element.place_of("mesh");
        const auto asset = meshes_.find(solid.mesh);
        if (asset == meshes_.end())
            shape_files_.leave_out(solid.mesh, "there is no such <mesh> among the assets", place);
        else if (solid.fitted)
            shape_files_.leave_out(solid.mesh, "a simpler shape is to be fitted to it", place);
        if (asset == meshes_.end() || solid.fitted || asset->second.in_model.empty()) return;
        shape.file = asset->second.in_model;
        shape.scale = asset->second.scale;
        shape.pose = shape.pose * inverse(Pose{asset->second.place, asset->second.turn});
    }
    const std::size_t sizes = shape::facts_of(shape.kind).sizes;
    if (std::any_of(shape.size.begin(), shape.size.begin() + static_cast<std::ptrdiff_t>(sizes),
                    [](double size) { return !(size > 0); }))
        return;
    (scope.link == no_link ? robot_.ground : robot_.links[scope.link].shapes).push_back(shape);
}

/// Sets the place, and the half length as the size behind those given.
bool MjcfReader::from_to(const Element& element, Shape& shape) {
    const auto ends = values_.numbers(element, "fromto", 6, 6);
    if (!ends || shape.kind == Shape::Kind::sphere || shape.kind == Shape::Kind::plane ||
        shape.kind == Shape::Kind::mesh)
        return false;
    const Vector a{(*ends)[0], (*ends)[1], (*ends)[2]}, b{(*ends)[3], (*ends)[4], (*ends)[5]};
    if (length(a - b) == 0) {
        report_.error(element.place_of("fromto"), "the two ends of 'fromto' are the same point");
        return false;
    }
    shape.pose = {0.5 * (a + b), turn_of_z(a - b)};
    return true;
}

/// From halves, as MJCF has them, to the sizes of a Shape.
void MjcfReader::geom_size(const Element& element, Shape& shape) {
    const auto kind = std::find_if(std::begin(geom_kinds), std::end(geom_kinds),
                                   [&](const GeomKind& k) { return k.kind == shape.kind; });
    const bool by_ends = element.has("fromto") && kind->sizes_from_to > 0;
    const std::size_t wanted = by_ends ? kind->sizes_from_to : kind->sizes;
    if (wanted == 0) return;
    const auto given = values_.numbers(element, "size", 1, 3);
    if (!given || given->size() < wanted) {
        if (given || !element.has("size"))
            report_.error(
                element.place_of("size"),
                fmt::format("a {} takes {} as 'size'", kind->name, counted(wanted, "number")));
        return;
    }
    std::vector<double> half(given->begin(), given->begin() + static_cast<std::ptrdiff_t>(wanted));
    if (by_ends) {
        const auto ends = values_.numbers(element, "fromto", 6, 6);
        if (!ends) return;
        const Vector along{(*ends)[3] - (*ends)[0], (*ends)[4] - (*ends)[1],
                           (*ends)[5] - (*ends)[2]};
        if (kind->sizes == 3) half.push_back(half[0]);  // boxes and ellipsoids are as wide as deep
        half.push_back(length(along) / 2);
    }
    for (std::size_t i = 0; i < half.size(); ++i) {
        if (half[i] <= 0) {
            report_.error(element.place_of("size"), "sizes are positive");
            return;
        }
        const bool full =
            shape.kind == Shape::Kind::box || (i == 1 && shape.kind != Shape::Kind::ellipsoid);
        shape.size[i] = full ? 2 * half[i] : half[i];
    }
}

void MjcfReader::inertial(const Element& element, const Scope& scope) {
    if (scope.link == no_link) return;
    attributes_.check(element);
    Inertia& inertia = robot_.links[scope.link].inertia;
    if (!has_inertial_.insert(scope.link).second)
        report_.error(element.place, "the body has two <inertial>");
    for (const char* name : {"pos", "mass"})
        if (!element.has(name))
            report_.error(element.place, fmt::format("an <inertial> has a '{}'", name));
    const Pose pose = scope.frame * Pose{values_.vector(element, "pos", {}), orientation(element)};
    inertia.mass = values_.number(element, "mass", 0);
    if (inertia.mass < 0) report_.error(element.place_of("mass"), "a mass cannot be negative");
    inertia.center = pose.place;
    Tensor tensor;
    if (const auto full = values_.numbers(element, "fullinertia", 6, 6)) {
        const auto& n = *full;
        tensor = {n[0], n[1], n[2], n[3], n[4], n[5]};  // xx yy zz xy xz yz
        if (element.has("diaginertia"))
            report_.error(element.place_of("diaginertia"),
                          "the inertia is given twice: by 'fullinertia' and by 'diaginertia'");
    } else if (const auto moments = values_.numbers(element, "diaginertia", 3, 3)) {
        tensor = {(*moments)[0], (*moments)[1], (*moments)[2], 0, 0, 0};
    } else if (!element.has("fullinertia") && !element.has("diaginertia")) {
        report_.error(element.place, "an <inertial> has a 'diaginertia' or a 'fullinertia'");
    }
    inertia.tensor = turned(pose.turn, tensor);
}

void MjcfReader::set_inertias() {
    using From = MjcfCompiler::FromGeoms;
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
        const bool given = has_inertial_.contains(i);
        const bool from_geoms = compiler_.inertia_from_geoms == From::always ||
                                (compiler_.inertia_from_geoms == From::where_missing && !given);
        std::optional<Inertia> sum;
        if (from_geoms)
            for (const Solid& solid : solids_[i]) {
                if (solid.group < compiler_.inertia_groups.low ||
                    solid.group > compiler_.inertia_groups.high ||
                    solid.shape.kind == Shape::Kind::plane)
                    continue;
                const bool massless = solid.mass ? *solid.mass == 0 : solid.density == 0;
                if (massless) continue;
                const auto one = solid.shape.kind == Shape::Kind::mesh
                                     ? inertia_of_mesh(solid, robot_.links[i].name)
                                     : inertia_of_solid(solid.shape, solid.mass, solid.density);
                if (one) sum = sum ? *sum + *one : *one;
            }
        if (sum) robot_.links[i].inertia = *sum;
        bound(robot_.links[i]);
    }
    set_total_mass();
}

/// Lower bounds act on the mass and on principal moments; moments that break the triangle
/// inequality become their mean, where that is asked for.
void MjcfReader::bound(Link& link) {
    link.inertia.mass = std::max(link.inertia.mass, compiler_.least_mass);
    if (compiler_.least_inertia <= 0 && !compiler_.balance_inertia) return;
    Principal parts = principal(link.inertia.tensor);
    const Vector before = parts.moments;
    for (double& moment : parts.moments) moment = std::max(moment, compiler_.least_inertia);
    const auto [a, b, c] = parts.moments;
    if (compiler_.balance_inertia && (a + b < c || a + c < b || b + c < a))
        parts.moments.fill((a + b + c) / 3);
    if (parts.moments != before) link.inertia.tensor = tensor_of(parts);
}

/// Scales masses and inertias, but no armature.
void MjcfReader::set_total_mass() {
    if (compiler_.total_mass <= 0) return;
    double sum = 0;
    for (const Link& link : robot_.links) sum += link.inertia.mass;
    if (sum <= 0) {
        report_.error(root_.place, "'settotalmass' is given, but no body has a mass");
        return;
    }
    const double factor = compiler_.total_mass / sum;
    for (Link& link : robot_.links) {
        link.inertia.mass *= factor;
        link.inertia.tensor = factor * link.inertia.tensor;
    }
}

}  // namespace lacon::robot
