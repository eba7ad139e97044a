// Bodies, contacts and frictions that the generators of contact cases build from.
#include "hunt/scene.hpp"

#include <cmath>

#include "hunt/contact_equations.hpp"

namespace hunt {

int Scene::add_body(double x, double y, double angle) {
    const std::string number = std::to_string(model.count() / 3 + 1);
    const int at = model.add_coordinate("x" + number, x, 0.0);
    model.add_coordinate("y" + number, y, 0.0);
    model.add_coordinate("th" + number, angle, 0.0);
    const double mass = dice.number(0.5, 3.0);
    model.add(Kind::kinetic,
              (0.5 * mass) * (power(model.v_of(at), 2.0) + power(model.v_of(at + 1), 2.0)) +
                  dice.number(0.02, 0.5) * power(model.v_of(at + 2), 2.0));
    model.add(Kind::potential, (9.81 * mass) * model.x(at + 1));
    return at / 3;
}

Vector Scene::point(int body, double a, double b) const {
    const Term angle = model.x(3 * body + 2), c = apply(Op::cos, angle), s = apply(Op::sin, angle);
    return {model.x(3 * body) + (a * c - b * s), model.x(3 * body + 1) + (a * s + b * c)};
}

Term Scene::rate_of(const Term& f) const {
    return hunt::rate_of(model, f);
}

double Scene::value(const Term& f) const {
    Tape tape(*model.tree, {f.node}, model.tables);
    tape.evaluate({Real(model.begin), Reals(model.q.begin(), model.q.end()),
                   Reals(model.v.begin(), model.v.end())});
    return tape[0].nearest();
}

ContactState Scene::on_line(const Vector& p, double angle, double gap, double belt) {
    const double c = std::cos(angle), s = std::sin(angle);
    const Term height = c * p.x + s * p.y;
    const Vector v = velocity(p);
    const Term slip = c * v.y - s * v.x;
    return {height - (value(height) - gap), belt == 0.0 ? slip : slip - belt};
}

ContactState Scene::discs(int first, int second, double part, double gap) {
    const Term dx = model.x(3 * second) - model.x(3 * first),
               dy = model.x(3 * second + 1) - model.x(3 * first + 1);
    const Term distance = apply(Op::hypot, dx, dy);
    const double sum = value(distance) - gap, r = part * sum, R = sum - r;
    const Term across = (dx * rate_of(dy) - dy * rate_of(dx)) / distance;
    return {distance - sum,
            across - r * model.v_of(3 * first + 2) - R * model.v_of(3 * second + 2)};
}

void Scene::add(const std::string& name, const ContactState& touch, double friction,
                double restitution) {
    Model::Row row{name, 0, touch.gap.node, model.c(0.0).node, true, restitution};
    if (friction >= 0.0) {
        row.friction = friction;
        row.slip = touch.slip.node;
    }
    model.rows.push_back(row);
    if (std::abs(value(touch.gap)) < 1e-9)
        closed_.push_back(static_cast<int>(model.rows.size()) - 1);
}

void Scene::move(double size, const std::vector<bool>& still) {
    for (double& v : model.v) v = size * dice.number(-1.0, 1.0);
    ContactEquations equations(model);
    equations.evaluate({Real(model.begin), Reals(model.q.begin(), model.q.end()),
                        Reals(model.v.begin(), model.v.end())});
    std::vector<Reals> rows;
    Reals off;
    const std::size_t n = model.names.size();
    const auto hold = [&](const Real& rate) {
        rows.emplace_back(n, Real(0.0));
        off.push_back(rate);
    };
    for (std::size_t k = 0; k < closed_.size(); ++k) {
        const auto r = static_cast<std::size_t>(closed_[k]);
        hold(equations.equations().rate(r));
        for (std::size_t j = 0; j < n; ++j) rows.back()[j] = equations.equations().A(r, j);
        if (!model.rows[r].rubs() || !still[k]) continue;
        hold(equations.slip(r));
        for (std::size_t j = 0; j < n; ++j) rows.back()[j] = equations.tangent(r, j);
    }
    const std::vector<std::size_t> kept = independent_rows(rows);
    Square K(n + kept.size());
    Reals right(n, Real(0.0));
    for (std::size_t i = 0; i < n; ++i) K(i, i) = 1.0;
    for (std::size_t k = 0; k < kept.size(); ++k) {
        right.push_back(-off[kept[k]]);
        for (std::size_t j = 0; j < n; ++j) K(n + k, j) = K(j, n + k) = rows[kept[k]][j];
    }
    if (const auto change = solve(K, right))
        for (std::size_t i = 0; i < n; ++i) model.v[i] += (*change)[i].nearest();
}

}  // namespace hunt
