#include "contact/contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "solve/dependence.hpp"

namespace lacon {

namespace {

double largest(std::span<const double> x) {
    double result = 0.0;
    for (const double xi : x) result = std::max(result, std::abs(xi));
    return result;
}

Matrix rows_of(const Matrix& A, std::span<const std::size_t> rows) {
    Matrix result(rows.size(), A.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(A.row(rows[i]).begin(), A.cols(), result.row(i).begin());
    return result;
}

double dot(std::span<const double> x, std::span<const double> y) {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

double norm(std::span<const double> x) {
    return std::sqrt(dot(x, x));
}

/// The sine of the angle between a normal and the axis of a frame; 0 without an axis.
double frame_strength(std::span<const double> n, std::span<const double> axis) {
    const double along = dot(n, axis), size = norm(n) * norm(axis);
    return size > 0.0 ? std::sqrt(std::max(0.0, 1.0 - along * along / (size * size))) : 0.0;
}

}  // namespace

Contacts::Contacts(const SystemDetails& whole, const SolveOptions& options)
    : whole_(whole), options_(options), assembler_(whole.system, whole.parameters) {
    std::vector<Expr> values;
    for (std::size_t r = 0; r < whole.model.constraints.size(); ++r) {
        if (!whole.model.constraints[r].restitution) continue;
        values.push_back(*whole.model.constraints[r].restitution);
        restitution_rows_.push_back(r);
    }
    if (!values.empty()) restitution_.emplace(whole, values);
}

double Contacts::position_scale(const State& state) {
    return std::max(1.0, largest(state.q));
}

double Contacts::velocity_scale(const State& state) {
    return std::max(1.0, largest(state.v));
}

Contacts::Gaps Contacts::gaps(const State& state) {
    Residuals residuals;
    assembler_.residuals(state, residuals);
    Gaps gaps{std::move(residuals.value), std::move(residuals.velocity)};
    for (std::size_t r = 0; r < gaps.gap.size(); ++r) {
        const int side = side_of(whole_.model.constraints[r]);
        gaps.gap[r] *= side;
        gaps.rate[r] *= side;
    }
    return gaps;
}

std::vector<bool> Contacts::closed_at(const State& state) {
    const Gaps at = gaps(state);
    std::vector<bool> closed(at.gap.size(), false);
    for (std::size_t r = 0; r < closed.size(); ++r) {
        const bool position = whole_.system.levels[r] == Level::position;
        const double scale = position ? position_scale(state) : velocity_scale(state);
        const bool separates = position && at.rate[r] > rate_tol * velocity_scale(state);
        closed[r] = side_of(whole_.model.constraints[r]) != 0 && at.gap[r] <= gap_tol * scale && !separates;
    }
    return closed;
}

std::vector<double> Contacts::restitution(const State& state) {
    std::vector<double> all(whole_.system.row_count(), 0.0);
    if (!restitution_) return all;
    const std::vector<double> values = restitution_->at(state);
    for (std::size_t i = 0; i < values.size(); ++i) all[restitution_rows_[i]] = std::clamp(values[i], 0.0, 1.0);
    return all;
}

/// The coefficients and normals of a friction at a state.
Contacts::Coulomb Contacts::coulomb(std::size_t friction, const State& state) {
    const FrictionPart& part = whole_.system.frictions[friction];
    const std::size_t d = part.normals[0].size();
    auto found = laws_.find(friction);
    if (found == laws_.end()) {
        std::vector<Expr> values{part.kinetic, part.at_rest};
        for (const Components& normal : part.normals) values.insert(values.end(), normal.begin(), normal.end());
        found = laws_.emplace(std::piecewise_construct, std::tuple(friction), std::tuple(std::cref(whole_), values)).first;
    }
    const std::vector<double> values = found->second.at(state);
    Coulomb law{std::max(0.0, values[0]), std::max(values[0], values[1]), Matrix(part.rows.size(), d)};
    std::copy(values.begin() + 2, values.end(), law.normals.data());
    return law;
}

/// All two-sided rows, the closed ones, and the slip of the frictions that they press.
Contacts::Candidates& Contacts::candidates(const std::vector<bool>& closed) {
    constexpr std::size_t most_kept = 64;
    const auto found = candidates_.find(closed);
    if (found != candidates_.end()) return found->second;
    if (candidates_.size() >= most_kept) candidates_.clear();
    Candidates& set = candidates_[closed];
    PhaseRows phase;
    for (std::size_t r = 0; r < closed.size(); ++r) {
        const bool two_sided = side_of(whole_.model.constraints[r]) == 0;
        if (!two_sided && !closed[r]) continue;
        phase.rows.push_back(r);
        (two_sided ? set.two_sided : set.one_sided).push_back(r);
    }
    const auto& frictions = whole_.system.frictions;
    for (std::size_t f = 0; f < frictions.size(); ++f) {
        if (frictions[f].side != 0 && !closed[frictions[f].rows[0]]) continue;
        set.frictions.push_back(f);
        for (std::size_t i = 0; i < frictions[f].slip_count; ++i) phase.rows.push_back(closed.size() + frictions[f].slip + i);
    }
    set.details = make_phase(whole_, phase);
    set.assembler = std::make_unique<Assembler>(set.details->system, set.details->parameters);
    return set;
}

/// The axis of a frame is one of the coordinate axes, far from the normal; it is kept as long as it will do.
void Contacts::choose_frames(Candidates& set, const State& state) {
    for (const std::size_t f : set.frictions) {
        const FrictionPart& part = whole_.system.frictions[f];
        if (!part.framed) continue;
        const Matrix normals = coulomb(f, state).normals;
        const std::span<double> axis = std::span(set.details->parameters).subspan(part.direction + part.slip_count, 3);
        if (frame_strength(normals.row(0), axis) > 0.5) continue;
        std::size_t least = 0;
        for (std::size_t i = 1; i < 3; ++i)
            if (std::abs(normals(0, i)) < std::abs(normals(0, least))) least = i;
        for (std::size_t i = 0; i < 3; ++i) axis[i] = i == least ? 1.0 : 0.0;
    }
}

double Contacts::frame(std::size_t friction, const State& state, std::span<const double> directions) {
    const FrictionPart& part = whole_.system.frictions[friction];
    const std::size_t first = part.direction - whole_.model.parameters.size() + part.slip_count;
    return frame_strength(coulomb(friction, state).normals.row(0), directions.subspan(first, 3));
}

/// False where a value is not finite.
bool Contacts::fill(Candidates& set, const State& state, Numbers& out) {
    choose_frames(set, state);
    set.assembler->equations(state, out.equations);
    if (set.assembler->not_finite()) return false;
    set.assembler->residuals(state, out.residuals);
    if (set.assembler->not_finite()) return false;
    const std::vector<std::size_t>& rows = set.details->rows;
    const auto place = [&](std::size_t row) {
        return static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
    };
    std::vector<std::size_t> two_sided, one_sided;
    for (const std::size_t r : set.two_sided) two_sided.push_back(place(r));
    for (const std::size_t r : set.one_sided) one_sided.push_back(place(r));
    out.A = rows_of(out.equations.A, two_sided);
    out.N = rows_of(out.equations.A, one_sided);
    for (const std::size_t r : two_sided) out.b.push_back(out.equations.b[r]);
    for (std::size_t i = 0; i < one_sided.size(); ++i) {
        const int side = side_of(whole_.model.constraints[set.one_sided[i]]);
        for (double& x : out.N.row(i)) x *= side;
        out.d.push_back(side * out.equations.b[one_sided[i]]);
    }
    for (const std::size_t f : set.frictions)
        fill_friction(set, f, state, place(whole_.system.row_count() + whole_.system.frictions[f].slip), out);
    return true;
}

void Contacts::fill_friction(const Candidates& set, std::size_t f, const State& state, std::size_t first, Numbers& out) {
    const FrictionPart& part = whole_.system.frictions[f];
    const Coulomb law = coulomb(f, state);
    const std::size_t k = part.slip_count, n = out.equations.M.rows();
    ContactFriction friction;
    friction.kinetic = law.kinetic;
    friction.at_rest = law.at_rest;
    const auto index = [](const std::vector<std::size_t>& list, std::size_t row) {
        return static_cast<std::size_t>(std::find(list.begin(), list.end(), row) - list.begin());
    };
    if (part.side != 0) {
        friction.one_sided = index(set.one_sided, part.rows[0]);
        friction.scale = norm(law.normals.row(0));
    } else {
        for (const std::size_t row : part.rows) friction.two_sided.push_back(index(set.two_sided, row));
        friction.G = law.normals;
    }
    friction.W = Matrix(k, n);
    std::vector<double> slip(k);
    for (std::size_t i = 0; i < k; ++i) {
        std::copy_n(out.equations.A.row(first + i).begin(), n, friction.W.row(i).begin());
        friction.w.push_back(out.equations.b[first + i]);
        slip[i] = out.residuals.velocity[first + i];
    }
    if (const double speed = norm(slip); speed > rate_tol * velocity_scale(state))
        for (const double s : slip) friction.direction.push_back(s / speed);
    out.friction.push_back(std::move(friction));
    out.slip.push_back(std::move(slip));
}

// ---- accelerations

Contacts::Decision Contacts::decide(const State& state, const std::vector<bool>& closed, const Leaving& leaving,
                                    const ContactModes* warm) {
    std::vector<bool> tried = closed;
    for (const std::size_t r : leaving.rows) tried[r] = false;
    Decision decision = decide_once(state, tried, leaving.frictions, warm);
    if (leaving.rows.empty()) return decision;
    // A contact without force leaves, unless it would fall back.
    Candidates& all = candidates(closed);
    Numbers numbers;
    if (!decision.status || !fill(all, state, numbers)) return decide_once(state, closed, leaving.frictions, warm);
    for (const std::size_t r : leaving.rows) {
        const std::size_t i =
            static_cast<std::size_t>(std::find(all.one_sided.begin(), all.one_sided.end(), r) - all.one_sided.begin());
        const double along = dot(numbers.N.row(i), decision.solution.x), rate = along - numbers.d[i];
        const double scale = std::max({1.0, largest(decision.solution.x), std::abs(numbers.d[i])});
        if (rate < -1e-7 * scale) return decide_once(state, closed, leaving.frictions, warm);
        decision.modes.touch[r] = rate > 1e-9 * scale || !depends(all, numbers, r, decision.modes) ? Touch::open : Touch::idle;
    }
    return decision;
}

/// Whether a row says nothing beside those in force.
bool Contacts::depends(const Candidates& set, const Numbers& numbers, std::size_t row, const ContactModes& modes) const {
    std::vector<std::size_t> places;
    std::size_t own = 0;
    for (std::size_t i = 0; i < set.details->rows.size(); ++i) {
        const std::size_t r = set.details->rows[i];
        const bool in_force = r < modes.touch.size() ? modes.touch[r] == Touch::working
                                                     : std::find(modes.held.begin(), modes.held.end(), r) != modes.held.end();
        if (r == row) own = places.size();
        if (in_force || r == row) places.push_back(i);
    }
    const Matrix A = rows_of(numbers.equations.A, places);
    const std::vector<double> b(places.size(), 0.0);
    const auto sets = dependent_sets({A, b, &numbers.equations.M}, options_);
    return std::any_of(sets.begin(), sets.end(),
                       [&](const DependentSet& s) { return std::find(s.rows.begin(), s.rows.end(), own) != s.rows.end(); });
}

Contacts::Decision Contacts::decide_once(const State& state, const std::vector<bool>& closed,
                                         const std::vector<std::size_t>& slips, const ContactModes* warm) {
    Decision decision;
    Candidates& set = candidates(closed);
    Numbers numbers;
    if (!fill(set, state, numbers)) {
        decision.status = {Outcome::undefined, "a value is not a finite number", {}};
        return decision;
    }
    for (std::size_t i = 0; i < set.frictions.size(); ++i)
        if (std::find(slips.begin(), slips.end(), set.frictions[i]) != slips.end())
            numbers.friction[i].at_rest = std::min(numbers.friction[i].at_rest, numbers.friction[i].kinetic) * (1.0 - 1e-9);
    ContactOptions options{options_, nullptr};
    ContactSolution begin;
    if (warm) {
        for (const std::size_t r : set.one_sided)
            begin.touch.push_back(warm->touch[r] == Touch::working ? Touch::working : Touch::open);
        for (std::size_t i = 0; i < set.frictions.size(); ++i) {
            begin.grip.push_back(warm->grip[set.frictions[i]]);
            begin.direction.push_back(numbers.friction[i].direction);
        }
    }
    // Forces that depend on loads by a `nonideal` statement change the problem that gives the loads.
    const Loads loads(set.details->system);
    std::vector<double> force = numbers.equations.Q, c, multipliers(set.details->rows.size(), 0.0);
    constexpr int most_rounds = 100;
    for (int round = 0; round < most_rounds; ++round) {
        decision.solution = solve(
            ContactProblem{numbers.equations.M, force, numbers.A, numbers.b, numbers.N, numbers.d, numbers.friction}, options);
        if (decision.solution.outcome != Outcome::ok || loads.is_empty()) break;
        std::vector<double> next(multipliers.size(), 0.0);
        for (std::size_t i = 0, two = 0, one = 0; i < next.size() && set.details->rows[i] < closed.size(); ++i) {
            const int side = side_of(whole_.model.constraints[set.details->rows[i]]);
            next[i] = side == 0 ? decision.solution.multipliers[two++] : side * decision.solution.forces[one++];
        }
        double change = 0.0;
        for (std::size_t i = 0; i < next.size(); ++i) change = std::max(change, std::abs(next[i] - multipliers[i]));
        if (change <= 1e-14 * largest(next)) break;
        if (round + 1 == most_rounds) decision.solution.outcome = Outcome::no_force;
        multipliers = next;
        set.assembler->nonideal(state, multipliers, c, Assembler::Part::beside_force);
        for (std::size_t i = 0; i < force.size(); ++i) force[i] = numbers.equations.Q[i] + c[i];
    }
    decision.rows = set.one_sided;
    decision.frictions = set.frictions;
    decision.status = status_of(set, decision.solution, state);
    if (!decision.status) return decision;
    decision.modes = modes(set, decision.solution);
    for (std::size_t i = 0; i < set.frictions.size(); ++i) {
        decision.friction_forces.emplace_back(force.size(), 0.0);
        for (std::size_t k = 0; k < decision.solution.friction[i].size(); ++k)
            for (std::size_t j = 0; j < force.size(); ++j)
                decision.friction_forces[i][j] += numbers.friction[i].W(k, j) * decision.solution.friction[i][k];
    }
    return decision;
}

std::vector<double> Contacts::gap_accelerations(const State& state, std::span<const double> acceleration,
                                                const std::vector<bool>& of) {
    std::vector<double> result(of.size(), 0.0);
    Candidates& set = candidates(of);
    Numbers numbers;
    if (!fill(set, state, numbers)) return result;
    for (std::size_t i = 0; i < set.one_sided.size(); ++i)
        result[set.one_sided[i]] = dot(numbers.N.row(i), acceleration) - numbers.d[i];
    return result;
}

ContactModes Contacts::modes(const Candidates& set, const ContactSolution& solution) const {
    const std::size_t m = whole_.system.row_count();
    ContactModes modes;
    modes.touch.assign(m, Touch::open);
    for (const std::size_t r : set.two_sided) modes.touch[r] = Touch::working;
    for (std::size_t i = 0; i < set.one_sided.size(); ++i) modes.touch[set.one_sided[i]] = solution.touch[i];
    modes.grip.assign(whole_.system.frictions.size(), Grip::none);
    modes.directions.assign(whole_.model.directions.size(), 0.0);
    for (std::size_t i = 0; i < set.frictions.size(); ++i) {
        const FrictionPart& part = whole_.system.frictions[set.frictions[i]];
        modes.grip[set.frictions[i]] = solution.grip[i];
        const std::size_t first = part.direction - whole_.model.parameters.size();
        if (part.framed)
            std::copy_n(set.details->parameters.begin() + static_cast<std::ptrdiff_t>(part.direction + part.slip_count), 3,
                        modes.directions.begin() + static_cast<std::ptrdiff_t>(first + part.slip_count));
        if (solution.grip[i] == Grip::sticks)
            for (const std::size_t row : solution.grip_rows[i]) modes.held.push_back(m + part.slip + row);
        if (solution.grip[i] == Grip::slips)
            std::copy(solution.direction[i].begin(), solution.direction[i].end(),
                      modes.directions.begin() + static_cast<std::ptrdiff_t>(first));
    }
    std::sort(modes.held.begin(), modes.held.end());
    return modes;
}

Status Contacts::status_of(const Candidates& set, const ContactSolution& solution, const State& state) {
    std::vector<std::string> names, with_coefficient;
    const bool of_rows = solution.outcome == Outcome::conflict;
    for (const std::size_t i : solution.concerned) {
        names.push_back(of_rows ? whole_.constraint_names[set.one_sided[i]] : whole_.system.frictions[set.frictions[i]].name);
        if (!of_rows)
            with_coefficient.push_back(
                fmt::format("'{}' (coefficient {})", names.back(), rounded(coulomb(set.frictions[i], state).kinetic, 6)));
    }
    std::string those;
    for (std::size_t i = 0; i < with_coefficient.size(); ++i) those += (i ? ", " : "") + with_coefficient[i];
    const std::string when = fmt::format("at t = {}", rounded(state.t, 12));
    switch (solution.outcome) {
        case Outcome::ok: return {};
        case Outcome::conflict:
            return {Outcome::conflict,
                    names.empty() ? fmt::format("the two-sided constraints conflict {}", when)
                                  : fmt::format("no motion meets the contacts {} {}: they are wedged against each other",
                                                quoted_list(names), when),
                    names};
        case Outcome::no_force:
            return {
                Outcome::no_force,
                fmt::format("no force satisfies the law of friction {} at {}: the friction presses its own contact harder than "
                            "any force can answer (Painlevé)",
                            when, those),
                names};
        case Outcome::several:
            return {Outcome::several,
                    fmt::format("{} motions satisfy the law of friction {} at {}: it does not say which one happens (Painlevé)",
                                solution.solutions, when, those),
                    names};
        case Outcome::undetermined:
            return {Outcome::undetermined,
                    names.empty()
                        ? std::string("the accelerations are not determined")
                        : fmt::format("the loads of {} are not unique, as their constraints depend on others, and the motion "
                                      "depends on them",
                                      quoted_list(names)),
                    names};
        default: return {solution.outcome, fmt::format("the forces of contact were not found {}", when), names};
    }
}

// ---- the state of a friction in a phase

Contacts::Pull Contacts::pull(std::size_t friction, const State& state, std::span<const double> multipliers) {
    const FrictionPart& part = whole_.system.frictions[friction];
    const Coulomb law = coulomb(friction, state);
    std::vector<double> normal(law.normals.cols(), 0.0), tangent(part.slip_count);
    for (std::size_t r = 0; r < part.rows.size(); ++r)
        for (std::size_t d = 0; d < normal.size(); ++d) normal[d] += law.normals(r, d) * multipliers[part.rows[r]];
    for (std::size_t i = 0; i < tangent.size(); ++i) tangent[i] = multipliers[whole_.system.row_count() + part.slip + i];
    double load = norm(normal);
    if (part.side != 0 && part.side * dot(normal, law.normals.row(0)) < 0.0) load = -load;
    return {load, norm(tangent), law.kinetic, law.at_rest};
}

}  // namespace lacon
