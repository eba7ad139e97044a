// Cuts a model into elements and has each shape derived once (derive_shape.cpp). Parts that are
// alike reuse the elements of the first one. Also checks gravity and the symmetry of M.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <type_traits>

#include "expr/derivative.hpp"
#include "expr/traverse.hpp"
#include "mechanics/derive/friction.hpp"
#include "mechanics/derive/repeated.hpp"
#include "mechanics/derive/shape.hpp"
#include "mechanics/derive/symmetry.hpp"
#include "mechanics/derive/tree.hpp"
#include "mechanics/system/symbols.hpp"
#include "model/terms.hpp"

namespace lacon::inline mechanics {

namespace {

using Kind = SymbolRole::Kind;

/// Cuts a model into its elements.
class Dissection {
public:
    Dissection(Model& model, System& system, Diagnostics& diagnostics)
        : model_(model),
          system_(system),
          diagnostics_(diagnostics),
          roles_(model),
          store_(model, roles_, system, diagnostics),
          forms_(model, roles_, diagnostics),
          repeated_(model, roles_, system),
          gravity_symbols_(symbols_in(model.graph, model.gravity)) {}

    void run() {
        check_gravity();
        each_once(model_.particles, Origin::Kind::particle, &Dissection::particle);
        trees();
        each_once(model_.kinetic, Origin::Kind::kinetic, &Dissection::energy<ElementKind::kinetic>);
        each_once(model_.potential, Origin::Kind::potential,
                  &Dissection::energy<ElementKind::potential>);
        each_once(model_.dissipation, Origin::Kind::dissipation,
                  &Dissection::energy<ElementKind::dissipation>);
        each_once(model_.forces, Origin::Kind::force, &Dissection::force);
        each_once(model_.particle_forces, Origin::Kind::particle_force,
                  &Dissection::particle_force);
        each_once(model_.body_forces, Origin::Kind::body_force, &Dissection::body_force);
        each_once(model_.torques, Origin::Kind::torque, &Dissection::torque);
        check_symmetry(model_, roles_, diagnostics_);
        each_once(model_.equations, Origin::Kind::equation, &Dissection::equation);
        each_once(model_.constraints, Origin::Kind::constraint, &Dissection::constraint);
        each(model_.nonideal, Origin::Kind::nonideal, &Dissection::force_of_nonideal);
        each(model_.particle_nonideal, Origin::Kind::particle_nonideal,
             &Dissection::particle_nonideal);
        each(model_.frictions, Origin::Kind::friction, &Dissection::friction);
        each(model_.dry_frictions, Origin::Kind::dry_friction, &Dissection::dry_friction);
    }

    /// Constraints from this one on, behind what was derived before.
    void run_rows(std::size_t first) {
        each_once(model_.constraints, Origin::Kind::constraint, &Dissection::constraint, first);
    }

private:
    void check_gravity() {
        for (const Expr g : model_.gravity)
            if (roles_.uses(g, {Kind::q, Kind::v, Kind::a}))
                diagnostics_.error(model_.gravity_span,
                                   "gravity must not depend on the coordinates",
                                   "write such a field as 'potential' or 'force'");
    }

    template <class Part>
    using Take = void (Dissection::*)(const Part&, Origin);

    /// Forgets the expressions of each part, but those that frictions keep.
    template <class Part>
    void each(const std::vector<Part>& parts, Origin::Kind kind, Take<Part> take) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const Graph::Mark before = model_.graph.mark();
            (this->*take)(parts[i], {kind, static_cast<std::uint32_t>(i)});
            if constexpr (!std::is_same_v<Part, Friction> && !std::is_same_v<Part, DryFriction>)
                model_.graph.rollback(before);
        }
    }

    /// The same, of parts that are alike only the first one is taken.
    template <class Part>
    void each_once(const std::vector<Part>& parts, Origin::Kind kind, Take<Part> take,
                   std::size_t first = 0) {
        for (std::size_t i = first; i < parts.size(); ++i) {
            const Origin origin{kind, static_cast<std::uint32_t>(i)};
            const std::int32_t row =
                std::is_same_v<Part, ConstraintRow> ? static_cast<std::int32_t>(i) : -1;
            const auto outlined = outline(parts[i]);
            if (outlined && repeated_.add(*outlined, origin, row)) continue;
            const std::size_t errors = diagnostics_.error_count();
            const Graph::Mark before = model_.graph.mark();
            (this->*take)(parts[i], origin);
            model_.graph.rollback(before);
            if (outlined && diagnostics_.error_count() == errors) repeated_.learn();
        }
    }

    using Outlined = std::optional<Outline>;
    Outlined outline(const Particle& p) const {
        return Outline{{p.position, p.mass}, 2, {}, gravity_symbols_};
    }
    Outlined outline(const EnergyTerm& term) const { return Outline{{term.value}, 1}; }
    Outlined outline(const Force& f) const { return Outline{{f.value}, 1, f.coordinate}; }
    Outlined outline(const ParticleForce& f) const {
        return Outline{{model_.particles[f.particle].position, f.value}, 2};
    }
    Outlined outline(const BodyForce& f) const { return Outline{{f.place, f.value}, 2}; }
    Outlined outline(const Torque& t) const { return Outline{{t.omega, t.value}, 2}; }
    Outlined outline(const EquationRow& e) const { return Outline{{e.value}, 1, e.coordinate}; }
    Outlined outline(const ConstraintRow& row) const {
        return row.damping || row.stiffness ? std::nullopt : Outlined(Outline{{row.value}, 1});
    }

    Expr expression(const Formula& formula) {
        return model_.forms.expression(formula, model_.graph);
    }
    std::vector<Expr> expressions(const Formula& formula) {
        return model_.forms.expressions(formula, model_.graph);
    }

    void particle(const Particle& p, Origin origin) {
        const auto refuse = [&](std::string_view where) {
            diagnostics_.error(
                p.span, fmt::format("particle '{}' has a velocity in its {}", p.name, where));
        };
        std::vector<Expr> roots = expressions(p.position);
        const Expr mass = expression(p.mass);
        for (const Expr x : roots)
            if (roles_.uses(x, {Kind::v, Kind::a})) return refuse("position");
        if (roles_.uses(mass, {Kind::v, Kind::a})) return refuse("mass");

        const std::size_t dimension = roots.size();
        const bool varying = roles_.uses(mass, {Kind::q, Kind::time});
        RawElement element{varying ? ElementKind::varying_particle : ElementKind::particle,
                           std::move(roots),
                           {},
                           2 * dimension,
                           origin};
        element.roots.push_back(mass);
        if (!model_.gravity.empty()) {
            element.roots.insert(element.roots.end(), model_.gravity.begin(), model_.gravity.end());
            element.variant += 1;
        }
        store_.add(std::move(element));
    }

    template <ElementKind kind>
    void energy(const EnergyTerm& term, Origin origin) {
        const auto coordinates_of = [&](Expr e) { return roles_.coordinates_of(e); };
        for (const Expr part : separate_terms(model_.graph, expression(term.value), coordinates_of))
            store_.add({kind, {part}, {}, 0, origin});
    }

    void force(const Force& f, Origin origin) {
        store_.add({ElementKind::force, {expression(f.value)}, {f.coordinate}, 0, origin});
    }

    void particle_force(const ParticleForce& f, Origin origin) {
        std::vector<Expr> roots = expressions(model_.particles[f.particle].position);
        const std::size_t dimension = roots.size();
        const std::vector<Expr> value = expressions(f.value);
        roots.insert(roots.end(), value.begin(), value.end());
        store_.add({ElementKind::particle_force, std::move(roots), {}, dimension, origin});
    }

    void body_force(const BodyForce& f, Origin origin) {
        put_pair(ElementKind::particle_force, f.place, f.value, origin);
    }
    void torque(const Torque& t, Origin origin) {
        put_pair(ElementKind::torque, t.omega, t.value, origin);
    }
    void put_pair(ElementKind kind, const Formula& where, const Formula& value, Origin origin) {
        std::vector<Expr> roots = expressions(where);
        const std::size_t dimension = roots.size();
        const std::vector<Expr> components = expressions(value);
        roots.insert(roots.end(), components.begin(), components.end());
        store_.add({kind, std::move(roots), {}, dimension, origin});
    }

    /// Bodies that hang together are one element.
    void trees() {
        std::vector<TreeStructure> structures;
        for (Tree& tree : trees_of(model_)) {
            const Graph::Mark before = model_.graph.mark();
            const auto known = std::find(structures.begin(), structures.end(), tree.structure);
            const auto number = static_cast<std::size_t>(known - structures.begin());
            std::size_t first = 0;
            while (tree.structure.branches[first].rests) ++first;
            RawElement element{
                ElementKind::tree,
                {},
                tree.coordinates,
                number,
                {Origin::Kind::tree, static_cast<std::uint32_t>(tree.bodies[first])}};
            for (const std::size_t body : tree.bodies) {
                const std::vector<Expr> own = expressions(model_.bodies[body].constants);
                element.roots.insert(element.roots.end(), own.begin(), own.end());
            }
            element.roots.insert(element.roots.end(), model_.gravity.begin(), model_.gravity.end());
            element.tree = &tree.structure;
            store_.add(element);
            model_.graph.rollback(before);
            if (known == structures.end()) structures.push_back(std::move(tree.structure));
        }
    }

    void equation(const EquationRow& e, Origin origin) {
        store_.add({ElementKind::equation, {expression(e.value)}, {e.coordinate}, 0, origin});
    }

    void constraint(const ConstraintRow& row, Origin origin) {
        RawElement element{ElementKind::constraint, {expression(row.value)}, {}, 0, origin};
        element.row = static_cast<std::int32_t>(origin.number);
        for (const auto& gain : {row.damping, row.stiffness}) {
            if (!gain) continue;
            element.roots.push_back(*gain);
            ++element.variant;
        }
        system_.stabilized[origin.number] = element.variant > 0;
        store_.add(std::move(element));
    }

    /// What depends on no load is a force like others too.
    void nonideal(std::size_t coordinate, Expr value, Origin origin) {
        const Expr c = forms_.with_loads(value);
        store_.add({ElementKind::nonideal, {c}, {coordinate}, 1, origin});
        if (!roles_.uses(c, {Kind::multiplier}))
            store_.add({ElementKind::force, {c}, {coordinate}, 0, origin});
    }

    void force_of_nonideal(const Force& c, Origin origin) {
        nonideal(c.coordinate, expression(c.value), origin);
    }

    void particle_nonideal(const ParticleForce& c, Origin origin) {
        const Components position = expressions(model_.particles[c.particle].position),
                         force = expressions(c.value);
        std::set<std::size_t> coordinates;
        for (const Expr x : position)
            for (const std::size_t j : roles_.coordinates_of(x)) coordinates.insert(j);
        for (const std::size_t j : coordinates) {
            std::vector<Arg> terms;
            for (std::size_t d = 0; d < force.size(); ++d) {
                const Expr along = derivative(model_.graph, position[d], model_.coordinates[j].q);
                terms.push_back({model_.graph.mul(along, force[d]), 1.0});
            }
            const Expr value = model_.graph.sum(terms);
            origin.coordinate = static_cast<std::uint32_t>(j);
            if (!model_.graph.is_zero(value)) nonideal(j, value, origin);
        }
    }

    void friction(const Friction& f, Origin origin) {
        auto form = forms_.form(f, first_direction_);
        first_direction_ += hidden_count(model_, f);
        if (!form) return;
        form->part.slip = slip_rows_;
        for (const Expr w : form->slip) {
            RawElement row{ElementKind::constraint, {w}, {}, 0, origin};
            row.row = static_cast<std::int32_t>(model_.constraints.size() + slip_rows_++);
            store_.add(std::move(row));
        }
        RawElement force{ElementKind::nonideal, form->force, form->coordinates, form->force.size(),
                         origin};
        force.friction = static_cast<std::int32_t>(system_.frictions.size());
        store_.add(std::move(force));
        system_.frictions.push_back(std::move(form->part));
    }

    /// Slips with the velocity of its coordinate; slides with −F d, d = ±1 given from outside.
    void dry_friction(const DryFriction& f, Origin origin) {
        FrictionPart part;
        part.name = f.name;
        part.fixed = true;
        part.coordinate = f.coordinate;
        part.kinetic = expression(f.bound);
        part.at_rest = f.at_rest ? expression(*f.at_rest) : part.kinetic;
        part.direction = model_.parameters.size() + first_direction_;
        part.slip = slip_rows_;
        part.slip_count = 1;
        part.span = f.span;
        RawElement slip{
            ElementKind::constraint, {model_.coordinates[f.coordinate].v}, {}, 0, origin};
        slip.row = static_cast<std::int32_t>(model_.constraints.size() + slip_rows_++);
        store_.add(std::move(slip));
        // One of parameters alone is not negative (checked where they get their values).
        const auto varies = [&](Expr e) { return roles_.uses(e, {Kind::q, Kind::v, Kind::time}); };
        const auto larger = [&](Expr low, Expr e) {
            return varies(low) || varies(e) ? model_.graph.apply(Op::max, low, e) : e;
        };
        const Expr bound = larger(model_.graph.zero(), part.kinetic);
        const Expr at_rest = f.at_rest ? larger(bound, part.at_rest) : bound;
        const Expr value =
            model_.graph.neg(model_.graph.mul(bound, model_.directions[first_direction_++]));
        const auto add = [&](ElementKind kind, Expr root, RawElement::Dry what) {
            RawElement element{kind, {root}, {f.coordinate}, 0, origin};
            element.friction = static_cast<std::int32_t>(system_.frictions.size());
            element.dry = what;
            store_.add(std::move(element));
        };
        add(ElementKind::force, value, RawElement::Dry::force);
        add(ElementKind::nonideal, value, RawElement::Dry::nonideal);
        add(ElementKind::nonideal, at_rest, RawElement::Dry::bound);
        system_.frictions.push_back(std::move(part));
    }

    Model& model_;
    System& system_;
    Diagnostics& diagnostics_;
    std::size_t first_direction_ = 0, slip_rows_ = 0;
    SymbolRoles roles_;
    ElementStore store_;
    FrictionForms forms_;
    RepeatedParts repeated_;
    const std::vector<Expr> gravity_symbols_;
};

}  // namespace

namespace {

/// What is left without friction: neither its forces, nor its rows of slip, nor their shapes.
System without_friction(System system) {
    system.frictions.clear();
    for (auto* list : {&system.dry_forces, &system.dry_nonideal, &system.dry_bounds}) list->clear();
    system.slip_elements.clear();
    std::erase_if(system.nonideal, [](const NonidealElement& e) { return e.friction >= 0; });
    constexpr auto unused = ~std::uint32_t{0};
    std::vector<std::uint32_t> place(system.shapes.size(), unused);
    std::vector<Shape> shapes;
    const auto keep = [&](Element& element) {
        std::uint32_t& at = place[element.shape];
        if (at == unused) {
            at = static_cast<std::uint32_t>(shapes.size());
            shapes.push_back(std::move(system.shapes[element.shape]));
        }
        element.shape = at;
    };
    for (Element& element : system.elements) keep(element);
    for (NonidealElement& element : system.nonideal) keep(element.element);
    system.shapes = std::move(shapes);
    return system;
}

/// What `fill` puts into a system; nothing where it finds errors.
template <class Fill>
std::optional<System> filled(System system, Diagnostics& diagnostics, const Fill& fill) {
    try {
        fill(system);
    } catch (const GraphFull& full) {
        diagnostics.error({},
                          fmt::format("the equations of motion are too large: {}", full.what()));
    }
    if (diagnostics.has_errors()) return std::nullopt;
    system.elements.shrink_to_fit();
    system.leaves.shrink_to_fit();
    system.origins.shrink_to_fit();
    system.constants.shrink_to_fit();
    return system;
}

}  // namespace

std::optional<System> derive(Model& model, Diagnostics& diagnostics) {
    System system;
    system.t = system.graph.symbol("t");
    system.coordinate_count = model.coordinates.size();
    system.levels.assign(model.constraints.size(), Level::position);
    system.stabilized.assign(model.constraints.size(), false);
    return filled(std::move(system), diagnostics, [&](System& to) {
        add_contact_symbols(model);
        Dissection(model, to, diagnostics).run();
    });
}

std::optional<System> derive_more_rows(const System& known, Model& model,
                                       Diagnostics& diagnostics) {
    const std::size_t first = known.row_count(), m = model.constraints.size();
    System system = known.frictions.empty() ? known : without_friction(known);
    system.levels.resize(m, Level::position);
    system.stabilized.resize(m, false);
    return filled(std::move(system), diagnostics,
                  [&](System& to) { Dissection(model, to, diagnostics).run_rows(first); });
}

}  // namespace lacon::mechanics
