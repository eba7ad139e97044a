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
        : model_(model), system_(system), diagnostics_(diagnostics), roles_(model), store_(model, roles_, system, diagnostics) {}

    void run() {
        check_gravity();
        for (const Particle& p : model_.particles) particle(p);
        energies(model_.kinetic, ElementKind::kinetic, "the kinetic energy");
        energies(model_.potential, ElementKind::potential, "the potential energy");
        energies(model_.dissipation, ElementKind::dissipation, "the dissipation");
        for (const Force& f : model_.forces) force(f);
        for (const ParticleForce& f : model_.particle_forces) particle_force(f);
        check_symmetry(model_, roles_, diagnostics_);
        for (const EquationRow& e : model_.equations) equation(e);
        for (std::size_t row = 0; row < model_.constraints.size(); ++row) constraint(model_.constraints[row], row);
        FrictionForms forms(model_, roles_, diagnostics_);
        for (const Force& c : model_.nonideal) nonideal(forms, c.coordinate, c.value, c.span);
        for (const ParticleForce& c : model_.particle_nonideal) particle_nonideal(forms, c);
        for (const Friction& f : model_.frictions) friction(forms, f);
    }

private:
    void check_gravity() {
        for (const Expr g : model_.gravity)
            if (roles_.uses(g, {Kind::q, Kind::v, Kind::a}))
                diagnostics_.error(model_.gravity_span, "gravity must not depend on the coordinates",
                                   "write such a field as 'potential' or 'force'");
    }

    void particle(const Particle& p) {
        const std::string what = fmt::format("particle '{}'", p.name);
        for (const Expr x : p.position)
            if (roles_.uses(x, {Kind::v, Kind::a})) return diagnostics_.error(p.span, what + " has a velocity in its position");
        if (roles_.uses(p.mass, {Kind::v, Kind::a})) return diagnostics_.error(p.span, what + " has a velocity in its mass");

        const bool varying = roles_.uses(p.mass, {Kind::q, Kind::time});
        RawElement element{varying ? ElementKind::varying_particle : ElementKind::particle,
                           p.position,
                           {},
                           2 * p.position.size(),
                           {what, p.span}};
        element.roots.push_back(p.mass);
        if (!model_.gravity.empty()) {
            element.roots.insert(element.roots.end(), model_.gravity.begin(), model_.gravity.end());
            element.variant += 1;
        }
        store_.add(std::move(element));
    }

    void energies(const std::vector<EnergyTerm>& terms, ElementKind kind, const std::string& what) {
        for (const EnergyTerm& term : terms)
            for (const Expr part : separate_terms(model_.graph, roles_, term.value))
                store_.add({kind, {part}, {}, 0, {what, term.span}});
    }

    void force(const Force& f) {
        const std::string what = fmt::format("the force on '{}'", model_.coordinates[f.coordinate].name);
        store_.add({ElementKind::force, {f.value}, {f.coordinate}, 0, {what, f.span}});
    }

    void particle_force(const ParticleForce& f) {
        const Particle& p = model_.particles[f.particle];
        const std::string what = fmt::format("the force on '{}'", p.name);
        RawElement element{ElementKind::particle_force, p.position, {}, p.position.size(), {what, f.span}};
        element.roots.insert(element.roots.end(), f.value.begin(), f.value.end());
        store_.add(std::move(element));
    }

    void equation(const EquationRow& e) {
        const std::string what = fmt::format("equation '{}'", model_.coordinates[e.coordinate].name);
        store_.add({ElementKind::equation, {e.value}, {e.coordinate}, 0, {what, e.span}});
    }

    void constraint(const ConstraintRow& row, std::size_t number) {
        const auto& required = model_.requirements;  // among the constraints where these are those of a servo
        const bool is_control =
            std::any_of(required.begin(), required.end(), [&](const ConstraintRow& r) { return r.name == row.name; });
        const std::string what = fmt::format("{} '{}'", is_control ? "control" : "constraint", row.name);
        RawElement element{ElementKind::constraint, {row.value}, {}, 0, {what, row.span}};
        element.row = static_cast<std::int32_t>(number);
        for (const auto& gain : {row.damping, row.stiffness}) {
            if (!gain) continue;
            element.roots.push_back(*gain);
            ++element.variant;
        }
        system_.stabilized[number] = element.variant > 0;
        store_.add(std::move(element));
    }

    /// What depends on no load is a force like others too.
    void nonideal(FrictionForms& forms, std::size_t coordinate, Expr value, Span span) {
        const std::string what = fmt::format("the nonideal force on '{}'", model_.coordinates[coordinate].name);
        const Expr c = forms.with_loads(value);
        store_.add({ElementKind::nonideal, {c}, {coordinate}, 1, {what, span}});
        if (!roles_.uses(c, {Kind::multiplier})) store_.add({ElementKind::force, {c}, {coordinate}, 0, {what, span}});
    }

    void particle_nonideal(FrictionForms& forms, const ParticleForce& c) {
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
            if (!model_.graph.is_zero(value)) nonideal(forms, j, value, c.span);
        }
    }

    void friction(FrictionForms& forms, const Friction& f) {
        auto form = forms.form(f, first_direction_);
        first_direction_ += hidden_count(model_, f);
        if (!form) return;
        const std::string what = fmt::format("the friction of constraint '{}'", f.constraint);
        form->part.slip = slip_rows_;
        for (const Expr w : form->slip) {
            RawElement row{ElementKind::constraint, {w}, {}, 0, {what, f.span}};
            row.row = static_cast<std::int32_t>(model_.constraints.size() + slip_rows_++);
            store_.add(std::move(row));
        }
        RawElement force{ElementKind::nonideal, form->force, form->coordinates, form->force.size(), {what, f.span}};
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
