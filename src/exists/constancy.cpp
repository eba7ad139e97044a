// Gauss–Jordan elimination expresses the dropped rows by the needed ones. Symbolic algebra then
// proves the relation by constant coefficients or by vanishing minors; what it cannot prove is
// tested at sampled states.
#include "exists/constancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "base/text.hpp"
#include "diagnosis/nearby.hpp"
#include "expr/derivative.hpp"
#include "expr/tidy.hpp"
#include "expr/traverse.hpp"
#include "mechanics/explain/explain.hpp"
#include "state/evaluate.hpp"
#include "state/verdict.hpp"

namespace lacon::inline existence {

NeededRows needed_rows(std::size_t row_count, const std::vector<DependentSet>& dependent,
                       const std::vector<std::size_t>& unneeded) {
    // Gauss and Jordan over the sets: each keeps one row that is not needed, and that no other set
    // has.
    std::vector<std::vector<double>> sets(dependent.size(), std::vector<double>(row_count, 0.0));
    for (std::size_t s = 0; s < sets.size(); ++s)
        for (std::size_t k = 0; k < dependent[s].rows.size(); ++k)
            sets[s][dependent[s].rows[k]] = dependent[s].coefficients[k];
    constexpr double zero = 1e-9;
    std::vector<bool> dropped(row_count, false);
    for (std::size_t done = 0; done < unneeded.size(); ++done) {
        const std::size_t row = unneeded[done];
        const auto best = std::max_element(
            sets.begin() + static_cast<std::ptrdiff_t>(done), sets.end(),
            [&](const auto& a, const auto& b) { return std::abs(a[row]) < std::abs(b[row]); });
        std::swap(*best, sets[done]);
        const double pivot = sets[done][row];
        for (double& c : sets[done]) c /= -pivot;
        for (std::size_t s = 0; s < sets.size(); ++s) {
            if (s == done) continue;
            const double factor = sets[s][row];
            for (std::size_t r = 0; r < row_count; ++r) sets[s][r] += factor * sets[done][r];
        }
        dropped[row] = true;
    }
    NeededRows result;
    for (std::size_t row = 0; row < row_count; ++row)
        if (!dropped[row]) result.needed.push_back(row);
    for (std::size_t s = 0; s < unneeded.size(); ++s) {
        NeededRows::Set one;
        one.dropped = unneeded[s];
        for (const std::size_t row : result.needed) {
            if (std::abs(sets[s][row]) <= zero) continue;
            one.rows.push_back(row);
            one.coefficients.push_back(sets[s][row]);
        }
        result.dropped.push_back(std::move(one));
    }
    return result;
}

namespace {

/// The fraction p/q with a small q that a coefficient is, if it is one.
std::optional<double> fraction(double x) {
    for (int q = 1; q <= 64; ++q) {
        const double p = std::round(x * q);
        if (std::abs(x * q - p) <= 1e-9 * std::max(1.0, std::abs(p))) return p / q;
    }
    return std::nullopt;
}

/// Shows by symbols that a constraint follows from others along every motion: its row is a
/// combination of theirs in every state, and so is what stands beside it. That is b, and φ'' (φ' of
/// a velocity row) is the combination of theirs; or, for rows that hold at the start, the velocity
/// residual ψ = A q' + φ_t, which then vanishes with theirs, and φ stays what it is.
class SymbolProof {
public:
    /// `holds_at_start`: whether the constraints do, on positions and velocities.
    SymbolProof(const DerivedModel& details, bool holds_at_start)
        : details_(details),
          holds_at_start_(holds_at_start),
          eq_(symbolic_equations(details)),
          beside_(eq_.Q.size()) {
        Graph& g = eq_.graph;
        std::vector<Seed> along{{details.model.time, g.one()}};
        for (const Coordinate& c : details.model.coordinates) along.push_back({c.q, c.v});
        for (std::size_t i = 0; i < details.model.parameters.size(); ++i)
            values_.insert(details.model.parameters[i].symbol, g.constant(details.parameters[i]));
        for (std::size_t row = 0; row < eq_.A.size(); ++row) {
            const Expr value =
                details.model.forms.expression(details.model.constraints[row].value, g);
            const Level level = details.system.levels[row];
            velocity_.push_back(level == Level::position ? directional(g, value, along) : value);
        }
    }

    bool shows(const NeededRows::Set& set) {
        for (const bool by_velocity : {false, true}) {
            if (by_velocity && !can_use_velocities(set)) continue;
            by_velocity_ = by_velocity;
            if (by_constants(set) || (set.rows.size() == 1 && by_minors(set.dropped, set.rows[0])))
                return true;
        }
        return false;
    }

private:
    /// A row with `stabilize` may be off on the way.
    bool can_use_velocities(const NeededRows::Set& set) const {
        std::vector<std::size_t> rows = set.rows;
        rows.push_back(set.dropped);
        return holds_at_start_ && std::all_of(rows.begin(), rows.end(), [&](std::size_t row) {
                   return details_.system.levels[row] != Level::acceleration &&
                          !details_.system.stabilized[row];
               });
    }

    /// Of A; in column n, what stands beside it.
    Expr entry(std::size_t row, std::size_t column) const {
        if (column == beside_) return by_velocity_ ? velocity_[row] : eq_.b[row];
        const auto found = eq_.A[row].find(column);
        return found == eq_.A[row].end() ? eq_.graph.zero() : found->second;
    }

    bool vanishes(Expr e) {
        Graph& g = eq_.graph;
        return g.is_zero(e) || g.is_zero(tidy(g, e)) ||
               g.is_zero(tidy(g, substitute(g, e, values_)));
    }

    std::set<std::size_t> columns(std::size_t row) const {
        std::set<std::size_t> all{beside_};
        for (const auto& [j, e] : eq_.A[row]) all.insert(j);
        return all;
    }

    bool by_constants(const NeededRows::Set& set) {
        std::set<std::size_t> all = columns(set.dropped);
        std::vector<double> coefficients;
        for (std::size_t k = 0; k < set.rows.size(); ++k) {
            const auto c = fraction(set.coefficients[k]);
            if (!c) return false;
            coefficients.push_back(*c);
            all.merge(columns(set.rows[k]));
        }
        return std::all_of(all.begin(), all.end(), [&](std::size_t j) {
            std::vector<Arg> terms{{entry(set.dropped, j), -1.0}};
            for (std::size_t k = 0; k < set.rows.size(); ++k)
                terms.push_back({entry(set.rows[k], j), coefficients[k]});
            return vanishes(eq_.graph.sum(terms));
        });
    }

    /// The row b does not vanish, so a is a multiple of it where all minors do.
    bool by_minors(std::size_t a, std::size_t b) {
        std::set<std::size_t> all = columns(a);
        all.merge(columns(b));
        Graph& g = eq_.graph;
        for (auto i = all.begin(); i != all.end(); ++i)
            for (auto j = std::next(i); j != all.end(); ++j)
                if (!vanishes(g.sub(g.mul(entry(a, *i), entry(b, *j)),
                                    g.mul(entry(a, *j), entry(b, *i)))))
                    return false;
        return true;
    }

    const DerivedModel& details_;
    bool holds_at_start_, by_velocity_ = false;
    SymbolicEquations eq_;
    std::size_t beside_;          // column n
    std::vector<Expr> velocity_;  // ψ of the rows
    ExprMap<Expr> values_;
};

/// Whether a state meets the constraints on positions and velocities, up to rounding.
bool meets_constraints(const Evaluation& at) {
    double extent = 1.0;
    for (const double q : at.state.q) extent = std::max(extent, std::abs(q));
    for (const double v : at.state.v) extent = std::max(extent, std::abs(v));
    return std::all_of(
        at.constraints.begin(), at.constraints.end(), [&](const ConstraintReport& c) {
            if (c.level == Level::acceleration) return true;
            double size = 0.0;
            const std::size_t row = static_cast<std::size_t>(&c - at.constraints.data());
            for (std::size_t j = 0; j < at.A.cols(); ++j) size += std::abs(at.A(row, j));
            return std::max(std::abs(c.residual), std::abs(c.velocity_residual)) <=
                   1e-9 * std::max(size, 1.0) * extent;
        });
}

/// At how many of the states sampled in the box that meet the constraints the rank was the number
/// of needed rows.
struct Trials {
    std::size_t samples = 0, held = 0;
};
Trials try_states(const DerivedModel& details, std::size_t rank, const State& centre, double radius,
                  const ExistsOptions& options) {
    Trials trials;
    std::mt19937_64 random(options.solve.seed);
    double extent = 0.0;
    for (const double q : centre.q) extent = std::max(extent, std::abs(q));
    diagnosis::NearbyStates nearby(details, centre, options.solve);
    Residuals met;
    met.value.assign(details.system.row_count(), 0.0);
    met.velocity = met.value;
    const auto is_inside = [&](const State& state) {
        for (std::size_t j = 0; j < centre.q.size(); ++j)
            if (std::abs(state.q[j] - centre.q[j]) > radius ||
                std::abs(state.v[j] - centre.v[j]) > radius)
                return false;
        return true;
    };
    for (std::size_t i = 0; i < 4 * options.samples && trials.samples < options.samples; ++i) {
        std::optional<State> state =
            nearby.sample(0.3 * radius / (extent > 0.0 ? extent : 1.0), random);
        if (!state || !nearby.meet(*state, met, true) || !is_inside(*state)) continue;
        const Evaluation at = evaluate_without_outputs(details, *state, options.solve);
        ++trials.samples;
        trials.held +=
            at.status &&
            at.solution.rank == rank;  // a conflict, or a value that is not finite, is against it
    }
    return trials;
}

}  // namespace

std::vector<Dropped> why_dropped(const DerivedModel& details, const NeededRows& rows,
                                 const Evaluation& at, double radius,
                                 const ExistsOptions& options) {
    std::vector<Dropped> result;
    if (rows.dropped.empty()) return result;
    SymbolProof proof(details, meets_constraints(at));
    std::optional<Trials> trials;
    for (const NeededRows::Set& set : rows.dropped) {
        Dropped one;
        one.name = details.constraint_names[set.dropped];
        one.from = names_of(details, set.rows);
        one.proven = proof.shows(set);
        const std::string what =
            one.from.empty() ? fmt::format("the row of '{}' is zero", one.name)
                             : fmt::format("'{}' depends on {}", one.name, quoted_list(one.from));
        if (one.proven) {
            one.text = what + " in every state (proven symbolically)";
        } else {
            if (!trials)
                trials = try_states(details, rows.needed.size(), at.state, radius, options);
            one.samples = trials->samples;
            one.held = trials->held;
            one.text =
                trials->samples == 0
                    ? what + " at the centre; no other state in the box was found to test it at"
                    : fmt::format(
                          "{} at the centre; the rank was {} too in {} of {} sampled in the box: "
                          "tested, not proven",
                          what, rows.needed.size(), one.held, counted(one.samples, "state"));
        }
        result.push_back(std::move(one));
    }
    return result;
}

}  // namespace lacon::existence
