// Efforts of controls by trial of all sets that may bind.
#include "hunt/control_law.hpp"

#include <algorithm>

namespace hunt {
namespace {

std::vector<int> columns_of(const Model& model) {
    std::vector<int> all;
    for (const auto& actuator : model.actuators)
        for (int i = 0; i < model.count(); ++i)
            all.push_back(model.tree->derivative(actuator.node, model.x(i).node));
    return all;
}

Model with_wishes(Model model) {
    model.rows.clear();
    for (const auto& one : model.controls)
        model.rows.push_back({one.name, one.level, one.left, one.right, one.one_sided, 0.0});
    return model;
}

Real dot(const Reals& x, const Reals& y) {
    Real sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum.give(x[i], y[i]);
    return sum;
}

}  // namespace

ControlEquations::ControlEquations(const Model& model)
    : model_(model),
      n_(model.names.size()),
      count_(model.actuators.empty() ? n_ : model.actuators.size()),
      plant_(model, columns_of(model)),
      wish_(with_wishes(model)) {}

void ControlEquations::evaluate(const Point& at) {
    plant_.evaluate(at);
    wish_.evaluate(at);
}

Real ControlEquations::column(std::size_t actuator, std::size_t i) const {
    if (model_.actuators.empty()) return actuator == i ? 1.0 : 0.0;
    return plant_.extra(actuator * n_ + i);
}

ControlEquations::Problem ControlEquations::problem() const {
    const std::vector<std::size_t> rows = plant_.independent();
    const Square K = plant_.kkt(rows);
    Problem all{.response = {},
                .free = *plant_.accelerate(rows),
                .N = Square(count_),
                .G = {},
                .right = {}};
    all.free.resize(n_);
    // M⁻¹ F: Gauss's measure of an effort is that of its force, not of what it brings about.
    std::vector<Reals> by_mass;
    for (std::size_t k = 0; k < count_; ++k) {
        Reals right(K.n, Real(0.0));
        for (std::size_t i = 0; i < n_; ++i) right[i] = column(k, i);
        all.response.push_back(*solve(K, right));
        all.response.back().resize(n_);
        right.resize(n_);
        by_mass.push_back(*solve(plant_.kkt({}), right));
    }
    for (std::size_t k = 0; k < count_; ++k)
        for (std::size_t l = 0; l < count_; ++l) {
            const bool given = !model_.actuators.empty() && model_.actuators[k].weight > 0.0;
            if (given) all.N(k, l) = k == l ? model_.actuators[k].weight : 0.0;
            for (std::size_t i = 0; !given && i < n_; ++i)
                all.N(k, l).give(column(k, i), by_mass[l][i]);
        }
    for (std::size_t c = 0; c < model_.controls.size(); ++c) {
        const auto& control = model_.controls[c];
        Reals row;
        for (std::size_t j = 0; j < n_; ++j) row.push_back(wish_.A(c, j));
        Real d = wish_.b(c);
        if (control.level == 0)
            d -= Real(control.gain[0]) * wish_.rate(c) + Real(control.gain[1]) * wish_.residual(c);
        if (control.level == 1) d -= Real(control.gain[0]) * wish_.rate(c);
        all.right.push_back(d - dot(row, all.free));
        all.G.emplace_back();
        for (const Reals& response : all.response) all.G.back().push_back(dot(row, response));
    }
    return all;
}

ControlEquations::Answer ControlEquations::finished(const Problem& problem, const Reals& u) const {
    Answer answer{.why = {}, .u = u, .a = problem.free};
    for (std::size_t k = 0; k < count_; ++k)
        for (std::size_t i = 0; i < n_; ++i) answer.a[i].give(u[k], problem.response[k][i]);
    return answer;
}

/// [N Gᵀ; G 0] of the rows that bind; those that do not must be met, those one-sided rows that do
/// must push.
ControlEquations::Answer ControlEquations::least_cost(const Problem& problem) const {
    const std::size_t rows = problem.G.size();
    for (unsigned set = 0; set < 1U << rows; ++set) {
        std::vector<std::size_t> bound;
        bool valid = true;
        for (std::size_t c = 0; c < rows; ++c) {
            if ((set >> c & 1U) != 0) bound.push_back(c);
            else valid = valid && model_.controls[c].one_sided;
        }
        if (!valid) continue;
        Square K(count_ + bound.size());
        Reals right(count_, Real(0.0));
        for (std::size_t k = 0; k < count_; ++k)
            for (std::size_t l = 0; l < count_; ++l) K(k, l) = problem.N(k, l);
        for (std::size_t b = 0; b < bound.size(); ++b) {
            right.push_back(problem.right[bound[b]]);
            for (std::size_t k = 0; k < count_; ++k)
                K(count_ + b, k) = K(k, count_ + b) = problem.G[bound[b]][k];
        }
        double weakest = 1.0;
        auto x = solve(K, right, &weakest);
        if (!x || weakest < 1e-7) return {.why = "nearly out of reach", .u = {}, .a = {}};
        const Reals u(x->begin(), x->begin() + static_cast<std::ptrdiff_t>(count_));
        for (std::size_t b = 0; b < bound.size();
             ++b)  // N u + Gᵀ x = 0: a row that pushes has x < 0
            if (model_.controls[bound[b]].one_sided && (*x)[count_ + b] > 0.0) valid = false;
        for (std::size_t c = 0; c < rows; ++c)
            if ((set >> c & 1U) == 0 && dot(problem.G[c], u) < problem.right[c]) valid = false;
        if (!valid) continue;
        Answer answer = finished(problem, u);
        answer.weakest = weakest;
        return answer;
    }
    return {.why = "no set of rows that bind", .u = {}, .a = {}};
}

/// As many actuators as rows: least |G u − right|² in the box, which is one point.
ControlEquations::Answer ControlEquations::within_limits(const Problem& problem) const {
    std::size_t trials = 1;
    for (std::size_t k = 0; k < count_; ++k) trials *= 3;
    for (std::size_t trial = 0; trial < trials; ++trial) {
        std::vector<int> at(count_);  // −1 low, 0 free, 1 high
        std::vector<std::size_t> free;
        Reals u(count_, Real(0.0));
        for (std::size_t k = 0, rest = trial; k < count_; ++k, rest /= 3) {
            at[k] = static_cast<int>(rest % 3) - 1;
            if (at[k] == 0) free.push_back(k);
            else u[k] = at[k] * model_.actuators[k].limit;
        }
        Square K(free.size());
        Reals right(free.size(), Real(0.0));
        for (std::size_t c = 0; c < problem.G.size(); ++c) {
            const Real left = problem.right[c] - dot(problem.G[c], u);
            for (std::size_t k = 0; k < free.size(); ++k) {
                right[k].give(problem.G[c][free[k]], left);
                for (std::size_t l = 0; l < free.size(); ++l)
                    K(k, l).give(problem.G[c][free[k]], problem.G[c][free[l]]);
            }
        }
        double weakest = 1.0;
        const auto x = free.empty() ? std::optional<Reals>(Reals{}) : solve(K, right, &weakest);
        if (!x || weakest < 1e-9) return {.why = "nearly out of reach", .u = {}, .a = {}};
        for (std::size_t k = 0; k < free.size(); ++k) u[free[k]] = (*x)[k];
        bool valid = true;
        for (std::size_t k = 0; k < count_; ++k) {
            if (at[k] == 0) valid = valid && abs(u[k]) <= model_.actuators[k].limit;
            Real gain = 0.0;  // −½ ∂/∂u_k of the square: more effort would help
            for (std::size_t c = 0; c < problem.G.size(); ++c)
                gain.give(problem.G[c][k], problem.right[c] - dot(problem.G[c], u));
            if (at[k] != 0) valid = valid && (at[k] > 0 ? gain >= 0.0 : gain <= 0.0);
        }
        if (valid) return finished(problem, u);
    }
    return {.why = "no set of limits", .u = {}, .a = {}};
}

ControlEquations::Answer ControlEquations::answer() const {
    const Problem all = problem();
    const bool limited =
        std::ranges::any_of(model_.actuators, [](const auto& one) { return one.limit > 0.0; });
    return limited ? within_limits(all) : least_cost(all);
}

}  // namespace hunt
