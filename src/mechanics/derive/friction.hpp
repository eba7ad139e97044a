// Coulomb friction: the velocity of sliding and the friction force of a constraint (theory 4.5).
#pragma once

#include <vector>

#include "mechanics/derive/shape.hpp"

/// Forces of constraints that are not ideal, as expressions (theory 4.5): friction, and `load(C)`
/// in `nonideal` statements. They depend on the multipliers, which enter as symbols of their own.
namespace lacon::inline mechanics {

/// What `load(C)` and the forces of friction need of a model: symbols for the multipliers and for
/// the directions of sliding.
void add_contact_symbols(Model& model);

/// How many numbers a friction takes behind the parameters.
std::size_t hidden_count(const Model& model, const Friction& friction);

/// A constraint's friction worked out.
struct FrictionForm {
    FrictionPart part;
    Components slip;                       // the velocity of sliding
    std::vector<std::size_t> coordinates;  // on which the force of sliding acts
    std::vector<Expr> force;               // on each of them, against the direction of sliding
};

class FrictionForms {
public:
    FrictionForms(Model& model, const SymbolRoles& roles, Diagnostics& diagnostics);

    /// Nothing where the model has an error there.
    std::optional<FrictionForm> form(const Friction& friction, std::size_t first_direction);
    /// An expression with every `load(C)` written out over the multipliers.
    Expr with_loads(Expr e);

private:
    using Rows = std::vector<Components>;

    Components position_of(std::size_t particle) {
        return model_.forms.expressions(model_.particles[particle].position, model_.graph);
    }
    Expr value_of(std::size_t row) {
        return model_.forms.expression(model_.constraints[row].value, model_.graph);
    }
    std::vector<Expr> symbols(const std::vector<std::size_t>& coordinates,
                              Expr Coordinate::*which) const;
    std::vector<std::size_t> coordinates_of(const std::vector<Expr>& expressions) const;
    Expr dot(std::span<const Expr> x, std::span<const Expr> y);
    Expr norm(std::span<const Expr> x);
    Components row_of(std::size_t row, const std::vector<std::size_t>& coordinates);
    Expr pressing(const FrictionPart& part);
    Expr load(const std::vector<std::size_t>& rows);
    bool slip_of_point(const Friction& friction, FrictionForm& form, Rows& jacobian);
    Components combination(const Components& A, const Rows& jacobian);
    std::optional<Components> normal_within(std::size_t row, const Rows& jacobian,
                                            const std::vector<std::size_t>& coordinates);
    bool slip_across(const Friction& friction, const Rows& normals, FrictionForm& form,
                     Rows& jacobian);
    Components along(const Components& tangent, const Rows& jacobian);
    Components cross(const Components& x, const Components& y);
    Rows tangents(const Rows& normals, FrictionPart& part);
    bool slip_of_particle(const Friction& friction, FrictionForm& form, Rows& jacobian);
    std::vector<std::size_t> rows_of_particle(const Friction& friction,
                                              const std::vector<std::size_t>& coordinates);
    Components normal_of(std::size_t row, const Rows& jacobian,
                         const std::vector<std::size_t>& coordinates);
    std::optional<Components> wire_velocity(const std::vector<std::size_t>& rows,
                                            const Rows& normals, const Components& shift,
                                            Span place);
    void sliding_force(const Rows& jacobian, FrictionForm& form, const Friction& friction);

    Model& model_;
    const SymbolRoles& roles_;
    Diagnostics& diagnostics_;
};

}  // namespace lacon::mechanics
