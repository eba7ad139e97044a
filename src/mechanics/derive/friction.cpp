// Friction of a particle: with its position p(q,t), J = ∂p/∂q and a constraint's row A = gᵀ J, g =
// (J Jᵀ)⁻¹ J Aᵀ is the direction in which the constraint pushes the particle. The velocity of
// sliding is p' less the velocity of the wire or surface: the least one with g·u = −(∂φ/∂t −
// g·∂p/∂t) for all constraints of the particle.
#include "mechanics/derive/friction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "expr/derivative.hpp"
#include "expr/traverse.hpp"
#include "mechanics/derive/identity.hpp"

namespace lacon::inline mechanics {

namespace {

using Kind = SymbolRole::Kind;
using Square = std::vector<std::vector<Expr>>;

/// Of order 1 to 3.
Expr determinant(Graph& g, const Square& T) {
    if (T.size() == 1) return T[0][0];
    const auto minor = [&](std::size_t i, std::size_t j, std::size_t a, std::size_t b) {
        return g.sub(g.mul(T[i][a], T[j][b]), g.mul(T[i][b], T[j][a]));
    };
    if (T.size() == 2) return minor(0, 1, 0, 1);
    Expr sum = g.mul(T[0][0], minor(1, 2, 1, 2));
    sum = g.sub(sum, g.mul(T[0][1], minor(1, 2, 0, 2)));
    return g.add(sum, g.mul(T[0][2], minor(1, 2, 0, 1)));
}

/// x with S x = y, by Cramer's rule.
std::vector<Expr> solved(Graph& g, const Square& S, const std::vector<Expr>& y) {
    const Expr whole = determinant(g, S);
    std::vector<Expr> x;
    for (std::size_t c = 0; c < S.size(); ++c) {
        Square T = S;
        for (std::size_t r = 0; r < S.size(); ++r) T[r][c] = y[r];
        x.push_back(g.div(determinant(g, T), whole));
    }
    return x;
}

}  // namespace

std::size_t hidden_count(const Model& model, const Friction& friction) {
    constexpr std::size_t framed = 2 + 3;  // two directions, and the axis of their frame
    if (!friction.particle) return friction.slip.size() < 3 ? friction.slip.size() : framed;
    return model.dimension_of(model.particles[*friction.particle]) < 3 ? 1 : framed;
}

void add_contact_symbols(Model& model) {
    const bool loads =
        !(model.frictions.empty() && model.nonideal.empty() && model.particle_nonideal.empty());
    for (std::size_t r = 0; loads && r < model.constraints.size(); ++r)
        model.multipliers.push_back(
            model.graph.symbol("multiplier of " + model.constraints[r].name));
    for (const Friction& friction : model.frictions) {
        for (std::size_t i = 0; i < hidden_count(model, friction); ++i)
            model.directions.push_back(model.graph.symbol("direction of " + friction.constraint));
    }
    for (const DryFriction& friction : model.dry_frictions)
        model.directions.push_back(model.graph.symbol("direction of " + friction.name));
}

FrictionForms::FrictionForms(Model& model, const SymbolRoles& roles, Diagnostics& diagnostics)
    : model_(model), roles_(roles), diagnostics_(diagnostics) {}

std::vector<Expr> FrictionForms::symbols(const std::vector<std::size_t>& coordinates,
                                         Expr Coordinate::*which) const {
    std::vector<Expr> result;
    for (const std::size_t c : coordinates) result.push_back(model_.coordinates[c].*which);
    return result;
}

std::vector<std::size_t> FrictionForms::coordinates_of(const std::vector<Expr>& expressions) const {
    std::vector<std::size_t> numbers;
    for (const Expr e : expressions)
        for (const std::size_t c : roles_.coordinates_of(e)) numbers.push_back(c);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

Expr FrictionForms::dot(std::span<const Expr> x, std::span<const Expr> y) {
    std::vector<Arg> terms;
    for (std::size_t i = 0; i < x.size(); ++i) terms.push_back({model_.graph.mul(x[i], y[i]), 1.0});
    return model_.graph.sum(terms);
}

Expr FrictionForms::norm(std::span<const Expr> x) {
    return x.size() == 1 ? model_.graph.apply(Op::abs, x[0])
                         : model_.graph.apply(Op::sqrt, dot(x, x));
}

/// The row of A, over these coordinates.
Components FrictionForms::row_of(std::size_t row, const std::vector<std::size_t>& coordinates) {
    const Expr phi = value_of(row);
    const auto which = roles_.uses(phi, {Kind::a})   ? &Coordinate::a
                       : roles_.uses(phi, {Kind::v}) ? &Coordinate::v
                                                     : &Coordinate::q;
    return gradient(model_.graph, phi, symbols(coordinates, which));
}

/// |Aᵀ λ| over the coordinates: of one row |λ| |A|, which has a slope on either side of zero.
Expr FrictionForms::load(const std::vector<std::size_t>& rows) {
    Graph& g = model_.graph;
    std::vector<Expr> values;
    for (const std::size_t row : rows) values.push_back(value_of(row));
    const std::vector<std::size_t> coordinates = coordinates_of(values);
    std::vector<std::vector<Arg>> sums(coordinates.size());
    if (rows.size() == 1)
        return g.mul(g.apply(Op::abs, model_.multipliers[rows[0]]),
                     norm(row_of(rows[0], coordinates)));
    for (const std::size_t row : rows) {
        const Components A = row_of(row, coordinates);
        for (std::size_t j = 0; j < A.size(); ++j)
            sums[j].push_back({g.mul(A[j], model_.multipliers[row]), 1.0});
    }
    std::vector<Expr> force;
    for (const auto& terms : sums) force.push_back(g.sum(terms));
    return norm(force);
}

Expr FrictionForms::with_loads(Expr e) {
    ExprMap<Expr> loads;
    for (const Observed& observed : model_.observed)
        if (observed.kind == Observed::Kind::force &&
            depends_on(model_.graph, e, {&observed.symbol, 1}))
            loads.insert(observed.symbol, load(observed.rows));
    return substitute(model_.graph, e, loads);
}

std::optional<FrictionForm> FrictionForms::form(const Friction& friction,
                                                std::size_t first_direction) {
    FrictionForm form;
    FrictionPart& part = form.part;
    part.name = friction.constraint;
    part.rows = friction.rows;
    part.kinetic = friction.kinetic;
    part.at_rest = friction.at_rest.value_or(friction.kinetic);
    part.direction = model_.parameters.size() + first_direction;
    part.span = friction.span;
    using Sense = ConstraintRow::Sense;
    const Sense sense = model_.constraints[friction.rows[0]].sense;
    part.side = sense == Sense::equal ? 0 : sense == Sense::at_least ? 1 : -1;
    if (part.side != 0 && part.rows.size() > 1) {
        diagnostics_.error(
            friction.span,
            fmt::format("the one-sided constraint '{}' has {} rows, and friction needs one",
                        part.name, part.rows.size()),
            "write one constraint for each row");
        return std::nullopt;
    }
    Rows jacobian;
    const bool fine = friction.particle ? slip_of_particle(friction, form, jacobian)
                                        : slip_of_point(friction, form, jacobian);
    if (!fine) return std::nullopt;
    part.slip_count = form.slip.size();
    sliding_force(jacobian, form, friction);
    return form;
}

/// The velocity of sliding as written. Where the rates of the constraint's rows are combinations of
/// it, φ' = g·s, it is the whole velocity of a point: then g is the direction in which the
/// constraint pushes there, and what slides is the part across. Else the constraint is measured as
/// a length, so that its multiplier is the force.
bool FrictionForms::slip_of_point(const Friction& friction, FrictionForm& form, Rows& jacobian) {
    Graph& g = model_.graph;
    for (const Expr w : friction.slip)
        if (!friction.normal.empty() || !g.is_zero(w)) form.slip.push_back(w);
    form.coordinates = coordinates_of(form.slip);
    const std::vector<Expr> v = symbols(form.coordinates, &Coordinate::v);
    for (const Expr w : form.slip) {
        jacobian.push_back(gradient(g, w, v));
        for (const Expr entry : jacobian.back())
            if (depends_on(g, entry, v)) {
                diagnostics_.error(friction.span,
                                   fmt::format("the slip of '{}' is not linear in the velocities",
                                               friction.constraint));
                return false;
            }
    }
    if (!friction.normal.empty()) return slip_across(friction, {friction.normal}, form, jacobian);
    Rows normals;
    for (const std::size_t row : friction.rows)
        if (auto normal = normal_within(row, jacobian, form.coordinates))
            normals.push_back(std::move(*normal));
    if (!normals.empty()) return slip_across(friction, normals, form, jacobian);
    for (std::size_t r = 0; r < friction.rows.size(); ++r) {
        form.part.normals.emplace_back(friction.rows.size(), g.zero());
        form.part.normals.back()[r] = g.one();
    }
    return true;
}

/// The shortest g with A = gᵀ J, if there is one. J may lack rank, as where a plane motion is
/// written with three components: then g = C (CᵀC)⁻¹ A_C with as many independent columns C of J as
/// there are.
Components FrictionForms::combination(const Components& A, const Rows& jacobian) {
    Graph& g = model_.graph;
    Rows columns;
    Square square;
    std::vector<Expr> right;
    for (std::size_t j = 0; j < A.size() && columns.size() < jacobian.size(); ++j) {
        Components column;
        for (const Components& J : jacobian) column.push_back(J[j]);
        Square larger = square;
        for (std::size_t i = 0; i < columns.size(); ++i)
            larger[i].push_back(dot(columns[i], column));
        larger.emplace_back();
        for (const Components& known : columns) larger.back().push_back(dot(column, known));
        larger.back().push_back(dot(column, column));
        if (numerically_equal(g, determinant(g, larger), g.zero())) continue;
        square = std::move(larger);
        columns.push_back(std::move(column));
        right.push_back(A[j]);
    }
    const std::vector<Expr> weights =
        columns.empty() ? std::vector<Expr>() : solved(g, square, right);
    Components result(jacobian.size(), g.zero());
    for (std::size_t i = 0; i < columns.size(); ++i)
        for (std::size_t d = 0; d < result.size(); ++d)
            result[d] = g.add(result[d], g.mul(weights[i], columns[i][d]));
    return result;
}

/// The direction in which a row pushes a point that moves with the velocity whose derivatives are
/// J, if A = gᵀ J for some g. That is tried at random values of all symbols, as the same may be
/// written in different ways.
std::optional<Components> FrictionForms::normal_within(
    std::size_t row, const Rows& jacobian, const std::vector<std::size_t>& coordinates) {
    Graph& g = model_.graph;
    const std::vector<std::size_t> its = coordinates_of({value_of(row)});
    const Components other = row_of(row, its), A = row_of(row, coordinates);
    for (std::size_t i = 0; i < its.size(); ++i) {
        const bool is_known = std::binary_search(coordinates.begin(), coordinates.end(), its[i]);
        if (!is_known && !numerically_equal(g, other[i], g.zero())) return std::nullopt;
    }
    const Components normal = combination(A, jacobian), combined = along(normal, jacobian);
    bool is_any = false;
    for (std::size_t j = 0; j < A.size(); ++j) {
        if (!numerically_equal(g, A[j], combined[j])) return std::nullopt;
        is_any = is_any || !g.is_zero(A[j]);
    }
    if (!is_any) return std::nullopt;
    return normal;
}

/// Takes the slip of a point whose constraint pushes along the normals to what is across them.
bool FrictionForms::slip_across(const Friction& friction, const Rows& normals, FrictionForm& form,
                                Rows& jacobian) {
    const auto refuse = [&](const std::string& why) {
        diagnostics_.error(
            friction.span, why,
            "give the velocity along the surface, or the whole velocity of the point of contact");
        return false;
    };
    if (normals.size() >= form.slip.size())
        return refuse(
            fmt::format("the slip of '{}' is the rate of the constraint itself, which leaves no "
                        "sliding",
                        friction.constraint));
    if (normals.size() < friction.rows.size())
        return refuse(fmt::format(
            "the slip of '{}' has a part along some rows of the constraint, but not along all",
            friction.constraint));
    form.part.normals = normals;
    const Components whole = form.slip;
    form.slip.clear();
    Rows rows;
    for (const Components& tangent : tangents(normals, form.part)) {
        form.slip.push_back(dot(tangent, whole));
        rows.push_back(along(tangent, jacobian));
    }
    jacobian = std::move(rows);
    return true;
}

/// tᵀ J, over the columns of J.
Components FrictionForms::along(const Components& tangent, const Rows& jacobian) {
    Components row;
    for (std::size_t j = 0; j < jacobian[0].size(); ++j) {
        Components column;
        for (const Components& J : jacobian) column.push_back(J[j]);
        row.push_back(dot(tangent, column));
    }
    return row;
}

/// All position rows that concern nothing but the particle: its wire or surface. Those of the
/// friction come first.
std::vector<std::size_t> FrictionForms::rows_of_particle(
    const Friction& friction, const std::vector<std::size_t>& coordinates) {
    std::vector<std::size_t> rows = friction.rows;
    for (std::size_t r = 0; r < model_.constraints.size(); ++r) {
        const ConstraintRow& row = model_.constraints[r];
        if (row.sense != ConstraintRow::Sense::equal ||
            roles_.uses(value_of(r), {Kind::v, Kind::a}))
            continue;
        if (std::find(rows.begin(), rows.end(), r) != rows.end()) continue;
        const std::vector<std::size_t> its = coordinates_of({value_of(r)});
        if (std::includes(coordinates.begin(), coordinates.end(), its.begin(), its.end()))
            rows.push_back(r);
    }
    return rows;
}

Components FrictionForms::normal_of(std::size_t row, const Rows& jacobian,
                                    const std::vector<std::size_t>& coordinates) {
    const Components A = row_of(row, coordinates);
    Square square;
    std::vector<Expr> right;
    for (const Components& J_i : jacobian) {
        square.emplace_back();
        for (const Components& J_j : jacobian) square.back().push_back(dot(J_i, J_j));
        right.push_back(dot(J_i, A));
    }
    return solved(model_.graph, square, right);
}

/// The least velocity that keeps up with moving constraints; `shift` is ∂p/∂t. Zero where nothing
/// moves.
std::optional<Components> FrictionForms::wire_velocity(const std::vector<std::size_t>& rows,
                                                       const Rows& normals, const Components& shift,
                                                       Span place) {
    Graph& g = model_.graph;
    std::vector<Expr> asked;
    bool moves = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Expr rate = derivative(g, value_of(rows[i]), model_.time);
        asked.push_back(g.sub(dot(normals[i], shift), rate));
        moves = moves || !g.is_zero(asked.back());
    }
    Components velocity(shift.size(), g.zero());
    if (!moves) return velocity;
    if (rows.size() > 2) {
        diagnostics_.error(place,
                           "the velocity of the moving constraints is not known: more than two of "
                           "them hold the particle",
                           "give the velocity of sliding with 'slip'");
        return std::nullopt;
    }
    Square square;
    for (const Components& a : normals) {
        square.emplace_back();
        for (const Components& b : normals) square.back().push_back(dot(a, b));
    }
    const std::vector<Expr> weights = solved(g, square, asked);
    for (std::size_t d = 0; d < velocity.size(); ++d)
        for (std::size_t i = 0; i < weights.size(); ++i)
            velocity[d] = g.add(velocity[d], g.mul(weights[i], normals[i][d]));
    return velocity;
}

bool FrictionForms::slip_of_particle(const Friction& friction, FrictionForm& form, Rows& jacobian) {
    Graph& g = model_.graph;
    const Particle& particle = model_.particles[*friction.particle];
    const auto refuse = [&](const std::string& why, const std::string& hint) {
        diagnostics_.error(friction.span, why, hint);
        return false;
    };
    const Components position = position_of(*friction.particle);
    const std::size_t d = position.size();
    if (d == 1)
        return refuse(fmt::format("the particle '{}' moves along a line: its constraint leaves no "
                                  "direction of sliding",
                                  particle.name),
                      "give the velocity of sliding with 'slip'");
    form.coordinates = coordinates_of(position);
    const std::vector<Expr> q = symbols(form.coordinates, &Coordinate::q),
                            v = symbols(form.coordinates, &Coordinate::v);
    Components velocity, shift;
    for (const Expr x : position) {
        jacobian.push_back(gradient(g, x, q));
        shift.push_back(derivative(g, x, model_.time));
        velocity.push_back(g.add(dot(jacobian.back(), v), shift.back()));
    }
    if (q.size() < d)
        return refuse(
            fmt::format("the coordinates of the particle '{}' already keep it on a curve, so the "
                        "force that holds it there is not known",
                        particle.name),
            "give the particle coordinates of its own and write the curve as constraints");
    const std::vector<std::size_t> rows = rows_of_particle(friction, form.coordinates);
    Rows normals;
    for (const std::size_t row : rows)
        normals.push_back(normal_of(row, jacobian, form.coordinates));
    if (rows.size() >= d)
        return refuse(fmt::format("the constraints of particle '{}' leave no direction of sliding",
                                  particle.name),
                      "");
    const auto wire = wire_velocity(rows, normals, shift, friction.span);
    if (!wire) return false;
    Components relative;
    for (std::size_t i = 0; i < d; ++i) relative.push_back(g.sub(velocity[i], (*wire)[i]));
    form.part.normals.assign(normals.begin(),
                             normals.begin() + static_cast<std::ptrdiff_t>(friction.rows.size()));
    Rows rows_of_slip;
    for (const Components& tangent : tangents(normals, form.part)) {
        form.slip.push_back(dot(tangent, relative));
        rows_of_slip.push_back(along(tangent, jacobian));
    }
    jacobian = std::move(rows_of_slip);
    return true;
}

Components FrictionForms::cross(const Components& x, const Components& y) {
    Graph& g = model_.graph;
    const auto minor = [&](std::size_t i, std::size_t j) {
        return g.sub(g.mul(x[i], y[j]), g.mul(x[j], y[i]));
    };
    return {minor(1, 2), minor(2, 0), minor(0, 1)};
}

/// Unit vectors along which a particle may slide: one on a curve, two on a surface in space.
FrictionForms::Rows FrictionForms::tangents(const Rows& normals, FrictionPart& part) {
    Graph& g = model_.graph;
    const auto unit = [&](const Components& x) {
        Components result;
        const Expr size = norm(x);
        for (const Expr xi : x) result.push_back(g.div(xi, size));
        return result;
    };
    const Components& n = normals[0];
    if (n.size() == 2) return {unit({g.neg(n[1]), n[0]})};
    if (normals.size() == 2) return {unit(cross(normals[0], normals[1]))};
    part.framed = true;
    const std::size_t first = part.direction - model_.parameters.size() + 2;
    const Components axis(model_.directions.begin() + static_cast<std::ptrdiff_t>(first),
                          model_.directions.begin() + static_cast<std::ptrdiff_t>(first) + 3);
    const Components across = unit(cross(axis, n));
    return {across, cross(unit(n), across)};
}

/// The force that presses: of a one-sided row of one sign, else a norm.
Expr FrictionForms::pressing(const FrictionPart& part) {
    Graph& g = model_.graph;
    if (part.side != 0)
        return g.scale(part.side, g.mul(model_.multipliers[part.rows[0]], norm(part.normals[0])));
    if (part.rows.size() == 1)
        return g.mul(g.apply(Op::abs, model_.multipliers[part.rows[0]]), norm(part.normals[0]));
    Components force(part.normals[0].size(), g.zero());
    for (std::size_t r = 0; r < part.rows.size(); ++r)
        for (std::size_t d = 0; d < force.size(); ++d)
            force[d] = g.add(force[d], g.mul(part.normals[r][d], model_.multipliers[part.rows[r]]));
    return norm(force);
}

/// −μ N Wᵀ d̂. With one number of slip, d̂ is ±1, given from outside; with more it is w/|w|, with
/// the sign that keeps it smooth where the motion comes to rest along a line: that of w along the
/// direction given. A motion that begins has the direction given.
void FrictionForms::sliding_force(const Rows& jacobian, FrictionForm& form,
                                  const Friction& friction) {
    Graph& g = model_.graph;
    const std::size_t first = form.part.direction - model_.parameters.size();
    Components direction;
    for (std::size_t i = 0; i < form.slip.size(); ++i)
        direction.push_back(model_.directions[first + i]);
    if (form.slip.size() > 1) {
        // m/s, say: there the direction is the one given. Above the rounding of velocities, below
        // the smallest tolerance: a jump that a method could see would hold the motion at this
        // speed, in a direction that is not its own.
        constexpr double slow = 1e-13;
        const Expr factor = g.div(g.apply(Op::sign, dot(form.slip, direction)), norm(form.slip));
        const Expr moves = g.apply(Op::less, g.constant(slow * slow), dot(form.slip, form.slip));
        for (std::size_t i = 0; i < form.slip.size(); ++i)
            direction[i] = g.select(moves, g.mul(form.slip[i], factor), direction[i]);
    }
    const Expr size = g.mul(friction.kinetic, pressing(form.part));
    for (std::size_t j = 0; j < form.coordinates.size(); ++j) {
        std::vector<Arg> along;
        for (std::size_t i = 0; i < form.slip.size(); ++i)
            along.push_back({g.mul(jacobian[i][j], direction[i]), 1.0});
        form.force.push_back(g.neg(g.mul(size, g.sum(along))));
    }
}

}  // namespace lacon::mechanics
