// Projection of a large system's state onto its constraints.
#pragma once

#include <optional>

#include "lacon/motion.hpp"
#include "large/motion/field.hpp"
#include "methods/projection.hpp"

namespace lacon::inline large {

/// The projector of the sparse backend: with one factorization, that of the field, which then
/// serves the step that follows.
class SparseProjector final : public Projector {
public:
    SparseProjector(SparseField& field, bool moves);

    std::size_t rank() const override { return rank_; }
    double weakest() const override { return weakest_; }

private:
    /// The factorization of a level that is a part.
    struct LevelFactor {
        std::vector<std::size_t> entries;  // of A, in the order of `own`'s pattern
        std::optional<SparseFactor> own;
        std::vector<double> A;
    };
    Outcome factor_at(const State& state) override;
    double length(std::size_t row, double extent) const override;
    void solve(const Level& level, std::span<const double> right, std::span<double> change,
               std::span<double> multipliers) override;
    void note_projected(const State& state) override { field_.note_serves(state); }
    void collect(const Level& level, LevelFactor& factor) const;
    Outcome factor_level(LevelFactor& factor);

    SparseField& field_;
    const SparseSystem& system_;
    std::size_t rank_ = 0;
    double weakest_ = 1.0;
    LevelFactor position_factor_, velocity_factor_;
    std::vector<double> zero_;
};

}  // namespace lacon::large
