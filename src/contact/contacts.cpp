// Gaps, scales, restitution and loads of friction. The rest of the class is in numbers.cpp (rows
// and right-hand sides), decide.cpp (accelerations), impact.cpp and efforts.cpp.
#include "contact/contacts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "contact/vectors.hpp"

namespace lacon::inline contact {

Contacts::Contacts(const DerivedModel& whole, const SolveOptions& options, EffortsIn efforts)
    : whole_(whole),
      options_(options),
      efforts_(std::move(efforts)),
      assembler_(whole.system, whole.parameters),
      sight_(whole),
      all_elements_(whole.system.elements.size()) {
    std::iota(all_elements_.begin(), all_elements_.end(), std::size_t{0});
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

State Contacts::place_of(const State& state) const {
    State place = state;
    if (!behind_) return place;
    place.t = behind_->t;
    place.q = behind_->q;
    return place;
}

Assembler& Contacts::decided(const DerivedModel& details, Assembler& by_values,
                             std::unique_ptr<Branched>& branched, const State& state) const {
    if (!behind_) return by_values;
    if (!branched) branched = std::make_unique<Branched>(details);
    branched->assembler.settle(place_of(state));
    return branched->assembler;
}

Contacts::Gaps Contacts::gaps(const State& state) {
    Residuals residuals;
    const bool sees = sight_.covers(state);
    decided(whole_, assembler_, branched_, state)
        .residuals(state, sees ? sight_.near() : all_elements_, residuals);
    Gaps gaps{std::move(residuals.value), std::move(residuals.velocity)};
    for (std::size_t r = 0; r < gaps.gap.size(); ++r) {
        const int side = side_of(whole_.model.constraints[r]);
        gaps.gap[r] *= side;
        gaps.rate[r] *= side;
        if (sees && sight_.is_far(r)) gaps.gap[r] = sight_.least(r);
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
        closed[r] =
            side_of(whole_.model.constraints[r]) != 0 && at.gap[r] <= gap_tol * scale && !separates;
    }
    return closed;
}

std::vector<double> Contacts::gap_scales(const State& state) {
    std::vector<double> scales;
    assembler_.row_sums(state, sight_.covers(state) ? sight_.near() : all_elements_, scales);
    const double length = position_scale(state);
    for (double& scale : scales) scale = std::max(1.0, scale) * length;
    return scales;
}

Contacts::Leaving::Slip Contacts::slip_of(const ContactModes& modes, const DerivedModel& whole,
                                          std::size_t friction) {
    const FrictionPart& part = whole.system.frictions[friction];
    const auto first = modes.directions.begin() +
                       static_cast<std::ptrdiff_t>(part.direction - whole.model.parameters.size());
    return {friction, {first, first + static_cast<std::ptrdiff_t>(part.slip_count)}};
}

std::vector<double> Contacts::slip_direction(std::size_t friction,
                                             std::span<const double> multipliers) const {
    const FrictionPart& part = whole_.system.frictions[friction];
    std::vector<double> direction;
    for (std::size_t i = 0; i < part.slip_count; ++i)
        direction.push_back(-multipliers[whole_.system.row_count() + part.slip + i]);
    const double size = norm(direction);
    if (!(size > 0.0)) return {};
    for (double& x : direction) x /= size;
    return direction;
}

std::vector<std::vector<double>> Contacts::slips(const State& state,
                                                 const std::vector<bool>& closed) {
    std::vector<std::vector<double>> result(whole_.system.frictions.size());
    Candidates& set = candidates(closed);
    Numbers numbers;
    if (!fill(set, state, numbers)) return result;
    for (std::size_t i = 0; i < set.frictions.size(); ++i)
        result[set.frictions[i]] = std::move(numbers.slip[i]);
    return result;
}

std::vector<double> Contacts::gap_accelerations(const State& state,
                                                std::span<const double> acceleration,
                                                const std::vector<bool>& of) {
    std::vector<double> result(of.size(), 0.0);
    Candidates& set = candidates(of);
    Numbers numbers;
    if (!fill(set, state, numbers)) return result;
    for (std::size_t i = 0; i < set.one_sided.size(); ++i)
        result[set.one_sided[i]] = dot(numbers.N.row(i), acceleration) - numbers.d[i];
    return result;
}

std::vector<std::vector<double>> Contacts::slip_accelerations(const State& state,
                                                              std::span<const double> acceleration,
                                                              const std::vector<bool>& closed) {
    std::vector<std::vector<double>> result(whole_.system.frictions.size());
    Candidates& set = candidates(closed);
    Numbers numbers;
    if (!fill(set, state, numbers)) return result;
    for (std::size_t i = 0; i < set.frictions.size(); ++i) {
        const ContactFriction& friction = numbers.friction[i];
        for (std::size_t k = 0; k < friction.w.size(); ++k)
            result[set.frictions[i]].push_back(dot(friction.W.row(k), acceleration) -
                                               friction.w[k]);
    }
    return result;
}

std::vector<double> Contacts::restitution(const State& state) {
    std::vector<double> all(whole_.system.row_count(), 0.0);
    if (!restitution_) return all;
    const std::vector<double> values = restitution_->at(place_of(state));
    for (std::size_t i = 0; i < values.size(); ++i)
        all[restitution_rows_[i]] = std::clamp(values[i], 0.0, 1.0);
    return all;
}

Contacts::Pull Contacts::pull(std::size_t friction, const State& state,
                              std::span<const double> multipliers) {
    const FrictionPart& part = whole_.system.frictions[friction];
    const Coulomb law = coulomb(friction, state);
    std::vector<double> normal(law.normals.cols(), 0.0), tangent(part.slip_count);
    for (std::size_t r = 0; r < part.rows.size(); ++r)
        for (std::size_t d = 0; d < normal.size(); ++d)
            normal[d] += law.normals(r, d) * multipliers[part.rows[r]];
    for (std::size_t i = 0; i < tangent.size(); ++i)
        tangent[i] = multipliers[whole_.system.row_count() + part.slip + i];
    double load = part.fixed ? 1.0 : norm(normal);
    if (part.side != 0 && part.side * dot(normal, law.normals.row(0)) < 0.0) load = -load;
    return {load, norm(tangent), law.kinetic, law.at_rest};
}

}  // namespace lacon::contact
