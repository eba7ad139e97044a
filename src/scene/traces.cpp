// Constraints that hold one point on a curve or surface. They are known by their coordinates: all
// of them are components of the place of one point that is drawn.
#include <algorithm>
#include <map>

#include "scene/channels.hpp"

namespace lacon::inline scene {

namespace {

/// Finds the point that a constraint is about.
class Carriers {
public:
    explicit Carriers(SceneMaker& maker) : maker_(maker) {
        for (const SceneItem& item : maker.scene.items)
            if (item.kind == SceneItem::Kind::point) add(item.places[0]);
        for (const SceneBody& body : maker.scene.bodies) add(body.place);
    }

    struct Carrier {
        Spot place{};
        std::array<std::optional<std::size_t>, 3> coordinates;
        std::size_t moving() const {
            return static_cast<std::size_t>(
                std::count_if(coordinates.begin(), coordinates.end(),
                              [](const auto& c) { return c.has_value(); }));
        }
    };
    /// None where it uses others, velocities, or a rate.
    const Carrier* of(Expr value) const {
        const std::vector<std::size_t> used = maker_.coordinates_of(value);
        for (const Expr symbol : symbols_in(maker_.graph, {&value, 1}))
            if (maker_.roles.of(symbol).kind == SymbolRole::Kind::v) return nullptr;
        for (const Carrier& one : all_)
            if (std::all_of(used.begin(), used.end(), [&](std::size_t c) {
                    return std::find(one.coordinates.begin(), one.coordinates.end(), c) !=
                           one.coordinates.end();
                }))
                return &one;
        return nullptr;
    }

private:
    /// Of components that are coordinates, or rest.
    void add(const Spot& place) {
        Carrier made{place, {}};
        for (std::size_t i = 0; i < 3; ++i) {
            const Expr part = maker_.scene.channels[place[i]];
            if (maker_.coordinates_of(part).empty()) continue;
            if (!maker_.graph.is_symbol(part)) return;
            const SymbolRole role = maker_.roles.of(part);
            if (role.kind != SymbolRole::Kind::q) return;
            made.coordinates[i] = role.number;
        }
        if (made.moving() > 1) all_.push_back(made);
    }

    SceneMaker& maker_;
    std::vector<Carrier> all_;
};

}  // namespace

void SceneMaker::add_traces(std::span<const std::size_t> rows) {
    const Carriers carriers(*this);
    std::map<const Carriers::Carrier*, std::size_t> held;  // traces of equations
    for (const std::size_t row : rows) {
        const ConstraintRow& one = model.constraints[row];
        const Expr value = model.forms.expression(one.value, graph);
        if (coordinates_of(value).empty()) continue;
        const Carriers::Carrier* const carrier = carriers.of(value);
        if (carrier == nullptr) continue;
        using Sense = ConstraintRow::Sense;
        const bool one_sided = one.sense != Sense::equal;
        const Expr allowed = one.sense == Sense::at_most ? graph.neg(value) : value;
        const auto known = held.find(carrier);
        if (!one_sided && known != held.end()) {
            scene.traces[known->second].values.push_back(allowed);
            continue;
        }
        if (!one_sided) held.emplace(carrier, scene.traces.size());
        scene.traces.push_back(
            {one.name, row, one_sided, carrier->place, carrier->coordinates, {allowed}});
    }
    // As many equations as components leave points.
    std::erase_if(scene.traces, [](const SceneTrace& trace) { return trace.freedom() == 0; });
}

}  // namespace lacon::scene
