// What joins things: distance constraints are rods, one-sided ones ropes and floors, and potentials
// of a distance springs.
#include <algorithm>
#include <map>
#include <set>

#include "expr/derivative.hpp"
#include "scene/channels.hpp"

namespace lacon::inline scene {

namespace {

using Line = std::pair<Spot, Spot>;

Line ordered(const Spot& a, const Spot& b) {
    return a < b ? Line{a, b} : Line{b, a};
}

/// Adds items, but none where a line of the model already says the same.
class LinkMaker {
public:
    explicit LinkMaker(SceneMaker& maker) : maker_(maker), distances_(maker) {
        for (std::size_t i = 0; i < maker.scene.items.size(); ++i)
            if (const SceneItem& item = maker.scene.items[i]; item.places.size() == 2)
                drawn_.emplace(ordered(item.places[0], item.places[1]), i);
    }

    void constraint(std::size_t number) {
        const ConstraintRow& row = maker_.model.constraints[number];
        if (maker_.details.system.levels[number] != Level::position) return;
        const Expr value = maker_.model.forms.expression(row.value, maker_.graph);
        using Sense = ConstraintRow::Sense;
        if (const auto ends = distances_.ends_of(value)) {
            add_force(row.name, *ends, number);
            if (row.sense == Sense::equal) link(SceneItem::Kind::rod, row.name, *ends, number);
            else if (is_upper_bound(row, value))
                link(SceneItem::Kind::rope, row.name, *ends, number);
        } else if (row.sense == Sense::equal ||
                   !floor(number, row.sense == Sense::at_least ? value : maker_.graph.neg(value))) {
            others.push_back(number);
        }
    }

    /// A row that the text says to be about the distance of two points.
    void span(const SpannedRow& spanned) {
        const std::vector<Expr> parts = maker_.expressions(spanned.ends);
        const std::string& name = maker_.model.constraints[spanned.row].name;
        link(SceneItem::Kind::rod, name,
             {Spatial::vector(parts), Spatial::vector(std::span(parts).subspan(3)), {}},
             spanned.row);
    }

    /// Rows that are neither rods, ropes nor floors.
    std::vector<std::size_t> others;

    void potential(const Formula& formula) {
        const Expr value = maker_.model.forms.expression(formula, maker_.graph);
        if (const auto ends = distances_.ends_of(value))
            link(SceneItem::Kind::spring, "", *ends, {});
    }

private:
    void link(SceneItem::Kind kind, const std::string& name, const Ends& ends,
              std::optional<std::size_t> row) {
        const Spot a = maker_.place(ends.first), b = maker_.place(ends.second);
        const auto [known, is_new] = drawn_.try_emplace(ordered(a, b), maker_.scene.items.size());
        if (!is_new) {
            SceneItem& item = maker_.scene.items[known->second];
            if (!item.row) item.row = row;
            if (item.name.empty()) item.name = name;
            return;
        }
        maker_.scene.items.push_back({.kind = kind, .name = name, .places = {a, b}, .row = row});
    }

    /// Along the distance, at both ends, but not where one is held.
    void add_force(const std::string& name, const Ends& ends, std::size_t row) {
        Spatial space(maker_.graph);
        const Vector3 along = space.sub(ends.first, ends.second);
        const Expr distance = maker_.graph.apply(Op::sqrt, space.dot(along, along));
        const Expr size = maker_.graph.mul(maker_.multiplier(row), ends.slope);
        const Vector3 force = space.scale(maker_.graph.div(size, distance), along);
        for (const auto& [at, own] :
             {std::pair{ends.first, force}, {ends.second, space.neg(force)}})
            if (std::any_of(at.begin(), at.end(),
                            [&](Expr part) { return !maker_.coordinates_of(part).empty(); }))
                maker_.scene.forces.push_back({.name = name,
                                               .rows = {row},
                                               .at = maker_.place(at),
                                               .force = own,
                                               .torque = space.zero()});
    }

    /// Whether the constraint keeps the points together, rather than apart: φ grows with the
    /// distance where φ ≤ 0, and falls where φ ≥ 0. Seen from the sign in front of the distance.
    bool is_upper_bound(const ConstraintRow& row, Expr value) {
        const Graph& g = maker_.graph;
        double sign = row.sense == ConstraintRow::Sense::at_most ? 1.0 : -1.0;
        while (g.op(value) == Op::add) {
            for (const Arg& arg : g.args(value)) {
                if (maker_.coordinates_of(arg.expr).empty()) continue;
                if (arg.k < 0.0) sign = -sign;
                value = arg.expr;
                break;
            }
        }
        return sign > 0.0;
    }

    /// n·P − c ≥ 0 with a direction n that does not move: a particle P above a floor. The floor is
    /// where n·P = c.
    bool floor(std::size_t number, Expr value) {
        Graph& g = maker_.graph;
        const std::vector<std::size_t> moving = maker_.coordinates_of(value);
        if (moving.empty()) return false;
        for (const std::size_t p : distances_.particles_of(moving[0])) {
            if (!particle_coordinates(p, moving)) continue;
            const std::vector<Expr> place = maker_.expressions(maker_.model.particles[p].position);
            Vector3 n = maker_.in_space({});
            Expr along = g.zero(), length = g.zero();
            for (std::size_t i = 0; i < place.size(); ++i) {
                if (maker_.coordinates_of(place[i]).empty()) continue;
                if (!g.is_symbol(place[i])) return false;
                n[i] = derivative(g, value, place[i]);
                if (!maker_.coordinates_of(n[i]).empty()) return false;
                along = g.add(along, g.mul(n[i], place[i]));
                length = g.add(length, g.mul(n[i], n[i]));
            }
            const Expr c = g.div(g.sub(along, value), length);
            if (g.is_zero(length) || !maker_.coordinates_of(c).empty()) return false;
            Spatial space(g);
            const Spot at = maker_.place(space.scale(c, n)), normal = maker_.place(n);
            if (floors_.emplace(at, normal).second)
                maker_.scene.items.push_back({.kind = SceneItem::Kind::floor,
                                              .name = maker_.model.constraints[number].name,
                                              .places = {at, normal},
                                              .row = number});
            return true;
        }
        return false;
    }

    /// Whether a particle has all these coordinates.
    bool particle_coordinates(std::size_t particle, const std::vector<std::size_t>& moving) {
        std::set<std::size_t> own;
        for (const Expr symbol :
             maker_.model.forms.symbols_of(maker_.model.particles[particle].position))
            if (const SymbolRole role = maker_.roles.of(symbol); role.is_coordinate())
                own.insert(role.number);
        return std::all_of(moving.begin(), moving.end(),
                           [&](std::size_t c) { return own.contains(c); });
    }

    SceneMaker& maker_;
    Distances distances_;
    std::map<Line, std::size_t> drawn_;  // items
    std::set<std::pair<Spot, Spot>> floors_;
};

/// How many rows from this one on are those of one vector constraint between points, NAME.x,
/// NAME.y, NAME.z.
std::size_t rows_of_points(const Model& model, std::size_t first) {
    constexpr std::string_view letters = "xyz";
    const std::string& name = model.constraints[first].name;
    if (!name.ends_with(".x")) return 0;
    const std::string stem = name.substr(0, name.size() - 1);
    std::size_t count = 0;
    while (count < letters.size() && first + count < model.constraints.size() &&
           model.constraints[first + count].right &&
           model.constraints[first + count].name == stem + letters[count])
        ++count;
    return count;
}

}  // namespace

void SceneMaker::add_links() {
    LinkMaker maker(*this);
    for (std::size_t i = 0; i < model.constraints.size(); ++i) {
        maker.constraint(i);
        const std::size_t rows = rows_of_points(model, i);
        if (rows < 2 || details.system.levels[i] != Level::position) continue;
        std::vector<Expr> left;
        for (std::size_t k = i; k < i + rows; ++k)
            left.push_back(graph.add(model.forms.expression(model.constraints[k].value, graph),
                                     model.forms.expression(*model.constraints[k].right, graph)));
        Vector3 force = in_space({});
        SceneForce made{
            .name = model.constraints[i].name.substr(0, model.constraints[i].name.size() - 2),
            .at = place(in_space(left)),
            .torque = force};
        for (std::size_t k = 0; k < rows; ++k) {
            made.rows.push_back(i + k);
            force[k] = multiplier(i + k);
        }
        made.force = force;
        scene.forces.push_back(std::move(made));
    }
    for (const SpannedRow& spanned : notes.spans) maker.span(spanned);
    for (const EnergyTerm& term : model.potential) maker.potential(term.value);
    // Joints and contacts of bodies hold no point by themselves.
    std::set<std::size_t> of_bodies;
    for (const Joint& joint : model.joints) of_bodies.insert(joint.rows.begin(), joint.rows.end());
    for (const Exertion& one : notes.exertions) of_bodies.insert(one.rows.begin(), one.rows.end());
    std::erase_if(maker.others, [&](std::size_t row) { return of_bodies.contains(row); });
    if (model.bodies.empty() || !notes.exertions.empty()) add_traces(maker.others);
}

}  // namespace lacon::scene
