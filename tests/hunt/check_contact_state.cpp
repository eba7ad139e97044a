// One state with contacts and friction against the trial of all modes: the one motion where there
// is one, `several` and `no_force` where the law says so.

#include <algorithm>
#include <cmath>

#include "hunt/case.hpp"
#include "hunt/contact_equations.hpp"
#include "hunt/engine.hpp"

namespace hunt {
namespace {

constexpr double closed = 1e-9;  // gap and speed: the engine's own, and makers keep away from it
// Of accelerations: the contact solve promises rates to 1e-11 of their terms, and responses of
// nearly dependent contacts may lose three digits of that.
constexpr double precision = 1e-8;

/// Rows that touch, and the signs of their sliding.
struct Touching {
    std::vector<std::size_t> rows;
    std::vector<int> moves;
    bool closing = false;
};

Touching touching(const Model& model, const ContactEquations& at) {
    Touching all;
    for (const std::size_t r : at.contacts()) {
        const Model::Row& row = model.rows[r];
        const double gap = at.equations().residual(r).nearest(),
                     rate = at.equations().rate(r).nearest();
        if (row.one_sided && (gap > closed || rate > closed)) continue;
        if (row.one_sided && rate < -closed) all.closing = true;
        const double s = row.rubs() ? at.slip(r).nearest() : 0.0;
        all.rows.push_back(r);
        all.moves.push_back(std::abs(s) <= closed ? 0 : s > 0.0 ? 1 : -1);
    }
    return all;
}

std::string text_of_answer(const Model& model, const Touching& touch, const ContactAnswer& answer) {
    std::string all;
    for (std::size_t i = 0; i < touch.rows.size(); ++i) {
        const char* mode = answer.modes[i] == Mode::open    ? "open"
                           : answer.modes[i] == Mode::stick ? "held"
                                                            : "slips";
        all += (all.empty() ? "" : ", ") + model.rows[touch.rows[i]].name + " " + mode + " with " +
               shortest(Dice::rounded(static_cast<double>(answer.f[2 * i]), 6));
    }
    return all;
}

/// q'' of the engine, and that its forces are those that it says: M q'' = Q + Aᵀ λ + friction,
/// within the cones.
Verdict compare(const Model& model, const ContactEquations& at, const lacon::Evaluation& found,
                const Order& order, const Reals& a) {
    const Equations& equations = at.equations();
    double scale = 1.0, load = 1.0;
    for (const Real& value : a) scale = std::max(scale, std::abs(value.nearest()));
    for (const auto& row : found.constraints) load = std::max(load, std::abs(row.multiplier));
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t r = 0; r < equations.m(); ++r)
            scale =
                std::max(scale, std::abs((equations.A(r, i) / equations.M(i, i)).nearest()) * load);
    Verdict verdict{Result::agreed, "", 0.0, precision * scale};
    const auto worse = [&](double error, const std::string& what) {
        if (error > verdict.error) verdict.error = error;
        if (error <= verdict.allowed || verdict.result == Result::failed) return;
        verdict.result = Result::failed;
        verdict.what = what;
    };
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double value = found.solution.acceleration[order.coordinate[i]];
        worse(abs(Real(value) - a[i]).nearest(), "acceleration of " + model.names[i] + ": found " +
                                                     shortest(value) + ", expected " +
                                                     shortest(a[i].nearest()));
        Real off = -equations.Q(i);
        for (std::size_t j = 0; j < a.size(); ++j)
            off.give(equations.M(i, j), found.solution.acceleration[order.coordinate[j]]);
        for (const auto& row : found.constraints) {
            if (!row.force.empty()) off -= row.force[order.coordinate[i]];
            if (!row.friction_force.empty()) off -= row.friction_force[order.coordinate[i]];
        }
        worse(abs(off / equations.M(i, i)).nearest(),
              "M q'' = Q + forces is off by " + shortest(off.nearest()) + " in " + model.names[i]);
    }
    return verdict;
}

}  // namespace

Verdict check_contact_state(const Case& one) {
    const Model model = varied(one);
    ContactEquations at(model);
    Point point{Real(one.t), Reals(model.q.begin(), model.q.end()),
                Reals(model.v.begin(), model.v.end())};
    at.evaluate(point);
    const Touching touch = touching(model, at);
    if (touch.closing) return {Result::unsuited, "a contact that closes"};
    const auto law = at.law(touch.rows, touch.moves);
    if (!law) return {Result::unsuited, "the accelerations are not determined"};
    const ContactVerdict expected = decide(*law);

    const Engine engine(model, one.plan);
    if (!engine.mechanism) return {Result::refused, engine.why};
    const Order order = order_of(model, *engine.mechanism);
    lacon::State state{one.t, std::vector<double>(model.q.size()),
                       std::vector<double>(model.q.size())};
    for (std::size_t i = 0; i < model.q.size(); ++i) {
        state.q[order.coordinate[i]] = model.q[i];
        state.v[order.coordinate[i]] = model.v[i];
    }
    const lacon::Evaluation found = engine.mechanism->evaluate(state);
    using What = ContactVerdict::What;
    if (expected.what == What::near) return {Result::unsuited, "modes near their borders"};
    const lacon::Outcome outcome = found.status.outcome;
    if (expected.what == What::one && outcome == lacon::Outcome::ok)
        return compare(model, at, found, order, at.answer(touch.rows, expected.answer));
    const bool claims_none =
        outcome == lacon::Outcome::no_force || outcome == lacon::Outcome::conflict;
    const bool claims_several = outcome == lacon::Outcome::several;
    if (expected.what == What::one && (claims_none || claims_several))
        return {Result::failed, "refused (" + found.status.message +
                                    "), though there is one answer: " +
                                    text_of_answer(model, touch, expected.answer)};
    if (expected.what == What::one)
        return {Result::refused, "though there is one answer: " + found.status.message};
    const std::string count =
        expected.what == What::none ? "no mode" : std::to_string(expected.all.size()) + " motions";
    std::string answers;
    for (const ContactAnswer& answer : expected.all)
        answers += "; " + text_of_answer(model, touch, answer);
    if (found.status)
        return {Result::failed, "an answer, though " + count + " satisfy the law" + answers};
    if ((expected.what == What::none && claims_none) ||
        (expected.what == What::several && claims_several))
        return {};
    if (claims_none || claims_several)
        return {Result::failed,
                "says '" + found.status.message + "', but " + count + " satisfy the law" + answers};
    return {Result::refused, "where " + count + " satisfy the law: " + found.status.message};
}

}  // namespace hunt
