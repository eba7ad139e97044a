// Puts a scene together: what `draw` asks for, particles, bodies, links.
#include "scene/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scene/channels.hpp"

namespace lacon::inline scene {

std::string_view name_of(SceneItem::Kind kind) {
    constexpr std::string_view names[] = {"point", "line", "circle", "spring", "arrow",
                                          "text",  "rod",  "rope",   "floor"};
    return names[static_cast<std::size_t>(kind)];
}

namespace {

SceneItem::Kind kind_of(Drawing::Kind kind) {
    switch (kind) {
        case Drawing::Kind::line: return SceneItem::Kind::line;
        case Drawing::Kind::circle: return SceneItem::Kind::circle;
        case Drawing::Kind::spring: return SceneItem::Kind::spring;
        case Drawing::Kind::arrow: return SceneItem::Kind::arrow;
        case Drawing::Kind::text: return SceneItem::Kind::text;
        case Drawing::Kind::point: break;
    }
    return SceneItem::Kind::point;
}

bool is_planar(const Model& model) {
    const auto in_space = [&](const Particle& p) { return model.dimension_of(p) > 2; };
    return model.gravity.size() < 3 &&
           std::none_of(model.particles.begin(), model.particles.end(), in_space) &&
           std::none_of(model.bodies.begin(), model.bodies.end(),
                        [](const Body& body) { return !body.planar; }) &&
           std::none_of(model.drawings.begin(), model.drawings.end(),
                        [](const Drawing& one) { return one.dimension > 2; });
}

}  // namespace

void SceneMaker::add_drawings() {
    for (const Drawing& drawing : model.drawings) {
        const std::vector<Expr> values = expressions(drawing.value);
        if (!std::all_of(values.begin(), values.end(), [&](Expr e) { return is_known(e); })) {
            scene.left_out.push_back(
                fmt::format("line {} of the model draws what depends on accelerations or forces",
                            model.source.place(drawing.span.begin).line));
            continue;
        }
        SceneItem item;
        item.kind = kind_of(drawing.kind);
        item.name = drawing.name;
        item.color = drawing.color;
        item.trail = drawing.trail;
        std::size_t at = 0;
        for (; at + drawing.dimension <= values.size(); at += drawing.dimension)
            item.places.push_back(
                place(in_space(std::span(values).subspan(at, drawing.dimension))));
        if (drawing.kind == Drawing::Kind::circle) {
            item.places.resize(1);
            item.radius = channel(values.back());
        }
        scene.items.push_back(std::move(item));
    }
}

/// A particle that is drawn already is that item.
void SceneMaker::add_particles() {
    std::map<Spot, std::size_t> drawn;
    for (std::size_t i = 0; i < scene.items.size(); ++i)
        if (scene.items[i].kind == SceneItem::Kind::point)
            drawn.emplace(scene.items[i].places[0], i);
    for (std::size_t i = 0; i < model.particles.size(); ++i) {
        const Particle& particle = model.particles[i];
        const Spot at = place(in_space(expressions(particle.position)));
        const auto found = drawn.find(at);
        if (found != drawn.end()) {
            SceneItem& item = scene.items[found->second];
            item.particle = i;
            item.name = particle.name;
            continue;
        }
        scene.items.push_back(
            {.kind = SceneItem::Kind::point, .name = particle.name, .places = {at}, .particle = i});
    }
}

Scene make_scene(const DerivedModel& details, const PictureNotes& notes) {
    Scene scene;
    scene.graph = details.model.graph;
    SceneMaker maker(details, notes, scene);
    scene.planar = is_planar(details.model);
    for (std::size_t i = 0; i < std::min<std::size_t>(3, details.model.gravity.size()); ++i)
        scene.gravity[i] = maker.number(details.model.gravity[i]);
    maker.add_drawings();
    maker.add_particles();
    maker.add_bodies();
    maker.add_links();
    maker.add_exertions();
    return scene;
}

}  // namespace lacon::scene
