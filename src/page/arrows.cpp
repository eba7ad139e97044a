// The force of a constraint on a particle whose place has coordinates as components is its
// generalized force on them. Friction of shapes is told by its generalized force alone: W^T τ with
// the slip W q', from which τ across the normal follows.
#include "page/arrows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "expr/derivative.hpp"
#include "expr/traverse.hpp"

namespace lacon::inline page {

namespace {

constexpr std::size_t most_arrows = 2000;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t wrench = 6;  // numbers of a force and a torque

bool is_one_sided(const Model& model, std::size_t row) {
    return model.constraints[row].sense != ConstraintRow::Sense::equal;
}

}  // namespace

Arrows::Arrows(const DerivedModel& details, const Scene& scene)
    : details_(details), model_(details.model), scene_(scene), roles_(model_) {
    find_constraints();
    find_controls();
    // The scene's expressions are of a graph of their own, and slips of the model's, which it is a
    // copy of.
    Graph graph = scene.graph;
    std::vector<Expr> roots;
    for (const SceneForce& force : scene.forces) {
        roots.insert(roots.end(), force.force.begin(), force.force.end());
        roots.insert(roots.end(), force.torque.begin(), force.torque.end());
    }
    for (const SceneForce& force : scene.forces) {
        rubbing_.emplace_back();
        for (const Friction& friction : model_.frictions) {
            if (!force.noted || friction.rows != force.rows || friction.normal.empty()) continue;
            Rubbing made{roots.size(), {}, 0};
            for (const Expr part : friction.slip)
                for (const std::size_t c : roles_.coordinates_of(part))
                    made.coordinates.push_back(c);
            std::sort(made.coordinates.begin(), made.coordinates.end());
            made.coordinates.erase(std::unique(made.coordinates.begin(), made.coordinates.end()),
                                   made.coordinates.end());
            const auto component_of = [&](const Components& v, std::size_t i) {
                return i < v.size() ? v[i] : graph.zero();
            };
            for (std::size_t i = 0; i < 3; ++i)
                for (const std::size_t c : made.coordinates)
                    roots.push_back(
                        derivative(graph, component_of(friction.slip, i), model_.coordinates[c].v));
            made.normal = roots.size();
            for (std::size_t i = 0; i < 3; ++i) roots.push_back(component_of(friction.normal, i));
            rubbing_.back() = std::move(made);
        }
    }
    const std::vector<Expr> symbols = symbols_in(graph, roots);
    for (const Expr symbol : symbols) {
        Input input;
        for (const auto& [own, row] : scene.multipliers)
            if (own == symbol) input = {true, row, {}};
        if (!input.is_multiplier) input.role = roles_.of(symbol);
        inputs_.push_back(input);
    }
    program_ = Program(graph, symbols, roots);
    slots_.resize(program_.slot_count());
    values_.resize(roots.size());
}

/// NAME.x and NAME.y belong to NAME.
std::vector<Arrows::Group> Arrows::groups() const {
    std::vector<Group> all;
    for (std::size_t i = 0; i < model_.constraints.size(); ++i) {
        const std::string& name = model_.constraints[i].name;
        const bool is_part = name.size() > 2 && name[name.size() - 2] == '.';
        const std::string stem = is_part ? name.substr(0, name.size() - 2) : name;
        if (!is_part || all.empty() || all.back().name != stem) all.push_back({stem, {}});
        all.back().rows.push_back(i);
    }
    return all;
}

std::optional<Arrows::Target> Arrows::target(const Spot& at) const {
    Target result{at, {}};
    bool any = false;
    for (std::size_t i = 0; i < 3; ++i) {
        const Expr part = scene_.channels[at[i]];
        if (!scene_.graph.is_symbol(part)) continue;
        const SymbolRole role = roles_.of(part);
        if (role.kind != SymbolRole::Kind::q) continue;
        result.coordinates[i] = role.number;
        any = true;
    }
    return any ? std::optional(result) : std::nullopt;
}

std::vector<Arrows::Target> Arrows::particles() const {
    std::vector<Target> all;
    for (const SceneItem& item : scene_.items)
        if (item.particle)
            if (const auto one = target(item.places[0])) all.push_back(*one);
    return all;
}

std::vector<Arrows::Target> Arrows::bodies() const {
    std::vector<Target> all;
    for (const SceneBody& body : scene_.bodies)
        if (const auto one = target(body.place)) all.push_back(*one);
    return all;
}

std::vector<std::size_t> Arrows::coordinates_of(const std::vector<std::size_t>& rows) const {
    std::vector<std::size_t> result;
    for (const std::size_t r : rows)
        for (const Expr symbol : model_.forms.symbols_of(model_.constraints[r].value))
            if (const SymbolRole role = roles_.of(symbol); role.is_coordinate())
                result.push_back(role.number);
    return result;
}

void Arrows::find_constraints() {
    std::set<std::size_t> covered;  // rows
    for (std::size_t i = 0; i < scene_.forces.size(); ++i) {
        if (!scene_.forces[i].noted) continue;
        add_scene_force(i);
        covered.insert(scene_.forces[i].rows.begin(), scene_.forces[i].rows.end());
    }
    const std::vector<Target> on_particles = particles(), on_bodies = bodies();
    for (const Group& group : groups()) {
        if (covered.contains(group.rows[0])) continue;
        const char* kind = is_one_sided(model_, group.rows[0]) ? "contact" : "constraint";
        const ForceArrow arrow{group.name, kind, false, {}, 0};
        const Source source{{}, {}, group.rows, {}};
        const std::vector<std::size_t> coordinates = coordinates_of(group.rows);
        if (add_on(on_particles, arrow, source, coordinates)) continue;
        bool between = false;
        for (std::size_t i = 0; i < scene_.forces.size(); ++i) {
            const SceneForce& force = scene_.forces[i];
            if (force.noted || force.rows.empty() || force.rows[0] != group.rows[0]) continue;
            add_scene_force(i);
            between = true;
        }
        if (!between) add_on(on_bodies, arrow, source, coordinates);
    }
}

void Arrows::find_controls() {
    std::vector<Target> targets = particles();
    for (const Target& body : bodies()) targets.push_back(body);
    for (std::size_t i = 0; i < model_.controls.size(); ++i) {
        std::vector<std::size_t> coordinates;
        for (const std::size_t k : model_.controls[i].actuators)
            for (const Actuator::Part& part : model_.actuators[k].direction)
                coordinates.push_back(part.coordinate);
        add_on(targets, {model_.controls[i].name, "control", false, {}, 0}, {{}, i, {}, {}},
               coordinates);
    }
}

/// On each place that has one of the coordinates; says whether there is one.
bool Arrows::add_on(const std::vector<Target>& targets, const ForceArrow& arrow,
                    const Source& source, const std::vector<std::size_t>& coordinates) {
    const std::set<std::size_t> wanted(coordinates.begin(), coordinates.end());
    bool any = false;
    for (const Target& target : targets) {
        const bool is_on = std::any_of(
            target.coordinates.begin(), target.coordinates.end(),
            [&](const std::optional<std::size_t>& c) { return c && wanted.contains(*c); });
        if (!is_on) continue;
        ForceArrow own = arrow;
        own.at = target.at;
        Source from = source;
        from.coordinates = target.coordinates;
        add(std::move(own), std::move(from));
        any = true;
    }
    return any;
}

void Arrows::add_scene_force(std::size_t number) {
    const SceneForce& force = scene_.forces[number];
    const bool touches =
        force.kind == SceneForce::Kind::contact ||
        (!force.rows.empty() && !force.noted && is_one_sided(model_, force.rows[0]));
    const auto has = [&](const Vector3& v) {
        return std::any_of(v.begin(), v.end(), [&](Expr e) { return !scene_.graph.is_zero(e); });
    };
    for (const bool turns : {false, true})
        if (has(turns ? force.torque : force.force))
            add({force.name, touches ? "contact" : "constraint", turns, force.at, 0},
                {number, {}, {}, {}});
}

void Arrows::add(ForceArrow arrow, Source source) {
    if (sources_.size() >= most_arrows) return;
    arrow.first = columns.size();
    columns.resize(columns.size() + 3);
    arrows.push_back(std::move(arrow));
    sources_.push_back(std::move(source));
}

// ---- at a state

void Arrows::take(const Evaluation& at) {
    evaluate_scene(at);
    for (std::size_t k = 0; k < sources_.size(); ++k) {
        const Source& source = sources_[k];
        Force force{};
        if (source.scene_force) {
            const std::size_t first = wrench * *source.scene_force + (arrows[k].turns ? 3 : 0);
            std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(first), 3, force.begin());
            if (!arrows[k].turns && rubbing_[*source.scene_force]) {
                const Force friction = friction_of(*source.scene_force, at);
                for (std::size_t i = 0; i < 3; ++i) force[i] += friction[i];
            }
        } else {
            for (std::size_t i = 0; i < 3; ++i) force[i] = component(source, i, at);
        }
        for (std::size_t i = 0; i < 3; ++i)
            columns[3 * k + i].push_back(static_cast<float>(force[i]));
    }
}

/// NaN for multipliers where there is no answer.
void Arrows::evaluate_scene(const Evaluation& at) {
    numbers_.clear();
    for (const Input& input : inputs_) {
        if (!input.is_multiplier) numbers_.push_back(value_of(input.role, details_, at.state));
        else
            numbers_.push_back(
                input.row < at.constraints.size() ? at.constraints[input.row].multiplier : nan);
    }
    program_.run<double>(numbers_, slots_, values_);
}

/// τ = T y along the tangents T, with (T W)(T W)^T y = T W f; of rows that depend the shortest y.
Arrows::Force Arrows::friction_of(std::size_t scene_force, const Evaluation& at) const {
    const Rubbing& rubs = *rubbing_[scene_force];
    const std::size_t row = scene_.forces[scene_force].rows[0];
    if (row >= at.constraints.size() || at.constraints[row].friction_force.empty()) return {};
    const std::vector<double>& generalized = at.constraints[row].friction_force;
    const double* const n = values_.data() + rubs.normal;
    // Across the normal: n × the axis that is farthest from it, and n × that.
    const std::size_t far = static_cast<std::size_t>(
        std::min_element(n, n + 3, [](double a, double b) { return std::abs(a) < std::abs(b); }) -
        n);
    Force axis{}, t1, t2;
    axis[far] = 1.0;
    const auto cross = [](const double* a, const double* b) {
        return Force{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                     a[0] * b[1] - a[1] * b[0]};
    };
    t1 = cross(n, axis.data());
    const double length = std::hypot(t1[0], t1[1], t1[2]);
    for (double& x : t1) x /= length;
    t2 = cross(n, t1.data());
    double a = 0.0, b = 0.0, c = 0.0, u = 0.0, w = 0.0;  // (a b; b c) y = (u, w)
    for (std::size_t k = 0; k < rubs.coordinates.size(); ++k) {
        double g1 = 0.0, g2 = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
            const double slope = values_[rubs.first + i * rubs.coordinates.size() + k];
            g1 += t1[i] * slope;
            g2 += t2[i] * slope;
        }
        const double f = generalized[rubs.coordinates[k]];
        a += g1 * g1;
        b += g1 * g2;
        c += g2 * g2;
        u += g1 * f;
        w += g2 * f;
    }
    const double trace = a + c, det = a * c - b * b;
    if (!(trace > 0.0)) return {};
    constexpr double dependent = 1e-12;  // squares of rounding errors
    const bool full = det > dependent * trace * trace;
    const double y1 = full ? (c * u - b * w) / det : u / trace;
    const double y2 = full ? (a * w - b * u) / det : w / trace;
    Force tau{};
    for (std::size_t i = 0; i < 3; ++i) tau[i] = y1 * t1[i] + y2 * t2[i];
    return tau;
}

double Arrows::component(const Source& source, std::size_t i, const Evaluation& at) const {
    const bool is_known = source.control ? *source.control < at.controls.size()
                                         : source.rows.back() < at.constraints.size();
    if (!is_known) return nan;
    if (!source.coordinates[i]) return 0.0;
    const std::size_t coordinate = *source.coordinates[i];
    const auto part = [&](const std::vector<double>& force, double otherwise) {
        return coordinate < force.size() ? force[coordinate] : otherwise;
    };
    if (source.control) return part(at.controls[*source.control].force, nan);
    double sum = 0.0;
    for (const std::size_t r : source.rows)
        sum += part(at.constraints[r].force, nan) + part(at.constraints[r].friction_force, 0.0);
    return sum;
}

}  // namespace lacon::page
