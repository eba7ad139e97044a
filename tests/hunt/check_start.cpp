// The start search: a state that meets the constraints exists near the guess; what is found must
// meet them, and a conflict must not be claimed.

#include <algorithm>
#include <cmath>

#include "hunt/engine.hpp"
#include "hunt/equations.hpp"

namespace hunt {

Verdict check_start(const Case& one) {
    const Model model = varied(one);
    const Engine engine(model, one.plan);
    if (!engine.mechanism) return {Result::refused, engine.why};
    const lacon::Start start = engine.mechanism->start();
    if (start.status.outcome == lacon::Outcome::conflict)
        return {Result::failed,
                "a conflict is claimed where a state exists: " + start.status.message};
    if (!start.status) return {Result::refused, start.status.message};
    const Order order = order_of(model, *engine.mechanism);
    Point point{Real(start.state.t), {}, {}};
    for (std::size_t i = 0; i < model.names.size(); ++i) {
        point.q.emplace_back(start.state.q[order.coordinate[i]]);
        point.v.emplace_back(start.state.v[order.coordinate[i]]);
        if (!model.held.empty() && model.held[i] &&
            start.state.q[order.coordinate[i]] != model.q[i])
            return {Result::failed, model.names[i] + " was to hold at " + shortest(model.q[i]) +
                                        ", and is " + shortest(start.state.q[order.coordinate[i]])};
    }
    Equations equations(model);
    equations.evaluate(point);
    Verdict verdict{Result::agreed, "", 0.0, 1e-9};
    for (std::size_t r = 0; r < equations.m(); ++r) {
        if (model.rows[r].level == 2) continue;
        double scale = 1.0;
        for (std::size_t j = 0; j < equations.n(); ++j)
            scale = std::max(
                scale,
                std::abs((equations.A(r, j) * larger(abs(point.q[j]), abs(point.v[j]))).nearest()));
        const double residual =
            model.rows[r].level == 0 ? abs(equations.residual(r)).nearest() / scale : 0.0;
        const double rate = abs(equations.rate(r)).nearest() / scale;
        verdict.error = std::max({verdict.error, residual, rate});
        if (std::max(residual, rate) > verdict.allowed)
            verdict = {Result::failed,
                       "constraint " + model.rows[r].name + " is off by " +
                           shortest(std::max(residual, rate)),
                       std::max(residual, rate), verdict.allowed};
    }
    return verdict;
}

}  // namespace hunt
