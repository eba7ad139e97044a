// Projection of positions and velocities onto the constraints, by K₁ of P1 5c.
#pragma once

#include <optional>
#include <vector>

#include "methods/field.hpp"

namespace lacon::inline methods {

/// Brings a state back to the constraints by the least change in the M-metric (so it cannot move
/// along the motion), and keeps the factorization at the state for the step that follows. Rows with
/// `stabilize`, and all rows under Baumgarte, are left alone.
class Projector {
public:
    virtual ~Projector() = default;

    /// Factors at `state` and moves it. ok, or undefined, indefinite, undetermined, no_convergence.
    virtual Outcome project(State& state) = 0;
    /// Takes the residuals at a state (and nothing else).
    virtual void measure(const State& state) = 0;
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
};

/// The projector of the dense backend.
class DenseProjector final : public Projector {
public:
    DenseProjector(DenseField& field, bool moves);

    Outcome project(State& state) override;
    void measure(const State& state) override;
    std::size_t rank() const override { return all_.rank(); }
    double weakest() const override { return all_.weakest(); }

    /// At the state as it came in; nearly that of the projected one (`Nearby` makes up for the
    /// rest).
    const ConstrainedFactor& factor() const { return all_; }
    const Equations& equations() const { return equations_; }

    /// Takes from a change of position or velocity (n) its part across the constraints, by the
    /// factorization at hand.
    void remove_across(std::span<double> change, bool velocity_level);
    /// How far rounding alone moves positions or velocities (n) where they are projected, at most:
    /// by the rounding of the residuals, and the factorization at hand.
    void rounding_across(const State& state, bool velocity_level, std::vector<double>& moves);

private:
    struct LevelRows {
        std::vector<std::size_t> rows, stabilized;
        std::optional<ConstrainedFactor> own;  // where they are not all the rows
        Matrix A;
    };
    SolveOptions solve_options() const;
    Outcome factor_at(const State& state);
    Outcome factor_level(LevelRows& level);
    bool correct(State& state, bool velocity_level);
    bool is_met(const State& state, bool velocity_level);
    double scaled_residual(const State& state, bool velocity_level);

    DenseField& field_;
    bool moves_;
    Equations equations_;
    Residuals residuals_, rounding_;
    ConstrainedFactor all_;
    LevelRows position_rows_, velocity_rows_;
    std::vector<double> right_, zero_, change_, lambda_;
};

/// Of what belongs to the dense backend, as all that its methods meet does.
inline const DenseProjector& dense(const Projector& projector) {
    return static_cast<const DenseProjector&>(projector);
}

}  // namespace lacon::methods
