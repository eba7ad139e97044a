// Projection of a large system's state onto its constraints.
#pragma once

#include <optional>

#include "lacon/motion.hpp"
#include "large/field.hpp"
#include "methods/projection.hpp"

namespace lacon {

/// Brings a state of a large system back to the constraints, as Projector does: by the least change
/// in the M-metric, with one factorization, which then serves the step that follows.
class LargeProjector {
public:
    LargeProjector(LargeField& field, bool moves);

    /// Factors at `state`, in the field, and moves it. ok, or undefined, indefinite, undetermined,
    /// no_convergence.
    Outcome project(State& state);
    Projector::Left left;        // of the rows that are projected
    Projector::Left stabilized;  // of those with `stabilize`
    /// Takes these residuals at a state, scaled by the A at hand.
    void measure(const State& state);

private:
    /// The rows of a level, where they are not all of them, with a factorization of their own.
    struct Level {
        bool is_velocity = false;
        std::vector<std::uint32_t> rows, stabilized;
        std::vector<std::size_t> entries;  // of A, in the order of `own`'s pattern
        std::optional<SparseFactor> own;
        std::vector<double> A;
    };
    void collect(Level& level);
    Outcome factor_at(const State& state);
    Outcome factor_level(Level& level);
    bool correct(State& state, Level& level);
    double scaled_residual(const State& state, Level& level);

    LargeField& field_;
    const LargeSystem& system_;
    bool moves_;
    Level positions_, velocities_;
    Residuals residuals_;
    std::vector<double> right_, zero_, change_, lambda_;
};

}  // namespace lacon
