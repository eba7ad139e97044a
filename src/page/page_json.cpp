// Names of coordinates are listed of small models only.
#include "page/page_json.hpp"

#include "base/text.hpp"

namespace lacon::inline page {

namespace {

constexpr std::size_t largest_listed = 300;  // coordinates

/// The names of those that move it.
std::vector<std::string> coordinates_of(const DerivedModel& details, const SceneItem& item) {
    std::vector<std::string> names;
    const Model& model = details.model;
    if (model.coordinates.size() > largest_listed) return names;
    const SymbolRoles roles(model);
    for (const Expr symbol : model.forms.symbols_of(model.particles[*item.particle].position))
        if (const SymbolRole role = roles.of(symbol); role.kind == SymbolRole::Kind::q)
            names.push_back(details.coordinate_names[role.number]);
    return names;
}

PageJson json_of(const SceneShape& shape) {
    PageJson one{{"kind", shape::facts_of(shape.kind).name},
                 {"sizes", shape.sizes},
                 {"at", shape.place},
                 {"R", shape.R}};
    if (shape.mesh == nullptr) return one;
    constexpr std::size_t digits = 5;  // of the coordinates, for the eye
    one["scale"] = shape.scale;
    PageJson points = PageJson::array(), triangles = PageJson::array();
    for (const shape::Point& p : shape.mesh->points)
        for (const double x : p) points.push_back(std::stod(lacon::rounded(x, digits)));
    for (const shape::Triangle& t : shape.mesh->triangles)
        for (const std::uint32_t corner : t) triangles.push_back(corner);
    one["points"] = std::move(points);
    one["triangles"] = std::move(triangles);
    return one;
}

}  // namespace

PageJson items_json(const DerivedModel& details, const Scene& scene) {
    PageJson all = PageJson::array();
    for (const SceneItem& item : scene.items) {
        PageJson one{{"kind", name_of(item.kind)}, {"at", item.places}};
        if (!item.name.empty()) one["name"] = item.name;
        if (!item.color.empty()) one["color"] = item.color;
        if (item.trail) one["trail"] = true;
        if (item.radius) one["radius"] = *item.radius;
        if (item.particle) one["particle"] = true;
        if (item.row) one["constraint"] = details.constraint_names[*item.row];
        if (item.particle) one["coordinates"] = coordinates_of(details, item);
        all.push_back(std::move(one));
    }
    return all;
}

PageJson bodies_json(const DerivedModel& details, const Scene& scene) {
    PageJson all = PageJson::array();
    const Model& model = details.model;
    const std::size_t ground = scene.bodies.size() - model.bodies.size();
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const SceneBody& body = scene.bodies[i];
        PageJson one{{"name", body.name}, {"parent", body.parent}, {"at", body.place},
                     {"R", body.R},       {"center", body.center}, {"shapes", PageJson::array()}};
        if (body.axes != std::array<double, 3>{}) one["axes"] = body.axes;
        if (body.turns) one["axis"] = body.axis;
        for (const SceneShape& shape : body.shapes) one["shapes"].push_back(json_of(shape));
        if (i >= ground && model.coordinates.size() <= largest_listed) {
            std::vector<std::string> names;
            for (const JointStep& step : model.bodies[i - ground].steps)
                for (const std::size_t c : step.coordinates)
                    if (!model.coordinates[c].hidden) names.push_back(details.coordinate_names[c]);
            one["coordinates"] = names;
        }
        all.push_back(std::move(one));
    }
    return all;
}

PageJson traces_json(const DerivedModel& details, const std::vector<Trace>& traces) {
    PageJson all = PageJson::array();
    for (const Trace& trace : traces) {
        PageJson one{{"name", trace.name},   {"constraint", details.constraint_names[trace.row]},
                     {"low", trace.low},     {"unit", trace.unit},
                     {"times", trace.times}, {"frames", trace.frames}};
        if (trace.one_sided) one["oneSided"] = true;
        if (trace.surface) one["triangles"] = trace.triangles;
        all.push_back(std::move(one));
    }
    return all;
}

PageJson events_json(const std::vector<MotionEvent>& events) {
    constexpr std::size_t most = 5000;
    PageJson all = PageJson::array();
    for (const MotionEvent& event : events) {
        if (all.size() == most) break;
        PageJson one{{"t", event.t}, {"kind", event.kind.name()}, {"name", event.name}};
        if (event.kind == EventKind::rank) {
            one["rank"] = {event.rank_before, event.rank_after};
            one["passed"] = event.passed;
            one["constraints"] = event.constraints;
        }
        if (!event.actuator.empty()) one["actuator"] = event.actuator;
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace lacon::page
