// The shapes of bodies: sizes and places as expressions of parameters, meshes from their files, and
// the mass, centre and inertia that follow.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/text.hpp"
#include "data/cells.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "shape/mesh.hpp"

namespace lacon::lang {

void Elaborator::read_shapes(const BodyStatement& body, std::ptrdiff_t number) {
    const bool weighs = body.density != none || (body.mass != none && body.inertia == none);
    for (const ShapeClause& clause : body.shapes)
        if (auto made = read_shape(clause, weighs)) {
            show_shape(clause, *made, number);
            if (!clause.drawn) shapes_[number].push_back(std::move(*made));
        }
}

/// Keeps it for pictures.
void Elaborator::show_shape(const ShapeClause& clause, const shape::Shape& made,
                            std::ptrdiff_t number) {
    Components values = made.sizes;
    values.insert(values.end(), made.frame.place.begin(), made.frame.place.end());
    for (const Vector3& row : made.frame.R) values.insert(values.end(), row.begin(), row.end());
    BodyShape shown{number, made.kind, {}, {}, made.mesh};
    if (clause.file != none) {
        values.insert(values.end(), made.scale.begin(), made.scale.end());
        shown.file = syntax_.unquoted(clause.file);
    }
    shown.values = kept(values);
    model_.shapes.push_back(std::move(shown));
}

/// `body ground shape …`: there may be several, also repeated.
void Elaborator::ground_shapes(const BodyStatement& body, const Statement& statement) {
    if (!is_ground(body.target)) return;
    if (const NodeId node = body.mass != none      ? body.mass
                            : body.density != none ? body.density
                            : body.inertia != none ? body.inertia
                                                   : body.center;
        node != none)
        diagnostics_.error(syntax_.span(node), "the ground has no mass",
                           "it may have shapes, for contact");
    repeat(statement, [&] {
        const std::size_t before = diagnostics_.error_count();
        read_shapes(body, Body::ground);
        return diagnostics_.error_count() == before;
    });
}

bool Elaborator::is_ground(const Target& target) const {
    return syntax_.names[target.name] == "ground" && target.indices.empty();
}

std::optional<shape::Shape> Elaborator::read_shape(const ShapeClause& clause, bool weighs) {
    const bool planar = evaluator_.bodies.planar;
    Spatial space(model_.graph);
    shape::Shape made;
    made.kind = *shape::kind_named(syntax_.text(clause.kind));
    const shape::KindFacts& facts = shape::facts_of(made.kind);
    if (facts.planar != planar) {
        diagnostics_.error(
            syntax_.tokens[clause.kind].span,
            fmt::format("a {} is a shape {}, but the bodies are {}", facts.name,
                        facts.planar ? "of the plane" : "in space", planar ? "planar" : "in space"),
            fmt::format("{} the shapes are {}", planar ? "in the plane" : "in space",
                        quoted_list(shape::kind_names(planar))));
        return std::nullopt;
    }
    const std::size_t before = diagnostics_.error_count();
    read_sizes(clause, facts, made);
    made.frame = {space.zero(), space.identity()};
    const std::size_t dimensions[] = {planar ? 2u : 3u};
    if (clause.at != none)
        if (const auto at = constant_vector(clause.at, "the place of a shape", dimensions))
            made.frame.place = in_space(*at);
    if (clause.turned != none)
        if (const auto R = shape_attitude(clause.turned, planar)) made.frame.R = *R;
    if (clause.file != none) read_mesh_file(clause, made, weighs && !clause.drawn);
    // What is wrong with a name that a size is made of was reported where the name is declared.
    const bool lacks_sizes = made.sizes.size() != facts.sizes;
    const bool lacks_mesh = clause.file != none && !clause.drawn && made.mesh == nullptr;
    if (diagnostics_.error_count() > before || lacks_sizes || lacks_mesh) return std::nullopt;
    return made;
}

/// Of a unit quaternion, in the plane of an angle.
std::optional<Matrix3> Elaborator::shape_attitude(NodeId node, bool planar) {
    Graph& g = model_.graph;
    Spatial space(g);
    if (planar) {
        const auto angle = constant_scalar(node, "an angle in the plane");
        if (!angle) return std::nullopt;
        return settled(g, space.rotation({g.zero(), g.zero(), g.one()}, *angle));
    }
    const auto p = constant_quaternion(node);
    if (!p) return std::nullopt;
    return settled(g, space.rotation(*p));
}

void Elaborator::read_sizes(const ShapeClause& clause, const shape::KindFacts& facts,
                            shape::Shape& made) {
    const std::string what =
        fmt::format("the size of {} {}", facts.name == "ellipsoid" ? "an" : "a", facts.name);
    if (clause.sizes.size() == 1 && facts.sizes > 1) {
        const std::size_t sizes[] = {facts.sizes};
        const auto given = constant_vector(clause.sizes[0], what, sizes);
        if (!given) return;
        made.sizes = *given;
    } else {
        for (const NodeId node : clause.sizes)
            if (const auto size = constant_scalar(node, "a size")) made.sizes.push_back(*size);
    }
    for (std::size_t i = 0; i < made.sizes.size(); ++i) {
        const auto number = known_number(made.sizes[i]);
        if (number && *number > 0 && std::isfinite(*number)) continue;
        const NodeId node = clause.sizes[std::min(i, clause.sizes.size() - 1)];
        diagnostics_.error(syntax_.span(node),
                           fmt::format("{} must be positive and finite, but it is {}", what,
                                       number ? shortest(*number) : "not a finite number"));
        return;
    }
}

namespace {

constexpr std::uintmax_t most_mesh_bytes = std::uintmax_t{256} << 20;

}  // namespace

/// What weighs must be closed; what is only drawn is only looked for.
void Elaborator::read_mesh_file(const ShapeClause& clause, shape::Shape& made, bool weighs) {
    const Span place = syntax_.tokens[clause.file].span;
    const std::string file = syntax_.unquoted(clause.file);
    const Expr one = model_.graph.one();
    made.scale = {one, one, one};
    if (clause.scale != none) {
        const std::size_t sizes[] = {1, 3};
        const auto scale = constant_vector(clause.scale, "the scale of a mesh", sizes);
        if (!scale) return;
        for (std::size_t i = 0; i < 3; ++i) {
            made.scale[i] = (*scale)[scale->size() == 1 ? 0 : i];
            const auto number = known_number(made.scale[i]);
            if (number && *number != 0 && std::isfinite(*number)) continue;
            diagnostics_.error(syntax_.span(clause.scale), "the scale of a mesh cannot be 0");
            return;
        }
    }
    const DataFile source{std::filesystem::path(syntax_.source->name()).parent_path(), file};
    if (clause.drawn) {
        try {
            static_cast<void>(read_data_file(source, most_mesh_bytes));
        } catch (const DataError& error) {
            diagnostics_.error(place, error.what(), error.hint);
        }
        return;
    }
    const auto [found, is_new] = meshes_.try_emplace(file);
    if (is_new) try {
            found->second = std::make_shared<const shape::Mesh>(
                shape::surface(shape::read_mesh(read_data_file(source, most_mesh_bytes), file)));
        } catch (const DataError& error) {
            diagnostics_.error(place, error.what(), error.hint);
        } catch (const shape::MeshError& error) {
            diagnostics_.error(place, error.what(), error.hint);
        }
    made.mesh = found->second;
    if (made.mesh == nullptr)  // told at the first place
        diagnostics_.error(place, fmt::format("the mesh '{}' cannot be used", file));
    else if (weighs && !made.mesh->fault.empty())
        diagnostics_.error(place, made.mesh->fault, made.mesh->hint);
}

/// Whether mass, centre and inertia come from the shapes; reports what does not go together.
bool Elaborator::shapes_weigh(const BodyStatement& statement, const BodyValue& body) {
    const auto refuse = [&](NodeId node, std::string_view why, std::string_view hint) {
        diagnostics_.error(syntax_.span(node), why, hint);
        return false;
    };
    const bool has_shape = std::any_of(statement.shapes.begin(), statement.shapes.end(),
                                       [](const ShapeClause& one) { return !one.drawn; });
    if (statement.density != none && !has_shape)
        return refuse(statement.density, fmt::format("'{}' has a density, but no shape", body.name),
                      "give it one, as in shape sphere 0.1, or a mass");
    if (!has_shape || (statement.mass == none && statement.density == none)) return false;
    if (statement.density != none)
        for (const NodeId node : {statement.mass, statement.inertia, statement.center})
            if (node != none)
                return refuse(node, "mass, centre and inertia follow from the density",
                              "remove either 'density' or this");
    if (statement.inertia != none) return false;
    if (statement.center != none)
        return refuse(statement.center,
                      "the shapes give the centre of mass, as they give the inertia",
                      "remove 'center', or give 'inertia' too");
    return true;
}

void Elaborator::weigh_shapes(const BodyStatement& statement, BodyValue& body, std::size_t number) {
    Graph& g = model_.graph;
    const auto found = shapes_.find(static_cast<std::ptrdiff_t>(number));
    std::vector<shape::MassProperties> parts;
    if (found != shapes_.end())
        for (const shape::Shape& one : found->second)
            if (shape::facts_of(one.kind).solid) parts.push_back(shape::mass_properties(g, one));
    const NodeId node = statement.density != none ? statement.density : statement.mass;
    if (parts.empty()) {
        if (!diagnostics_.has_errors())
            diagnostics_.error(
                syntax_.span(node),
                fmt::format("'{}' has no shape with a volume, so its inertia is not known",
                            body.name),
                "give 'mass' and 'inertia', or a shape such as a sphere");
        return;
    }
    const auto value = constant_scalar(node, statement.density != none ? "a density" : "a mass");
    if (!value) return;
    if (const auto number_of = known_number(*value); number_of && *number_of < 0) {
        diagnostics_.error(
            syntax_.span(node),
            fmt::format("{} cannot be negative, but it is {}",
                        statement.density != none ? "a density" : "a mass", shortest(*number_of)));
        return;
    }
    Expr density = *value;
    if (statement.mass != none) {
        Expr volume = g.zero();
        for (const shape::MassProperties& part : parts) volume = g.add(volume, part.volume);
        density = g.div(*value, volume);
    }
    const std::vector<Expr> densities(parts.size(), density);
    const shape::MassProperties all = shape::combined(g, parts, densities);
    const Matrix3 I = shape::inertia_of(g, all);
    body.mass = statement.mass != none ? *value : all.volume;
    body.center = all.center;
    body.inertia = {I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]};
    if (body.planar) body.inertia = {g.zero(), g.zero(), I[2][2], g.zero(), g.zero(), g.zero()};
}

}  // namespace lacon::lang
