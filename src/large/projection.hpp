// Projection of a large system's state onto its constraints.
#pragma once

#include <optional>

#include "lacon/motion.hpp"
#include "large/field.hpp"
#include "methods/projection.hpp"

namespace lacon::inline large {

/// The projector of the sparse backend: with one factorization, that of the field, which then
/// serves the step that follows.
class SparseProjector final : public Projector {
public:
    SparseProjector(SparseField& field, bool moves);

    Outcome project(State& state) override;
    /// Scaled by the A at hand.
    void measure(const State& state) override;
    std::size_t rank() const override { return rank_; }
    double weakest() const override { return weakest_; }

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

    SparseField& field_;
    const SparseSystem& system_;
    bool moves_;
    std::size_t rank_ = 0;
    double weakest_ = 1.0;
    Level positions_, velocities_;
    Residuals residuals_;
    std::vector<double> right_, zero_, change_, lambda_;
};

}  // namespace lacon::large
