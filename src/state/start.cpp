// The start search with dense matrices. One-sided rows that a state violates are held as equations,
// and the search is repeated.
#include "state/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "mechanics/numbers/assemble.hpp"
#include "mechanics/numbers/values.hpp"
#include "state/angles.hpp"
#include "state/contradictions.hpp"
#include "state/disproof.hpp"
#include "state/nearest.hpp"
#include "state/start_search.hpp"
#include "state/verdict.hpp"

namespace lacon::inline state {

StatedStart stated(const DerivedModel& details, const std::vector<StartOverride>& overrides,
                   std::optional<double> begin) {
    const std::size_t n = details.model.coordinates.size();
    StatedStart start{{0.0, std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)},
                      std::vector<bool>(n, false),
                      std::vector<bool>(n, false)};
    const SymbolRoles roles(details.model);
    const auto value_of = [&](Expr e) {
        return ExpressionValues(details, roles, {&e, 1}).at(start.state)[0];
    };
    if (begin) start.state.t = *begin;
    else if (details.model.simulation) start.state.t = value_of(details.model.simulation->begin);
    const auto set = [&](std::size_t i, bool velocity, bool guess, double value) {
        (velocity ? start.state.v : start.state.q)[i] = value;
        (velocity ? start.fixed_v : start.fixed_q)[i] = !guess;
    };
    // Values from outside first, so that the model's values which use them follow.
    std::vector<bool> set_q(n, false), set_v(n, false);
    for (const StartOverride& o : overrides) {
        set(o.coordinate, o.velocity, o.guess, o.value);
        (o.velocity ? set_v : set_q)[o.coordinate] = true;
    }
    FormulaValues values(details, roles);
    for (const StartValue& s : details.model.start)
        if (!(s.velocity ? set_v : set_q)[s.coordinate])
            set(s.coordinate, s.velocity, s.guess, values.at(s.value, start.state));
    return start;
}

namespace {

/// The search for one level: which rows take part, and which part of the state moves.
class LevelSearch {
public:
    LevelSearch(const DerivedModel& details, bool velocity, const SolveOptions& options)
        : details_(details),
          assembler_(details.system, details.parameters),
          velocity_(velocity),
          options_(options) {}

    /// Of the one-sided rows those in `held` take part, as equations.
    NearestPoint run(const StatedStart& start, bool with_stabilized,
                     const std::vector<bool>& held) {
        rows_ = rows_of_level(details_, velocity_, with_stabilized, held);
        State state = start.state;
        NearestProblem problem;
        problem.wanted = velocity_ ? state.v : state.q;
        problem.fixed = velocity_ ? start.fixed_v : start.fixed_q;
        problem.at = [&](std::span<const double> x, NearestProblem::Values& out) {
            (velocity_ ? state.v : state.q).assign(x.begin(), x.end());
            return at(state, out);
        };
        problem.is_hopeless = [&] {
            double scale = 0.0;
            for (const double x : problem.wanted) scale = std::max(scale, std::abs(x));
            return Disproof(details_, start, velocity_, scale).excludes(rows_, 5'000);
        };
        return nearest_point(problem, options_);
    }

    const std::vector<std::size_t>& rows() const { return rows_; }

private:
    bool at(const State& state, NearestProblem::Values& out) {
        assembler_.residuals(state, residuals_);
        residual_rounding(details_, state, rounding_);
        assembler_.equations(state, equations_);
        const std::size_t n = state.q.size();
        out.A = Matrix(rows_.size(), n);
        out.M = equations_.M;
        out.r.resize(rows_.size());
        out.rounding.resize(rows_.size());
        bool finite = std::all_of(out.M.data(), out.M.data() + n * n,
                                  [](double x) { return std::isfinite(x); });
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            out.r[i] = (velocity_ ? residuals_.velocity : residuals_.value)[rows_[i]];
            out.rounding[i] = (velocity_ ? rounding_.velocity : rounding_.value)[rows_[i]];
            finite = finite && std::isfinite(out.r[i]);
            for (std::size_t j = 0; j < n; ++j) {
                out.A(i, j) = equations_.A(rows_[i], j);
                finite = finite && std::isfinite(out.A(i, j));
            }
        }
        return finite;
    }

    const DerivedModel& details_;
    Assembler assembler_;
    bool velocity_;
    const SolveOptions& options_;
    std::vector<std::size_t> rows_;
    Residuals residuals_, rounding_;
    Equations equations_;
};

/// Holds the one-sided rows of this level that a state violates; true where there are new ones.
bool hold_violated(const DerivedModel& details, const State& state, bool velocity,
                   std::vector<bool>& held) {
    Residuals residuals;
    Assembler(details.system, details.parameters).residuals(state, residuals);
    bool any = false;
    for (std::size_t r = 0; r < held.size(); ++r) {
        const ConstraintRow& row = details.model.constraints[r];
        if (row.sense == ConstraintRow::Sense::equal || held[r]) continue;
        if (details.system.levels[r] != (velocity ? Level::velocity : Level::position)) continue;
        const double gap =
            row.sense == ConstraintRow::Sense::at_least ? residuals.value[r] : -residuals.value[r];
        const double scale = std::max(1.0, largest(velocity ? state.v : state.q));
        // 1e-12: rounding of the residual. Less is a contact that touches.
        if (gap < -1e-12 * scale) held[r] = any = true;
    }
    return any;
}

/// "x = 1, y = 2": the values of the best point.
std::string values_text(const FailedLevel& failed) {
    constexpr std::size_t most = 6;
    std::string text;
    const std::size_t n = failed.best.x.size();
    for (std::size_t i = 0; i < std::min(most, n); ++i)
        text += fmt::format("{}{}{} = {}", i ? ", " : "", failed.details.coordinate_names[i],
                            failed.velocity ? "'" : "", rounded(failed.best.x[i], 6));
    return n > most ? text + ", ..." : text;
}

}  // namespace

void note_moves(const DerivedModel& details, const State& guessed, Start& start) {
    const auto note = [&](const std::vector<double>& to, const std::vector<double>& from,
                          const char* prime) {
        // 1e-12: a move that only the solve's rounding made is not reported.
        for (std::size_t i = 0; i < to.size(); ++i)
            if (std::abs(to[i] - from[i]) > 1e-12 * (1.0 + std::abs(from[i])))
                start.moved.push_back({details.coordinate_names[i] + prime, to[i] - from[i]});
    };
    note(start.state.q, guessed.q, "");
    note(start.state.v, guessed.v, "'");
}

State stated_start(const DerivedModel& details, const std::vector<StartOverride>& overrides) {
    return stated(details, overrides).state;
}

namespace {

/// The searches with dense matrices. Stabilized rows are met where the guesses allow it, and
/// one-sided rows that a state violates are held.
class DenseSearches final : public LevelSearches {
public:
    DenseSearches(const DerivedModel& details, const SolveOptions& options)
        : details_(details), options_(options) {}

    bool find(bool velocity, StatedStart& now) override {
        const std::vector<bool>& stabilized = details_.system.stabilized;
        const bool any_stabilized =
            std::find(stabilized.begin(), stabilized.end(), true) != stabilized.end();
        velocity_ = velocity;
        LevelSearch search(details_, velocity, options_);
        std::vector<bool> held(details_.system.row_count(), false);
        State at = now.state;
        do {
            best_ = search.run(now, true, held);
            if (!best_.met && any_stabilized) best_ = search.run(now, false, held);
            (velocity ? at.v : at.q) = best_.x;
        } while (best_.met && hold_violated(details_, at, velocity, held));
        rows_ = search.rows();
        if (!best_.met) start_ = now;
        (velocity ? now.state.v : now.state.q) = best_.x;
        return best_.met;
    }
    void unwind(const State& guessed, State& state) override {
        unwind_angles(details_, guessed, state);
    }
    void residuals(const State& state, Residuals& out) override {
        Assembler(details_.system, details_.parameters).residuals(state, out);
    }

    Status hindrance() override {
        if (best_.defined) return {};
        return {Outcome::undefined,
                fmt::format("the {} constraints or their derivatives have no finite value at the "
                            "start guesses or near them",
                            level()),
                {}};
    }
    std::vector<std::size_t> rows() override { return rows_; }
    std::vector<double> residuals_left() override { return best_.r; }
    std::vector<std::vector<std::size_t>> conflicts() override {
        std::vector<std::vector<std::size_t>> sets = contradictions(failed());
        for (std::vector<std::size_t>& set : sets)
            for (std::size_t& row : set) row = rows_[row];
        return sets;
    }
    bool proves_conflicts() const override { return true; }
    Tried tried() override {
        return {fmt::format(" after {} (search radius {}, seed {})",
                            counted(static_cast<std::size_t>(best_.searches), "attempt"),
                            rounded(best_.reach, 3), options_.seed),
                fmt::format(" at {}. Try better guesses or another --seed", values_text(failed()))};
    }

private:
    const char* level() const { return velocity_ ? "velocity" : "position"; }
    FailedLevel failed() const { return {details_, start_, best_, rows_, velocity_}; }

    const DerivedModel& details_;
    const SolveOptions& options_;
    // Of the last search:
    bool velocity_ = false;
    NearestPoint best_;
    std::vector<std::size_t> rows_;
    StatedStart start_;
};

}  // namespace

Start consistent_start(const DerivedModel& details, const std::vector<StartOverride>& overrides,
                       const SolveOptions& options, std::optional<double> begin) {
    const StatedStart guessed = stated(details, overrides, begin);
    if (Status refused = size_status(details); !refused) {
        Start start;
        start.state = guessed.state;
        start.status = std::move(refused);
        return start;
    }
    DenseSearches searches(details, options);
    return find_start(details, guessed, searches);
}

void move_last_places(State& state) {
    double share = 0.0;
    for (std::vector<double>* values : {&state.q, &state.v})
        for (double& x : *values) {
            // The golden ratio: shares that spread evenly, so that about half of the values go
            // down.
            share += 0.6180339887498949;
            share -= std::floor(share);
            if (x != 0.0) x = std::nextafter(x, share < 0.5 ? -INFINITY : INFINITY);
        }
}

double later_by_last_places(double begin, double end) {
    constexpr double units = 4.0 * std::numeric_limits<double>::epsilon();
    return begin + units * std::max(std::abs(begin), std::abs(end));
}

}  // namespace lacon::state
