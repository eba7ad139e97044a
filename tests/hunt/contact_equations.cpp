// The oracle's equations of motion with contacts, in 256 bits.
#include "hunt/contact_equations.hpp"

#include <algorithm>

namespace hunt {
namespace {

struct Sliding {
    Term slip, press;
};

/// As written, with the multiplier as the pressing force; or of a particle on φ(x, y) = 0: along
/// the tangent, pressed by λ |∇φ|.
Sliding sliding_of(const Model& model, const Model::Row& row) {
    Tree* tree = model.tree.get();
    if (row.slip >= 0) return {{tree, row.slip}, model.c(1.0)};
    const Term phi = Term{tree, row.left} - Term{tree, row.right};
    const Term by_x{tree, tree->derivative(phi.node, model.x(0).node)},
        by_y{tree, tree->derivative(phi.node, model.x(1).node)};
    const Term length = apply(Op::sqrt, by_x * by_x + by_y * by_y);
    return {(model.v_of(0) * by_y - model.v_of(1) * by_x) / length, length};
}

/// Of each row that rubs: s, s' where q'' = 0, the pressing force of a multiplier of 1, ∂s/∂q'.
std::vector<int> friction_nodes(const Model& model) {
    std::vector<int> all;
    for (const auto& row : model.rows) {
        if (!row.rubs()) continue;
        const Sliding sliding = sliding_of(model, row);
        all.push_back(sliding.slip.node);
        all.push_back(rate_of(model, sliding.slip).node);
        all.push_back(sliding.press.node);
        for (int j = 0; j < model.count(); ++j)
            all.push_back(model.tree->derivative(sliding.slip.node, model.v_of(j).node));
    }
    return all;
}

Number number(const Real& x) {
    const double high = x.nearest();
    return Number(high) + Number((x - high).nearest());
}

Real real(Number x) {
    const double high = static_cast<double>(x);
    return Real(high) + Real(static_cast<double>(x - Number(high)));
}

Real dot(const Reals& x, const Reals& y) {
    Real sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum.give(x[i], y[i]);
    return sum;
}

}  // namespace

ContactEquations::ContactEquations(const Model& model, Reals push)
    : model_(model), equations_(model, friction_nodes(model)), push_(std::move(push)) {
    std::size_t next = 0;
    for (std::size_t r = 0; r < model.rows.size(); ++r) {
        place_.push_back(next);
        if (model.rows[r].rubs()) next += 3 + model.names.size();
        if (model.rows[r].is_contact()) contacts_.push_back(r);
    }
}

Reals ContactEquations::direction(std::size_t row, bool is_friction) const {
    Reals all;
    for (std::size_t j = 0; j < equations_.n(); ++j)
        all.push_back(!is_friction              ? equations_.A(row, j)
                      : model_.rows[row].rubs() ? tangent(row, j)
                                                : Real(0.0));
    return all;
}

/// Right side of [M Aᵀ; A 0] for q'' (Q, b), or for v⁺ (M v, −φ_t so that φ' stays 0).
Reals ContactEquations::free_right(const Reals* v) const {
    const std::size_t n = equations_.n();
    Reals right(n, Real(0.0));
    for (std::size_t i = 0; i < n; ++i) {
        if (v == nullptr) right[i] = Q(i);
        for (std::size_t j = 0; v != nullptr && j < n; ++j)
            right[i].give(equations_.M(i, j), (*v)[j]);
    }
    for (const std::size_t r : equations_.independent()) {
        if (model_.rows[r].rubs()) continue;
        if (v == nullptr) right.push_back(equations_.b(r));
        else right.push_back(dot(direction(r, false), *v) - equations_.rate(r));
    }
    return right;
}

std::optional<ContactEquations::Columns> ContactEquations::columns(
    const std::vector<std::size_t>& rows, const Reals* v) const {
    std::vector<std::size_t> equal;
    for (const std::size_t r : equations_.independent())
        if (!model_.rows[r].rubs()) equal.push_back(r);
    const Square K = equations_.kkt(equal);
    const auto part = [&](const Reals& right) -> std::optional<Reals> {
        auto x = solve(K, right);
        if (x) x->resize(equations_.n());
        return x;
    };
    Columns all;
    const auto free = part(free_right(v));
    if (!free) return std::nullopt;
    all.free = *free;
    for (const std::size_t r : rows)
        for (const bool is_friction : {false, true}) {
            Reals right = direction(r, is_friction);
            right.resize(K.n, Real(0.0));
            all.of_unit.push_back(*part(right));
        }
    return all;
}

/// An equation acts both ways: where a contact depends on equations, its load may have any size,
/// and the motion by its friction.
bool ContactEquations::loads_are_unique(const std::vector<std::size_t>& rows) const {
    std::vector<Reals> held;
    for (const std::size_t r : equations_.independent())
        if (!model_.rows[r].rubs()) held.push_back(direction(r, false));
    for (const std::size_t r : rows)
        if (!model_.rows[r].one_sided) held.push_back(direction(r, false));
    if (held.empty()) return true;
    if (independent_rows(held).size() < held.size()) return false;
    return std::ranges::none_of(rows, [&](std::size_t r) {
        std::vector<Reals> more = held;
        more.push_back(direction(r, false));
        return model_.rows[r].one_sided && model_.rows[r].rubs() &&
               independent_rows(more).size() < more.size();
    });
}

std::optional<ContactLaw> ContactEquations::law_of(const std::vector<std::size_t>& rows,
                                                   const Reals* v) const {
    const auto all = columns(rows, v);
    if (!all || !loads_are_unique(rows)) return std::nullopt;
    ContactLaw law;
    law.r0.resize(2 * rows.size());
    law.R.resize(law.r0.size() * law.r0.size());
    for (std::size_t i = 0; i < law.r0.size(); ++i) {
        const std::size_t row = rows[i / 2];
        const Reals d = direction(row, i % 2 == 1);
        law.r0[i] = number(dot(d, all->free));
        for (std::size_t j = 0; j < law.r0.size(); ++j)
            law.response(i, j) = number(dot(d, all->of_unit[j]));
        if (i % 2 == 1) continue;
        const Model::Row& one = model_.rows[row];
        law.contacts.push_back(
            {!one.one_sided, one.rubs(), one.friction, std::max(one.at_rest, one.friction)});
        if (one.rubs()) law.contacts.back().press = number(press(row));
    }
    return law;
}

std::optional<ContactLaw> ContactEquations::law(const std::vector<std::size_t>& rows,
                                                const std::vector<int>& moves) const {
    auto law = law_of(rows, nullptr);
    if (!law) return law;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        law->r0[2 * i] -= number(equations_.b(rows[i]));
        if (model_.rows[rows[i]].rubs()) law->r0[2 * i + 1] += number(slip_rest(rows[i]));
        law->contacts[i].moves = model_.rows[rows[i]].rubs() ? moves[i] : 0;
    }
    return law;
}

std::optional<ContactLaw> ContactEquations::impact(const std::vector<std::size_t>& rows,
                                                   const Reals& v,
                                                   const std::vector<bool>& settled) const {
    auto law = law_of(rows, &v);
    if (!law) return law;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Model::Row& row = model_.rows[rows[i]];
        const Real rate = equations_.rate(rows[i]),
                   drift = rate - dot(direction(rows[i], false), v);
        law->r0[2 * i] += number(drift);
        if (row.one_sided && rate < 0.0 && (settled.empty() || !settled[i]))
            law->r0[2 * i] += row.restitution * number(rate);
        if (row.rubs())
            law->r0[2 * i + 1] += number(slip(rows[i]) - dot(direction(rows[i], true), v));
    }
    return law;
}

Reals ContactEquations::answer(const std::vector<std::size_t>& rows, const ContactAnswer& answer,
                               const Reals* v) const {
    const Columns all = *columns(rows, v);
    Reals x = all.free;
    for (std::size_t k = 0; k < all.of_unit.size(); ++k)
        for (std::size_t i = 0; i < x.size(); ++i) x[i].give(real(answer.f[k]), all.of_unit[k][i]);
    return x;
}

std::optional<ContactEquations::Solution> ContactEquations::accelerate(
    const FrictionModes& grips, const std::vector<int>& sides) const {
    const std::size_t n = equations_.n();
    struct Unknown {
        std::size_t row;
        bool is_friction;
        Reals column, equation;
        Real right;
    };
    std::vector<Unknown> unknown;
    for (const std::size_t r : equations_.independent())
        if (!model_.rows[r].rubs())
            unknown.push_back(
                {r, false, direction(r, false), direction(r, false), equations_.b(r)});
    for (const std::size_t r : contacts_) {
        if (grips[r] == Mode::open) continue;
        Unknown normal{r, false, direction(r, false), direction(r, false), equations_.b(r)};
        const bool slides = model_.rows[r].rubs() && grips[r] != Mode::stick;
        const Real ratio = slides ? press(r) * (-model_.rows[r].friction *
                                                (grips[r] == Mode::plus ? 1 : -1) * sides[r])
                                  : Real(0.0);
        for (std::size_t j = 0; slides && j < n; ++j) normal.column[j].give(ratio, tangent(r, j));
        unknown.push_back(normal);
        if (model_.rows[r].rubs() && !slides)
            unknown.push_back({r, true, direction(r, true), direction(r, true), -slip_rest(r)});
    }
    Square K(n + unknown.size());
    Reals right;
    for (std::size_t i = 0; i < n; ++i) {
        right.push_back(Q(i));
        for (std::size_t j = 0; j < n; ++j) K(i, j) = equations_.M(i, j);
        for (std::size_t k = 0; k < unknown.size(); ++k) K(i, n + k) = -unknown[k].column[i];
    }
    for (std::size_t k = 0; k < unknown.size(); ++k) {
        right.push_back(unknown[k].right);
        for (std::size_t j = 0; j < n; ++j) K(n + k, j) = unknown[k].equation[j];
    }
    const auto x = solve(K, right);
    if (!x) return std::nullopt;
    Solution solution{Reals(x->begin(), x->begin() + static_cast<std::ptrdiff_t>(n)),
                      Reals(model_.rows.size(), Real(0.0)), Reals(model_.rows.size(), Real(0.0))};
    for (std::size_t k = 0; k < unknown.size(); ++k) {
        const std::size_t r = unknown[k].row;
        (unknown[k].is_friction ? solution.friction : solution.multiplier)[r] = (*x)[n + k];
        if (unknown[k].is_friction || !model_.rows[r].rubs() || grips[r] == Mode::stick) continue;
        solution.friction[r] =
            (*x)[n + k] * press(r) *
            (-model_.rows[r].friction * (grips[r] == Mode::plus ? 1 : -1) * sides[r]);
    }
    return solution;
}

}  // namespace hunt
