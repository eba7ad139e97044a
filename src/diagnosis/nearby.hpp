// Consistent states near a given one, for testing whether a dependency lasts.
#pragma once

#include <optional>
#include <random>

#include "mechanics/numbers/assemble.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::diagnosis {

/// States near a given one on which every row keeps the residual it has there: zero, where the
/// state meets it. Gauss–Newton steps of least change in the metric of M lead back from a random
/// displacement. Holds workspace.
class NearbyStates {
public:
    /// `rows_in_force` is the mechanism of the rows in force; it must outlive this.
    NearbyStates(const DerivedModel& rows_in_force, const State& at, const SolveOptions& options);

    /// A state displaced by about `reach`, relative to the largest coordinate (1 where all are
    /// zero); times differ by up to `reach`. None where none was found within thirty times that, or
    /// only the given state again while it has freedom to move (and time does not enter).
    std::optional<State> sample(double reach, std::mt19937_64& random);

    /// The nearest state with these residuals, by plain Gauss–Newton from `state`; false where it
    /// does not lead there.
    bool meet(State& state, const Residuals& wanted, bool with_velocities);

    /// Whether the given state has freedom to move: false where its rows fix all coordinates.
    bool free = true;
    /// Largest difference of a coordinate to the given state, relative to the largest coordinate.
    double distance(const State& state) const;

private:
    bool meet_level(State& state, bool velocity, const Residuals& wanted);
    bool is_apart(const State& state) const;
    bool step(State& state, double& size, bool velocity, const Residuals& wanted);
    double fill(const State& state, bool velocity, const Residuals& wanted);

    const DerivedModel& details_;
    State at_;
    SolveOptions options_;
    Assembler assembler_;
    Residuals kept_, residuals_;
    double extent_ = 1.0, speed_ = 1.0;
    bool with_velocities_ = false;  // A may depend on them
    bool timed_ = false;            // rows change with time: another moment is another state
    // at the state last filled: what is left of the residuals, and its derivatives
    Equations equations_;
    std::vector<std::size_t> rows_;
    Matrix A_;
    std::vector<double> left_;
};

}  // namespace lacon::diagnosis
