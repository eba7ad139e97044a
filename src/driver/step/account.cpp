// The account of a run: energies, residuals, ranks and noise, noted step by step.
#include "driver/step/account.hpp"

#include <algorithm>
#include <cmath>

#include "expr/traverse.hpp"

namespace lacon::inline driver {

namespace {

/// Whether energy is conserved as far as the form of the model shows: no forces but potentials, no
/// explicit time, and constraints on positions only.
bool conserves_energy(const DerivedModel& details) {
    const Model& model = details.model;
    if (details.has_controls() || !details.system.nonideal.empty() || !model.forces.empty() ||
        !model.particle_forces.empty() || !model.dissipation.empty() || !model.equations.empty())
        return false;
    for (const Level level : details.system.levels)
        if (level != Level::position) return false;
    for (const bool stabilized : details.system.stabilized)
        if (stabilized) return false;
    for (const Shape& shape : details.system.shapes)
        for (const auto* values :
             {&shape.dynamics.values, &shape.residuals.values, &shape.energies.values})
            for (const Expr e : *values)
                if (depends_on(details.system.graph, e, {&details.system.t, 1})) return false;
    return true;
}

}  // namespace

Account::Account(const DerivedModel& details, const RunPlan& plan)
    : is_conservative(*details.memo.get<bool>(
          "conservative", [&] { return std::make_shared<bool>(conserves_energy(details)); })),
      plan_(plan) {}

void Account::take_over(const Snapshot& snapshot, Field& field) {
    summary = snapshot.summary;
    seconds_before_ = summary.wall_seconds;
    potential_low_ = snapshot.potential_low;
    potential_high_ = snapshot.potential_high;
    kinetic_high_ = snapshot.kinetic_high;
    noise.recall(snapshot.noise, field);
}

void Account::keep(Snapshot& snapshot, const Field& field) const {
    snapshot.potential_low = potential_low_;
    snapshot.potential_high = potential_high_;
    snapshot.kinetic_high = kinetic_high_;
    snapshot.noise = noise.kept(field);
}

void Account::note_first(const Energies& energies, std::size_t rank) {
    summary.rank_first = summary.rank_min = summary.rank_max = rank;
    potential_low_ = potential_high_ = energies.potential;
    summary.energy_first = energies.kinetic + energies.potential;
}

void Account::note_rank(std::size_t rank) {
    summary.rank_min = std::min(summary.rank_min, rank);
    summary.rank_max = std::max(summary.rank_max, rank);
}

void Account::note_energy(const Energies& energies, const State& state) {
    for (const double q : state.q) summary.largest = std::max(summary.largest, std::abs(q));
    kinetic_high_ = std::max(kinetic_high_, energies.kinetic);
    potential_low_ = std::min(potential_low_, energies.potential);
    potential_high_ = std::max(potential_high_, energies.potential);
    summary.energy_last = energies.kinetic + energies.potential;
    summary.worst.energy =
        std::max(summary.worst.energy, std::abs(summary.energy_last - summary.energy_first));
}

void Account::note_left(const Projector::Left& left) {
    auto& worst = summary.worst;
    worst.position = std::max(worst.position, left.position);
    worst.velocity = std::max(worst.velocity, left.velocity);
    worst.position_absolute = std::max(worst.position_absolute, left.position_absolute);
    worst.velocity_absolute = std::max(worst.velocity_absolute, left.velocity_absolute);
}

void Account::note_residuals(const Projector& projector) {
    note_left(projector.left);
    note_left(projector.stabilized);
}

void Account::note_noise(const Step& step, const Field& field, double finest,
                         std::span<const double> jitter) {
    noise.note(step.last_length);
    const bool is_floored = plan_.tolerance < finest;
    if (field.noise.empty() && jitter.empty() && !is_floored) return;
    double over = std::max(
        noise_over_tolerance(field.noise, step.end_state, step.last_length, plan_.tolerance),
        noise_over_tolerance(jitter, step.end_state, 1.0, plan_.tolerance));
    if (is_floored) over = std::max(over, finest / plan_.tolerance);
    auto& rounding = summary.rounding;
    if (!(over > 1.0)) return;
    if (rounding.steps++ == 0) rounding.t = step.base->time.now();
    rounding.tolerance = std::max(rounding.tolerance, over * plan_.tolerance);
}

double Account::energy_scale(const Energies& with) const {
    return std::max(kinetic_high_, with.kinetic) + std::max(potential_high_, with.potential) -
           std::min(potential_low_, with.potential);
}

double Account::seconds() const {
    return seconds_before_ +
           std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

}  // namespace lacon::driver
