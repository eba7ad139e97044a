// Projection of positions and velocities onto the constraints, by K₁ of P1 5c.
#pragma once

#include <optional>
#include <vector>

#include "methods/field.hpp"

namespace lacon::inline methods {

/// Brings a state back to the constraints by the least change in the M-metric (so it cannot move
/// along the motion), and keeps the factorization at the state for the step that follows. Rows with
/// `stabilize`, and all rows under Baumgarte, are left alone.
///
/// Positions first, then velocities, each by simplified Newton steps with one factorization, and
/// anew from a factorization where that has moved the state away. How M and A are factored, and
/// what solves with them, is the backend's.
class Projector {
public:
    virtual ~Projector() = default;

    /// Factors at `state` and moves it. ok, or undefined, indefinite, undetermined, no_convergence.
    Outcome project(State& state);
    /// Takes the residuals at a state (and nothing else), scaled by the A at hand.
    void measure(const State& state);
    /// Of the constraints where they were factored: their rank, and the reciprocal condition of
    /// their weakest direction that counts.
    virtual std::size_t rank() const = 0;
    virtual double weakest() const = 0;

    /// Largest residual left at each level, scaled by Σ_j |A_ij| times the largest |q_j| or |q'_j|,
    /// and as it is.
    struct Left {
        double position = 0.0, velocity = 0.0, position_absolute = 0.0, velocity_absolute = 0.0;
    };
    Left left;        // of the rows that are projected
    Left stabilized;  // of those with `stabilize`, which are left alone

    /// Added to the diagonal of M (n) in the metric: where an implicit method steps over stiff
    /// springs and dampers, they resist a change like masses, and a projection that moved them
    /// would throw the state off the slow motion. Empty for none; the factorization then is no
    /// longer that of the equation of motion.
    std::vector<double> added_mass;

    /// Directions of the constraints weaker than this (as rank_tol) are left alone: close to a
    /// singular position a correction along them would turn rounding into motion, and what they
    /// leave of a residual is small beside it.
    double weak = 0.0;

    /// Scaled residuals below this are left as they are, where it is larger than rounding: beside a
    /// near miss of a singular position a correction of what is rounding moves the state from one
    /// branch of the constraints to another.
    double slack = 0.0;

    /// A residual above this (scaled) makes a state one that does not meet the constraints, unless
    /// it is no more than rounding of the terms it is computed from.
    static constexpr double met_tol = 1e-12;

protected:
    /// `rounding`: scaled residuals below it hardly gain by another correction.
    Projector(Field& field, bool moves, double rounding);

    /// The rows of a level: those that are projected, and those with `stabilize`.
    struct Level {
        bool is_velocity = false;
        std::vector<std::size_t> rows, stabilized;
    };
    /// Whether a level has a factorization of its own: some rows, but not all.
    bool is_part(const Level& level) const {
        return !level.rows.empty() && level.rows.size() < field_.m();
    }

    /// Factors all rows at a state, and where states are moved the levels that are a part.
    virtual Outcome factor_at(const State& state) = 0;
    /// Σ_j |A_ij| times an extent, of row i where it was factored.
    virtual double length(std::size_t row, double extent) const = 0;
    /// The least change (n) with A change = right on the rows of a level.
    virtual void solve(const Level& level, std::span<const double> right, std::span<double> change,
                       std::span<double> multipliers) = 0;
    /// After a projection that has moved a state to the constraints.
    virtual void note_projected(const State&) {}

    bool moves() const { return moves_; }
    const Level& positions() const { return positions_; }
    const Level& velocities() const { return velocities_; }

private:
    bool correct(State& state, const Level& level);
    bool is_met(const State& state, const Level& level);
    double scaled_residual(const State& state, const Level& level);

    Field& field_;
    const bool moves_;
    const double rounding_tol_;
    Level positions_, velocities_;
    Residuals residuals_, rounding_;
    std::vector<double> right_, change_, lambda_;
};

/// The projector of the dense backend.
class DenseProjector final : public Projector {
public:
    DenseProjector(DenseField& field, bool moves);

    std::size_t rank() const override { return all_.rank(); }
    double weakest() const override { return all_.weakest(); }

    /// At the state as it came in; nearly that of the projected one (`Nearby` makes up for the
    /// rest).
    const ConstrainedFactor& factor() const { return all_; }
    const Equations& equations() const { return equations_; }
    /// Whether the rank that lasts (LastingRank) has cut one that would be higher.
    bool is_cut() const;

    /// Takes from a change of position or velocity (n) its part across the constraints, by the
    /// factorization at hand.
    void remove_across(std::span<double> change, bool velocity_level);
    /// How far rounding alone moves positions or velocities (n) where they are projected, at most:
    /// by the rounding of the residuals, and the factorization at hand.
    void rounding_across(const State& state, bool velocity_level, std::vector<double>& moves);

private:
    /// The factorization of a level that is a part.
    struct LevelFactor {
        std::optional<ConstrainedFactor> own;
        Matrix A;
    };
    Outcome factor_at(const State& state) override;
    double length(std::size_t row, double extent) const override;
    void solve(const Level& level, std::span<const double> right, std::span<double> change,
               std::span<double> multipliers) override;
    void note_projected(const State& state) override;
    const ConstrainedFactor* factor_of(const Level& level, const LevelFactor& factor) const;
    SolveOptions solve_options() const;
    Outcome factor_level(const Level& level, LevelFactor& factor, RowSet rows);

    DenseField& field_;
    Equations equations_;
    ConstrainedFactor all_;
    LevelFactor position_factor_, velocity_factor_;
    std::vector<double> zero_;
};

/// Of what belongs to the dense backend, as all that its methods meet does.
inline const DenseProjector& dense(const Projector& projector) {
    return static_cast<const DenseProjector&>(projector);
}

}  // namespace lacon::methods
