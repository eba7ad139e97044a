// Whether the model is periodic in a coordinate is tried at some states around the one found.
#include "state/angles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/numbers.hpp"
#include "state/residual_size.hpp"

namespace lacon::inline state {

namespace {

/// Whether nothing in the model changes when a coordinate turns by `angle`, a number of full turns:
/// equations and residuals at some states around this, and around the one turned to. Each kind of
/// number is compared by its own size at all of them: exp(x) at −27 and at −2 are not the same
/// beside 1.
bool turns(const DerivedModel& details, const State& at, std::size_t coordinate, double angle) {
    constexpr std::size_t kinds = 6;
    Assembler assembler(details.system, details.parameters);
    Equations equations;
    Residuals residuals;
    std::array<std::vector<double>, kinds> here, there;  // of all states, one after the other
    const auto note = [&](const State& state, std::array<std::vector<double>, kinds>& numbers) {
        assembler.equations(state, equations);
        const bool finite = !assembler.not_finite();
        assembler.residuals(state, residuals);
        const Matrix &M = equations.M, &A = equations.A;
        const std::span<const double> found[kinds] = {{M.data(), M.rows() * M.cols()},
                                                      {A.data(), A.rows() * A.cols()},
                                                      equations.Q,
                                                      equations.b,
                                                      residuals.value,
                                                      residuals.velocity};
        for (std::size_t i = 0; i < kinds; ++i)
            numbers[i].insert(numbers[i].end(), found[i].begin(), found[i].end());
        return finite && !assembler.not_finite();
    };
    for (int k = 0; k < 3; ++k) {
        State state = at;
        for (std::size_t i = 0; i < state.q.size(); ++i) {
            // Three states that no symmetry makes alike: the numbers mean nothing.
            state.q[i] += 0.37 * k * std::sin(1.0 + 2.3 * static_cast<double>(i) + k);
            state.v[i] += 0.61 * k * std::cos(0.4 + 1.7 * static_cast<double>(i) - k);
        }
        if (!note(state, here)) return false;
        state.q[coordinate] += angle;
        if (!note(state, there)) return false;
    }
    for (std::size_t i = 0; i < kinds; ++i) {
        const double size = std::max(largest(here[i]), largest(there[i]));
        // 1e-9: sines of an angle of a few turns are right to 1e-15; a real difference is of order
        // 1.
        for (std::size_t j = 0; j < here[i].size(); ++j)
            if (!(std::abs(here[i][j] - there[i][j]) <= 1e-9 * size)) return false;
    }
    return true;
}

/// Whether every position row is met at a state as well as at another one, but for rounding.
bool meets_as_well(const DerivedModel& details, const State& state, const State& other) {
    Assembler assembler(details.system, details.parameters);
    Residuals here, there, rounding, other_rounding;
    assembler.residuals(state, here);
    assembler.residuals(other, there);
    residual_rounding(details, state, rounding);
    residual_rounding(details, other, other_rounding);
    // The rounding is a bound for one evaluation; 8 leaves room for what the turn adds.
    for (std::size_t r = 0; r < here.value.size(); ++r)
        if (details.system.levels[r] == Level::position &&
            !(std::abs(here.value[r]) <=
              std::max(std::abs(there.value[r]),
                       8.0 * std::max(rounding.value[r], other_rounding.value[r]))))
            return false;
    return true;
}

}  // namespace

void unwind_angles(const DerivedModel& details, const State& guessed, State& state) {
    for (std::size_t i = 0; i < state.q.size(); ++i) {
        // An angle that is not known to a small part of a turn is none.
        constexpr double most = 1e9;
        const double whole = std::round((state.q[i] - guessed.q[i]) / (2.0 * std::numbers::pi));
        const double angle = -2.0 * std::numbers::pi * whole;
        if (whole == 0.0 || !(std::abs(whole) <= most) || !turns(details, state, i, angle))
            continue;
        State turned = state;
        turned.q[i] += angle;
        if (meets_as_well(details, turned, state)) state = std::move(turned);
    }
}

}  // namespace lacon::state
