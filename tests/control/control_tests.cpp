// Helpers of the control tests: runs, tracking errors, efforts.
#include "control_tests.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace lacon::controls {

const ControlReport& control_of(const Evaluation& at, std::string_view name) {
    static const ControlReport none;
    const auto found = std::find_if(at.controls.begin(), at.controls.end(),
                                    [&](const auto& c) { return c.name == name; });
    EXPECT_NE(found, at.controls.end()) << "no control " << name;
    return found == at.controls.end() ? none : *found;
}

double effort_of(const Mechanism& mechanism, const Evaluation& at, std::string_view actuator) {
    const auto& names = mechanism.actuators();
    const auto found = std::find(names.begin(), names.end(), actuator);
    EXPECT_NE(found, names.end()) << "no actuator " << actuator;
    return found == names.end() ? 0.0
                                : at.efforts.at(static_cast<std::size_t>(found - names.begin()));
}

Evaluation evaluate_well(const Mechanism& mechanism, const State& state) {
    Evaluation at = mechanism.evaluate(state);
    EXPECT_EQ(name_of(at.status.outcome), "ok") << at.status.message;
    if (!at.status) {  // so that what follows fails instead of reading what is not there
        at.solution.acceleration.assign(state.q.size(), std::nan(""));
        at.control_force = at.solution.acceleration;
        at.efforts.assign(mechanism.actuators().size(), std::nan(""));
    }
    return at;
}

void expect_forces(const std::vector<double>& actual, const std::vector<double>& expected,
                   double scale, const std::string& what) {
    ASSERT_EQ(actual.size(), expected.size()) << what;
    for (std::size_t i = 0; i < expected.size(); ++i)
        expect_close(actual[i], expected[i], scale, what + "[" + std::to_string(i) + "]");
}

std::string text_with(const std::string& file, const std::string& piece,
                      const std::string& replacement) {
    std::ifstream in(std::string(LACON_SOURCE_DIR) + "/models/control/" + file);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto place = text.find(piece);
    EXPECT_NE(place, std::string::npos) << file << " has no '" << piece << "'";
    return place == std::string::npos ? text : text.replace(place, piece.size(), replacement);
}

Plane kepler_position(double semi_major_axis, double eccentricity, double mu, double t) {
    const double mean = std::sqrt(mu / semi_major_axis) / semi_major_axis * t;
    double E = mean;
    for (int i = 0; i < 50; ++i)
        E -= (E - eccentricity * std::sin(E) - mean) / (1 - eccentricity * std::cos(E));
    return {semi_major_axis * (std::cos(E) - eccentricity),
            semi_major_axis * std::sqrt(1 - squared(eccentricity)) * std::sin(E)};
}

}  // namespace lacon::controls
