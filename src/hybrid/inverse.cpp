// Inverse dynamics under constraints: the motion is prescribed, the efforts are asked for. Where
// what is required together with the constraints, φ(q, t) = 0, determines q at every time, so it
// does q' (A q' = −∂φ/∂t) and q'': no equation is integrated. The efforts at such a state are those
// of theory 3.5, with tracking errors zero.
#include "hybrid/inverse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/text.hpp"
#include "driver/integrate.hpp"
#include "mechanics/numbers/assemble.hpp"
#include "methods/clock.hpp"
#include "solve/dense/constrained/least_change.hpp"
#include "state/evaluate.hpp"
#include "state/observables.hpp"

namespace lacon::inline hybrid {

namespace {

double norm(const std::vector<double>& x) {
    double square = 0.0;
    for (const double xi : x) square += xi * xi;
    return std::sqrt(square);
}

double distance(const std::vector<double>& x, const std::vector<double>& y) {
    double square = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) square += (x[i] - y[i]) * (x[i] - y[i]);
    return std::sqrt(square);
}

void raise(InverseMotion::Peak& peak, double value, double t) {
    if (std::abs(value) > std::abs(peak.value)) peak = {value, t};
}

std::vector<StartOverride> as_guesses(const State& state) {
    std::vector<StartOverride> guesses;
    for (std::size_t i = 0; i < state.q.size(); ++i) {
        guesses.push_back({i, false, true, state.q[i]});
        guesses.push_back({i, true, true, state.v[i]});
    }
    return guesses;
}

class InversePath {
public:
    InversePath(const DerivedModel& details, const InverseOptions& options,
                const OnInverseRow& on_row)
        : details_(details),
          options_(options),
          on_row_(on_row),
          outputs_(details, values_of(details.model.outputs)) {
        motion_.names = {"t"};
        for (const std::string& name : details.coordinate_names) motion_.names.push_back(name);
        for (const std::string& name : details.coordinate_names)
            motion_.names.push_back(name + "'");
        for (const Output& output : details.model.outputs) motion_.names.push_back(output.name);
        motion_.columns.resize(motion_.names.size());
        for (const std::string& name : details.actuator_names)
            motion_.efforts.push_back({name, {}});
        for (const std::string& name : details.control_names)
            motion_.controls.push_back({name, {}, {}, {}, {}});
    }

    InverseMotion along() {
        for (const State& state : options_.along)
            if (!take(state)) break;
        return finished();
    }

    /// At the times of a grid, each state from the one before.
    InverseMotion required(const Grid& grid, const std::vector<StartOverride>& overrides) {
        const State guess = stated_start(details_, overrides);
        std::optional<State> state = found_near(guess, grid.begin);
        if (!state || !is_determined(*state, grid)) return finished();
        for (std::uint64_t i = 0; take(*state); ++i) {
            const double now = grid_time(grid, i).now(), next = grid_time(grid, i + 1).now();
            if (!(next > now)) break;
            state = followed(*state, next, 0);
            if (!state) break;
        }
        return finished();
    }

private:
    std::optional<State> found_near(const State& guess, double t) {
        const Start start =
            consistent_start(*details_.demanded, as_guesses(guess), options_.solve, t);
        if (start.status) return start.state;
        motion_.status = start.status;
        motion_.status.message = fmt::format("at t = {} no state meets the requirements: {}",
                                             rounded(t), start.status.message);
        return std::nullopt;
    }

    /// The state at a later time, near what this one and its accelerations lead to. A search that
    /// goes far from there might find another branch of solutions, so it is then led by states
    /// between.
    std::optional<State> followed(const State& from, double t, int depth) {
        constexpr int most_halvings = 4;
        const std::vector<double> a =
            evaluate_without_outputs(*details_.demanded, from, options_.solve)
                .solution.acceleration;
        const double dt = t - from.t;
        State guess = from;
        for (std::size_t i = 0; i < from.q.size(); ++i) {
            const double ai = a.empty() ? 0.0 : a[i];
            guess.q[i] += dt * (from.v[i] + 0.5 * dt * ai);
            guess.v[i] += dt * ai;
        }
        if (depth < most_halvings) {
            const Start start =
                consistent_start(*details_.demanded, as_guesses(guess), options_.solve, t);
            // The guess errs by the third power of the step: a quarter of the way means another
            // branch, or a step that is too long. 1e-6 is for a motion at rest. Not critical.
            const double moved = distance(start.state.q, guess.q);
            if (start.status &&
                moved <= 0.25 * distance(guess.q, from.q) + 1e-6 * (1.0 + norm(guess.q)))
                return start.state;
            const auto middle = followed(from, from.t + 0.5 * dt, depth + 1);
            return middle ? followed(*middle, t, depth + 1) : std::nullopt;
        }
        return found_near(guess, t);
    }

    /// Rows at position level that hold always, as equations in q.
    std::vector<std::size_t> position_rows() const {
        const DerivedModel& demanded = *details_.demanded;
        std::vector<std::size_t> rows;
        for (std::size_t r = 0; r < demanded.system.row_count(); ++r)
            if (demanded.system.levels[r] == Level::position &&
                demanded.model.constraints[r].sense == ConstraintRow::Sense::equal &&
                !demanded.system.stabilized[r])
                rows.push_back(r);
        return rows;
    }

    /// Coordinates that can move though all of these rows hold: those e_j that are no combination
    /// of the rows.
    std::vector<std::size_t> free_at(const State& state,
                                     const std::vector<std::size_t>& rows) const {
        Equations equations;
        Assembler(details_.demanded->system, details_.demanded->parameters)
            .equations(state, equations);
        const std::size_t n = state.q.size();
        Matrix A(rows.size(), n);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t j = 0; j < n; ++j) A(i, j) = equations.A(rows[i], j);
        std::vector<std::size_t> free;
        std::vector<double> column(rows.size());
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t i = 0; i < rows.size(); ++i) column[i] = A(i, j);
            std::vector<double> x(n, 0.0);
            if (!rows.empty()) x = least_change(equations.M, A, column, options_.solve);
            // A coordinate that the rows determine gives 1 to the accuracy of the solve (1e-10 and
            // better).
            if (x.empty() || std::abs(x[j] - 1.0) > 1e-7) free.push_back(j);
        }
        return free;
    }

    /// Whether the rows leave nothing free, at the first state or, if that is a singular position,
    /// at the next.
    bool is_determined(const State& first, const Grid& grid) {
        const std::vector<std::size_t> rows = position_rows();
        std::vector<std::size_t> free = free_at(first, rows);
        if (!free.empty() && rows.size() >= first.q.size()) {
            if (const auto next = followed(first, grid_time(grid, 1).now(), 0))
                free = free_at(*next, rows);
        }
        if (!free.empty()) motion_.status = undetermined(free);
        return free.empty();
    }

    Status undetermined(const std::vector<std::size_t>& free) const {
        Status status{Outcome::undetermined, {}, {}};
        for (const std::size_t j : free) status.names.push_back(details_.coordinate_names[j]);
        status.message = fmt::format(
            "the requirements and the constraints do not determine the motion: {} can still move",
            quoted_list(status.names));
        const std::vector<Level>& levels = details_.servo->system.levels;
        for (std::size_t r = 0; r < details_.model.requirements.size(); ++r) {
            const ConstraintRow& row = details_.model.requirements[r];
            const Level level = levels[details_.system.row_count() + r];
            if (row.sense != ConstraintRow::Sense::equal)
                status.message +=
                    fmt::format("; '{}' is one-sided and determines nothing by itself", row.name);
            else if (level != Level::position)
                status.message +=
                    fmt::format("; '{}' is at {} level and cannot determine positions", row.name,
                                name_of(level));
        }
        status.message += "; 'lacon run' integrates the free coordinates";
        return status;
    }

    /// The row of a state; false ends the motion.
    bool take(const State& state) {
        const Evaluation at = evaluate_without_outputs(details_, state, options_.solve);
        if (!at.status && at.status.outcome != Outcome::unreachable) {
            motion_.status = at.status;
            motion_.status.message = fmt::format("t = {}: {}", rounded(state.t), at.status.message);
            return false;
        }
        give_row(at);
        note(at);
        if (on_row_ && !on_row_(state.t)) {
            motion_.status = {
                Outcome::interrupted, fmt::format("interrupted at t = {}", rounded(state.t)), {}};
            return false;
        }
        return true;
    }

    void give_row(const Evaluation& at) {
        const std::size_t n = at.state.q.size();
        std::vector<double> values(outputs_.count());
        if (!values.empty()) outputs_.values(at, values);
        motion_.columns[0].push_back(at.state.t);
        for (std::size_t i = 0; i < n; ++i) {
            motion_.columns[1 + i].push_back(at.state.q[i]);
            motion_.columns[1 + n + i].push_back(at.state.v[i]);
        }
        for (std::size_t i = 0; i < values.size(); ++i)
            motion_.columns[1 + 2 * n + i].push_back(values[i]);
    }

    void note(const Evaluation& at) {
        const double t = at.state.t;
        for (std::size_t k = 0; k < at.efforts.size(); ++k)
            raise(motion_.efforts[k].most, at.efforts[k], t);
        bool missed = !at.status;
        for (std::size_t k = 0; k < at.controls.size(); ++k) {
            const ControlReport& report = at.controls[k];
            InverseMotion::Control& control = motion_.controls[k];
            double error = 0.0, off = 0.0;
            for (const ControlReport::Row& row : report.rows) {
                error += row.error * row.error;
                if (at.status && row.state != RequirementState::missed) continue;
                off += row.missed * row.missed;
                missed = true;
            }
            raise(control.error, std::sqrt(error), t);
            raise(control.missed, std::sqrt(off), t);
            if (report.force.empty()) continue;
            raise(control.force, norm(report.force), t);
            raise(control.power, report.power, t);
        }
        if (missed) motion_.unreachable.push_back(t);
        if (!at.status && unreachable_.empty()) unreachable_ = at.status.message;
    }

    InverseMotion finished() {
        if (motion_.status && !unreachable_.empty())
            motion_.status = {
                Outcome::unreachable,
                fmt::format(
                    "the requirements are out of reach at {} of {} times, first at t = {}: {}",
                    motion_.unreachable.size(), motion_.columns[0].size(),
                    rounded(motion_.unreachable.front()), unreachable_),
                {}};
        return std::move(motion_);
    }

    const DerivedModel& details_;
    const InverseOptions& options_;
    const OnInverseRow& on_row_;
    DenseObservables outputs_;
    std::string unreachable_;  // why, the first time
    InverseMotion motion_;
};

}  // namespace

InverseMotion inverse_dynamics(const DerivedModel& details, const InverseOptions& options,
                               const std::vector<StartOverride>& start,
                               const OnInverseRow& on_row) {
    if (details.model.controls.empty())
        throw std::invalid_argument(
            "the model has no 'control' statement, so there is no effort to compute");
    if (!options.along.empty()) return InversePath(details, options, on_row).along();
    RunOptions span;
    span.begin = options.begin;
    span.end = options.end;
    span.every = options.every;
    const RunPlan plan = plan_run(details, span);
    return InversePath(details, options, on_row)
        .required({plan.begin, plan.end, plan.every}, start);
}

}  // namespace lacon::hybrid

namespace lacon {

InverseMotion inverse_dynamics(const Mechanism& mechanism, const InverseOptions& options,
                               const OnInverseRow& on_row) {
    return inverse_dynamics(mechanism.details(), options, {}, on_row);
}

EffortRecord effort_record(const std::vector<std::string>& actuators,
                           const std::vector<std::string>& names,
                           const std::vector<std::vector<double>>& columns) {
    const auto find = [&](const std::string& name) {
        return std::find(names.begin(), names.end(), name);
    };
    std::vector<std::string> missing;
    if (find("t") == names.end()) missing.push_back("t");
    for (const std::string& actuator : actuators)
        if (find("effort." + actuator) == names.end()) missing.push_back("effort." + actuator);
    if (!missing.empty())
        throw std::invalid_argument(fmt::format("there is no column {}; the columns are {}",
                                                quoted_list(missing), quoted_list(names, 20)));
    const auto column = [&](const std::string& name) {
        return columns[static_cast<std::size_t>(find(name) - names.begin())];
    };
    EffortRecord record{actuators, column("t"), {}};
    for (const std::string& actuator : actuators)
        record.efforts.push_back(column("effort." + actuator));
    if (record.t.size() < 2)
        throw std::invalid_argument("efforts over time need at least two rows");
    for (std::size_t i = 0; i < record.t.size(); ++i) {
        if (!std::isfinite(record.t[i]) || (i > 0 && !(record.t[i] > record.t[i - 1])))
            throw std::invalid_argument(fmt::format(
                "the times do not increase: row {} has t = {}{}", i + 1, rounded(record.t[i]),
                i > 0 ? fmt::format(" after {}", rounded(record.t[i - 1])) : ""));
        for (std::size_t k = 0; k < actuators.size(); ++k)
            if (!std::isfinite(record.efforts[k][i]))
                throw std::invalid_argument(
                    fmt::format("'effort.{}' has no finite value in row {} (t = {})", actuators[k],
                                i + 1, rounded(record.t[i])));
    }
    return record;
}

}  // namespace lacon
