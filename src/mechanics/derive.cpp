#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "expr/derivative.hpp"
#include "mechanics/friction.hpp"
#include "mechanics/shape.hpp"
#include "mechanics/symbols.hpp"
#include "mechanics/symmetry.hpp"

namespace lacon {

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
          forms_(model, roles_, diagnostics) {}

    void run() {
        check_gravity();
        each(model_.particles, &Dissection::particle);
        energies(model_.kinetic, ElementKind::kinetic, Origin::Kind::kinetic);
        energies(model_.potential, ElementKind::potential, Origin::Kind::potential);
        energies(model_.dissipation, ElementKind::dissipation, Origin::Kind::dissipation);
        each(model_.forces, &Dissection::force);
        each(model_.particle_forces, &Dissection::particle_force);
        check_symmetry(model_, roles_, diagnostics_);
        each(model_.equations, &Dissection::equation);
        each(model_.constraints, &Dissection::constraint);
        each(model_.nonideal, &Dissection::force_of_nonideal);
        each(model_.particle_nonideal, &Dissection::particle_nonideal);
        each(model_.frictions, &Dissection::friction);
    }

private:
    void check_gravity() {
        for (const Expr g : model_.gravity)
            if (roles_.uses(g, {Kind::q, Kind::v, Kind::a}))
                diagnostics_.error(model_.gravity_span, "gravity must not depend on the coordinates",
                                   "write such a field as 'potential' or 'force'");
    }

    template <class Part>
    void each(const std::vector<Part>& parts, void (Dissection::*take)(const Part&, std::uint32_t)) {
        for (std::size_t i = 0; i < parts.size(); ++i) (this->*take)(parts[i], static_cast<std::uint32_t>(i));
    }

    void particle(const Particle& p, std::uint32_t number) {
        const auto refuse = [&](std::string_view where) {
            diagnostics_.error(p.span, fmt::format("particle '{}' has a velocity in its {}", p.name, where));
        };
        for (const Expr x : p.position)
            if (roles_.uses(x, {Kind::v, Kind::a})) return refuse("position");
        if (roles_.uses(p.mass, {Kind::v, Kind::a})) return refuse("mass");

        const bool varying = roles_.uses(p.mass, {Kind::q, Kind::time});
        RawElement element{varying ? ElementKind::varying_particle : ElementKind::particle,
                           p.position,
                           {},
                           2 * p.position.size(),
                           {Origin::Kind::particle, number}};
        element.roots.push_back(p.mass);
        if (!model_.gravity.empty()) {
            element.roots.insert(element.roots.end(), model_.gravity.begin(), model_.gravity.end());
            element.variant += 1;
        }
        store_.add(std::move(element));
    }

    void energies(const std::vector<EnergyTerm>& terms, ElementKind kind, Origin::Kind origin) {
        for (std::size_t i = 0; i < terms.size(); ++i) {
            const Graph::Mark before = model_.graph.mark();
            for (const Expr part : separate_terms(model_.graph, roles_, terms[i].value))
                store_.add({kind, {part}, {}, 0, {origin, static_cast<std::uint32_t>(i)}});
            model_.graph.rollback(before);
        }
    }

    void force(const Force& f, std::uint32_t number) {
        store_.add({ElementKind::force, {f.value}, {f.coordinate}, 0, {Origin::Kind::force, number}});
    }

    void particle_force(const ParticleForce& f, std::uint32_t number) {
        const Particle& p = model_.particles[f.particle];
        RawElement element{
            ElementKind::particle_force, p.position, {}, p.position.size(), {Origin::Kind::particle_force, number}};
        element.roots.insert(element.roots.end(), f.value.begin(), f.value.end());
        store_.add(std::move(element));
    }

    void equation(const EquationRow& e, std::uint32_t number) {
        store_.add({ElementKind::equation, {e.value}, {e.coordinate}, 0, {Origin::Kind::equation, number}});
    }

    void constraint(const ConstraintRow& row, std::uint32_t number) {
        const Graph::Mark before = model_.graph.mark();
        const Expr value = model_.forms.expression(row.value, model_.graph);
        RawElement element{ElementKind::constraint, {value}, {}, 0, {Origin::Kind::constraint, number}};
        element.row = static_cast<std::int32_t>(number);
        for (const auto& gain : {row.damping, row.stiffness}) {
            if (!gain) continue;
            element.roots.push_back(*gain);
            ++element.variant;
        }
        system_.stabilized[number] = element.variant > 0;
        store_.add(std::move(element));
        model_.graph.rollback(before);
    }

    /// What depends on no load is a force like others too.
    void nonideal(std::size_t coordinate, Expr value, Origin origin) {
        const Expr c = forms_.with_loads(value);
        store_.add({ElementKind::nonideal, {c}, {coordinate}, 1, origin});
        if (!roles_.uses(c, {Kind::multiplier})) store_.add({ElementKind::force, {c}, {coordinate}, 0, origin});
    }

    void force_of_nonideal(const Force& c, std::uint32_t number) {
        nonideal(c.coordinate, c.value, {Origin::Kind::nonideal, number});
    }

    void particle_nonideal(const ParticleForce& c, std::uint32_t number) {
        const Components& position = model_.particles[c.particle].position;
        std::set<std::uint32_t> coordinates;
        for (const Expr x : position)
            for (const std::uint32_t j : roles_.coordinates_of(x)) coordinates.insert(j);
        for (const std::uint32_t j : coordinates) {
            std::vector<Arg> terms;
            for (std::size_t d = 0; d < c.value.size(); ++d) {
                const Expr along = derivative(model_.graph, position[d], model_.coordinates[j].q);
                terms.push_back({model_.graph.mul(along, c.value[d]), 1.0});
            }
            const Expr value = model_.graph.sum(terms);
            if (!model_.graph.is_zero(value)) nonideal(j, value, {Origin::Kind::particle_nonideal, number, j});
        }
    }

    void friction(const Friction& f, std::uint32_t number) {
        auto form = forms_.form(f, first_direction_);
        first_direction_ += hidden_count(model_, f);
        if (!form) return;
        const Origin origin{Origin::Kind::friction, number};
        form->part.slip = slip_rows_;
        for (const Expr w : form->slip) {
            RawElement row{ElementKind::constraint, {w}, {}, 0, origin};
            row.row = static_cast<std::int32_t>(model_.constraints.size() + slip_rows_++);
            store_.add(std::move(row));
        }
        RawElement force{ElementKind::nonideal, form->force, form->coordinates, form->force.size(), origin};
        force.friction = static_cast<std::int32_t>(system_.frictions.size());
        store_.add(std::move(force));
        system_.frictions.push_back(std::move(form->part));
    }

    Model& model_;
    System& system_;
    Diagnostics& diagnostics_;
    std::size_t first_direction_ = 0, slip_rows_ = 0;
    SymbolRoles roles_;
    ElementStore store_;
    FrictionForms forms_;
};

}  // namespace

std::optional<System> derive(Model& model, Diagnostics& diagnostics) {
    System system;
    system.t = system.graph.symbol("t");
    system.coordinate_count = model.coordinates.size();
    system.levels.assign(model.constraints.size(), Level::position);
    system.stabilized.assign(model.constraints.size(), false);
    try {
        add_contact_symbols(model);
        Dissection(model, system, diagnostics).run();
    } catch (const GraphFull& full) {
        diagnostics.error({}, fmt::format("the equations of motion are too large: {}", full.what()));
    }
    if (diagnostics.has_errors()) return std::nullopt;
    return system;
}

}  // namespace lacon
