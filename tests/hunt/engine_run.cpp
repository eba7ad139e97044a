// Asks the engine for a run of a model text.
#include "hunt/engine_run.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "hunt/engine.hpp"
#include "lacon/ensemble.hpp"

namespace hunt {
namespace {

constexpr int rows_asked = 20;
constexpr double most_cpu_seconds = 20.0;

double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// States of the engine, in its order and units.
struct Rows {
    lacon::Status status;
    std::size_t steps = 0;
    std::vector<lacon::State> states;
    std::vector<lacon::MotionEvent> events;
    bool slow = false;
};

Rows alone(const lacon::Mechanism& mechanism, const Plan& plan, double every) {
    Rows rows;
    lacon::RunOptions options{.every = every,
                              .tolerance = plan.tolerance,
                              .method = plan.method,
                              .solver = plan.solver,
                              .interpret = plan.interpret,
                              .cache = false};
    if (plan.method == "gauss") options.step = every / 50.0;
    const double begin = cpu_seconds();
    const lacon::Motion motion = lacon::run(mechanism, options, [&](const lacon::StepView&) {
        rows.slow = cpu_seconds() - begin > most_cpu_seconds;
        return !rows.slow;
    });
    rows.status = motion.status;
    rows.steps = motion.summary.steps;
    rows.events = motion.summary.events;
    if (!motion.status) return rows;
    const std::vector<double>& t = motion.column("t");
    for (std::size_t k = 0; k < t.size(); ++k) {
        rows.states.push_back({t[k], {}, {}});
        for (const std::string& name : mechanism.coordinates()) {
            rows.states.back().q.push_back(motion.column(name)[k]);
            rows.states.back().v.push_back(motion.column(name + "'")[k]);
        }
    }
    return rows;
}

/// The second of three members; the others start beside it.
Rows among_others(const lacon::Mechanism& mechanism, const Plan& plan, double every, double span) {
    Rows rows;
    const lacon::Start start = mechanism.start();
    if (rows.status = start.status; !rows.status) return rows;
    std::vector<lacon::Member> members(3, lacon::Member{mechanism, std::nullopt});
    for (const std::size_t other : {std::size_t{0}, std::size_t{2}}) {
        members[other].guess = start.state;
        for (double& speed : members[other].guess->v)
            speed += 0.01 * (static_cast<double>(other) - 0.7);
    }
    lacon::EnsembleOptions options{.begin = start.state.t,
                                   .end = start.state.t + span,
                                   .every = every,
                                   .tolerance = plan.tolerance,
                                   .method = plan.method == "auto" ? "dop853" : plan.method,
                                   .rows = true,
                                   .threads = 1,
                                   .interpret = plan.interpret,
                                   .cache = false};
    const lacon::EnsembleMotion motion = lacon::run_ensemble(members, options);
    rows.status = motion.members[1].status;
    rows.steps = motion.members[1].steps;
    rows.states = motion.members[1].rows;
    return rows;
}

}  // namespace

Run run_engine(const Model& model, const lacon::Mechanism& mechanism, const Plan& plan,
               const Units& units) {
    const double span = (model.end - model.begin) / std::abs(units.time), every = span / rows_asked;
    const Rows rows =
        plan.ensemble ? among_others(mechanism, plan, every, span) : alone(mechanism, plan, every);
    Run run{.status = rows.status, .steps = rows.steps, .events = rows.events, .slow = rows.slow};
    const Order order = order_of(model, mechanism);
    for (const lacon::State& state : rows.states)
        run.rows.push_back({Real(units.origin) + Real(units.time) * Real(state.t), {}, {}});
    for (std::size_t i = 0; i < model.names.size(); ++i) {
        const double length = units.length.empty() ? 1.0 : units.length[i];
        const std::size_t from = order.coordinate[i];
        double most_q = 1.0, most_v = 1.0;
        for (std::size_t k = 0; k < rows.states.size(); ++k) {
            const lacon::State& state = rows.states[k];
            most_q = std::max(most_q, std::abs(state.q[from]));
            most_v = std::max(most_v, std::abs(state.v[from]));
            run.rows[k].q.push_back(Real(state.q[from]) * length);
            run.rows[k].v.push_back(Real(state.v[from]) * Real(length) / units.time);
        }
        run.scale_q.push_back(most_q * length);
        run.scale_v.push_back(most_v * length / std::abs(units.time));
    }
    return run;
}

}  // namespace hunt
