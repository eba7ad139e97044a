// What a run tells of itself: counts, energies, residuals, noise.
#pragma once

#include <chrono>

#include "driver/backend/snapshot.hpp"
#include "driver/step/step.hpp"
#include "methods/noise.hpp"

namespace lacon::inline driver {

/// The summary of a run as it grows. Nothing of it changes the motion, but for what is noise.
class Account {
public:
    Account(const DerivedModel& details, const RunPlan& plan);

    void take_over(const Snapshot& snapshot, Field& field);
    void keep(Snapshot& snapshot, const Field& field) const;

    /// Of the first state of a run.
    void note_first(const Energies& energies, std::size_t rank);
    void note_rank(std::size_t rank);
    void note_energy(const Energies& energies, const State& state);
    void note_left(const Projector::Left& left);
    void note_residuals(const Projector& projector);
    /// After a step: whether rounding was above the tolerance in it. `finest`: as MethodTraits;
    /// `jitter`: as Method.
    void note_noise(const Step& step, const Field& field, double finest,
                    std::span<const double> jitter = {});
    /// What changes of energy are relative to, with these energies beside those so far.
    double energy_scale(const Energies& with) const;
    double energy_scale() const { return kinetic_high_ + potential_high_ - potential_low_; }

    MotionSummary summary;
    NoiseWatch noise;
    /// Whether energy is conserved as far as the form of the model shows.
    const bool is_conservative;

    double seconds() const;

private:
    const RunPlan& plan_;
    double potential_low_ = 0.0, potential_high_ = 0.0, kinetic_high_ = 0.0;
    double seconds_before_ = 0.0;  // of the runs that this one resumes
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace lacon::driver
