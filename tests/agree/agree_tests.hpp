// Models and comparisons for tests that two ways to compute give the same numbers.
#pragma once

#include <filesystem>
#include <random>

#include "../kernel/kernel_tests.hpp"
#include "code/acceleration_code.hpp"
#include "lacon/mechanism.hpp"
#include "mechanics/system/derived_model.hpp"
#include "methods/field.hpp"
#include "random_mechanism.hpp"

/// Mechanisms to compare the interpreter and compiled code on.
namespace lacon {

/// A state, and states near it that need not meet the constraints.
inline std::vector<State> states_near(const State& start, int count) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal(0.0, 0.05);
    std::vector<State> result{start};
    for (int i = 1; i < count; ++i) {
        State s = start;
        for (double& x : s.q) x += normal(random);
        for (double& x : s.v) x += normal(random);
        s.t += std::abs(normal(random));
        result.push_back(s);
    }
    return result;
}

/// A mechanism with its compiled acceleration and states to compare at.
struct Case {
    explicit Case(const Mechanism& m)
        : mechanism(m), field(m.details(), {}), at(m.details(), field.smooth) {
        start = m.start().state;
        options.dependent.assign(field.m(), false);
        for (const std::size_t row : m.evaluate(start).solution.unneeded)
            options.dependent[row] = true;
        code = acceleration_code(m.details(), field.smooth, options);
    }
    std::vector<double> inputs(const State& s) const {
        std::vector<double> in(at.count, 0.0);
        std::copy(s.q.begin(), s.q.end(), in.begin() + static_cast<std::ptrdiff_t>(at.q));
        std::copy(s.v.begin(), s.v.end(), in.begin() + static_cast<std::ptrdiff_t>(at.v));
        in[at.t] = s.t;
        std::copy(mechanism.details().parameters.begin(), mechanism.details().parameters.end(),
                  in.begin() + static_cast<std::ptrdiff_t>(at.parameters));
        for (std::size_t i = at.branches; i < at.floors; ++i)
            in[i] = field.assembler.branches[i - at.branches];
        return in;
    }
    std::vector<State> states(int count) const { return states_near(start, count); }

    Mechanism mechanism;
    DenseField field;
    KernelInputs at;
    State start;
    CodeOptions options;
    kernel::Code code;
};

/// Compares with the complete orthogonal decomposition on interpreted numbers, to 1e-11 of the
/// largest acceleration: some 5e4 ulps, for conditions of A M⁻¹ Aᵀ of a few hundred.
inline void expect_acceleration(const Mechanism& mechanism, const State& state,
                                std::span<const double> found, const std::string& name) {
    const ConstrainedSolution expected = mechanism.evaluate(state).solution;
    ASSERT_EQ(expected.outcome, Outcome::ok)
        << name << ": answered where the careful path does not";
    double size = 1.0;
    for (const double a : expected.acceleration) size = std::max(size, std::abs(a));
    for (const double a : expected.a) size = std::max(size, std::abs(a));
    for (std::size_t i = 0; i < expected.acceleration.size(); ++i)
        EXPECT_NEAR(found[i], expected.acceleration[i], 1e-11 * size)
            << name << " coordinate " << i;
}

/// All of models/, by name.
/// All but those whose equations change on the way: they are compiled by modes, if at all.
inline std::vector<std::pair<std::string, Mechanism>> all_models() {
    std::vector<std::pair<std::string, Mechanism>> result;
    for (const auto& entry : std::filesystem::directory_iterator(LACON_SOURCE_DIR "/models"))
        if (entry.path().extension() == ".lac")
            result.emplace_back(entry.path().stem(), Mechanism::load(entry.path()));
    std::erase_if(result, [](const auto& model) { return model.second.details().has_contacts(); });
    return result;
}

}  // namespace lacon
