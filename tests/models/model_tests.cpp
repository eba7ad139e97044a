// Helpers of the tests of the models in models/.
#include "model_tests.hpp"

#include <algorithm>
#include <limits>

namespace lacon::models {

namespace {

std::size_t index_of(const Mechanism& mechanism, std::string_view coordinate) {
    const auto& names = mechanism.coordinates();
    const auto found = std::find(names.begin(), names.end(), coordinate);
    EXPECT_NE(found, names.end()) << "no coordinate " << coordinate;
    return found == names.end() ? 0 : static_cast<std::size_t>(found - names.begin());
}

void expect_consistent(const Evaluation& at) {
    for (const ConstraintReport& row : at.constraints) {
        if (row.level == Level::acceleration) continue;
        EXPECT_LE(std::abs(row.residual), tolerance) << "the state of the test breaks " << row.name;
        EXPECT_LE(std::abs(row.velocity_residual), tolerance * 10.0)
            << "the state of the test breaks " << row.name << "'";
    }
}

}  // namespace

Mechanism load(const std::string& file, const Settings& settings) {
    return Mechanism::load(std::string(LACON_SOURCE_DIR) + "/models/" + file, settings);
}

State state_of(const Mechanism& mechanism, const Values& values) {
    const std::size_t n = mechanism.coordinates().size();
    State state{.t = 0.0, .q = std::vector<double>(n), .v = std::vector<double>(n)};
    for (const auto& [name, value] : values) {
        if (name == "t") {
            state.t = value;
        } else if (name.ends_with('\'')) {
            state.v[index_of(mechanism, std::string_view(name).substr(0, name.size() - 1))] = value;
        } else {
            state.q[index_of(mechanism, name)] = value;
        }
    }
    return state;
}

double acceleration_of(const Mechanism& mechanism, const Evaluation& at,
                       std::string_view coordinate) {
    return at.solution.acceleration.at(index_of(mechanism, coordinate));
}

double force_on(const Mechanism& mechanism, const Evaluation& at, std::string_view coordinate) {
    return at.solution.constraint_force.at(index_of(mechanism, coordinate));
}

const ConstraintReport& constraint_of(const Evaluation& at, std::string_view name) {
    static const ConstraintReport none;
    const auto found = std::find_if(at.constraints.begin(), at.constraints.end(),
                                    [&](const auto& row) { return row.name == name; });
    EXPECT_NE(found, at.constraints.end()) << "no constraint " << name;
    return found == at.constraints.end() ? none : *found;
}

void expect_close(double actual, double expected, double scale, const std::string& what) {
    EXPECT_NEAR(actual, expected, tolerance * std::max({1.0, std::abs(expected), scale})) << what;
}

Evaluation expect_accelerations_off_constraint(const Mechanism& mechanism, const State& state,
                                               const Values& expected) {
    Evaluation at = mechanism.evaluate(state);
    EXPECT_EQ(name_of(at.status.outcome), "ok") << at.status.message;
    if (!at.status) {
        at.solution.acceleration.assign(state.q.size(), std::numeric_limits<double>::quiet_NaN());
        at.solution.constraint_force = at.solution.acceleration;
        return at;
    }
    double scale = 0.0;
    for (const auto& [name, value] : expected) scale = std::max(scale, std::abs(value));
    for (const auto& [name, value] : expected)
        expect_close(acceleration_of(mechanism, at, name), value, scale, name + "''");
    EXPECT_EQ(expected.size(), state.q.size()) << "a test names every coordinate";
    return at;
}

Evaluation expect_accelerations(const Mechanism& mechanism, const State& state,
                                const Values& expected) {
    Evaluation at = expect_accelerations_off_constraint(mechanism, state, expected);
    expect_consistent(at);
    return at;
}

void expect_multiplier(const Evaluation& at, std::string_view constraint, double expected) {
    expect_close(constraint_of(at, constraint).multiplier, expected, 1.0,
                 "multiplier of " + std::string(constraint));
}

}  // namespace lacon::models
