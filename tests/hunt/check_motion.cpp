// A motion of the engine against the oracle's, row by row. Allowed is the tolerance of a step times
// the number of steps times the growth of a small error along this very motion, which the oracle
// measures by a second motion beside the first.

#include <algorithm>
#include <cmath>
#include <limits>

#include "hunt/engine.hpp"
#include "hunt/engine_run.hpp"
#include "hunt/reference.hpp"

namespace hunt {
namespace {

constexpr double most_growth = 1e5;  // beyond it a comparison says little
constexpr double beside = 1e-10;     // distance of the second motion

/// What is compared, as values of expressions at points.
std::vector<Reals> values_along(const Model& model, const std::vector<int>& nodes,
                                const std::vector<Point>& points) {
    Tape tape(*model.tree, nodes, model.tables);
    std::vector<Reals> result;
    for (const Point& point : points) {
        tape.evaluate(point);
        result.emplace_back();
        for (std::size_t k = 0; k < nodes.size(); ++k) result.back().push_back(tape[k]);
    }
    return result;
}

struct Quantities {
    std::vector<int> first, second;
    std::vector<std::string> names;
    std::vector<double> scale;
};

Quantities quantities_of(const Case& one, const Run& run) {
    Quantities all;
    for (const auto& pair : one.pairs) {
        all.first.push_back(pair.first);
        all.second.push_back(pair.second);
        all.names.push_back(one.model.tree->text(pair.first, one.model.names, one.model.tables));
        all.scale.push_back(1.0);
    }
    if (!one.second.empty()) return all;
    for (int i = 0; i < one.model.count(); ++i)
        for (const bool is_velocity : {false, true}) {
            all.first.push_back(is_velocity ? one.model.v_of(i).node : one.model.x(i).node);
            all.names.push_back(one.model.names[static_cast<std::size_t>(i)] +
                                (is_velocity ? "'" : ""));
            all.scale.push_back(
                (is_velocity ? run.scale_v : run.scale_q)[static_cast<std::size_t>(i)]);
        }
    all.second = all.first;
    return all;
}

std::vector<double> times_of(const std::vector<Point>& rows) {
    std::vector<double> times;
    for (std::size_t k = 1; k < rows.size(); ++k) times.push_back(rows[k].t.nearest());
    return times;
}

/// The oracle's two motions and what lies between them.
struct Truth {
    std::string why;
    std::vector<Reals> values;  // of the quantities, one set for each row but the first
    std::vector<Crossing> crossings;
    double growth = 1.0;  // of an error of the engine's size, in the engine's units
};

Truth truth_of(const Case& one, const Model& model, const Run& run, const Quantities& quantities) {
    Truth truth;
    Point from = run.rows[0];
    if (!one.second.empty()) {
        from = Point{Real(model.begin), Reals(model.q.begin(), model.q.end()),
                     Reals(model.v.begin(), model.v.end())};
    }
    if (truth.why = make_consistent(model, from); !truth.why.empty()) return truth;
    const std::vector<double> times = times_of(run.rows);
    const ReferenceOptions options{.tolerance = 1e-18, .weakest = one.weakest};
    const Reference main = follow(model, from, times, options);
    if (truth.why = main.why; !main.fine()) return truth;
    truth.crossings = main.crossings;
    Point shifted = from;
    Dice dice(one.seed + 17);
    for (std::size_t i = 0; i < from.q.size(); ++i) {
        const bool own = one.second.empty();
        shifted.q[i] += beside * (own ? run.scale_q[i] : 1.0) * dice.either_sign(0.5, 1.0);
        shifted.v[i] += beside * (own ? run.scale_v[i] : 1.0) * dice.either_sign(0.5, 1.0);
    }
    if (truth.why = make_consistent(model, shifted); !truth.why.empty()) return truth;
    const Reference second =
        follow(model, shifted, times, {.tolerance = 1e-15, .weakest = one.weakest});
    if (truth.why = second.why; !second.fine()) return truth;
    truth.values = values_along(model, quantities.second, main.rows);
    const std::vector<Reals> other = values_along(model, quantities.second, second.rows);
    for (std::size_t k = 0; k < truth.values.size(); ++k)
        for (std::size_t j = 0; j < quantities.scale.size(); ++j)
            truth.growth = std::max(
                truth.growth,
                (abs(truth.values[k][j] - other[k][j]) / (beside * quantities.scale[j])).nearest());
    if (!(truth.growth < most_growth)) truth.why = "small errors grow too much";
    return truth;
}

Verdict compare(const Run& run, const Quantities& quantities, const std::vector<Reals>& found,
                const Truth& truth, double each_step) {
    Verdict verdict;
    const double allowed = each_step * static_cast<double>(run.steps + 10) * truth.growth;
    verdict.allowed = allowed;
    for (std::size_t k = 0; k < truth.values.size(); ++k)
        for (std::size_t j = 0; j < quantities.scale.size(); ++j) {
            const double error =
                (abs(found[k + 1][j] - truth.values[k][j]) / quantities.scale[j]).nearest();
            if (error <= verdict.error) continue;
            verdict.error = error;
            if (error <= allowed || verdict.result == Result::failed) continue;
            verdict.result = Result::failed;
            verdict.what =
                quantities.names[j] + " at t = " + shortest(run.rows[k + 1].t.nearest()) +
                ": found " + shortest(found[k + 1][j].nearest()) + ", expected " +
                shortest(truth.values[k][j].nearest()) + ", relative error " +
                shortest(Dice::rounded(error)) + ", allowed " + shortest(Dice::rounded(allowed));
        }
    return verdict;
}

/// Zero crossings by name and time; those at which the expression hardly moves decide nothing.
Verdict compare_events(const Case& one, const Run& run, const Truth& truth, double allowed) {
    Verdict verdict{Result::agreed, "", 0.0, allowed};
    for (std::size_t k = 0; k < one.model.events.size(); ++k) {
        const std::string& name = one.model.events[k].name;
        std::vector<double> found;
        for (const lacon::MotionEvent& event : run.events)
            if (event.kind == "event" && event.name == name) found.push_back(event.t);
        std::vector<Crossing> expected;
        for (const Crossing& crossing : truth.crossings)
            if (crossing.event == k) expected.push_back(crossing);
        for (const Crossing& crossing : expected)
            if (std::abs(crossing.speed) < 1e-2)
                return {Result::unsuited, "an event that hardly crosses"};
        if (found.size() != expected.size())
            return {Result::failed, "event " + name + ": found " + std::to_string(found.size()) +
                                        " times, expected " + std::to_string(expected.size())};
        for (std::size_t i = 0; i < found.size(); ++i) {
            const double error =
                std::abs((Real(found[i]) - expected[i].t).nearest() * expected[i].speed);
            verdict.error = std::max(verdict.error, error);
            if (error > 10.0 * allowed)
                return {Result::failed, "event " + name + ": found at t = " + shortest(found[i]) +
                                            ", expected at " + shortest(expected[i].t.nearest())};
        }
    }
    return verdict;
}

/// T + V and the constraints by the oracle's formulas at the engine's rows: all that can be said
/// where it has no motion.
Verdict check_invariants(const Case& one, const Run& run, double each_step) {
    Equations equations(one.model);
    Verdict verdict;
    verdict.allowed = 100.0 * each_step * static_cast<double>(run.steps + 10);
    Real first, scale = 1.0;
    for (std::size_t k = 0; k < run.rows.size(); ++k) {
        equations.evaluate(run.rows[k]);
        if (k == 0) first = equations.energy();
        for (std::size_t i = 0; i < equations.n(); ++i)
            scale = larger(scale, abs(equations.M(i, i) * run.rows[k].v[i] * run.rows[k].v[i]));
        const double off =
            one.model.conservative ? (abs(equations.energy() - first) / scale).nearest() : 0.0;
        verdict.error = std::max(verdict.error, off);
        if (off > verdict.allowed && verdict.result != Result::failed) {
            verdict.result = Result::failed;
            verdict.what = "energy at t = " + shortest(run.rows[k].t.nearest()) + ": " +
                           shortest(equations.energy().nearest()) + ", at first " +
                           shortest(first.nearest());
        }
    }
    return verdict;
}

/// From where the first run ended back to where it began.
Verdict check_back(const Case& one, const Run& there, double allowed) {
    Model model = one.model;
    for (std::size_t i = 0; i < model.names.size(); ++i) {
        model.q[i] = there.rows.back().q[i].nearest();
        model.v[i] = there.rows.back().v[i].nearest();
    }
    const Units units{.time = -1.0, .origin = one.model.end};
    const Engine engine(in_units(model, units), one.plan);
    if (!engine.mechanism) return {Result::refused, engine.why};
    const Run back = run_engine(one.model, *engine.mechanism, one.plan, units);
    if (!back.status) return {Result::refused, "back: " + back.status.message};
    Verdict verdict{Result::agreed, "", 0.0, allowed};
    for (std::size_t i = 0; i < model.names.size(); ++i) {
        const double error =
            abs(back.rows.back().q[i] - there.rows[0].q[i]).nearest() / there.scale_q[i];
        verdict.error = std::max(verdict.error, error);
        if (error <= allowed || verdict.result == Result::failed) continue;
        verdict.result = Result::failed;
        verdict.what = model.names[i] + " there and back: found " +
                       shortest(back.rows.back().q[i].nearest()) + ", expected " +
                       shortest(there.rows[0].q[i].nearest());
    }
    return verdict;
}

bool all_finite(const Run& run) {
    const auto finite = [](const Real& value) { return value.is_finite(); };
    return std::ranges::all_of(run.rows, [&](const Point& row) {
        return std::ranges::all_of(row.q, finite) && std::ranges::all_of(row.v, finite);
    });
}

/// Whether the oracle goes where the engine refused to: the refusal is then not one of the model's
/// making.
std::string refusal(const Case& one, const std::string& message) {
    if (!one.second.empty()) return message;
    Point from{Real(one.model.begin), Reals(one.model.q.begin(), one.model.q.end()),
               Reals(one.model.v.begin(), one.model.v.end())};
    if (!make_consistent(one.model, from).empty()) return message;
    const Reference motion =
        follow(one.model, from, {one.model.end}, {.tolerance = 1e-15, .weakest = one.weakest});
    return (motion.fine() ? "though the oracle goes on: " : "") + message;
}

/// What one step may be off: a multiple of its tolerance; of a method with fixed steps, what half
/// the step changes is not known here, so it is only checked for gross errors.
double error_of_a_step(const Plan& plan) {
    const double factor = plan.method == "bdf" || plan.method == "adams" ? 100.0 : 5.0;
    if (plan.method == "gauss") return 1e-7;
    return factor * std::max(plan.tolerance, 1e-15);
}

}  // namespace

Verdict check_motion(const Case& one) {
    const Engine engine(varied(one), one.plan);
    if (!engine.mechanism) return {Result::refused, engine.why};
    const Run run = run_engine(one.model, *engine.mechanism, one.plan, one.plan.units);
    if (run.slow) return {Result::refused, refusal(one, "slow: the run took more than 20 s")};
    if (!run.status) {
        if (run.status.message.empty())
            return {Result::failed, "a run that failed without a message"};
        return {Result::refused, refusal(one, run.status.message)};
    }
    if (!all_finite(run)) return {Result::failed, "a row that is not finite"};
    const Model& followed = one.second.empty() ? one.model : one.second[0];
    const Quantities quantities = quantities_of(one, run);
    const Truth truth = truth_of(one, followed, run, quantities);
    const double each_step = error_of_a_step(one.plan);
    if (!truth.why.empty()) {
        const Verdict verdict = check_invariants(one, run, each_step);
        return verdict.result == Result::failed ? verdict : Verdict{Result::unsuited, truth.why};
    }
    Verdict verdict = compare(run, quantities, values_along(one.model, quantities.first, run.rows),
                              truth, each_step);
    if (verdict.result == Result::agreed && !one.model.events.empty()) {
        const Verdict events = compare_events(one, run, truth, verdict.allowed);
        if (events.result != Result::agreed) return events;
    }
    if (one.plan.back && verdict.result == Result::agreed) {
        const Verdict back = check_back(one, run, verdict.allowed * truth.growth * 10.0);
        if (back.result != Result::agreed) return back;
    }
    return verdict;
}

}  // namespace hunt
